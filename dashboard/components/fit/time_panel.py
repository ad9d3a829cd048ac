"""About how long the fit will take, said before it is started."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import words
from dashboard.components.jobs.later import later
from dashboard.services.fit import fit_time as service
from dashboard.services.fit.modes import Mode, asked
from dashboard.session.opened import OpenTable

if TYPE_CHECKING:
    from dashboard.services.fit.fit_time import FitTime
    from proset.study.time_needed import TimeNeeded


def show(opened: OpenTable, mode: Mode) -> TimeNeeded | None:
    """Say how long it takes, and offer fewer rows where that helps; return the estimate if it is there."""
    table, recipe = opened.table, service.as_measured(asked(opened.recipe, mode))
    estimate = later(service.fit_time, table, recipe, words="Measuring how long it takes …")
    found = estimate.result() if estimate is not None else None
    if found is None:
        return None
    found = service.corrected(found, mode)
    st.caption(f":material/schedule: {words.caption(service.needed_words(found))}")
    _offer(opened, found)
    return found.needed


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
