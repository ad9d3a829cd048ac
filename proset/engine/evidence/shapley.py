"""Shapley values of the class probabilities, by masked evaluations that cost next to nothing.

A masked evaluation takes some features from a row and the others from a reference. Its similarities are products of
factors known beforehand (see `factors`), so that

- the values of all 2^m coalitions of m players are one matrix product per class: the products over the first half of
  the players, one line per coalition of these, times those over the second half;
- along a permutation, all m + 1 evaluations are running products from both ends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from math import factorial

import numpy as np

from proset.engine.evidence.factors import Games
from proset.engine.kernels.similarity import FloatArray, IntArray, row_blocks

MOST_EXACT = 20
"""Players up to which all coalitions can be evaluated: beyond, their values alone would take gigabytes."""
_BLOCK = 1 << 19  # products made at once: 4 MiB, which stays in a cache


@dataclass(frozen=True, eq=False)
class Attribution:
    """Shapley values of n rows that differ from the reference in the same m players.

    Attributes
    ----------
    values : ndarray of shape (n, m, K)
        What each player adds to each class probability; they sum to the difference of row and reference.
    standard_error : ndarray of shape (n, m, K)
        Of the values; 0 where they are exact.
    evaluations : int
        Masked evaluations that they rest on, per row.
    """

    values: FloatArray
    standard_error: FloatArray
    evaluations: int


def exact_values(game: Games, target: IntArray, marginals: FloatArray) -> Attribution:
    """Evaluate all coalitions.

    Parameters
    ----------
    game : Games
        With at most `MOST_EXACT` players.
    target : ndarray of int64, shape (P,)
        Class of each prototype.
    marginals : ndarray of shape (K,)
        Marginal class probabilities.

    Examples
    --------
    >>> one = Games(np.array([0]), np.array([0]), np.array([[[1.0]]]), np.array([[0.0]]), np.ones((1, 1)))
    >>> exact_values(one, np.array([1]), np.array([0.5, 0.5])).values.tolist()
    [[[-0.25, 0.25]]]
    """
    n, m = len(game.rows), len(game.players)
    if m > MOST_EXACT:
        raise ValueError(f"{m} players have too many coalitions; at most {MOST_EXACT} can be taken exactly.")
    classes = [np.flatnonzero(target == k) for k in range(len(marginals))]
    values = np.empty((n, m, len(marginals)))
    size = len(target) * (1 << (m + 1) // 2) + len(marginals) * (1 << m)
    for block in row_blocks(n, size, max_elements=_BLOCK):
        q = _coalitions(game, block, classes)
        q += marginals[:, None]
        q /= q.sum(axis=1, keepdims=True)
        # One product per row: in one for all rows, the last digits would depend on the other rows.
        values[block] = np.matmul(q, _weights(m)).transpose(0, 2, 1)
    return Attribution(values, np.zeros_like(values), 1 << m)


def exact_costs_less(n_players: int, n_prototypes: int, n_classes: int, max_evaluations: int) -> bool:
    """Tell whether all coalitions cost no more than permutations would, in multiplications and additions of one row.

    Parameters
    ----------
    n_players, n_prototypes, n_classes : int
        Size of the game.
    max_evaluations : int
        Bound on the evaluations along permutations.

    Examples
    --------
    >>> exact_costs_less(13, 407, 10, 10_000), exact_costs_less(16, 407, 10, 10_000)
    (True, False)
    """
    if n_players > MOST_EXACT:
        return False
    # A coalition is one step of a matrix product, and one for each player and class of the weighted sums. Along an
    # order, a state is a product from the front, one from the back, and their sum; classes are divided and compared.
    exact = (1 << n_players) * (n_prototypes + n_classes * (n_players + 2))
    along_orders = 2 * n_players * max(1, max_evaluations // (2 * n_players)) if n_players else 1
    return exact <= along_orders * (3 * n_prototypes + 4 * n_classes)


def _coalitions(game: Games, block: slice, classes: list[IntArray]) -> FloatArray:
    """Impacts of all coalitions on some rows, summed by class, shape (rows, K, 2^m)."""
    at_rows, m = game.at_rows[block], len(game.players)
    low = _products(at_rows[:, : m // 2], game.at_reference[: m // 2]) * game.weights[block][:, None]
    high = _products(at_rows[:, m // 2 :], game.at_reference[m // 2 :])
    q = np.empty((len(at_rows), len(classes), 1 << m))
    for k, own in enumerate(classes):
        products = np.matmul(high[:, :, own], low[:, :, own].transpose(0, 2, 1))
        q[:, k] = products.reshape(len(at_rows), -1)
    return q


def _products(a: FloatArray, b: FloatArray) -> FloatArray:
    """Products over all coalitions, shape (n, 2^m, P): of `a` over the members, bits of the number, and of `b` else."""
    n, m, n_prototypes = a.shape
    table = np.ones((n, 1 << m, n_prototypes))
    for i in range(m):
        done = 1 << i
        np.multiply(table[:, :done], a[:, i, None], out=table[:, done : 2 * done])
        table[:, :done] *= b[i]
    return table


@lru_cache(maxsize=8)
def _weights(m: int) -> FloatArray:
    """Weights of the coalitions in the Shapley values of each player, shape (2^m, m)."""
    coalitions = np.arange(1 << m)
    members = (coalitions[:, None] >> np.arange(m)) & 1
    size = members.sum(axis=1)
    share = np.array([factorial(s) * factorial(m - s - 1) / factorial(m) for s in range(m)] + [0.0])
    # Joining a coalition counts with the size before, so a member's own weight is that of one size less.
    joined: FloatArray = np.where(members == 1, share[size - 1, None], -share[size, None])
    return joined


def sampled_values(
    game: Games, target: IntArray, marginals: FloatArray, *, max_evaluations: int, seed: int
) -> Attribution:
    """Evaluate the coalitions along random permutations, each of them forwards and backwards.

    Parameters
    ----------
    game : Games
        With at least one player.
    target : ndarray of int64, shape (P,)
        Class of each prototype.
    marginals : ndarray of shape (K,)
        Marginal class probabilities.
    max_evaluations : int
        Bound on the masked evaluations per row; a pair of permutations takes 2 m of them, the ends being the same for
        all. One pair is taken in any case.
    seed : int
        Draws the permutations; those of two rows with the same number of players are the same.

    Returns
    -------
    Attribution
        The values sum to the difference exactly, whatever the number of permutations. With one pair, nothing is known
        of their error: it is not a number.
    """
    m = len(game.players)
    n_pairs = max(1, max_evaluations // (2 * m))
    order = np.random.default_rng((seed, m)).permuted(np.tile(np.arange(m), (n_pairs, 1)), axis=1)
    shape = len(game.rows), m, len(marginals)
    values, error = np.empty(shape), np.full(shape, np.nan)
    along = _best_form()
    for i in range(len(game.rows)):
        pairs = along(game, i, order, target, marginals)
        values[i] = pairs.mean(axis=0)
        if n_pairs > 1:
            error[i] = pairs.std(axis=0, ddof=1) / np.sqrt(n_pairs)
    return Attribution(values, error, 2 * m * n_pairs)


def _best_form() -> Callable[..., FloatArray]:
    """Return the compiled form where there is one."""
    try:
        from proset.engine.kernels import compiled_orders
    except ImportError:  # no numba for this interpreter or machine
        return plain_pairs

    def compiled_pairs(game: Games, i: int, order: IntArray, target: IntArray, marginals: FloatArray) -> FloatArray:
        """Hand over the prototypes sorted by class."""
        by_class = np.argsort(target, kind="stable")
        bounds = np.searchsorted(target[by_class], np.arange(len(marginals) + 1))
        at_row, at_reference = (
            np.ascontiguousarray(side[:, by_class]) for side in (game.at_rows[i], game.at_reference)
        )
        pairs = np.empty((*order.shape, len(marginals)))
        compiled_orders.add_along(order, at_row, at_reference, game.weights[i, by_class], bounds, marginals, pairs)
        return pairs

    return compiled_pairs


def plain_pairs(game: Games, i: int, order: IntArray, target: IntArray, marginals: FloatArray) -> FloatArray:
    """Return what each player adds, mean over an order and its reverse, shape (orders, m, K).

    Parameters
    ----------
    game : Games
        Rows against a reference.
    i : int
        Which of its rows.
    order : ndarray of int64, shape (orders, m)
        Permutations of the players.
    target, marginals
        As for :func:`sampled_values`.
    """
    spread = np.zeros((len(target), len(marginals)))
    spread[np.arange(len(target)), target] = game.weights[i]
    pairs = np.empty((*order.shape, len(marginals)))
    for block in row_blocks(len(order), order.shape[1] * max(1, len(target)), max_elements=_BLOCK):
        forwards = _along(game.at_rows[i], game.at_reference, order[block], spread, marginals)
        backwards = _along(game.at_rows[i], game.at_reference, order[block, ::-1], spread, marginals)
        pairs[block] = 0.5 * (forwards + backwards)
    return pairs


def _along(
    at_row: FloatArray, at_reference: FloatArray, order: IntArray, spread: FloatArray, marginals: FloatArray
) -> FloatArray:
    """Return what each player adds when players join in some orders, shape (orders, m, K)."""
    n, m = order.shape
    states = np.ones((n, m + 1, len(spread)))
    np.cumprod(at_row[order], axis=1, out=states[:, 1:])
    states[:, :-1] *= np.cumprod(at_reference[order[:, ::-1]], axis=1)[:, ::-1]
    q = states @ spread
    q += marginals
    q /= q.sum(axis=2, keepdims=True)
    result: FloatArray = np.take_along_axis(np.diff(q, axis=1), np.argsort(order, axis=1)[:, :, None], axis=1)
    return result
