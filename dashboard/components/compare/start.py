"""Choice of systems to compare, the time it takes, and the comparison under way."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import streamlit as st

from dashboard import cache
from dashboard.components import words
from dashboard.components.jobs import job_panel, study_job
from dashboard.components.jobs.later import later
from dashboard.services.compare import choices as service
from dashboard.services.compare.choices import CHOSEN, SETTING, Setting
from dashboard.services.compare.found import is_the_model
from dashboard.services.compare.standing import standing_frame
from dashboard.session import jobs, widgets
from dashboard.texts import compare as text
from dashboard.work.tasks import COMPARE, CompareRequest
from proset.common.words import measure
from proset.compare import estimate
from proset.compare.at_work import problem_words
from proset.study.number_study import NumberStudy

if TYPE_CHECKING:
    from dashboard.session.session import Session
    from proset.compare import Comparison, TimeEstimate
    from proset.compare.plan import ComparePlan
    from proset.study import Study
    from proset.study.any_study import AnyStudy

_KEPT = "comparison"
_PILLS = "compare.systems"


def result(session: Session, study: AnyStudy) -> Any:
    """Return the last comparison of this model with others, of the model's kind; None until there is one."""
    return study_job.kept(session, study, _KEPT)


def not_the_model(study: Study, found: Comparison) -> str:
    """Say why the proset of a comparison is not the model of the other pages; empty if it is."""
    return text.NOT_THE_MODEL.get(is_the_model(study, found), "")


def show(session: Session, study: AnyStudy) -> None:
    """Show what can be compared and the button, or how far the comparison is."""
    if jobs.running(COMPARE) is not None:
        running(session, study)
        return
    jobs.get_ready()
    plan = choices(session, study)
    if plan is None:
        st.caption(text.NOTHING)
        return
    found = result(session, study)
    main = found is None or bool(service.older_than(found, plan))
    _time_and_start(session, study, plan, again=found is not None, main=main)


def running(session: Session, study: AnyStudy) -> None:
    """Show how far the comparison is, and how the systems stand."""
    entry = jobs.running(COMPARE)
    if entry is not None and entry.job.request.study.id != study.id:
        st.caption(text.OF_ANOTHER)
    job_panel.boxes(session, key="compare", more=_standings)


def choices(session: Session, study: AnyStudy) -> ComparePlan | None:
    """Show which systems there are and how each is set; return the plan, None for too few systems."""
    offered = service.offered(study)
    chosen = [name for name in session.get(CHOSEN) if name in offered]
    others = tuple(name for name in session.get(CHOSEN) if name not in offered)  # chosen for a table of the other kind
    key = widgets.anew(_PILLS, chosen)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.pills(
            text.SYSTEMS,
            offered,
            selection_mode="multi",
            default=chosen,
            format_func=text.SHORT.__getitem__,
            key=key,
            on_change=widgets.heard(key, lambda said: session.put(CHOSEN, CHOSEN.in_order((*said, *others)))),
            width="content",
        )
        widgets.choose(session, SETTING, "Settings", key="compare.setting", words=text.SETTINGS.__getitem__)
    return service.plan_for(
        study,
        session.get(CHOSEN),
        tuned=session.get(SETTING) is Setting.TUNED,
        n_folds=cache.derived(service.folds_for, study),
    )


def _time_and_start(session: Session, study: AnyStudy, plan: ComparePlan, *, again: bool, main: bool) -> None:
    """Say how long it takes, and offer the smaller version where that is long."""
    if study_job.known(session, study, plan) is not None:
        with st.container(horizontal=True, vertical_alignment="center"):
            _button(session, study, plan, text.AGAIN if again else text.START, "compare.start", main=main)
            st.caption(f":material/schedule: {text.KNOWN}", width="content")
        return
    coming = later(estimate, study, plan, words=text.MEASURING)
    needed: TimeEstimate | None = None
    if coming is not None:
        try:
            needed = coming.result()
        except Exception as error:  # whatever a system stumbles over; the comparison itself says what becomes of it
            words.notice("warning", f"{text.NO_TIME} {problem_words(error)}")
    label = text.AGAIN if again else text.START
    with st.container(horizontal=True, vertical_alignment="center"):
        if needed is not None and needed.smaller is not None:
            _button(session, study, needed.smaller, service.smaller_label(needed), "compare.smaller", main=main)
            _button(session, study, plan, text.ANYWAY, "compare.start", main=False, needed=needed)
        else:
            _button(session, study, plan, label, "compare.start", main=main, needed=needed)
        if needed is not None and needed.smaller is None:
            said = " ".join((*needed.words, text.LONGER))
            st.caption(f":material/schedule: {words.caption(said)}", width="content")
    if needed is not None and needed.smaller is not None:
        words.notice("info", " ".join((*needed.words, service.by_system_words(needed), text.LONGER)))


def _button(
    session: Session,
    study: AnyStudy,
    plan: ComparePlan,
    label: str,
    key: str,
    *,
    main: bool,
    needed: TimeEstimate | None = None,
) -> None:
    """Show a button that starts a comparison."""
    if st.button(label, key=key, icon=":material/compare:", type="primary" if main else "secondary"):
        request = CompareRequest(study, plan, needed)
        study_job.start(
            session, study, COMPARE, request, name=_KEPT, asked=plan, choose=partial(_choose, session, plan)
        )
        st.rerun()


def _choose(session: Session, plan: ComparePlan) -> None:
    """Choose what a comparison was about."""
    session.put(CHOSEN, CHOSEN.in_order(plan.systems))
    session.put(SETTING, Setting.TUNED if plan.tuned else Setting.QUICK)


def _standings() -> None:
    """Draw how the systems stand while they are at work."""
    entry = jobs.running(COMPARE)
    now = None if entry is None else entry.job.so_far()
    if now is None:
        return
    doing, standings = now
    if doing:
        st.caption(words.caption(doing))
    if entry is not None and any(line.folds for line in standings):
        number = isinstance(entry.job.request.study, NumberStudy)
        loss = "CRPS" if number else "Log-loss"
        st.dataframe(
            standing_frame(standings, loss),
            key="compare.standings",
            hide_index=True,
            width="content",
            alt=f"Mean {loss} of each system over the folds done so far: "
            + "; ".join(f"{line.title} {measure(line.loss or float('nan'))}" for line in standings),
        )
