"""The rule of the prototype vector machine: the class of the nearest prototype; and probabilities that follow it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import softmax

from proset.companions.protocol import FloatArray, IntArray
from proset.companions.pvm.distances import Distances, candidate_blocks

_ONE_MORE = (
    1e-9  # by which the winner of an exact tie is ahead, so that the class that is predicted is that of the largest
)


@dataclass(frozen=True, eq=False)
class NearestPrototypes:
    """The prototypes nearest to some points.

    Attributes
    ----------
    by_class : ndarray of shape (n, K)
        Distance to the nearest prototype of each class, infinite for a class without any.
    winner : ndarray of int64, shape (n,)
        The nearest prototype, in a tie the one taken first; -1 where there is none.
    label : ndarray of int64, shape (n,)
        Its class; -1 where there is none.
    """

    by_class: FloatArray
    winner: IntArray
    label: IntArray

    def at(self, rows: IntArray) -> NearestPrototypes:
        """Return those of some points."""
        return NearestPrototypes(self.by_class[rows], self.winner[rows], self.label[rows])

    def scores(self) -> FloatArray:
        """Return minus the distances, shape (n, K), the class of the winner ahead of those that tie with it."""
        scores = -self.by_class
        rows = np.flatnonzero(self.winner >= 0)
        best = self.by_class[rows, self.label[rows]]
        tied = self.by_class[rows] == best[:, None]
        tied[np.arange(len(rows)), self.label[rows]] = False
        at, k = np.nonzero(tied)
        scores[rows[at], k] = np.nextafter(scores[rows[at], k], -np.inf)
        return scores


def nearest_prototypes(distances: Distances, labels: IntArray, n_classes: int) -> NearestPrototypes:
    """Find the nearest prototype of each class.

    Parameters
    ----------
    distances : Distances
        Of points to the prototypes, in the order in which they were taken.
    labels : ndarray of int64, shape (k,)
        Class of each prototype.
    n_classes : int
        Number of classes K.

    Examples
    --------
    >>> from proset.companions.pvm.distances import HeldDistances
    >>> found = nearest_prototypes(HeldDistances.of(np.array([[2.0, 1.0, 1.0]])), np.array([0, 1, 0]), 3)
    >>> found.by_class.tolist(), found.winner.tolist(), found.scores().argmax()
    ([[1.0, 1.0, inf]], [1], np.int64(1))
    """
    from proset.companions.pvm.compiled import keep_nearest

    n_points = distances.shape[0]
    by_class = np.full((n_classes, n_points), np.inf)
    best, winner = np.full(n_points, np.inf), np.full(n_points, -1, dtype=np.int64)
    for which, block in candidate_blocks(distances):
        keep_nearest(block, int(which[0]), labels, by_class, best, winner)
    label = np.append(labels, -1)[winner]
    return NearestPrototypes(np.ascontiguousarray(by_class.T), winner, label)


def probabilities(nearest: NearestPrototypes, temperature: float, shares: FloatArray, n_rows: int) -> FloatArray:
    """Estimate class probabilities from the distance to the nearest prototype of each class.

    They are proportional to exp(-d / T), with one row's worth of doubt shared out among all classes. Distances say
    nothing about a class without prototypes: where the others leave no doubt it has its share of the rows, or as much
    as the class that is predicted if that is less. The largest is that of the class that is predicted.

    Parameters
    ----------
    nearest : NearestPrototypes
        Of n points.
    temperature : float
        T, positive.
    shares : ndarray of shape (K,)
        Shares of the classes: the estimate where there are no prototypes.
    n_rows : int
        Rows that were fitted to.

    Returns
    -------
    ndarray of shape (n, K)

    Examples
    --------
    >>> near = NearestPrototypes(np.array([[0.0, 1.0]]), np.array([0]), np.array([0]))
    >>> probabilities(near, 1.0, np.array([0.5, 0.5]), n_rows=99).round(3).tolist()
    [[0.729, 0.271]]
    >>> alone = NearestPrototypes(np.array([[0.0, np.inf]]), np.array([0]), np.array([0]))
    >>> probabilities(alone, 1.0, np.array([0.75, 0.25]), n_rows=9_999).round(3).tolist()
    [[0.75, 0.25]]
    """
    n_points, n_classes = nearest.by_class.shape
    doubt = 1.0 / (n_rows + 1.0)
    estimates = np.tile(shares, (n_points, 1))
    rows = np.flatnonzero(nearest.winner >= 0)
    beyond = nearest.by_class[rows] - nearest.by_class[rows, nearest.label[rows]][:, None]
    parts = softmax(-beyond / temperature, axis=1)
    absent = np.isinf(beyond)
    if absent.any():
        unsaid = np.where(absent, shares, 0.0)
        known = np.maximum(1.0 - unsaid.sum(axis=1, keepdims=True), np.finfo(np.float64).tiny)
        parts /= parts.max(axis=1, keepdims=True)
        parts += np.minimum(unsaid / known, 1.0)
    parts[np.arange(len(rows)), nearest.label[rows]] += _ONE_MORE
    parts /= parts.sum(axis=1, keepdims=True)
    estimates[rows] = (1.0 - doubt) * parts + doubt / n_classes
    return estimates


def choose_temperature(nearest: NearestPrototypes, target: IntArray, shares: FloatArray, n_rows: int) -> float:
    """Choose the temperature with the lowest log-loss on rows that were left out.

    Parameters
    ----------
    nearest : NearestPrototypes
        Of rows that the prototypes were not chosen from.
    target : ndarray of int64, shape (n,)
        Their classes.
    shares, n_rows
        As for :func:`probabilities`.

    Returns
    -------
    float
        Positive; 1 where the distances say nothing about it.

    Examples
    --------
    >>> distances = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    >>> labels = distances.argmin(axis=1)
    >>> near = NearestPrototypes(distances, labels, labels)
    >>> round(1.0 / choose_temperature(near, np.array([0, 1, 0, 1]), np.array([0.5, 0.5]), 99), 1)  # 3 of 4: log(3)
    1.1
    """
    ordered = np.sort(nearest.by_class, axis=1)[:, :2]
    ordered = ordered[np.isfinite(ordered).all(axis=1)]
    beyond = ordered[:, -1] - ordered[:, 0]
    beyond = beyond[beyond > 0.0]
    if not len(beyond):
        return 1.0
    middle = float(np.log(np.median(beyond)))
    rows = np.arange(len(target))

    def loss(log_temperature: float) -> float:
        estimates = probabilities(nearest, float(np.exp(log_temperature)), shares, n_rows)
        return float(-np.log(estimates[rows, target]).mean())

    found = minimize_scalar(loss, bounds=(middle - 7.0, middle + 7.0), method="bounded", options={"xatol": 1e-3})
    return float(np.exp(found.x))
