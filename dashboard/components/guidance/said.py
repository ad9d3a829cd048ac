"""All that was said about the next model: what, about what, who, why, when, and a way to take it back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
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
    opened: OpenTable,
    items: Sequence[GuidanceItem],
    *,
    key: str,
    verdicts: Mapping[GuidanceItem, Callable[[], None] | None] | None = None,
) -> None:
    """List requests, those on columns first, each with a way to take it back.

    Parameters
    ----------
    verdicts : mapping or None
        What follows from verdicts, with what takes the verdict back; None for that of somebody else.
    """
    if not items:
        return
    ordered = sorted(items, key=lambda item: not item.kind.of_column)
    with st.expander(text.LISTED.format(count=len(items)), icon=":material/hearing:", key=f"{key}.said"):
        for number, item in enumerate(ordered[:_MOST_LINES]):
            _line(opened, item, key=f"{key}.back.{number}", verdicts=verdicts or {})
        rest = ordered[_MOST_LINES:]
        if rest and st.toggle(text.MORE.format(count=len(rest)), key=f"{key}.more"):
            for number, item in enumerate(rest, _MOST_LINES):
                _line(opened, item, key=f"{key}.back.{number}", verdicts=verdicts or {})
        if opened.sample is not None:
            st.caption(text.NOT_IN_LINKS)


def _line(
    opened: OpenTable, item: GuidanceItem, *, key: str, verdicts: Mapping[GuidanceItem, Callable[[], None] | None]
) -> None:
    """Show one request."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        said = said_by(item)
        st.markdown(
            f"{words.markdown(item.words)} :gray[{words.markdown(said)}]" if said else words.markdown(item.words)
        )
        back = verdicts[item] if item in verdicts else partial(ask.take_back, opened, item)
        if back is None:
            st.caption(text.FROM_VERDICT, width="content")
        else:
            st.button(text.TAKE_BACK, key=key, icon=":material/undo:", type="tertiary", on_click=back)
