"""Votes of all prototypes of a model on its training rows, and how well they agree with an aim."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, Self

import numpy as np

from proset.engine.candidates import subsample
from proset.engine.fitting import TrainingData, class_weights
from proset.engine.objective.penalty import ElasticNet
from proset.engine.set_manager import FloatArray, IntArray, SetManager

Evaluate = Callable[[FloatArray], tuple[float, FloatArray]]

MOST_ENTRIES = 1 << 22  # similarities held at once: 32 MiB
FEWEST_ROWS = 1_000
# Penalty on squared prototype weights. Where prototypes tell the classes apart without an error, nothing else keeps the
# weights from growing for ever, and with them familiarity: all that is anywhere would be known (docs/decisions.md).
GUARD = 1e-9
LEAST_LEFT = 1e-12  # least share of a sum that is left without a prototype, where rounding makes it less


@dataclass(frozen=True, eq=False)
class Votes:
    """Similarities of training rows with all prototypes.

    Attributes
    ----------
    similarity : ndarray of float64, shape (n, J), C order
        One column per prototype, in the order of their classes; 0 where a row meets itself.
    target : ndarray of int64, shape (J,)
        Classes of the prototypes, ascending.
    weights : ndarray of float64, shape (J,)
        Their weights as the model was grown.
    order : ndarray of int64, shape (J,)
        Their places in the model, batch after batch.
    importance : ndarray of float64, shape (n,)
        Weights of the rows; sum to one.
    classes : ndarray of int64, shape (n,)
        Classes of the rows.
    marginals : ndarray of float64, shape (K,)
        Marginal probabilities.
    """

    similarity: FloatArray
    target: IntArray
    weights: FloatArray
    order: IntArray
    importance: FloatArray
    classes: IntArray
    marginals: FloatArray

    @classmethod
    def of(
        cls, manager: SetManager, data: TrainingData, rng: np.random.Generator, most_entries: int = MOST_ENTRIES
    ) -> Self:
        """Compare the rows, or as many as memory is for, with the prototypes."""
        n_rows = max(most_entries // manager.get_num_prototypes(), FEWEST_ROWS, 2 * manager.num_classes)
        rows = subsample(data.target, n_rows, 1, data.steering.keys(data.target.shape[0], rng))
        X, index = data.X[rows], data.index[rows]
        there = [batch for batch in manager.batches if batch is not None]
        similarity = np.concatenate([batch.similarity(X) for batch in there], axis=1)
        similarity[index[:, None] == np.concatenate([batch.sample_index for batch in there])] = 0.0
        target = np.concatenate([batch.target for batch in there])
        order = np.argsort(target, kind="stable")
        weights = np.concatenate([batch.weights for batch in there]).astype(np.float64)
        importance = class_weights(data, rows)
        return cls(
            np.take(similarity, order, axis=1),
            target[order],
            weights[order],
            order,
            importance / importance.sum(),
            data.target[rows],
            manager.marginals,
        )

    def aim(self, correction: float) -> RefinementAim:
        """Return what estimates should be: those of the model, mixed with the classes, these under a penalty."""
        sums = class_sums(self.similarity, self.target, self.weights, self.marginals)
        wanted = (1.0 - correction) * sums / sums.sum(axis=0)
        wanted[self.classes, np.arange(self.classes.shape[0])] += correction
        return RefinementAim(wanted, self.importance, self.marginals, ElasticNet(correction * GUARD, alpha=1.0))

    def ballot(self, kept: IntArray, aim: RefinementAim) -> ClassBallot:
        """Return the votes of some prototypes, by ascending column, beside an aim."""
        return ClassBallot(np.take(self.similarity, kept, axis=1), self.target[kept], aim)

    def in_order(self, kept: IntArray, weights: FloatArray) -> FloatArray:
        """Return weights batch after batch, 0 for what is not kept, shape (J,)."""
        every = np.zeros(self.order.shape[0])
        every[self.order[kept]] = weights
        return every


@dataclass(frozen=True, eq=False)
class RefinementAim:
    """Estimates as they should be, shape (K, n), how much the rows weigh, and the penalty on prototype weights."""

    wanted: FloatArray
    importance: FloatArray
    marginals: FloatArray
    penalty: ElasticNet

    def disagreement(self, sums: FloatArray) -> float:
        """Return the mean cross-entropy of unnormalised probabilities (2.5), shape (K, n), without the penalty."""
        logs = np.log(sums.sum(axis=0)) - np.einsum("kn,kn->n", self.wanted, np.log(sums))
        return float(np.einsum("n,n->", self.importance, logs))

    def pull(self, sums: FloatArray) -> FloatArray:
        """Return the derivative by each of `sums`, shape (K, n)."""
        pull: FloatArray = self.importance * (1.0 / sums.sum(axis=0) - self.wanted / sums)
        return pull

    def of_marginals(self) -> float:
        """Return the disagreement of the marginal probabilities."""
        return self.disagreement(np.tile(self.marginals[:, None], (1, self.importance.shape[0])))


@dataclass(frozen=True, eq=False)
class ClassBallot:
    """Votes of some prototypes for their classes, beside an aim.

    Attributes
    ----------
    similarity : ndarray of float64, shape (n, j)
        One column per prototype.
    target : ndarray of int64, shape (j,)
        Their classes, ascending.
    aim : RefinementAim
        What estimates should be.
    """

    similarity: FloatArray
    target: IntArray
    aim: RefinementAim

    def sums(self, weights: FloatArray) -> FloatArray:
        """Return unnormalised probabilities, shape (K, n)."""
        return class_sums(self.similarity, self.target, weights, self.aim.marginals)

    def losses(self, weights: FloatArray, sums: FloatArray) -> FloatArray:
        """Return the rise of the disagreement for each prototype that alone is taken out: exact, shape (j,)."""
        return losses_alone(self.similarity, self.target, weights, sums, self.aim)

    def agreement(self) -> Evaluate:
        """Return a function from weights to the disagreement and its derivatives."""
        return agreement(self.similarity, self.target, self.aim.marginals, self.aim)


def class_sums(similarity: FloatArray, target: IntArray, weights: FloatArray, marginals: FloatArray) -> FloatArray:
    """Return (2.5) for prototypes in the order of their classes, shape (K, n); no threaded library cuts the sums."""
    slices = _class_slices(target, marginals.shape[0])
    return np.stack(
        [
            np.einsum("j,nj->n", weights[own], similarity[:, own]) + marginal
            for own, marginal in zip(slices, marginals, strict=True)
        ]
    )


def by_class(similarity: FloatArray, target: IntArray, pull: FloatArray) -> FloatArray:
    """Add up what the rows ask of the class of each prototype, shape (j,)."""
    slices = _class_slices(target, pull.shape[0])
    return np.concatenate([np.einsum("nj,n->j", similarity[:, own], of) for own, of in zip(slices, pull, strict=True)])


def agreement(similarity: FloatArray, target: IntArray, marginals: FloatArray, aim: RefinementAim) -> Evaluate:
    """Return a function from weights, shape (j,), to the disagreement and its derivatives; compiled where possible."""
    kernel = _kernel()
    if kernel is None:
        return partial(agreement_by_sums, similarity, target, marginals, aim)
    bounds = _bounds(target, marginals.shape[0])

    def evaluate(weights: FloatArray) -> tuple[float, FloatArray]:
        slope = np.zeros(weights.shape[0])
        value = kernel.add_rows(similarity, bounds, weights, marginals, aim.wanted, aim.importance, slope)
        return float(value), slope

    return evaluate


def agreement_by_sums(
    similarity: FloatArray, target: IntArray, marginals: FloatArray, aim: RefinementAim, weights: FloatArray
) -> tuple[float, FloatArray]:
    """Return the disagreement and its derivatives by the weights: the reference for the compiled form."""
    sums = class_sums(similarity, target, weights, marginals)
    return aim.disagreement(sums), by_class(similarity, target, aim.pull(sums))


def losses_alone(
    similarity: FloatArray, target: IntArray, weights: FloatArray, sums: FloatArray, aim: RefinementAim
) -> FloatArray:
    """Return by how much the disagreement rises for each prototype that alone is taken out: exact, shape (j,)."""
    kernel = _kernel()
    if kernel is None:
        return losses_by_logs(similarity, target, weights, sums, aim)
    rises, bounds = np.zeros(weights.shape[0]), _bounds(target, sums.shape[0])
    kernel.add_rises(similarity, bounds, weights, sums, aim.wanted, aim.importance, LEAST_LEFT, rises)
    return rises


def losses_by_logs(
    similarity: FloatArray, target: IntArray, weights: FloatArray, sums: FloatArray, aim: RefinementAim
) -> FloatArray:
    """Return the same without compiled code: the reference for it."""
    total, rises = 1.0 / sums.sum(axis=0)[:, None], []
    for own, mine, wanted in zip(_class_slices(target, sums.shape[0]), 1.0 / sums, aim.wanted, strict=True):
        impacts = similarity[:, own] * weights[own]
        of_all = np.einsum("nj,n->j", _log_left(impacts * total), aim.importance)
        impacts *= mine[:, None]
        rises.append(of_all - np.einsum("nj,n->j", _log_left(impacts), aim.importance * wanted))
    return np.concatenate(rises)


def _log_left(shares: FloatArray) -> FloatArray:
    """Return the logarithm of what is left of a sum without a share, in place: log1p would take three times as long."""
    np.subtract(1.0, shares, out=shares)
    np.maximum(shares, LEAST_LEFT, out=shares)
    return np.log(shares, out=shares)


def _bounds(target: IntArray, n_classes: int) -> IntArray:
    """Return where each class begins among ascending targets, and the end of the last one."""
    return np.searchsorted(target, np.arange(n_classes + 1))


def _class_slices(target: IntArray, n_classes: int) -> list[slice]:
    """Return where each class is among ascending targets."""
    return [slice(low, high) for low, high in pairwise(_bounds(target, n_classes).tolist())]


def _kernel() -> Any:
    """Return the compiled code, None without it."""
    try:
        from proset.engine.kernels import compiled_votes
    except ImportError:  # no numba for this interpreter or machine
        return None
    return compiled_votes
