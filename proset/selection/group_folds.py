"""Dealing whole groups out to folds, so that every class has about its share in each."""

from __future__ import annotations

import math

import numpy as np
from sklearn.utils import check_random_state

from proset.engine.set_manager import FloatArray, IntArray

_NEAR, _NEARER = 1e-5, 1e-8  # what numpy.isclose takes for equal


def deal_groups(target: IntArray, groups: IntArray, n_folds: int, seed: int) -> IntArray:
    """Deal groups out to folds as scikit-learn's StratifiedGroupKFold does when it shuffles, bit for bit.

    Groups in which the classes are most unequal come first, in random order among equals; each goes to the fold with
    which the shares of the classes differ least between folds, and to the smaller one among those that are about equal.
    There, a loop over folds within that over groups, and two over rows, take seconds for some ten thousand groups; here
    all folds are tried at once, by the same sums in the same order.

    Parameters
    ----------
    target : ndarray of int64, shape (n,)
        Class of each row.
    groups : ndarray of int64, shape (n,)
        Group of each row.
    n_folds : int
        Number of folds; at least two, and not more than there are groups.
    seed : int
        Draws the order.

    Returns
    -------
    ndarray of int64, shape (n,)
        Fold of each row, from 0.

    Examples
    --------
    >>> deal_groups(np.tile([0, 1], 6), np.repeat([7, 8, 9], 4), 3, seed=0).tolist()
    [2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0]
    """
    _, classes, totals = np.unique(target, return_inverse=True, return_counts=True)
    names, own = np.unique(groups, return_inverse=True)
    n_groups, n_classes = len(names), len(totals)
    order = np.arange(n_groups)
    check_random_state(seed).shuffle(order)
    counts = np.bincount(own * n_classes + classes, minlength=n_groups * n_classes).astype(np.float64)
    shuffled = counts.reshape(n_groups, n_classes)[order]
    fold_of = np.empty(n_groups, dtype=np.int64)
    folds = _Folds(n_folds, totals)
    for group in np.argsort(-np.std(shuffled, axis=1), kind="stable").tolist():
        fold_of[order[group]] = folds.take(shuffled[group])
    return fold_of[own]


class _Folds:
    """The rows of each class in each fold so far, and what one more group would make of them."""

    def __init__(self, n_folds: int, totals: IntArray) -> None:
        n_classes = len(totals)
        self.totals = totals.astype(np.float64)
        self.counts = np.zeros((n_folds, n_classes))
        self.rows = [0.0] * n_folds
        self._shares = np.zeros((n_folds, n_folds, n_classes))  # [i]: of all folds, with the group in fold i
        self._tried = self._shares.reshape(-1, n_classes)[:: n_folds + 1]  # a view of what fold i has in [i]
        self._apart = np.empty_like(self._shares)

    def take(self, group: FloatArray) -> int:
        """Put a group, given by its rows of each class, where it fits best; return the fold."""
        np.divide(self.counts + group, self.totals, out=self._tried)
        best = self._best(self._uneven())
        self.counts[best] += group
        self.rows[best] += float(group.sum())
        self._shares[:, best] = self._tried[best]
        return best

    def _uneven(self) -> list[float]:
        """Return the mean over classes of the standard deviation over folds, for each fold that may take the group.

        These are the steps of numpy.std and numpy.mean, without what they check for each call.
        """
        n_folds, n_classes = self.counts.shape
        mean = np.add.reduce(self._shares, axis=1, keepdims=True)
        mean /= n_folds
        np.subtract(self._shares, mean, out=self._apart)
        np.multiply(self._apart, self._apart, out=self._apart)
        spread = np.add.reduce(self._apart, axis=1)
        spread /= n_folds
        total = np.add.reduce(np.sqrt(spread, out=spread), axis=1)
        total /= n_classes
        uneven: list[float] = total.tolist()
        return uneven

    def _best(self, uneven: list[float]) -> int:
        """Return the fold that leaves shares most even; of those about as good as the best so far, the smaller one."""
        best, least, fewest = 0, math.inf, math.inf
        for fold, value in enumerate(uneven):
            near = abs(value - least) <= _NEARER + _NEAR * abs(least) if fold else False
            if value < least or (near and self.rows[fold] < fewest):
                best, least, fewest = fold, value, self.rows[fold]
        return best
