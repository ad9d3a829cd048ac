"""Conditions that a search for error slices looks at, one and two at a time; the errors do not enter here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.data.date_cells import read_dates
from proset.data.issues import Role
from proset.engine.kernels.similarity import single_threaded_blas
from proset.explain.slices.column_values import is_date, is_number, level_texts
from proset.explain.slices.conditions import BETWEEN, Condition, ConditionKind
from proset.explain.value_bins import study_column
from proset.study.any_study import AnyStudy

MOST_LITERALS = 240
"""Conditions that are looked at; two at a time they are some 29,000 parts."""
MOST_COLUMNS = 60
_MOST_CUTS, _MOST_LEVELS = 7, 10
_MOVES = 0.02  # share of the values that a cut may pass where it is rounded
_DIGITS = 15
_LARGEST, _SMALLEST, _LEAST = 0.6, 0.02, 5  # share of all rows; rows


@dataclass(frozen=True, eq=False)
class SliceParts:
    """Conditions and the pairs of them that are looked at, with the rows for which they hold.

    Attributes
    ----------
    conditions : tuple of L Condition
        One at a time.
    holds : float32 array of shape (n, L)
        1 where a condition holds for a row.
    first, second : int64 array of shape (S,)
        Positions of the conditions of each part that is looked at; equal where it has one.
    sizes : int64 array of shape (S,)
        Number of rows of each.
    n_columns, n_left_out : int
        Columns that were looked at, and columns for which there was no time.
    """

    conditions: tuple[Condition, ...]
    holds: NDArray[np.float32]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    sizes: NDArray[np.int64]
    n_columns: int = 0
    n_left_out: int = 0

    def __len__(self) -> int:
        return len(self.first)

    def member(self, place: int) -> NDArray[np.bool_]:
        """Tell which rows belong to a part."""
        found: NDArray[np.bool_] = (self.holds[:, self.first[place]] * self.holds[:, self.second[place]]) > 0
        return found


def candidates(study: AnyStudy, rows: NDArray[np.int64]) -> SliceParts:
    """Return what is looked at among some rows of a study: its features, those that the model uses first.

    Parameters
    ----------
    rows : ndarray of int64
        Row ids; cuts are quantiles of their values.
    """
    used = set(study.used_columns)
    dates = [name for name in study.roles.features if study.roles.by_column[name] is Role.DATE]
    # Dates of which the model has learned nothing are still text: days and months may be in another order.
    unread = {name for name in dates if not is_date(study_column(study, name))}
    names = [name for name in study.roles.features if name not in unread]
    names.sort(key=lambda name: name not in used)  # stable: else in the order of the table
    looked = names[:MOST_COLUMNS]
    index = pd.Index(rows)
    frame = pd.DataFrame({name: study_column(study, name).loc[index] for name in looked}, index=index)
    each = max(2, MOST_LITERALS // max(1, len(looked)))
    found: list[Condition] = []
    for name in looked:
        if study.roles.by_column[name] is Role.DATE:
            found += _of_ranges(frame[name], read_dates(frame[name], None)[0], each, ConditionKind.DATES, rounded_date)
        elif is_number(frame[name]) and study.roles.by_column[name] is Role.NUMERIC:
            values = frame[name].to_numpy(dtype=np.float64, na_value=np.nan)
            found += _of_ranges(frame[name], values, each, ConditionKind.RANGE, rounded_cut)
        else:
            found += _of_levels(frame[name], each)
    return paired(found[:MOST_LITERALS], frame, n_left_out=len(names) - len(looked))


def paired(conditions: list[Condition], frame: pd.DataFrame, *, n_left_out: int = 0) -> SliceParts:
    """Put conditions on columns together, one and two at a time, where enough rows are in and out of the part.

    Parameters
    ----------
    frame : DataFrame
        The n rows; has the columns of the conditions.
    """
    n = len(frame)
    # Once per column, not per level.
    texts = {name: level_texts(frame[name]) for name in {each.name for each in conditions if each.values}}
    columns = [
        texts[each.name].isin(each.values).to_numpy(dtype=bool) if each.values else each.among(frame[each.name])
        for each in conditions
    ]
    holds = np.stack(columns, axis=1).astype(np.float32) if columns else np.zeros((n, 0), dtype=np.float32)
    with single_threaded_blas():
        together = holds.T @ holds
    names = pd.factorize(np.asarray([condition.name for condition in conditions], dtype=object))[0]
    kinds = np.asarray([condition.kind in BETWEEN for condition in conditions], dtype=bool)
    upper = np.asarray([condition.high is not None for condition in conditions], dtype=bool)
    other = names[:, None] != names
    between = (names[:, None] == names) & kinds[:, None] & kinds & (upper[:, None] != upper)
    allowed = np.triu(other | between, 1)
    np.fill_diagonal(allowed, True)
    least = max(_LEAST, int(np.ceil(_SMALLEST * n)))
    allowed &= (together >= least) & (together <= _LARGEST * n)
    # A second condition that leaves out next to nobody says nothing.
    own = np.minimum(np.diag(together)[:, None], np.diag(together))
    allowed &= (together <= 0.95 * own) | np.eye(len(conditions), dtype=bool)
    first, second = (places.astype(np.int64) for places in np.nonzero(allowed))
    sizes = np.rint(together[first, second]).astype(np.int64)
    return SliceParts(tuple(conditions), holds, first, second, sizes, frame.shape[1], n_left_out)


def rounded_cut(value: float, ordered: NDArray[np.float64]) -> float:
    """Return a number near a cut with as few digits as pass next to no value.

    Examples
    --------
    >>> rounded_cut(43.87, np.linspace(30.0, 60.0, 100)), rounded_cut(0.01234, np.linspace(0.01234, 0.5, 1000))
    (44.0, 0.01)
    """
    place = np.searchsorted(ordered, value)
    for digits in range(1, _DIGITS):
        near = float(f"{value:.{digits}g}")
        if abs(int(np.searchsorted(ordered, near)) - int(place)) <= _MOVES * len(ordered):
            return near
    return value


def rounded_date(days: float, ordered: NDArray[np.float64]) -> float:
    """Return the begin of a year, a month or a day near a cut, of the longest of them that passes next to no value.

    Examples
    --------
    >>> days = np.arange(18_993.0, 20_454.0)  # 2022 to 2025
    >>> [np.datetime64(int(rounded_date(cut, days)), "D").item().isoformat() for cut in (19_729.0, 19_800.0, 19_804.5)]
    ['2024-01-01', '2024-04-01', '2024-04-01']
    """
    day = np.datetime64(int(np.floor(days)), "D")
    place = int(np.searchsorted(ordered, days))
    for unit in ("Y", "M", "D"):
        start = day.astype(f"datetime64[{unit}]")
        ends = [float(end.astype("datetime64[D]").astype(np.int64)) for end in (start, start + 1)]
        near = min(ends, key=lambda end: abs(end - days))
        if abs(int(np.searchsorted(ordered, near)) - place) <= _MOVES * len(ordered):
            return near
    return days


def _of_ranges(
    column: pd.Series,
    values: NDArray[np.float64],
    most: int,
    kind: ConditionKind,
    rounded: Callable[[float, NDArray[np.float64]], float],
) -> list[Condition]:
    """Return conditions on a column of numbers or dates: below and from some quantiles on, and missing."""
    name = str(column.name)
    ordered = np.sort(values[np.isfinite(values)])
    missing = [Condition.missing(name)] if column.isna().any() else []
    n_cuts = min(_MOST_CUTS, max(1, (most - len(missing)) // 2))
    if not len(ordered):
        return missing
    at = np.quantile(ordered, np.arange(1, n_cuts + 1) / (n_cuts + 1), method="higher")
    cuts = dict.fromkeys(rounded(float(cut), ordered) for cut in at)
    inside = [cut for cut in cuts if ordered[0] < cut <= ordered[-1]]
    ends = [(None, cut) for cut in inside] + [(cut, None) for cut in inside]
    return [Condition(kind, name, low, high) for low, high in ends] + missing


def _of_levels(column: pd.Series, most: int) -> list[Condition]:
    """Return conditions on a column of words: its most frequent levels, and missing."""
    name = str(column.name)
    missing = [Condition.missing(name)] if column.isna().any() else []
    counts = level_texts(column).value_counts()
    frequent = counts[counts >= _LEAST].index[: min(_MOST_LEVELS, max(1, most - len(missing)))]
    return [Condition.levels(name, [str(level)]) for level in frequent] + missing
