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
    n_boosts : int, default=10
        Stages m, each of which adds one unit.
    beta : float, default=1.0
        How sharply a unit is bent, above 0; useful from 1 to 20.
    ridge : float, default=1e-3
        Penalty ridge |w|^2 / p on the coefficients of a unit; p counts the one of the constant feature, if there is
        one, and so does |w|^2.
    lasso : float, default=0.0
        Penalty lasso |w|_1 / p on the coefficients of the features alone: larger means fewer features.
    max_iter : int, default=200
        Steps of L-BFGS for each unit, at most.
    tol : float, default=5e-4
        It stops where the gradient is shorter than that.
    n_init : int, default=1
        Random starts.
    refit : {"depth", "width"}, default="depth"
        With several starts: the best of whole fits, or the best unit in every stage.
    init_score : estimator or None, default=None
        A model to start from: cloned, fitted, and its predictions added. Put a fitted one into scikit-learn's
        ``FrozenEstimator``. None starts from the mean of the target.
    fit_intercept : bool, default=True
        Whether there is a constant feature.
    standardize : bool, default=True
        Whether to fit to features of mean zero and unit scale, which starts and penalties assume. The fitted model is
        stated for the features as they are; one that is constant plays no part. Without a constant feature, the mean is
        not subtracted.
    early_stopping : bool, default=False
        Set rows aside and stop when their loss has not become smaller for `n_iter_no_change` stages; stages after the
        best one are dropped.
    validation_fraction : float, default=0.1
        Share of the rows that are set aside.
    n_iter_no_change : int, default=5
        See `early_stopping`.
    min_gain : float, default=1e-6
        A unit that does not lower the training loss by that share of the first loss is dropped and another start is
        drawn; after ten in a row, boosting ends.
    max_reference : int or None, default=100000
        Training rows that are kept as possible neighbours, at most; drawn at random if there are more. None keeps all.
    precision : {"double", "single"}, default="double"
        Of the fit. Single takes less time where there are many rows, and ends at nearly the same loss.
    random_state : int, RandomState instance or None, default=None
        Draws the starts. An int gives the same model at every call.
    n_jobs : int or None, default=None
        Threads of the compiled code, at most, as scikit-learn counts. The results do not depend on it.

    Attributes
    ----------
    weights_ : ndarray of shape (U, D)
        Coefficients w of each unit, for the features as they are.
    feature_scale_ : ndarray of shape (D,)
        Standard deviations of the features, or 1.
    biases_, intercepts_, signs_ : ndarray of shape (U,)
        Coefficient c of the constant feature, constant a, and sign b.
    stages_, outputs_ : ndarray of int64, shape (U,)
        Stage of each unit, and which score it belongs to.
    target_mean_, target_scale_ : float
        Mean and standard deviation of the target, which is standardised inside.
    losses_ : ndarray of shape (stages + 1,)
        Mean squared error without units, then after each stage, in variances of the target.
    validation_losses_ : ndarray of shape (stages + 1,) or (0,)
        The same for rows set aside.
    unit_steps_ : ndarray of int64, shape (U,)
        Steps of L-BFGS for each unit.
    n_iter_ : int
        Their sum.
    reference_embedding_, reference_index_ : ndarray of shape (r, U) and (r,)
        Training rows that may be neighbours: their embedding, and their positions.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    f(x) = f_0(x) + sum_j f_j(x), f_j(x) = a_j + b_j g(w_j x + c_j), g(z) = log(1 + exp(beta z)) / beta. Each f_j is
    learned with those before it fixed, for both signs from the same random start (Patron and others, "Gradient boosting
    mapping for dimensionality reduction and feature extraction").

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
        """Predict the target.

        Parameters
        ----------
        X : array-like of shape (n, D)
            Rows.
        f0 : array-like of shape (n,) or None
            As in :meth:`fit`.
        n_boosts : int or None
            Use the first stages only.

        Returns
        -------
        ndarray of shape (n,)
            f(x).
        """
        return self._outputs(X, f0, n_boosts)[:, 0]

    def staged_predict(self, X: ArrayLike, *, f0: ArrayLike | None = None) -> Iterator[FloatArray]:
        """Yield :meth:`predict` after each stage."""
        for scores in self._staged(X, f0):
            yield scores[:, 0]
