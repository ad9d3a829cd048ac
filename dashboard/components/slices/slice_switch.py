"""The choice of a slice in the frame; pages that can follow it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import words
from dashboard.components.slices import slice_editor
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import slices as text
from proset.common.words import shown

if TYPE_CHECKING:
    from dashboard.session.opened import OpenTable
    from proset.explain.slices.slice import Slice
    from proset.study.any_study import AnyStudy

_KEY = "slices.current"
_LONGEST = 24


def show(session: Session) -> None:
    """Show which rows pages speak of, and the way to others; nothing without a model."""
    opened, study = session.opened, session.fitted
    if opened is None or study is None:
        return
    within = session.within  # forgets a slice that cannot be followed
    name = text.ALL if within is None else shown(within.title, _LONGEST)
    with st.popover(words.label(text.ROWS.format(name=name)), type="tertiary", key=f"{_KEY}.menu"):
        _choice(session, opened, study)
    aside = text.NOT_FOLLOWING_NUMBER if session.of_number else text.NOT_FOLLOWING
    if within is not None and session.page is not None and session.page.name in aside:
        st.markdown(f":orange-badge[{text.NOT_FOLLOWED}]", width="content")


def _choice(session: Session, opened: OpenTable, study: AnyStudy) -> None:
    """Show the slices, and the ways to a new one and to have one less."""
    current = session.slice
    kept = [*opened.slices, *([current] if current is not None and current not in opened.slices else [])]
    place = 0 if current is None else kept.index(current) + 1

    def taken(place: int) -> None:
        session.follow(kept[place - 1] if place else None)

    names = [text.ALL, *(words.bare(each.title) for each in kept)]
    widgets.pick_place(text.CHOICE, names, place, key=_KEY, taken=taken)
    if current is not None:
        st.caption(words.caption(f"{current.words}: {len(session.within.rows) if session.within else 0:,} rows."))
    st.caption(text.FOLLOWED)
    if current is not None:
        st.button(
            text.DROP,
            key="slices.drop",
            icon=":material/delete:",
            type="tertiary",
            on_click=_drop,
            args=(session, opened, current),
        )
    if st.toggle(text.NEW, key=slice_editor.OPEN):
        slice_editor.show(session, study)


def _drop(session: Session, opened: OpenTable, current: Slice) -> None:
    """Remove a slice and show all rows."""
    session.follow(None)
    opened.drop_slice(current)
