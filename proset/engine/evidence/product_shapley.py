"""Exact Shapley values of products, hence of the impacts of prototypes and of familiarity.

The value of a coalition is prod_{e in S} a_e prod_{e not in S} b_e. Averaged over all orders, player d adds

    (a_d - b_d) * integral_0^1 prod_{e != d} (t a_e + (1 - t) b_e) dt,

t being the moment, uniform in [0, 1], at which each player joins. The integrand is a polynomial of degree m - 1, so a
Gauss-Legendre rule with ceil(m / 2) nodes leaves no error but rounding.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from proset.engine.evidence.factors import Game
from proset.engine.kernels.similarity import FloatArray


def product_values(game: Game) -> FloatArray:
    """Attribute the impact of every prototype to the players.

    Parameters
    ----------
    game : Game
        One row against a reference.

    Returns
    -------
    ndarray of shape (m, P)
        Sums over players are the impact at the row less that at the reference.

    Examples
    --------
    >>> from proset.engine.evidence.factors import game
    >>> product_values(game(np.ones(1), np.array([[1.0], [1.0]]), np.array([[0.0], [0.5]]))).tolist()
    [[0.75], [0.25]]
    """
    a, b = game.at_row, game.at_reference
    m = len(a)
    if m == 0:
        return np.zeros(a.shape)
    total, others = np.zeros(a.shape), np.ones(a.shape)
    for t, share in zip(*_nodes(m), strict=True):
        mixed = t * a + (1.0 - t) * b
        # All but one: the product before it times the product after it. Dividing would lose what is nearly zero.
        np.cumprod(mixed[:-1], axis=0, out=others[1:])
        others[0] = share
        others[1:] *= share
        others[:-1] *= np.cumprod(mixed[:0:-1], axis=0)[::-1]
        total += others
    total *= a - b
    total *= game.weights
    return total


@lru_cache(maxsize=64)
def _nodes(m: int) -> tuple[list[float], list[float]]:
    """Nodes and weights on [0, 1] that are exact for products of m - 1 factors."""
    nodes, weights = np.polynomial.legendre.leggauss((m + 1) // 2)
    return (0.5 * (nodes + 1.0)).tolist(), (0.5 * weights).tolist()
