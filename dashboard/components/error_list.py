"""The misclassified cases as a list in which one can be picked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from dashboard import cache, state
from dashboard.components import anchor
from dashboard.services.map import PART_WORDS, Part, misclassified

if TYPE_CHECKING:
    import pandas as pd

    from proset.study import Study

_ROW_HEIGHT = 35
_LINES_SHOWN = 8


def errors(study: Study, part: Part) -> pd.DataFrame:
    """Return the misclassified cases of a part, most confident error first; computed once per study."""
    return cache.derived(study, "misclassified", lambda: misclassified(study, part), part)


def show(study: Study, part: Part, *, key: str) -> None:
    """Show the list; picking a line selects the case on every page."""
    frame = errors(study, part)
    st.markdown("**Misclassified cases**")
    if frame.empty:
        st.caption(f"None among the {PART_WORDS[part]}.")
        return
    st.caption("Most confident error first. Tick a line to select the case; click a heading to sort.")
    name = f"{key}.errors.{part.value}"
    widget, row = anchor.place(name, state.selected_row())

    def picked() -> None:
        lines = st.session_state[widget]["selection"]["rows"]
        row = int(frame.index[lines[0]]) if lines else None
        anchor.shows(name, row)
        state.select_row(row)

    default: Any = {"selection": {"rows": [frame.index.get_loc(row)]}} if row in frame.index else None
    percent = {column: 100 * frame[column] for column in ("confidence", "familiarity")}
    st.dataframe(
        frame.assign(**percent),
        key=widget,
        on_select=picked,
        selection_mode="single-row",
        selection_default=default,
        height=_ROW_HEIGHT * (1 + min(len(frame), _LINES_SHOWN)) + 3,
        column_config=_columns(),
    )


def _columns() -> dict[str, Any]:
    """Return how the columns of the list look."""
    config = st.column_config
    return {
        "row": config.NumberColumn("Row", format="%d"),
        "actual": "Actual",
        "predicted": "Estimate",
        "confidence": config.NumberColumn("Confidence", format="%.0f %%", help="Probability of the estimated class."),
        "familiarity": config.NumberColumn(
            "Familiarity", format="%.0f %%", help="Share of held-out rows that are at most as familiar as this case."
        ),
        "in words": None,
        "part": None,
    }
