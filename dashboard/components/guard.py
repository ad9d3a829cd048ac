"""What a page shows while something it needs is missing: what is missing, and a link to where it is done."""

from __future__ import annotations

import streamlit as st

from dashboard.components import job_panel
from dashboard.components.page import find, link
from dashboard.services.page import Needs, Page
from dashboard.session.session import Session


def allows(session: Session, page: Page) -> bool:
    """Tell whether a page can be drawn; if not, show what is missing, or how far the fit is.

    A model that is older than the settings will do, below a line that says what has changed.
    """
    if page.needs is Needs.NOTHING:
        return True
    if session.table is None:
        _nothing_yet(
            session,
            "There is no data yet.",
            "Pick a data set or open a file of your own first. A reload closes a file; a saved study brings its own.",
            "data",
        )
        return False
    if page.needs is Needs.TABLE or session.study is not None:
        if page.needs is Needs.STUDY:
            _stale_line(session)
        return True
    if session.working:
        st.info("The model is being fitted. This page opens as soon as it is done.", icon=":material/hourglass_top:")
        job_panel.progress(session, key="guard")
    else:
        _nothing_yet(session, "There is no model yet.", "The data is ready; fit a model to it first.", "fit")
    return False


def _nothing_yet(session: Session, title: str, what_to_do: str, page: str) -> None:
    """Show a calm notice with a link to `page`."""
    with st.container(border=True):
        st.markdown(f"**{title}** {what_to_do}")
        link(session, page, f"Go to {find(session, page).text.menu}")


def _stale_line(session: Session) -> None:
    """Say that the model is older than the settings, and where to renew it."""
    opened = session.opened
    if opened is None or not opened.stale:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.warning(f"This shows the last fit. Changed since: {opened.changes}.", icon=":material/history:")
        link(session, "fit", "Fit again")
