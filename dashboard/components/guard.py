"""What a page shows while something it needs is missing: what is missing, and a link to where it is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import state
from dashboard.components import job_panel
from dashboard.components.page import link
from dashboard.texts import TEXTS

if TYPE_CHECKING:
    from proset.data.table import Table
    from proset.study import Study


def need_table() -> Table | None:
    """Return the current table; without one, say so with a link to the Data page and return None."""
    current = state.table()
    if current is None:
        _nothing_yet("There is no data yet.", "Pick a data set or open a file of your own first.", "data")
    return current


def need_study() -> Study | None:
    """Return the fitted study; without one, show what is missing (or the fit's progress) and return None.

    A study that is stale is returned, below a line that says which later change it does not know about.
    """
    fitted = state.study()
    if fitted is not None:
        if state.study_is_stale():
            _stale_line()
        return fitted
    if need_table() is None:
        return None
    if state.job() is not None:
        st.info("The model is being fitted. This page opens as soon as it is done.", icon=":material/hourglass_top:")
        job_panel.progress(key="guard")
    else:
        _nothing_yet("There is no model yet.", "The data is ready; fit a model to it first.", "fit")
    return None


def _nothing_yet(title: str, what_to_do: str, page: str) -> None:
    """Show a calm notice with a link to `page`."""
    with st.container(border=True):
        st.markdown(f"**{title}** {what_to_do}")
        link(page, f"Go to {TEXTS[page].menu}")


def _stale_line() -> None:
    """Say that the model is older than the settings, and where to renew it."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.warning(
            f"This shows the last fit: {state.stale_reason()}.",
            icon=":material/history:",
        )
        link("fit", "Fit again")
