"""What is measured while the page stands already: a line says so, and the page comes again when it is there."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass
from typing import Any, TypeVar

import streamlit as st

from dashboard import cache
from dashboard.session import jobs
from dashboard.work.estimates import Clock, Estimates
from dashboard.work.limits import estimates_at_once
from proset.data.table import Table
from proset.study import Study

T = TypeVar("T")

ESTIMATES = Estimates(estimates_at_once())
"""Measures for all visitors of the process."""
_WAIT = 1.0  # seconds that the page waits; the first estimate of a server has to load the engine and takes longer
_LOOK_AGAIN = 2.0


@dataclass(eq=False)
class _Asked:
    """What is measured of one object, as long as somebody wants to know it."""

    found: Future[Any] | None = None


def later(
    owner: Study | Table,
    name: str,
    measure: Callable[[Clock], T],
    *key: Hashable,
    words: str,
) -> Future[T] | None:
    """Return what `measure` has come to, once per `owner`, `name` and `key`; until then, draw a line of `words`.

    As for :func:`dashboard.cache.derived`, the value may not refer to `owner`. What the same visitor asked for before
    is dropped, see :meth:`dashboard.work.estimates.Estimates.ask`.
    """
    asked = cache.derived(owner, name, _Asked, *key)
    if asked.found is None or asked.found.cancelled():
        asked.found = ESTIMATES.ask(jobs.visitor(), measure)
    found = asked.found
    try:
        found.exception(timeout=_WAIT)
    except (NotYet, CancelledError):
        st.fragment(_wait, run_every=_LOOK_AGAIN)(found, words)
        return None
    return found


def _wait(found: Future[Any], words: str) -> None:
    """Draw a line while it is made; run the app again when it is there."""
    if found.done():
        st.rerun()
    st.caption(f":material/schedule: {words}")
