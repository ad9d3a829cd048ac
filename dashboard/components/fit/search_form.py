"""The settings of a search: which penalties, how many, how they are measured, which one is taken."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import streamlit as st

from dashboard.components import page, words
from dashboard.components.fit.quick_form import log_scale
from dashboard.components.jobs import job_panel
from dashboard.components.numbers import search_form as number_form
from dashboard.services.fit.modes import Method, Mode, mode_of
from dashboard.services.fit.search_plan import (
    Penalties,
    estimate,
    joint_estimate,
    penalties,
    stopped_words,
    usual_trials,
    with_penalties,
    with_value,
)
from dashboard.session import kept, widgets
from dashboard.session.opened import OpenTable
from dashboard.session.session import Session
from dashboard.texts import kept as kept_text
from dashboard.texts.settings import JOINT_RULES, JOINT_TEXTS, METHODS, PENALTIES, RULES, SEARCH_TEXTS
from dashboard.work.limits import scheduler_address
from proset.common.words import power_words
from proset.selection import PENALTIES as BOTH
from proset.selection import JointPlan, Rule, SearchPlan
from proset.selection.joint_plan import FEWEST_ROWS, MOST_JOINED, MOST_ROWS, MOST_VALUES
from proset.selection.plan import MOST_BATCHES, MOST_FOLDS, MOST_TRIALS
from proset.study.settings import BOUNDS, Bounds

if TYPE_CHECKING:
    from dashboard.texts.settings import SearchText
    from proset.selection import ClassPlan
    from proset.study.time_needed import TimeNeeded

_EMPTY = {"max_rows": "all", "n_trials": "all", "n_joined": "by rows"}  # what an empty field says
_RANGES = {"lambda_v": Bounds(1e-6, 1.0, log=True), "lambda_w": Bounds(1e-9, 1e-2, log=True)}


def show(opened: OpenTable) -> None:
    """Show the settings of the search with what they cost; a change makes a study that was searched stale."""
    if opened.recipe.roles.number:
        number_form.show(opened)
        return
    plan = opened.plan
    with st.container(border=True):
        _method(opened, plan)
        if isinstance(plan, JointPlan):
            _joint(opened, plan)
        else:
            _report(opened, plan)
        address = scheduler_address()
        if address is not None:
            st.caption(f":material/lan: Runs on {words.caption(address)}.")


def _method(opened: OpenTable, plan: ClassPlan) -> None:
    """Show the choice between the two ways of searching."""
    method = Method.JOINT if isinstance(plan, JointPlan) else Method.REPORT
    widgets.held(
        st.radio,
        "How to search",
        list(Method),
        key="search.method",
        value=method,
        taken=lambda said: opened.search_by(report=said is Method.REPORT),
        format_func=lambda option: METHODS[str(option)][0],
        captions=[METHODS[str(option)][1] for option in Method],
    )


def _joint(opened: OpenTable, plan: JointPlan) -> None:
    """Show the settings of a joint search; the ranges are folded."""
    grid = st.grid(5, min_column_width=190, gap="medium")
    with grid.cell():
        _number(opened, "n_folds", plan.n_folds, 2, MOST_FOLDS)
    with grid.cell():
        _number(opened, "max_batches", plan.max_batches, 1, MOST_BATCHES)
    with grid.cell():
        _choice(opened, "rule", list(Rule), plan.rule, JOINT_RULES, JOINT_TEXTS)
    with grid.cell():
        _number(opened, "random_state", plan.random_state, 0, int(BOUNDS["random_state"].high))
    with grid.cell():
        _number(opened, "n_joined", plan.n_joined, 1, MOST_JOINED)
    with st.expander("Ranges of the search", icon=":material/linear_scale:"):
        for name in BOTH:
            parts = st.columns([2, 2, 1], gap="medium")
            for end in (0, 1):
                with parts[end]:
                    _end(opened, name, end)
            with parts[2]:
                if name in plan.searched:
                    _number(opened, f"n_{name}", getattr(plan, f"n_{name}"), 2, MOST_VALUES)
        _number(opened, "max_rows", plan.max_rows, FEWEST_ROWS, MOST_ROWS)
    st.caption(f":material/calculate: {words.caption(joint_estimate(plan))}")


def _report(opened: OpenTable, plan: SearchPlan) -> None:
    """Show the settings of algorithm 2.2."""
    grid = st.grid(3, min_column_width=210, gap="medium")
    for name, low, high in (("n_trials", 1, MOST_TRIALS), ("n_folds", 2, MOST_FOLDS), ("max_batches", 1, MOST_BATCHES)):
        if name == "n_trials":
            with grid.cell():
                _choice(opened, "penalties", list(Penalties), penalties(plan), PENALTIES, SEARCH_TEXTS)
        with grid.cell():
            _number(opened, name, plan.n_pairs if name == "n_trials" else getattr(plan, name), low, high)
    with grid.cell():
        _choice(
            opened, "rule", list(Rule), plan.rule, {name: label for name, (label, _) in RULES.items()}, SEARCH_TEXTS
        )
    with grid.cell():
        _number(opened, "random_state", plan.random_state, 0, int(BOUNDS["random_state"].high))
    _flag(opened, "second_look", plan.second_look)
    st.caption(f":material/calculate: {words.caption(estimate(plan).replace(' x ', ' × '))}.")


def buttons(session: Session, opened: OpenTable, needed: TimeNeeded | None, *, first: bool) -> None:
    """Show the way to start a search, or to go on with one that was stopped; `first` if that is what comes next."""
    stopped = opened.stopped
    if stopped is None or stopped.record is None:
        searched = any(mode_of(model) is Mode.SEARCH for model in opened.models.values())
        label = "Search again" if searched else "Search"
        if first:
            page.take_primary(session)
        kind: Literal["primary", "secondary"] = "primary" if first else "secondary"
        if st.button(label, type=kind, icon=":material/travel_explore:", key="search.start"):
            job_panel.start(session, Mode.SEARCH, needed=needed)
            st.rerun()
        return
    page.take_primary(session)
    with st.container(border=True):
        until = kept_text.STOPPED_KEPT if kept.is_kept(session) else kept_text.STOPPED_UNTIL
        st.markdown(f"**{words.markdown(stopped_words(stopped.record))}** {until}")
        if not session.is_current(stopped):
            st.caption("Settings, roles or split were changed since. Resume goes on with those it began with.")
        with st.container(horizontal=True):
            if st.button("Resume", type="primary", icon=":material/resume:", key="search.resume"):
                job_panel.resume(session)
                st.rerun()
            if st.button("Start again", icon=":material/restart_alt:", key="search.start"):
                job_panel.start(session, Mode.SEARCH, needed=needed)
                st.rerun()
            if stopped.best_so_far is not None and st.button(
                "Take the best so far", icon=":material/flag:", key="search.best"
            ):
                job_panel.take_best(session)
                st.rerun()


def _choice(
    opened: OpenTable,
    name: str,
    options: list[Penalties] | list[Rule],
    value: str | None,
    labels: dict[str, str],
    texts: dict[str, SearchText],
) -> None:
    """Show a setting that is one of a few words."""
    text = texts[name]
    widgets.held(
        st.selectbox,
        text.label,
        options,
        key=f"search.{name}",
        value=value,
        taken=partial(_take, opened, name),
        format_func=lambda option: labels[str(option)],
        help=text.help,
    )


def _number(opened: OpenTable, name: str, value: int | None, low: int, high: int) -> None:
    """Show a setting that is a whole number; None is an empty field, which does not bind."""
    text = (JOINT_TEXTS | SEARCH_TEXTS)[name]
    widgets.held(
        st.number_input,
        text.label,
        low,
        high,
        key=f"search.{name}",
        value=value,
        taken=partial(_take, opened, name),
        clearable=name in _EMPTY,
        placeholder=_EMPTY.get(name),
        step=1,
        help=text.help,
    )


def _end(opened: OpenTable, name: str, end: int) -> None:
    """Show one end of the range of a penalty; one that is fixed has both ends in the same place."""
    key = f"search.{name}.{'from' if end == 0 else 'to'}"
    penalty = getattr(opened.plan, name)
    value = penalty[end] if isinstance(penalty, tuple) else penalty
    text = JOINT_TEXTS[name]

    def take(said: float) -> None:
        ends = list(penalty) if isinstance(penalty, tuple) else [penalty, penalty]
        ends[end] = said
        opened.edit(plan=with_value(opened.plan, name, tuple(sorted(ends))))

    widgets.held(
        st.select_slider,
        f"{text.label} {'from' if end == 0 else 'to'}",
        log_scale(_RANGES[name], value),
        key=key,
        value=value,
        taken=take,
        format_func=power_words,
        help=text.help,
    )


def _flag(opened: OpenTable, name: str, value: bool) -> None:
    """Show a setting that is yes or no."""
    text, take = SEARCH_TEXTS[name], partial(_take, opened, name)
    widgets.held(st.toggle, text.label, key=f"search.{name}", value=value, taken=take, help=text.help)


def _take(opened: OpenTable, name: str, value: Any) -> None:
    """Take over one value."""
    plan = opened.plan
    if isinstance(plan, JointPlan):
        opened.edit(plan=with_value(plan, name, value))
        return
    if name == "penalties":
        plan = with_penalties(plan, value, opened.recipe.settings)
    elif name == "n_trials":
        plan = replace(plan, n_trials=None if value in (None, usual_trials(plan)) else value)
    elif value is not None:
        plan = replace(plan, **{name: value})
    opened.edit(plan=plan)
