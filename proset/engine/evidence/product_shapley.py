"""Exact Shapley values of products, hence of the impacts of prototypes and of familiarity.

The value of a coalition is prod_{e in S} a_e prod_{e not in S} b_e. Averaged over all orders, player d adds

    (a_d - b_d) * integral_0^1 prod_{e != d} (t a_e + (1 - t) b_e) dt,

t being the moment, uniform in [0, 1], at which each player joins. The integrand is a polynomial of degree m - 1, so a
Gauss-Legendre rule with ceil(m / 2) nodes leaves no error but rounding.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from proset.engine.evidence.factors import Games
from proset.engine.kernels.similarity import FloatArray, row_blocks

_BLOCK = 1 << 15  # factors worked on at once: what is made of them stays in a cache


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
    for t, share in zip(*_nodes(m), strict=True):
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


@lru_cache(maxsize=64)
def _nodes(m: int) -> tuple[list[float], list[float]]:
    """Nodes and weights on [0, 1] that are exact for products of m - 1 factors."""
    nodes, weights = np.polynomial.legendre.leggauss((m + 1) // 2)
    return (0.5 * (nodes + 1.0)).tolist(), (0.5 * weights).tolist()
