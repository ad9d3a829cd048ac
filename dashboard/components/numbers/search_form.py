"""The settings of a search for a model of a number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import streamlit as st

from dashboard.components import words
from dashboard.session import widgets
from dashboard.session.opened import OpenTable
from dashboard.texts.number_fit import SEARCH
from proset.common.words import count_words
from proset.selection.number_plan import FEWEST_ROWS, MOST_JOINED, MOST_ROWS, MOST_TRIALS
from proset.selection.plan import LARGEST_SEED, MOST_BATCHES, MOST_FOLDS

_BOUNDS = {
    "n_trials": (1, MOST_TRIALS),
    "n_folds": (2, MOST_FOLDS),
    "max_batches": (1, MOST_BATCHES),
    "n_joined": (1, MOST_JOINED),
    "max_rows": (FEWEST_ROWS, MOST_ROWS),
    "random_state": (0, LARGEST_SEED),
}


def show(opened: OpenTable) -> None:
    """Show what is tried, and how many fits that takes; a change makes a study that was searched stale."""
    plan = opened.number_plan
    with st.container(border=True):
        grid = st.grid(3, min_column_width=210, gap="medium")
        for name, (low, high) in _BOUNDS.items():
            with grid.cell():
                _held(opened, st.number_input, name, low, high, clearable=name == "max_rows", placeholder="all", step=1)
        for name in ("drop_columns", "bend_target"):
            with grid.cell():
                _held(opened, st.checkbox, name)
        fits = f"{count_words(plan.n_trials, 'setting')} × {count_words(plan.n_folds, 'fold')}"
        each = f"each with up to {count_words(plan.max_batches, 'batch', 'batches')}"
        last = "then a last look at the best of them on each fold"
        last += f", {count_words(plan.n_joined, 'fit')} joined" if plan.n_joined > 1 else ""
        first = f"{count_words(len(plan.scales), 'scale')} of numbers on each fold, then " if plan.scales else ""
        said = f"{first}{fits}, {each}, {last}, and the model on all training rows."
        st.caption(f":material/calculate: {words.caption(said)}")


def _held(opened: OpenTable, draw: Callable[..., Any], name: str, *of: Any, **options: Any) -> None:
    """Show one setting."""
    (label, help_text), value = SEARCH[name], getattr(opened.number_plan, name)
    taken = partial(_take, opened, name)
    widgets.held(draw, label, *of, key=f"number.search.{name}", value=value, taken=taken, help=help_text, **options)


def _take(opened: OpenTable, name: str, value: Any) -> None:
    """Take over one value; an emptied field changes nothing, but for the rows, which it takes all."""
    if value is not None or name == "max_rows":
        opened.edit(plan=replace(opened.number_plan, **{name: value}))
