"""All that models of a class and of a number have in common as estimators: a fit, familiarity, fewer columns."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from proset.engine.evidence.tables import Labels, ToOriginal
from proset.engine.fit_progress import FitProgress, ProgressReporter
from proset.engine.fitting import BatchSettings, TrainingData
from proset.engine.growth import BatchResult, Streams
from proset.engine.joining import grow_joined
from proset.engine.kernels.threads import limited
from proset.engine.no_features import NoActiveFeatureWarning, no_feature_words
from proset.engine.parameters import check_parameters
from proset.engine.refining import REFINE_STREAM, Refinement, refine, refinements
from proset.engine.set_manager import IntArray, SetManager
from proset.engine.steering import Steering


class GrowingMixin:
    """Adds to an estimator what a model needs that grows batch by batch, whatever its target is."""

    set_manager_: SetManager
    batch_results_: tuple[BatchResult, ...]
    feature_names_in_: NDArray[Any]
    active_features_: IntArray
    n_features_in_: int
    seed_: int
    weight_factor_: float
    n_joined_: int
    refinement_: Refinement

    n_iter: int
    n_joined: int
    n_jobs: int | None
    lambda_v: float
    weight_factor: float
    correction: float
    thinning: float
    max_prototypes: int | None
    _fault = "do not tell the classes apart"

    if TYPE_CHECKING:  # what the estimator brings along

        def get_params(self, deep: bool = True) -> dict[str, Any]:
            """Return the parameters."""
            ...

        def _check_training_data(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> TrainingData: ...

        def _settings(self) -> BatchSettings: ...

    @property
    def _refines(self) -> bool:
        """Tell whether anything is to be done after the last batch."""
        return bool(self.correction or self.thinning or self.max_prototypes is not None)

    def _refine(self, data: TrainingData, tell: Callable[[int, float], None]) -> None:
        """Do it."""
        self.set_manager_, self.refinement_ = refine(
            self.set_manager_,
            data,
            Streams(self.seed_, (REFINE_STREAM,)).of_batch(0),
            correction=self.correction,
            thinning=self.thinning,
            most=self.max_prototypes,
            on_evaluation=tell,
        )

    def staged_refine(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        corrections: Sequence[float],
        thinnings: Sequence[float],
        max_prototypes: int | None = None,
        on_evaluation: Callable[[int, float], None] | None = None,
    ) -> Iterator[Self]:
        """Refine a model that was fitted to the same samples without refinement in several ways.

        Parameters
        ----------
        corrections, thinnings : sequence of float
            Values of `correction`, each tried with all of `thinning`, which ascend.
        max_prototypes : int or None, default=None
            As the parameter.
        on_evaluation : callable or None
            Called with the number of evaluations and the latest disagreement; raising from it ends the work.

        Yields
        ------
        estimator
            A copy with `correction`, `thinning` and `max_prototypes` set; all values of `thinning` for one correction,
            then for the next.
        """
        check_is_fitted(self, "set_manager_")
        base = copy.copy(self)
        base._take_back_factors()
        found = refinements(
            base.set_manager_,
            base._check_training_data(X, y, sample_weight),
            Streams(self.seed_, (REFINE_STREAM,)).of_batch(0),
            corrections=corrections,
            thinnings=thinnings,
            most=max_prototypes,
            on_evaluation=on_evaluation,
        )
        for manager, refinement in found:
            one = copy.copy(base)
            one.correction, one.thinning, one.max_prototypes = (
                refinement.correction,
                refinement.thinning,
                max_prototypes,
            )
            one.set_manager_, one.refinement_ = manager, refinement
            one._apply_factors()
            yield one

    def _fit_model(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        warm_start: bool,
        progress: Callable[[FitProgress], None] | None,
        asked: tuple[ArrayLike | None, ArrayLike | None, ArrayLike | None, ArrayLike | None],
    ) -> None:
        """Fit a draft of the model and become it; called by `fit`, in whose caller warnings appear."""
        check_parameters(self.get_params(deep=False))
        draft = copy.copy(self)
        if not (warm_start and hasattr(self, "set_manager_")):
            draft._forget()
        data = draft._check_training_data(X, y, sample_weight)
        n_samples = np.asarray(y).shape[0]  # as many as rows of X, which was checked
        steering = Steering.of(*asked, n_samples=n_samples, n_features=data.X.shape[1])
        data = replace(data, steering=steering.at(data.index))
        with limited(self.n_jobs):
            draft._grow(data, progress)
        if self.n_iter and not draft.set_manager_.get_active_features().size:
            names = getattr(draft, "feature_names_in_", None)
            words = no_feature_words(data.X, names, self.lambda_v, self._fault)
            warnings.warn(words, NoActiveFeatureWarning, stacklevel=3)
        self.__dict__ = draft.__dict__  # in one step, so that there is no model of which a half is new

    def _forget(self) -> None:
        """Drop everything that was fitted: as in scikit-learn, what ends with an underscore."""
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("__")]:
            delattr(self, name)

    def _grow(self, data: TrainingData, progress: Callable[[FitProgress], None] | None) -> None:
        """Add `n_iter` batches to each fit, and refine the model if that is asked for."""
        reporter = ProgressReporter(progress, self.n_iter * self.n_joined, more=int(self._refines))
        self._take_back_factors()
        self._take_back_finish()
        settings, streams, tell = self._settings(), Streams(self.seed_), reporter.on_evaluation
        for step in grow_joined(
            self.set_manager_, data, settings, streams, self.n_iter, self.n_joined, on_evaluation=tell
        ):
            self.set_manager_ = step.manager
            self.batch_results_ = (*self.batch_results_, step.result)
            reporter.batch_done()
            if not step.result.solver.converged:
                warnings.warn(step.result.message, ConvergenceWarning, stacklevel=4)
        self.__dict__.pop("refinement_", None)
        self._finish(data)
        if self._refines:
            self._refine(data, tell)
        self._apply_factors()

    def _finish(self, data: TrainingData) -> None:
        """Do what a target asks for once all batches are there."""

    def _take_back_finish(self) -> None:
        """Undo that, so that a warm start goes on from what was grown."""

    def _take_back_factors(self) -> None:
        """Undo what was done to the prototypes after the last batch, so that a warm start goes on from there."""
        self.set_manager_ = self.set_manager_.scaled(1.0 / getattr(self, "weight_factor_", 1.0))

    def _apply_factors(self) -> None:
        """Multiply what is to be multiplied after the last batch."""
        self.set_manager_, self.weight_factor_ = self.set_manager_.scaled(self.weight_factor), self.weight_factor

    def _check_features(self, X: ArrayLike) -> NDArray[np.floating]:
        """Check a feature matrix against the fitted model."""
        check_is_fitted(self, "set_manager_")
        checked: NDArray[np.floating] = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        return checked

    def _named(
        self,
        classes: Sequence[Any],
        feature_names: Sequence[str] | None,
        sample_names: Callable[[IntArray], Sequence[str]] | None,
        to_original: ToOriginal | None,
    ) -> Labels:
        """Return names for tables, those that were not given filled in."""
        check_is_fitted(self, "set_manager_")
        for name, given, of in (
            ("sample_names", sample_names, "the training rows"),
            ("to_original", to_original, "the index of a feature and its values"),
        ):
            if not (given is None or callable(given)):
                raise TypeError(f"{name} is a {type(given).__name__}; it has to be a function of {of}, or None.")
        if feature_names is None:
            feature_names = getattr(self, "feature_names_in_", [f"x{d}" for d in range(self.n_features_in_)])
        if len(feature_names) != self.n_features_in_:
            raise ValueError(
                f"feature_names has {len(feature_names)} entries, but the model {self.n_features_in_} features."
            )
        return Labels(
            classes=classes,
            features=feature_names,
            to_original=to_original or (lambda _, values: values),
            sample_names=sample_names or (lambda rows: [f"sample {row}" for row in rows]),
        )

    def shrink(self) -> Self:
        """Reduce the model to its active features.

        Returns
        -------
        estimator
            Itself: it now takes only the columns listed in `active_features_`. A model without active features keeps
            one column, which has no effect.
        """
        check_is_fitted(self, "set_manager_")
        active = self.set_manager_.get_active_features()
        kept = active if active.shape[0] else np.zeros(1, dtype=np.int64)
        small = copy.copy(self)
        small.active_features_ = getattr(self, "active_features_", np.arange(self.n_features_in_))[kept]
        small.set_manager_ = self.set_manager_.shrink()
        small.n_features_in_ = int(kept.shape[0])
        if hasattr(self, "feature_names_in_"):
            small.feature_names_in_ = self.feature_names_in_[kept]
        self.__dict__ = small.__dict__
        return self
