"""Batches of a fitted prototype set model, and its scores.

A :class:`SetManager` holds the marginal probabilities and one :class:`Batch` per iteration. It knows the equations
(2.4) to (2.7) and (4.5) and nothing of how batches are found.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from proset.engine.kernels.class_impacts import ClassImpacts, class_impacts
from proset.engine.kernels.similarity import FloatArray, IntArray, ScaledPrototypes, scaled_prototypes

Float32Array = NDArray[np.float32]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Batch:
    """The prototypes of one batch, reduced to the features that the batch uses.

    Attributes
    ----------
    active_features : ndarray of int64, shape (d,)
        Columns of the feature matrix with positive weight, ascending.
    feature_weights : ndarray of float32, shape (d,)
        Inverse bandwidths v of the active features, positive.
    prototypes : ndarray of float64, shape (J, d)
        Values of the active features as the training data had them: rounded, far from the origin they would no longer
        be the points that were fitted.
    target : ndarray of int64, shape (J,)
        Class of each prototype, 0 to K - 1.
    weights : ndarray of float32, shape (J,)
        Prototype weights w, positive.
    sample_index : ndarray of int64, shape (J,)
        Row of each prototype in the training data.

    Examples
    --------
    >>> batch = Batch(np.array([0]), np.ones(1, np.float32), np.zeros((1, 1)), np.array([1]),
    ...               np.ones(1, np.float32), np.array([7]))
    >>> len(batch)
    1
    """

    active_features: IntArray
    feature_weights: Float32Array
    prototypes: FloatArray
    target: IntArray
    weights: Float32Array
    sample_index: IntArray

    _BY_PROTOTYPE: ClassVar[tuple[str, ...]] = ("prototypes", "target", "weights", "sample_index")

    def __len__(self) -> int:
        return int(self.target.shape[0])

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what scoring has prepared: it doubles a pickle and is made again at the first row."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def taken(self, kept: IntArray) -> Self:
        """Return the batch with some of its prototypes, by ascending position."""
        return replace(self, **{name: getattr(self, name)[kept] for name in self._BY_PROTOTYPE})

    def similarity(self, X: NDArray[Any]) -> FloatArray:
        """Kernel values (2.3) of full feature rows with every prototype, shape (n, J)."""
        return self._scaled.similarities(X[:, self.active_features])

    @cached_property
    def _scaled(self) -> ScaledPrototypes:
        """The prototypes as the kernel takes them, in double precision."""
        return scaled_prototypes(self.prototypes.astype(np.float64), self.feature_weights.astype(np.float64))

    def impacts(self, X: NDArray[Any], n_classes: int) -> FloatArray:
        """Impacts of the prototypes on full feature rows, summed by class (2.6), shape (n, K)."""
        return self._impacts.evaluate(X, self.active_features, n_classes)

    @cached_property
    def _impacts(self) -> ClassImpacts:
        """The prototypes as scoring takes them."""
        return class_impacts(self._scaled, self.target, self.weights.astype(np.float64))


class SetManager:
    """Marginal probabilities and batches of prototypes; scores any number of rows in bounded memory.

    Parameters
    ----------
    marginals : array-like of shape (K,)
        Marginal class probabilities (2.2), positive, summing to one.
    num_features : int
        Number of columns of the feature matrix.
    batches : tuple of (Batch or None)
        Batches already fitted; None stands for a batch without prototypes.

    Notes
    -----
    Immutable: :meth:`add_batch` and :meth:`shrink` return a new object.

    Examples
    --------
    >>> manager = SetManager([0.5, 0.5], num_features=1)
    >>> batch = Batch(np.array([0]), np.ones(1, np.float32), np.zeros((1, 1)), np.array([1]),
    ...               np.ones(1, np.float32), np.array([0]))
    >>> manager = manager.add_batch(batch)
    >>> manager.probabilities(np.array([[0.0], [100.0]])).tolist()
    [[0.25, 0.75], [0.5, 0.5]]
    >>> manager.familiarity(np.array([[0.0], [100.0]])).tolist()
    [1.0, 0.0]
    """

    def __init__(self, marginals: ArrayLike, num_features: int, batches: tuple[Batch | None, ...] = ()) -> None:
        self.marginals: FloatArray = np.asarray(marginals, dtype=np.float64)
        self.num_features = int(num_features)
        self.batches = tuple(batches)

    @property
    def num_batches(self) -> int:
        """Number of batches, those without prototypes included."""
        return len(self.batches)

    @property
    def num_classes(self) -> int:
        """Number of classes K."""
        return int(self.marginals.shape[0])

    def with_batches(self, batches: tuple[Batch | None, ...], num_features: int | None = None) -> Self:
        """Return a set manager of the same kind and marginals with other batches, on as many features if not said."""
        return type(self)(self.marginals, num_features or self.num_features, batches)

    def add_batch(self, batch: Batch | None) -> Self:
        """Return a set manager with one batch more."""
        return self.with_batches((*self.batches, batch))

    def get_active_features(self) -> IntArray:
        """Return the columns that any batch uses, ascending, shape (d,)."""
        used = [batch.active_features for batch in self.batches if batch is not None]
        return np.unique(np.concatenate(used)) if used else np.zeros(0, dtype=np.int64)

    def get_num_prototypes(self) -> int:
        """Count the prototypes of all batches; a sample used in two batches counts twice."""
        return sum(len(batch) for batch in self.batches if batch is not None)

    def get_feature_weights(self) -> tuple[FloatArray, IntArray]:
        """Return the weights of the active features for all batches.

        Returns
        -------
        weights : ndarray of shape (num_batches, d)
            One row per batch; zero where a batch does not use the feature. Columns are in descending order of the
            weight in the first batch, then the second, and so on.
        features : ndarray of shape (d,)
            The feature column behind each column of `weights`.
        """
        features = self.get_active_features()
        weights = np.zeros((self.num_batches, features.shape[0]))
        for row, batch in zip(weights, self.batches, strict=True):
            if batch is not None:
                row[np.searchsorted(features, batch.active_features)] = batch.feature_weights
        order = np.lexsort(-weights[::-1]) if self.num_batches else np.arange(0)
        return weights[:, order], features[order]

    def get_batches(self) -> list[dict[str, NDArray[Any]] | None]:
        """Export the model structure: one dict of arrays per batch, None for a batch without prototypes."""
        names = ("active_features", "feature_weights", "prototypes", "target", "weights", "sample_index")
        return [None if b is None else {name: getattr(b, name).copy() for name in names} for b in self.batches]

    def shrink(self) -> Self:
        """Return the same model over its active features only (columns renumbered in ascending order)."""
        features = self.get_active_features()
        batches = tuple(
            None if b is None else replace(b, active_features=np.searchsorted(features, b.active_features))
            for b in self.batches
        )
        return self.with_batches(batches, max(1, features.shape[0]))

    def scaled(self, factor: float) -> Self:
        """Return the model with all prototype weights multiplied by a positive number."""
        if factor == 1.0:
            return self
        batches = tuple(None if b is None else replace(b, weights=b.weights * np.float32(factor)) for b in self.batches)
        return self.with_batches(batches)

    def _impacts(self, X: NDArray[Any]) -> Iterator[FloatArray]:
        """Yield the impacts of each batch on each row, summed by class, shape (n, K)."""
        for batch in self.batches:
            yield np.zeros((X.shape[0], self.num_classes)) if batch is None else batch.impacts(X, self.num_classes)

    def staged_probabilities(self, X: NDArray[Any]) -> Iterator[FloatArray]:
        """Yield the class probabilities (2.7) after 0, 1, ..., B batches, each of shape (n, K)."""
        total = np.zeros((X.shape[0], self.num_classes))
        yield np.tile(self.marginals, (X.shape[0], 1))
        for impacts in self._impacts(X):
            total += impacts
            q = total + self.marginals
            yield q / q.sum(axis=1, keepdims=True)

    def unnormalized(self, X: NDArray[Any]) -> FloatArray:
        """Evaluate the unnormalised class probabilities (2.5) of all batches.

        Parameters
        ----------
        X : ndarray of shape (n, num_features)
            Feature matrix, finite.

        Returns
        -------
        ndarray of shape (n, K)
            At least the marginal probabilities; row sums are one plus the familiarity.
        """
        return self.marginals + self._total(X)

    def _total(self, X: NDArray[Any]) -> FloatArray:
        """Impacts of all batches, summed by class, shape (n, K)."""
        total = np.zeros((X.shape[0], self.num_classes))
        for impacts in self._impacts(X):
            total += impacts
        return total

    def probabilities(self, X: NDArray[Any]) -> FloatArray:
        """Evaluate the class probabilities (2.4), shape (n, K)."""
        return self.evaluate(X)[0]

    def familiarity(self, X: NDArray[Any]) -> FloatArray:
        """Evaluate the familiarity (4.5): total impact of all prototypes on each row, shape (n,)."""
        return self.evaluate(X)[1]

    def evaluate(self, X: NDArray[Any]) -> tuple[FloatArray, FloatArray]:
        """Evaluate probabilities, shape (n, K), and familiarity, shape (n,), in one pass over the prototypes."""
        q = self._total(X)
        familiarity = q.sum(axis=1)
        q += self.marginals
        q /= q.sum(axis=1, keepdims=True)
        return q, familiarity
