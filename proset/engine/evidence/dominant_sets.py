"""Dominant sets (algorithm 4.1) of many rows at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proset.engine.evidence.dominant_set import EPSILON, dominant_set
from proset.engine.kernels.similarity import FloatArray, IntArray, row_blocks


def dominant_sets(impact: FloatArray, target: IntArray, marginals: FloatArray) -> NDArray[np.bool_]:
    """Find for each row the smallest set of most influential prototypes that no other prototypes could overrule.

    Parameters
    ----------
    impact : float64 array of shape (n, P)
        Impact of each prototype on each row, finite and not negative.
    target : int64 array of shape (P,)
        Class of each prototype, 0 to K - 1.
    marginals : float64 array of shape (K,)
        Marginal probabilities.

    Returns
    -------
    bool array of shape (n, P)
        Each line is what :func:`~proset.engine.evidence.dominant_set.dominant_set` returns for it.

    Notes
    -----
    Rows where rounding leaves it open which side of the condition is larger are decided by that function, exactly.

    Examples
    --------
    >>> dominant_sets(np.array([[4.0, 3.0, 1.0], [1.0, 0.0, 9.0]]), np.array([0, 0, 1]), np.array([0.5, 0.5])).tolist()
    [[True, True, False], [False, False, True]]
    """
    members = np.zeros(impact.shape, dtype=bool)
    if impact.shape[1]:
        for block in row_blocks(impact.shape[0], impact.shape[1]):
            members[block] = _of_block(impact[block], target, marginals)
    return members


def _of_block(impact: FloatArray, target: IntArray, marginals: FloatArray) -> NDArray[np.bool_]:
    """Dominant sets of rows that fit into memory several times over."""
    n = impact.shape[1]
    order = np.argsort(-impact, axis=1, kind="stable")
    ranked = np.take_along_axis(impact, order, axis=1)
    margin = _lead(ranked, target[order], marginals)
    margin[:, :-1] -= np.cumsum(ranked[:, :0:-1], axis=1)[:, ::-1]
    doubt = 4.0 * n * EPSILON * (1.0 + ranked.sum(axis=1, keepdims=True))
    # A rank ends where the next impact is smaller; only there may the set be cut.
    possible = margin >= -doubt
    possible[:, :-1] &= ranked[:, 1:] < ranked[:, :-1]
    last = possible.argmax(axis=1)
    rows = np.arange(impact.shape[0])
    settled = margin[rows, last] > doubt[:, 0]
    kept = np.arange(n) <= np.where(possible[rows, last] & settled, last, -1)[:, None]
    members = np.zeros_like(kept)
    np.put_along_axis(members, order, kept, axis=1)
    for row in np.flatnonzero(possible[rows, last] & ~settled):
        members[row] = dominant_set(impact[row], target, marginals)
    return members


def _lead(ranked: FloatArray, classes: IntArray, marginals: FloatArray) -> FloatArray:
    """By how much the class ahead leads the next one after each prototype, in the order of impact, shape (n, P)."""
    first, second = np.full(ranked.shape, -np.inf), np.full(ranked.shape, -np.inf)
    for k, marginal in enumerate(marginals):
        reached = marginal + np.cumsum(np.where(classes == k, ranked, 0.0), axis=1)
        np.maximum(second, np.minimum(first, reached), out=second)
        np.maximum(first, reached, out=first)
    return first - second
