"""Stability of answers and features under other seeds and splits: the check as a job, and its result."""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

import streamlit as st

from dashboard.components import tables, words
from dashboard.components.jobs import job_panel, study_job
from dashboard.services import stability as service
from dashboard.session import jobs
from dashboard.session.session import Session
from dashboard.texts import stability as text
from dashboard.work.tasks import STABILITY, StabilityRequest

if TYPE_CHECKING:
    from proset.explain.numbers.number_stability import NumberStability
    from proset.explain.study_only.stability_result import Stability
    from proset.study import NumberStudy, Study
    from proset.study.any_study import AnyStudy

_KEPT = "stability"


@overload
def result(session: Session, study: Study) -> Stability | None: ...
@overload
def result(session: Session, study: NumberStudy) -> NumberStability | None: ...
def result(session: Session, study: AnyStudy) -> Stability | NumberStability | None:
    """Return what the check of this model found; None until it was done."""
    found: Stability | NumberStability | None = study_job.kept(session, study, _KEPT)
    return found


def offer(session: Session, study: AnyStudy, *, key: str) -> None:
    """Show the button that starts the check, or how far it is; nothing once it is done."""
    if result(session, study) is not None:
        return
    if jobs.running(STABILITY) is not None:
        job_panel.boxes(session, key=key)
        return
    if not len(study.prototypes):
        st.caption(text.NOTHING)
        return
    if st.button(text.START, key=f"{key}.stability.start", icon=":material/published_with_changes:", help=text.HELP):
        start(session, study)
        st.rerun()


def start(session: Session, study: AnyStudy) -> None:
    """Start the check of a model of the open table."""
    case = session.case
    rows = (case.row,) if case is not None and case.row in study.table.frame.index else ()
    study_job.start(session, study, STABILITY, StabilityRequest(study, cases=rows), name=_KEPT)


def of_case(session: Session, study: AnyStudy, row: int | None) -> None:
    """Show what other seeds and splits say of a case, or the way to it."""
    found = result(session, study)
    if row is None:
        st.caption(text.ONLY_ROWS)
    elif found is None:
        offer(session, study, key="case")
    else:
        st.markdown(words.markdown(found.case_words(row) or text.NOT_THERE))


def show(session: Session, study: AnyStudy, *, key: str) -> None:
    """Show what the check found, or the way to it."""
    found = result(session, study)
    if found is None:
        st.markdown(text.WHAT)
        offer(session, study, key=key)
        return
    st.markdown(words.markdown(" ".join(found.words)))
    st.dataframe(
        tables.in_words(service.feature_table(found), []),
        key=f"{key}.stability.features",
        hide_index=True,
        column_config={
            "share": tables.model_bars("Share of refits", format="percent", width="medium"),
            "used": "In this model",
            **{
                name: st.column_config.NumberColumn(f"Weight, {name}", format="%.3f")
                for name in ("low", "median", "high")
            },
        },
        alt="Each feature with the share of refits that use it, and the range of its weight.",
    )
    st.caption(text.TABLE)
    with st.expander("The refits"):
        st.dataframe(service.refit_table(found), key=f"{key}.stability.refits", alt="The refits and their quality.")
