"""Features of mean zero and unit scale while a model is fitted, without a copy of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proset.companions.protocol import BoolArray, FloatArray

ROWS_AT_ONCE = 1 << 12
SMALLEST_SCALE = 1e-12
"""Of a feature, relative to its size; what varies less is constant but for rounding."""


@dataclass(frozen=True, eq=False)
class Standard:
    """Means and scales of features.

    Attributes
    ----------
    mean, scale : ndarray of shape (D,)
        What is subtracted, then divided by; the scale of a constant feature is 1.
    varies : ndarray of bool, shape (D,)
        False for a feature that is constant once the mean is subtracted: nothing can be learned about it.
    """

    mean: FloatArray
    scale: FloatArray
    varies: BoolArray

    @classmethod
    def none(cls, n_features: int) -> Standard:
        """Leave features as they are."""
        return cls(np.zeros(n_features), np.ones(n_features), np.ones(n_features, dtype=bool))

    def chunks(self, X: NDArray[np.floating]) -> Iterator[tuple[slice, NDArray[np.floating]]]:
        """Yield rows in their standard form, some at a time."""
        for begin in range(0, len(X), ROWS_AT_ONCE):
            rows = slice(begin, min(len(X), begin + ROWS_AT_ONCE))
            yield rows, (X[rows] - self.mean) / self.scale

    def undo(self, weights: FloatArray, biases: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Turn coefficients (U, D) and (U,) of standard features into those of the features as they were."""
        plain = weights / self.scale * self.varies
        return plain, biases - plain @ self.mean


def standard_of(X: NDArray[np.floating], weight: FloatArray, centre: bool) -> Standard:
    """Measure features.

    Parameters
    ----------
    X : ndarray of shape (n, D)
        Features.
    weight : ndarray of shape (n,)
        Weights of the rows, not all 0.
    centre : bool
        Whether to subtract the mean; without a constant feature that would add one.

    Examples
    --------
    >>> standard_of(np.array([[1.0, 7.0], [3.0, 7.0]]), np.ones(2), centre=True)
    Standard(mean=array([2., 7.]), scale=array([1., 1.]), varies=array([ True, False]))
    """
    total, n_features = weight.sum(), X.shape[1]
    mean, largest, square = np.zeros(n_features), np.zeros(n_features), np.zeros(n_features)
    pieces = [slice(begin, begin + ROWS_AT_ONCE) for begin in range(0, len(X), ROWS_AT_ONCE)]
    for rows in pieces:
        mean += (weight[rows] / total) @ X[rows]
    for rows in pieces:
        largest = np.maximum(largest, np.abs(X[rows] - mean).max(axis=0))
    unit = np.where(largest > 0.0, largest, 1.0)  # squares of what is divided by it neither overflow nor vanish
    for rows in pieces:
        square += (weight[rows] / total) @ ((X[rows] - mean) / unit) ** 2
    scale = unit * np.sqrt(square)
    varies = scale > np.maximum(SMALLEST_SCALE * np.abs(mean), np.finfo(float).tiny)
    scale = np.where(varies, scale, 1.0)
    return Standard(mean, scale, varies) if centre else Standard(np.zeros(n_features), scale, np.ones_like(varies))
