"""The frame around every page: where one is in the work, and messages that wait to be read."""

from __future__ import annotations

import streamlit as st

from dashboard import state
from dashboard.components import job_panel
from dashboard.components.page import link, pass_by, plain, say
from dashboard.texts import TEXTS
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


def sidebar() -> None:
    """Show the pages, the current data, the state of the model, the selected case and the progress of a fit."""
    st.logo(_LOGO, size="large")
    with st.sidebar:
        with st.container(gap="xsmall"):
            for name in TEXTS:
                link(name)
        st.divider()
        _data_lines()
        _model_lines()
        _case_line()


def notices() -> None:
    """Show messages that other runs left behind, and results that wait to be opened."""
    for kind, text in state.take_notices():
        if kind == "success":
            pass_by(text)
        else:
            say(kind, text)
    job_panel.offers()


def _data_lines() -> None:
    """Name the table, its size and the target."""
    table, roles = state.table(), state.roles()
    if table is None:
        st.markdown(":small[:gray[Data]]  \n:gray[nothing opened yet]")
        return
    rows, columns = table.frame.shape
    sample = state.sample_name()
    name = SAMPLES[sample].title if sample else table.name
    target = plain(roles.target) if roles and roles.target else "not chosen yet"
    st.markdown(
        f":small[:gray[Data]]  \n**{plain(name)}**  \n{rows:,} rows · {columns:,} columns  \nTarget: {target}",
    )


def _model_lines() -> None:
    """Say whether there is a model and whether it fits the settings; show a fit under way."""
    study = state.study()
    if study is None:
        status, why = ":gray[not fitted yet]", None
    elif state.study_is_stale():
        status, why = ":orange-badge[:material/history: older than the settings]", state.stale_reason()
    else:
        status, why = ":green-badge[:material/check: fitted]", None
    st.markdown(f":small[:gray[Model]]  \n{status}", help=why)
    job_panel.progress(key="sidebar")


def _case_line() -> None:
    """Name the selected case, with a way to it."""
    row = state.selected_row()
    if row is None:
        st.markdown(":small[:gray[Case]]  \n:gray[none selected]")
    else:
        st.markdown(":small[:gray[Case]]")
        link("case", f"Row {row}")
