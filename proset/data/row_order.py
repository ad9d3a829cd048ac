"""Order of the rows: whether neighbours are alike, and whether the file is merely sorted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.words import count_words, shown
from proset.data.cells import read_numbers
from proset.data.date_cells import read_dates
from proset.data.identifiers import name_words, numbering
from proset.data.issues import Issue, Role, Severity
from proset.data.profile import CellKind, Profile
from proset.data.split import SplitSettings
from proset.data.split_candidates import ROW_ORDER, TIMES, repeated_identifiers
from proset.data.split_columns import group_codes
from proset.data.split_parts import FEWEST_TRAINING_ROWS

SORTED_ROWS = "sorted_rows"
"""Code of the finding that the file is sorted by the class or by a column."""

ALIKE = 0.2
"""Correlation of a column with itself one row later from which on neighbours count as alike."""

_FEWEST_ROWS, _MOST_ROWS = 60, 4_000
_BLOCKS = 8  # of neighbouring rows that are looked at in a long file
_MOST_COLUMNS, _MOST_CLASSES = 60, 50
_SHUFFLES, _BEYOND = 100, 1.25  # and how far beyond all of them
_FIRST_LOOK = 30  # rows that tell of most columns that nothing is sorted by them
_FEWEST_VALUES = 10  # of a column that rows may be sorted by

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RowOrder:
    """Likeness of neighbouring rows.

    Attributes
    ----------
    column : str or None
        The feature in which neighbours are most alike; None where the class is.
    correlation : float
        Of the column with itself one row later; of a feature, within the classes.
    shuffled : float
        The largest such correlation of any column in a hundred shuffles of the rows.
    n_alike, n_columns : int
        Features in which neighbours are alike, of those looked at.
    """

    column: str | None
    correlation: float
    shuffled: float
    n_alike: int
    n_columns: int


def order_issues(
    frame: pd.DataFrame,
    profiles: Mapping[str, Profile],
    roles: Mapping[str, Role],
    labels: pd.Series,
    *,
    kind: str = "class",
) -> list[Issue]:
    """Say whether the order of the rows matters for how they are split.

    Parameters
    ----------
    frame : DataFrame
        The table, index row.
    roles : mapping of str to Role
        A role per column; features are compared.
    labels : Series of str
        Class of each row, index row, name of the target.
    kind : str
        What the labels are: "third" where the target is a number.

    Returns
    -------
    list of Issue
        At most one: neighbours are alike (:data:`ROW_ORDER`; its column is the one with the times that the rows are
        sorted by, if there is one), or the rows are sorted by something that is no time (:data:`SORTED_ROWS`).

    Examples
    --------
    >>> from proset.data.profile import profile_column
    >>> heat = np.sin(np.arange(400) / 20.0)
    >>> frame = pd.DataFrame({"heat": heat}, index=range(1, 401))
    >>> labels = pd.Series(np.where(heat > 0.2, "on", "off"), index=frame.index, name="fan")
    >>> profiles = {"heat": profile_column(frame["heat"])}
    >>> [issue.code for issue in order_issues(frame, profiles, {"heat": Role.NUMERIC}, labels)]
    ['row_order']
    >>> mixed, order = np.random.default_rng(0), frame.index
    >>> rows = mixed.permutation(order)
    >>> order_issues(frame.loc[rows], profiles, {"heat": Role.NUMERIC}, labels.loc[rows])
    []
    """
    codes = pd.factorize(labels)[0].astype(np.int64)
    rows = _one_of_each(frame, profiles, roles, np.flatnonzero(codes >= 0))
    n_classes = int(codes.max(initial=-1)) + 1
    if len(rows) < _FEWEST_ROWS or not 2 <= n_classes <= _MOST_CLASSES:
        return []
    by_class = int(np.count_nonzero(np.diff(codes[rows]))) < n_classes
    column = _sorted_by(frame, profiles, roles, rows)
    if column is not None and not _is_time(profiles[column]):
        return [_sorted(f"'{shown(column)}'", column)]
    rows = _blocks(rows)
    found = row_order(_ranks(frame.iloc[rows], profiles, roles, codes[rows]), codes[rows], by_class=by_class)
    if found is not None:
        return [_alike(found, str(labels.name), column, splits=_can_hold_out_last(codes, column, kind), kind=kind)]
    return [_sorted(f"the target '{shown(labels.name)}'", str(labels.name))] if by_class else []


def row_order(ranks: pd.DataFrame, codes: Codes, *, by_class: bool = False) -> RowOrder | None:
    """Compare how alike neighbours are with a hundred shuffles of the rows.

    Parameters
    ----------
    ranks : DataFrame
        One column per feature, in the order of the file, standardised within each class: a file that is sorted by class
        has nothing else to say then.
    codes : ndarray of int64, shape (n,)
        Class of each row.
    by_class : bool
        Whether the rows are sorted by class, whose own order then does not count.

    Returns
    -------
    RowOrder or None
        None where no column is clearly more alike than any is in every shuffle, and by :data:`ALIKE` at least.
    """
    matrix = ranks.to_numpy(dtype=np.float64)

    def one_row_later(order: NDArray[np.intp]) -> Floats:
        """Correlate the features with themselves within the classes, and the classes last."""
        own = codes[order]
        matrix_of = matrix[order[np.argsort(own, kind="stable")]]
        features = np.einsum("ij,ij->j", matrix_of[:-1], matrix_of[1:]) / len(order)
        return np.append(features, 0.0 if by_class else _same_class(own))

    found = one_row_later(np.arange(len(codes)))
    rng = np.random.default_rng(0)
    chance = max(float(one_row_later(rng.permutation(len(codes))).max()) for _ in range(_SHUFFLES))
    best, least = int(found.argmax()), max(_BEYOND * chance, ALIKE)
    if found[best] <= least:
        return None
    alike = int((found[:-1] > least).sum())
    name = str(ranks.columns[best]) if best < len(ranks.columns) else None
    return RowOrder(name, float(found[best]), chance, alike, len(ranks.columns))


def _same_class(codes: Codes) -> float:
    """Return how much oftener than by chance the next row is of the same class: 0 as by chance, 1 always."""
    chance = float(((np.bincount(codes) / len(codes)) ** 2).sum())
    return (float((codes[:-1] == codes[1:]).mean()) - chance) / (1.0 - chance) if chance < 1.0 else 0.0


def _one_of_each(
    frame: pd.DataFrame, profiles: Mapping[str, Profile], roles: Mapping[str, Role], rows: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Keep the first row of each thing that is named in several rows: those are alike anyway, and that is asked."""
    named = repeated_identifiers(profiles, roles)
    if not named:
        return rows
    return np.sort(rows[np.unique(group_codes(frame[named[0]].iloc[rows]), return_index=True)[1]])


def _blocks(rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Keep some blocks of neighbouring rows of a long file."""
    if len(rows) <= _MOST_ROWS:
        return rows
    size = _MOST_ROWS // _BLOCKS
    starts = np.linspace(0, len(rows) - size, _BLOCKS).astype(np.intp)
    return rows[(starts[:, None] + np.arange(size)).ravel()]


def _ranks(
    frame: pd.DataFrame, profiles: Mapping[str, Profile], roles: Mapping[str, Role], codes: Codes
) -> pd.DataFrame:
    """Return the ranks of numbers and truth values within each class, standardised; 0 where a cell is missing."""
    usable = (
        name
        for name, profile in profiles.items()
        if roles[name] in (Role.NUMERIC, Role.BOOLEAN) and profile.n_distinct > 1 and not _counts_rows(profile)
    )
    cells = {name: read_numbers(frame[name]).values for name in islice(usable, _MOST_COLUMNS)}
    values = pd.DataFrame(cells, index=range(len(codes)))
    if values.empty:
        return values
    ranks = values.where(np.isfinite(values)).groupby(codes).rank()
    groups = ranks.groupby(codes)
    return ((ranks - groups.transform("mean")) / groups.transform("std").replace(0.0, np.nan)).fillna(0.0)


def _sorted_by(
    frame: pd.DataFrame, profiles: Mapping[str, Profile], roles: Mapping[str, Role], rows: NDArray[np.intp]
) -> str | None:
    """Return the column that rises, or falls, all through the file; one of times where there are several."""
    usable = (
        name
        for name, profile in profiles.items()
        if profile.kind in (CellKind.NUMBER, CellKind.DATE)
        and profile.n_distinct >= _FEWEST_VALUES
        and not profile.in_grid
        and roles[name] not in (Role.TARGET, Role.IDENTIFIER)
    )
    found = [
        name
        for name in islice(usable, _MOST_COLUMNS)
        if _in_one_direction(frame[name].iloc[rows[:_FIRST_LOOK]], profiles[name])
        and not _counts_rows(profiles[name])
        and _in_one_direction(frame[name].iloc[rows], profiles[name])
    ]
    return min(found, key=lambda name: not _is_time(profiles[name]), default=None)


def _in_one_direction(cells: pd.Series, profile: Profile) -> bool:
    """Tell whether values only rise, or only fall."""
    form = profile.date_format
    values = read_numbers(cells).values if profile.kind is CellKind.NUMBER else read_dates(cells, form)[0]
    steps = np.diff(values[np.isfinite(values)])
    return bool((steps >= 0).all() or (steps <= 0).all())


def _counts_rows(profile: Profile) -> bool:
    """Tell whether a column is a number of the row, which rises with the rows and says nothing else."""
    return profile.gapless or (profile.kind is CellKind.NUMBER and numbering(profile) is not None)


def _is_time(profile: Profile) -> bool:
    """Tell whether a column holds dates, or is called like a time."""
    return profile.kind is CellKind.DATE or bool(TIMES & set(name_words(profile.name)))


def _sorted(by: str, column: str) -> Issue:
    """Say that the order of the rows is that of a column."""
    message = f"The rows are sorted by {by}, so their order says nothing about when they were recorded."
    return Issue(SORTED_ROWS, message, column, Severity.INFO)


def _can_hold_out_last(codes: Codes, times: str | None, kind: str) -> bool:
    """Tell whether each class has rows to learn from once the last ones are held out."""
    if kind != "class":
        return True
    known = codes[codes >= 0]
    early = known[: len(known) - round(SplitSettings().test_fraction * len(known))]
    return times is not None or int(np.bincount(early, minlength=int(codes.max()) + 1).min()) >= FEWEST_TRAINING_ROWS


def _alike(found: RowOrder, target: str, times: str | None, *, splits: bool, kind: str) -> Issue:
    """Say what neighbouring rows have in common, and what is to be done."""
    of = "" if kind == "class" else " of the target"
    chance = f"in a hundred shuffles of the rows by {max(found.shuffled, 0.0):.2f} at most"
    if found.column is None:
        what = f"the next row is of the same {kind} of '{shown(target)}' more often than by chance"
        what += f" (a correlation of {found.correlation:.2f}, {chance})"
    else:
        what = f"'{shown(found.column)}' correlates with the next row by {found.correlation:.2f} within each {kind}{of}"
        what += f" ({chance})"
    if found.n_alike > (found.column is not None):
        verb = "does" if found.n_alike == 1 else "do"
        what += f", and so {verb} {found.n_alike:,} of {count_words(found.n_columns, 'feature')}"
    why = "drawn by chance, held-out rows lie between rows that were learned from, which flatters the model"
    if times is not None:
        what += f", and the rows stand in the order of '{shown(times)}'"
        way = f"Hold out the latest ones: {why}."
    elif splits:
        way = (
            "If the rows follow one another in time, hold out the last ones; if some belong together, keep these"
            f" together by a column that says so: {why}."
        )
    else:
        way = (
            "The last rows cannot be held out, since not every class is among them. If rows belong together, add a"
            f" column that says so and keep them together: {why}."
        )
    severity = Severity.WARNING if splits else Severity.INFO
    return Issue(ROW_ORDER, f"Neighbouring rows are alike: {what}. {way}", times, severity)
