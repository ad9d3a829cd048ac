"""Threads for compiled code that releases the interpreter lock, and how many this process may use."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TypeVar

T = TypeVar("T")


@cache
def n_threads() -> int:
    """Tell how many threads this process may use: what numba was told, and OMP_NUM_THREADS, which schedulers set.

    Examples
    --------
    >>> n_threads() >= 1
    True
    """
    from numba import get_num_threads

    allowed = os.environ.get("OMP_NUM_THREADS", "")
    limit = int(allowed) if allowed.isdigit() and int(allowed) > 0 else os.cpu_count() or 1
    return max(1, min(get_num_threads(), limit))


_allowed: ContextVar[int | None] = ContextVar("proset_threads", default=None)


@contextmanager
def limited(n_jobs: int | None) -> Iterator[None]:
    """Let what is called inside use at most so many threads; other threads of this process are not concerned.

    Parameters
    ----------
    n_jobs : int or None
        Number of threads, the calling one included. -1 takes all that this process may use, -2 all but one, and so on;
        None leaves a limit around this one as it is.

    Examples
    --------
    >>> with limited(1):
    ...     allowed_threads()
    1
    """
    if n_jobs is None:
        yield
        return
    token = _allowed.set(max(1, n_jobs if n_jobs > 0 else n_threads() + 1 + n_jobs))
    try:
        yield
    finally:
        _allowed.reset(token)


def allowed_threads() -> int:
    """Tell how many threads :func:`run_parts` uses here at most."""
    limit = _allowed.get()
    return n_threads() if limit is None else min(limit, n_threads())


@cache
def _pool() -> ThreadPoolExecutor:
    """The threads beside the calling one."""
    return ThreadPoolExecutor(n_threads() - 1, thread_name_prefix="proset")


def _reset_after_fork() -> None:
    """Threads do not survive a fork; the child makes its own."""
    _pool.cache_clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_after_fork)


def run_parts(function: Callable[[int], T], n_parts: int) -> list[T]:
    """Call a function with 0, 1, ..., `n_parts` - 1, on the threads there are.

    Parameters
    ----------
    function : callable
        Takes the number of a part. It should spend its time without the interpreter lock.
    n_parts : int
        How many parts there are; with one, or one thread, nothing leaves the calling thread.

    Returns
    -------
    list
        What the function returned, in the order of the parts.

    Examples
    --------
    >>> run_parts(lambda part: part * part, 4)
    [0, 1, 4, 9]
    """
    threads = min(allowed_threads(), n_parts) if n_parts > 1 else 1
    if threads == 1:
        return [function(part) for part in range(n_parts)]
    parts = [range(k, n_parts, threads) for k in range(threads)]
    others = [_pool().submit(lambda own: [function(part) for part in own], own) for own in parts[1:]]
    found = [[function(part) for part in parts[0]]]
    found += [future.result() for future in others]
    return [found[part % threads][part // threads] for part in range(n_parts)]
