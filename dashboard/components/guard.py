"""A page that lacks something it needs: says what is missing, and has the button that makes it."""

from __future__ import annotations

import streamlit as st

from dashboard.components import words
from dashboard.components.data import finding_actions, rare_classes, source
from dashboard.components.jobs import job_panel
from dashboard.components.page import find, link, room
from dashboard.services.fit.modes import Mode
from dashboard.services.page import Needs, Page
from dashboard.session import kept
from dashboard.session.opened import OpenTable
from dashboard.session.session import Session
from dashboard.texts import kept as kept_text
from proset.data.samples import SAMPLES

_EXAMPLES = ("cancer", "digits", "penguins")


def allows(session: Session, page: Page) -> bool:
    """Tell whether a page can be drawn; if not, show what is missing, or how far the fit is.

    A model that is older than the settings will do, below a line that says what has changed.
    """
    if page.needs is Needs.NOTHING:
        return True
    opened = session.opened
    if opened is None:
        _examples(session, page)
        return False
    if page.needs is Needs.TABLE or session.fitted is not None:
        if page.needs is Needs.STUDY:
            with room():
                _stale_line(session)
        return True
    if session.fitting:
        st.info("The model is being fitted. This page opens as soon as it is done.", icon=":material/hourglass_top:")
        job_panel.progress(session, key="guard")
    else:
        _fit_here(session, opened)
    return False


def _examples(session: Session, page: Page) -> None:
    """Say that there is no data, and open an example for this page with one click."""
    fit_too = page.needs is Needs.STUDY
    with st.container(border=True):
        st.markdown(
            "**There is no data yet.** Open an example here, or a file of your own on the Data page. "
            + (kept_text.START if kept.place(session) is not None else kept_text.RELOAD)
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            for name in _EXAMPLES:
                st.button(
                    words.label(SAMPLES[name].title),
                    key=f"guard.sample.{name}",
                    type="primary" if name == _EXAMPLES[0] else "secondary",
                    on_click=open_example,
                    args=(session, name, fit_too),
                )
            link(session, "data", f"Go to {find(session, 'data').text.menu}", content=True)
        if fit_too:
            st.caption("An example is opened and fitted in one go.")


def open_example(session: Session, name: str, fit_too: bool = True) -> None:
    """Open an example, if asked with its model: the stored one, or one that is fitted now."""
    source.open_sample(session, name)
    if fit_too:
        job_panel.start(session, Mode.QUICK)


def _fit_here(session: Session, opened: OpenTable) -> None:
    """Say that there is no model, and fit one with one click without leaving the page."""
    problem = finding_actions.why_not_fitted(opened)
    with st.container(border=True):
        if problem:
            st.markdown("**There is no model yet**, and the data is not ready for one.")
            words.notice("warning", problem)
            rare_classes.ways_out(session, opened)
            link(session, "data", f"Go to {find(session, 'data').text.menu}", content=True)
            return
        st.markdown(
            "**There is no model yet.** A quick fit finds its settings by itself; this page opens when it is done."
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "Fit now",
                key="guard.fit",
                type="primary",
                icon=":material/play_arrow:",
                on_click=job_panel.start,
                args=(session, Mode.QUICK),
            )
            link(session, "fit", "Choose settings first", content=True)


def _stale_line(session: Session) -> None:
    """Say that the model is older than the settings, and where to renew it."""
    opened = session.opened
    if opened is None or not opened.stale:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.warning(f"This shows the last fit. Changed since: {opened.changes}.", icon=":material/history:")
        link(session, "fit", "Fit again")
