"""The model listens: a fit with what was said, and what became of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import page, words
from dashboard.components.guidance import ask, became, said
from dashboard.components.jobs import job_panel
from dashboard.services.guidance import together
from dashboard.services.review.heard import heard
from dashboard.session import jobs, verdicts
from dashboard.session.session import Session
from dashboard.texts import review as text
from dashboard.work.tasks import FIT
from proset.common.errors import ProsetError
from proset.study.guidance_check import check_guidance

if TYPE_CHECKING:
    from proset.study import Study
    from proset.study.guidance import Guidance


def show(session: Session, study: Study) -> None:
    """Show what a fit could listen to, the button, and after it what became of the model."""
    opened = session.opened
    if opened is None:
        return
    records = verdicts.records(session)
    found = heard(records, study)
    page.section(text.LISTENS)
    st.caption(text.COLUMNS_FIRST)
    ask.columns(session, study, key="review.ask")
    if found.words:
        st.markdown(words.markdown(found.words))
    refused, wanted = "", opened.recipe.guidance
    try:
        wanted = together(wanted, found.guidance, {record.judgement.row for record in records})
        check_guidance(wanted, study.table, study.roles, study.split)
    except ProsetError as error:
        refused = str(error)
    said.show(opened, wanted.items, key="review", verdicts=found.guidance.items)
    _button(session, study, wanted, refused, heard_of=bool(found.words))
    former = _former(session, study)
    if former is not None:
        st.markdown(text.HAS_HEARD.format(what=words.markdown(study.guidance.words)))
        became.show(session, former, study, found.corrected, key="review")
        st.button(text.GO_BACK, key="review.back", icon=":material/undo:", on_click=_go_back, args=(session, former))


def _button(session: Session, study: Study, wanted: Guidance, refused: str, *, heard_of: bool) -> None:
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
    if st.button(text.FIT_AGAIN, key="review.listens", type="primary", icon=":material/hearing:", help=text.FIT_HELP):
        job_panel.start_guided(session, study, wanted)
        st.rerun()


def _former(session: Session, study: Study) -> Study | None:
    """Return the model that has not listened: with the same settings if there is one, else the last of the split."""
    if not len(study.guidance) or session.opened is None:
        return None
    others = [one for one in session.opened.models.values() if not len(one.guidance) and _fits_beside(one, study)]
    same = [one for one in others if one.settings == study.settings]
    return next(reversed(same or others), None)


def _fits_beside(one: Study, study: Study) -> bool:
    """Tell whether two models were measured on the same rows."""
    return one.classes == study.classes and one.split.settings == study.split.settings


def _go_back(session: Session, former: Study) -> None:
    """Make the model current that has not listened; both stay."""
    if session.opened is not None:
        session.opened.switch(former.id)
