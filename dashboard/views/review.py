"""Review: cases one after the other, and who is right in each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import words
from dashboard.components.jobs import job_panel
from dashboard.components.review import choices, desk, listens, overview, records, together, unseen
from dashboard.components.review.desk import Desk
from dashboard.components.slices import where_wrong
from dashboard.services.review.queue import PARAMS as QUEUE_PARAMS
from dashboard.services.review.queue import SINCE, QueueChoice, for_reviewer
from dashboard.session import jobs, verdicts
from dashboard.session.session import Session
from dashboard.texts import review as text
from dashboard.work.tasks import FIT
from proset.common.words import count_words
from proset.explain.review.queue import ReviewQueue, review_queue
from proset.study.unseen import Unseen, untouched_rows

if TYPE_CHECKING:
    from dashboard.services.cases import Within
    from proset.study import DecisionRule, Study

PARAMS = QUEUE_PARAMS
"""Values of the page that stand in its address."""


def render(session: Session, study: Study) -> None:
    """Draw the page."""
    known = unseen.result(session, study)
    queue = cache.derived(_queue, study if known is None else known, study, session.rule)
    _know_reviewer(session)
    choice = choices.show(session, study, queue)
    if jobs.running(FIT) is not None:
        job_panel.boxes(session, key="review.fit")
    unseen.show(session, study)
    said = verdicts.records(session)
    rows = cache.derived(_rows, queue, choice, study.classes)
    within = _within(session, choice)
    rows = tuple(row for row in rows if within is None or row in within.rows)
    rows = for_reviewer(rows, choice, said, int(session.get(SINCE)), session.reviewer)
    now = Desk(study, known, queue, choice, rows)
    if not session.reviewer:
        st.info(text.NAME_FIRST, icon=":material/badge:")
    elif now.rows:
        desk.show(session, now, lambda: listens.show(session, study))
    else:
        st.info(text.NO_ERRORS if queue.frame.empty else text.EMPTY, icon=":material/done_all:")
    _untouched(study)
    together.show(session, study)
    records.show(session, study)
    overview.show(session, blind=choice.blind, in_common=lambda: where_wrong.show(session, study))


def _queue(known: Unseen | Study, study: Study, rule: DecisionRule) -> ReviewQueue:
    """Find what can be reviewed; kept with what judges the training rows."""
    return review_queue(study, known if isinstance(known, Unseen) else None, rule=rule)


def _rows(queue: ReviewQueue, choice: QueueChoice, classes: Sequence[str]) -> tuple[int, ...]:
    """Order the rows; kept with the queue."""
    return choice.rows(queue, classes)


def _within(session: Session, choice: QueueChoice) -> Within | None:
    """Return the rows of the slice that is followed, unless it would tell a blind reviewer what the model says."""
    if choice.blind and session.slice is not None and session.slice.of_estimate:
        st.caption(words.caption(text.BLIND_SLICE))
        return None
    return session.within


def _know_reviewer(session: Session) -> None:
    """Take over the name of who has reviewed this table, if it was one person only."""
    if not session.reviewer:
        names = {record.judgement.reviewer for record in verdicts.records(session)}
        if len(names) == 1:
            session.review_as(names.pop())


def _untouched(study: Study) -> None:
    """Say how many held-out rows are never listed."""
    count = len(cache.derived(untouched_rows, study))
    if count:
        st.caption(words.caption(text.UNTOUCHED.format(count=count_words(count, "row"))))
