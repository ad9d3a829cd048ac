"""The cases that are looked through as a list in which one can be picked."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import streamlit as st

from dashboard import cache
from dashboard.components import line_list, page, tables, words
from dashboard.services.case_list import MOST_IN_WORDS, listed
from dashboard.services.cases import CaseSet, Picker
from dashboard.session.session import Session

if TYPE_CHECKING:
    import pandas as pd

    from proset.study import Study
    from proset.study.decision import DecisionRule

_LINES_SHOWN = 8
# Pixels, so that all columns, an identifier too, fit into the narrowest place; a wide one also has room for words.
_NARROW, _MIDDLE, _SHARE = 46, 73, 66
_LETTER, _CLASS = 8, 108  # of the name of a class, and the most that it gets


def lines(session: Session, study: Study, cases: CaseSet) -> pd.DataFrame:
    """Return the cases of a set with what there is to say about them; computed once per study and rule."""
    return cache.derived(_lines, study, cases, session.rule)


def _lines(study: Study, cases: CaseSet, rule: DecisionRule) -> pd.DataFrame:
    return listed(study, cache.judged(study, rule), cases)


def show(
    session: Session,
    study: Study,
    *,
    key: str,
    title: bool = True,
    wide: bool = False,
    tools: Callable[[], None] = lambda: None,
) -> None:
    """Show the list; picking a line selects the case on every page. Without `title` the page says what is listed.

    A `wide` one has room to say in words how familiar each case is. `tools` stand beside the title.
    """
    cases = session.cases
    frame = lines(session, study, cases)
    if title:
        with st.container(horizontal=True, vertical_alignment="center"):
            _head(session, cases, len(frame), key=key)
            tools()
    _note(cases, len(frame))
    if frame.empty:
        return
    line_list.show_cases(
        session,
        f"{key}.errors.{cases.key}",
        tables.in_words(frame, ["confidence", "familiarity"]),
        rows=frame.index,
        lines=_LINES_SHOWN,
        columns=_columns(study, words_shown=wide and len(frame) <= MOST_IN_WORDS),
        alt=f"List of {words.bare(cases.words)}.",
    )


def _head(session: Session, cases: CaseSet, count: int, *, key: str) -> None:
    """Say what is listed, with the way back to the usual list."""
    usual = session.usual_cases
    there = count if cases.picked is None else len(cases.picked)  # of picked ones, some may be no rows of the table
    title = "Misclassified cases" if cases == usual else words.label(cases.counted(there))
    page.section(title[:1].upper() + title[1:])
    if cases != usual:
        st.button(
            f"Back to all {usual.words}",
            key=f"{key}.errors.back",
            icon=":material/undo:",
            type="tertiary",
            on_click=session.look_through,
            args=(None,),
        )


def _note(cases: CaseSet, count: int) -> None:
    """Say how the list is ordered and used."""
    if not count:
        elsewhere = cases.by is Picker.NEW and bool(cases.picked)
        st.caption("They are not rows of the table." if elsewhere else f"No {words.caption(cases.words)}.")
        return
    order = words.caption(cases.order_words)
    st.caption(
        f"{order[:1].upper()}{order[1:]}. Tick a line to select the case (with the keyboard: Shift and the space bar); "
        "click a heading to sort."
    )


def _columns(study: Study, *, words_shown: bool) -> dict[str, Any]:
    """Return how the columns of the list look."""
    config = st.column_config
    share = "Share of held-out rows that are at most as familiar as this case."
    longest = min(_LETTER * max(map(len, study.classes)) + 16, _CLASS)
    names = len(study.naming_columns)
    of_class = _MIDDLE if names > 1 and not words_shown else max(longest, _MIDDLE)
    nobody = study.prototypes.empty  # each case is as familiar as any other: not at all
    crowded = (names > 1 or (names and of_class > _MIDDLE)) and not words_shown  # two names, or one and long classes
    return {
        "row": config.NumberColumn("Row", format="%d", width=_NARROW),
        **{name: config.Column(width=_MIDDLE) for name in study.naming_columns},
        "actual": config.TextColumn("Actual", width=of_class),
        "predicted": config.TextColumn("Estimate", width=of_class),
        "confidence": config.NumberColumn("Prob.", width=_SHARE, help="Probability of the estimated class."),
        "familiarity": None if crowded or nobody else config.NumberColumn("Familiar", width=_SHARE, help=share),
        "in words": config.TextColumn("Familiar and near") if words_shown else None,
        "part": None,
    }
