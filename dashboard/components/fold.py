"""Parts of a page that are drawn only while they are open; which are open stands in the address."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboard.services.case.folds import Folds
from dashboard.session import widgets
from dashboard.session.session import Session


def part(session: Session, folds: Folds, name: str, label: str, *, icon: str | None = None) -> DeltaGenerator | None:
    """Show a folded part of the page; return where to draw its content, or None while it is closed."""
    key = f"fold.{folds.name}.{name}"
    opened = name in session.get(folds)
    widgets.shows(key, opened)

    def turn() -> None:
        session.put(folds, folds.with_part(session.get(folds), name, opened=bool(widgets.says(key))))

    box = st.expander(label, expanded=opened, key=key, icon=icon, on_change=turn)
    return box if opened else None
