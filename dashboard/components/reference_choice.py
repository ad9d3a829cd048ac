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


def chosen(session: Session, study: Study, usual: str = POINT) -> Reference:
    """Return what is chosen, or the usual one; the reference point where the address names what is not there."""
    return named_or_usual(study, session.get(REFERENCE) or usual)


def named_or_usual(study: Study, text: str) -> Reference:
    """Return the reference of a name; the reference point where there is none of that name."""
    try:
        return _named(study, text)
    except StudyError:
        return _named(study, POINT)


def _named(study: Study, text: str) -> Reference:
    """Return the reference of a name, computed once."""
    return cache.derived(reference, study, text)


def show(session: Session, study: Study, *, key: str, typed: bool = False, usual: str = POINT) -> Reference:
    """Show what can be chosen, and return what is.

    Parameters
    ----------
    session, study
        The session and its model.
    key : str
        Of the widget.
    typed : bool
        Whether any other row can be typed; the page has to show :meth:`Session.take_problem`.
    usual : str
        Name of the reference that holds until one is chosen.
    """
    known, here = cache.derived(references, study), chosen(session, study, usual)
    labels = {option.text: option.label for option in (*known, here)}

    def take(chosen: str | None) -> None:
        said = str(chosen or POINT)
        try:
            session.put(REFERENCE, said if said in labels else f"row-{study.row_of(said)}")
        except StudyError as error:
            session.miss(error)

    widgets.held(
        st.selectbox,
        "Compare with (or type a row number)" if typed else "Compare with",
        list(labels),
        key=key,
        value=here.text,
        taken=take,
        format_func=lambda text: words.bare(labels.get(text, text)),
        accept_new_options=typed,
        width=335,
    )
    return here


def tell(session: Session, study: Study) -> None:
    """Say if an address names what is not there."""
    try:
        _named(study, session.get(REFERENCE) or POINT)
    except StudyError as error:
        words.notice("warning", f"There is no such case to compare with; the reference point is taken. {error}")
