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

from proset.data.scales import Scale
from proset.engine.fitting import BatchSettings, TrainingData, draw_batch
from proset.engine.growth import Growth, Streams, grow, marginal_model
from proset.engine.metrics import log_loss
from proset.engine.set_manager import FloatArray, IntArray
from proset.engine.steering import NOT_STEERED, Steering
from proset.selection.folds import Fold
from proset.selection.plan import DRAW_STREAM

Tick = Callable[[int, float], None]

LEAST_PROGRESS, SHARE_OF_GAIN = 5e-4, 1e-2  # of a batch that is worth another one


class Prepare(Protocol):
    """Fits the design or scaler on some rows and applies it to both; picklable, to be sent to other processes."""

    def __call__(self, train: IntArray, test: IntArray, /) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Feature matrices of the rows at these positions."""


class Steer(Protocol):
    """Tells what the fit of one fold is asked beside its data; picklable, to be sent to other processes."""

    @property
    def key(self) -> str:
        """Steering of the fits, as a text: searches that are steered otherwise are other searches."""

    def __call__(self, train: IntArray, /) -> Steering:
        """Return it for training rows at these positions."""

    def on_scale(self, scale: Scale) -> Steer:
        """Return the same for features on another scale."""


@dataclass(frozen=True, eq=False)
class SearchData:
    """Data that a search learns from.

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
    times : ndarray of float64, shape (n,), or None
        When each row was: folds learn from rows before those they leave out.
    steer : callable or None
        Maps positions of training rows to what their fit is asked: samples that may or have to be candidates, factors
        on the feature penalty. None for nothing.
    scaled : callable or None
        Makes another `prepare` that takes numbers on another scale. None where there is nothing to choose.
    """

    target: IntArray
    weight: FloatArray
    groups: IntArray | None
    prepare: Prepare
    classes: tuple[str, ...] = ()
    times: FloatArray | None = None
    steer: Steer | None = None
    scaled: Callable[[Scale], Prepare] | None = None

    def on_scale(self, scale: Scale) -> SearchData:
        """Return the same rows with their numbers on another scale."""
        if self.scaled is None:
            return self
        steer = None if self.steer is None else self.steer.on_scale(scale)
        return replace(self, prepare=self.scaled(scale), steer=steer)


@dataclass(frozen=True)
class Score:
    """Quality and size of one model on the rows left out.

    Attributes
    ----------
    row : int
        Row of the stage's table.
    fold : int
        Number of the fold, from 0.
    log_loss : float
        Weighted mean of -log(estimated probability of the actual class).
    n_features, n_prototypes : int
        Active features and prototypes of the whole model.
    converged : bool
        Whether the solver converged in the batch that was added last; True where there is none.
    reason : str
        Why the solver stopped, in words; empty without batches.
    pair : int
        Number of the pair of penalties, where a task has several curves; `row` is the number of batches there.
    by_factor : tuple of float
        Log-loss with each of some factors of all prototype weights; `log_loss` is the lowest of them there.
    """

    row: int
    fold: int
    log_loss: float
    n_features: int
    n_prototypes: int
    converged: bool
    reason: str
    pair: int = 0
    by_factor: tuple[float, ...] = ()


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

    def scores(self, tick: Tick | None = None) -> Iterator[Score]:
        """Fit and yield one score after the other; `tick` is called with evaluations and objective, and may raise."""
        raise NotImplementedError

    def _begin(self) -> tuple[TrainingData, NDArray[np.floating]]:
        """Training data, and the matrix of the rows left out."""
        train = self.split.train
        matrix, left_out = self.data.prepare(train, self.split.test)
        steering = NOT_STEERED if self.data.steer is None else self.data.steer(train)
        return TrainingData(matrix, self.data.target[train], self.data.weight[train], train, steering), left_out

    @property
    def _streams(self) -> Streams:
        """Random streams, the same for every pair of penalties, so that these alone make the difference."""
        return Streams(self.seed, (DRAW_STREAM, self.fold))

    def _score(self, row: int, probabilities: FloatArray, grown: Growth | None = None) -> Score:
        """Compare estimates with the classes of the rows left out; `grown` is the batch that came last."""
        test = self.split.test
        of_actual = probabilities[np.arange(test.shape[0]), self.data.target[test]]
        loss = float(log_loss(of_actual, self.data.weight[test]))
        if grown is None:
            return Score(row, self.fold, loss, 0, 0, converged=True, reason="")
        return Score(
            row=row,
            fold=self.fold,
            log_loss=loss,
            n_features=grown.manager.get_active_features().shape[0],
            n_prototypes=grown.manager.get_num_prototypes(),
            converged=grown.result.solver.converged,
            reason=str(grown.result.solver.reason),
        )


@dataclass(frozen=True, eq=False)
class PenaltyTask(FoldTask):
    """Stage 1: one batch for each of some pairs, all from the same candidates.

    Attributes
    ----------
    pairs : tuple of (int, (float, float))
        Row of the table, ``lambda_v`` and ``lambda_w``.
    """

    pairs: tuple[tuple[int, tuple[float, float]], ...]

    def scores(self, tick: Tick | None = None) -> Iterator[Score]:
        """Fit and yield one score per pair."""
        data, left_out = self._begin()
        start, streams = marginal_model(data), self._streams
        draw = draw_batch(start, data, self.settings, streams.of_batch(0))
        for row, (lambda_v, lambda_w) in self.pairs:
            settings = replace(self.settings, lambda_v=lambda_v, lambda_w=lambda_w)
            for grown in grow(start, data, settings, streams, n_batches=1, draw=draw, on_evaluation=tick):
                yield self._score(row, grown.manager.probabilities(left_out), grown)


@dataclass(frozen=True, eq=False)
class BatchTask(FoldTask):
    """Stage 2: one model with all batches, scored after each, for the one pair in `settings`.

    Attributes
    ----------
    max_batches : int
        Largest number of batches.
    """

    max_batches: int

    def scores(self, tick: Tick | None = None) -> Iterator[Score]:
        """Fit and yield one score per number of batches from 0."""
        data, left_out = self._begin()
        start = marginal_model(data)
        yield self._score(0, start.probabilities(left_out))
        # What the batches add up to on the rows left out: scoring each batch once is all that the stages need.
        impacts = np.zeros((left_out.shape[0], start.num_classes))
        for grown in grow(start, data, self.settings, self._streams, self.max_batches, on_evaluation=tick):
            if grown.batch is not None:
                impacts += grown.batch.impacts(left_out, start.num_classes)
            total = impacts + start.marginals
            yield self._score(grown.result.batch, total / total.sum(axis=1, keepdims=True), grown)


@dataclass(frozen=True, eq=False)
class CurveTask(FoldTask):
    """The joint search: models of some pairs on one fold, scored after every batch, all from the same first candidates.

    Attributes
    ----------
    pairs : tuple of (int, (float, float), int)
        Number of the pair, ``lambda_v`` and ``lambda_w``, and the largest number of batches.
    factors : tuple of float
        What all prototype weights are multiplied with, one score for each.
    patience : int or None
        A curve ends early after so many batches without a lower log-loss, see :func:`curve_ended`; None goes on.
    """

    pairs: tuple[tuple[int, tuple[float, float], int], ...]
    factors: tuple[float, ...] = (1.0,)
    patience: int | None = None

    def scores(self, tick: Tick | None = None) -> Iterator[Score]:
        """Fit and yield one score per pair and number of batches from 0."""
        data, left_out = self._begin()
        start, streams = marginal_model(data), self._streams
        draw = draw_batch(start, data, self.settings, streams.of_batch(0))
        nothing = np.zeros((left_out.shape[0], start.num_classes))
        for pair, (lambda_v, lambda_w), most in self.pairs:
            settings = replace(self.settings, lambda_v=lambda_v, lambda_w=lambda_w)
            score = self._by_factor(pair, 0, start.marginals, nothing)
            yield score
            losses, impacts = [score.log_loss], nothing.copy()
            for grown in grow(start, data, settings, streams, most, draw=draw, on_evaluation=tick):
                if grown.batch is not None:
                    impacts += grown.batch.impacts(left_out, start.num_classes)
                score = self._by_factor(pair, grown.result.batch, start.marginals, impacts, grown)
                losses.append(score.log_loss)
                yield score
                if self.patience is not None and curve_ended(losses, self.patience):
                    break

    def _by_factor(
        self, pair: int, row: int, marginals: FloatArray, impacts: FloatArray, grown: Growth | None = None
    ) -> Score:
        """Score a model with each factor of its prototype weights; (2.5) is linear in them."""
        scores = []
        for factor in self.factors:
            total = factor * impacts + marginals
            scores.append(self._score(row, total / total.sum(axis=1, keepdims=True), grown))
        losses = tuple(score.log_loss for score in scores)
        return replace(scores[0], log_loss=min(losses), pair=pair, by_factor=losses)


def curve_ended(losses: Sequence[float], patience: int) -> bool:
    """Tell whether a curve over the number of batches is not worth going on with.

    Parameters
    ----------
    losses : sequence of float
        Log-loss with 0, 1, ... batches.
    patience : int
        Batches without progress that end it.

    Returns
    -------
    bool
        Whether none of the last `patience` batches lowered the log-loss by a hundredth of what all batches have gained,
        or by 0.0005 if that is more.

    Examples
    --------
    >>> curve_ended([0.7, 0.4, 0.3999, 0.41], 2), curve_ended([0.7, 0.4, 0.41, 0.39], 2), curve_ended([0.7, 0.8], 2)
    (True, False, False)
    """
    best, since = losses[1] if len(losses) > 1 else losses[0], 0
    for loss in losses[2:]:
        worth = max(LEAST_PROGRESS, SHARE_OF_GAIN * (losses[0] - best))
        since = 0 if loss < best - worth else since + 1
        best = min(best, loss) if since == 0 else best
    return since >= patience


def run_task(task: FoldTask) -> list[Score]:
    """Run a task to its end; what another process is sent."""
    return list(task.scores())
