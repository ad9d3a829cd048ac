"""The line above the queue: who reviews, which cases, in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import words
from dashboard.services.review.queue import (
    BLIND,
    CASES,
    CASES_BEFORE,
    ORDER,
    PAIR,
    PART,
    SHARING,
    SINCE,
    QueueChoice,
    ReviewPart,
    Sharing,
    pair_classes,
    pairs,
)
from dashboard.services.review.together import reviewers
from dashboard.session import verdicts, widgets
from dashboard.session.session import Session
from dashboard.texts import review as text

if TYPE_CHECKING:
    from proset.explain.review.queue import ReviewQueue
    from proset.study import Study

_NAME = "review.name"
_LONGEST_NAME = 80
_NARROW, _NAME_WIDTH, _WIDE = 130, 150, 240


def show(session: Session, study: Study, queue: ReviewQueue) -> QueueChoice:
    """Show the line and return what is chosen."""
    parts = [part for part in ReviewPart if part is ReviewPart.BOTH or (queue.frame["part"] == part.value).any()]
    counts = pairs(queue, study.classes)
    blind, order, pair = session.get(BLIND), session.get(ORDER), ""
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="review-line"):
        with st.container(width=_NAME_WIDTH):
            _name(session)
        if not blind:  # then the order tells nothing, and classes would tell too much
            with st.container(width=_WIDE):
                order = widgets.pick(
                    session,
                    ORDER,
                    ORDER.options,
                    text.ORDER,
                    key="review.order",
                    words=text.ORDERS.__getitem__,
                    in_line=True,
                )
        with st.container(width=_NAME_WIDTH):
            part = widgets.pick(
                session, PART, parts, text.ROWS, key="review.rows", words=text.PARTS.__getitem__, in_line=True
            )
        if not blind:
            with st.container(width=_WIDE):
                pair = _pair(session, study, counts)
        with st.container(width=_NARROW):
            cases = widgets.pick(
                session,
                CASES,
                CASES.options,
                text.CASES,
                key="review.cases",
                words=text.STATES.__getitem__,
                in_line=True,
            )
        sharing = _sharing(session)
        widgets.toggle(session, BLIND, text.BLIND, key="review.blind", help=text.BLIND_HELP)
    if cases is not session.get(CASES_BEFORE):  # what is judged from now on stays listed until another choice
        session.put(CASES_BEFORE, cases)
        session.put(SINCE, len(verdicts.records(session)))
    return QueueChoice(order, part, pair, blind, cases, sharing)


def _sharing(session: Session) -> Sharing:
    """Show whether cases are shared out, if anybody else has judged one."""
    if not set(reviewers(verdicts.records(session))) - {session.reviewer}:
        return Sharing.EVERYBODY
    with st.container(width=_NAME_WIDTH):
        found: Sharing = widgets.pick(
            session,
            SHARING,
            SHARING.options,
            text.SHARING,
            key="review.sharing",
            words=text.SHARINGS.__getitem__,
            in_line=True,
        )
    return found


def _pair(session: Session, study: Study, counts: dict[str, int]) -> str:
    """Show the choice of the class in the table and the class that is said."""

    def named(option: str) -> str:
        return _pair_words(option, study, counts)

    found: str = widgets.pick(session, PAIR, ["", *counts], text.PAIR, key="review.pair", words=named, in_line=True)
    return found


def in_words(choice: QueueChoice, study: Study) -> str:
    """Say what is chosen, for what is written down with a verdict."""
    pair = pair_classes(choice.pair, study.classes)
    both = "" if pair is None else f"; '{pair[0]}' said to be '{pair[1]}'"
    order = text.BLIND if choice.blind else text.ORDERS[choice.order]
    return text.PLACE.format(order=order, rows=text.PARTS[choice.part].lower(), pair=both)


def _pair_words(option: str, study: Study, counts: dict[str, int]) -> str:
    """Name a pair of classes and how often they are confused."""
    both = pair_classes(option, study.classes)
    if both is None:
        return text.ALL_PAIRS
    return words.bare(text.PAIR_WORDS.format(actual=both[0], said=both[1], count=counts.get(option, 0)))


def _name(session: Session) -> None:
    """Ask for the name of who reviews; it holds for all tables of the window."""
    widgets.shows(_NAME, session.reviewer)
    st.text_input(
        text.NAME,
        key=_NAME,
        max_chars=_LONGEST_NAME,
        placeholder=text.NAME,
        label_visibility="collapsed",
        on_change=lambda: session.review_as(widgets.says(_NAME)),
    )
