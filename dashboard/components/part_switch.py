"""The choice of rows that the Map and the Case page speak of; one choice for both, kept over a page change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import state
from dashboard.services.map import PART_WORDS, Part

if TYPE_CHECKING:
    from proset.study import Study

_KEPT = "map.part"
_LABELS = {part: words.capitalize() for part, words in PART_WORDS.items()}


def current(study: Study) -> Part:
    """Return the rows that are looked at: held-out ones unless chosen otherwise, all if none were held out."""
    kept = state.kept(_KEPT)
    if kept in list(Part):
        return Part(kept)
    return Part.HELD_OUT if len(study.split.held_out) else Part.ALL


def show(study: Study, *, key: str) -> Part:
    """Show the switch and return the choice."""
    widget = f"{key}.part"
    st.segmented_control(
        "Which rows",
        list(Part),
        format_func=_LABELS.__getitem__,
        default=current(study),
        required=True,
        key=widget,
        on_change=state.keep_widget(_KEPT, widget),
    )
    return current(study)
