"""The work of a search cut into pieces: one fold with some pairs of penalties, or one fold with all batches.

A task carries its data, gives the same result wherever and in whatever order it runs, and hands out each score as soon
as it is there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from proset.engine.fitting import BatchSettings, TrainingData, draw_batch, keep_prototypes, solve_batch
from proset.engine.metrics import log_loss
from proset.engine.set_manager import Batch, FloatArray, IntArray, SetManager
from proset.selection.plan import DRAW_STREAM, Fold

Tick = Callable[[int, float], None]


class Prepare(Protocol):
    """Fits the design or scaler on some rows and applies it to both; picklable, to be sent to other processes."""

    def __call__(self, train: IntArray, test: IntArray, /) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Feature matrices of the rows at these positions."""


@dataclass(frozen=True, eq=False)
class SearchData:
    """What a search learns from.

    Attributes
    ----------
    target : ndarray of int64, shape (n,)
        Class of each row, 0 to K - 1.
    weight : ndarray of float64, shape (n,)
        Sample weights, positive.
    groups : ndarray of int64, shape (n,), or None
        Rows of one group stay in one fold.
    prepare : callable
        Maps positions of training rows and of rows left out to their feature matrices.
    classes : tuple of str
        Names of the classes for messages; empty for their numbers.
    """

    target: IntArray
    weight: FloatArray
    groups: IntArray | None
    prepare: Prepare
    classes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Score:
    """How one model did on the rows left out."""

    row: int  # of the stage's table
    fold: int  # from 0
    log_loss: float
    n_features: int
    n_prototypes: int


@dataclass(frozen=True, eq=False)
class FoldTask:
    """Fits on the training part of one fold.

    Attributes
    ----------
    data : SearchData
        All rows.
    split : Fold
        Which of them train and which are left out.
    fold : int
        Number of the fold, from 0; with `seed` it sets the random streams.
    seed : int
        Seed of the plan.
    settings : BatchSettings
        Everything but the penalties, where those of the pairs apply.
    """

    data: SearchData
    split: Fold
    fold: int
    seed: int
    settings: BatchSettings

    def n_scores(self) -> int:
        """Count the scores this task gives."""
        raise NotImplementedError

    def scores(self, tick: Tick | None = None) -> Iterator[Score]:
        """Fit and yield one score after the other; `tick` is called with evaluations and objective, and may raise."""
        raise NotImplementedError

    def _begin(self) -> tuple[TrainingData, SetManager, NDArray[np.floating]]:
        """Training data, the model without batches, and the rows left out."""
        train = self.split.train
        matrix, left_out = self.data.prepare(train, self.split.test)
        target, weight = self.data.target[train], self.data.weight[train]
        total = np.bincount(target, weights=weight)
        manager = SetManager(total / total.sum(), matrix.shape[1])
        return TrainingData(matrix, target, weight, train), manager, left_out

    def _rng(self, batch: int) -> np.random.Generator:
        """The stream of one batch: the same for every pair of penalties, so that these alone make the difference."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(DRAW_STREAM, self.fold, batch)))

    def _score(self, row: int, probabilities: FloatArray, batches: Sequence[Batch | None]) -> Score:
        """Compare estimates with the classes of the rows left out."""
        test = self.split.test
        fitted = [batch for batch in batches if batch is not None]
        features = {int(j) for batch in fitted for j in batch.active_features}
        of_actual = probabilities[np.arange(test.shape[0]), self.data.target[test]]
        loss = log_loss(of_actual, self.data.weight[test])
        return Score(row, self.fold, float(loss), len(features), sum(len(batch) for batch in fitted))


@dataclass(frozen=True, eq=False)
class PenaltyTask(FoldTask):
    """Stage 1: one batch for each of some pairs, all from the same candidates.

    Attributes
    ----------
    pairs : tuple of (int, (float, float))
        Row of the table, ``lambda_v`` and ``lambda_w``.
    """

    pairs: tuple[tuple[int, tuple[float, float]], ...]

    def n_scores(self) -> int:
        """Count the scores this task gives."""
        return len(self.pairs)

    def scores(self, tick: Tick | None = None) -> Iterator[Score]:
        """Fit and yield one score per pair."""
        data, manager, left_out = self._begin()
        draw = draw_batch(manager, data, self.settings, self._rng(0))
        for row, (lambda_v, lambda_w) in self.pairs:
            settings = replace(self.settings, lambda_v=lambda_v, lambda_w=lambda_w)
            penalised = draw.with_penalties(settings)
            result = solve_batch(penalised.problem, settings, on_evaluation=tick)
            batch, _ = keep_prototypes(penalised, result, data)
            yield self._score(row, manager.add_batch(batch).probabilities(left_out), [batch])


@dataclass(frozen=True, eq=False)
class BatchTask(FoldTask):
    """Stage 2: one model with all batches, scored after each, for the one pair in `settings`.

    Attributes
    ----------
    max_batches : int
        Largest number of batches.
    """

    max_batches: int

    def n_scores(self) -> int:
        """Count the scores this task gives."""
        return self.max_batches + 1

    def scores(self, tick: Tick | None = None) -> Iterator[Score]:
        """Fit and yield one score per number of batches from 0."""
        data, manager, left_out = self._begin()
        # What the batches add up to on the rows left out; scoring each batch once is all that the stages need.
        total = manager.unnormalized(left_out)
        yield self._score(0, total, ())
        for number in range(self.max_batches):
            draw = draw_batch(manager, data, self.settings, self._rng(number))
            batch, _ = keep_prototypes(draw, solve_batch(draw.problem, self.settings, on_evaluation=tick), data)
            manager = manager.add_batch(batch)
            alone = SetManager(manager.marginals, manager.num_features, (batch,))
            total = total + (alone.unnormalized(left_out) - manager.marginals)
            yield self._score(number + 1, total / total.sum(axis=1, keepdims=True), manager.batches)


def run_task(task: FoldTask) -> list[Score]:
    """Run a task to its end; what another process is sent."""
    return list(task.scores())
