"""The frame around every page: where one is in the work, and messages that wait to be read."""

from __future__ import annotations

import streamlit as st

from dashboard import state
from dashboard.components import job_panel
from dashboard.components.page import plain, say
from dashboard.texts import TEXTS
from proset.data.samples import SAMPLES

# Text in a middle blue and marks in the class colours: readable on light and dark pages.
_LOGO = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="150" height="36" viewBox="0 0 150 36">'
    '<circle cx="13" cy="22" r="9" fill="#0072B2"/><circle cx="27" cy="10" r="6" fill="#E69F00"/>'
    '<circle cx="30" cy="26" r="3.5" fill="#009E73"/>'
    '<text x="44" y="26" font-family="sans-serif" font-size="24" font-weight="600" fill="#4a90c2">proset</text></svg>'
)


def sidebar() -> None:
    """Show the current data, the state of the model, the selected case and the progress of a fit."""
    st.logo(_LOGO, size="large")
    with st.sidebar:
        _data_lines()
        _model_lines()
        _case_line()


def notices() -> None:
    """Show messages that other runs left behind."""
    for kind, text in state.take_notices():
        say(kind, text)


def _data_lines() -> None:
    """Name the table, its size and the target."""
    table, roles = state.table(), state.roles()
    st.caption("Data")
    if table is None:
        st.markdown(":gray[nothing opened yet]")
        return
    rows, columns = table.frame.shape
    sample = state.sample_name()
    name = SAMPLES[sample].title if sample else table.name
    st.markdown(f"**{plain(name)}**  \n{rows:,} rows · {columns:,} columns")
    target = plain(roles.target) if roles and roles.target else "not chosen yet"
    st.markdown(f"Target: {target}")


def _model_lines() -> None:
    """Say whether there is a model and whether it fits the settings; show a fit under way."""
    study = state.study()
    st.caption("Model")
    if study is None:
        st.markdown(":gray[not fitted yet]")
    elif state.study_is_stale():
        st.badge("older than the settings", icon=":material/history:", color="orange", help=state.stale_reason())
    else:
        st.badge("fitted", icon=":material/check:", color="green")
    job_panel.progress(key="sidebar")


def _case_line() -> None:
    """Name the selected case, with a way to it."""
    row = state.selected_row()
    st.caption("Case")
    if row is None:
        st.markdown(":gray[none selected]")
    else:
        st.page_link("views/case.py", label=f"Row {row}", icon=TEXTS["case"].icon)
