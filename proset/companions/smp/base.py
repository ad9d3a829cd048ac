"""The shared part of a fit with given settings and one that searches for them."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import LabelEncoder, StandardScaler
from sklearn.utils.validation import check_is_fitted

from proset.companions.paths import with_own
from proset.companions.protocol import NoPrototypeWarning, PathPoint
from proset.companions.smp.fitting import CheckedRows, Fitted, fit_path, fit_rows, make_ground
from proset.companions.smp.fusion import same_groups
from proset.companions.smp.scoring import PrototypeScores
from proset.companions.smp.solver import Stop
from proset.companions.smp.words import UnscaledFeaturesWarning, null_words, unscaled_words
from proset.engine.kernels.similarity import IntArray
from proset.engine.kernels.units import FloatArray
from proset.engine.training_checks import check_features_and_labels, check_several_classes, counted_weight

SAME = 1e-6
"""Prototypes of a class whose coordinates differ by no more than this share of the largest coordinate are one."""


PATH = (1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3)
"""Penalties `mu` along which the size of a model changes."""


class SMPBase(PrototypeScores, ClassifierMixin, BaseEstimator):
    """Rows that are checked, a solution that is taken over, prototypes that are merged."""

    assignment_: IntArray
    objective_history_: FloatArray
    feature_names_in_: NDArray[Any]

    def _check_rows(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None
    ) -> tuple[CheckedRows, NDArray[np.bool_]]:
        """Check everything that enters `fit`; return the rows that count, and which of all rows they are."""
        features, labels = check_features_and_labels(self, X, y, dtype=np.float64)
        weight = counted_weight(sample_weight, features.shape[0])
        kept = weight > 0.0
        encoder = LabelEncoder().fit(labels[kept])
        self.classes_ = encoder.classes_
        check_several_classes(self.classes_)
        target = encoder.transform(labels[kept]).astype(np.int64)
        features, weight = features[kept], weight[kept]
        self.mean_, self.scale_ = np.zeros(features.shape[1]), np.ones(features.shape[1])
        if self.get_params(deep=False)["standardize"]:
            scaler = StandardScaler().fit(features, sample_weight=weight)
            self.mean_, self.scale_ = scaler.mean_, scaler.scale_
        return CheckedRows((features - self.mean_) / self.scale_, target, weight), kept

    def _take(self, fitted: Fitted, kept: NDArray[np.bool_]) -> None:
        """Take over a solution."""
        problem, solution = fitted.problem, fitted.solution
        self.coef_, self.intercept_ = coef, _ = fitted.coefficients()
        self.prototype_bounds_ = problem.bounds
        self.assignment_ = np.full(kept.shape[0], -1, dtype=np.int64)
        self.assignment_[kept] = problem.own
        self.objective_history_, self.n_iter_, self.gap_ = solution.objective, solution.n_iter, solution.gap
        self.stop_ = solution.stop.value
        steps = solution.steps
        self.L_f_, self.step_sizes_ = steps.smoothness, (steps.tau, steps.sigma)
        self.n_distinct_ = int(self._groups().max()) + 1
        self.nnz_ = int(np.count_nonzero(coef))

    def _groups(self) -> IntArray:
        """Tell which prototypes are the same, by number of group."""
        coef = self._dense()
        return same_groups(coef, self.prototype_bounds_, SAME * float(np.abs(coef).max()))

    def _warn(self, fitted: Fitted, *, centred: bool, limit: bool = True) -> None:
        """Say what is odd about a fit; `self` is the draft of the fitted model."""
        X = fitted.problem.X[:, : fitted.problem.n_penalised]
        scales = unscaled_words(X, getattr(self, "feature_names_in_", None), centred=centred)
        if scales is not None:
            warnings.warn(scales, UnscaledFeaturesWarning, stacklevel=6)
        if not self._dense().any():
            warnings.warn(null_words(fitted.problem.mu), NoPrototypeWarning, stacklevel=6)
        elif limit and fitted.solution.stop is Stop.LIMIT:
            words = f"Stopped after {self.n_iter_:,} iterations: {self.stop_}. Raise max_iter or tol."
            warnings.warn(words, ConvergenceWarning, stacklevel=6)

    def _chosen(self) -> dict[str, Any]:
        """Return the settings of this model: parameters, or what a search has found."""
        return {**self.get_params(deep=False), **getattr(self, "best_params_", {})}

    def _solve(self, rows: CheckedRows, settings: Mapping[str, Any]) -> Fitted:
        """Fit as `fit` does, once the settings are known."""
        return fit_rows(rows, settings, make_ground(rows, settings))

    def path(
        self, X: ArrayLike, y: ArrayLike, X_test: ArrayLike, *, sample_weight: ArrayLike | None = None
    ) -> tuple[PathPoint, ...]:
        """Fit models along the penalty `mu` by the other settings of this one, each from where the last one ended.

        Parameters
        ----------
        X, y : array-like of shape (n, D) and (n,)
            What to fit to.
        X_test : array-like of shape (m, D)
            What to estimate.
        sample_weight : array-like of shape (n,) or None
            Weights of the rows that are fitted to.

        Returns
        -------
        tuple of PathPoint
            Ascending by `mu`; that of this model is among them.
        """
        check_is_fitted(self, "coef_")
        settings, points = self._chosen(), []
        values = with_own(PATH, settings["mu"])
        draft: SMPBase = clone(self)
        rows, kept = draft._check_rows(X, y, sample_weight)
        for mu, fitted in zip(reversed(values), fit_path(rows, settings, values[::-1]), strict=True):
            own = mu == settings["mu"]
            draft._take(self._solve(rows, settings) if own else fitted, kept)
            n_features = len(draft.active_features())
            points.append(PathPoint("mu", mu, draft.n_distinct_, n_features, draft.predict_proba(X_test), own))
        return tuple(reversed(points))

    def merge(self) -> Self:
        """Merge the prototypes of a class that are the same.

        Returns
        -------
        SMPClassifier
            Itself, with `n_distinct_` prototypes. Scores stay what they were up to rounding; `assignment_` counts the
            prototypes that are left.
        """
        check_is_fitted(self, "coef_")
        groups, coef = self._groups(), self._dense()
        members = [np.flatnonzero(groups == g) for g in range(int(groups.max()) + 1)]
        small = copy.copy(self)
        small.coef_ = np.stack([coef[rows].mean(axis=0) for rows in members])
        # Of equal prototypes only the one with the largest intercept ever wins.
        small.intercept_ = np.array([self.intercept_[rows].max() for rows in members])
        counts = np.bincount(self._prototype_classes()[[rows[0] for rows in members]])
        small.prototype_bounds_ = np.append(0, np.cumsum(counts))
        if hasattr(self, "assignment_"):
            small.assignment_ = np.where(self.assignment_ >= 0, groups[self.assignment_], -1)
        small.nnz_, small.n_distinct_ = int(np.count_nonzero(small.coef_)), len(members)
        self.__dict__ = small.__dict__
        return self

    def sparsify(self) -> Self:
        """Merge the prototypes of a class that are the same, and keep coordinates that are not zero only.

        Returns
        -------
        SMPClassifier
            Itself, with `coef_` as a sparse array in CSR form; :meth:`densify` undoes that.
        """
        self.merge()
        self.coef_ = csr_array(self.coef_)
        return self

    def densify(self) -> Self:
        """Turn `coef_` into an ordinary array again."""
        check_is_fitted(self, "coef_")
        self.coef_ = self._dense()
        return self
