"""Intervals that hold what they promise: the offer to calibrate them, and a word where that was done."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import words
from dashboard.texts import number_quality as text
from dashboard.work.tasks import UNSEEN
from proset.common.errors import ProsetError
from proset.explain.numbers.number_facts import calibration_words
from proset.study.calibration import calibrate_intervals, calibrated_folds

if TYPE_CHECKING:
    from dashboard.session.session import Session
    from proset.study import NumberStudy
    from proset.study.number_unseen import NumberUnseen


def show(session: Session, study: NumberStudy, judges: NumberUnseen | None) -> None:
    """Show the offer, the way to it where it needs more first, or what was done."""
    if study.calibration is not None:
        st.caption(words.caption(f"{calibration_words(study)} {text.OWN_INTERVALS}"))
        return
    if judges is None:
        st.caption(text.CALIBRATE_FIRST)
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            text.CALIBRATE,
            key="number.quality.calibrate",
            icon=":material/straighten:",
            help=text.CALIBRATE_HELP,
            on_click=_calibrate,
            args=(session, study, judges),
        )
        st.caption(text.CALIBRATE_WHY, width="stretch")


def _calibrate(session: Session, study: NumberStudy, judges: NumberUnseen) -> None:
    """Add the model with calibrated intervals; its training rows stay judged."""
    try:
        found = calibrate_intervals(study, judges)
    except ProsetError as error:
        session.notice(str(error), kind="error")
        return
    session.add_study(found)
    if session.opened is not None:
        session.opened.keep_result(found, UNSEEN.name, calibrated_folds(judges, found.calibration))
    session.notice(text.CALIBRATED, kind="success")
