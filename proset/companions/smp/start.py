"""Start of the prototypes: the centres of clusters inside each class."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning

from proset.engine.kernels.similarity import IntArray
from proset.engine.kernels.units import FloatArray

RESTARTS = 10  # of the drawn start; the one with the shortest distances is kept


@dataclass(frozen=True, eq=False)
class Start:
    """Clusters of each class.

    Attributes
    ----------
    centres : ndarray of shape (N, D)
        Their centres, by class.
    bounds : ndarray of int64, shape (K + 1,)
        Centres bounds[k] to bounds[k + 1] - 1 belong to class k.
    own : ndarray of int64, shape (m,)
        The cluster of each row.
    """

    centres: FloatArray
    bounds: IntArray
    own: IntArray


def make_start(
    X: FloatArray,
    target: IntArray,
    weight: FloatArray,
    n_prototypes: int,
    random_state: np.random.RandomState | None = None,
) -> Start:
    """Cluster the rows of each class.

    Parameters
    ----------
    X : ndarray of shape (m, D)
        Rows.
    target : ndarray of int64, shape (m,)
        Class of each row, 0 to K - 1; every class has a row.
    weight : ndarray of shape (m,)
        Positive weights of the rows.
    n_prototypes : int
        Clusters of a class, p; fewer if it has fewer distinct rows.
    random_state : RandomState or None
        Draws the starts of k-means, the best of ten is kept. None splits the widest cluster in two along its longest
        axis until there are p, and begins there: the result does not depend on the order of the rows, and a row of
        weight two counts like two rows.

    Examples
    --------
    >>> X = np.array([[0.0], [0.2], [4.0], [4.2], [9.0]])
    >>> start = make_start(X, np.array([0, 0, 0, 0, 1]), np.ones(5), 2)
    >>> start.centres[:, 0].round(6).tolist(), start.own.tolist()
    ([0.1, 4.1, 9.0], [0, 0, 1, 1, 2])
    """
    centres, bounds, own = [], [0], np.empty(len(X), dtype=np.int64)
    for k in range(int(target.max()) + 1):
        rows = np.flatnonzero(target == k)
        found, labels = _clusters(X[rows], weight[rows], n_prototypes, random_state)
        own[rows] = labels + bounds[-1]
        centres.append(found)
        bounds.append(bounds[-1] + len(found))
    return Start(np.concatenate(centres), np.array(bounds, dtype=np.int64), own)


def _clusters(
    X: FloatArray, weight: FloatArray, p: int, random_state: np.random.RandomState | None
) -> tuple[FloatArray, IntArray]:
    """Return centres and labels of the rows of one class, by ascending first coordinates."""
    p = min(p, len(np.unique(X, axis=0))) if p > 1 else 1
    labels = np.zeros(len(X), dtype=np.int64)
    if p > 1:
        begin = "k-means++" if random_state is not None else _split_centres(X, weight, p)
        repeats = RESTARTS if random_state is not None else 1
        means = KMeans(p, init=begin, n_init=repeats, tol=0.0, random_state=random_state or 0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)  # fewer clusters than asked for: they are counted below
            labels = means.fit(X, sample_weight=weight).labels_.astype(np.int64)
        labels = np.unique(labels, return_inverse=True)[1]
    centres = np.stack(
        [np.average(X[labels == j], axis=0, weights=weight[labels == j]) for j in range(labels.max() + 1)]
    )
    order = np.lexsort(centres.T[::-1])
    return centres[order], np.argsort(order)[labels]


def _split_centres(X: FloatArray, weight: FloatArray, p: int) -> FloatArray:
    """Split the widest cluster at its mean, across its longest axis, until there are p; return their centres."""
    clusters = [np.arange(len(X))]
    while len(clusters) < p:
        spreads = [_spread(X[rows], weight[rows]) for rows in clusters]
        rows = clusters.pop(int(np.argmax(spreads)))
        clusters.extend(_halves(X[rows], weight[rows], rows))
    return np.stack([np.average(X[rows], axis=0, weights=weight[rows]) for rows in clusters])


def _spread(X: FloatArray, weight: FloatArray) -> float:
    """Return the weighted sum of squared distances to the mean; a single point has none, whatever the rounding."""
    if (X[0] == X).all():
        return 0.0
    return float(weight @ ((X - np.average(X, axis=0, weights=weight)) ** 2).sum(axis=1))


def _halves(X: FloatArray, weight: FloatArray, rows: IntArray) -> list[IntArray]:
    """Split rows by the sign of their projection on the first principal axis."""
    centred = X - np.average(X, axis=0, weights=weight)
    axis = np.linalg.svd(np.sqrt(weight)[:, None] * centred, full_matrices=False)[2][0]
    projected = centred @ axis
    # Along the longest axis points lie on both sides of their mean; rounding could hide it only if they hardly differ.
    above = projected > 0.0 if (projected > 0.0).any() and (projected <= 0.0).any() else projected == projected.max()
    return [rows[~above], rows[above]] if not above.all() else [rows[:1], rows[1:]]
