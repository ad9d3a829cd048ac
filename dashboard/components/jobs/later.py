"""What is measured while the page stands already: a line says so, and the page comes again when it is there."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from typing import TypeVar

import streamlit as st

from dashboard import cache
from proset.data.table import Table
from proset.study import Study

T = TypeVar("T")

_WAIT = 1.0  # seconds that the page waits; the first estimate of a server has to load the engine and takes longer
_LOOK_AGAIN = 1.0


def later(owner: Study | Table, name: str, compute: Callable[[], T], *key: Hashable, words: str) -> Future[T]:
    """Return what `compute` comes to, once per `owner`, `name` and `key`; while it is not done, draw a line of `words`.

    As for :func:`dashboard.cache.derived`, the value may not refer to `owner`.
    """
    found = cache.derived(owner, name, lambda: _begin(name, compute), *key)
    try:
        found.exception(timeout=_WAIT)
    except NotYet:
        st.fragment(_wait, run_every=_LOOK_AGAIN)(found, words)
    return found


def _begin(name: str, compute: Callable[[], T]) -> Future[T]:
    """Begin in a thread that ends with it: one that lives on would keep its hold on the linear algebra."""
    pool = ThreadPoolExecutor(1, thread_name_prefix=name)
    found = pool.submit(compute)
    pool.shutdown(wait=False)
    return found


def _wait(found: Future[T], words: str) -> None:
    """Draw a line while it is made; run the app again when it is there."""
    if found.done():
        st.rerun()
    st.caption(f":material/schedule: {words}")
