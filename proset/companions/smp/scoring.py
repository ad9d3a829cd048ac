"""Scores, distances and covers of fitted prototypes."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, issparse
from scipy.spatial.distance import cdist
from scipy.special import softmax
from sklearn.utils.validation import check_is_fitted, validate_data

from proset.common.errors import StorageError
from proset.companions.protocol import Complexity, FloatArray, IntArray, Offer, ScoreContributions, SystemPrototypes
from proset.companions.room import check_room
from proset.companions.shared import PrototypeModelMixin


class PrototypeScores(PrototypeModelMixin):
    """Scores by inner products: the part of an ``SMPClassifier`` that needs its fitted attributes only."""

    lacks: ClassVar[frozenset[Offer]] = frozenset()
    _state: ClassVar[tuple[str, ...]] = (
        "classes_", "coef_", "intercept_", "prototype_bounds_", "mean_", "scale_", "n_features_in_", "n_distinct_",
        "nnz_", "n_iter_", "stop_", "gap_", "L_f_",
    )  # fmt: skip

    classes_: NDArray[Any]
    coef_: FloatArray | csr_array
    intercept_: FloatArray
    prototype_bounds_: IntArray
    mean_: FloatArray
    scale_: FloatArray
    n_features_in_: int
    n_distinct_: int

    @property
    def prototype_labels_(self) -> NDArray[Any]:
        """Class of each prototype, shape (N,)."""
        return self.classes_[self._prototype_classes()]

    def _prototype_classes(self) -> IntArray:
        """Position of the class of each prototype in `classes_`."""
        return np.repeat(np.arange(len(self.classes_)), np.diff(self.prototype_bounds_))

    def _dense(self) -> FloatArray:
        """Return the prototypes as an ordinary array."""
        dense: FloatArray = self.coef_.toarray() if issparse(self.coef_) else np.asarray(self.coef_)
        return dense

    def _check_features(self, X: ArrayLike) -> FloatArray:
        """Check a feature matrix against the fitted model, and standardise it as there."""
        check_is_fitted(self, "coef_")
        checked: FloatArray = (validate_data(self, X, dtype=np.float64, reset=False) - self.mean_) / self.scale_
        return checked

    def similarity(self, X: ArrayLike) -> FloatArray:
        """Return the inner product of each row with each prototype, shape (n, N), intercepts included."""
        products: FloatArray = self._check_features(X) @ self.coef_.T + self.intercept_
        return products

    def scores(self, X: ArrayLike) -> FloatArray:
        """Return the largest inner product with a prototype of each class, shape (n, K)."""
        scores: FloatArray = np.maximum.reduceat(self.similarity(X), self.prototype_bounds_[:-1], axis=1)
        return scores

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return the scores as scikit-learn has them.

        Returns
        -------
        ndarray of shape (n, K), or (n,) for two classes
            For two classes the score of the second minus that of the first.
        """
        scores = self.scores(X)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the class with the highest score, shape (n,); the first in `classes_` wins a tie."""
        best = self.scores(X).argmax(axis=1)
        return self.classes_[best]

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Estimate class probabilities, shape (n, K): the softmax of the scores."""
        probabilities: FloatArray = softmax(self.scores(X), axis=1)
        return probabilities

    def winning_prototype(self, X: ArrayLike) -> IntArray:
        """Return the position of the prototype that decides about each row, shape (n,)."""
        return self.similarity(X).argmax(axis=1).astype(np.int64)

    def prototypes(self) -> SystemPrototypes:
        """Return the prototypes, all of them points that are no rows; `group` is the place within the class.

        With `standardize`, `X` is where a row would have to be whose standardised features are the coordinates.
        """
        check_is_fitted(self, "coef_")
        coef = self._dense()
        first = self.prototype_bounds_[self._prototype_classes()]
        return SystemPrototypes.of_samples(
            self.mean_ + self.scale_ * coef,
            np.full(len(coef), -1),
            self.prototype_labels_,
            weight=np.abs(coef).sum(axis=1),
            group=np.arange(len(coef)) - first,
            active=coef != 0.0,
        )

    def complexity(self, X: ArrayLike | None = None) -> Complexity:
        """Measure size and speed as others do; prototypes of a class that are the same count once, as along a path."""
        return replace(super().complexity(X), n_prototypes=self.n_distinct_)

    def feature_weights(self) -> FloatArray:
        """Return the absolute coordinates of each prototype, shape (N, D)."""
        check_is_fitted(self, "coef_")
        return np.abs(self._dense())

    def distance(self, A: ArrayLike, B: ArrayLike | None = None) -> FloatArray:
        """Return how far rows are apart in what the model sees of them.

        Returns
        -------
        ndarray of shape (n, m)
            Euclidean distance of the inner products with all prototypes: rows that differ only where no prototype
            looks have distance zero.
        """
        left = self._check_features(A) @ self.coef_.T
        right = left if B is None else self._check_features(B) @ self.coef_.T
        check_room(len(left), len(right))
        return cdist(left, right)

    def contributions(self, X: ArrayLike) -> ScoreContributions:
        """Return what each prototype adds: in each class the best one adds its inner product, the others nothing."""
        products = self.similarity(X)
        check_room(*products.shape, len(self.classes_))
        added = np.zeros((*products.shape, len(self.classes_)))
        rows = np.arange(len(products))
        for k, (first, last) in enumerate(zip(self.prototype_bounds_, self.prototype_bounds_[1:], strict=False)):
            best = first + products[:, first:last].argmax(axis=1)
            added[rows, best, k] = products[rows, best]
        return ScoreContributions(np.zeros((len(products), len(self.classes_))), added)

    def _raw_familiarity(self, X: ArrayLike) -> FloatArray:
        """Return the largest cosine with a prototype, in [-1, 1]: a weak sign, since it does not know lengths."""
        features, coef = self._check_features(X), self._dense()
        lengths = np.linalg.norm(features, axis=1)[:, None] * np.linalg.norm(coef, axis=1)
        cosines = np.divide(features @ coef.T, lengths, out=np.zeros_like(lengths), where=lengths > 0.0)
        largest: FloatArray = cosines.max(axis=1)
        return largest

    def to_dict(self) -> dict[str, Any]:
        """Return JSON values under "meta" and arrays under "arrays", the prototypes as an ordinary array."""
        dense = copy.copy(self)
        dense.coef_ = self._dense()
        return super(PrototypeScores, dense).to_dict()

    def _check_state(self) -> None:
        """Refuse prototypes, intercepts and bounds that do not fit each other."""
        coef, bounds = np.asarray(self.coef_), np.asarray(self.prototype_bounds_)
        fits = (
            coef.ndim == 2
            and coef.shape[1] == self.n_features_in_
            and self.mean_.shape == self.scale_.shape == (self.n_features_in_,)
            and self.intercept_.shape == (len(coef),)
            and bounds.shape == (len(self.classes_) + 1,)
            and bounds.dtype.kind == "i"
            and bounds[0] == 0
            and bounds[-1] == len(coef)
            and (np.diff(bounds) > 0).all()
            and np.isfinite(coef).all()
            and np.isfinite(self.intercept_).all()
            and np.isfinite(self.mean_).all()
            and (self.scale_ > 0.0).all()
        )
        if not fits:
            raise StorageError(f"The prototypes of the saved {type(self).__name__} do not fit each other.")
