"""Threads for compiled code that releases the interpreter lock, and how many this process may use."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from functools import cache
from typing import TypeVar

T = TypeVar("T")
Tell = Callable[..., None]
_SECONDS_BETWEEN_NEWS = 0.05
_limit: ContextVar[int | None] = ContextVar("proset_threads", default=None)


@cache
def _available() -> int:
    """Count the threads of this process: what numba was told, and OMP_NUM_THREADS, which schedulers set."""
    allowed = os.environ.get("OMP_NUM_THREADS", "")
    limit = int(allowed) if allowed.isdigit() and int(allowed) > 0 else os.cpu_count() or 1
    with suppress(ImportError):  # no numba for this interpreter or machine
        from numba import get_num_threads

        limit = min(limit, get_num_threads())
    return max(1, limit)


def n_threads() -> int:
    """Tell how many threads compiled code may use when it is called from here: all there are, or what is `limited`.

    Examples
    --------
    >>> n_threads() >= 1
    True
    """
    limit = _limit.get()
    return _available() if limit is None else min(limit, _available())


@contextmanager
def limited(n_jobs: int | None) -> Iterator[None]:
    """Limit the threads of compiled code that is called inside, in the calling thread only.

    Parameters
    ----------
    n_jobs : int or None
        As scikit-learn counts: a number of threads; -1 for all there are, -2 for all but one, and so on; None leaves
        things as they are.

    Raises
    ------
    ValueError
        If `n_jobs` is 0.

    Notes
    -----
    Results do not depend on it, bit for bit.

    Examples
    --------
    >>> with limited(1):
    ...     n_threads()
    1
    """
    if n_jobs == 0:
        raise ValueError("n_jobs=0 leaves no thread to work: use 1 or more, -1 for all there are, or None.")
    if n_jobs is None:
        yield
        return
    token = _limit.set(n_jobs if n_jobs > 0 else max(1, _available() + 1 + n_jobs))
    try:
        yield
    finally:
        _limit.reset(token)


@cache
def _pool() -> ThreadPoolExecutor:
    """Return the threads beside the calling one."""
    return ThreadPoolExecutor(max(1, _available() - 1), thread_name_prefix="proset")


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
    threads = min(n_threads(), n_parts) if n_parts > 1 else 1
    if threads == 1:
        return [function(part) for part in range(n_parts)]
    parts = [range(k, n_parts, threads) for k in range(threads)]
    others = [_pool().submit(lambda own: [function(part) for part in own], own) for own in parts[1:]]
    found = [[function(part) for part in parts[0]]]
    found += [future.result() for future in others]
    return [found[part % threads][part // threads] for part in range(n_parts)]


def side_by_side(works: Sequence[Callable[[Tell], T]], tell: Tell) -> Generator[T]:
    """Do long works at once, on the threads there are, and yield what they return in their order.

    Two works of one thread each take little more than half the time of one after the other on two threads.

    Parameters
    ----------
    works : sequence of callable
        Each takes what it has to call often with its news, has nothing in common with the others that it changes, and
        spends its time without the interpreter lock. What is `limited` is so for each of them.
    tell : callable
        Receives the latest news of any of them now and then, in the calling thread; raising from it ends all.

    Yields
    ------
    object
        What each of them returned. Whoever stops listening ends the others.

    Examples
    --------
    >>> list(side_by_side([lambda tell: 1, lambda tell: 2], print))
    [1, 2]
    """
    at_once = min(n_threads(), len(works))
    if at_once <= 1:
        for work in works:
            yield work(tell)
        return
    each, ended, news = n_threads() // at_once, threading.Event(), deque[tuple[object, ...]](maxlen=1)

    def note(*latest: object) -> None:
        if ended.is_set():
            raise _Ended
        news.append(latest)

    def done(work: Callable[[Tell], T]) -> T:
        with limited(each):
            return work(note)

    # Not the threads of `run_parts`: one that waits there for a part of its own would keep another from its.
    with ThreadPoolExecutor(at_once, thread_name_prefix="proset-work") as pool:
        try:
            for future in [pool.submit(copy_context().run, done, work) for work in works]:
                while wait([future], _SECONDS_BETWEEN_NEWS).not_done:
                    if news:
                        tell(*news.pop())
                yield future.result()
        finally:
            ended.set()
            pool.shutdown(wait=False, cancel_futures=True)


def say_nothing(*_: object) -> None:
    """Take news that nobody waits for."""


class _Ended(Exception):  # noqa: N818 - nothing went wrong
    """Nobody waits for this work any more."""
