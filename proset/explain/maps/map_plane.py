"""The plane of a map, and the way between it and the feature space."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

# Rows mapped at once: keeps the float64 copies small when there are a million rows.
BLOCK_ROWS = 65_536


def nearest_places(grid: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the place of the position of a regular grid that is nearest to each value.

    Examples
    --------
    >>> nearest_places(np.linspace(0.0, 1.0, 5), np.array([-3.0, 0.6, 0.9])).tolist()
    [0, 2, 4]
    """
    step = grid[1] - grid[0]
    places = np.round((values - grid[0]) / step) if step > 0.0 else np.zeros(len(values))
    return np.clip(places, 0, len(grid) - 1).astype(np.int64)


@dataclass(frozen=True, eq=False)
class MapPlane:
    """A linear map from feature rows to two coordinates.

    Attributes
    ----------
    columns : int64 array of shape (d,)
        Matrix columns that matter, by descending feature weight.
    scale : float64 array of shape (d,)
        Factor of each of these columns.
    center : float64 array of shape (d,)
        What the origin of the map is, after scaling.
    vectors : float64 array of shape (d, 2)
        Orthonormal columns; a column of zeros where there is no second direction.
    ratio : float
        How many times as far apart two cases one unit apart along the second axis are for the model as two cases one
        unit apart along the first: 1 but where the axes are features.

    Examples
    --------
    >>> plane = MapPlane(np.array([0, 1]), np.array([2.0, 1.0]), np.zeros(2), np.eye(2))
    >>> plane.transform(np.array([[3.0, 5.0]])).tolist(), plane.inverse(np.array([[6.0, 5.0]]), np.zeros(2)).tolist()
    ([[6.0, 5.0]], [[3.0, 5.0]])
    """

    columns: NDArray[np.int64]
    scale: NDArray[np.float64]
    center: NDArray[np.float64]
    vectors: NDArray[np.float64]
    ratio: float = 1.0

    def transform(self, X: NDArray[np.floating]) -> NDArray[np.float64]:
        """Map feature rows, shape (n, D), to coordinates, shape (n, 2)."""
        result = np.empty((len(X), 2))
        for start in range(0, len(X), BLOCK_ROWS):
            block = slice(start, start + BLOCK_ROWS)
            result[block] = (X[block][:, self.columns] * self.scale - self.center) @ self.vectors
        return result

    def inverse(self, coordinates: NDArray[np.float64], base: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the feature rows at some coordinates that differ from `base`, shape (D,), within the plane only."""
        moved = (coordinates - self.transform(base[np.newaxis])) @ self.vectors.T
        rows = np.tile(base, (len(coordinates), 1))
        rows[:, self.columns] += moved / self.scale
        return rows
