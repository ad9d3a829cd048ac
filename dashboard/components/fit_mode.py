"""The choice between one fit with stated settings and a search for good ones."""

from __future__ import annotations

from enum import StrEnum

import streamlit as st

from dashboard import state
from dashboard.session import jobs
from dashboard.texts import MODES
from dashboard.work.tasks import SEARCH

_KEPT = "fit.mode"


class Mode(StrEnum):
    """How settings are found."""

    QUICK = "quick"
    SEARCH = "search"


def current() -> Mode:
    """Return what was chosen; a study that was searched, or a search under way or stopped, opens as a search."""
    kept = state.kept(_KEPT)
    if kept in list(Mode):
        return Mode(kept)
    table, study = state.table(), state.study()
    searched = study is not None and study.search is not None
    under_way = table is not None and any(entry.task is SEARCH for entry in jobs.under_way(table))
    return Mode.SEARCH if searched or under_way or state.stopped_search() is not None else Mode.QUICK


def show() -> Mode:
    """Show the switch with one sentence on the choice, and return it."""
    mode = current()
    st.segmented_control(
        "How to find the settings",
        list(Mode),
        format_func=lambda option: MODES[str(option)][0],
        default=mode,
        required=True,
        key=_KEPT,
        label_visibility="collapsed",
        on_change=state.keep_widget(_KEPT, _KEPT),
    )
    st.caption(MODES[str(mode)][1])
    return mode
