"""Pairs of prototypes of a class that are drawn together: their difference is penalised."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components, laplacian, minimum_spanning_tree
from scipy.spatial.distance import cdist

from proset.engine.kernels.similarity import IntArray
from proset.engine.kernels.units import FloatArray

NEIGHBOURS = 5
"""Nearest prototypes of its class that each one is joined with in the graph "knn"."""

LARGEST_EXACT = 2_000  # prototypes of a class up to which the largest eigenvalue is computed, not bounded


@dataclass(frozen=True, eq=False)
class FusionGraph:
    """Pairs of prototypes, and how strongly they hang together.

    Attributes
    ----------
    pairs : ndarray of int64, shape (E, 2)
        Positions of the two prototypes of each pair, both of one class, the smaller first.
    strength : float
        Largest eigenvalue of the Laplacian: the squared norm of the map to differences, 0 without pairs.
    """

    pairs: IntArray
    strength: float


def complete_graph(bounds: IntArray) -> FusionGraph:
    """Join all prototypes of a class with each other.

    Parameters
    ----------
    bounds : ndarray of int64, shape (K + 1,)
        Prototypes bounds[k] to bounds[k + 1] - 1 belong to class k.

    Returns
    -------
    FusionGraph
        Its strength is the largest number of prototypes of a class, if that is more than one.

    Examples
    --------
    >>> complete_graph(np.array([0, 3, 4])).pairs.tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    pairs = [pair for first, last in pairwise(bounds) for pair in combinations(range(first, last), 2)]
    largest = int(np.diff(bounds).max())
    return FusionGraph(np.array(pairs, dtype=np.int64).reshape(-1, 2), float(largest) if largest > 1 else 0.0)


def knn_graph(bounds: IntArray, centres: FloatArray, n_neighbours: int = NEIGHBOURS) -> FusionGraph:
    """Join each prototype with the nearest of its class, and add what connects the class.

    Parameters
    ----------
    bounds : ndarray of int64, shape (K + 1,)
        Prototypes bounds[k] to bounds[k + 1] - 1 belong to class k.
    centres : ndarray of shape (N, D)
        Where the prototypes start.
    n_neighbours : int
        Neighbours of each.

    Returns
    -------
    FusionGraph
        With a pair if one of the two is among the neighbours of the other, or if it is part of the shortest tree
        through all prototypes of the class: without that, a class could never fuse into one prototype.

    Examples
    --------
    >>> knn_graph(np.array([0, 3]), np.array([[0.0], [1.0], [5.0]]), n_neighbours=1).pairs.tolist()
    [[0, 1], [1, 2]]
    """
    parts, strength = [np.empty((0, 2), dtype=np.int64)], 0.0
    for first, last in pairwise(bounds):
        pairs = _joined(centres[first:last], n_neighbours)
        parts.append(pairs + first)
        strength = max(strength, _strength(pairs, int(last - first)))
    return FusionGraph(np.concatenate(parts), strength)


def same_groups(W: FloatArray, bounds: IntArray, tolerance: float) -> IntArray:
    """Tell which prototypes of a class differ by no more than a tolerance in any feature.

    Parameters
    ----------
    W : ndarray of shape (N, D)
        Prototypes.
    bounds : ndarray of int64, shape (K + 1,)
        Prototypes bounds[k] to bounds[k + 1] - 1 belong to class k.
    tolerance : float
        Largest difference of a coordinate.

    Returns
    -------
    ndarray of int64, shape (N,)
        Group of each prototype, in the order of their first members.

    Examples
    --------
    >>> same_groups(np.array([[0.0], [1.0], [1e-9], [0.0]]), np.array([0, 3, 4]), 1e-6).tolist()
    [0, 1, 0, 2]
    """
    groups, n_groups = np.empty(len(W), dtype=np.int64), 0
    for first, last in pairwise(bounds):
        close = cdist(W[first:last], W[first:last], "chebyshev") <= tolerance
        n_found, labels = connected_components(close, directed=False)
        groups[first:last] = labels + n_groups
        n_groups += n_found
    return groups


def _joined(centres: FloatArray, n_neighbours: int) -> IntArray:
    """Return the pairs of one class."""
    n = len(centres)
    if n < 2:
        return np.empty((0, 2), dtype=np.int64)
    distances = cdist(centres, centres)
    np.fill_diagonal(distances, np.inf)
    nearest = np.argsort(distances, axis=1, kind="stable")[:, : min(n_neighbours, n - 1)]
    joined = np.zeros((n, n), dtype=bool)
    joined[np.arange(n)[:, None], nearest] = True
    # A distance of zero would count as no edge: what matters to the tree is the order alone.
    np.fill_diagonal(distances, 0.0)
    joined |= minimum_spanning_tree(distances + (1.0 + distances.max()) * (1.0 - np.eye(n))).toarray() > 0.0
    return np.argwhere(np.triu(joined | joined.T, 1)).astype(np.int64)


def _strength(pairs: IntArray, n: int) -> float:
    """Return the largest eigenvalue of the Laplacian of one class, or for many prototypes a bound of it."""
    if not len(pairs):
        return 0.0
    if n > LARGEST_EXACT:
        return 2.0 * float(np.bincount(pairs.ravel()).max())
    edges = coo_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n, n)).toarray()
    return float(np.linalg.eigvalsh(np.asarray(laplacian(edges + edges.T))).max())
