"""How a chart or list in which one picks something keeps zoom, scroll and sorting, and still follows what is picked.

Streamlit cannot change what is picked in such a widget; it can only draw a new one, and a new one forgets zoom and
scroll. So a widget stays the same as long as picks are made in it, and is replaced when something else is picked
anywhere else.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import streamlit as st

from dashboard import state


@dataclass(frozen=True)
class _Anchor:
    """What is known about one widget: how often it was replaced, what it was drawn with, what it shows now."""

    version: int = 0
    start: int | None = None
    shown: int | None = None


def place(name: str, now: int | None) -> tuple[str, int | None]:
    """Return the key under which to draw the widget `name`, and what to draw as picked, if `now` is what is picked."""
    anchor: _Anchor = state.kept(name, _Anchor())
    if anchor.shown != now:
        anchor = _Anchor(version=anchor.version + 1, start=now, shown=now)
    elif _key(name, anchor) not in st.session_state:
        anchor = replace(anchor, start=now)
    state.keep(name, anchor)
    return _key(name, anchor), anchor.start


def shows(name: str, picked: int | None) -> None:
    """Note what the widget `name` shows as picked since it was used: a row id or label, or None for nothing."""
    state.keep(name, replace(state.kept(name, _Anchor()), shown=picked))


def _key(name: str, anchor: _Anchor) -> str:
    """Return the widget's key."""
    return f"{name}.{anchor.version}"
