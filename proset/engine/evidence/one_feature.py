"""Estimates along one feature while all others stay: one term of each exponent is replaced."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proset.engine.kernels.similarity import FloatArray, row_blocks
from proset.engine.set_manager import Batch, SetManager

# exp(-60) times any weight is nothing beside the marginals, which add up to one.
_FAR = 60.0
_BLOCK = 1_000_000


def unnormalized_along(
    manager: SetManager, x: FloatArray, columns: NDArray[np.int64], values: FloatArray
) -> FloatArray:
    """Evaluate the unnormalised class probabilities (2.5) at copies of one row that differ in a few columns.

    Parameters
    ----------
    manager : SetManager
        A fitted model of K classes.
    x : ndarray of shape (D,)
        The row.
    columns : int64 array of shape (g,)
        Matrix columns that change.
    values : ndarray of shape (n, g)
        What stands there instead.

    Returns
    -------
    ndarray of shape (n, K)
        Row sums are one plus the familiarity. The part of each exponent that does not change is taken once, so that
        the cost does not depend on the number of features.

    Examples
    --------
    >>> batch = Batch(np.array([0, 1]), np.ones(2, np.float32), np.zeros((1, 2)), np.array([1]),
    ...               np.ones(1, np.float32), np.array([0]))
    >>> manager = SetManager([0.5, 0.5], 2, (batch,))
    >>> unnormalized_along(manager, np.zeros(2), np.array([1]), np.array([[0.0], [100.0]])).tolist()
    [[0.5, 1.5], [0.5, 0.5]]
    """
    total = np.tile(manager.marginals, (len(values), 1))
    for batch in manager.batches:
        if batch is not None:
            _add_impacts(total, batch, x, columns=np.asarray(columns), values=np.asarray(values, dtype=np.float64))
    return total


def _add_impacts(
    total: FloatArray, batch: Batch, x: FloatArray, *, columns: NDArray[np.int64], values: FloatArray
) -> None:
    """Add the impacts of one batch, by class."""
    active, weights = batch.active_features, batch.feature_weights.astype(np.float64)
    changes = np.isin(active, columns)
    fixed = weights[~changes] * (x[active[~changes]] - batch.prototypes[:, ~changes])
    rest = 0.5 * np.einsum("jd,jd->j", fixed, fixed)
    near = np.flatnonzero(rest < _FAR)
    if not near.shape[0]:
        return
    place = {int(column): j for j, column in enumerate(columns)}
    moved = [(np.flatnonzero(active == column)[0], place[int(column)]) for column in active[changes]]
    by_class = np.zeros((near.shape[0], total.shape[1]))
    by_class[np.arange(near.shape[0]), batch.target[near]] = batch.weights[near]
    for rows in row_blocks(len(values), near.shape[0], _BLOCK):
        exponent = np.tile(-rest[near], (rows.stop - rows.start, 1))
        for own, given in moved:
            difference = weights[own] * (values[rows, given, None] - batch.prototypes[near, own])
            exponent -= 0.5 * np.square(difference)
        total[rows] += np.exp(exponent, out=exponent) @ by_class
