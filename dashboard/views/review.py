"""Review: cases one after the other, and who is right in each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import page, words
from dashboard.components.jobs import job_panel
from dashboard.components.review import (
    brought,
    choices,
    desk,
    listens,
    overview,
    records,
    these,
    together,
    unseen,
    views,
)
from dashboard.components.review.desk import Desk
from dashboard.components.slices import where_wrong
from dashboard.services.review.queue import PARAMS as QUEUE_PARAMS
from dashboard.services.review.queue import SINCE, QueueChoice, for_reviewer
from dashboard.session import jobs, verdicts
from dashboard.session.session import Session
from dashboard.texts import review as text
from dashboard.work.tasks import FIT
from proset.common.words import count_words
from proset.explain.review.listed import ReviewQueue
from proset.explain.review.number_queue import number_review_queue
from proset.explain.review.queue import review_queue
from proset.study import NumberStudy
from proset.study.number_unseen import NumberUnseen
from proset.study.unseen import Unseen, untouched_rows

if TYPE_CHECKING:
    from dashboard.services.cases import Within
    from proset.study import DecisionRule
    from proset.study.any_study import AnyStudy
    from proset.study.number_unseen import AnyUnseen

PARAMS = QUEUE_PARAMS
"""Values of the page that stand in its address."""


def render(session: Session, study: AnyStudy) -> None:
    """Draw the page."""
    known = unseen.result(session, study)
    handed = these.followed(session, study)
    asked = None if handed is None else handed.rows
    queue = cache.derived(_queue, study if known is None else known, study, session.rule, asked)
    _know_reviewer(session)
    choice = choices.show(session, study, queue, handed)
    said = verdicts.records(session)
    rows = cache.derived(_rows, queue, choice, study.classes)
    with page.room():
        these.say_left_out(handed, queue)
        _under_way(session, study)
        within = _within(session, choice)
    rows = tuple(row for row in rows if within is None or row in within.rows)
    rows = for_reviewer(rows, choice, said, int(session.get(SINCE)), session.reviewer)
    now = Desk(study, known, queue, choice, rows)
    if not session.reviewer:
        st.info(text.NAME_FIRST, icon=":material/badge:")
    elif now.rows:
        desk.show(session, now, lambda: _after_each(session, study))
    else:
        _nothing(session, study, choice, found=not queue.frame.empty)
    if not (session.reviewer and now.rows):
        records.show(session)
    records.offer(session, study)
    brought.show(session, study)
    _untouched(study)
    together.show(session, study)
    overview.show(session, blind=choice.blind, in_common=lambda: _in_common(session, study))


def _after_each(session: Session, study: AnyStudy) -> None:
    """Show what follows from all that was said, and all that was said; drawn anew with each verdict."""
    listens.show(session, study)
    records.show(session)


def _in_common(session: Session, study: AnyStudy) -> None:
    """Show where errors, or numbers outside their interval, are more than elsewhere."""
    if isinstance(study, NumberStudy):
        where_wrong.show_outside(session, study, offers=False)  # that stands above the queue
    else:
        where_wrong.show(session, study)


def _under_way(session: Session, study: AnyStudy) -> None:
    """Show what is being fitted, and say what the model has heard."""
    if jobs.running(FIT) is not None:
        job_panel.boxes(session, key="review.fit")
    if listens.former(session, study) is not None:
        what = study.guidance.words(study.roles.stated)
        st.caption(words.caption(text.HAS_HEARD_BELOW.format(what=what)))
    unseen.show(session, study)


def _queue(
    known: AnyUnseen | AnyStudy, study: AnyStudy, rule: DecisionRule, asked: tuple[int, ...] | None
) -> ReviewQueue:
    """Find what can be reviewed; kept with what judges the training rows."""
    if isinstance(study, NumberStudy):
        return number_review_queue(study, known if isinstance(known, NumberUnseen) else None, cases=asked)
    return review_queue(study, known if isinstance(known, Unseen) else None, cases=asked, rule=rule)


def _rows(queue: ReviewQueue, choice: QueueChoice, classes: Sequence[str]) -> tuple[int, ...]:
    """Order the rows; kept with the queue."""
    return choice.rows(queue, classes)


def _within(session: Session, choice: QueueChoice) -> Within | None:
    """Return the rows of the slice that is followed, and say what is not, so that a blind reviewer is told nothing."""
    tells = session.slice is not None and session.slice.of_estimate
    if choice.blind and (tells or views.chosen(session).tells):
        st.caption(words.caption(text.BLIND_SLICE))
    return None if choice.blind and tells else session.within


def _nothing(session: Session, study: AnyStudy, choice: QueueChoice, *, found: bool) -> None:
    """Say why no case comes, and offer the way out."""
    within = _slice_words(session, choice)
    asked = [*choice.words(study.classes), *within]
    if not asked:
        none = text.NONE_OUTSIDE if isinstance(study, NumberStudy) else text.NO_ERRORS
        st.info(text.EMPTY if found else none, icon=":material/done_all:")
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        words.notice("info", text.EMPTY_FILTERS.format(filters="; ".join(asked)))
        st.button(
            text.SHOW_ALL, key="review.all", icon=":material/filter_alt_off:", on_click=views.take_away, args=(session,)
        )


def _slice_words(session: Session, choice: QueueChoice) -> list[str]:
    """Return the slice that is followed, in words."""
    chosen = session.slice
    if chosen is None or (choice.blind and chosen.of_estimate):
        return []
    return [text.SLICE_CHIP.format(name=chosen.title)]


def _know_reviewer(session: Session) -> None:
    """Take over the name of who has reviewed this table, if it was one person only."""
    if not session.reviewer:
        names = {record.judgement.reviewer for record in verdicts.records(session)}
        if len(names) == 1:
            session.review_as(names.pop())


def _untouched(study: AnyStudy) -> None:
    """Say how many held-out rows are never listed."""
    count = len(cache.derived(untouched_rows, study))
    if count:
        st.caption(words.caption(text.UNTOUCHED.format(count=count_words(count, "row"))))
