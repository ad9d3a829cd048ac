"""Clean-up stage (section 2.1): prototypes that are the same to the model become one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import KDTree

from proset.engine.set_manager import FloatArray, IntArray

MERGE_TOLERANCE = 1e-8  # a probability cannot move visibly


@dataclass(frozen=True, eq=False)
class Merged:
    """Groups of equivalent prototypes: the first row of each group (ascending) and the weight of the whole group."""

    first: IntArray
    weights: FloatArray


def merge_equivalent(
    features: FloatArray, target: IntArray, weights: FloatArray, tolerance: float = MERGE_TOLERANCE
) -> Merged:
    """Combine prototypes of one class whose active features agree.

    Two prototypes are equivalent if their combined vectors of active features and target differ by at most
    `tolerance` in maximum norm; a group is a connected component of that relation.

    Parameters
    ----------
    features : ndarray of float64, shape (J, d)
        Active features, rows in the order of the training data; d may be zero.
    target : ndarray of int64, shape (J,)
        Class of each prototype.
    weights : ndarray of float64, shape (J,)
        Prototype weights.
    tolerance : float
        Largest difference that counts as equal, in the units of `features`.

    Returns
    -------
    Merged
        Groups in the order of their first member, which lends the group its features.

    Examples
    --------
    >>> x = np.array([[0.0], [1.0], [0.0], [0.0]])
    >>> merged = merge_equivalent(x, np.array([0, 0, 0, 1]), np.ones(4))
    >>> merged.first, merged.weights
    (array([0, 1, 3]), array([2., 1., 1.]))
    """
    combined = np.column_stack([features, target.astype(np.float64)])
    group = np.arange(combined.shape[0])
    close = _in_crowds(combined, tolerance)
    if not close.shape[0]:
        return Merged(first=group, weights=weights)
    # Exact copies first: binary features can make thousands of them, and the tree would list every pair.
    distinct, inverse = np.unique(combined[close], axis=0, return_inverse=True)
    size = distinct.shape[0]
    pairs = KDTree(distinct).query_pairs(tolerance, p=np.inf, output_type="ndarray")
    graph = coo_array((np.ones(pairs.shape[0]), (pairs[:, 0], pairs[:, 1])), shape=(size, size))
    _, component = connected_components(graph, directed=False)
    group[close] = group.shape[0] + component[inverse.ravel()]
    _, first, position = np.unique(group, return_index=True, return_inverse=True)
    totals: FloatArray = np.bincount(position, weights=weights).astype(np.float64)
    order = np.argsort(first)
    return Merged(first=first[order].astype(np.int64), weights=totals[order])


def _in_crowds(points: FloatArray, tolerance: float) -> IntArray:
    """Return the points that no gap in any one column sets apart from all others: in many columns a tree is slow."""
    left, label = np.arange(points.shape[0]), np.zeros(points.shape[0], dtype=np.int64)
    for column in points.T:
        order = np.lexsort((column[left], label))
        left, label = left[order], label[order]
        apart = (np.diff(column[left]) > tolerance) | (np.diff(label) > 0)
        label = np.concatenate([[0], np.cumsum(apart)])[: left.shape[0]]
        crowded = np.bincount(label)[label] > 1
        left, label = left[crowded], label[crowded]
    return left
