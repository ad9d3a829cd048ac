"""Scores of distributions row by row: of a model of a number, of everybody, and of a straight line."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from proset.explain.numbers.straight_line import StraightLine

if TYPE_CHECKING:
    from proset.engine.mixtures.distribution import PredictedDistribution
    from proset.engine.mixtures.mixture import FloatArray
    from proset.study.intervals import IntArray
    from proset.study.number_study import NumberStudy
    from proset.study.number_unseen import NumberUnseen

LEVELS = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)
"""Of the quantiles that are scored."""
_ROWS_AT_ONCE = 1_000


@dataclass(frozen=True, eq=False)
class RowScores:
    """Scores of one system; less is better in all of them.

    Attributes
    ----------
    log_score, crps, square, absolute : ndarray of shape (n,)
        Minus the logarithm of the density; the continuous ranked probability score; squared error of the mean; absolute
        error of the median.
    pinball : ndarray of shape (n, 7)
        Loss of the quantiles of `LEVELS`.
    """

    log_score: FloatArray
    crps: FloatArray
    square: FloatArray
    absolute: FloatArray
    pinball: FloatArray


ThreeScores = tuple[RowScores, RowScores, RowScores]


def row_scores(study: NumberStudy, rows: np.ndarray, unseen: NumberUnseen | None = None) -> ThreeScores:
    """Score the model of a study, everybody and a straight line on rows with known numbers.

    Of rows that were left out of a fold all three are those of the fold.
    """
    if unseen is None:
        return _by_one(study, rows)
    judges = unseen.fold_of_row.reindex(rows, fill_value=-1).to_numpy()
    groups = [(study if judge < 0 else unseen.studies[judge], rows[judges == judge]) for judge in np.unique(judges)]
    order = pd.Index(np.concatenate([own for _, own in groups])).get_indexer(pd.Index(rows))
    each = [_by_one(judge, own) for judge, own in groups]
    model, everybody, line = (_joined(parts, order) for parts in zip(*each, strict=True))
    return model, everybody, line


def _joined(parts: Sequence[RowScores], order: IntArray) -> RowScores:
    """Put scores of several groups of rows into an order."""
    columns = ([getattr(part, field.name) for part in parts] for field in fields(RowScores))
    return RowScores(*(np.concatenate(values)[order] for values in columns))


def _by_one(study: NumberStudy, rows: np.ndarray) -> ThreeScores:
    """Score what a study knows on rows of its table."""
    actual = study.table_targets.loc[rows].to_numpy(dtype=np.float64)
    matrix, line = study.encode(rows).X, StraightLine.of(study)
    systems: tuple[Callable[[np.ndarray], PredictedDistribution], ...] = (
        study.model.predict_distribution,
        lambda part: study.everybody.distribution(len(part)),
        line.distribution,
    )
    model_, everybody, line_ = (_scores(say, matrix, actual) for say in systems)
    return model_, everybody, line_


def _scores(say: Callable[[np.ndarray], PredictedDistribution], matrix: np.ndarray, actual: FloatArray) -> RowScores:
    """Score one system, some rows at a time: the distributions of many rows are large."""
    n_parts = 1 + len(actual) // _ROWS_AT_ONCE
    parts = [_of(say(matrix[rows]), actual[rows]) for rows in np.array_split(np.arange(len(actual)), n_parts)]
    return RowScores(*(np.concatenate(values) for values in zip(*parts, strict=True)))


def _of(said: PredictedDistribution, actual: FloatArray) -> tuple[FloatArray, ...]:
    """Score distributions."""
    quantiles = said.quantile(LEVELS)
    over = actual[:, None] - quantiles
    levels = np.asarray(LEVELS)
    return (
        said.log_score(actual),
        said.crps(actual),
        np.square(said.mean - actual),
        np.abs(quantiles[:, LEVELS.index(0.5)] - actual),
        np.maximum(levels * over, (levels - 1.0) * over),
    )
