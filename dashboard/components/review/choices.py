"""The line above the queue: who reviews, which cases, in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components.review import views
from dashboard.services.review.queue import (
    BLIND,
    CASES_BEFORE,
    ORDER,
    SHARING,
    SINCE,
    QueueChoice,
    Sharing,
)
from dashboard.services.review.these import TheseRows
from dashboard.services.review.together import reviewers
from dashboard.session import verdicts, widgets
from dashboard.session.session import Session
from dashboard.texts import review as text
from proset.explain.review.orders import ReviewOrder
from proset.study import NumberStudy

if TYPE_CHECKING:
    from proset.explain.review.listed import ReviewQueue
    from proset.study.any_study import AnyStudy

_NAME = "review.name"
_LONGEST_NAME = 80
_NAME_WIDTH, _ORDER_WIDTH, _SHARING_WIDTH = 150, 240, 175


def show(session: Session, study: AnyStudy, queue: ReviewQueue, these: TheseRows | None) -> QueueChoice:
    """Show the line and return what is chosen and followed."""
    number = isinstance(study, NumberStudy)
    # What somebody expects, seeing neither number, corrects neither; of a class it says who is right.
    blind, order, orders = session.get(BLIND) and not number, session.get(ORDER), ReviewOrder.of(number=number)
    if order not in orders:  # the address of a model of the other kind
        session.forget(ORDER)
        order = session.get(ORDER)
    now = views.chosen(session)
    followed = now.untold() if blind else now
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="review-line"):
        with st.container(width=session.wide(_NAME_WIDTH)):
            _name(session)
        if not blind:  # then the order tells nothing
            with st.container(width=session.wide(_ORDER_WIDTH)):
                order = widgets.pick(
                    session,
                    ORDER,
                    orders,
                    text.ORDER,
                    key="review.order",
                    words=text.orders(number=number).__getitem__,
                    in_line=True,
                )
        views.show(session, study, queue, blind=blind)
        sharing = _sharing(session)
        if not number:
            widgets.toggle(session, BLIND, text.BLIND, key="review.blind", help=text.BLIND_HELP)
        views.chips(session, study, followed, these)
    if followed.cases is not session.get(CASES_BEFORE):  # what is judged from now on stays listed until another choice
        session.put(CASES_BEFORE, followed.cases)
        session.put(SINCE, len(verdicts.records(session)))
    return QueueChoice(order, followed, blind, sharing, these)


def _sharing(session: Session) -> Sharing:
    """Show whether cases are shared out, if anybody else has judged one."""
    if not set(reviewers(verdicts.records(session))) - {session.reviewer}:
        return Sharing.EVERYBODY
    with st.container(width=session.wide(_SHARING_WIDTH)):
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


def in_words(choice: QueueChoice, study: AnyStudy) -> str:
    """Say what is chosen, for what is written down with a verdict."""
    named = text.orders(number=isinstance(study, NumberStudy))
    order = text.BLIND if choice.blind else named[choice.order]
    asked = choice.words(study.classes)
    return "; ".join([order, *(asked or [text.EVERY_ROW])])


def _name(session: Session) -> None:
    """Ask for the name of who reviews; it holds for all tables of the window."""
    widgets.held(
        st.text_input,
        text.NAME,
        key=_NAME,
        value=session.reviewer,
        taken=session.review_as,
        max_chars=_LONGEST_NAME,
        placeholder=text.NAME,
        label_visibility="collapsed",
    )
