"""The frame around every page: where one is in the work, and messages that wait to be read."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import streamlit as st

from dashboard.client import one_entry_component
from dashboard.components import leaving, model_switch, words
from dashboard.components.jobs import job_panel
from dashboard.components.page import link
from dashboard.components.slices import slice_switch
from dashboard.session import widgets
from dashboard.session.session import Session
from proset.common.words import count_words
from proset.data.samples import SAMPLES
from proset.plots.page_look import LARGER

_MARKS = (
    '<circle cx="13" cy="22" r="9" fill="#0072B2"/><circle cx="27" cy="10" r="6" fill="#E69F00"/>'
    '<circle cx="30" cy="26" r="3.5" fill="#009E73"/>'
)
# Drawn here because an icon by name would be fetched from a font server on the internet.
ICON = f'<svg xmlns="http://www.w3.org/2000/svg" width="36" height="36" viewBox="0 0 36 36">{_MARKS}</svg>'
# Text in a middle blue, readable on light and dark pages.
_LOGO = (
    f'<svg xmlns="http://www.w3.org/2000/svg" width="150" height="36" viewBox="0 0 150 36">{_MARKS}'
    '<text x="44" y="26" font-family="sans-serif" font-size="24" font-weight="600" fill="#4a90c2">proset</text></svg>'
)

# Everything that Streamlit draws is measured by the text; figures grow by themselves.
_LARGER = f"<style>html {{ font-size: {100 * LARGER:.0f}% !important; }}</style>"
_STYLES = Path(__file__).with_name("frame.css")


def look(session: Session) -> None:
    """Make room: what a page is about has to be seen without scrolling; make everything larger for an audience."""
    st.html(_STYLES)
    one_entry_component()
    if session.presenter:
        st.html(_LARGER)


def sidebar(session: Session) -> None:
    """Show the pages."""
    st.logo(_LOGO, size="large")
    with st.sidebar:
        for group, pages in groupby(session.pages, key=lambda page: page.group):
            with st.container(gap="xsmall", key=f"menu.{group}"):
                if group:
                    st.markdown(f":small[:gray[{group.capitalize()}]]")
                for page in pages:
                    link(session, page.name)
        widgets.held(
            st.toggle,
            "Presenter",
            key="frame.presenter",
            value=session.presenter,
            taken=lambda larger: session.present(larger=larger),
            help="Text and figures a quarter larger.",
        )


def work(session: Session) -> None:
    """Show the progress of work under way beside a page that has not shown it."""
    with st.sidebar:
        job_panel.progress(session, key="sidebar")
        leaving.guard(session)


def header(session: Session) -> None:
    """Say in one line which data, which model and which case the pages speak of."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="center", key="frame-line"):
        _data_line(session)
        if session.table is not None:
            _model_line(session)
            slice_switch.show(session)
        if session.case is not None:
            link(session, "case", session.case.label, content=True)


def notices(session: Session) -> None:
    """Show messages that other runs left behind, and results that wait to be opened."""
    for kind, text in session.take_notices():
        if kind == "success":
            words.pass_by(text)
        else:
            words.notice(kind, text)
    job_panel.offers()


def _data_line(session: Session) -> None:
    """Name the table, its size and the target."""
    opened = session.opened
    if opened is None:
        st.markdown(":gray[No data yet]", width="content")
        return
    rows, columns = opened.table.frame.shape
    name = SAMPLES[opened.sample].title if opened.sample else opened.table.name
    size = f"{count_words(rows, 'row')}, {count_words(columns, 'column')}"
    asked = opened.recipe.roles.target
    target = asked if opened.fitted is None else opened.fitted.roles.target
    said = f"**{words.markdown(target)}**" if target else "not chosen yet"
    if target != asked:  # pages speak of the model that is there
        said += f" :gray[(next fit: {words.markdown(asked)})]" if asked else " :gray[(next fit: none)]"
    st.markdown(f"**{words.markdown(name)}** :gray[{size}] · :gray[target] {said}", width="content")


def _model_line(session: Session) -> None:
    """Say whether there is a model and whether it fits the settings; offer the other models of the table."""
    opened = session.opened
    why = None
    if session.fitting:
        status = ":blue-badge[:material/hourglass_top: being fitted]"
    elif opened is None or opened.fitted is None:
        status = ":gray-badge[no model yet]"
    elif opened.stale:
        status, why = ":orange-badge[:material/history: model older than the settings]", f"Since: {opened.changes}."
    else:
        status = ":green-badge[:material/check: model fitted]"
    st.markdown(status, help=why, width="content")
    model_switch.show(session)
