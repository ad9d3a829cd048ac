"""Keys of charts and lists to pick in, which keep zoom, scroll and sorting and still follow what is picked.

Streamlit cannot change what is picked in such a widget; it can only draw a new one, and a new one forgets zoom and
scroll. So a widget stays the same as long as picks are made in it, and is replaced when something else is picked
anywhere else.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from dashboard.services.params import Param
from dashboard.session import widgets
from dashboard.session.session import Session


@dataclass(frozen=True)
class _Anchor:
    """State of one widget: how often it was replaced, what it was drawn with, what it shows now."""

    version: int = 0
    start: int | None = None
    shown: int | None = None


def place(session: Session, name: str, now: int | None) -> tuple[str, int | None]:
    """Return the key under which to draw the widget `name`, and what to draw as picked, if `now` is what is picked."""
    anchor = session.get(_param(name))
    if anchor.shown != now:
        anchor = _Anchor(version=anchor.version + 1, start=now, shown=now)
    elif not widgets.is_drawn(_key(name, anchor)):
        anchor = replace(anchor, start=now)
    session.put(_param(name), anchor)
    return _key(name, anchor), anchor.start


def shows(session: Session, name: str, picked: int | None) -> None:
    """Note what the widget `name` shows as picked since it was used: a row id or label, or None for nothing."""
    session.put(_param(name), replace(session.get(_param(name)), shown=picked))


def renew(session: Session, name: str) -> None:
    """Draw the widget `name` anew in any case."""
    known = session.get(_param(name))
    session.put(_param(name), replace(known, version=known.version + 1))


def _param(name: str) -> Param[_Anchor]:
    """Return what the anchor of a widget is kept as."""
    return Param(f"anchor.{name}", _Anchor())


def _key(name: str, anchor: _Anchor) -> str:
    """Return the widget's key."""
    return f"{name}.{anchor.version}"
