"""The regressor."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin

from proset.companions.gbmap.base import GBMapBase
from proset.companions.protocol import FloatArray

SMALLEST_DEVIATION = 1e-12
"""Of a target, relative to its size; what varies less is constant but for rounding."""


class GBMapRegressor(RegressorMixin, GBMapBase):
    """Regression on a few learned directions, each bent once; these are an embedding with a distance of its own.

    Parameters
    ----------
    n_boosts, beta, ridge, lasso, max_iter, tol, n_init, refit
        As in :class:`~proset.companions.gbmap.classifier.GBMapClassifier`; each stage adds one unit.
    init_score : estimator or None, default=None
        A model to start from: cloned, fitted, and its predictions added. Put a fitted one into scikit-learn's
        ``FrozenEstimator``. None starts from the mean of the target.
    fit_intercept, standardize, early_stopping, validation_fraction, n_iter_no_change, min_gain, max_reference
        As in the classifier, and so are `precision`, `random_state` and `n_jobs`.

    Attributes
    ----------
    target_mean_, target_scale_ : float
        Mean and standard deviation of the target, which is standardised inside.
    losses_, validation_losses_ : ndarray of shape (stages + 1,)
        Mean squared error without units, then after each stage, in variances of the target; all others, and the model
        itself, as in the classifier.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = GBMapRegressor(n_boosts=3, random_state=0).fit(scale(X), y)
    >>> model.transform(scale(X)).shape
    (442, 3)
    """

    def _checked_target(self, y: NDArray[Any]) -> NDArray[Any]:
        target: FloatArray = np.asarray(y, dtype=np.float64)
        return target

    def _targets(self, y: NDArray[Any], weight: FloatArray) -> FloatArray:
        mean = float(np.average(y, weights=weight))
        deviation = float(np.sqrt(np.average((y - mean) ** 2, weights=weight)))
        varies = deviation > SMALLEST_DEVIATION * max(abs(mean), np.finfo(float).tiny)
        self.target_mean_, self.target_scale_ = mean, deviation if varies else 1.0
        return ((y - mean) / self.target_scale_)[None] if varies else np.zeros((1, len(y)))

    def _init_scores(self, X: NDArray[Any]) -> FloatArray:
        scores: FloatArray = np.asarray(self.init_.predict(X), dtype=np.float64)
        return scores

    def _neighbour_values(self, y: NDArray[Any], start: FloatArray) -> FloatArray:
        return np.asarray(y, dtype=np.float64)[:, None]

    def predict(self, X: ArrayLike, *, f0: ArrayLike | None = None, n_boosts: int | None = None) -> FloatArray:
        """Predict the target, shape (n,); parameters as for ``GBMapClassifier.decision_function``."""
        return self._outputs(X, f0, n_boosts)[:, 0]

    def staged_predict(self, X: ArrayLike, *, f0: ArrayLike | None = None) -> Iterator[FloatArray]:
        """Yield :meth:`predict` after each stage."""
        for scores in self._staged(X, f0):
            yield scores[:, 0]
