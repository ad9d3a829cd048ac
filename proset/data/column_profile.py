"""Contents of the columns of a table: distribution by class, extremes, and the relation to the target."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.words import number, shown
from proset.data.cells import date_word, read_numbers, read_words, word_of
from proset.data.classes import moment_of
from proset.data.date_cells import read_dates
from proset.data.level_order import in_evident_order
from proset.data.levels import MISSING, POOLED
from proset.data.profile import CellKind, Profile
from proset.data.relation import random_folds, relation
from proset.data.table import Table

#: Rows that are looked at, at most and at least, and cells altogether; more rows change a figure by less than a pixel.
MOST_ROWS, FEWEST_ROWS, MOST_CELLS = 20_000, 1_000, 4_000_000
MOST_COLUMNS = 1_000

_BARS = 20
_LARGEST_ROUND = 1e15  # above, numbers have no digits to spare
_LEVELS = 12
_LEVELS_FOR_RELATION = 20
_MOST_RANGES = 10
_ROWS_PER_RANGE = 25


@dataclass(frozen=True, eq=False)
class ColumnProfile:
    """Contents of one column.

    Attributes
    ----------
    name : str
        The column.
    kind : CellKind
        What its cells hold.
    n_rows, n_missing, n_distinct : int
        Of all rows of the table: rows, missing cells, different values.
    low, typical, high : str
        Of all rows: smallest and largest number or date; the median, or the most frequent word. Empty where there is
        none.
    bars : tuple of str
        What each bar of the distribution stands for.
    edges : ndarray of float, shape (n + 1,), or None
        Borders of the first n bars where they are ranges of numbers, or of days since 1970 for dates; a bar for missing
        cells may follow.
    counts : ndarray of int, shape (bars, classes)
        Rows looked at by bar and class, in the order of the classes; one column where no class is known.
    relation : float
        How much the column alone says about the target, see :func:`proset.data.relation.relation`; NaN where that
        cannot be measured.
    """

    name: str
    kind: CellKind
    n_rows: int
    n_missing: int
    n_distinct: int
    low: str
    typical: str
    high: str
    bars: tuple[str, ...]
    edges: NDArray[np.float64] | None
    counts: NDArray[np.int64]
    relation: float


@dataclass(frozen=True, eq=False)
class ColumnProfiles:
    """Contents of the columns of a table.

    Attributes
    ----------
    columns : mapping of str to ColumnProfile
        In table order, without the target; at most :data:`MOST_COLUMNS`.
    classes : tuple of str
        Classes by which rows are counted; empty where none are known.
    n_rows : int
        Rows looked at for distributions and relation.
    n_available : int
        Rows that these were drawn from.
    n_left_out : int
        Columns that were not looked at.
    """

    columns: Mapping[str, ColumnProfile]
    classes: tuple[str, ...]
    n_rows: int
    n_available: int
    n_left_out: int


def profile_columns(table: Table, *, labels: pd.Series | None = None, classes: Sequence[str] = ()) -> ColumnProfiles:
    """Look at every column of a table.

    Parameters
    ----------
    table : Table
        Of any size; at most :data:`MOST_ROWS` rows are drawn for distributions and relation.
    labels : Series of str or None
        Classes of the rows to look at, index row, named like the target: the training rows, so that nobody chooses
        columns by rows that are meant for judging. None looks at all rows, without classes.
    classes : sequence of str
        All classes in their order.

    Examples
    --------
    >>> from proset.data.samples import load_sample
    >>> table = load_sample("penguins")
    >>> found = profile_columns(table)
    >>> column = found.columns["island"]
    >>> column.bars[:2], column.typical, column.n_distinct
    (('Biscoe', 'Dream'), 'Biscoe', 3)
    """
    target = None if labels is None else labels.name
    names = [name for name in table.frame.columns if name != target]
    rows = table.frame.index if labels is None else labels.dropna().index
    drawn = _draw(rows, len(names))
    codes = np.zeros(len(drawn), dtype=np.int64)
    if labels is not None:
        codes = pd.Index(classes).get_indexer(pd.Index(labels.loc[drawn])).astype(np.int64)
    folds, at = random_folds(len(drawn)), table.frame.index.get_indexer(drawn)
    found = {
        name: _profile(table.frame[name], at, table.profiles[name], codes, folds, n_classes=max(len(classes), 1))
        for name in names[:MOST_COLUMNS]
    }
    return ColumnProfiles(found, tuple(classes), len(drawn), len(rows), max(len(names) - MOST_COLUMNS, 0))


def edge_words(edges: NDArray[np.float64], kind: CellKind) -> list[str]:
    """Write the borders of ranges; days without the time unless a range is shorter than a day.

    Examples
    --------
    >>> edge_words(np.array([0.0, 1.5]), CellKind.DATE), edge_words(np.array([0.0, 1.5]), CellKind.NUMBER)
    (['1970-01-01', '1970-01-02'], ['0', '1.5'])
    """
    if kind is not CellKind.DATE:
        return [value_word(edge) for edge in edges.tolist()]
    whole = bool((np.diff(edges) >= 1.0).all())
    return [date_word(moment_of(float(np.floor(edge)) if whole else edge)) for edge in edges.tolist()]


def value_word(value: float) -> str:
    """Write a number; years and the like have no comma."""
    return number(value) if abs(value) >= 10_000.0 else number(value).replace(",", "")


def _draw(rows: pd.Index, n_columns: int) -> pd.Index:
    """Draw rows so that all columns can be looked at in about a second; always the same ones."""
    most = min(max(MOST_CELLS // max(n_columns, 1), FEWEST_ROWS), MOST_ROWS)
    if len(rows) <= most:
        return rows
    return rows[np.sort(np.random.default_rng(0).choice(len(rows), most, replace=False))]


def _profile(
    series: pd.Series,
    at: NDArray[np.intp],
    profile: Profile,
    codes: NDArray[np.int64],
    folds: NDArray[np.int64],
    *,
    n_classes: int,
) -> ColumnProfile:
    """Look at one column: at all rows for extremes, at the rows drawn (positions) for everything else."""
    low = high = ""
    edges = None
    if profile.kind in (CellKind.NUMBER, CellKind.DATE):
        everything = _values(series, profile)
        low, typical, high = _extremes(everything, profile)
        values = everything[at]
        where, bars, edges = _ranges(values, profile)
        cells = _quantile_cells(values)
    else:
        words = read_words(series.iloc[at])
        where, bars = _levels(words, _LEVELS)
        cells, _ = _levels(words, _LEVELS_FOR_RELATION)
        typical = "" if profile.counts is None or profile.counts.empty else shown(profile.counts.index[0])
    counts = np.bincount(where * n_classes + codes, minlength=len(bars) * n_classes).reshape(len(bars), n_classes)
    return ColumnProfile(
        name=profile.name,
        kind=profile.kind,
        n_rows=profile.n_rows,
        n_missing=profile.n_missing,
        n_distinct=profile.n_distinct,
        low=low,
        typical=typical,
        high=high,
        bars=bars,
        edges=edges,
        counts=counts,
        relation=relation(cells, codes, folds, n_classes=n_classes),
    )


def _values(series: pd.Series, profile: Profile) -> NDArray[np.float64]:
    """Return numbers, or days since 1970; NaN where there is none."""
    if profile.kind is CellKind.NUMBER:
        values = read_numbers(series).values
        return np.where(np.isfinite(values), values, np.nan)
    if not isinstance(series.dtype, pd.StringDtype):
        return read_dates(series, None)[0]
    where, words = pd.factorize(series)  # parsing is slow, and days repeat
    days = read_dates(pd.Series(words, dtype="str"), profile.date_format)[0]
    return np.append(days, np.nan)[where]


def _extremes(values: NDArray[np.float64], profile: Profile) -> tuple[str, str, str]:
    """Return the smallest, the middle and the largest value in words."""
    present = values[~np.isnan(values)]
    if len(present) == 0:
        return "", "", ""
    middle = len(present) // 2
    found = float(present.min()), float(np.partition(present, middle)[middle]), float(present.max())
    low, typical, high = (
        date_word(moment_of(day)) if profile.kind is CellKind.DATE else value_word(day) for day in found
    )
    return low, typical, high


def _ranges(
    values: NDArray[np.float64], profile: Profile
) -> tuple[NDArray[np.int64], tuple[str, ...], NDArray[np.float64] | None]:
    """Return the bar of each value, their names, and the borders of ranges; few different values have a bar each."""
    absent = np.isnan(values)
    different = np.unique(values[~absent])
    missing = (MISSING,) if absent.any() else ()
    word = (lambda value: date_word(moment_of(value))) if profile.kind is CellKind.DATE else word_of
    if len(different) <= _LEVELS:
        where = np.where(absent, len(different), np.searchsorted(different, values))
        return where, (*map(word, different.tolist()), *missing), None
    low, high = float(different[0]), float(different[-1])
    round_ones = profile.kind is CellKind.NUMBER and max(abs(low), abs(high)) < _LARGEST_ROUND
    edges = _round_edges(low, high, whole=profile.whole) if round_ones else _plain_edges(low, high)
    n_bars = len(edges) - 1
    where = np.clip(np.searchsorted(edges, values, side="right") - 1, 0, n_bars - 1)
    # Whole numbers stand in the range that begins with them, so that the next one begins behind it.
    last = edges - 1.0 if profile.kind is CellKind.NUMBER and profile.whole else edges
    ends = edge_words(last[1:], profile.kind)
    names = [
        low if low == high else f"{low} to {high}"
        for low, high in zip(edge_words(edges[:-1], profile.kind), ends, strict=True)
    ]
    return np.where(absent, n_bars, where), (*names, *missing), edges


def _round_edges(low: float, high: float, *, whole: bool) -> NDArray[np.float64]:
    """Return round borders of at most twenty ranges of one width that hold all values from `low` to `high`.

    Examples
    --------
    >>> _round_edges(21.5, 37.2, whole=False).tolist()[:3], _round_edges(1.0, 60.0, whole=True).tolist()[:3]
    ([21.0, 22.0, 23.0], [0.0, 5.0, 10.0])
    """
    power = 10.0 ** math.floor(math.log10((high - low) / _BARS))
    steps = (step * power for step in (1.0, 2.0, 2.5, 5.0, 10.0, 20.0) if not whole or (step * power).is_integer())
    for step in steps:
        first = math.floor(low / step)
        count = math.floor(high / step) - first + 1
        edges = np.round((first + np.arange(count + 1)) * step, 12)
        if count <= _BARS and edges[0] <= low and edges[-1] > high and (np.diff(edges) > 0.0).all():
            return edges
    return _plain_edges(low, high)


def _plain_edges(low: float, high: float) -> NDArray[np.float64]:
    """Return the borders of twenty ranges of one width."""
    share = np.arange(_BARS + 1) / _BARS  # of the way; the difference of the largest doubles is not finite
    edges = (1.0 - share) * low + share * high
    edges[-1] = high
    return edges


def _quantile_cells(values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return ranges that hold about the same number of rows each; missing values are a range of their own.

    Each different value goes where the middle of its rows lies, so that a value of most rows (such as 0) keeps apart
    from the others.
    """
    absent = np.isnan(values)
    different, rows = np.unique(values[~absent], return_counts=True)
    if len(different) == 0:
        return np.zeros(len(values), dtype=np.int64)
    parts = min(max(int(rows.sum()) // _ROWS_PER_RANGE, 2), _MOST_RANGES)
    if len(different) <= parts:
        places = np.arange(len(different))
    else:
        places = ((np.cumsum(rows) - rows / 2.0) / rows.sum() * parts).astype(np.int64)
    return np.append(places, places[-1] + 1)[np.where(absent, len(different), np.searchsorted(different, values))]


def _levels(words: pd.Series, most: int) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """Return the bar of each word and their names: the most frequent words in their order, all others, missing."""
    counts = words.value_counts()
    kept = in_evident_order(counts.index[:most].tolist())
    where = pd.Index(kept).get_indexer(pd.Index(words)).astype(np.int64)
    absent = words.isna().to_numpy()
    where[(where < 0) & ~absent] = len(kept)
    others = (POOLED,) if len(counts) > most else ()
    where[absent] = len(kept) + len(others)
    return where, (*map(shown, kept), *others, *((MISSING,) if absent.any() else ()))
