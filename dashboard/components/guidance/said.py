"""All that was said about the next model: what, about what, who, why, when, and a way to take it back."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import words
from dashboard.components.guidance import ask
from dashboard.services.guidance import said_by
from dashboard.texts import guidance as text

if TYPE_CHECKING:
    from dashboard.session.opened import OpenTable
    from proset.study.guidance import GuidanceItem

_MOST_LINES = 6


def show(
    opened: OpenTable, items: Sequence[GuidanceItem], *, key: str, verdicts: Collection[GuidanceItem] = ()
) -> None:
    """List requests, those on columns first; what follows from `verdicts` is taken back in the queue, the rest here."""
    if not items:
        return
    ordered = sorted(items, key=lambda item: not item.kind.of_column)
    with st.expander(text.LISTED.format(count=len(items)), icon=":material/hearing:", key=f"{key}.said"):
        for number, item in enumerate(ordered[:_MOST_LINES]):
            _line(opened, item, key=f"{key}.back.{number}", of_verdict=item in verdicts)
        rest = ordered[_MOST_LINES:]
        if rest and st.toggle(text.MORE.format(count=len(rest)), key=f"{key}.more"):
            for number, item in enumerate(rest, _MOST_LINES):
                _line(opened, item, key=f"{key}.back.{number}", of_verdict=item in verdicts)
        if opened.sample is not None:
            st.caption(text.NOT_IN_LINKS)


def _line(opened: OpenTable, item: GuidanceItem, *, key: str, of_verdict: bool) -> None:
    """Show one request."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        said = said_by(item)
        st.markdown(
            f"{words.markdown(item.words)} :gray[{words.markdown(said)}]" if said else words.markdown(item.words)
        )
        if of_verdict:
            st.caption(text.FROM_VERDICT, width="content")
        else:
            back = text.TAKE_BACK
            icon = ":material/undo:"
            st.button(back, key=key, icon=icon, type="tertiary", on_click=ask.take_back, args=(opened, item))
