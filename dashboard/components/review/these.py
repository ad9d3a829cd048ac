"""Rows that another page hands over to Review: the button there, and what is followed here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import page, words
from dashboard.services.cases import CaseRef, CaseSource
from dashboard.services.review.queue import BLIND
from dashboard.services.review.these import MOST_THESE, THESE, Origin, TheseRows
from dashboard.session.session import Session
from dashboard.texts import review as text
from proset.common.words import count_words

if TYPE_CHECKING:
    from proset.explain.review.listed import ReviewQueue
    from proset.study import Study
    from proset.study.any_study import AnyStudy


def button(session: Session, study: Study, *, key: str) -> None:
    """Offer to review the cases that are looked through; one who reviews blind is not told which errors are which."""
    cases = session.cases
    made = TheseRows.of(cases, cases.cases(session.judged(study)), study)
    if session.get(BLIND) and (made is None or made.tells):
        return
    _hand_over(session, made, key=key)


def button_of(session: Session, cases: Sequence[CaseRef], origin: Origin, *, key: str) -> None:
    """Offer to review cases of a number."""
    rows = tuple(sorted({case.row for case in cases if case.source is CaseSource.TABLE}))
    if rows:
        _hand_over(session, TheseRows(origin, rows) if len(rows) <= MOST_THESE else None, key=key)


def _hand_over(session: Session, made: TheseRows | None, *, key: str) -> None:
    """Show the button that opens Review with some rows; None if they are too many."""
    pressed = st.button(
        text.REVIEW_THESE,
        key=f"{key}.review",
        icon=":material/rule:",
        disabled=made is None,
        help=text.TOO_MANY_THESE.format(most=MOST_THESE) if made is None else text.REVIEW_THESE_HELP,
        on_click=session.put,
        args=(THESE, made),
    )
    if pressed:
        page.go(session, page.find(session, "review"))


def followed(session: Session, study: AnyStudy) -> TheseRows | None:
    """Return the rows that were handed over, those of them that there are; None if the queue is the usual one.

    Blind, rows that were taken from what the model or the table says are forgotten: their address would tell, too.
    """
    these = session.get(THESE)
    if these is None:
        return None
    if these.tells and len(study.classes) > 0 and session.get(BLIND):
        session.forget(THESE)
        words.notice("info", text.BLIND_LIST)
        return None
    known = study.table.frame.index
    there = tuple(row for row in these.rows if row in known)
    if not there:
        session.forget(THESE)
        words.notice("info", text.NO_SUCH_ROWS)
        return None
    return replace(these, rows=there)


def say_left_out(these: TheseRows | None, queue: ReviewQueue) -> None:
    """Say how many of the rows are never listed."""
    count = 0 if these is None else len(set(these.rows) - set(queue.frame.index))
    if count:
        st.caption(text.NOT_LISTED.format(count=count_words(count, "row"), verb="is" if count == 1 else "are"))
