"""Similarities taken apart: one factor per player, for prototypes of all batches at once.

The similarity (2.3) of a row and a prototype is a product with one factor per feature. Whoever changes some features
of a row changes some factors and nothing else; attributions to features start from there. The players are groups of
matrix columns: one column, or all columns of one category.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proset.engine.kernels.similarity import FloatArray, IntArray, ScaledPrototypes, scaled_prototypes
from proset.engine.kernels.units import bounded
from proset.engine.set_manager import Batch, SetManager


@dataclass(frozen=True, eq=False)
class _Side:
    """One batch: its prototypes, and which of its columns belong to which player."""

    prototypes: ScaledPrototypes
    features: IntArray  # columns of the matrix that the batch uses
    order: IntArray  # sorts them by player
    starts: IntArray  # where a player's columns begin
    players: IntArray  # those that have columns here

    def exponents(self, X: FloatArray) -> FloatArray:
        """Minus the squared distance in kernel units by player, shape (n, players here, J)."""
        z = bounded(self.prototypes.take(X[:, self.features]))
        apart = z[:, self.order, None] - self.prototypes.scaled.T[self.order]
        apart *= apart
        if len(self.starts) < len(self.order):
            apart = np.add.reduceat(apart, self.starts, axis=1)
        return np.negative(apart, out=apart)


@dataclass(frozen=True, eq=False)
class KernelFactors:
    """The prototypes of a model with their similarities to rows by player.

    Attributes
    ----------
    n_players : int
        Number of players A.
    weights : ndarray of shape (P,)
        Weight of each prototype, batch after batch.
    target, batch, position, sample_index : ndarray of int64, shape (P,)
        Class, batch (from 1), place in it and row of the training data of each prototype.
    marginals : ndarray of shape (K,)
        Marginal class probabilities.

    Examples
    --------
    >>> batch = Batch(np.array([0, 1]), np.ones(2, np.float32), np.zeros((1, 2)), np.array([1]),
    ...               np.ones(1, np.float32), np.array([0]))
    >>> factors = kernel_factors(SetManager([0.5, 0.5], 2, (batch,)), [np.array([0]), np.array([1])])
    >>> factors.at(np.array([[0.0, 1.0]])).round(4).tolist()
    [[[1.0], [0.6065]]]
    """

    n_players: int
    weights: FloatArray
    target: IntArray
    batch: IntArray
    position: IntArray
    sample_index: IntArray
    marginals: FloatArray
    _sides: tuple[_Side, ...]

    def at(self, X: NDArray[np.floating]) -> FloatArray:
        """Return the factors of rows of the matrix, shape (n, A, P); their product over players is the similarity."""
        result = np.ones((len(X), self.n_players, len(self.weights)))
        first = 0
        for side in self._sides:
            last = first + len(side.prototypes.scaled)
            if len(side.players):
                result[:, side.players, first:last] = np.exp2(side.exponents(np.asarray(X, dtype=np.float64)))
            first = last
        return result


def kernel_factors(manager: SetManager, groups: Sequence[IntArray]) -> KernelFactors:
    """Take the similarities of a model apart.

    Parameters
    ----------
    groups : sequence of ndarray of int64
        Columns of the matrix that each player stands for. No column has two players, and every active one has one.

    Raises
    ------
    ValueError
        If an active feature has no player.
    """
    player = np.full(manager.num_features, -1, dtype=np.int64)
    for number, group in enumerate(groups):
        player[group] = number
    if (player[manager.get_active_features()] < 0).any():
        raise ValueError("Every feature that the model uses has to belong to a player.")
    filled = [(number, batch) for number, batch in enumerate(manager.batches, start=1) if batch is not None]
    batches = [batch for _, batch in filled]
    none = np.zeros(0, dtype=np.int64)
    return KernelFactors(
        n_players=len(groups),
        weights=np.concatenate([np.zeros(0), *(batch.weights.astype(np.float64) for batch in batches)]),
        target=np.concatenate([none, *(batch.target for batch in batches)]),
        batch=np.concatenate([none, *(np.full(len(batch), number) for number, batch in filled)]),
        position=np.concatenate([none, *(np.arange(len(batch)) for batch in batches)]),
        sample_index=np.concatenate([none, *(batch.sample_index for batch in batches)]),
        marginals=manager.marginals,
        _sides=tuple(_side(batch, player) for batch in batches),
    )


def _side(batch: Batch, player: IntArray) -> _Side:
    """Sort the columns of a batch by player."""
    own = player[batch.active_features]
    order = np.argsort(own, kind="stable")
    players, starts = np.unique(own[order], return_index=True)
    return _Side(
        prototypes=scaled_prototypes(batch.prototypes.astype(np.float64), batch.feature_weights.astype(np.float64)),
        features=batch.active_features,
        order=order,
        starts=starts.astype(np.int64),
        players=players,
    )


@dataclass(frozen=True, eq=False)
class Games:
    """Rows against one reference, reduced to the players that differ; they are the same ones for all of these rows.

    Attributes
    ----------
    rows : ndarray of int64, shape (n,)
        Which of the rows given these are.
    players : ndarray of int64, shape (m,)
        Those with a factor that is not the same at both; all others change nothing.
    at_rows : ndarray of shape (n, m, P)
        Factors of these players at the rows.
    at_reference : ndarray of shape (m, P)
        The same at the reference.
    weights : ndarray of shape (n, P)
        Weights of the prototypes times the factors of the players that agree.
    """

    rows: IntArray
    players: IntArray
    at_rows: FloatArray
    at_reference: FloatArray
    weights: FloatArray


def games(weights: FloatArray, at_rows: FloatArray, at_reference: FloatArray) -> Iterator[Games]:
    """Leave out the players that agree; rows that differ in the same players stay together.

    Parameters
    ----------
    weights : ndarray of shape (P,)
        Weights of the prototypes.
    at_rows : ndarray of shape (n, A, P)
        Factors of all players at the rows.
    at_reference : ndarray of shape (A, P)
        The same at the reference.

    Yields
    ------
    Games
        Every row is in one of them.

    Examples
    --------
    >>> found = list(games(np.ones(1), np.array([[[0.5], [0.25]]]), np.array([[0.5], [1.0]])))
    >>> found[0].players.tolist(), found[0].weights.tolist()
    ([1], [[0.5]])
    """
    differs = (at_rows != at_reference).any(axis=2)
    patterns, which = np.unique(differs, axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        rows, players = np.flatnonzero(which.ravel() == number), np.flatnonzero(pattern)
        own = at_rows[rows]
        alike = own[:, ~pattern].prod(axis=1)
        yield Games(rows, players, own[:, players], at_reference[players], weights * alike)
