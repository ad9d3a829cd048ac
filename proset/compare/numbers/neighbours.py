"""Distribution of a number among the nearest training rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_is_fitted, validate_data

from proset.compare.numbers.left_out import FloatArray, folds_within
from proset.compare.numbers.levels import LEVELS, pinball


class NeighbourNumbers(RegressorMixin, BaseEstimator):
    """The k nearest training rows, each with the same say: quantiles are those of their targets.

    Parameters
    ----------
    n_neighbors : int or sequence of int, default=20
        k, or several of which the one with the smallest mean pinball loss on rows left out is taken; at most as many as
        there are rows.
    random_state : int, default=0
        Draws the folds, where k is chosen.

    Attributes
    ----------
    n_neighbors_ : int
        k.
    targets_ : ndarray of float64, shape (n,)
        Of the training rows.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> X = np.arange(10.0)[:, None]
    >>> NeighbourNumbers(3).fit(X, 2.0 * X[:, 0]).predict([[4.0]])
    array([8.])
    """

    def __init__(self, n_neighbors: int | Sequence[int] = 20, random_state: int = 0) -> None:
        self.n_neighbors = n_neighbors
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike, groups: ArrayLike | None = None, times: ArrayLike | None = None) -> Self:
        """Keep the rows, and choose k if there is a choice; parameters as for :class:`WithLeftOutErrors`."""
        features, target = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        offered = [self.n_neighbors] if isinstance(self.n_neighbors, int | np.integer) else list(self.n_neighbors)
        ks = sorted({min(int(k), len(target)) for k in offered})
        if len(ks) > 1:
            losses = np.zeros(len(ks))
            for fold in folds_within(len(target), self.random_state, groups, times):
                near = _near(features[fold.train], features[fold.test], ks[-1])
                known = target[fold.train]
                for i, k in enumerate(ks):
                    said = np.quantile(known[near[:, :k]], LEVELS, axis=1).T
                    losses[i] += pinball(said, target[fold.test]).sum()
            ks = [ks[int(losses.argmin())]]
        self.n_neighbors_, self.targets_ = ks[0], target
        self._index = NearestNeighbors(n_neighbors=ks[0]).fit(features)
        return self

    def _known(self, X: ArrayLike) -> FloatArray:
        """Return the targets of the neighbours, shape (n, k)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        found: FloatArray = self.targets_[self._index.kneighbors(X, return_distance=False)]
        return found

    def predict(self, X: ArrayLike) -> FloatArray:
        """Predict the mean, shape (n,)."""
        return self._known(X).mean(axis=1)

    def predict_quantiles(self, X: ArrayLike, q: ArrayLike) -> FloatArray:
        """Predict quantiles, shape (n, m), for levels in (0, 1)."""
        found: FloatArray = np.quantile(self._known(X), np.asarray(q), axis=1).T
        return found


def _near(known: FloatArray, asked: FloatArray, k: int) -> np.ndarray:
    """Return the positions of up to k nearest rows, the nearest first."""
    index = NearestNeighbors(n_neighbors=min(k, len(known))).fit(known)
    found: np.ndarray = index.kneighbors(asked, return_distance=False)
    return found
