"""A case at a glance: the estimate, how sure, how familiar, and what decides."""

from __future__ import annotations

import streamlit as st

from dashboard.components import words
from dashboard.services.case.banner import Fact

_WIDTH = 178


def show(facts: tuple[Fact, ...]) -> None:
    """Show the facts side by side, below one another where the window is narrow."""
    with st.container(horizontal=True, gap="small", key="case-banner", border=True):
        for fact in facts:
            with st.container(width=_WIDTH, gap="xxsmall"):
                st.markdown(f":small[:gray[{fact.name}]]  \n**{words.markdown(fact.value)}** {_badge(fact)}")
                if fact.note:
                    st.caption(words.caption(fact.note))


def _badge(fact: Fact) -> str:
    """Return the mark beside a value; it has a word, so that colour is not needed."""
    return f":{fact.colour}-badge[{fact.mark}]" if fact.mark else ""
