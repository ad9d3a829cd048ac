"""Choice of the colours of a surface: the probability of a class, the most probable one, or familiarity."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import words
from dashboard.services.maps.looks import class_number
from dashboard.services.maps.surface import FACE, Face
from dashboard.services.quality.quality import CLASS
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import surface as text

if TYPE_CHECKING:
    from proset.study import Study

_WIDTH = 190
Option = tuple[Face, int]


def show(session: Session, study: Study, *, familiarity: bool = True) -> tuple[Face, int]:
    """Show the choice; return it with the position of the class, from 0. `familiarity` is not had by every system."""
    face, class_at = chosen(session, study, familiarity=familiarity)
    # The last class comes first: of two, it mostly is the one that matters.
    places = sorted(range(len(study.classes)), key=lambda k: (k + 1) % len(study.classes))
    options: list[Option] = [*((Face.PROBABILITY, k) for k in places), (Face.CLASS, 0)]
    if familiarity:
        options.append((Face.FAMILIARITY, 0))
    with st.container(width=session.wide(_WIDTH)):
        widgets.held(
            st.selectbox,
            "Show",
            options,
            key="surface.face",
            value=(face, class_at if face is Face.PROBABILITY else 0),
            taken=partial(_take, session),
            format_func=partial(_name, study.classes),
            label_visibility="collapsed",
        )
    return face, class_at


def chosen(session: Session, study: Study, *, familiarity: bool = True) -> tuple[Face, int]:
    """Return the choice with the position of the class, from 0."""
    return _face(session, study, familiarity=familiarity), class_number(study, session.get(CLASS))


def _face(session: Session, study: Study, *, familiarity: bool) -> Face:
    """Return what is shown; unless it was chosen, of more than two classes the most probable one.

    The probability of one of many says nothing wherever another one is at home.
    """
    usual = Face.PROBABILITY if len(study.classes) == 2 or session.chosen(CLASS) is not None else Face.CLASS
    asked = session.chosen(FACE)
    return usual if asked is None or (asked is Face.FAMILIARITY and not familiarity) else asked


def _name(classes: tuple[str, ...], option: Option) -> str:
    """Return what an option is called."""
    return text.FACES[option[0]].format(words.bare(classes[option[1]]))


def _take(session: Session, said: Option) -> None:
    """Keep a choice."""
    face, class_at = said
    session.put(FACE, face)
    if face is Face.PROBABILITY:
        session.put(CLASS, class_at + 1)
