"""The choice of two features as axes."""

from __future__ import annotations

from functools import partial

import streamlit as st

from dashboard.components import words
from dashboard.services.maps.surface import X, Y, two_features
from dashboard.services.params import Number
from dashboard.session import widgets
from dashboard.session.session import Session

_WIDTH = 190


def show(session: Session, names: tuple[str, ...], order: list[int]) -> tuple[str, str]:
    """Show the choice among features by their positions from 1, the heaviest first; return two different names."""
    both = two_features(order, session.get(X), session.get(Y))
    _pick(session, names, X, order, both, label="Sideways", arrow="→")
    _pick(session, names, Y, order, both, label="Upwards", arrow="↑")
    return names[both[0] - 1], names[both[1] - 1]


def _pick(
    session: Session,
    names: tuple[str, ...],
    param: Number,
    order: list[int],
    both: tuple[int, int],
    *,
    label: str,
    arrow: str,
) -> None:
    """Show the choice of one axis."""
    other = both[param is X]
    with st.container(width=session.wide(_WIDTH)):
        widgets.held(
            st.selectbox,
            label,
            [i for i in order if i != other],
            key=f"surface.{param.name}",
            value=both[param is Y],
            taken=partial(_take, session, param, both),
            format_func=partial(_name, names, arrow),
            label_visibility="collapsed",
        )


def _name(names: tuple[str, ...], arrow: str, position: int) -> str:
    """Return what a feature is called in the list."""
    return f"{arrow} {words.bare(names[position - 1])}"


def _take(session: Session, param: Number, before: tuple[int, int], said: int) -> None:
    """Keep a chosen axis, and the other one as it was: it may have been the heaviest that was free."""
    session.put(X, before[0])
    session.put(Y, before[1])
    session.put(param, said)
