"""The frame around every page: where one is in the work, and messages that wait to be read."""

from __future__ import annotations

from itertools import groupby

import streamlit as st

from dashboard.components import job_panel, model_switch, words
from dashboard.components.page import link
from dashboard.session.session import Session
from proset.common.words import count_words
from proset.data.samples import SAMPLES

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


def sidebar(session: Session) -> None:
    """Show the pages, the current data, the state of the model, the selected case and the progress of a fit."""
    st.logo(_LOGO, size="large")
    with st.sidebar:
        for group, pages in groupby(session.pages, key=lambda page: page.group):
            with st.container(gap="xsmall", key=f"menu.{group}"):
                for page in pages:
                    link(session, page.name)
        st.divider()
        _data_lines(session)
        _model_lines(session)
        _case_line(session)


def notices(session: Session) -> None:
    """Show messages that other runs left behind, and results that wait to be opened."""
    for kind, text in session.take_notices():
        if kind == "success":
            words.pass_by(text)
        else:
            words.notice(kind, text)
    job_panel.offers()


def _data_lines(session: Session) -> None:
    """Name the table, its size and the target."""
    opened = session.opened
    if opened is None:
        st.markdown(":small[:gray[Data]]  \n:gray[nothing opened yet]")
        return
    rows, columns = opened.table.frame.shape
    name = SAMPLES[opened.sample].title if opened.sample else opened.table.name
    size = f"{count_words(rows, 'row')} · {count_words(columns, 'column')}"
    target = opened.recipe.roles.target
    said = words.markdown(target) if target else "not chosen yet"
    st.markdown(
        f":small[:gray[Data]]  \n**{words.markdown(name)}**  \n{size}  \nTarget: {said}",
    )


def _model_lines(session: Session) -> None:
    """Say whether there is a model and whether it fits the settings; show a fit under way."""
    opened = session.opened
    if opened is None or opened.study is None:
        status, why = ":gray[not fitted yet]", None
    elif opened.stale:
        status, why = ":orange-badge[:material/history: older than the settings]", f"Changed since: {opened.changes}."
    else:
        status, why = ":green-badge[:material/check: fitted]", None
    st.markdown(f":small[:gray[Model]]  \n{status}", help=why)
    model_switch.show(session)
    job_panel.progress(session, key="sidebar")


def _case_line(session: Session) -> None:
    """Name the selected case, with a way to it."""
    if session.case is None:
        st.markdown(":small[:gray[Case]]  \n:gray[none selected]")
    else:
        st.markdown(":small[:gray[Case]]")
        link(session, "case", session.case.label)
