"""The dominant set (algorithm 4.1): the prototypes that settle which class gets the highest probability."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proset.engine.kernels.similarity import FloatArray


def dominant_set(impact: FloatArray, shares: FloatArray, marginal_shares: FloatArray) -> NDArray[np.bool_]:
    """Find the smallest set of most influential prototypes that no other prototypes could overrule.

    Parameters
    ----------
    impact : ndarray of shape (P,)
        Impact of each prototype on the estimate, not negative.
    shares : ndarray of shape (P, K)
        Additive contribution of each prototype to each class probability.
    marginal_shares : ndarray of shape (K,)
        Contribution of the marginal distribution to each class probability.

    Returns
    -------
    ndarray of bool, shape (P,)
        True for the members. Prototypes of equal impact share a rank, hence are in or out together. All False if even
        the whole set leaves a tie between classes.

    Notes
    -----
    Algorithm 4.1. The remainder t_r is summed from the smallest contribution up, so it is exactly zero at the end.

    Examples
    --------
    >>> shares = np.array([[0.4, 0.0], [0.3, 0.0], [0.0, 0.1]])
    >>> dominant_set(shares.sum(axis=1), shares, np.array([0.1, 0.1])).tolist()
    [True, True, False]
    """
    if impact.shape[0] == 0:
        return np.zeros(0, dtype=bool)
    order = np.argsort(-impact, kind="stable")
    by_rank = shares[order]
    reached = marginal_shares + np.cumsum(by_rank, axis=0)
    tail = np.cumsum(by_rank.sum(axis=1)[::-1])[::-1]
    remainder = np.append(tail[1:], 0.0)
    two_largest = np.sort(reached, axis=1)[:, -2:]
    settled = two_largest[:, 1] - two_largest[:, 0] > remainder
    # A rank ends where the next impact is smaller; only there may the set be cut.
    sorted_impact = impact[order]
    rank_end = np.append(sorted_impact[1:] < sorted_impact[:-1], True)
    cuts = np.flatnonzero(settled & rank_end)
    members = np.zeros(impact.shape[0], dtype=bool)
    if cuts.shape[0]:
        members[order[: cuts[0] + 1]] = True
    return members
