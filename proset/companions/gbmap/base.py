"""The shared part of the regressor and the classifier: the fit, the embedding, distances, drift."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import train_test_split
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, has_fit_parameter, validate_data

from proset.common.errors import ProsetError
from proset.companions.gbmap.boosting import Grown, Progress, Settings, TrainingSample, grow
from proset.companions.gbmap.compiled import SQUARED
from proset.companions.gbmap.embedding import EmbeddingMixin
from proset.companions.gbmap.parameters import check_parameters, settings_of
from proset.companions.gbmap.standard import Standard, standard_of
from proset.companions.gbmap.units import Units
from proset.companions.protocol import FloatArray, IntArray
from proset.companions.shared import fitted_at_once
from proset.engine.kernels.threads import limited
from proset.engine.weights import check_sample_weight

FITTED = (
    "n_features_in_",
    "weights_",
    "biases_",
    "intercepts_",
    "signs_",
    "stages_",
    "outputs_",
    "n_outputs_",
    "feature_scale_",
    "target_mean_",
    "target_scale_",
    "losses_",
    "validation_losses_",
    "unit_steps_",
    "n_iter_",
    "needs_f0_",
    "reference_embedding_",
    "reference_values_",
    "reference_index_",
)


def given_scores(f0: ArrayLike, n_rows: int, n_outputs: int) -> FloatArray:
    """Check the scores of another model, and return them with the shape (n, P).

    Examples
    --------
    >>> given_scores([1.0, 2.0], 2, 1).shape
    (2, 1)
    """
    given: FloatArray = np.asarray(f0, dtype=np.float64)
    given = given.reshape(-1, 1) if given.ndim == 1 else given
    if given.shape != (n_rows, n_outputs) or not np.isfinite(given).all():
        shape = (n_rows,) if n_outputs == 1 else (n_rows, n_outputs)
        words = f"it has to hold finite numbers of shape {shape}"
        raise ProsetError(f"f0 has shape {np.shape(f0)}; {words}.", hint="Pass one score for each row.")
    return given


class GBMapBase(EmbeddingMixin, BaseEstimator):
    """The part of both estimators that does not depend on the kind of target."""

    _loss: ClassVar[int] = SQUARED
    weights_: FloatArray
    biases_: FloatArray
    intercepts_: FloatArray
    signs_: FloatArray
    stages_: IntArray
    outputs_: IntArray
    n_outputs_: int
    feature_scale_: FloatArray
    target_mean_: float
    target_scale_: float
    losses_: FloatArray
    validation_losses_: FloatArray
    unit_steps_: IntArray
    n_iter_: int
    needs_f0_: bool
    reference_embedding_: FloatArray
    reference_values_: FloatArray
    reference_index_: IntArray
    n_features_in_: int
    fit_seconds_: float

    def __init__(
        self,
        n_boosts: int = 10,
        beta: float = 1.0,
        ridge: float = 1e-3,
        lasso: float = 0.0,
        max_iter: int = 200,
        tol: float = 5e-4,
        n_init: int = 1,
        refit: str = "depth",
        init_score: Any = None,
        fit_intercept: bool = True,
        standardize: bool = True,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        min_gain: float = 1e-6,
        max_reference: int | None = 100_000,
        precision: str = "double",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_boosts = n_boosts
        self.beta = beta
        self.ridge = ridge
        self.lasso = lasso
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.refit = refit
        self.init_score = init_score
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.min_gain = min_gain
        self.max_reference = max_reference
        self.precision = precision
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        f0: ArrayLike | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Fit `n_boosts` units for each output, one after the other.

        Parameters
        ----------
        X : array-like of shape (n, D)
            Features.
        y : array-like of shape (n,)
            Target.
        sample_weight : array-like of shape (n,) or None
            Multiplicity of each row, not negative; rows of weight 0 are left out.
        f0 : array-like of shape (n,) or (n, K) or None
            What another model says about the rows, to go on from: predictions, or scores (log-odds). Every method that
            predicts has to be given it, too, for its rows.
        progress : callable or None
            Called with the number of stages done and of all; raising from it ends the fit.

        Returns
        -------
        estimator
            Itself. A fit that is refused, aborted or fails leaves it as it was.
        """
        parameters = self.get_params(deep=False)
        check_parameters(parameters)
        settings = settings_of(parameters)

        def fit(draft: Self) -> None:
            with limited(self.n_jobs):
                draft._fit(X, y, sample_weight, f0, settings, progress)

        return fitted_at_once(self, fit)

    def _targets(self, y: NDArray[Any], weight: FloatArray) -> FloatArray:
        """Learn what the target is like and return it as the loss takes it, shape (P, n)."""
        raise NotImplementedError

    def _checked_target(self, y: NDArray[Any]) -> NDArray[Any]:
        """Refuse targets of the wrong kind."""
        raise NotImplementedError

    def _fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        f0: ArrayLike | None,
        settings: Settings,
        progress: Progress | None,
    ) -> None:
        """Fit this object, which nobody else has seen."""
        features, target = validate_data(self, X, y, dtype=[np.float64, np.float32], y_numeric=False)
        target = self._checked_target(target)
        weight = np.ones(len(features)) if sample_weight is None else check_sample_weight(sample_weight, len(features))
        if not weight.any():
            raise ValueError("All sample weights are zero: one sample at least has to count.")
        index = np.flatnonzero(weight > 0.0)
        rows, target, weight = (
            (features, target, weight) if len(index) == len(weight) else (features[index], target[index], weight[index])
        )
        targets = self._targets(target, weight)
        random = check_random_state(self.random_state)
        self.needs_f0_ = f0 is not None
        self._fit_init(rows, target, weight)
        given = None if f0 is None else given_scores(f0, len(features), len(targets))[index]
        start = self._start(rows, given, len(targets))
        standard = Standard.none(rows.shape[1])
        if self.standardize:
            standard = standard_of(rows, weight, centre=settings.fit_intercept)
        self.feature_scale_ = standard.scale
        sample = TrainingSample(rows, targets, (start - self.target_mean_) / self.target_scale_, weight, standard)
        fit, held_out = self._hold_out(sample, target, random)
        self._take(grow(fit, held_out, settings, self._loss, random, progress))
        self._keep_reference(rows, index, target, start, random)

    def _fit_init(self, X: NDArray[Any], y: NDArray[Any], weight: FloatArray) -> None:
        """Fit the model to start from, if there is one."""
        if self.init_score is None:
            return
        model = clone(self.init_score)
        known = {"sample_weight": weight} if has_fit_parameter(model, "sample_weight") else {}
        self.init_ = model.fit(X, y, **known)

    def _init_scores(self, X: NDArray[Any]) -> FloatArray:
        """Ask the model to start from."""
        raise NotImplementedError

    def _start(self, X: NDArray[Any], f0: ArrayLike | None, n_outputs: int) -> FloatArray:
        """Return the scores to start from, shape (P, n), in the target's units."""
        if f0 is not None:
            return given_scores(f0, len(X), n_outputs).T
        if self.needs_f0_:
            raise ProsetError("This model was fitted with f0.", hint="Pass f0 for these rows, too.")
        if self.init_score is not None:
            return self._init_scores(X).reshape(len(X), -1).T
        return np.full((n_outputs, len(X)), self.target_mean_)

    def _hold_out(
        self, sample: TrainingSample, y: NDArray[Any], random: np.random.RandomState
    ) -> tuple[TrainingSample, TrainingSample | None]:  # fmt: skip
        """Set rows aside to stop by, if asked for; weights add up to 1 in each part."""

        def part(index: IntArray | slice) -> TrainingSample:
            weight = sample.weight[index]
            own = (sample.X[index], sample.target[:, index], sample.offset[:, index])
            return TrainingSample(*own, weight / weight.sum(), sample.standard)

        if not self.early_stopping:
            return part(slice(None)), None
        seed, by_class = random.randint(2**31 - 1), y if hasattr(self, "classes_") else None
        try:
            kept, out = train_test_split(
                np.arange(len(y)), test_size=self.validation_fraction, random_state=seed, stratify=by_class
            )
        except ValueError as error:
            hint = "Fit without early_stopping, or with another validation_fraction."
            raise ProsetError(f"There are too few rows to set some aside. {error}", hint=hint) from error
        return part(np.sort(kept)), part(np.sort(out))

    def _take(self, grown: Grown) -> None:
        """Keep what was learned."""
        units = grown.units
        self.weights_, self.biases_ = units.weights, units.biases
        self.intercepts_, self.signs_ = units.intercepts, units.signs
        self.stages_, self.outputs_ = units.stages, units.problems
        self.n_outputs_ = units.n_problems
        self.losses_, self.validation_losses_ = grown.losses, grown.held_out
        self.unit_steps_, self.n_iter_ = grown.n_iter, max(1, int(grown.n_iter.sum()))

    def _keep_reference(
        self, X: NDArray[Any], index: IntArray, y: NDArray[Any], start: FloatArray, random: np.random.RandomState
    ) -> None:
        """Keep training rows, by their embedding, as neighbours."""
        chosen = np.arange(len(X))
        if self.max_reference is not None and len(X) > self.max_reference:
            chosen = np.sort(random.choice(len(X), self.max_reference, replace=False))
        self.reference_embedding_ = self.units_.values(X if len(chosen) == len(X) else X[chosen])
        self.reference_values_ = self._neighbour_values(y[chosen], start[:, chosen].T)
        self.reference_index_ = index[chosen].astype(np.int64)

    def _neighbour_values(self, y: NDArray[Any], start: FloatArray) -> FloatArray:
        """Return what the mean over neighbours is taken of, shape (n, P): the scores of the model."""
        return start + self.units_.add_up(self.reference_embedding_)

    @property
    def units_(self) -> Units:
        """The fitted units, in the target's units."""
        check_is_fitted(self, "weights_")
        return Units(
            self.weights_,
            self.biases_,
            self.intercepts_,
            self.signs_,
            self.stages_,
            self.outputs_,
            int(self.n_outputs_),
            float(self.beta),
            float(self.target_scale_),
        )

    @property
    def _n_features_out(self) -> int:
        """For the names of the columns of the embedding."""
        return len(self.signs_)

    def _check_features(self, X: ArrayLike) -> NDArray[np.floating]:
        """Check a feature matrix against the fitted model."""
        check_is_fitted(self, "weights_")
        checked: NDArray[np.floating] = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        return checked

    def _outputs(self, X: ArrayLike, f0: ArrayLike | None, n_boosts: int | None) -> FloatArray:
        """Return f(x), shape (n, P)."""
        features = self._check_features(X)
        units = self.units_.first(n_boosts)
        return self._start(features, f0, units.n_problems).T + units.scores(features)

    def _staged(self, X: ArrayLike, f0: ArrayLike | None) -> Any:
        """Yield f(x) after each stage, shape (n, P), from one pass."""
        features, units = self._check_features(X), self.units_
        values = units.values(features)
        scores = self._start(features, f0, units.n_problems).T.copy()
        for stage in range(int(units.stages.max(initial=-1)) + 1):
            for u in np.flatnonzero(units.stages == stage):
                scores[:, units.problems[u]] += values[:, u]
            yield scores.copy()
