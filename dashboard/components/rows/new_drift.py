"""Drift of new rows from the held-out ones: a sentence, and the figure behind it."""

from __future__ import annotations

import streamlit as st

from dashboard.components import figure_panel, page, words
from dashboard.services.new_data import drift_note
from proset.explain.familiar.shift import Drift
from proset.plots.new_rows import plot_drift


def show(found: Drift, stem: str, *, said: bool = True) -> None:
    """Show the drift of new rows; without the sentence where the page has it already."""
    page.section("Are the new rows like the held-out ones?")
    if said:
        st.markdown(words.markdown(found.words))
    figure_panel.show(
        plot_drift(found),
        key="new.drift",
        file_name=f"{stem}-drift",
        alt="Share of the new rows at each place among the held-out rows, in familiarity and nearness.",
    )
    st.caption(drift_note(found))
