"""The model listens: a fit with what was said, and what became of the model."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import page, words
from dashboard.components.guidance import ask, became, number_became, said
from dashboard.components.jobs import job_panel
from dashboard.services.guidance import together
from dashboard.services.review.heard import Heard, heard
from dashboard.services.review.queue import OPENLY
from dashboard.services.review.said import taken_back
from dashboard.services.review.together import visible
from dashboard.session import jobs, verdicts
from dashboard.session.session import Session
from dashboard.texts import review as text
from dashboard.work.tasks import FIT
from proset.common.errors import ProsetError
from proset.common.words import count_words
from proset.study import NumberStudy, Study
from proset.study.guidance_check import check_guidance
from proset.workspace.verdicts import not_taken_back

if TYPE_CHECKING:
    from proset.study.any_study import AnyStudy
    from proset.study.guidance import Guidance, GuidanceItem
    from proset.workspace import Record


def show(session: Session, study: AnyStudy) -> None:
    """Show what a fit could listen to, the button, and after it what became of the model."""
    opened = session.opened
    if opened is None:
        return
    records = verdicts.records(session)
    found = heard(records, study)
    page.section(text.LISTENS)
    st.caption(text.COLUMNS_FIRST_NUMBER if isinstance(study, NumberStudy) else text.COLUMNS_FIRST)
    ask.columns(session, study, key="review.ask")
    if found.words:
        st.markdown(words.markdown(found.words))
    refused, wanted = "", opened.recipe.guidance
    try:
        wanted = together(wanted, found.guidance, {record.judgement.row for record in records})
        check_guidance(wanted, study.table, study.roles, study.split)
    except ProsetError as error:
        refused = str(error)
    unseen = _unseen_rows(session, records)
    shown = [item for item in wanted if item.row not in unseen]
    said.show(opened, shown, key="review", verdicts=_ways_back(session, records, found.guidance))
    if hidden := len(wanted) - len(shown):
        st.caption(text.HIDDEN_REQUESTS.format(count=count_words(hidden, "request")))
    _button(session, study, wanted, refused, heard_of=bool(found.words))
    before = former(session, study)
    if before is not None:
        _became(session, before, study, found)
        back = partial(opened.switch, before.id)
        if st.button(text.GO_BACK, key="review.back", icon=":material/undo:", on_click=back):
            st.rerun()  # all of the page is about another model


def _unseen_rows(session: Session, records: tuple[Record, ...]) -> set[int]:
    """Return the rows of which others have said something that one may not see yet."""
    seen = visible(records, session.reviewer, openly=session.get(OPENLY))
    return {one.judgement.row for one in records} - {one.judgement.row for one in seen}


def _became(session: Session, before: AnyStudy, study: AnyStudy, found: Heard) -> None:
    """Show the model that has listened beside the one before."""
    if isinstance(study, NumberStudy) and isinstance(before, NumberStudy):
        number_became.show(before, study, key="review.became", corrected=found.corrected)
    elif isinstance(study, Study) and isinstance(before, Study):
        became.show(session, before, study, found.corrected, key="review")


def _ways_back(
    session: Session, records: Iterable[Record], guidance: Guidance
) -> dict[GuidanceItem, Callable[[], None] | None]:
    """Return what takes back the verdict that each item follows from; None for that of somebody else."""
    mine = {
        (one.judgement.row, one.judgement.at.isoformat()): one
        for one in not_taken_back(records)
        if one.judgement.reviewer == session.reviewer
    }
    found: dict[GuidanceItem, Callable[[], None] | None] = {}
    for item in guidance:
        record = mine.get((item.row or 0, item.at)) if item.by == session.reviewer else None
        found[item] = None if record is None else partial(_take_back, session, record)
    return found


def _take_back(session: Session, record: Record) -> None:
    """Take a verdict back."""
    for message in verdicts.say(session, [taken_back(record)]).values():
        session.notice(message)


def _button(session: Session, study: AnyStudy, wanted: Guidance, refused: str, *, heard_of: bool) -> None:
    """Offer the fit, if it would be another one."""
    if jobs.running(FIT) is not None:
        return  # its panel stands above
    if refused:
        words.notice("warning", refused)
        return
    if wanted == study.guidance:
        if heard_of and not len(wanted):
            st.caption(text.NOTHING_TO_LEARN)
        return
    told = text.FIT_HELP_NUMBER if isinstance(study, NumberStudy) else text.FIT_HELP
    if st.button(text.FIT_AGAIN, key="review.listens", type="primary", icon=":material/hearing:", help=told):
        job_panel.start_guided(session, study, wanted)
        st.rerun()


def former(session: Session, study: AnyStudy) -> AnyStudy | None:
    """Return the model that has not listened: with the same settings if there is one, else the last of the split."""
    if not len(study.guidance) or session.opened is None:
        return None
    others = [one for one in session.opened.models.values() if not len(one.guidance) and _fits_beside(one, study)]
    same = [one for one in others if one.settings == study.settings]
    return next(reversed(same or others), None)


def _fits_beside(one: AnyStudy, study: AnyStudy) -> bool:
    """Tell whether two models are of the same target and were measured on the same rows."""
    target = type(one) is type(study) and (one.classes, one.roles.target) == (study.classes, study.roles.target)
    return target and one.split.settings == study.split.settings
