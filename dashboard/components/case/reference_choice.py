"""The choice of what cases are compared with; the same one on every page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import words
from dashboard.services.references import POINT, REFERENCE, Reference, reference, references
from dashboard.session import widgets
from dashboard.session.session import Session
from proset.common.errors import StudyError

if TYPE_CHECKING:
    from proset.study import Study


def chosen(session: Session, study: Study) -> Reference:
    """Return what is chosen; the reference point where the address names something that is not there."""
    return named_or_usual(study, session.get(REFERENCE))


def named_or_usual(study: Study, text: str) -> Reference:
    """Return the reference of a name; the reference point where there is none of that name."""
    try:
        return _named(study, text)
    except StudyError:
        return _named(study, POINT)


def _named(study: Study, text: str) -> Reference:
    """Return the reference of a name, computed once."""
    return cache.derived(reference, study, text)


def show(session: Session, study: Study, *, key: str) -> Reference:
    """Show what can be chosen, and return what is; what an address names and the model lacks is said and left."""
    try:
        here = _named(study, session.get(REFERENCE))
    except StudyError as error:
        words.notice("warning", str(error))
        here = _named(study, POINT)
    known = cache.derived(references, study)
    labels = {option.text: option.label for option in (*known, here)}
    widgets.shows(key, here.text)
    st.selectbox(
        "Compare with",
        list(labels),
        format_func=lambda text: words.bare(labels[text]),
        key=key,
        on_change=lambda: session.put(REFERENCE, widgets.says(key)),
        width=340,
    )
    return here
