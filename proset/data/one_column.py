"""Classes told by one column alone, measured on rows it was not learned from."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.data.cells import read_numbers, read_words, settle
from proset.data.date_cells import read_dates
from proset.data.profile import CellKind, Profile

IntArray = NDArray[np.int64]

FEWEST_LEVEL_ROWS = 5
"""A level with fewer rows proves nothing; such rows are given the most frequent class."""

_REACH = 3
_MOST_LEVELS_SHARE = 0.5
_TREES, _FOLDS, _MOST_OTHERS = 40, 3, 100


def share_right(cells: pd.Series, profile: Profile, classes: IntArray) -> float:
    """Return in what share of the rows one column alone says the class, each row left out of what is learned from.

    A level says the class that most of its other rows have. A number says the class that most of the six nearest other
    rows have; numbers with few different values are looked at as levels, too. Missing cells are a level. Levels with
    fewer than five rows, or never seen, say the most frequent class.

    Parameters
    ----------
    cells : Series of length n
        The column, in random order: the order of equal values must say nothing.
    profile : Profile
        Facts about it.
    classes : ndarray of int64, shape (n,)
        Class of each row, 0 to K - 1.

    Returns
    -------
    float
        In [0, 1].

    Examples
    --------
    >>> from proset.data.profile import profile_column
    >>> cells = pd.Series(["x", "y", "z"] * 20, name="kind")
    >>> share_right(cells, profile_column(cells), np.array([0, 1, 1] * 20))
    1.0
    """
    n_classes = int(classes.max()) + 1
    right = []
    numbers = _as_numbers(cells, profile)
    if numbers is None or profile.n_distinct <= _MOST_LEVELS_SHARE * profile.n_present:
        levels, different = pd.factorize(_as_levels(cells) if numbers is None else numbers)
        levels = np.where(levels < 0, len(different), levels).astype(np.int64)
        right.append(_right_by_levels(levels, classes, n_classes))
    if numbers is not None:
        right.append(_right_by_neighbours(numbers, classes, n_classes))
    return max(float(marks.mean()) for marks in right)


def skill(share: float, classes: IntArray) -> float:
    """Return a share of right answers corrected for chance: 0 for the most frequent class in every row, 1 for all.

    Examples
    --------
    >>> skill(0.9, np.array([0] * 8 + [1] * 2))
    0.5
    """
    common = float(np.bincount(classes).max() / len(classes))
    return round((share - common) / (1.0 - common), 12) if common < 1.0 else 0.0


def share_of_others(frame: pd.DataFrame, profiles: Mapping[str, Profile], classes: IntArray) -> float:
    """Return in what share of the rows several columns together say the class, by trees on folds.

    Parameters
    ----------
    frame : DataFrame with n rows
        The columns; of very many, the first hundred are looked at.
    classes : ndarray of int64, shape (n,)
        Class of each row; the rows are in random order.

    Returns
    -------
    float
        In [0, 1], at least that of the most frequent class.
    """
    from sklearn.ensemble import ExtraTreesClassifier  # a second to import, and seldom needed

    common = float(np.bincount(classes).max() / len(classes))
    columns = [_as_matrix(frame[name], profiles[name]) for name in list(frame.columns)[:_MOST_OTHERS]]
    if not columns:
        return common
    matrix = np.column_stack(columns)
    part = np.arange(len(classes)) % _FOLDS
    right = 0
    for fold in range(_FOLDS):
        train, test = part != fold, part == fold
        trees = ExtraTreesClassifier(_TREES, min_samples_leaf=2, random_state=0, n_jobs=1)
        right += int((trees.fit(matrix[train], classes[train]).predict(matrix[test]) == classes[test]).sum())
    return max(common, right / len(classes))


def _as_numbers(cells: pd.Series, profile: Profile) -> NDArray[np.float64] | None:
    """Return numbers and dates as numbers, nan where missing; None for everything else."""
    if profile.kind is CellKind.NUMBER:
        values = read_numbers(cells).values
        return np.where(np.isfinite(values), values, np.nan)
    if profile.kind is CellKind.DATE:
        return read_dates(cells, profile.date_format)[0]
    return None


def _as_levels(cells: pd.Series) -> pd.Series:
    """Return what levels are told apart by."""
    return read_words(cells) if isinstance(cells.dtype, pd.StringDtype) else settle(cells)


def _as_matrix(cells: pd.Series, profile: Profile) -> NDArray[np.float64]:
    """Return a column as trees can take it: levels by how frequent they are, missing ones below everything."""
    numbers = _as_numbers(cells, profile)
    if numbers is None:
        levels, different = pd.factorize(_as_levels(cells))
        rank = np.argsort(np.argsort(-np.bincount(levels[levels >= 0], minlength=len(different)), kind="stable"))
        numbers = np.where(levels < 0, np.nan, rank[levels].astype(np.float64) if len(rank) else np.nan)
    known = np.isfinite(numbers)
    low = numbers[known].min() - 1.0 if known.any() else 0.0
    with np.errstate(over="ignore"):
        return np.clip(np.where(known, numbers, low), -1e30, 1e30)


def _right_by_levels(levels: IntArray, classes: IntArray, n_classes: int) -> NDArray[np.bool_]:
    """Mark the rows whose class most other rows of their level have."""
    n_levels = int(levels.max()) + 1
    counts = np.bincount(levels * n_classes + classes, minlength=n_levels * n_classes).reshape(n_levels, n_classes)
    said = _most_others(counts[levels], classes)
    common = int(counts.sum(axis=0).argmax())
    rare = counts.sum(axis=1)[levels] < FEWEST_LEVEL_ROWS
    right: NDArray[np.bool_] = np.where(rare, common, said) == classes
    return right


def _right_by_neighbours(numbers: NDArray[np.float64], classes: IntArray, n_classes: int) -> NDArray[np.bool_]:
    """Mark the rows whose class most of the nearest other rows have; those without a number are a level."""
    known = np.isfinite(numbers)
    right = np.zeros(len(numbers), dtype=bool)
    if not known.all():
        right[~known] = _right_by_levels(np.where(known, 1, 0), classes, n_classes)[~known]
    order = np.flatnonzero(known)[np.argsort(numbers[known], kind="stable")]
    own = classes[order]
    sums = np.zeros((len(own) + 1, n_classes), dtype=np.int64)
    np.cumsum(np.eye(n_classes, dtype=np.int64)[own], axis=0, out=sums[1:])
    place = np.arange(len(own))
    low, high = np.maximum(place - _REACH, 0), np.minimum(place + _REACH + 1, len(own))
    right[order] = _most_others(sums[high] - sums[low], own) == own
    return right


def _most_others(counts: IntArray, classes: IntArray) -> IntArray:
    """Return the most frequent class of each row of counts without the row's own."""
    others = counts.copy()
    others[np.arange(len(classes)), classes] -= 1
    return others.argmax(axis=1)
