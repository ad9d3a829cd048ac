"""How a chart or list in which one picks a case keeps zoom, scroll and sorting, and still follows the selected case.

Streamlit cannot change what is picked in such a widget; it can only draw a new one, and a new one forgets zoom and
scroll. So a widget stays the same as long as picks are made in it, and is replaced when the case is selected anywhere
else.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from dashboard import state


@dataclass(frozen=True)
class _Anchor:
    """What is known about one widget: how often it was replaced, the case it was drawn with, the case it shows now."""

    version: int = 0
    start: int | None = None
    shown: int | None = None


def place(name: str) -> tuple[str, int | None]:
    """Return the key under which to draw the widget `name` now, and the row id to draw as picked."""
    anchor: _Anchor = state.kept(name, _Anchor())
    now = state.selected_row()
    if anchor.shown != now:
        anchor = _Anchor(version=anchor.version + 1, start=now, shown=now)
    elif _key(name, anchor) not in st.session_state:
        anchor = replace(anchor, start=now)
    state.keep(name, anchor)
    return _key(name, anchor), anchor.start


def pick(name: str, row: int | None) -> None:
    """Take over what was picked in the widget `name`: a row id, or None if the pick was undone."""
    state.keep(name, replace(state.kept(name, _Anchor()), shown=row))
    state.select_row(row)


def renew(name: str) -> None:
    """Draw the widget `name` anew with the selected case, because it no longer shows it."""
    state.keep(name, replace(state.kept(name, _Anchor()), shown=None))


def _key(name: str, anchor: _Anchor) -> str:
    """Return the widget's key."""
    return f"{name}.{anchor.version}"
