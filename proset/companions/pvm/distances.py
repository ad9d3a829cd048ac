"""Dissimilarities of points and candidates, handed out a block of candidates at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from proset.common.errors import ProsetError
from proset.companions.protocol import IntArray
from proset.companions.pvm.metrics import Euclidean, PreparedMetric

BLOCK_BYTES = 1 << 21  # of one block of single precision numbers: large enough to work on, small beside everything else
HELD_BYTES = 1 << 29  # what may be kept in memory to be looked at more than once


class Distances(Protocol):
    """Dissimilarities of n points and m candidates.

    Blocks are contiguous, one row per candidate: the points of a candidate adjoin.
    """

    @property
    def shape(self) -> tuple[int, int]:
        """Points n and candidates m."""
        ...

    def block(self, candidates: IntArray) -> NDArray[Any]:
        """Return the dissimilarities of some candidates to all points, shape (b, n)."""
        ...

    def subset(self, points: IntArray, candidates: IntArray) -> Distances:
        """Return those of some points and candidates."""
        ...


@dataclass(frozen=True, eq=False)
class ComputedDistances:
    """Worked out whenever they are asked for.

    Attributes
    ----------
    metric : PreparedMetric
        Of which `between` is asked.
    points, candidates : object
        Prepared rows.
    shape : tuple of int
        How many there are of each.
    """

    metric: PreparedMetric
    points: Any
    candidates: Any
    shape: tuple[int, int]

    def block(self, candidates: IntArray) -> NDArray[Any]:
        """Return the dissimilarities of some candidates to all points, checked."""
        found = np.asarray(self.metric.between(self.points, self.candidates[candidates]))
        if found.shape != (self.shape[0], len(candidates)):
            shapes = f"{found.shape} for {self.shape[0]} points and {len(candidates)} candidates"
            raise ProsetError(f"The metric returned an array of shape {shapes}.", hint="It has to return one per pair.")
        return check_dissimilarities(np.ascontiguousarray(found.T, dtype=np.float32))

    def subset(self, points: IntArray, candidates: IntArray) -> ComputedDistances:
        """Return those of some points and candidates."""
        shape = (len(points), len(candidates))
        return ComputedDistances(self.metric, self.points[points], self.candidates[candidates], shape)


def is_compiled(distances: Distances) -> bool:
    """Tell whether distances come from compiled code of ours whenever they are asked for."""
    return isinstance(distances, ComputedDistances) and isinstance(distances.metric, Euclidean)


@dataclass(frozen=True, eq=False)
class HeldDistances:
    """Kept in memory.

    Attributes
    ----------
    values : ndarray
        A matrix with a row for every candidate, of which those below are meant.
    points, candidates : ndarray of int64
        Columns and rows of it.

    Examples
    --------
    >>> held = HeldDistances.of(np.array([[0.0, 2.0, 5.0], [2.0, 0.0, 1.0]]))
    >>> held.shape, held.block(np.array([1])).tolist()
    ((2, 3), [[2.0, 0.0]])
    """

    values: NDArray[Any]
    points: IntArray
    candidates: IntArray

    @classmethod
    def of(cls, D: NDArray[Any]) -> HeldDistances:
        """Take a matrix with a row for every point."""
        return cls(D.T, np.arange(D.shape[0]), np.arange(D.shape[1]))

    @property
    def shape(self) -> tuple[int, int]:
        """Points n and candidates m."""
        return len(self.points), len(self.candidates)

    def block(self, candidates: IntArray) -> NDArray[Any]:
        """Return the dissimilarities of some candidates to all points."""
        rows = self.values[self.candidates[candidates]]
        everything = len(self.points) == self.values.shape[1] and bool((np.diff(self.points) == 1).all())
        return np.ascontiguousarray(rows if everything else rows[:, self.points])

    def subset(self, points: IntArray, candidates: IntArray) -> HeldDistances:
        """Return those of some points and candidates; nothing is copied yet."""
        return HeldDistances(self.values, self.points[points], self.candidates[candidates])


@dataclass(frozen=True, eq=False)
class Levels:
    """Number of radii that are at most as large as each distance: below the next one, a point is inside.

    A byte for each pair is enough to find the balls of all radii.

    Attributes
    ----------
    inner : Distances
        What is compared.
    radii : ndarray of shape (E,)
        Ascending.

    Examples
    --------
    >>> levels = Levels(HeldDistances.of(np.array([[0.0, 0.5], [0.5, 0.0], [2.0, 9.0]])), np.array([0.5, 3.0]))
    >>> levels.block(np.array([0, 1])).tolist()
    [[0, 1, 1], [1, 0, 2]]
    """

    inner: Distances
    radii: NDArray[np.float64]

    @property
    def shape(self) -> tuple[int, int]:
        """Points n and candidates m."""
        return self.inner.shape

    def block(self, candidates: IntArray) -> NDArray[Any]:
        """Return the levels of all points by their distance to some candidates."""
        block = self.inner.block(candidates)
        found = np.zeros(block.shape, dtype=np.min_scalar_type(len(self.radii) + 1))
        for radius in self.radii.astype(block.dtype):  # rounded as the distances are
            found += block >= radius
        return found

    def subset(self, points: IntArray, candidates: IntArray) -> Levels:
        """Return those of some points and candidates."""
        return Levels(self.inner.subset(points, candidates), self.radii)


@dataclass(frozen=True, eq=False)
class RankedDistances:
    """Rank of each point by its nearness to a candidate: 1 for the nearest, ties share the highest."""

    inner: Distances

    @property
    def shape(self) -> tuple[int, int]:
        """Points n and candidates m."""
        return self.inner.shape

    def block(self, candidates: IntArray) -> NDArray[Any]:
        """Return the ranks of all points by their distance to some candidates."""
        block = self.inner.block(candidates)
        return np.stack([np.searchsorted(np.sort(row), row, side="right") for row in block]).astype(np.float32)

    def subset(self, points: IntArray, candidates: IntArray) -> RankedDistances:
        """Return ranks among some of the points."""
        return RankedDistances(self.inner.subset(points, candidates))


def candidate_blocks(distances: Distances) -> Iterator[tuple[IntArray, NDArray[Any]]]:
    """Hand out all candidates with their blocks, so many at a time that a block stays small."""
    n_points, n_candidates = distances.shape
    step = max(1, BLOCK_BYTES // (4 * max(1, n_points)))
    for start in range(0, n_candidates, step):
        candidates = np.arange(start, min(n_candidates, start + step))
        yield candidates, distances.block(candidates)


def held(distances: Distances, *, bytes_each: int = 4) -> Distances:
    """Work distances out once and keep them, if they are few enough; otherwise leave them as they are.

    Examples
    --------
    >>> held(HeldDistances.of(np.eye(2))).block(np.array([0])).tolist()
    [[1.0, 0.0]]
    """
    n_points, n_candidates = distances.shape
    if bytes_each * n_points * n_candidates > HELD_BYTES:
        return distances
    values: NDArray[Any] | None = None
    for candidates, block in candidate_blocks(distances):
        if values is None:
            values = np.empty((n_candidates, n_points), dtype=block.dtype)
        values[candidates] = block
    if values is None:
        values = np.empty((n_candidates, n_points), dtype=np.float32)
    return HeldDistances(values, np.arange(n_points), np.arange(n_candidates))


def check_dissimilarities(values: NDArray[Any]) -> NDArray[Any]:
    """Refuse dissimilarities that are missing, infinite or negative.

    Raises
    ------
    ProsetError
        Saying which it is.

    Examples
    --------
    >>> check_dissimilarities(np.array([-1.0]))
    Traceback (most recent call last):
        ...
    proset.common.errors.ProsetError: Negative values in data: a dissimilarity is -1. They have to be 0 or more.
    """
    lowest, highest = values.min(initial=0.0), values.max(initial=0.0)  # both are NaN where one value is
    if not (np.isfinite(lowest) and np.isfinite(highest)):
        hint = "Leave out or fill the rows it comes from."
        raise ProsetError("A dissimilarity is missing or infinite.", hint=hint)
    if lowest < 0.0:
        raise ProsetError(f"Negative values in data: a dissimilarity is {lowest:g}.", hint="They have to be 0 or more.")
    return values


@dataclass(frozen=True, eq=False)
class RankDistances:
    """Rank that each point would have among the points that were fitted to, ties told by distance.

    Attributes
    ----------
    inner : Distances
        Of any points to m candidates.
    usual : ndarray of shape (m, n)
        Distances of the points that were fitted to from each candidate, ascending.
    """

    inner: Distances
    usual: NDArray[Any]

    @classmethod
    def among(cls, inner: Distances, fitted: Distances) -> RankDistances:
        """Compare with the points of other distances to the same candidates."""
        return cls(inner, np.sort(fitted.block(np.arange(fitted.shape[1])), axis=1))

    @property
    def shape(self) -> tuple[int, int]:
        """Points and candidates."""
        return self.inner.shape

    def block(self, candidates: IntArray) -> NDArray[Any]:
        """Return standings: a whole number plus a part below one that grows with the distance."""
        block = self.inner.block(candidates).astype(np.float64)
        for row, usual in zip(block, self.usual[candidates], strict=True):
            row[:] = np.searchsorted(usual, row, side="right") + np.minimum(row / (1.0 + row), 1.0 - 1e-9)
        return block

    def subset(self, points: IntArray, candidates: IntArray) -> RankDistances:
        """Return those of some points and candidates."""
        return RankDistances(self.inner.subset(points, candidates), self.usual[candidates])
