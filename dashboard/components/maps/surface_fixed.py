"""The values at which a surface fixes the other features."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import tables, words
from dashboard.services.maps.surface import unused_words
from dashboard.texts import surface as text

if TYPE_CHECKING:
    from proset.explain.maps.surfaces import Surface
    from proset.study import Study

_MOST_ROWS = 12


def show(study: Study, found: Surface, *, on_map: bool) -> None:
    """List what the other features are fixed at."""
    if on_map:
        st.caption(text.MAP_FIXED)
    elif unused := unused_words(study, found):
        st.caption(words.caption(unused))
    if found.fixed.empty:
        if not on_map and study.used_columns:
            st.caption("The model uses no other features: this is all of it.")
        return
    st.caption("Fixed: all other features that the model uses")
    frame = found.fixed.rename("Value").rename_axis("Feature").to_frame()
    st.dataframe(
        frame,
        key="surface.fixed",
        height=tables.height(len(frame), _MOST_ROWS),
        alt="The features that do not vary, and what they are fixed at.",
    )
