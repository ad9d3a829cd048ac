"""Quality of a model of a number: its errors, beside others, and whether what it promises is kept."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from proset.common.notebook import Displayed
from proset.common.spread import spread_places
from proset.explain.numbers.known_rows import known_rows, learned, number_study_of, rows_words
from proset.explain.numbers.promises import Places, coverage_by_level, places_of
from proset.explain.numbers.quality_words import covered_words, error_words, levels_words
from proset.explain.numbers.row_scores import LEVELS, RowScores, row_scores
from proset.explain.plain_values import plain_fields
from proset.study.intervals import FloatArray, IntArray, mean_interval
from proset.study.number_study import NumberStudy
from proset.study.number_unseen import NumberUnseen

MOST_SCORED = 3_000
"""Rows up to which every one is scored; of more, so many from all over the table."""
COLUMNS = ("value", "low", "high", "everybody", "gain", "gain_low", "gain_high", "line", "line_gain", "line_low",
           "line_high")  # fmt: skip


@dataclass(frozen=True, eq=False)
class NumberQuality(Displayed):
    """Quality of the answers for n rows with a known number.

    Attributes
    ----------
    target : str
        Name of the column.
    which : str
        Which rows and how many, such as "309 held-out rows".
    n_rows, n_learned, n_scored : int
        How many; how many of them the model has learned from; and on how many the measures rest.
    n_groups : int or None
        Groups that they belong to, where the split keeps groups together: all intervals are then by groups.
    measures : DataFrame
        Index "log score", "CRPS", "RMSE" (of the mean) and "MAE" (of the median); less is better in all of them.
        ``value`` with ``low`` and ``high``, its 95 % interval; ``everybody`` (the distribution of all training targets)
        with ``gain``, by how much the model's value is less, and its interval; and the same of a straight ``line``.
        Intervals are missing where fewer than two rows or groups were scored.
    coverage : DataFrame
        Index ``level`` (of central intervals, 0.5 to 0.95); ``rows``, ``held`` (share of them whose number lies in the
        interval), ``low`` and ``high`` (its 95 % interval), ``alone`` and ``off`` (whether it is clearly not the
        level: looked at alone, and with all other levels).
    places : Places
        Where numbers lie in their own distributions.
    pinball : DataFrame
        Index ``level`` of a quantile; its mean loss for the ``model``, ``everybody`` and the ``line``.
    rows : DataFrame
        Answers, as :attr:`proset.study.NumberStudy.predictions` has them, and ``beyond``: how far the number lies
        beyond the nearer end of its 90 % interval, 0 within.
    calibrated : bool
        Whether ends of intervals are calibrated.
    """

    target: str
    which: str
    n_rows: int
    n_learned: int
    n_scored: int
    n_groups: int | None
    measures: pd.DataFrame
    coverage: pd.DataFrame
    places: Places
    pinball: pd.DataFrame
    rows: pd.DataFrame
    calibrated: bool = False

    @property
    def words(self) -> str:
        """The finding in one sentence."""
        if not self.n_rows:
            return "None of these rows has a number, so there is nothing to compare with."
        held = covered_words(self.coverage, self.which, self.n_learned, calibrated=self.calibrated)
        return f"{error_words(self.measures)}; {held}."

    @property
    def levels_words(self) -> str:
        """Levels whose intervals hold clearly more or less than they promise, in words."""
        return levels_words(self.coverage, self.which, self.n_learned)

    @property
    def outside(self) -> pd.DataFrame:
        """The lines of `rows` whose number lies outside its 90 % interval, the furthest first."""
        found = self.rows[self.rows["beyond"] > 0.0]
        return found.sort_values("beyond", ascending=False, kind="stable")

    def to_frame(self) -> pd.DataFrame:
        """Return the measures."""
        return self.measures.copy()

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the rows as plain Python values."""
        counts = ("n_rows", "n_learned", "n_scored", "n_groups")
        return plain_fields(self, "target", "which", *counts, "measures", "coverage", "pinball", "places")


def number_quality(
    explained: NumberStudy, cases: Iterable[int] | None = None, *, unseen: NumberUnseen | None = None
) -> NumberQuality:
    r"""Measure a model of a number on rows whose number is known.

    Parameters
    ----------
    cases : iterable of int or None
        Row ids; None for the held-out rows, or the training rows, on which every model looks better than it is, if none
        were held out. Rows without a number do not count.
    unseen : NumberUnseen or None
        Folds of the training rows, from :func:`proset.study.number_unseen.judge_numbers_unseen`: each row that was left
        out of one counts as its model judges it.

    Raises
    ------
    StudyError
        If the table has no such row, or the folds are of another study.
    TypeError
        If it is no study of a number.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> found = number_quality(fit_sample("cars", n_iter=1))
    >>> found.which, bool(found.measures.loc["MAE", "gain_low"] > 0.0)
    ('120 held-out rows', True)
    """
    study = number_study_of(explained, "number_quality")
    found = known_rows(study, cases, unseen)
    groups = study.groups_of(found.index)
    scored = spread_places(len(found), MOST_SCORED)
    chosen = found.index.to_numpy(dtype=np.int64)[scored]
    measures, pinball = _scored(study, chosen, None if groups is None else groups[scored], unseen)
    return NumberQuality(
        target=str(study.roles.target),
        which=rows_words(found),
        n_rows=len(found),
        n_learned=learned(found),
        n_scored=len(scored),
        n_groups=None if groups is None else len(np.unique(groups)),
        measures=measures,
        coverage=coverage_by_level(found, groups, study.levels),
        places=places_of(found, groups),
        pinball=pinball,
        rows=found,
        calibrated=study.calibration is not None,
    )


def _scored(
    study: NumberStudy, rows: np.ndarray, groups: IntArray | None, unseen: NumberUnseen | None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the measures and the pinball loss by level."""
    names = ("log score", "CRPS", "RMSE", "MAE")
    levels = pd.Index(LEVELS, name="level")
    if not len(rows):
        empty = pd.DataFrame(np.nan, index=pd.Index(names, name="measure"), columns=list(COLUMNS))
        return empty, pd.DataFrame(np.nan, index=levels, columns=["model", "everybody", "line"])
    systems = row_scores(study, rows, unseen)
    lines = [_line(name, systems, groups) for name in names]
    measures = pd.DataFrame(lines, index=pd.Index(names, name="measure"), columns=list(COLUMNS))
    losses = np.column_stack([system.pinball.mean(axis=0) for system in systems])
    return measures, pd.DataFrame(losses, index=levels, columns=["model", "everybody", "line"])


def _line(name: str, systems: tuple[RowScores, ...], groups: IntArray | None) -> tuple[float, ...]:
    """Return one measure of the model, and beside everybody and the line."""
    own, everybody, line = (_of(name, system) for system in systems)
    low, high = _interval(own, groups)
    if name != "log score" and low < 0.0:
        low = 0.0
    compared = ((other.mean(), (other - own).mean(), *_interval(other - own, groups)) for other in (everybody, line))
    return (float(own.mean()), low, high, *(float(value) for values in compared for value in values))


def _of(name: str, scores: RowScores) -> FloatArray:
    """Return one value per row whose mean is the measure, and that moves as much as the row moves it."""
    if name == "RMSE":
        root = math.sqrt(float(scores.square.mean()))
        moves = (scores.square - scores.square.mean()) / (2.0 * root) if root > 0.0 else np.zeros_like(scores.square)
        return root + moves
    return {"log score": scores.log_score, "CRPS": scores.crps, "MAE": scores.absolute}[name]


def _interval(values: FloatArray, groups: IntArray | None) -> tuple[float, float]:
    """Return the 95 % interval of a mean; missing where there is none."""
    low, high = mean_interval(values, groups)
    return (low, high) if math.isfinite(high) else (math.nan, math.nan)
