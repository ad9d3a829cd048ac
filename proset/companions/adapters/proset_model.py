"""The prototype set classifier behind the interface of the companions."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from proset.common.errors import ProsetError
from proset.common.words import listed
from proset.companions.adapters.proset_state import ProsetStateMixin
from proset.companions.adapters.scaling import column_scaling
from proset.companions.protocol import Contributions, FloatArray, Offer, PathPoint, PrototypeTable
from proset.companions.room import check_room
from proset.companions.shared import PrototypeModelMixin, fitted_at_once
from proset.engine.evidence.known_cases import batch_kernels
from proset.engine.kernels.threads import limited
from proset.engine.model import ClassifierModel
from proset.engine.set_manager import Batch
from proset.engine.training_checks import counted_weight
from proset.selection.estimator import ProsetClassifierCV

SEARCHES = (None, "quick", "joint", "report")
SHORTEST_PATH = 5
_ROUNDING = 1e-14
_NOT_THE_MODELS = frozenset({"search", "standardize"})
_SEARCHED = frozenset({"n_iter", "lambda_v", "lambda_w", "weight_factor", "alpha_v", "max_fraction"})


class ProsetPrototypes(ProsetStateMixin, PrototypeModelMixin, ClassifierMixin, BaseEstimator):
    """Prototype set classifier that says what it rests on in the same words as its companions.

    Parameters
    ----------
    search : {None, "quick", "joint", "report"}, default=None
        Whether to choose penalties and number of batches by cross-validation, and by which method of
        :class:`proset.ProsetClassifierCV`; None takes the parameters as they are.
    standardize : bool, default=True
        Centre and scale the columns first.
    n_iter, lambda_v, lambda_w, alpha_v, alpha_w, num_candidates, max_fraction, max_samples, solver_factr, backend, \
random_state, n_jobs, weight_factor
        As for :class:`proset.ClassifierModel`; a search chooses some of them itself.

    Attributes
    ----------
    model_ : ClassifierModel
        The classifier, fitted to the numbers 0, 1, ... of the classes.
    prototype_rows_ : ndarray of shape (k, D)
        All columns of the rows that became prototypes, batch by batch, in the units of the matrix fitted to.
    center_, scale_ : ndarray of shape (D,)
        What is taken off each column, and what it is divided by.
    classes_ : ndarray of shape (K,)
        Class labels, sorted.
    n_features_in_ : int
        Number of columns D.

    Notes
    -----
    Scores are the estimated probabilities: the marginals and each prototype add to them, section 4.3.1 of the report.
    The distance combines the metrics of the batches as familiarity weighs them: with d_b the distance in the feature
    weights of batch b, and s_b its share of all prototype weights,
    ``d = sqrt(-2 log(sum_b s_b exp(-d_b ** 2 / 2)))``. With one batch that is d_b itself.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ProsetPrototypes(lambda_v=1e-2, random_state=0).fit(X, y)
    >>> parts = model.contributions(X[:2])
    >>> bool(np.allclose(parts.total(), model.predict_proba(X[:2])))
    True
    """

    lacks: ClassVar[frozenset[Offer]] = frozenset()
    model_: ClassifierModel
    prototype_rows_: FloatArray
    center_: FloatArray
    scale_: FloatArray
    classes_: NDArray[Any]

    def __init__(
        self,
        search: str | None = None,
        standardize: bool = True,
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
        n_jobs: int | None = None,
        weight_factor: float = 1.0,
    ) -> None:
        self.search = search
        self.standardize = standardize
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
        self.n_jobs = n_jobs
        self.weight_factor = weight_factor

    @classmethod
    def of(cls, model: ClassifierModel, X: ArrayLike) -> Self:
        """Wrap a model that is fitted already.

        Parameters
        ----------
        model : ClassifierModel
            Fitted, not shrunk; left as it is.
        X : array-like of shape (n, D)
            The matrix that it was fitted to, from which the prototypes take the columns the model does not use.

        Returns
        -------
        ProsetPrototypes
            With the same estimates; columns are not standardised once more.

        Examples
        --------
        >>> X, y = np.array([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]]), ["a"] * 3 + ["b"] * 3
        >>> model = ClassifierModel(random_state=0).fit(X, y)
        >>> bool((ProsetPrototypes.of(model, X).predict(X) == model.predict(X)).all())
        True
        """
        check_is_fitted(model, "set_manager_")
        rows = np.asarray(X, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != model.n_features_in_ or hasattr(model, "active_features_"):
            raise ProsetError(
                "The matrix is not the one that the model was fitted to.", hint="Pass it before shrink()."
            )
        made = cls(standardize=False, **model.get_params())
        made._take(model, rows, np.zeros(rows.shape[1]), np.ones(rows.shape[1]))
        made.classes_, made.fit_seconds_ = model.classes_, float("nan")
        if hasattr(model, "feature_names_in_"):
            made.feature_names_in_ = model.feature_names_in_
        return made

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None, *, progress: Any = None) -> Self:
        """Fit batches, after a search if there is to be one.

        Parameters
        ----------
        X : array-like of shape (n, D)
            Features, finite.
        y : array-like of shape (n,)
            Class labels; at least three rows per class with the default `max_fraction`, four for a search.
        sample_weight : array-like of shape (n,) or None
            Multiplicity of each row, not negative.
        progress : callable or None
            Passed to the fit or the search; raising from it ends the fit.

        Returns
        -------
        ProsetPrototypes
            Itself.
        """
        return fitted_at_once(self, lambda draft: draft._fit(X, y, sample_weight, progress))

    def _fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None, progress: Any) -> None:
        """Check what was passed, fit, and keep what was found."""
        if self.search not in SEARCHES:
            raise ProsetError(f"search is {self.search!r}; it has to be one of {', '.join(map(repr, SEARCHES))}.")
        features, labels = validate_data(self, X, y, dtype=[np.float64, np.float32])
        check_classification_targets(labels)
        weight = None if sample_weight is None else counted_weight(sample_weight, len(labels))
        classes = np.unique(labels if weight is None else labels[weight > 0.0])
        # Rows of weight 0 may be of a class that does not count; they are left out by the model.
        target = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
        if len(classes) < 2:
            raise ValueError(f"Classifier can't train when only one class is present: '{classes[0]}'.")
        center, scale = column_scaling(features.astype(np.float64), weight, self.standardize)
        model = self._fitted(self._scaled(features, center, scale), target, weight, progress)
        self._take(model, features.astype(np.float64), center, scale)
        self.classes_ = classes

    def _fitted(
        self, X: NDArray[Any], target: NDArray[Any], weight: FloatArray | None, progress: Any
    ) -> ClassifierModel:
        """Fit the model, or search for one."""
        given = {name: value for name, value in self.get_params().items() if name not in _NOT_THE_MODELS}
        if self.search is None:
            return ClassifierModel(**given).fit(X, target, weight, progress=progress)
        kept = {name: value for name, value in given.items() if name not in _SEARCHED}
        search = ProsetClassifierCV(method=self.search, transformer=None, **kept)
        return search.fit(X, target, weight, progress=progress).model_

    def _take(self, model: ClassifierModel, X: FloatArray, center: FloatArray, scale: FloatArray) -> None:
        """Keep a fitted model and what belongs to it."""
        rows = [batch.sample_index for batch in self._batches_of(model)]
        index = np.concatenate(rows) if rows else np.zeros(0, dtype=np.int64)
        self.model_, self.center_, self.scale_ = model, center, scale
        self.prototype_rows_ = X[index]
        self.n_features_in_ = int(model.n_features_in_)

    @staticmethod
    def _batches_of(model: ClassifierModel) -> list[Batch]:
        """Return the batches that have prototypes."""
        return [batch for batch in model.set_manager_.batches if batch is not None]

    @staticmethod
    def _scaled(X: NDArray[Any], center: FloatArray, scale: FloatArray) -> NDArray[Any]:
        """Bring rows to the units of the model; those that were not scaled keep their precision."""
        if not center.any() and (scale == 1.0).all():
            return X
        scaled: FloatArray = (X.astype(np.float64) - center) / scale
        return scaled

    def _ready(self, X: ArrayLike) -> NDArray[Any]:
        """Check rows and bring them to the units of the model."""
        check_is_fitted(self, "model_")
        checked = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        return self._scaled(checked, self.center_, self.scale_)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the class with the highest estimate, shape (n,); the first of `classes_` wins a tie."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Estimate class probabilities (2.4), shape (n, K)."""
        rows = self._ready(X)
        return self.model_.predict_proba(rows)

    def scores(self, X: ArrayLike) -> FloatArray:
        """Return what contributions add up to: the estimates, shape (n, K)."""
        return self.predict_proba(X)

    def prototypes(self) -> PrototypeTable:
        """Return the prototypes, batch by batch; `group` is the batch, 0 for the first."""
        check_is_fitted(self, "model_")
        numbered = [(i, batch) for i, batch in enumerate(self.model_.set_manager_.batches) if batch is not None]
        if not numbered:
            return PrototypeTable.of_samples(self.prototype_rows_, np.zeros(0), self.classes_[:0])
        batches = [batch for _, batch in numbered]
        used = self.feature_weights() > 0.0
        group = np.concatenate([np.full(len(batch), number) for number, batch in numbered])
        return PrototypeTable.of_samples(
            self.prototype_rows_,
            np.concatenate([batch.sample_index for batch in batches]),
            self.classes_[np.concatenate([batch.target for batch in batches])],
            weight=np.concatenate([batch.weights for batch in batches]),
            group=group,
            active=used[group],
        )

    def feature_weights(self) -> FloatArray:
        """Return the feature weights v of each batch, shape (batches, D), in the model's units."""
        check_is_fitted(self, "model_")
        manager = self.model_.set_manager_
        weights = np.zeros((manager.num_batches, self.n_features_in_))
        for row, batch in zip(weights, manager.batches, strict=True):
            if batch is not None:
                row[batch.active_features] = batch.feature_weights
        return weights

    def similarity(self, X: ArrayLike) -> FloatArray:
        """Return the impact of each prototype on each row, weight times kernel value (2.3), shape (n, k)."""
        rows = self._ready(X)
        check_room(len(rows), len(self.prototype_rows_))
        with limited(self.n_jobs):
            parts = [
                batch.similarity(rows) * batch.weights.astype(np.float64) for batch in self._batches_of(self.model_)
            ]
        return np.hstack(parts) if parts else np.zeros((len(rows), 0))

    def distance(self, A: ArrayLike, B: ArrayLike | None = None) -> FloatArray:
        """Return the distance in the combined metric of the batches, shape (n, m); see the notes of the class."""
        first = self._ready(A).astype(np.float64)
        second = first if B is None else self._ready(B).astype(np.float64)
        kernels = batch_kernels(self.model_.set_manager_)
        check_room(len(first), len(second))
        total = np.full((len(first), len(second)), -np.inf if kernels else 0.0)
        for kernel in kernels:
            squares = cdist(
                first[:, kernel.columns] * kernel.weights, second[:, kernel.columns] * kernel.weights, "sqeuclidean"
            )
            np.logaddexp(total, np.log(kernel.share) - 0.5 * squares, out=total)
        # The shares sum to one but for rounding: what is nearer than that is at the same place.
        return np.sqrt(-2.0 * np.where(total > -_ROUNDING, 0.0, total))

    def batch_distances(self, A: ArrayLike, B: ArrayLike | None = None) -> FloatArray:
        """Return the distance in the metric of every batch, shape (batches, n, m); 0 for a batch without features."""
        first = self._ready(A).astype(np.float64)
        second = first if B is None else self._ready(B).astype(np.float64)
        weights = self.feature_weights()
        check_room(len(first), len(second), max(1, len(weights)))
        each = [cdist(first[:, row > 0.0] * row[row > 0.0], second[:, row > 0.0] * row[row > 0.0]) for row in weights]
        return np.stack(each) if each else np.zeros((0, len(first), len(second)))

    def contributions(self, X: ArrayLike) -> Contributions:
        """Return what marginals and prototypes add to the estimates of each row, shapes (n, K) and (n, k, K)."""
        impact = self.similarity(X)
        n, k, n_classes = *impact.shape, len(self.classes_)
        check_room(n, k, n_classes)
        total = 1.0 + impact.sum(axis=1, keepdims=True)
        added = np.zeros((n, k, n_classes))
        target = [batch.target for batch in self._batches_of(self.model_)]
        added[:, np.arange(k), np.concatenate(target) if target else np.zeros(0, dtype=np.int64)] = impact / total
        return Contributions(self.model_.set_manager_.marginals / total, added)

    def _raw_familiarity(self, X: ArrayLike) -> FloatArray:
        """Return the total impact of all prototypes (4.5), shape (n,)."""
        rows = self._ready(X)
        return self.model_.familiarity(rows)

    def path(
        self, X: ArrayLike, y: ArrayLike, X_test: ArrayLike, *, sample_weight: ArrayLike | None = None
    ) -> tuple[PathPoint, ...]:
        """Estimate rows after 0, 1, ... batches of one fit by this model's settings; see PrototypeModelMixin.path."""
        check_is_fitted(self, "model_")
        settings = self.model_.get_params() | {"n_jobs": self.n_jobs}
        own = self.model_.set_manager_.num_batches
        fitted = ProsetPrototypes(standardize=self.standardize, **settings).set_params(n_iter=max(own, SHORTEST_PATH))
        fitted.fit(X, y, sample_weight)
        columns = self._columns_of(fitted.classes_)
        used, size, points = np.zeros(fitted.n_features_in_, dtype=bool), 0, []
        stages = fitted.model_.staged_predict_proba(fitted._ready(X_test))
        for number, (batch, estimates) in enumerate(
            zip((None, *fitted.model_.set_manager_.batches), stages, strict=True)
        ):
            if batch is not None:
                used[batch.active_features], size = True, size + len(batch)
            points.append(
                PathPoint("batches", float(number), size, int(used.sum()), estimates[:, columns], number == own)
            )
        return tuple(points)

    def _columns_of(self, classes: NDArray[Any]) -> list[int]:
        """Return where the classes of this model stand among others, which are sorted; those of a study need not be."""
        found = classes.tolist()
        missing = [label for label in self.classes_.tolist() if label not in found]
        if missing:
            raise ProsetError(f"There are no rows of the class {listed(missing)} to fit to.")
        return [found.index(label) for label in self.classes_.tolist()]
