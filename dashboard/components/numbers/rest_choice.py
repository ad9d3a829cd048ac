"""Whose values the columns have that do not vary: those of a typical row, or of the selected case."""

from __future__ import annotations

import streamlit as st

from dashboard.services.numbers.features import REST, Rest
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import number_features as text

_WIDTH = 220


def show(session: Session, *, key: str) -> bool:
    """Show the choice where a case is selected; return whether the typical row was chosen."""
    if session.case is None:
        return True
    with st.container(width=_WIDTH):
        chosen = widgets.pick(
            session, REST, REST.options, "Rest", key=key, words=text.REST.__getitem__, in_line=True,
            help=text.REST_HELP,
        )  # fmt: skip
    return chosen == Rest.TYPICAL
