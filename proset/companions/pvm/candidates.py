"""Candidates for prototypes beside the rows that are fitted to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.cluster import KMeans
from sklearn.utils import check_array

from proset.common.errors import ProsetError
from proset.companions.protocol import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Candidates:
    """Points that may become prototypes: the rows first, then what was added.

    Attributes
    ----------
    X : ndarray of shape (m, D)
        Coordinates in the units of the rows.
    row : ndarray of int64, shape (m,)
        Row of each, -1 for a point that was added.
    """

    X: FloatArray
    row: IntArray


@dataclass(frozen=True, eq=False)
class Standardisation:
    """Centre and spread of the features.

    Attributes
    ----------
    mean, spread : ndarray of shape (D,)
        What is subtracted, and what is divided by: never zero.

    Examples
    --------
    >>> Standardisation.of(np.array([[0.0, 5.0], [2.0, 5.0]])).apply(np.array([[4.0, 6.0]])).tolist()
    [[3.0, 1.0]]
    """

    mean: FloatArray
    spread: FloatArray

    @classmethod
    def of(cls, X: FloatArray) -> Standardisation:
        """Measure rows; a feature that is constant up to rounding keeps its units."""
        largest = np.maximum(np.abs(X).max(axis=0, initial=0.0), np.finfo(np.float64).tiny)
        mean = (X / largest).mean(axis=0) * largest  # neither sums nor squares leave the range of numbers
        apart = np.maximum(np.abs(X - mean).max(axis=0, initial=0.0), np.finfo(np.float64).tiny)
        spread = np.sqrt(np.mean(((X - mean) / apart) ** 2, axis=0)) * apart
        smallest = 10 * np.finfo(np.float64).eps * np.abs(mean)
        return cls(mean, np.where(spread > smallest, spread, 1.0))

    @classmethod
    def none(cls, n_features: int) -> Standardisation:
        """Leave features as they are."""
        return cls(np.zeros(n_features), np.ones(n_features))

    def apply(self, X: FloatArray) -> FloatArray:
        """Return rows in units of the spread."""
        with np.errstate(over="ignore"):  # of rows to answer for, which may lie anywhere
            scaled: FloatArray = (X - self.mean) / self.spread
        return scaled


def collect(
    X: FloatArray,
    target: IntArray,
    scale: Standardisation,
    *,
    Z: ArrayLike | None,
    augment: Mapping[str, Any] | None,
    rng: np.random.RandomState,
) -> Candidates:
    """Put the rows, points that were given and centres of clusters under each other.

    Parameters
    ----------
    X : ndarray of shape (n, D)
        Rows.
    target : ndarray of int64, shape (n,)
        Class of each.
    scale : Standardisation
        Units in which clusters are looked for.
    Z : array-like of shape (q, D) or None
        More points, in the units of the rows.
    augment : mapping or None
        ``{"kmeans": 10}`` for so many centres per class, with ``"by": "all"`` for so many of all rows.
    rng : RandomState
        Starts the clusters.

    Examples
    --------
    >>> rows, rng = np.array([[0.0], [1.0], [5.0]]), np.random.RandomState(0)
    >>> found = collect(rows, np.array([0, 0, 1]), Standardisation.none(1), Z=[[9.0]], augment={"kmeans": 1}, rng=rng)
    >>> found.X.ravel().tolist(), found.row.tolist()
    ([0.0, 1.0, 5.0, 9.0, 0.5, 5.0], [0, 1, 2, -1, -1, -1])
    """
    parts = [X]
    if Z is not None:
        given: NDArray[Any] = check_array(Z, dtype=np.float64, input_name="Z")
        if given.shape[1] != X.shape[1]:
            hint = "Give both the same columns."
            raise ProsetError(f"Z has {given.shape[1]} columns, but X has {X.shape[1]}.", hint=hint)
        parts.append(given)
    if augment is not None:
        groups = [target == k for k in np.unique(target)] if augment.get("by", "class") == "class" else [target >= 0]
        parts += [_centres(X[group], scale, int(augment["kmeans"]), rng) for group in groups]
    whole = np.concatenate(parts)
    row = np.full(len(whole), -1, dtype=np.int64)
    row[: len(X)] = np.arange(len(X))
    return Candidates(whole, row)


def _centres(X: FloatArray, scale: Standardisation, count: int, rng: np.random.RandomState) -> FloatArray:
    """Return centres of clusters in the units of the rows, at most as many as there are different rows."""
    scaled = scale.apply(X)
    count = min(count, len(np.unique(scaled, axis=0)))
    found = KMeans(count, n_init=3, random_state=int(rng.randint(2**31 - 1))).fit(scaled).cluster_centers_
    centres: FloatArray = found * scale.spread + scale.mean
    return centres
