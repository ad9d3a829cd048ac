"""Measure something while the page stands already: a line says so, and the page comes again when it is there."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from typing import TypeVar, TypeVarTuple

import streamlit as st

from dashboard import cache

T = TypeVar("T")
OwnerT = TypeVar("OwnerT")
Args = TypeVarTuple("Args")

_WAIT = 1.0  # seconds that the page waits; the first estimate of a server has to load the engine and takes longer
_LOOK_AGAIN = 1.0


def later(compute: Callable[[OwnerT, *Args], T], owner: OwnerT, *key: *Args, words: str) -> Future[T]:
    """Return ``compute(owner, *key)``, kept as :func:`dashboard.cache.derived` does; draw `words` until it is done."""
    found: Future[T] = cache.derived(_begin, owner, compute, *key)
    try:
        found.exception(timeout=_WAIT)
    except NotYet:
        st.fragment(_wait, run_every=_LOOK_AGAIN)(found, words)
    return found


def _begin(owner: OwnerT, compute: Callable[[OwnerT, *Args], T], *key: *Args) -> Future[T]:
    """Begin in a thread that ends with it: one that lives on would keep its hold on the linear algebra."""
    pool = ThreadPoolExecutor(1, thread_name_prefix=compute.__name__)
    found = pool.submit(compute, owner, *key)
    pool.shutdown(wait=False)
    return found


def _wait(found: Future[T], words: str) -> None:
    """Draw a line while it is made; run the app again when it is there."""
    if found.done():
        st.rerun()
    st.caption(f":material/schedule: {words}")
