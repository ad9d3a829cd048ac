"""Penalties and the number of batches of a regressor by cross-validation, as a scikit-learn estimator."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.preprocessing import StandardScaler
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from proset.common.allowed import JOBS, SEED, Allowed, Rules, check_values
from proset.common.errors import ParameterError
from proset.data.scales import Scale
from proset.engine.candidates import smallest_class_size
from proset.engine.mixtures.distribution import Kind, PredictedDistribution
from proset.engine.regressor import RegressorModel
from proset.engine.set_manager import FloatArray, IntArray
from proset.engine.training_checks import counted_weight
from proset.selection.column_scaler import ColumnScaler
from proset.selection.inner_folds import GroupsAndTimes
from proset.selection.matrices import keep_names, named_as, numbered_among, take_over_columns
from proset.selection.number_folds import Matrices, NumberData, penalty_without
from proset.selection.number_plan import SCALES, NumberPlan
from proset.selection.number_record import NumberRecord
from proset.selection.number_run import search_number

_ALLOWED: Rules = {
    "n_trials": Allowed(1, whole=True),
    "n_folds": Allowed(2, whole=True),
    "max_batches": Allowed(1, whole=True),
    "n_joined": Allowed(1, whole=True),
    "cv_factr": Allowed(0.0, ends=False),
    "n_jobs": JOBS,
    "random_state": SEED,
}
CV_FACTR = 1e10
_SCALES: dict[str, Scale | None] = {
    "choose": None,
    "scale": Scale.STANDARD,
    "squashed": Scale.SQUASHED,
    "quantile": Scale.QUANTILE,
}


@dataclass(frozen=True, eq=False)
class _Scaled:
    """Makes the matrices of a fold: features are standardised on the rows to learn from."""

    features: Any  # FloatArray in a search; a frame for what is fitted in the end
    weight: FloatArray
    scale: Scale = Scale.STANDARD

    def __call__(self, train: IntArray, test: IntArray, /) -> Matrices:
        scaler = self.fitted(train)
        return scaler.transform(self.features[train]), scaler.transform(self.features[test])

    def fitted(self, train: IntArray | slice) -> StandardScaler | ColumnScaler:
        """Return the transformer for these rows; a bent scale counts each of them once, whatever its weight."""
        if self.scale is Scale.STANDARD:
            return StandardScaler().fit(self.features[train], sample_weight=self.weight[train])
        return ColumnScaler(self.scale.value).fit(self.features[train])


class ProsetRegressorCV(RegressorMixin, BaseEstimator):
    """Prototype set regressor that chooses penalties, least spread and number of batches by log score on folds.

    Parameters
    ----------
    n_trials : int, default=12
        Settings to try, at least 1, as of :class:`proset.selection.NumberPlan`: the usual ones, smoother ones, others.
    n_folds : int, default=4
        Folds, at least 2.
    max_batches : int, default=6
        Most batches; each number up to that is scored.
    n_joined : int, default=4
        Fits that are joined in the final model, see :class:`proset.RegressorModel`, and in the last look at it on the
        folds, which chooses its correction and thinning; the trials join none.
    transformer : {"choose", "scale", "squashed", "quantile"}, default="choose"
        What features go through before the model, fitted anew on the training part of each fold: a ``StandardScaler``
        ("scale"), a :class:`proset.selection.ColumnScaler`, or whichever of them is best on the folds.
    cv_factr : float, default=1e10
        Tolerance of the solver in the search, see `solver_factr` of :class:`proset.RegressorModel`.
    n_jobs : int or None, default=None
        Threads of the compiled code, at most. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws folds and candidates. An int gives the same model at every call.

    Attributes
    ----------
    record_ : NumberRecord
        What was tried.
    settings_ : dict of str to float
        What was chosen, by name of the parameter of ``RegressorModel``.
    n_batches_ : int
        Number of batches chosen; with 0 the model predicts the marginal distribution.
    log_score_ : float
        Mean log score of the choice over the folds, where less is better, unlike in ``score``: of the best of many, so
        somewhat too good.
    transformer_ : StandardScaler or ColumnScaler
        Fitted to all rows.
    model_ : RegressorModel
        Fitted to all rows with what was chosen; takes features that went through `transformer_`.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str, shape (D,)
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
    >>> search.n_batches_, len(search.record_.trials)
    (1, 2)
    """

    record_: NumberRecord
    settings_: dict[str, Any]
    n_batches_: int
    log_score_: float
    transformer_: StandardScaler | ColumnScaler
    model_: RegressorModel
    n_features_in_: int

    def __init__(
        self,
        *,
        n_trials: int = 12,
        n_folds: int = 4,
        max_batches: int = 6,
        n_joined: int = 4,
        transformer: str = "choose",
        cv_factr: float = CV_FACTR,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_trials = n_trials
        self.n_folds = n_folds
        self.max_batches = max_batches
        self.n_joined = n_joined
        self.transformer = transformer
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
        sample_weight, groups, times : array-like of shape (n,) or None
            As for :class:`proset.ProsetClassifierCV`.

        Returns
        -------
        ProsetRegressorCV
            Itself; as it was if the fit is refused or stopped.

        Raises
        ------
        ValueError
            For an impossible parameter, missing or infinite values, groups or times, or too few rows for the folds.
        """
        check_values(self.get_params(deep=False), _ALLOWED, ParameterError)
        if self.transformer not in _SCALES:
            names = ", ".join(map(repr, _SCALES))
            raise ParameterError(
                f"transformer is {self.transformer!r}; it has to be one of {names}.", parameter="transformer"
            )
        seen = clone(self)  # what is learned about the columns; taken over once the fit is done
        features, target = validate_data(seen, X, y, dtype=np.float64, y_numeric=True)
        target, weight = target.astype(np.float64), counted_weight(sample_weight, features.shape[0])
        counted = np.flatnonzero(weight > 0.0)
        known = GroupsAndTimes.of(groups, times, features.shape[0]).at(counted)
        features, target, weight = features[counted], target[counted], weight[counted]
        fewest = self.n_folds * smallest_class_size(RegressorModel().max_fraction)
        if counted.shape[0] < fewest:
            raise ValueError(
                f"{self.n_folds} folds need at least {fewest} samples; here n_samples={counted.shape[0]}. Use fewer"
                " folds or more samples."
            )
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        scaled = _Scaled(features, weight, _SCALES[self.transformer] or Scale.STANDARD)

        def on_scale(scale: Scale) -> NumberData:
            return NumberData(target, weight, replace(scaled, scale=scale), groups=known.groups, times=known.times)

        fixed: dict[str, Any] = {"random_state": seed, "n_jobs": self.n_jobs}
        record = search_number(replace(on_scale(scaled.scale), scaled=on_scale), self._plan(seed), fixed)
        settings = record.found
        scale = settings.pop("scale", scaled.scale)
        named = named_as(seen, features)
        transformer = replace(scaled, features=named, scale=scale).fitted(slice(None))
        keep_names(transformer, named)
        penalty = penalty_without([str(place) for place in range(features.shape[1])], record.dropped)
        model = RegressorModel(**fixed, **settings)
        model.fit(transformer.transform(named), target, weight, feature_penalty=penalty)
        take_over_columns(self, seen)
        self.record_, self.settings_, self.log_score_ = record, settings, record.log_score
        self.n_batches_, self.transformer_ = int(settings["n_iter"]), transformer
        self.model_ = numbered_among(model, counted)
        return self

    def _plan(self, seed: int) -> NumberPlan:
        """Return what to try."""
        return NumberPlan(
            n_trials=self.n_trials,
            n_folds=self.n_folds,
            max_batches=self.max_batches,
            n_joined=self.n_joined,
            scales=SCALES if _SCALES[self.transformer] is None else (),
            max_rows=None,
            cv_factr=self.cv_factr,
            random_state=seed,
        )

    def _checked(self, X: ArrayLike) -> Any:
        """Check features and bring them to the scale of the model."""
        check_is_fitted(self, "model_")
        return self.transformer_.transform(named_as(self, validate_data(self, X, dtype=np.float64, reset=False)))

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
