"""About how long the fit will take, said before it is started."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as NotYet
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import words
from dashboard.services import fit_time as service
from dashboard.services.fit_modes import Mode, asked
from dashboard.session.opened import OpenTable

if TYPE_CHECKING:
    from dashboard.services.fit_time import FitTime
    from proset.data.table import Table
    from proset.study.recipe import Recipe
    from proset.study.time_needed import TimeNeeded

_WAIT = 1.0  # seconds that the page waits; the first estimate of a server has to load the engine and takes longer
_LOOK_AGAIN = 1.0


def show(opened: OpenTable, mode: Mode) -> TimeNeeded | None:
    """Say how long it takes, and offer fewer rows where that helps; return the estimate if it is there."""
    table, recipe = opened.table, asked(opened.recipe, mode)
    estimate = cache.derived(table, "fit time", lambda: _begin(table, recipe), recipe)
    try:
        found = estimate.result(timeout=_WAIT)
    except NotYet:
        st.fragment(_wait, run_every=_LOOK_AGAIN)(estimate)
        return None
    if found is None:
        return None
    st.caption(f":material/schedule: {words.caption(service.needed_words(found))}")
    _offer(opened, found)
    return found.needed


def _begin(table: Table, recipe: Recipe) -> Future[FitTime | None]:
    """Begin to measure, in a thread that ends with it: one that lives on would keep its hold on the linear algebra."""
    pool = ThreadPoolExecutor(1, thread_name_prefix="fit time")
    estimate = pool.submit(service.fit_time, table, recipe)
    pool.shutdown(wait=False)
    return estimate


def _wait(estimate: Future[FitTime | None]) -> None:
    """Draw a line while the estimate is made; run the app again when it is there."""
    if estimate.done():
        st.rerun()
    st.caption(":material/schedule: Measuring how long it takes …")


def _offer(opened: OpenTable, found: FitTime) -> None:
    """Offer fewer rows per batch, or all of them again."""
    text = service.fewer_words(found)
    if text:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(words.caption(text), width="content")
            st.button(
                f"Learn from {service.FEWER_ROWS:,} rows per batch",
                key="fit.fewer_rows",
                on_click=_limit,
                args=(opened, service.FEWER_ROWS),
                type="tertiary",
            )
    elif found.all_rows is not None:
        st.button(
            "Learn from all rows", key="fit.all_rows", on_click=_limit, args=(opened, None), type="tertiary"
        )  # fmt: skip


def _limit(opened: OpenTable, most: int | None) -> None:
    """Take over how many rows each batch learns from."""
    opened.edit(settings=replace(opened.recipe.settings, max_samples=most))
