"""A slice is made: at most two conditions, each on a column or on what the model says."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import words
from dashboard.services.cases import CaseRef, CaseSource
from dashboard.services.numbers import number_walk
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import slices as text
from proset.common.errors import StudyError
from proset.data.level_order import in_evident_order
from proset.explain.slices.column_values import is_date, is_number, level_texts
from proset.explain.slices.conditions import MOST_ROWS, MOST_VALUES, Condition, ConditionKind
from proset.explain.slices.slice import LONGEST_NAME, Slice
from proset.explain.value_bins import study_column
from proset.study import Study

if TYPE_CHECKING:
    from proset.study.any_study import AnyStudy

_OF_ROW = (text.OF_FAMILIARITY, text.OF_PART, text.OF_LIST)
_OF_CLASSES = (text.OF_ESTIMATE, text.OF_RESULT, *_OF_ROW)
_OF_NUMBER = (text.OF_MEDIAN, text.OF_INTERVAL, *_OF_ROW)
_MOST_OFFERED = 1_000
_SEVERAL = {
    text.OF_RESULT: (ConditionKind.RESULT, text.RESULTS),
    text.OF_INTERVAL: (ConditionKind.RESULT, text.INTERVALS),
    text.OF_PART: (ConditionKind.PART, text.PARTS),
}
_FIRST_DAY, _LAST_DAY = date(1, 1, 1), date(9999, 12, 30)
OPEN = "slices.new"
"""Key of the switch that opens the editor."""


def show(session: Session, study: AnyStudy) -> None:
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
        count = len(made.rows(study, session.every_row(study)))
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


def _condition(session: Session, study: AnyStudy, place: int) -> Condition | None:
    """Ask for one condition; None while there is none.

    Raises
    ------
    StudyError
        If it cannot be meant.
    """
    columns = [str(name) for name in study.table.frame.columns]
    others = _OF_CLASSES if isinstance(study, Study) else _OF_NUMBER
    options = range(1 + len(others) + len(columns))
    names = [text.NOTHING_MORE if place else "...", *others, *(words.bare(name) for name in columns)]
    key = f"slices.editor.{place}"
    label = (text.FIRST, text.SECOND)[place]
    chosen = st.selectbox(label, options, format_func=names.__getitem__, key=key)
    if not chosen:
        return None
    if chosen > len(others):
        return _of_column(study, columns[chosen - 1 - len(others)], key)
    return _of_model(session, study, others[chosen - 1], key)


def _of_column(study: AnyStudy, name: str, key: str) -> Condition | None:
    """Ask for a range or for levels of a column."""
    column = study_column(study, name)
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
    levels = in_evident_order(level_texts(column).value_counts().index[:_MOST_OFFERED].astype(str).tolist())
    values = _several(text.LEVELS, levels, [words.bare(level) for level in levels], f"{widget}.levels")
    return Condition.levels(name, values) if values else None


def _of_model(session: Session, study: AnyStudy, what: str, key: str) -> Condition | None:
    """Ask for what the model says, where a row belongs, or take the cases that are listed."""
    if what == text.OF_LIST:
        cases = _listed(session, study)
        rows = tuple(case.row for case in cases if case.source is CaseSource.TABLE)[:MOST_ROWS]
        return Condition(ConditionKind.ROWS, rows=rows)
    if what in _SEVERAL:
        kind, of = _SEVERAL[what]
        values = _several(text.LEVELS, list(of), list(of.values()), f"{key}.{next(iter(of))}")
        return Condition(kind, values=tuple(values)) if values else None
    if what == text.OF_MEDIAN:
        kind, name, (low, high) = ConditionKind.MEDIAN, "", _range(f"{key}.median")
    elif what == text.OF_ESTIMATE and isinstance(study, Study):
        place = st.selectbox(
            text.CLASS,
            range(len(study.classes)),
            format_func=lambda place: words.bare(study.classes[place]),
            key=f"{key}.class",
        )
        kind, name, (low, high) = ConditionKind.ESTIMATE, study.classes[place], _range(f"{key}.share", share=True)
    else:
        kind, name, (low, high) = ConditionKind.FAMILIARITY, "", _range(f"{key}.share", share=True)
    return None if low is None and high is None else Condition(kind, name, low, high)


def _listed(session: Session, study: AnyStudy) -> tuple[CaseRef, ...]:
    """Return the cases that are looked through now."""
    if isinstance(study, Study):
        return session.cases.cases(session.judged(study))
    if session.cases.picked is not None:
        return session.cases.picked
    lines = number_walk.rows_of(study.predictions, session.part, session.get(number_walk.LIST), session.within)
    return tuple(map(CaseRef.in_table, lines.index))


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
