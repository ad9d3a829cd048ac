"""The choice between a quick fit, a search, and one fit with stated settings."""

from __future__ import annotations

import streamlit as st

from dashboard.services.fit.modes import Mode, mode_of, states_what_quick_finds
from dashboard.services.params import EnumParam
from dashboard.session import jobs, widgets
from dashboard.session.session import Session
from dashboard.texts.settings import MODES, NUMBER_SEARCH
from dashboard.work.tasks import SEARCH

MODE = EnumParam("mode", Mode.QUICK)


def current(session: Session) -> Mode:
    """Return what was chosen; else what suits the search under way or stopped, the model, or what was stated."""
    chosen, opened = session.chosen(MODE), session.opened
    if chosen is not None or opened is None:
        return chosen or Mode.QUICK
    if opened.stopped is not None or any(job.task is SEARCH for job in jobs.under_way(opened)):
        return Mode.SEARCH
    if opened.fitted is not None:
        return mode_of(opened.fitted)
    stated = states_what_quick_finds(opened.recipe.settings, opened.usual_settings)
    return Mode.OWN if stated else Mode.QUICK


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
    of_number = session.recipe is not None and session.recipe.roles.number
    st.caption(NUMBER_SEARCH if of_number and mode is Mode.SEARCH else MODES[str(mode)][1])
    return mode
