"""Parts of the table with more errors than elsewhere, as sentences; each can be looked at or kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import page, words
from dashboard.components.review import unseen
from dashboard.components.slices import slice_editor
from dashboard.services.cases import CaseRef, CaseSet, Picker
from dashboard.session.session import Session
from dashboard.texts import slices as text
from proset.explain.slices.find import find_error_slices

if TYPE_CHECKING:
    from proset.explain.slices.find import ErrorSlice, ErrorSlices
    from proset.study import NumberStudy, Study
    from proset.study.any_study import AnyStudy
    from proset.study.decision import DecisionRule
    from proset.study.number_unseen import AnyUnseen


def show(session: Session, study: Study) -> ErrorSlices:
    """Show what the search has found, whatever slice is followed."""
    page.section(text.WHERE)
    judges = unseen.result(session, study)
    found = _search(session, study, judges)
    if found.found and (judges is not None or study.left_out is not None):
        st.caption(f"{text.NOT_SEEN} {text.IN_REVIEW}" if judges is not None else text.NOT_SEEN)
    if judges is None and study.left_out is None:
        st.caption(text.MORE_ROWS)
    return found


def show_outside(session: Session, study: NumberStudy, *, offers: bool = True) -> ErrorSlices:
    """Show where more numbers lie outside their interval than elsewhere, whatever slice is followed.

    It offers to have the training rows judged, unless the page does.
    """
    page.section(text.WHERE_OUTSIDE)
    judges = unseen.result(session, study)
    found = _search(session, study, judges)
    if found.found and judges is not None:
        st.caption(text.NOT_SEEN)
    if offers and len(study.split.train):
        unseen.offer(session, study, why=text.MORE_NUMBERS, under_way=text.JUDGING)
    return found


def _search(session: Session, study: AnyStudy, judges: AnyUnseen | None) -> ErrorSlices:
    """Search, and show each part that was found."""
    with st.spinner(text.SEARCHING):
        found: ErrorSlices = cache.derived(_found, study, judges, session.rule)
    st.caption(words.caption(found.words))
    for place, part in enumerate(found.found):
        _part(session, part, place)
    return found


def _found(study: AnyStudy, judges: AnyUnseen | None, rule: DecisionRule) -> ErrorSlices:
    return find_error_slices(study, judges, rule=rule)


def _part(session: Session, part: ErrorSlice, place: int) -> None:
    """Show one part with the ways on from it."""
    cases = tuple(map(CaseRef.in_table, part.wrong_rows))

    def look() -> None:
        session.look_through(CaseSet(picked=cases, by=Picker.SLICE))
        session.select(cases[0])

    st.markdown(words.markdown(part.words))
    st.caption(words.caption(f"{part.sure_words}."))
    with st.container(horizontal=True, key=f"slices.part.{place}"):
        looked = st.button(text.LOOK, key=f"slices.look.{place}", icon=":material/person_search:", on_click=look)
        st.button(
            text.KEEP,
            key=f"slices.keep.{place}",
            icon=":material/bookmark_add:",
            type="tertiary",
            on_click=slice_editor.keep,
            args=(session, part.slice),
        )
    if looked:
        page.go(session, page.find(session, "case"))
