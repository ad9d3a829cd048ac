"""The settings of a search: which penalties, how many, how they are measured, which one is taken."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from dashboard import state
from dashboard.components import job_panel
from dashboard.components.page import plain
from dashboard.services.search import Penalties, estimate, penalties, stopped_words, usual_trials, with_penalties
from dashboard.texts import PENALTIES, RULES, SEARCH_TEXTS
from dashboard.work.limits import scheduler_address
from proset.selection import Rule

_MOST_TRIALS, _MOST_FOLDS, _MOST_BATCHES = 200, 20, 20


def show() -> None:
    """Show the settings of the search with what they cost; a change makes a study that was searched stale."""
    plan = state.search_plan()
    with st.container(border=True):
        grid = st.grid(3, min_column_width=210, gap="medium")
        with grid.cell():
            _choice("penalties", list(Penalties), penalties(plan), PENALTIES)
        with grid.cell():
            _number("n_trials", plan.n_pairs, 2, _MOST_TRIALS)
        with grid.cell():
            _number("n_folds", plan.n_folds, 2, _MOST_FOLDS)
        with grid.cell():
            _number("max_batches", plan.max_batches, 1, _MOST_BATCHES)
        with grid.cell():
            _choice("rule", list(Rule), plan.rule, {name: label for name, (label, _) in RULES.items()})
        with grid.cell():
            _number("random_state", plan.random_state, 0, 2**31 - 1)
        _flag("second_look", plan.second_look)
        st.caption(f":material/calculate: {plain(estimate(plan).replace(' x ', ' × '))}.")
        address = scheduler_address()
        if address is not None:
            st.caption(f":material/lan: Runs on {plain(address)}.")


def buttons() -> None:
    """Show the way to start a search, or to go on with one that was stopped."""
    stopped = state.stopped_search()
    if stopped is None or stopped.record is None:
        label = "Search" if state.study() is None else "Search again"
        if st.button(label, type="primary", icon=":material/travel_explore:", key="search.start"):
            job_panel.start(search=True)
            st.rerun()
        return
    with st.container(border=True):
        st.markdown(f"**{plain(stopped_words(stopped.record))}** It is kept until this page is closed or reloaded.")
        if not state.is_current(stopped):
            st.caption("Settings, roles or split were changed since. Resume goes on with those it began with.")
        with st.container(horizontal=True):
            if st.button("Resume", type="primary", icon=":material/resume:", key="search.resume"):
                job_panel.resume()
                st.rerun()
            if st.button("Start again", icon=":material/restart_alt:", key="search.start"):
                job_panel.start(search=True)
                st.rerun()


def _choice(name: str, options: list[Penalties] | list[Rule], value: str | None, labels: dict[str, str]) -> None:
    """Show a setting that is one of a few words."""
    key = f"search.{name}"
    st.session_state[key] = value
    text = SEARCH_TEXTS[name]
    st.selectbox(
        text.label,
        options,
        format_func=lambda option: labels[str(option)],
        key=key,
        help=text.help,
        on_change=_take,
        args=(name,),
    )


def _number(name: str, value: int, low: int, high: int) -> None:
    """Show a setting that is a whole number."""
    key = f"search.{name}"
    st.session_state[key] = value
    text = SEARCH_TEXTS[name]
    # Widened where a study from elsewhere has searched beyond what the page offers.
    st.number_input(
        text.label,
        min_value=min(low, value),
        max_value=max(high, value),
        step=1,
        key=key,
        help=text.help,
        on_change=_take,
        args=(name,),
    )


def _flag(name: str, value: bool) -> None:
    """Show a setting that is yes or no."""
    key = f"search.{name}"
    st.session_state[key] = value
    text = SEARCH_TEXTS[name]
    st.toggle(text.label, key=key, help=text.help, on_change=_take, args=(name,))


def _take(name: str) -> None:
    """Take over one value."""
    plan, value = state.search_plan(), st.session_state[f"search.{name}"]
    if name == "penalties":
        plan = with_penalties(plan, value, state.fit_settings())
    elif name == "n_trials":
        plan = replace(plan, n_trials=None if value == usual_trials(plan) else value)
    else:
        plan = replace(plan, **{name: value})
    state.set_search_plan(plan)
