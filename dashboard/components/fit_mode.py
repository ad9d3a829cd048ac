"""The choice between one fit with stated settings and a search for good ones."""

from __future__ import annotations

from enum import StrEnum

import streamlit as st

from dashboard.services.params import Choice
from dashboard.session import jobs, widgets
from dashboard.session.session import Session
from dashboard.texts.settings import MODES
from dashboard.work.tasks import SEARCH


class Mode(StrEnum):
    """How settings are found."""

    QUICK = "quick"
    SEARCH = "search"


MODE = Choice("mode", Mode.QUICK)


def current(session: Session) -> Mode:
    """Return what was chosen; a study that was searched, or a search under way or stopped, opens as a search."""
    chosen = session.chosen(MODE)
    if chosen is not None:
        return chosen
    study, opened = session.study, session.opened
    searched = study is not None and study.search is not None
    under_way = session.table is not None and any(job.task is SEARCH for job in jobs.under_way(session.table))
    stopped = opened is not None and opened.stopped is not None
    return Mode.SEARCH if searched or under_way or stopped else Mode.QUICK


def show(session: Session) -> Mode:
    """Show the switch with one sentence on the choice, and return it."""
    mode = current(session)
    widgets.choose(
        session,
        MODE,
        "How to find the settings",
        key="fit.mode",
        words=lambda option: MODES[str(option)][0],
        value=mode,
    )
    st.caption(MODES[str(mode)][1])
    return mode
