"""Columns that say nothing of rows that a model has not seen: each is shuffled among the rows that a fold leaves out.

Penalties alone do not tell: a column of noise lets a fit agree a little better with the rows that it learns from, which
is worth its weight (of eight such columns beside those of six public tables all stayed in use, with any penalty that
did not spoil the model). On rows that are left out it says nothing, and that can be measured.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.random import Generator, default_rng

from proset.engine.regressor import RegressorModel
from proset.engine.set_manager import FloatArray, IntArray
from proset.selection.number_folds import NumberData, OneFold, narrowed
from proset.selection.number_scores import NumberColumns

MOST_SHUFFLES, SHUFFLES = 3, 60  # of one column; of all columns together, but each once
MOST_ROWS = 1_000  # that a fold looks at


def weigh_columns(
    data: NumberData,
    folds: Sequence[OneFold],
    models: Sequence[RegressorModel],
    factor: float,
    random_state: int,
    tick: Callable[[], None],
) -> NumberColumns:
    """Measure what columns are worth to the model of each fold on the rows that it leaves out.

    Parameters
    ----------
    data : NumberData
        The rows of the search.
    folds, models : sequence
        Folds, and a fitted model of each.
    factor : float
        What the spreads of all prototypes are multiplied with.
    random_state : int
        Shuffles.
    tick : callable
        Called between measurements; raising from it ends the work.

    Returns
    -------
    NumberColumns
        Without a word on models that do without them; not of columns that are asked to be used, or not to be.
    """
    rng = default_rng(random_state)
    names = list(dict.fromkeys(name for fold in folds for name in fold.open_columns))
    parts, weights, whose = [], [], []
    for fold, model in zip(folds, models, strict=True):
        rows = np.sort(rng.permutation(len(fold.rows.test))[:MOST_ROWS])
        parts.append(_rises(data, fold, model, rows, names, factor, rng, tick))
        weights.append(data.weight[fold.rows.test][rows])
        whose.append(np.zeros(0, dtype=np.int64) if data.groups is None else data.groups[fold.rows.test][rows])
    rises, weight = np.concatenate(parts), np.concatenate(weights)
    groups = None if data.groups is None else np.concatenate(whose)
    return NumberColumns(tuple(names), *_mean_and_error(rises, weight, groups))


def _mean_and_error(rises: FloatArray, weight: FloatArray, groups: IntArray | None) -> tuple[FloatArray, FloatArray]:
    """Return the mean rise for each column and its standard error, both of shape (D,).

    Rows of one group are no more independent than copies of a row: what is the same in all of them counts once.
    """
    mean = np.average(rises, axis=0, weights=weight)
    apart, factor = weight[:, None] * (rises - mean), 1.0
    names, numbers = np.unique(np.zeros(1) if groups is None else groups, return_inverse=True)
    if len(names) > 1:  # one group alone does not tell how far groups are apart
        together = np.zeros((len(names), rises.shape[1]))
        np.add.at(together, numbers, apart)
        apart, factor = together, len(names) / (len(names) - 1)  # of few groups the mean is close to their own
    return mean, np.sqrt(factor * np.square(apart).sum(axis=0)) / weight.sum()


def _rises(
    data: NumberData,
    fold: OneFold,
    model: RegressorModel,
    rows: np.ndarray,
    names: list[str],
    factor: float,
    rng: Generator,
    tick: Callable[[], None],
) -> FloatArray:
    """Return the rise of the log score of each row for each column that is shuffled, shape (n, D)."""
    X, target = fold.left_out[rows], data.target[fold.rows.test][rows]

    def scores(features: np.ndarray) -> FloatArray:
        tick()
        return narrowed(model.predict_distribution(features), factor, model).log_score(target)

    before, used = scores(X), set(fold.columns[model.set_manager_.get_active_features()])
    found, times = np.zeros((len(rows), len(names))), max(1, min(MOST_SHUFFLES, SHUFFLES // max(1, len(names))))
    for place, name in enumerate(names):
        if name not in used:
            continue
        for _ in range(times):
            shuffled = X.copy()
            own = np.flatnonzero(fold.columns == name)
            shuffled[:, own] = X[np.ix_(rng.permutation(len(rows)), own)]
            found[:, place] += (scores(shuffled) - before) / times
    return found
