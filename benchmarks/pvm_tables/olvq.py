"""Learning vector quantization with a rate for every vector (OLVQ1), written from Kohonen's description.

The paper used the functions lvqinit and olvq1 of R's package class, of which none is at hand. So this is a stand-in:
vectors start at training rows whose five nearest neighbours agree with their class, each class has its share of them,
rates start at 0.3, and there are 40 steps per vector. The vector nearest to a drawn row moves towards it if the classes
agree and away if they do not; its rate a becomes a / (1 + a) and a / (1 - a), at most the first rate.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from sklearn.neighbors import KNeighborsClassifier

RATE = 0.3
STEPS = 40
NEIGHBOURS = 5


def fit_vectors(X: np.ndarray, y: np.ndarray, size: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Learn at most `size` vectors; return them with their classes.

    Examples
    --------
    >>> rows = np.array([[0.0], [0.2], [0.1], [5.0], [5.2], [5.1]])
    >>> vectors, classes = fit_vectors(rows, np.array([0, 0, 0, 1, 1, 1]), 2, seed=0)
    >>> classes.tolist(), bool(abs(vectors[:, 0] - [0.1, 5.1]).max() < 0.2)
    ([0, 1], True)
    """
    rng = np.random.default_rng(seed)
    starts = _starts(X, y, size, rng)
    vectors, classes = X[starts].copy(), y[starts]
    rows = rng.integers(len(X), size=STEPS * len(starts))
    _learn(X, y, rows, vectors, classes)
    return vectors, classes


def _starts(X: np.ndarray, y: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """Draw the rows where vectors start, every class its share but one at least where it has rows."""
    agreed = KNeighborsClassifier(min(NEIGHBOURS, len(X))).fit(X, y).predict(X) == y
    counts = np.bincount(y)
    wanted = np.maximum(np.round(size * counts / len(y)), 1).astype(np.int64)
    chosen = []
    for label in np.flatnonzero(counts):
        own = rng.permutation(np.flatnonzero(y == label))
        own = np.concatenate([own[agreed[own]], own[~agreed[own]]])  # rows in a strange neighbourhood come last
        chosen.append(own[: wanted[label]])
    return np.concatenate(chosen)


@njit(cache=True)
def _learn(X, y, rows, vectors, classes):  # noqa: ANN001, ANN202
    """Draw the nearest vector to a row of its class, or push it away, one row after another."""
    rates = np.full(len(vectors), RATE)
    for row in rows:
        nearest, least = 0, np.inf
        for k in range(len(vectors)):
            total = 0.0
            for d in range(X.shape[1]):
                total += (X[row, d] - vectors[k, d]) ** 2
            if total < least:
                nearest, least = k, total
        sign = 1.0 if classes[nearest] == y[row] else -1.0
        rate = rates[nearest]
        for d in range(X.shape[1]):
            vectors[nearest, d] += sign * rate * (X[row, d] - vectors[nearest, d])
        rates[nearest] = min(RATE, rate / (1.0 + sign * rate))
