"""The prototype vector machine in plain loops over the whole matrix: what the fast forms are held to."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from proset.companions.protocol import FloatArray, IntArray


def naive_greedy(D: FloatArray, target: IntArray, n_classes: int, eps: float, lam: float) -> list[tuple[int, int]]:
    """Work every score out anew at every step, and return (candidate, class) in the order taken.

    Parameters
    ----------
    D : ndarray of shape (n, m)
        Dissimilarities of points and candidates.
    target : ndarray of int64, shape (n,)
        Class of each point.
    n_classes : int
        Number of classes K.
    eps : float
        Radius.
    lam : float
        Cost of a prototype.

    Examples
    --------
    >>> line = np.array([0.0, 1.0, 2.0, 9.0, 5.0])
    >>> naive_greedy(abs(line[:, None] - line), np.array([0, 0, 0, 0, 1]), 2, eps=1.5, lam=0.0)
    [(1, 0), (3, 0), (4, 1)]
    """
    inside = eps > D
    uncovered = np.ones(len(target), dtype=bool)
    chosen: list[tuple[int, int]] = []
    while True:
        best, pair = (lam, 1, 0, 0), None  # a score, and ties: the first class, the cheapest ball, the first candidate
        for label in range(n_classes):
            for j in range(D.shape[1]):
                cost = int((inside[:, j] & (target != label)).sum())
                score = int((inside[:, j] & (target == label) & uncovered).sum()) - cost
                if score > lam and (score, -label, -cost, -j) > best:
                    best, pair = (score, -label, -cost, -j), (j, label)
        if pair is None:
            return chosen
        chosen.append(pair)
        uncovered &= ~(inside[:, pair[0]] & (target == pair[1]))


def objective(D: FloatArray, target: IntArray, chosen: Sequence[tuple[int, int]], eps: float, lam: float) -> float:
    """Return the objective of any set of prototypes from its definition.

    Examples
    --------
    >>> objective(np.array([[0.0], [1.0], [1.0]]), np.array([0, 0, 1]), [(0, 0)], eps=2.0, lam=0.5)
    2.5
    """
    inside = eps > D
    total = lam * len(chosen)
    for i, label in enumerate(target):
        own = [j for j, served in chosen if served == label and inside[i, j]]
        others = [j for j, served in chosen if served != label and inside[i, j]]
        total += (not own) + len(others)
    return float(total)
