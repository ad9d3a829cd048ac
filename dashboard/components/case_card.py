"""The selected case in a few lines, with the way to its report."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import state
from dashboard.components.page import link, plain
from dashboard.services.case import Headline, headline
from proset.common.words import percent

if TYPE_CHECKING:
    from proset.study import Study

_SIGNS = {
    True: ":green-badge[:material/check: right]",
    False: ":red-badge[:material/close: misclassified]",
    None: ":gray-badge[no actual class]",
}


def show(study: Study) -> None:
    """Show the selected case, or say how to select one."""
    row = state.selected_row()
    with st.container(border=True):
        if row is None:
            st.markdown("**No case selected.** Click a mark on the map, or tick a line below.")
            return
        lines = headline(study, row)
        st.markdown(f"**{plain(lines.name)}** · {lines.part}")
        st.markdown(verdict(lines))
        st.markdown(f"This case is {plain(lines.familiarity)}.")
        link("case", "Open the report")


def verdict(lines: Headline) -> str:
    """Return estimate, actual class and whether they agree, in Markdown; with a sign, so that colour is not needed."""
    said = f"Estimate **{plain(lines.predicted)}** ({percent(lines.confidence)})"
    actual = f", actual **{plain(lines.actual)}**" if lines.actual is not None else ""
    return f"{said}{actual} {_SIGNS[lines.correct]}"
