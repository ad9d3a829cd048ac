"""The dominant set (algorithm 4.1): the prototypes that settle which class gets the highest probability."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from proset.engine.kernels.similarity import FloatArray, IntArray

EPSILON = float(np.finfo(np.float64).eps)


def dominant_set(impact: FloatArray, target: IntArray, marginals: FloatArray) -> NDArray[np.bool_]:
    """Find the smallest set of most influential prototypes that no other prototypes could overrule.

    Parameters
    ----------
    impact : ndarray of shape (P,)
        Impact of each prototype on the estimate, finite and not negative.
    target : ndarray of int64, shape (P,)
        Class of each prototype, 0 to K - 1.
    marginals : ndarray of shape (K,)
        Marginal probabilities, which count as impact of no prototype.

    Returns
    -------
    ndarray of bool, shape (P,)
        True for the members: all prototypes down to a rank, those of other classes than the one ahead among them.
        Prototypes of equal impact share a rank, hence are in or out together. All False if even the whole set leaves a
        tie between classes.

    Notes
    -----
    Algorithm 4.1, with both sides of its condition multiplied by the sum of all impacts and marginals: shares of the
    estimate are rounded, and would decide ties by chance. Where sums of impacts in floating point leave it open which
    side is larger, they are compared exactly.

    Examples
    --------
    >>> dominant_set(np.array([4.0, 3.0, 1.0]), np.array([0, 0, 1]), np.array([0.5, 0.5])).tolist()
    [True, True, False]
    """
    n = impact.shape[0]
    members = np.zeros(n, dtype=bool)
    if n == 0:
        return members
    order = np.argsort(-impact, kind="stable")
    ranked, classes = impact[order], target[order]
    by_class = np.zeros((n, marginals.shape[0]))
    by_class[np.arange(n), classes] = ranked
    two_largest = np.sort(marginals + np.cumsum(by_class, axis=0), axis=1)[:, -2:]
    remainder = np.append(np.cumsum(ranked[::-1])[::-1][1:], 0.0)
    margin = two_largest[:, 1] - two_largest[:, 0] - remainder
    doubt = 4.0 * n * EPSILON * (1.0 + float(ranked.sum()))
    # A rank ends where the next impact is smaller; only there may the set be cut.
    rank_end = np.append(ranked[1:] < ranked[:-1], True)
    for last in np.flatnonzero(rank_end & (margin >= -doubt)).tolist():
        if margin[last] > doubt or _settled(ranked, classes, marginals, last + 1):
            members[order[: last + 1]] = True
            break
    return members


def _settled(impact: FloatArray, target: IntArray, marginals: FloatArray, size: int) -> bool:
    """Tell whether the first `size` prototypes put one class ahead of every other by more than the rest, exactly."""
    reached = [[float(p), *impact[:size][target[:size] == k].tolist()] for k, p in enumerate(marginals)]
    against = (-impact[size:]).tolist()
    sums = [math.fsum(terms) for terms in reached]
    # fsum rounds once: its sign is that of the exact sum, and the class ahead has the largest, perhaps with others.
    return any(
        all(math.fsum([*ahead, *(-x for x in others), *against]) > 0.0 for others in reached if others is not ahead)
        for ahead, total in zip(reached, sums, strict=True)
        if total == max(sums)
    )
