"""A slice is made: at most two conditions, each on a column or on what the model says."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import words
from dashboard.services.cases import CaseSource
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import slices as text
from proset.common.errors import StudyError
from proset.explain.slices.conditions import (
    MOST_ROWS,
    MOST_VALUES,
    Condition,
    ConditionKind,
    is_date,
    is_number,
    level_texts,
)
from proset.explain.slices.slice import LONGEST_NAME, Slice

if TYPE_CHECKING:
    from proset.study import Study

_OTHERS = (text.OF_ESTIMATE, text.OF_RESULT, text.OF_FAMILIARITY, text.OF_PART, text.OF_LIST)
_MOST_OFFERED = 1_000
_FIRST_DAY, _LAST_DAY = date(1, 1, 1), date(9999, 12, 30)
OPEN = "slices.new"
"""Key of the switch that opens the editor."""


def show(session: Session, study: Study) -> None:
    """Ask for the conditions and a name; the slice is kept and followed."""
    name = st.text_input(
        text.NAME, key="slices.editor.name", max_chars=LONGEST_NAME, placeholder=words.bare(text.NAME_PLACE)
    )
    try:
        given = [_condition(session, study, place) for place in (0, 1)]
        conditions = tuple(each for each in given if each is not None)
        made = Slice(conditions, name) if conditions else None
    except StudyError as error:
        words.notice("warning", error)
        made = None
    if made is None:
        st.caption(text.NO_CONDITION)
    else:
        count = len(made.rows(study, session.judged(study)))
        st.caption(words.caption(f"{made.words}: {count:,} of {len(study.table.frame):,} rows."))

    def save() -> None:
        if made is not None:
            keep(session, made)
            widgets.shows(OPEN, False)

    st.button(text.SAVE, key="slices.editor.save", disabled=made is None, on_click=save)


def keep(session: Session, made: Slice) -> None:
    """Keep a slice and follow it."""
    if session.opened is not None:
        session.opened.keep_slice(made)
        session.follow(made)


def _condition(session: Session, study: Study, place: int) -> Condition | None:
    """Ask for one condition; None while there is none.

    Raises
    ------
    StudyError
        If it cannot be meant.
    """
    columns = [str(name) for name in study.table.frame.columns]
    options = range(1 + len(_OTHERS) + len(columns))
    names = [text.NOTHING_MORE if place else "...", *_OTHERS, *(words.bare(name) for name in columns)]
    key = f"slices.editor.{place}"
    label = (text.FIRST, text.SECOND)[place]
    chosen = st.selectbox(label, options, format_func=names.__getitem__, key=key)
    if not chosen:
        return None
    if chosen > len(_OTHERS):
        return _of_column(study, columns[chosen - 1 - len(_OTHERS)], key)
    return _of_model(session, study, _OTHERS[chosen - 1], key)


def _of_column(study: Study, name: str, key: str) -> Condition | None:
    """Ask for a range or for levels of a column."""
    column = study.table.frame[name]
    widget = f"{key}.{study.table.frame.columns.get_loc(name)}"
    if column.isna().any() and st.checkbox(text.MISSING, key=f"{widget}.missing"):
        return Condition.missing(name)
    if is_date(column):
        with st.container(horizontal=True):
            start, end = (_day(label, f"{widget}.{label}") for label in (text.FROM, text.BEFORE))
        return None if start is None and end is None else Condition.dated(name, start, end)
    if is_number(column):
        low, high = _range(widget)
        return None if low is None and high is None else Condition.between(name, low, high)
    levels = level_texts(column).value_counts().index[:_MOST_OFFERED].astype(str).tolist()
    values = _several(text.LEVELS, levels, [words.bare(level) for level in levels], f"{widget}.levels")
    return Condition.levels(name, values) if values else None


def _of_model(session: Session, study: Study, what: str, key: str) -> Condition | None:
    """Ask for what the model says, where a row belongs, or take the cases that are listed."""
    if what == text.OF_LIST:
        cases = session.cases.cases(session.judged(study))
        rows = tuple(case.row for case in cases if case.source is CaseSource.TABLE)[:MOST_ROWS]
        return Condition(ConditionKind.ROWS, rows=rows)
    if what in (text.OF_RESULT, text.OF_PART):
        of = text.RESULTS if what == text.OF_RESULT else text.PARTS
        values = _several(text.LEVELS, list(of), list(of.values()), f"{key}.{next(iter(of))}")
        kind = ConditionKind.RESULT if what == text.OF_RESULT else ConditionKind.PART
        return Condition(kind, values=tuple(values)) if values else None
    name = ""
    if what == text.OF_ESTIMATE:
        place = st.selectbox(
            text.CLASS,
            range(len(study.classes)),
            format_func=lambda place: words.bare(study.classes[place]),
            key=f"{key}.class",
        )
        name = study.classes[place]
    low, high = _range(f"{key}.share", share=True)
    kind = ConditionKind.ESTIMATE if name else ConditionKind.FAMILIARITY
    return None if low is None and high is None else Condition(kind, name, low, high)


def _day(label: str, key: str) -> date | None:
    """Ask for a day; it may be left out."""
    return st.date_input(label, None, _FIRST_DAY, _LAST_DAY, key, format="YYYY-MM-DD")


def _range(key: str, *, share: bool = False) -> tuple[float | None, float | None]:
    """Ask for both ends of a range; either may be left out."""
    least, most, step, told = (0.0, 1.0, 0.05, text.QUANTILE) if share else (None, None, None, None)

    def end(label: str, which: str) -> float | None:
        return st.number_input(
            label, least, most, None, step, format="%g", key=f"{key}.{which}", help=told if which == "low" else None
        )

    with st.container(horizontal=True):
        low, high = end(text.FROM, "low"), end(text.BELOW, "high")
    return low, high


def _several(label: str, values: list[str], names: list[str], key: str) -> list[str]:
    """Ask for some of a few values."""
    places = st.multiselect(
        label, range(len(values)), format_func=names.__getitem__, key=key, max_selections=MOST_VALUES
    )
    return [values[place] for place in places]
