"""Errors of a model of a number by the values of one column."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import chi2

from proset.common.errors import StudyError
from proset.common.notebook import Displayed
from proset.common.words import shown
from proset.explain.numbers.known_rows import known_rows, number_study_of, rows_words
from proset.explain.plain_values import plain_fields
from proset.explain.value_bins import ValueBins, study_column, value_bins
from proset.study.intervals import FloatArray, IntArray, mean_interval, share_interval
from proset.study.number_study import NumberStudy
from proset.study.number_unseen import NumberUnseen

_FEWEST = 5
"""Rows of a group from which on it counts in a test."""


@dataclass(frozen=True, eq=False)
class ColumnErrors(Displayed):
    """Errors of n rows beside the values of a column.

    Attributes
    ----------
    column, target : str
        Names of the two columns.
    which : str
        Which rows and how many.
    rows : DataFrame
        Index row id; ``value`` (of the column), ``error`` (median less number: above 0 where the answer is too high),
        ``inside`` (whether the number is in its 90 % interval), ``bin``.
    bins : DataFrame
        Groups of the values in their order; index ``group``: ``rows``, ``middle`` (median value, missing where there is
        no scale), ``error`` (mean), ``low`` and ``high`` (its 95 % interval), ``held`` (share of numbers in their 90 %
        interval), ``held_low`` and ``held_high``.
    p_error, p_place : float
        How often chance alone makes mean errors of the groups differ as much; and how far numbers lie from the middle
        of their distributions. 1 where less than two groups have five rows.
    """

    column: str
    target: str
    which: str
    rows: pd.DataFrame
    bins: pd.DataFrame
    p_error: float
    p_place: float

    def to_frame(self) -> pd.DataFrame:
        """Return one line per group of values."""
        return self.bins.copy()

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, without the rows."""
        return plain_fields(self, "column", "target", "which", "p_error", "p_place", "bins")


def column_errors(
    explained: NumberStudy, cases: Iterable[int] | None = None, *, column: str, unseen: NumberUnseen | None = None
) -> ColumnErrors:
    """Put the errors of a model of a number beside the values of a column.

    Parameters
    ----------
    cases, unseen
        As for :func:`proset.explain.number_quality`.
    column : str
        Any column of the table but the target.

    Raises
    ------
    StudyError
        If the table has no such column or row, or it is the target: errors lean towards the middle for any model.
    TypeError
        If it is no study of a number.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> found = column_errors(fit_sample("cars", n_iter=1), column="cylinders")
    >>> found.bins["rows"].tolist(), bool(0.0 <= found.p_error <= 1.0)
    ([2, 63, 2, 21, 32], True)
    """
    study = number_study_of(explained, "column_errors")
    if column not in study.table.frame.columns or column == study.roles.target:
        raise StudyError(
            f"There is no other column '{shown(column)}'.", column=column, hint="Name a column that is not the target."
        )
    return errors_beside(study, known_rows(study, cases, unseen), column)


def errors_beside(study: NumberStudy, found: pd.DataFrame, column: str) -> ColumnErrors:
    """Put errors beside the values of a column; `found` is from :func:`known_rows`."""
    values, groups = study_column(study, column).loc[found.index], study.groups_of(found.index)
    binned = value_bins(values)
    errors = found["error"].to_numpy(dtype=np.float64)
    off_middle = np.abs(found["place"].to_numpy(dtype=np.float64) - 0.5)
    rows = pd.DataFrame({"value": values, "error": errors, "inside": found["inside"].astype(bool)}, index=found.index)
    return ColumnErrors(
        column=column,
        target=str(study.roles.target),
        which=rows_words(found),
        rows=rows.assign(bin=binned.codes),
        bins=_bins(rows, binned, groups),
        p_error=difference_p(errors, binned.codes, groups),
        p_place=difference_p(off_middle, binned.codes, groups),
    )


def _bins(rows: pd.DataFrame, binned: ValueBins, groups: IntArray | None) -> pd.DataFrame:
    """Return what is known of each group of values."""
    lines = []
    errors, held = rows["error"].to_numpy(dtype=np.float64), rows["inside"].to_numpy(dtype=bool)
    for code, middle in enumerate(binned.middles):
        own = binned.codes == code
        of = None if groups is None else groups[own]
        low, high = mean_interval(errors[own], of)
        ends = (low, high) if math.isfinite(high) else (math.nan, math.nan)
        share = share_interval(held[own], of)
        lines.append((int(own.sum()), middle, float(errors[own].mean()), *ends, share.value, share.low, share.high))
    names = ["rows", "middle", "error", "low", "high", "held", "held_low", "held_high"]
    return pd.DataFrame(lines, columns=names, index=pd.Index(binned.names, dtype="str", name="group"))


def difference_p(values: FloatArray, codes: IntArray, groups: IntArray | None = None) -> float:
    """Return how often chance alone makes the means of some groups of rows differ as much.

    Parameters
    ----------
    values : ndarray of shape (n,)
        One per row.
    codes : int64 array of shape (n,)
        Group of each row; groups of fewer than five rows do not count.
    groups : int64 array of shape (n,) or None
        Rows that belong together count as one.

    Notes
    -----
    A score test of equal means with the covariance that rows, or whole groups of them, give (White; Liang and Zeger).
    Spreads may differ between groups, and few groups of rows can never say much.

    Examples
    --------
    >>> codes, values = np.repeat([0, 1], 50), np.tile([-1.0, 1.0], 50)
    >>> difference_p(values, codes), bool(difference_p(values + codes, codes) < 0.01)
    (1.0, True)
    """
    counted = np.flatnonzero(np.bincount(codes, minlength=1) >= _FEWEST)
    if len(counted) < 2:
        return 1.0
    inside = np.isin(codes, counted)
    away = values[inside] - values[inside].mean()
    member = codes[inside][:, None] == counted
    moves = (member - member.mean(axis=0)) * away[:, None]
    if groups is not None:
        own = np.unique(groups[inside], return_inverse=True)[1]
        sums = np.zeros((own.max() + 1, len(counted)))
        np.add.at(sums, own, moves)
        moves = sums
    total, scale = moves.sum(axis=0), float(np.square(moves).sum())
    if len(moves) < 2 or not scale > 0.0:
        return 1.0
    statistic = float(total @ np.linalg.pinv(moves.T @ moves, rcond=1e-9, hermitian=True) @ total)
    return float(chi2.sf(statistic, len(counted) - 1))
