"""Training rows judged by models that have not seen them: the job, and its result."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components.jobs import job_panel, study_job
from dashboard.session import jobs
from dashboard.session.session import Session
from dashboard.texts import review as text
from dashboard.work.tasks import UNSEEN, UnseenRequest
from proset.common.words import seconds_words
from proset.study.unseen import N_FOLDS

if TYPE_CHECKING:
    from proset.study import Study
    from proset.study.unseen import Unseen

_KEPT = UNSEEN.name
_SECONDS_UNASKED = 20.0


def result(session: Session, study: Study) -> Unseen | None:
    """Return the training rows judged by models that have not seen them; None until that was done."""
    found: Unseen | None = study_job.kept(session, study, _KEPT) or study_job.known(session, study, _KEPT)
    return found


def show(session: Session, study: Study) -> None:
    """Begin with what is quick, offer what is not, and show how far it is; nothing once it is done."""
    if result(session, study) is not None:
        return
    if jobs.running(UNSEEN) is not None:
        st.caption(text.JUDGING)
        job_panel.boxes(session, key="review")
        return
    seconds = N_FOLDS * study.provenance.fit_seconds
    if seconds <= _SECONDS_UNASKED and session.once(f"{_KEPT} {study.id}"):
        _start(session, study)
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(text.NOT_JUDGED, width="content")
        told = text.JUDGE_HELP.format(seconds=seconds_words(seconds))
        if st.button(text.JUDGE, key="review.unseen", icon=":material/play_arrow:", help=told):
            _start(session, study)
            st.rerun()


def _start(session: Session, study: Study) -> None:
    """Start the fits."""
    study_job.start(session, study, UNSEEN, UnseenRequest(study), name=_KEPT, asked=_KEPT)
