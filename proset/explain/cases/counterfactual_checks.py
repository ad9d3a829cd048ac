"""Wishes for counterfactuals, checked: the classes that are to be said, the columns that may change, the numbers."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.errors import StudyError
from proset.common.words import listed, shown
from proset.explain.cases.value_range import ValueKind, ValueRange
from proset.explain.subject import Subject
from proset.study.case import Case


def wanted_classes(subject: Subject, to: str | None, now: int) -> NDArray[np.int64]:
    """Return the places of the classes of which one is to be said."""
    every = np.arange(len(subject.classes))
    if to is None:
        return every[every != now]
    to = str(to)  # labels may be numbers or truth values
    if to not in subject.classes:
        raise StudyError(
            f"The model knows no class '{shown(to)}'.", hint=f"It knows {listed(subject.classes, most=10)}."
        )
    if subject.classes.index(to) == now:
        raise StudyError(f"'{shown(to)}' is what is said already.", hint="Name another class, or none.")
    return np.array([subject.classes.index(to)])


def check_columns(
    subject: Subject,
    case: Case,
    ranges: Mapping[str, ValueRange],
    locked: Collection[str],
    rise: Collection[str],
    fall: Collection[str],
) -> None:
    """Refuse columns that there are not, or that have no order and may only rise or fall."""
    for what, names in (("locked", locked), ("may_only_rise", rise), ("may_only_fall", fall)):
        if isinstance(names, str):
            raise StudyError(f"'{what}' is one text.", hint=f"Give a list of columns: [{shown(names)!r}].")
        unknown = [name for name in names if name not in case.frame.columns]
        if unknown:
            raise StudyError(
                f"The case has no column {listed(unknown)}, named in '{what}'.",
                column=str(unknown[0]),
                hint=f"The model uses {listed(subject.by_weight, most=10) or 'none'}.",
            )
    for name in (*rise, *fall):
        if name in ranges and ranges[name].kind is ValueKind.LEVEL and name not in locked:
            raise StudyError(
                f"Column '{shown(name)}' holds words without an order, so it cannot only rise or fall.",
                column=name,
                hint="Lock it, or leave it out.",
            )


def checked_share(value: float) -> float:
    """Return a familiarity quantile; refuses what is none."""
    number = isinstance(value, (int, float, np.floating)) and not isinstance(value, bool)
    if not number or not 0.0 <= value <= 1.0:
        raise StudyError(
            f"'least_familiarity' is {value!r}; it has to be a number from 0 to 1.", hint="0.2 is the usual number."
        )
    return float(value)


def coupled_columns(subject: Subject, case: Case, locked: Collection[str]) -> set[str]:
    """Return columns that stay because others would change with them: dates and days, times and hours."""
    if subject.study is None:
        return set()
    matter, there = {*subject.by_weight, *locked}, set(case.frame.columns)
    made = [one for one in subject.study.table.derived if one.name in matter and there.issuperset(one.columns)]
    stays: set[str] = set()
    for entry in made:
        others = {column for other in made if other is not entry for column in other.columns}
        # Without its dates there is nothing that could move.
        if entry.columns[-1] in matter | others or pd.isna(case.cells[entry.name]):
            stays.add(entry.name)
        stays |= matter.intersection(entry.columns)
    return stays


def with_what_follows(subject: Subject, columns: Collection[str]) -> set[str]:
    """Return columns that may go one way only, with what is counted to them: the second date moves with the days."""
    derived = () if subject.study is None else subject.study.table.derived
    return {*columns, *(entry.name for entry in derived if entry.columns[-1] in columns)}


def checked_count(value: int) -> int:
    """Return how many answers are wanted; refuses what is no number of them."""
    if not isinstance(value, (int, np.integer)) or isinstance(value, bool) or value < 1:
        raise StudyError(
            f"'n_answers' is {value!r}; it has to be a whole number from 1.", hint="3 is the usual number."
        )
    return int(value)
