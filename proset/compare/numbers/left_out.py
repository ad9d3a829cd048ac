"""Quantiles for systems that state one number only: what its errors were on training rows that were left out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from proset.selection.folds import Fold
from proset.selection.inner_folds import GroupsAndTimes, inner_folds

FloatArray = NDArray[np.float64]
N_FOLDS = 5


def folds_within(n_rows: int, seed: int, groups: ArrayLike | None, times: ArrayLike | None) -> tuple[Fold, ...]:
    """Cut the rows of a fit into five folds, or as many as there may be.

    Raises
    ------
    NoFoldsError
        If groups or times leave fewer than two.

    Examples
    --------
    >>> [len(fold.test) for fold in folds_within(12, 0, None, None)]
    [3, 3, 2, 2, 2]
    """
    known = GroupsAndTimes.of(groups, times, n_rows)
    return inner_folds(np.zeros(n_rows, dtype=np.int64), N_FOLDS, seed, known)


class WithLeftOutErrors(RegressorMixin, BaseEstimator):
    """A regressor whose answer is its prediction and the errors that it made on rows left out, the same for all cases.

    Parameters
    ----------
    regressors : sequence of estimator
        One, or several of which the one with the smallest mean square error on rows left out is taken.
    random_state : int, default=0
        Draws the folds.

    Attributes
    ----------
    model_ : estimator
        Fitted to all rows.
    errors_ : ndarray of float64, shape (m,)
        Target less prediction for each row that a fold left out, in ascending order.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> X = np.arange(40.0)[:, None]
    >>> y = X[:, 0] + np.tile([0.0, 1.0], 20)
    >>> WithLeftOutErrors([LinearRegression()]).fit(X, y).predict_quantiles([[10.0]], [0.05, 0.95]).round()
    array([[10., 11.]])
    """

    def __init__(self, regressors: Sequence[Any], random_state: int = 0) -> None:
        self.regressors = regressors
        self.random_state = random_state

    def fit(self, X: ArrayLike, y: ArrayLike, groups: ArrayLike | None = None, times: ArrayLike | None = None) -> Self:
        """Fit, and note the errors on rows left out.

        Parameters
        ----------
        X : array-like of shape (n, D)
            Finite.
        y : array-like of shape (n,)
            Targets.
        groups, times : array-like of shape (n,) or None
            What folds have to respect.

        Raises
        ------
        NoFoldsError
            If groups or times leave fewer than two folds.
        """
        features, target = validate_data(self, X, y, dtype=np.float64, y_numeric=True, ensure_min_samples=2)
        folds = folds_within(len(target), self.random_state, groups, times)
        found = [np.concatenate([_errors(one, features, target, fold) for fold in folds]) for one in self.regressors]
        best = int(np.argmin([np.mean(np.square(errors)) for errors in found]))
        self.errors_ = np.sort(found[best])
        self.model_ = clone(self.regressors[best]).fit(features, target)
        return self

    def predict(self, X: ArrayLike) -> FloatArray:
        """Predict the mean, shape (n,): the prediction and the mean of the errors."""
        check_is_fitted(self)
        predicted: FloatArray = self.model_.predict(validate_data(self, X, dtype=np.float64, reset=False))
        return predicted + self.errors_.mean()

    def predict_quantiles(self, X: ArrayLike, q: ArrayLike) -> FloatArray:
        """Predict quantiles, shape (n, m), for levels in (0, 1)."""
        check_is_fitted(self)
        predicted = self.model_.predict(validate_data(self, X, dtype=np.float64, reset=False))
        found: FloatArray = predicted[:, None] + np.quantile(self.errors_, np.asarray(q))[None]
        return found


def _errors(regressor: Any, X: FloatArray, y: FloatArray, fold: Fold) -> FloatArray:
    """Return the errors on the rows that a fold leaves out."""
    fitted = clone(regressor).fit(X[fold.train], y[fold.train])
    errors: FloatArray = y[fold.test] - fitted.predict(X[fold.test])
    return errors
