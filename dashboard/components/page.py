"""The common top and bottom of a page."""

from __future__ import annotations

import streamlit as st

from dashboard.texts import TEXTS


def head(name: str) -> None:
    """Show the title of page `name` and the one sentence that says what it answers."""
    st.title(TEXTS[name].title)
    st.markdown(f":gray[{TEXTS[name].lead}]")


def how_to_read(name: str) -> None:
    """Show the folded explanation of page `name`."""
    with st.expander("How to read this", icon=":material/help:"):
        st.markdown(TEXTS[name].how_to_read)
