"""Exact Shapley values and interactions of products, hence of the impacts of prototypes, votes and familiarity.

The value of a coalition is prod_{e in S} a_e prod_{e not in S} b_e. Averaged over all orders, player d adds

    (a_d - b_d) * integral_0^1 prod_{e != d} (t a_e + (1 - t) b_e) dt,

t being the moment, uniform in [0, 1], at which each player joins. The integrand is a polynomial of degree m - 1, so a
Gauss-Legendre rule with ceil(m / 2) nodes leaves no error but rounding.

The Shapley interaction index of two players (Grabisch and Roubens 1999) weighs by s! (m - s - 2)! / (m - 1)!, over
coalitions of s others, what the two add together beyond what each adds alone. These weights are integrals over t again:

    (a_c - b_c) (a_d - b_d) * integral_0^1 prod_{e != c, d} (t a_e + (1 - t) b_e) dt.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from proset.engine.evidence.factors import Games
from proset.engine.kernels.similarity import FloatArray, IntArray, row_blocks

_BLOCK = 1 << 15  # factors worked on at once: what is made of them stays in a cache
_LEAST = np.finfo(np.float64).smallest_subnormal


def product_values(game: Games) -> FloatArray:
    """Attribute the impact of every prototype to the players.

    Returns
    -------
    ndarray of shape (n, m, P)
        Sums over players are the impact at the row less that at the reference.

    Examples
    --------
    >>> from proset.engine.evidence.factors import games
    >>> own = next(games(np.ones(1), np.array([[[1.0], [1.0]]]), np.array([[0.0], [0.5]])))
    >>> product_values(own).tolist()
    [[[0.75], [0.25]]]
    """
    n, m, n_prototypes = game.at_rows.shape
    result = np.zeros(game.at_rows.shape)
    for block in row_blocks(n if m else 0, m * n_prototypes, max_elements=_BLOCK):
        _attribute(game.at_rows[block], game.at_reference, result[block])
        result[block] *= game.weights[block][:, None]
    return result


def _attribute(a: FloatArray, b: FloatArray, total: FloatArray) -> None:
    """Add the values of products of all players, without weights, to `total`, shape (n, m, P)."""
    m, others = a.shape[1], np.empty(a.shape)
    for t, share in zip(*_nodes(m - 1), strict=True):
        mixed = t * a + (1.0 - t) * b
        # All but one: the product before it times the product after it. Dividing would lose what is nearly zero.
        others[:, 0] = share
        for d in range(1, m):
            np.multiply(others[:, d - 1], mixed[:, d - 1], out=others[:, d])
        after = mixed[:, -1].copy()
        for d in range(m - 2, -1, -1):
            others[:, d] *= after
            after *= mixed[:, d]
        total += others
    total *= a - b


def vote_interactions(game: Games, target: IntArray, n_classes: int) -> FloatArray:
    """Return the interaction of every pair of players in the votes for each class, the sums of its impacts.

    Parameters
    ----------
    game : Games
        Rows against a reference.
    target : ndarray of int64, shape (P,)
        Class of each prototype.
    n_classes : int
        Number of classes K.

    Returns
    -------
    ndarray of shape (n, m (m - 1) / 2, K)
        Pairs in the order of ``numpy.triu_indices(m, 1)``.

    Examples
    --------
    >>> from proset.engine.evidence.factors import games
    >>> own = next(games(np.ones(1), np.array([[[1.0], [1.0], [1.0]]]), np.array([[0.0], [0.5], [0.0]])))
    >>> vote_interactions(own, np.array([0]), 1).round(12).tolist()
    [[[0.25], [0.75], [0.25]]]
    """
    n, m, n_prototypes = game.at_rows.shape
    first, second = np.triu_indices(m, 1)
    result = np.zeros((n, len(first), n_classes))
    order = np.argsort(target, kind="stable")
    bounds = np.searchsorted(target[order], np.arange(n_classes + 1))
    b = game.at_reference[:, order]
    for block in row_blocks(n if len(first) else 0, m * n_prototypes, max_elements=_BLOCK):
        a, weights = game.at_rows[block][:, :, order], game.weights[block][:, order]
        gaps, sums = a - b, np.zeros((len(a), n_classes, m, m))
        for t, share in zip(*_nodes(m - 2), strict=True):
            mixed = t * a + (1.0 - t) * b
            scale = share * weights * mixed.prod(axis=1)
            # Division loses nothing here: a ratio is at most 1 / min(t, 1 - t), and 0 where both factors are.
            ratios = gaps / np.maximum(mixed, _LEAST, out=mixed)
            scaled = ratios * scale[:, None]
            for k in range(n_classes):
                own = slice(bounds[k], bounds[k + 1])
                # einsum, not BLAS, whose sums of a row alone and among others may differ in the last bits.
                sums[:, k] += np.einsum("nip,njp->nij", scaled[:, :, own], ratios[:, :, own])
        result[block] = sums[:, :, first, second].transpose(0, 2, 1)
    return result


@lru_cache(maxsize=64)
def _nodes(degree: int) -> tuple[list[float], list[float]]:
    """Nodes and weights on [0, 1] that are exact for products of so many factors."""
    nodes, weights = np.polynomial.legendre.leggauss(degree // 2 + 1)
    return (0.5 * (nodes + 1.0)).tolist(), (0.5 * weights).tolist()
