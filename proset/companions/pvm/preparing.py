"""Distances of rows and candidates, and folds, before a fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from proset.common.errors import ProsetError
from proset.companions.protocol import FloatArray, IntArray
from proset.companions.pvm.candidates import Candidates, Standardisation, collect
from proset.companions.pvm.distances import ComputedDistances, Distances, HeldDistances, check_dissimilarities
from proset.companions.pvm.metrics import PreparedMetric
from proset.selection.folds import Fold, make_folds
from proset.selection.inner_folds import FoldCount, GroupsAndTimes, inner_folds


@dataclass(frozen=True, eq=False)
class CandidateDistances:
    """Candidates, their distances from the rows, and whether the rows are the first of them."""

    candidates: Candidates
    distances: Distances
    own_rows: bool


def computed_ground(
    X: FloatArray,
    target: IntArray,
    scale: Standardisation,
    metric: PreparedMetric,
    *,
    Z: ArrayLike | None,
    augment: Mapping[str, Any] | None,
    rng: np.random.RandomState,
) -> CandidateDistances:
    """Collect candidates and prepare their distances."""
    candidates = collect(X, target, scale, Z=Z, augment=augment, rng=rng)
    n_points, n_candidates = len(X), len(candidates.row)
    points = metric.prepare(scale.apply(X))
    centres = points if n_candidates == n_points else metric.prepare(scale.apply(candidates.X))
    return CandidateDistances(
        candidates, ComputedDistances(metric, points, centres, (n_points, n_candidates)), own_rows=True
    )


def precomputed_ground(D: FloatArray, Z: ArrayLike | None) -> CandidateDistances:
    """Take dissimilarities as they are: columns are candidates, the rows first if there are at least as many.

    Raises
    ------
    ProsetError
        If a dissimilarity is impossible, or a column that should belong to a row is farther from it than others.

    Examples
    --------
    >>> ground = precomputed_ground(np.array([[0.0, 1.0, 5.0], [1.0, 0.0, 2.0]]), None)
    >>> ground.own_rows, ground.candidates.row.tolist()
    (True, [0, 1, -1])
    """
    if Z is not None:
        hint = "Add their dissimilarities as columns of X, after those of the rows."
        raise ProsetError("Z has no place beside precomputed dissimilarities.", hint=hint)
    check_dissimilarities(D)
    n_points, n_candidates = D.shape
    own_rows = n_candidates >= n_points
    row = np.full(n_candidates, -1, dtype=np.int64)
    if own_rows:
        row[:n_points] = np.arange(n_points)
        farther = np.flatnonzero(np.diagonal(D) > D[:, :n_points].min(axis=1))
        if len(farther):
            message = f"Row {farther[0]} is farther from itself, column {farther[0]}, than from another row."
            raise ProsetError(message, hint="The first columns have to belong to the rows, in their order.")
    return CandidateDistances(Candidates(np.empty((n_candidates, 0)), row), HeldDistances.of(D), own_rows)


def cut_folds(
    target: IntArray, n_folds: int, rng: np.random.RandomState, known: GroupsAndTimes | None = None
) -> tuple[Fold, ...]:
    """Cut rows into folds by class, fewer if no class has so many rows; none if no class has two.

    With groups or times, see :func:`proset.selection.inner_folds.inner_folds`.

    Examples
    --------
    >>> len(cut_folds(np.array([0, 0, 0, 1]), 10, np.random.RandomState(0)))
    3
    """
    count = min(n_folds, int(np.bincount(target).max()))
    seed = int(rng.randint(2**31 - 1))
    if known:
        return inner_folds(target, n_folds, seed, known)
    folds = make_folds(target, FoldCount(count, seed), keep_rare=True) if count > 1 else ()
    return tuple(fold for fold in folds if len(fold.test))
