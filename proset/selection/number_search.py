"""Penalties and the number of batches of a regressor by cross-validation, as a scikit-learn estimator."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import qmc
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import StandardScaler
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from proset.common.allowed import Allowed, Rules, check_values
from proset.common.errors import ParameterError
from proset.engine.candidates import smallest_class_size
from proset.engine.density_part import Density
from proset.engine.mixtures.distribution import Kind, PredictedDistribution
from proset.engine.no_features import NoActiveFeatureWarning
from proset.engine.regressor import RegressorModel
from proset.engine.set_manager import FloatArray, IntArray
from proset.engine.training_checks import counted_weight
from proset.selection.folds import Fold, make_folds

RANGES: Mapping[str, tuple[float, float]] = {
    "lambda_v": (1e-5, 1e-1),
    "lambda_w": (1e-8, 1e-4),
    "lambda_beta": (1e-5, 1e-1),
    "min_spread": (0.03, 0.3),
}
"""Settings that are searched on a logarithmic scale."""
_ALLOWED: Rules = {
    "n_trials": Allowed(1, whole=True),
    "n_folds": Allowed(2, whole=True),
    "max_batches": Allowed(1, whole=True),
    "n_joined": Allowed(1, whole=True),
    "cv_factr": Allowed(0.0, ends=False),
}
CV_FACTR = 1e10


@dataclass(frozen=True, eq=False)
class RegressorTrial:
    """Settings that were tried.

    Attributes
    ----------
    settings : mapping of str to float
        Parameters of ``RegressorModel``.
    log_scores : ndarray of shape (n_folds, max_batches + 1)
        Mean log score on the rows that each fold leaves out, with 0, 1, ... batches; in nats per unit of the target.
    """

    settings: Mapping[str, float]
    log_scores: FloatArray


@dataclass(frozen=True)
class _FoldPlan:
    """As much of a plan as folds ask for."""

    n_folds: int
    random_state: int


class ProsetRegressorCV(RegressorMixin, BaseEstimator):
    """Prototype set regressor that chooses penalties, least spread and number of batches by log score on folds.

    Parameters
    ----------
    n_trials : int, default=12
        Settings to try, at least 1. The first are the default ones, the others are spread evenly over the ranges
        1e-5 to 1e-1 for `lambda_v` and `lambda_beta`, 1e-8 to 1e-4 for `lambda_w`, and 0.03 to 0.3 for `min_spread`.
    n_folds : int, default=4
        Folds, at least 2.
    max_batches : int, default=6
        Most batches; each number up to that is scored.
    n_joined : int, default=1
        Fits that are joined in the final model, see :class:`proset.RegressorModel`; the search joins none.
    cv_factr : float, default=1e10
        Tolerance of the solver in the search, see `solver_factr` of :class:`proset.RegressorModel`.
    n_jobs : int or None, default=None
        Threads of the compiled code, at most. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws folds, settings and candidates. An int gives the same model at every call.

    Attributes
    ----------
    trials_ : tuple of RegressorTrial
        What was tried.
    settings_ : dict of str to float
        What was chosen.
    n_batches_ : int
        Number of batches chosen; with 0 the model predicts the marginal distribution.
    log_score_ : float
        Mean log score of the choice over the folds: of the best of many, so somewhat too good.
    transformer_ : StandardScaler
        Fitted to all rows.
    model_ : RegressorModel
        Fitted to all rows with what was chosen; takes features that went through `transformer_`.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Their names, if `X` had string column names.

    Notes
    -----
    ``score`` is the mean log-likelihood, as that of ``RegressorModel``. Features need no unit scale: they are
    standardised on the training part of each fold.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(90, 2))
    >>> search = ProsetRegressorCV(n_trials=2, n_folds=2, max_batches=1, random_state=0).fit(X, X[:, 0])
    >>> search.n_batches_, len(search.trials_)
    (1, 2)
    """

    trials_: tuple[RegressorTrial, ...]
    settings_: dict[str, float]
    n_batches_: int
    log_score_: float
    transformer_: StandardScaler
    model_: RegressorModel
    n_features_in_: int

    def __init__(
        self,
        *,
        n_trials: int = 12,
        n_folds: int = 4,
        max_batches: int = 6,
        n_joined: int = 1,
        cv_factr: float = CV_FACTR,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_trials = n_trials
        self.n_folds = n_folds
        self.max_batches = max_batches
        self.n_joined = n_joined
        self.cv_factr = cv_factr
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __sklearn_tags__(self) -> Tags:
        """Say that `score` is no coefficient of determination, which is what the tag means."""
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        *,
        times: ArrayLike | None = None,
    ) -> Self:
        """Search, then fit a model to all rows with what was chosen.

        Parameters
        ----------
        X : array-like of shape (n, D)
            Features, finite.
        y : array-like of shape (n,)
            Targets, finite, in any unit.
        sample_weight : array-like of shape (n,) or None
            Multiplicity of each sample, not negative; samples of weight 0 are left out.
        groups : array-like of shape (n,) or None
            Rows with the same value stay in the same fold.
        times : array-like of shape (n,) or None
            When each row was, as numbers: folds learn from rows before those that they leave out.

        Returns
        -------
        ProsetRegressorCV
            Itself.

        Raises
        ------
        ValueError
            For an impossible parameter, missing or infinite values, or too few rows for the folds.
        """
        check_values(self.get_params(deep=False), _ALLOWED, ParameterError)
        features, target = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        target, weight = target.astype(np.float64), counted_weight(sample_weight, features.shape[0])
        counted = np.flatnonzero(weight > 0.0)
        features, target, weight = features[counted], target[counted], weight[counted]
        fewest = self.n_folds * smallest_class_size(RegressorModel().max_fraction)
        if counted.shape[0] < fewest:
            raise ValueError(
                f"{self.n_folds} folds need at least {fewest} samples; here n_samples={counted.shape[0]}. Use fewer"
                " folds or more samples."
            )
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        folds = self._folds(target, weight, seed, groups, times, counted)
        tried = [
            RegressorTrial(settings, self._scores(settings, features, target, weight, folds, seed))
            for settings in self._settings(seed)
        ]
        means = np.array([trial.log_scores.mean(axis=0) for trial in tried])
        best, n_batches = np.unravel_index(int(np.argmin(means)), means.shape)
        self.trials_, self.settings_ = tuple(tried), dict(tried[int(best)].settings)
        self.n_batches_, self.log_score_ = int(n_batches), float(means[best, n_batches])
        self.transformer_ = StandardScaler().fit(features, sample_weight=weight)
        chosen: dict[str, Any] = {**self.settings_, "n_iter": self.n_batches_, "n_joined": self.n_joined}
        model = RegressorModel(n_jobs=self.n_jobs, random_state=seed, **chosen)
        self.model_ = model.fit(self.transformer_.transform(features), target, weight)
        return self

    def _folds(
        self,
        target: FloatArray,
        weight: FloatArray,
        seed: int,
        groups: ArrayLike | None,
        times: ArrayLike | None,
        counted: IntArray,
    ) -> tuple[Fold, ...]:
        """Cut the rows into folds, by thirds of the range of the target."""
        smallest = smallest_class_size(RegressorModel().max_fraction)
        parts = Density(target, weight, counted).parts(self.n_folds * smallest)
        of_groups = None if groups is None else np.unique(np.asarray(groups)[counted], return_inverse=True)[1]
        of_times = None if times is None else np.asarray(times, dtype=np.float64)[counted]
        return make_folds(parts, _FoldPlan(self.n_folds, seed), of_groups, of_times, smallest=smallest)

    def _settings(self, seed: int) -> Iterator[dict[str, float]]:
        """Yield the settings to try: the default ones, then others spread over the ranges."""
        known = RegressorModel().get_params()
        yield {name: known[name] for name in RANGES}
        low, high = np.log(list(RANGES.values())).T
        for point in qmc.Halton(len(RANGES), rng=seed).random(self.n_trials - 1):
            values = np.exp(low + point * (high - low))
            yield dict(zip(RANGES, values.tolist(), strict=True))

    def _scores(
        self,
        settings: Any,
        features: FloatArray,
        target: FloatArray,
        weight: FloatArray,
        folds: tuple[Fold, ...],
        seed: int,
    ) -> FloatArray:
        """Return the mean log score of each fold and number of batches."""
        scores = np.empty((len(folds), self.max_batches + 1))
        for number, fold in enumerate(folds):
            scaler = StandardScaler().fit(features[fold.train], sample_weight=weight[fold.train])
            model = RegressorModel(
                n_iter=self.max_batches, solver_factr=self.cv_factr, n_jobs=self.n_jobs, random_state=seed, **settings
            )
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                warnings.simplefilter("ignore", NoActiveFeatureWarning)
                model.fit(scaler.transform(features[fold.train]), target[fold.train], weight[fold.train])
            rows = scaler.transform(features[fold.test])
            for n_batches, answer in enumerate(model.staged_predict_distribution(rows)):
                losses = answer.log_score(target[fold.test])
                scores[number, n_batches] = np.average(losses, weights=weight[fold.test])
        return scores

    def _checked(self, X: ArrayLike) -> FloatArray:
        """Check features and bring them to the scale of the model."""
        check_is_fitted(self, "model_")
        rows: FloatArray = self.transformer_.transform(validate_data(self, X, dtype=np.float64, reset=False))
        return rows

    def predict(self, X: ArrayLike) -> FloatArray:
        """Predict means, see :meth:`proset.RegressorModel.predict`."""
        rows = self._checked(X)
        return self.model_.predict(rows)

    def predict_quantiles(self, X: ArrayLike, q: ArrayLike) -> FloatArray:
        """Predict quantiles, see :meth:`proset.RegressorModel.predict_quantiles`."""
        rows = self._checked(X)
        return self.model_.predict_quantiles(rows, q)

    def predict_interval(self, X: ArrayLike, coverage: float = 0.9, kind: Kind = "central") -> FloatArray:
        """Predict intervals, see :meth:`proset.RegressorModel.predict_interval`."""
        rows = self._checked(X)
        return self.model_.predict_interval(rows, coverage, kind)

    def predict_distribution(self, X: ArrayLike) -> PredictedDistribution:
        """State distributions, see :meth:`proset.RegressorModel.predict_distribution`."""
        rows = self._checked(X)
        return self.model_.predict_distribution(rows)

    def familiarity(self, X: ArrayLike) -> FloatArray:
        """Measure familiarity (4.5), see :meth:`proset.RegressorModel.familiarity`."""
        rows = self._checked(X)
        return self.model_.familiarity(rows)

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the mean log-likelihood, **not** R^2, see :meth:`proset.RegressorModel.score`."""
        rows = self._checked(X)
        return self.model_.score(rows, y, sample_weight)
