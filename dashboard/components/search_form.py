"""The settings of a search: which penalties, how many, how they are measured, which one is taken."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from dashboard.components import job_panel, words
from dashboard.services.search_plan import Penalties, estimate, penalties, stopped_words, usual_trials, with_penalties
from dashboard.session import widgets
from dashboard.session.opened import OpenTable
from dashboard.session.session import Session
from dashboard.texts.settings import PENALTIES, RULES, SEARCH_TEXTS
from dashboard.work.limits import scheduler_address
from proset.selection import Rule
from proset.selection.plan import MOST_BATCHES, MOST_FOLDS, MOST_TRIALS
from proset.study.settings import BOUNDS


def show(opened: OpenTable) -> None:
    """Show the settings of the search with what they cost; a change makes a study that was searched stale."""
    plan = opened.plan
    with st.container(border=True):
        grid = st.grid(3, min_column_width=210, gap="medium")
        with grid.cell():
            _choice(opened, "penalties", list(Penalties), penalties(plan), PENALTIES)
        with grid.cell():
            _number(opened, "n_trials", plan.n_pairs, 1, MOST_TRIALS)
        with grid.cell():
            _number(opened, "n_folds", plan.n_folds, 2, MOST_FOLDS)
        with grid.cell():
            _number(opened, "max_batches", plan.max_batches, 1, MOST_BATCHES)
        with grid.cell():
            _choice(opened, "rule", list(Rule), plan.rule, {name: label for name, (label, _) in RULES.items()})
        with grid.cell():
            _number(opened, "random_state", plan.random_state, 0, int(BOUNDS["random_state"].high))
        _flag(opened, "second_look", plan.second_look)
        st.caption(f":material/calculate: {words.caption(estimate(plan).replace(' x ', ' × '))}.")
        address = scheduler_address()
        if address is not None:
            st.caption(f":material/lan: Runs on {words.caption(address)}.")


def buttons(session: Session, opened: OpenTable) -> None:
    """Show the way to start a search, or to go on with one that was stopped."""
    stopped = opened.stopped
    if stopped is None or stopped.record is None:
        label = "Search" if opened.study is None else "Search again"
        if st.button(label, type="primary", icon=":material/travel_explore:", key="search.start"):
            job_panel.start(session, search=True)
            st.rerun()
        return
    with st.container(border=True):
        st.markdown(
            f"**{words.markdown(stopped_words(stopped.record))}** It is kept until this page is closed or reloaded."
        )
        if not session.is_current(stopped):
            st.caption("Settings, roles or split were changed since. Resume goes on with those it began with.")
        with st.container(horizontal=True):
            if st.button("Resume", type="primary", icon=":material/resume:", key="search.resume"):
                job_panel.resume(session)
                st.rerun()
            if st.button("Start again", icon=":material/restart_alt:", key="search.start"):
                job_panel.start(session, search=True)
                st.rerun()


def _choice(
    opened: OpenTable, name: str, options: list[Penalties] | list[Rule], value: str | None, labels: dict[str, str]
) -> None:
    """Show a setting that is one of a few words."""
    key = f"search.{name}"
    widgets.shows(key, value)
    text = SEARCH_TEXTS[name]
    st.selectbox(
        text.label,
        options,
        format_func=lambda option: labels[str(option)],
        key=key,
        help=text.help,
        on_change=_take,
        args=(opened, name),
    )


def _number(opened: OpenTable, name: str, value: int, low: int, high: int) -> None:
    """Show a setting that is a whole number."""
    key = f"search.{name}"
    widgets.shows(key, value)
    text = SEARCH_TEXTS[name]
    st.number_input(
        text.label,
        min_value=low,
        max_value=high,
        step=1,
        key=key,
        help=text.help,
        on_change=_take,
        args=(opened, name),
    )


def _flag(opened: OpenTable, name: str, value: bool) -> None:
    """Show a setting that is yes or no."""
    key = f"search.{name}"
    widgets.shows(key, value)
    text = SEARCH_TEXTS[name]
    st.toggle(text.label, key=key, help=text.help, on_change=_take, args=(opened, name))


def _take(opened: OpenTable, name: str) -> None:
    """Take over one value."""
    plan, value = opened.plan, widgets.says(f"search.{name}")
    if name == "penalties":
        plan = with_penalties(plan, value, opened.recipe.settings)
    elif name == "n_trials":
        plan = replace(plan, n_trials=None if value == usual_trials(plan) else value)
    else:
        plan = replace(plan, **{name: value})
    opened.edit(plan=plan)
