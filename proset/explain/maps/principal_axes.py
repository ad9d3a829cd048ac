"""The doubly weighted principal axes of a set of prototypes, (4.1) to (4.4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Matrices hold float32, so spread below its rounding, relative to the largest, is noise and no axis of its own.
RELATIVE_TOLERANCE = float(np.finfo(np.float32).eps)


@dataclass(frozen=True, eq=False)
class WeightedAxes:
    """The doubly weighted principal axes of a set of prototypes.

    Attributes
    ----------
    center : float64 array of shape (D,)
        Weighted mean of the rescaled prototypes, (4.2).
    vectors : float64 array of shape (D, rank)
        Eigenvectors U of (4.4) as columns, by descending eigenvalue. The entry of largest size in each is positive.
    eigenvalues : float64 array of shape (rank,)
        Diagonal of Sigma in (4.4), positive and descending.
    """

    center: NDArray[np.float64]
    vectors: NDArray[np.float64]
    eigenvalues: NDArray[np.float64]

    @property
    def rank(self) -> int:
        """Number of directions in which the prototypes differ at all."""
        return len(self.eigenvalues)

    @property
    def shares(self) -> NDArray[np.float64]:
        """Share of each axis in the weighted spread of the prototypes; they sum to one."""
        return self.eigenvalues / self.eigenvalues.sum() if self.rank else self.eigenvalues

    def project(self, scaled: NDArray[np.floating], *, n_axes: int = 2) -> NDArray[np.float64]:
        """Return coordinates of rescaled rows on the first axes; zero on an axis beyond the rank.

        Parameters
        ----------
        scaled : array of shape (n, D)
            Rows whose features are already multiplied with the feature weights, (4.1).
        n_axes : int, default 2
            Number of coordinates wanted.

        Returns
        -------
        float64 array of shape (n, n_axes)
            One row of coordinates per row.

        Examples
        --------
        >>> weighted_axes([[0.0, 0.0], [2.0, 0.0]], [1.0, 1.0]).project(np.array([[3.0, 5.0]])).tolist()
        [[2.0, 0.0]]
        """
        result = np.zeros((len(scaled), n_axes))
        kept = min(self.rank, n_axes)
        result[:, :kept] = (scaled - self.center) @ self.vectors[:, :kept]
        return result


def weighted_axes(scaled: ArrayLike, weights: ArrayLike) -> WeightedAxes:
    """Compute the doubly weighted PCA, (4.2) to (4.4).

    Parameters
    ----------
    scaled : array-like of shape (J, D)
        Prototypes with features multiplied by the feature weights, (4.1).
    weights : array-like of shape (J,)
        Prototype weights, positive.

    Returns
    -------
    WeightedAxes
        Center, axes and eigenvalues. The signs do not depend on the platform.

    Examples
    --------
    >>> axes = weighted_axes([[0.0, 0.0], [4.0, 0.0], [2.0, 1.0]], [1.0, 1.0, 2.0])
    >>> axes.center.tolist(), axes.rank, [round(share, 3) for share in axes.shares.tolist()]
    ([2.0, 0.5], 2, [0.889, 0.111])
    """
    values = np.asarray(scaled, dtype=np.float64)
    weight = np.asarray(weights, dtype=np.float64)
    center = np.average(values, axis=0, weights=weight)
    # The singular values of sqrt(W) Z are the roots of the eigenvalues of Z'WZ: no digits are lost by squaring.
    root = np.sqrt(weight)[:, np.newaxis]
    _, singular, rows = np.linalg.svd(root * (values - center), full_matrices=False)
    kept = singular > singular.max(initial=0.0) * RELATIVE_TOLERANCE * max(values.shape)
    # A longest axis within the rounding of the values themselves means that all prototypes coincide.
    kept &= singular.max(initial=0.0) > np.linalg.norm(root * values) * RELATIVE_TOLERANCE
    return WeightedAxes(center, _fixed_signs(rows[kept].T), singular[kept] ** 2)


def _fixed_signs(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Turn each column so that its first entry of (nearly) largest size is positive."""
    if not vectors.size:
        return vectors
    sizes = np.abs(vectors)
    leading = np.argmax(sizes >= sizes.max(axis=0) * (1 - 1e-6), axis=0)
    return vectors * np.sign(vectors[leading, np.arange(vectors.shape[1])])
