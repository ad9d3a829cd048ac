"""A line on the Fit page: the next fit listens to what people said, and to what."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import words
from dashboard.components.guidance import said
from dashboard.texts import review as text
from proset.study.guidance import Guidance

if TYPE_CHECKING:
    from dashboard.session.opened import OpenTable


def show(opened: OpenTable) -> None:
    """Say what the next fit listens to, and offer to leave it; nothing where nobody has said anything."""
    if not len(opened.recipe.guidance):
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        what = opened.recipe.guidance.words(opened.recipe.roles.stated)
        st.markdown(words.markdown(text.NEXT_FIT.format(what=what)), width="content")
        st.button(
            text.WITHOUT,
            key="fit.guidance",
            icon=":material/hearing_disabled:",
            type="tertiary",
            on_click=lambda: opened.edit(guidance=Guidance()),
        )
    said.show(opened, opened.recipe.guidance.items, key="fit")
