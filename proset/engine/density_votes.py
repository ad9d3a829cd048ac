"""Votes of all prototypes of a model of a number on its training rows, and how well they agree with an aim.

The aim is a distribution of the number for each row: what the model says, mixed with the target of the row. With the
sum D of the impacts and one, and the sum N(y) of (R1) over D, the disagreement is the mean of ``log D - E log N(y)``.
The expectation is taken over places where the model has equal shares of its probability between them, one drawn within
each share: at fixed places, weights could be made to agree there and nowhere else.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from proset.engine.candidates import subsample
from proset.engine.density_part import Density
from proset.engine.density_sets import DensityManager
from proset.engine.fitting import TrainingData, class_weights
from proset.engine.mixtures.marginal import Marginal, beside
from proset.engine.mixtures.mixture import HEIGHT
from proset.engine.objective.penalty import ElasticNet
from proset.engine.set_manager import FloatArray, IntArray
from proset.engine.votes import FEWEST_ROWS, GUARD, LEAST_LEFT, Evaluate

N_PLACES = 15  # of each row's distribution: with seven, half as many prototypes seemed to say the same as do
_OUTERMOST = 1e-4  # level of the first and last place at most: quantiles farther out are not worth their iterations
_SUMS_AT_ONCE = 1_024


@dataclass(frozen=True, eq=False)
class DensityVotes:
    """Similarities of training rows with all prototypes, and what these say of each row.

    Attributes
    ----------
    similarity : ndarray of float64, shape (n, J)
        One column per prototype, batch after batch; 0 where a row meets itself.
    centers : ndarray of float64, shape (n, J)
        Adjusted values m_j(x) of (R2), standardised.
    spreads : ndarray of float64, shape (J,)
        Spreads h_j.
    weights : ndarray of float64, shape (J,)
        Prototype weights as the model was grown.
    values : ndarray of float64, shape (n,)
        Targets of the rows, standardised.
    alone : ndarray of float64, shape (n,)
        Marginal density of each target without its row.
    importance : ndarray of float64, shape (n,)
        Weights of the rows; sum to one.
    marginal : Marginal
        The density p0 of (R1).
    levels : ndarray of float64, shape (n, P)
        Of the quantiles at which distributions are looked at, one in each share.
    """

    similarity: FloatArray
    centers: FloatArray
    spreads: FloatArray
    weights: FloatArray
    values: FloatArray
    alone: FloatArray
    importance: FloatArray
    marginal: Marginal
    levels: FloatArray

    @classmethod
    def of(cls, manager: DensityManager, data: TrainingData, rng: np.random.Generator, most_entries: int) -> Self:
        """Compare the rows, or as many as memory is for, with the prototypes."""
        part = data.part
        assert isinstance(part, Density)  # it makes these managers
        # Sums over places are held in single precision: as much memory as twice the entries of classes.
        n_rows = max(4 * most_entries // ((N_PLACES + 2) * manager.get_num_prototypes()), FEWEST_ROWS)
        rows = subsample(data.target, n_rows, 1, data.steering.keys(data.target.shape[0], rng))
        X, index, there = data.X[rows], data.index[rows], manager.density_batches
        similarity = np.concatenate([batch.similarity(X) for batch in there], axis=1)
        similarity[index[:, None] == np.concatenate([batch.sample_index for batch in there])] = 0.0
        importance = class_weights(data, rows)
        levels = (np.arange(N_PLACES) + rng.uniform(size=(rows.shape[0], N_PLACES))) / N_PLACES
        return cls(
            similarity,
            np.concatenate([batch.centers(X) for batch in there], axis=1),
            np.concatenate([batch.spreads for batch in there]),
            np.concatenate([batch.weights for batch in there]).astype(np.float64),
            part.values[rows],
            part.alone[rows],
            importance / importance.sum(),
            manager.marginal,
            np.clip(levels, _OUTERMOST, 1.0 - _OUTERMOST),
        )

    def aim(self, correction: float) -> DensityAim:
        """Return what distributions should be: those of the model, mixed with the targets, these under a penalty."""
        votes, offsets, shares = [self.similarity], [np.ones(self.values.shape)], [1.0]
        if correction:
            votes.append(self._heights(self.values))
            offsets.append(self.alone)
            shares.append(-correction)
        if correction < 1.0:
            places = self._places()
            votes += [self._heights(at) for at in places.T]
            offsets += [*self.marginal.mixture(len(places)).pdf(places).T]
            shares += places.shape[1] * [(correction - 1.0) / places.shape[1]]
        matrix = np.concatenate([part.astype(np.float32) for part in votes])
        importance = np.concatenate([share * self.importance for share in shares])
        penalty = ElasticNet(correction * GUARD, alpha=1.0)
        return DensityAim(matrix, np.concatenate(offsets), importance, penalty)

    def ballot(self, kept: IntArray, aim: DensityAim) -> DensityBallot:
        """Return the votes of some prototypes, by ascending column, beside an aim."""
        return DensityBallot(np.take(aim.votes, kept, axis=1), aim)

    def in_order(self, kept: IntArray, weights: FloatArray) -> FloatArray:
        """Return weights batch after batch, 0 for what is not kept, shape (J,)."""
        every = np.zeros(self.weights.shape[0])
        every[kept] = weights
        return every

    def _heights(self, values: FloatArray) -> FloatArray:
        """Return similarity times density of one value per row, shape (n, J)."""
        off = (values[:, None] - self.centers) / self.spreads
        found: FloatArray = self.similarity * (HEIGHT * np.exp(-0.5 * off * off) / self.spreads)
        return found

    def _places(self) -> FloatArray:
        """Return quantiles of what the model says of each row without a vote of its own, shape (n, P)."""
        impacts = self.similarity * self.weights
        total = 1.0 + impacts.sum(axis=1)[:, None]
        return beside(self.marginal, [impacts], total, [self.centers], [self.spreads]).quantile(self.levels)


@dataclass(frozen=True, eq=False)
class DensityAim:
    """Distributions as they should be: the disagreement is a weighted sum of logarithms of sums of votes.

    Attributes
    ----------
    votes : ndarray of float32, shape (R, J)
        What a prototype of weight one adds to each sum: denominators of all rows first, then numerators.
    offsets : ndarray of float64, shape (R,)
        What each sum is without prototypes, positive.
    importance : ndarray of float64, shape (R,)
        Weights of the logarithms: positive for denominators, negative for numerators.
    penalty : ElasticNet
        On prototype weights.
    """

    votes: NDArray[np.float32]
    offsets: FloatArray
    importance: FloatArray
    penalty: ElasticNet

    def disagreement(self, sums: FloatArray) -> float:
        """Return the mean disagreement, without the penalty."""
        return float(np.einsum("r,r->", self.importance, np.log(sums)))

    def of_marginals(self) -> float:
        """Return the disagreement of the marginal density."""
        return self.disagreement(self.offsets)


@dataclass(frozen=True, eq=False)
class DensityBallot:
    """Votes of some prototypes, shape (R, j), beside an aim."""

    votes: NDArray[np.float32]
    aim: DensityAim

    def sums(self, weights: FloatArray) -> FloatArray:
        """Return numerators and denominators, shape (R,); no threaded library cuts the sums."""
        votes: FloatArray = np.einsum("rj,j->r", self.votes, weights.astype(np.float32)).astype(np.float64)
        return self.aim.offsets + votes

    def losses(self, weights: FloatArray, sums: FloatArray) -> FloatArray:
        """Return the rise of the disagreement for each prototype that alone is taken out: exact, shape (j,)."""
        rises = np.zeros(weights.shape[0])
        for rows in _parts(sums):
            left = 1.0 - self.votes[rows] * weights / sums[rows, None]
            rises += np.einsum("r,rj->j", self.aim.importance[rows], np.log(np.maximum(left, LEAST_LEFT)))
        return rises

    def agreement(self) -> Evaluate:
        """Return a function from weights to the disagreement and its derivatives."""

        def evaluate(weights: FloatArray) -> tuple[float, FloatArray]:
            sums = self.sums(weights)
            pull, slope = (self.aim.importance / sums).astype(np.float32), np.zeros(weights.shape[0])
            for rows in _parts(sums):
                slope += np.einsum("r,rj->j", pull[rows], self.votes[rows])
            return self.aim.disagreement(sums), slope

        return evaluate


def _parts(sums: FloatArray) -> list[slice]:
    """Return runs of sums, few enough to be added up in single precision."""
    return [slice(first, first + _SUMS_AT_ONCE) for first in range(0, sums.shape[0], _SUMS_AT_ONCE)]
