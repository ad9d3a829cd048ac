"""Whether answers and features hold under other seeds and splits: the check as a job, and what it found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import job_panel, words
from dashboard.services import stability as service
from dashboard.session import jobs
from dashboard.session.jobs import Handling
from dashboard.session.session import Session
from dashboard.texts import stability as text
from dashboard.work.tasks import STABILITY, StabilityRequest
from proset.data.samples import SAMPLES

if TYPE_CHECKING:
    from proset.explain.stability_result import Stability
    from proset.study import Study

_KEPT = "stability"


def result(session: Session, study: Study) -> Stability | None:
    """Return what the check of this model found; None until it was done."""
    return session.opened.values.get((study.id, _KEPT)) if session.opened is not None else None


def offer(session: Session, study: Study, *, key: str) -> None:
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


def start(session: Session, study: Study) -> None:
    """Start the check of a model of the open table."""
    opened = session.opened
    if opened is None:
        return
    sample, source, case = opened.sample, opened.source, opened.selection
    rows = (case.row,) if case is not None and case.row in study.table.frame.index else ()

    def take(found: Stability) -> None:
        if session.opened is not None and study.id in session.opened.models:
            session.opened.values[study.id, _KEPT] = found

    def reopen(found: Stability) -> None:
        session.open_study(study, sample=sample, source=source)
        take(found)

    handling = Handling(take=take, open=reopen, keep=lambda _: None, reopen=lambda _: None)
    label = SAMPLES[sample].title if sample else study.table.name
    jobs.start(STABILITY, StabilityRequest(study, cases=rows), table=study.table, label=label, handling=handling)


def show(session: Session, study: Study, *, key: str) -> None:
    """Show what the check found, or the way to it."""
    found = result(session, study)
    if found is None:
        st.markdown(text.WHAT)
        offer(session, study, key=key)
        return
    st.markdown(words.markdown(" ".join(found.words)))
    st.dataframe(
        service.feature_table(found),
        key=f"{key}.stability.features",
        hide_index=True,
        column_config={
            "share": st.column_config.ProgressColumn(
                "Share of refits", format="percent", min_value=0.0, max_value=1.0, width="medium"
            ),
            "used": st.column_config.CheckboxColumn("In this model"),
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
