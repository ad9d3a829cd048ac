"""Shapley values of the class probabilities, by masked evaluations that cost next to nothing.

A masked evaluation takes some features from a row and the others from a reference. Its similarities are products of
factors known beforehand (see `factors`), so that

- the values of all 2^m coalitions of m players are one matrix product per class: the products over the first half of
  the players, one line per coalition of these, times those over the second half;
- along a permutation, all m + 1 evaluations are running products from both ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import factorial

import numpy as np

from proset.engine.evidence.factors import Game
from proset.engine.kernels.similarity import FloatArray, IntArray

MOST_EXACT = 20
"""Players up to which all coalitions can be evaluated: beyond, their values alone would take gigabytes."""
_BLOCK = 1 << 19  # products made at once: 4 MiB, which stays in a cache


@dataclass(frozen=True, eq=False)
class Attribution:
    """Shapley values of one row.

    Attributes
    ----------
    values : ndarray of shape (m, K)
        What each player adds to each class probability; they sum to the difference of row and reference.
    standard_error : ndarray of shape (m, K)
        Of the values; 0 where they are exact.
    evaluations : int
        Masked evaluations that they rest on.
    """

    values: FloatArray
    standard_error: FloatArray
    evaluations: int


def exact_values(game: Game, target: IntArray, marginals: FloatArray) -> Attribution:
    """Evaluate all coalitions.

    Parameters
    ----------
    game : Game
        With at most `MOST_EXACT` players.
    target : ndarray of int64, shape (P,)
        Class of each prototype.
    marginals : ndarray of shape (K,)
        Marginal class probabilities.

    Returns
    -------
    Attribution

    Examples
    --------
    >>> one = Game(np.array([0]), np.array([[1.0]]), np.array([[0.0]]), np.ones(1))
    >>> exact_values(one, np.array([1]), np.array([0.5, 0.5])).values.tolist()
    [[-0.25, 0.25]]
    """
    m = len(game.players)
    if m > MOST_EXACT:
        raise ValueError(f"{m} players have too many coalitions; at most {MOST_EXACT} can be taken exactly.")
    half = m // 2
    low = _products(game.at_row[:half], game.at_reference[:half]) * game.weights
    high = _products(game.at_row[half:], game.at_reference[half:])
    q = np.empty((len(marginals), 1 << m))
    for k, marginal in enumerate(marginals):
        own = np.flatnonzero(target == k)
        q[k] = (high[:, own] @ low[:, own].T).ravel() + marginal
    q /= q.sum(axis=0)
    values = _weights(m) @ q.T
    return Attribution(values, np.zeros_like(values), 1 << m)


def _products(a: FloatArray, b: FloatArray) -> FloatArray:
    """Products over all coalitions, shape (2^m, P): of `a` over the members, bits of the number, and of `b` else."""
    table = np.ones((1, a.shape[1]))
    for inside, outside in zip(a, b, strict=True):
        table = np.concatenate([table * outside, table * inside])
    return table


@lru_cache(maxsize=8)
def _weights(m: int) -> FloatArray:
    """Weights of the coalitions in the Shapley values of each player, shape (m, 2^m)."""
    coalitions = np.arange(1 << m)
    members = (coalitions[:, None] >> np.arange(m)) & 1
    size = members.sum(axis=1)
    share = np.array([factorial(s) * factorial(m - s - 1) / factorial(m) for s in range(m)] + [0.0])
    # Joining a coalition counts with the size before, so a member's own weight is that of one size less.
    joined: FloatArray = np.where(members.T == 1, share[size - 1], -share[size])
    return joined


def sampled_values(
    game: Game, target: IntArray, marginals: FloatArray, *, max_evaluations: int, seed: int
) -> Attribution:
    """Evaluate the coalitions along random permutations, each of them forwards and backwards.

    Parameters
    ----------
    game : Game
        With at least one player.
    target : ndarray of int64, shape (P,)
        Class of each prototype.
    marginals : ndarray of shape (K,)
        Marginal class probabilities.
    max_evaluations : int
        Bound on the masked evaluations; a pair of permutations takes 2 m of them, the ends being the same for all. One
        pair is taken in any case.
    seed : int
        Draws the permutations; those of two rows with the same number of players are the same.

    Returns
    -------
    Attribution
        The values sum to the difference exactly, whatever the number of permutations.
    """
    m = len(game.players)
    n_pairs = max(1, max_evaluations // (2 * m))
    order = np.random.default_rng((seed, m)).permuted(np.tile(np.arange(m), (n_pairs, 1)), axis=1)
    spread = np.zeros((len(target), len(marginals)))
    spread[np.arange(len(target)), target] = game.weights
    step = max(1, _BLOCK // max(1, m * len(target)))
    pairs = np.empty((n_pairs, m, len(marginals)))
    for start in range(0, n_pairs, step):
        block = order[start : start + step]
        forwards = _along(game, block, spread, marginals)
        pairs[start : start + step] = 0.5 * (forwards + _along(game, block[:, ::-1], spread, marginals))
    error = pairs.std(axis=0, ddof=1) / np.sqrt(n_pairs) if n_pairs > 1 else np.full(pairs.shape[1:], np.nan)
    return Attribution(pairs.mean(axis=0), error, 2 * m * n_pairs)


def _along(game: Game, order: IntArray, spread: FloatArray, marginals: FloatArray) -> FloatArray:
    """Return what each player adds when players join in some orders, shape (number of orders, m, K)."""
    n, m = order.shape
    states = np.ones((n, m + 1, len(spread)))
    np.cumprod(game.at_row[order], axis=1, out=states[:, 1:])
    still_out = np.cumprod(game.at_reference[order[:, ::-1]], axis=1)[:, ::-1]
    states[:, :-1] *= still_out
    q = states @ spread
    q += marginals
    q /= q.sum(axis=2, keepdims=True)
    added = np.diff(q, axis=1)
    result: FloatArray = np.take_along_axis(added, np.argsort(order, axis=1)[:, :, None], axis=1)
    return result
