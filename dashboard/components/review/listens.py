"""The model listens: a fit with what was said, and what became of the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import page, tables, words
from dashboard.components.jobs import job_panel
from dashboard.services.review.before_after import quality_frame, sentence, sides_words
from dashboard.services.review.heard import heard
from dashboard.session import jobs, verdicts
from dashboard.session.session import Session
from dashboard.texts import review as text
from dashboard.work.tasks import FIT
from proset.common.errors import StudyError
from proset.study.before_after import before_after
from proset.study.guidance import Guidance
from proset.study.guidance_check import check_guidance

if TYPE_CHECKING:
    from dashboard.services.review.heard import Heard
    from proset.study import DecisionRule, Study
    from proset.study.before_after import BeforeAfter


def show(session: Session, study: Study) -> None:
    """Show what a fit could listen to, the button, and after it what became of the model."""
    found = heard(verdicts.records(session), study)
    if not found.words and not len(study.guidance):
        return
    page.section(text.LISTENS)
    if found.words:
        st.markdown(words.markdown(found.words))
    _button(session, study, found)
    former = _former(session, study)
    if former is not None:
        _became(session, former, study, found)


def _button(session: Session, study: Study, found: Heard) -> None:
    """Offer the fit, if it would be another one."""
    if jobs.running(FIT) is not None:
        return  # its panel stands above
    if found.guidance == study.guidance:
        if not len(study.guidance):
            st.caption(text.NOTHING_TO_LEARN)
        return
    refused = _refused(study, found.guidance)
    if refused:
        words.notice("warning", refused)
        return
    if st.button(text.FIT_AGAIN, key="review.listens", type="primary", icon=":material/hearing:", help=text.FIT_HELP):
        job_panel.start_guided(session, study, found.guidance)
        st.rerun()


def _refused(study: Study, guidance: Guidance) -> str:
    """Say why a fit cannot obey; empty if it can."""
    try:
        check_guidance(guidance, study.table, study.roles, study.split)
    except StudyError as error:
        return str(error)
    return ""


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


def _became(session: Session, former: Study, study: Study, found: Heard) -> None:
    """Show the model before and after."""
    change = cache.derived(_compared, study, former, session.rule, tuple(sorted(found.corrected.items())))
    st.markdown(f"**{text.HAS_HEARD.format(what=words.markdown(study.guidance.words))}** {sentence(change)}")
    frame = quality_frame(change)
    st.dataframe(
        frame,
        key="review.quality",
        hide_index=True,
        height=tables.height(len(frame), len(frame)),
        width="content",
        alt="Log-loss and share of right rows of the model before and after, on held-out rows.",
    )
    for line in sides_words(change):
        st.markdown(words.markdown(line))
    if len(change.sides):
        with st.expander(text.SIDES.format(count=len(change.sides))):
            st.dataframe(
                change.sides.reset_index(),
                key="review.sides",
                hide_index=True,
                alt="Held-out rows that are said to be of another class now.",
            )
    st.button(text.GO_BACK, key="review.back", icon=":material/undo:", on_click=_go_back, args=(session, former))


def _compared(study: Study, former: Study, rule: DecisionRule, corrected: tuple[tuple[int, str], ...]) -> BeforeAfter:
    """Compare; kept with the later model."""
    return before_after(former, study, rule=rule, corrected=dict(corrected))


def _go_back(session: Session, former: Study) -> None:
    """Make the model current that has not listened; both stay."""
    if session.opened is not None:
        session.opened.switch(former.id)
