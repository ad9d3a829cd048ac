"""The prototype set classifier with scikit-learn manners."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import LabelEncoder
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from proset.engine.candidates import check_class_counts
from proset.engine.fit_progress import FitProgress, ProgressReporter
from proset.engine.fitting import BatchSettings, TrainingData
from proset.engine.growth import BatchResult, Streams, grow, marginal_model
from proset.engine.kernels.similarity import FloatArray
from proset.engine.model_tables import ReportsMixin
from proset.engine.objective import BACKENDS
from proset.engine.saved_form import model_state, restore_model
from proset.engine.set_manager import IntArray, SetManager


class ClassifierModel(ReportsMixin, ClassifierMixin, BaseEstimator):
    """Classifier made of a few weighted training samples and a few weighted features.

    Parameters
    ----------
    n_iter : int, default=1
        Number of batches B added by :meth:`fit`, at least 0. With 0 the model predicts the marginal probabilities.
    lambda_v : float, default=1e-3
        Penalty on the feature weights; larger means smoother and fewer features. Useful range 1e-6 to 1e-1.
    lambda_w : float, default=1e-8
        Penalty on the prototype weights. Useful range 1e-9 to 1e-4.
    alpha_v, alpha_w : float, default=0.95
        Share of each penalty that is the **L2** term, in [0, 1] (the reverse of glmnet's alpha).
    num_candidates : int, default=1000
        Candidates M for prototypes drawn per batch, at least twice the number of classes.
    max_fraction : float, default=0.5
        Largest share eta of the samples of one bin that may become candidates, in (0, 1).
    max_samples : int or None, default=None
        Use at most that many samples per batch, drawn without replacement and stratified by class. None uses all.
    solver_factr : float, default=1e7
        Tolerance (2.16) of L-BFGS-B in units of the machine precision; 1e10 is faster and nearly as good.
    backend : {"numpy", "tensorflow"}, default="numpy"
        What evaluates the objective: compiled code on the processor, or TensorFlow, on a GPU if it finds one.
    random_state : int, RandomState instance or None, default=None
        Draws the candidates. An int gives the same model at every call.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Class labels, sorted.
    label_encoder_ : LabelEncoder
        Maps labels to 0, ..., K - 1.
    set_manager_ : SetManager
        The fitted batches.
    batch_results_ : tuple of BatchResult
        What happened in each batch, why the solver stopped included.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of str
        Names of the features, if `X` had string column names.
    active_features_ : ndarray of int64
        After :meth:`shrink`: the original columns the model still takes, ascending.

    Notes
    -----
    The model is (2.4) of the report, the fit section 2.1. Features should have unit scale (remark 2.4): put a
    ``StandardScaler`` in front. ``score`` is the mean log-likelihood, not accuracy.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ClassifierModel(lambda_v=1e-2, random_state=0).fit(scale(X), y)
    >>> model.predict(scale(X)[[0, 60, 120]])
    array([0, 1, 2])
    >>> model.predict_proba(scale(X)[:1]).round(1)
    array([[1., 0., 0.]])
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_iter": [Interval(Integral, 0, None, closed="left")],
        "lambda_v": [Interval(Real, 0, None, closed="left")],
        "lambda_w": [Interval(Real, 0, None, closed="left")],
        "alpha_v": [Interval(Real, 0, 1, closed="both")],
        "alpha_w": [Interval(Real, 0, 1, closed="both")],
        "num_candidates": [Interval(Integral, 1, None, closed="left")],
        "max_fraction": [Interval(Real, 0, 1, closed="neither")],
        "max_samples": [Interval(Integral, 1, None, closed="left"), None],
        "solver_factr": [Interval(Real, 0, None, closed="neither")],
        "backend": [StrOptions(set(BACKENDS))],
        "random_state": ["random_state"],
    }

    set_manager_: SetManager
    batch_results_: tuple[BatchResult, ...]
    classes_: NDArray[Any]
    label_encoder_: LabelEncoder
    n_features_in_: int
    feature_names_in_: NDArray[Any]
    active_features_: IntArray
    _seed: int

    def __init__(
        self,
        n_iter: int = 1,
        lambda_v: float = 1e-3,
        lambda_w: float = 1e-8,
        alpha_v: float = 0.95,
        alpha_w: float = 0.95,
        num_candidates: int = 1000,
        max_fraction: float = 0.5,
        max_samples: int | None = None,
        solver_factr: float = 1e7,
        backend: str = "numpy",
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_iter = n_iter
        self.lambda_v = lambda_v
        self.lambda_w = lambda_w
        self.alpha_v = alpha_v
        self.alpha_w = alpha_w
        self.num_candidates = num_candidates
        self.max_fraction = max_fraction
        self.max_samples = max_samples
        self.solver_factr = solver_factr
        self.backend = backend
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        warm_start: bool = False,
        *,
        progress: Callable[[FitProgress], None] | None = None,
    ) -> Self:
        """Fit `n_iter` batches to training data.

        Parameters
        ----------
        X : array-like of shape (n, D)
            Feature matrix, finite, features of unit scale.
        y : array-like of shape (n,)
            Class labels; at least three samples per class with the default `max_fraction`.
        sample_weight : array-like of shape (n,) or None
            Multiplicity of each sample (remark 2.2), not negative; samples of weight 0 are left out.
        warm_start : bool, default=False
            Add `n_iter` batches to the model fitted before, on the same classes and features. Fitting twice one batch
            gives the same model as fitting two at once.
        progress : callable or None
            Called with a :class:`~proset.engine.fit_progress.FitProgress` after every evaluation; raising from it ends
            the fit.

        Returns
        -------
        ClassifierModel
            Itself.

        Raises
        ------
        ValueError
            For missing or infinite values, fewer than two classes, or a class with too few samples (2.14).

        Warns
        -----
        ConvergenceWarning
            If the solver stopped before it converged, saying why.
        """
        continued = warm_start and hasattr(self, "set_manager_")
        data = self._check_training_data(X, y, sample_weight, continued)
        if continued:
            manager, results = self.set_manager_, list(self.batch_results_)
        else:
            self._seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
            manager, results = marginal_model(data), []
        reporter = ProgressReporter(progress, self.n_iter)
        for growth in grow(
            manager,
            data,
            BatchSettings.of(self),
            Streams(self._seed),
            self.n_iter,
            on_evaluation=reporter.on_evaluation,
        ):
            manager = growth.manager
            results.append(growth.result)
            reporter.batch_done()
            if not growth.result.solver.converged:
                warnings.warn(growth.result.message, ConvergenceWarning, stacklevel=2)
        self.set_manager_ = manager
        self.batch_results_ = tuple(results)
        return self

    def _check_training_data(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None, continued: bool
    ) -> TrainingData:
        """Check everything that enters `fit`; sets classes_ and label_encoder_ unless a model is continued."""
        features, labels = validate_data(self, X, y, dtype=[np.float64, np.float32], reset=not continued)
        check_classification_targets(labels)
        weight = _check_sample_weight(sample_weight, features, dtype=np.float64, ensure_non_negative=True)
        index = np.flatnonzero(weight > 0.0)
        if index.shape[0] < weight.shape[0]:
            features, labels, weight = features[index], labels[index], weight[index]
        if index.shape[0] == 0:
            raise ValueError("All sample weights are zero: there is nothing to fit.")
        if not continued:
            self.label_encoder_ = LabelEncoder().fit(labels)
            self.classes_ = self.label_encoder_.classes_
        target = self._encode(labels)
        n_classes = len(self.classes_)
        if n_classes < 2:
            raise ValueError(f"Classifier can't train when only one class is present: {self.classes_[0]!r}.")
        counts = np.bincount(target, minlength=n_classes)
        check_class_counts(counts, self.max_fraction, self.classes_)
        if self.num_candidates < 2 * n_classes:
            needed = f"use at least {2 * n_classes}"
            raise ValueError(f"num_candidates={self.num_candidates} is too small for {n_classes} classes: {needed}.")
        return TrainingData(features, target, weight, index)

    def _encode(self, y: ArrayLike) -> IntArray:
        """Map labels to 0, ..., K - 1."""
        target: IntArray = self.label_encoder_.transform(y).astype(np.int64)
        return target

    def _check_features(self, X: ArrayLike) -> NDArray[np.floating]:
        """Check a feature matrix against the fitted model."""
        check_is_fitted(self, "set_manager_")
        checked: NDArray[np.floating] = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        return checked

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the class with the highest estimated probability (the naive rule).

        Parameters
        ----------
        X : array-like of shape (n, D)
            Feature matrix.

        Returns
        -------
        ndarray of shape (n,)
            Class labels; the first in `classes_` wins a tie.

        Notes
        -----
        For real decisions, apply a rule that knows the costs to :meth:`predict_proba` (section 4.3.2).
        """
        best = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[best]

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Estimate class probabilities (2.4).

        Parameters
        ----------
        X : array-like of shape (n, D)
            Feature matrix.

        Returns
        -------
        ndarray of shape (n, K)
            Probabilities in (0, 1), rows summing to one, columns as in `classes_`.
        """
        features = self._check_features(X)
        return self.set_manager_.probabilities(features)

    def staged_predict_proba(self, X: ArrayLike) -> Iterator[FloatArray]:
        """Estimate class probabilities (2.7) with 0, 1, ..., B batches.

        Parameters
        ----------
        X : array-like of shape (n, D)
            Feature matrix.

        Yields
        ------
        ndarray of shape (n, K)
            The last one equals :meth:`predict_proba`.
        """
        features = self._check_features(X)
        yield from self.set_manager_.staged_probabilities(features)

    def familiarity(self, X: ArrayLike) -> FloatArray:
        """Measure how much the prototypes have to say about each sample (4.5).

        Parameters
        ----------
        X : array-like of shape (n, D)
            Feature matrix.

        Returns
        -------
        ndarray of shape (n,)
            Total impact of all prototypes, at least 0; 0 far away from the training data.
        """
        return self.set_manager_.familiarity(self._check_features(X))

    def predict_with_familiarity(self, X: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Estimate class probabilities (2.4) and familiarity (4.5) in one pass, which takes half the time of two.

        Parameters
        ----------
        X : array-like of shape (n, D)
            Feature matrix.

        Returns
        -------
        probabilities : ndarray of shape (n, K)
            As :meth:`predict_proba`.
        familiarity : ndarray of shape (n,)
            As :meth:`familiarity`.
        """
        return self.set_manager_.evaluate(self._check_features(X))

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Mean log-likelihood of the true classes.

        Parameters
        ----------
        X : array-like of shape (n, D)
            Feature matrix.
        y : array-like of shape (n,)
            True classes, all among `classes_`.
        sample_weight : array-like of shape (n,) or None
            Weights of the samples.

        Returns
        -------
        float
            Not positive; larger is better. Its negative is the log-loss.
        """
        probabilities = self.predict_proba(X)
        target = self._encode(y)
        weight = _check_sample_weight(sample_weight, probabilities, dtype=np.float64)
        return float(np.average(np.log(probabilities[np.arange(target.shape[0]), target]), weights=weight))

    def shrink(self) -> Self:
        """Reduce the model to its active features.

        Returns
        -------
        ClassifierModel
            Itself: it now takes only the columns listed in `active_features_`. A model without active features keeps
            one column, which has no effect.
        """
        check_is_fitted(self, "set_manager_")
        active = self.set_manager_.get_active_features()
        kept = active if active.shape[0] else np.zeros(1, dtype=np.int64)
        self.active_features_ = getattr(self, "active_features_", np.arange(self.n_features_in_))[kept]
        self.set_manager_ = self.set_manager_.shrink()
        self.n_features_in_ = int(kept.shape[0])
        if hasattr(self, "feature_names_in_"):
            self.feature_names_in_ = self.feature_names_in_[kept]
        return self

    def to_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return the fitted model as plain JSON types and arrays; see :mod:`proset.engine.saved_form`."""
        check_is_fitted(self, "set_manager_")
        return model_state(self)

    @classmethod
    def from_state(cls, meta: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Self:
        """Rebuild a fitted model from :meth:`to_state`.

        Raises
        ------
        StorageError
            Naming the entry that is missing, malformed or out of range.
        """
        model = cls()
        restore_model(model, meta, arrays)
        return model
