"""Boosted trees by quantiles: one set of trees of XGBoost for all levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from proset.compare.numbers.left_out import FloatArray, folds_within
from proset.compare.numbers.levels import LEVELS, pinball

QUICK = ({"n_estimators": 100, "max_depth": 4, "learning_rate": 0.1},)
TUNED = tuple(
    {"n_estimators": count, "max_depth": depth, "learning_rate": 0.1, "subsample": 0.8}
    for count in (50, 150, 300)
    for depth in (2, 4, 6)
)


class TreeNumbers(RegressorMixin, BaseEstimator):
    """XGBoost by quantiles of 19 levels, in ascending order for each case; the mean is that of these quantiles.

    Parameters
    ----------
    offered : sequence of mapping
        Parameters of XGBoost; of several, those with the smallest mean pinball loss on rows left out are taken.
    random_state : int, default=0
        Draws folds and rows of trees.
    n_jobs : int, default=1
        Threads. With several, nodes of a few hundred rows wait for one another: on a busy machine fifty times as long.

    Attributes
    ----------
    params_ : dict
        The parameters taken.
    model_ : xgboost.XGBRegressor
        Fitted to all rows.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> X = np.arange(60.0)[:, None]
    >>> model = TreeNumbers().fit(X, X[:, 0])
    >>> bool((np.diff(model.predict_quantiles(X, LEVELS)) >= 0.0).all())
    True
    """

    def __init__(self, offered: Sequence[Mapping[str, Any]] = QUICK, random_state: int = 0, n_jobs: int = 1) -> None:
        self.offered = offered
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: ArrayLike, y: ArrayLike, groups: ArrayLike | None = None, times: ArrayLike | None = None) -> Self:
        """Fit, choosing parameters if there is a choice; parameters as for :class:`WithLeftOutErrors`."""
        features, target = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        best = 0
        if len(self.offered) > 1:
            losses = np.zeros(len(self.offered))
            for fold in folds_within(len(target), self.random_state, groups, times):
                for i, params in enumerate(self.offered):
                    said = _said(self._fitted(params, features[fold.train], target[fold.train]), features[fold.test])
                    losses[i] += pinball(said, target[fold.test]).sum()
            best = int(losses.argmin())
        self.params_ = dict(self.offered[best])
        self.model_ = self._fitted(self.params_, features, target)
        return self

    def _fitted(self, params: Mapping[str, Any], X: FloatArray, y: FloatArray) -> Any:
        """Fit once."""
        from xgboost import XGBRegressor

        model = XGBRegressor(
            objective="reg:quantileerror",
            quantile_alpha=LEVELS,
            tree_method="hist",
            random_state=self.random_state,
            n_jobs=self.n_jobs,
            **params,
        )
        return model.fit(X, y)

    def predict(self, X: ArrayLike) -> FloatArray:
        """Predict the mean of the quantiles, shape (n,)."""
        check_is_fitted(self)
        return _said(self.model_, validate_data(self, X, dtype=np.float64, reset=False)).mean(axis=1)

    def predict_quantiles(self, X: ArrayLike, q: ArrayLike) -> FloatArray:
        """Predict quantiles, shape (n, m), for levels in [0.05, 0.95]; straight lines between those learned."""
        check_is_fitted(self)
        said = _said(self.model_, validate_data(self, X, dtype=np.float64, reset=False))
        place = np.interp(np.asarray(q, dtype=np.float64), LEVELS, np.arange(len(LEVELS), dtype=np.float64))
        low = np.minimum(place.astype(np.int64), len(LEVELS) - 2)
        found: FloatArray = said[:, low] + (said[:, low + 1] - said[:, low]) * (place - low)
        return found


def _said(model: Any, X: FloatArray) -> FloatArray:
    """Return quantiles of all levels, in ascending order: trees of different levels may cross."""
    found: FloatArray = np.sort(np.asarray(model.predict(X), dtype=np.float64), axis=1)
    return found
