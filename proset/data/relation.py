"""Relation of one column alone to the target: the share of the log-loss that it takes away on rows left out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

N_FOLDS = 5

# Rows that the shares of all classes count for beside those of a cell; the last value stands for nothing but shares.
_PULLS = np.array([1.0, 4.0, 16.0, 64.0, 256.0, 1e12])


def random_folds(n_rows: int, *, seed: int = 0) -> IntArray:
    """Deal rows out to folds of about the same size.

    Examples
    --------
    >>> np.bincount(random_folds(12)).tolist()
    [3, 3, 2, 2, 2]
    """
    return np.random.default_rng(seed).permutation(np.arange(n_rows) % N_FOLDS)


def relation(cells: IntArray, target: IntArray, folds: IntArray, *, n_classes: int) -> float:
    """Measure what knowing a row's cell says about its class.

    A model of one column states the class shares of the row's cell, drawn towards those of all rows. It is fitted to
    four fifths of the rows and judged on the others, in turn; how strongly it is drawn is chosen without the rows that
    it is judged on. So a column that says nothing comes out at about 0, whatever its kind and however many values.

    Parameters
    ----------
    cells : ndarray of int64, shape (n,)
        What the column holds in each row, from 0: a range of numbers, a level, or missing.
    target : ndarray of int64, shape (n,)
        Classes, from 0 to `n_classes` - 1.
    folds : ndarray of int64, shape (n,)
        From :func:`random_folds`.
    n_classes : int
        Number of classes.

    Returns
    -------
    float
        1 less the mean log-loss divided by that of stating the class shares; 0 for nothing, 1 for everything, never
        below 0. NaN where there is nothing to measure.

    Examples
    --------
    >>> target = np.arange(400) % 2
    >>> folds = random_folds(400)
    >>> relation(target, target, folds, n_classes=2) > 0.9, relation(np.arange(400) // 40, target, folds, n_classes=2)
    (True, 0.0)
    """
    if len(cells) < 2 * N_FOLDS or n_classes < 2:
        return float("nan")
    n_cells = int(cells.max()) + 1
    flat = (folds * n_cells + cells) * n_classes + target
    counts = np.bincount(flat, minlength=N_FOLDS * n_cells * n_classes).reshape(N_FOLDS, n_cells, n_classes)
    known = counts.sum(axis=0) - counts  # what the model of each fold has seen
    totals = known.sum(axis=1) + 0.5
    shares = totals / totals.sum(axis=1, keepdims=True)
    naive = -(counts.sum(axis=1) * np.log(shares)).sum()
    losses = np.stack([_fold_losses(counts, known, shares, pull) for pull in _PULLS])  # pull, fold
    chosen = np.argmin(losses.sum(axis=1, keepdims=True) - losses, axis=0)
    loss = losses[chosen, np.arange(N_FOLDS)].sum()
    return float(max(1.0 - loss / naive, 0.0)) if naive > 0.0 else float("nan")


def _fold_losses(counts: IntArray, known: IntArray, shares: FloatArray, pull: float) -> FloatArray:
    """Return the summed log-loss of every fold."""
    estimates = (known + pull * shares[:, None, :]) / (known.sum(axis=2, keepdims=True) + pull)
    return np.asarray(-(counts * np.log(estimates)).sum(axis=(1, 2)))
