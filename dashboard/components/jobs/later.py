"""Measure something while the page stands already: a line says so, and the page comes again when it is there."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from concurrent.futures import CancelledError, Future
from concurrent.futures import TimeoutError as NotYet
from dataclasses import dataclass
from typing import Any, TypeVar

import streamlit as st

from dashboard import cache
from dashboard.components.jobs.look_again import look_again
from dashboard.session import jobs
from dashboard.work.estimates import Estimates
from dashboard.work.limits import estimates_at_once

T = TypeVar("T")
OwnerT = TypeVar("OwnerT")

ESTIMATES = Estimates(estimates_at_once())
"""Measures for all visitors of the process."""
_WAIT = 1.0  # seconds that the page waits; the first estimate of a server has to load the engine and takes longer
_LOOK_AGAIN = 2.0


@dataclass(eq=False)
class _Asked:
    """Measurement of one object, as long as somebody wants to know it."""

    found: Future[Any] | None = None


def later(measure: Callable[..., T], owner: OwnerT, question: Hashable, *, words: str) -> Future[T] | None:
    """Return the end of ``measure(owner, question, clock=)``, once per arguments; until then, draw a line of `words`.

    What the same visitor asked for before is dropped, see :meth:`dashboard.work.estimates.Estimates.ask`.
    """
    asked = cache.derived(_asked, owner, measure, question)
    if asked.found is None or asked.found.cancelled():
        asked.found = ESTIMATES.ask(jobs.visitor(), lambda clock: measure(owner, question, clock=clock))
    found = asked.found
    try:
        found.exception(timeout=_WAIT)
    except (NotYet, CancelledError):
        look_again(found.done, lambda: st.caption(f":material/schedule: {words}"), every=_LOOK_AGAIN)
        return None
    return found


def _asked(owner: OwnerT, measure: Callable[..., Any], question: Hashable) -> _Asked:
    """Nothing yet."""
    return _Asked()
