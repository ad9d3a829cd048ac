"""Training rows judged by models that have not seen them: the job, and its result."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

import streamlit as st

from dashboard.components.jobs import job_panel, study_job
from dashboard.session import jobs
from dashboard.session.session import Session
from dashboard.texts import review as text
from dashboard.work.tasks import UNSEEN, UnseenRequest
from proset.common.words import seconds_words
from proset.study.fold_studies import N_FOLDS

if TYPE_CHECKING:
    from proset.study import NumberStudy, Study
    from proset.study.any_study import AnyStudy
    from proset.study.number_unseen import AnyUnseen, NumberUnseen
    from proset.study.unseen import Unseen

_KEPT = UNSEEN.name
_SECONDS_UNASKED = 20.0


@overload
def result(session: Session, study: Study) -> Unseen | None: ...
@overload
def result(session: Session, study: NumberStudy) -> NumberUnseen | None: ...
def result(session: Session, study: AnyStudy) -> AnyUnseen | None:
    """Return the training rows judged by models that have not seen them; None until that was done."""
    found: AnyUnseen | None = study_job.kept(session, study, _KEPT) or study_job.known(session, study, _KEPT)
    return found


def show(session: Session, study: AnyStudy) -> None:
    """Begin with what is quick, offer what is not, and show how far it is; nothing once it is done."""
    seconds = N_FOLDS * study.provenance.fit_seconds
    quick = seconds <= _SECONDS_UNASKED and result(session, study) is None and jobs.running(UNSEEN) is None
    if quick and session.once(f"{_KEPT} {study.id}"):
        _start(session, study)
        st.rerun()
    offer(session, study, why=text.NOT_JUDGED, under_way=text.JUDGING)


def offer(session: Session, study: AnyStudy, *, why: str, under_way: str) -> None:
    """Offer the fits, and show how far they are; nothing once they are done."""
    if result(session, study) is not None:
        return
    if jobs.running(UNSEEN) is not None:
        st.caption(under_way)
        job_panel.boxes(session, key="review")
        return
    seconds = N_FOLDS * study.provenance.fit_seconds
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(why, width="content")
        told = text.JUDGE_HELP.format(seconds=seconds_words(seconds))
        if st.button(text.JUDGE, key="review.unseen", icon=":material/play_arrow:", help=told):
            _start(session, study)
            st.rerun()


def _start(session: Session, study: AnyStudy) -> None:
    """Start the fits."""
    study_job.start(session, study, UNSEEN, UnseenRequest(study), name=_KEPT, asked=_KEPT)
