"""Cuts through the feature space: a grid over two features or a map, and how a model is scored on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from proset.explain.maps.feature_axes import FeatureAxis, FeatureScale
from proset.explain.maps.map_plane import MapPlane

if TYPE_CHECKING:
    from proset.engine.set_manager import Batch, SetManager

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class Cut(Protocol):
    """A plane through the feature space in which all but two directions are fixed at one point."""

    @property
    def point(self) -> FloatArray:
        """Point that fixes the other features, as a row of the matrix, shape (D,)."""
        ...

    @property
    def axes(self) -> tuple[FeatureAxis, FeatureAxis]:
        """Axes of the two directions."""
        ...

    @property
    def ratio(self) -> float | None:
        """Length of a unit along the second axis, in units of the first, in the model's metric; None if not equal."""
        ...

    def place(self, X: NDArray[np.floating]) -> FloatArray:
        """Return where rows of the matrix lie along the two directions, shape (n, 2)."""
        ...

    def rows(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Return the rows of the matrix at all pairs of positions, `x` running first, shape (H * W, D)."""
        ...

    def evaluate(self, manager: SetManager, x: FloatArray, y: FloatArray) -> FloatArray:
        """Return unnormalised class probabilities (2.5) of a proset model at all pairs, shape (H, W, K)."""
        ...

    def apart(self, X: NDArray[np.floating], weights: FloatArray) -> FloatArray:
        """Return how far rows lie from the cut, in units of the features times `weights`, shape (n,)."""
        ...


@dataclass(frozen=True, eq=False)
class FeatureCut:
    """Two features vary, all others are fixed.

    Attributes
    ----------
    point : float64 array of shape (D,)
        Where the others are fixed.
    x, y : FeatureScale
        What varies.
    """

    point: FloatArray
    x: FeatureScale
    y: FeatureScale
    ratio: float | None = None

    @property
    def axes(self) -> tuple[FeatureAxis, FeatureAxis]:
        """The two features."""
        return self.x.axis, self.y.axis

    @property
    def _rest(self) -> NDArray[np.bool_]:
        """Which matrix columns are fixed, shape (D,)."""
        fixed = np.ones(len(self.point), dtype=bool)
        fixed[self.x.columns] = fixed[self.y.columns] = False
        return fixed

    def place(self, X: NDArray[np.floating]) -> FloatArray:
        """Return the values of the two features."""
        return np.column_stack([self.x.positions(X), self.y.positions(X)])

    def rows(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Return copies of the point with other values of the two features."""
        rows = np.tile(self.point, (len(x) * len(y), 1))
        rows[:, self.x.columns] = np.tile(self.x.matrix(x), (len(y), 1))
        rows[:, self.y.columns] = np.repeat(self.y.matrix(y), len(x), axis=0)
        return rows

    def evaluate(self, manager: SetManager, x: FloatArray, y: FloatArray) -> FloatArray:
        """Evaluate a grid by one product of matrices per class and batch.

        The exponents of features add up, so a similarity is a product of three factors: that of the fixed features,
        found once per prototype, and one for each position along either axis.
        """
        total = np.tile(manager.marginals, (len(y), len(x), 1))
        along = ((self.x.columns, self.x.matrix(x)), (self.y.columns, self.y.matrix(y)))
        for batch in manager.batches:
            if batch is None:
                continue
            at = np.flatnonzero(self._rest[batch.active_features])
            fixed = _similarity(batch, at, self.point[batch.active_features[at]][np.newaxis])[0]
            first, second = (_along(batch, columns, values) for columns, values in along)
            for k in np.unique(batch.target):
                mine = batch.target == k
                strength = batch.weights[mine].astype(np.float64) * fixed[mine]
                total[:, :, k] += (second[:, mine] * strength) @ first[:, mine].T
        return total

    def apart(self, X: NDArray[np.floating], weights: FloatArray) -> FloatArray:
        """Return distances over the fixed features."""
        used = self._rest & (weights > 0)
        away = (X[:, used] - self.point[used]) * weights[used]
        distances: FloatArray = np.sqrt(np.einsum("nd,nd->n", away, away))
        return distances


@dataclass(frozen=True, eq=False)
class MapCut:
    """The two axes of a batch's map vary; what a case has beside them is that of one point.

    Attributes
    ----------
    point : float64 array of shape (D,)
        The point through which the plane goes.
    plane : MapPlane
        The plane of the map.
    axes : tuple of two FeatureAxis
        What stands along it.
    """

    point: FloatArray
    plane: MapPlane
    axes: tuple[FeatureAxis, FeatureAxis]

    @property
    def ratio(self) -> float | None:
        """As the map has it."""
        return self.plane.ratio

    def place(self, X: NDArray[np.floating]) -> FloatArray:
        """Return coordinates on the map."""
        return self.plane.transform(X)

    def rows(self, x: FloatArray, y: FloatArray) -> FloatArray:
        """Return the point moved along the axes."""
        spots = np.column_stack([np.tile(x, len(y)), np.repeat(y, len(x))])
        return self.plane.inverse(spots, self.point)

    def evaluate(self, manager: SetManager, x: FloatArray, y: FloatArray) -> FloatArray:
        """Evaluate every spot: batches weigh features differently, so nothing can be shared between them."""
        return manager.unnormalized(self.rows(x, y)).reshape(len(y), len(x), -1)

    def apart(self, X: NDArray[np.floating], weights: FloatArray) -> FloatArray:
        """Return distances from the plane over the features of the map."""
        columns = self.plane.columns
        away = X[:, columns] - self.plane.inverse(self.place(X), self.point)[:, columns]
        away *= weights[columns]
        distances: FloatArray = np.sqrt(np.einsum("nd,nd->n", away, away))
        return distances


def _along(batch: Batch, columns: IntArray, values: FloatArray) -> FloatArray:
    """Return the factor of similarities that the columns of one feature make, shape (positions, J)."""
    used = np.isin(columns, batch.active_features)
    return _similarity(batch, np.searchsorted(batch.active_features, columns[used]), values[:, used])


def _similarity(batch: Batch, at: NDArray[np.intp], values: FloatArray) -> FloatArray:
    """Return similarities (2.3) over some of the features of a batch, shape (n, J); 1 over none.

    By differences, so that nothing cancels far from the origin.
    """
    exponent = np.zeros((len(values), len(batch)))
    weights = batch.feature_weights[at].astype(np.float64)
    for d, j in enumerate(at):
        exponent -= 0.5 * np.square((values[:, d, np.newaxis] - batch.prototypes[:, j]) * weights[d])
    similarity: FloatArray = np.exp(exponent, out=exponent)
    return similarity
