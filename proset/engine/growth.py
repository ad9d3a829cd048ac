"""A model that grows batch by batch: the one loop behind a fit and behind both stages of a search."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from proset.common.words import count_words
from proset.engine.coarse_rows import coarse_to_fine
from proset.engine.fitting import BatchDraw, BatchSettings, TrainingData, draw_batch, keep_prototypes, solve_batch
from proset.engine.set_manager import Batch, SetManager
from proset.engine.solver import SolverReport, SolverResult


@dataclass(frozen=True)
class BatchResult:
    """Result of fitting one batch.

    Attributes
    ----------
    batch : int
        Number of the batch in the model, from 1.
    n_candidates, n_reference : int
        Samples that could become prototypes, and samples that scored them.
    n_prototypes, n_active_features : int
        What was kept, after equivalent prototypes were merged.
    n_merged : int
        Prototypes that were merged into another.
    solver : SolverReport
        How the optimisation ended.
    """

    batch: int
    n_candidates: int
    n_reference: int
    n_prototypes: int
    n_active_features: int
    n_merged: int
    solver: SolverReport

    @property
    def message(self) -> str:
        """One sentence for people."""
        return (
            f"Batch {self.batch}: {count_words(self.n_prototypes, 'prototype')} from "
            f"{count_words(self.n_candidates, 'candidate')}, {count_words(self.n_active_features, 'feature')}. "
            f"{self.solver.message}"
        )


@dataclass(frozen=True, eq=False)
class Growth:
    """One batch more.

    Attributes
    ----------
    manager : SetManager
        The model with the batch.
    batch : Batch or None
        The batch; None if no candidate kept a weight.
    result : BatchResult
        What happened.
    """

    manager: SetManager
    batch: Batch | None
    result: BatchResult


@dataclass(frozen=True)
class Streams:
    """The random stream of one fit, cut into one child per batch, so that going on later changes nothing.

    Attributes
    ----------
    seed : int
        Seed of the fit.
    key : tuple of int
        Tells apart fits with the same seed, such as those of the folds of a search.

    Examples
    --------
    >>> Streams(7).of_batch(1).random() == Streams(7).of_batch(1).random() != Streams(7).of_batch(0).random()
    True
    """

    seed: int
    key: tuple[int, ...] = ()

    def of_batch(self, number: int) -> np.random.Generator:
        """Return the stream of a batch, counted from 0."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(*self.key, number)))


def marginal_model(data: TrainingData) -> SetManager:
    """Return the model without batches: the marginal probabilities (2.2), weighted as remark 2.2 has it.

    Examples
    --------
    >>> data = TrainingData(np.zeros((3, 1)), np.array([0, 0, 1]), np.array([1.0, 1.0, 2.0]), np.arange(3))
    >>> marginal_model(data).marginals.tolist()
    [0.5, 0.5]
    """
    return data.part.marginal_model(data.target, data.weight, data.X.shape[1])


def grow(
    start: SetManager,
    data: TrainingData,
    settings: BatchSettings,
    streams: Streams,
    n_batches: int,
    *,
    draw: BatchDraw | None = None,
    on_evaluation: Callable[[int, float], None] | None = None,
) -> Iterator[Growth]:
    """Add batches to a model, one at a time (section 2.1).

    Parameters
    ----------
    start : SetManager
        The model so far, such as that of :func:`marginal_model`.
    streams : Streams
        The random streams, by number of batches so far.
    n_batches : int
        Batches to add, at least 0.
    draw : BatchDraw or None
        Candidates and reference rows of the first batch to add, if they were drawn before; it is solved under the
        penalties of `settings`.
    on_evaluation : callable or None
        Called with the number of evaluations in this batch and the latest objective; raising from it ends the fit.

    Yields
    ------
    Growth
        A batch may be empty, and its solver may not have converged: ``result.solver`` says so.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [0.2], [0.3], [1.0], [1.1], [1.2], [1.3]])
    >>> data = TrainingData(X, np.repeat([0, 1], 4), np.ones(8), np.arange(8))
    >>> settings = BatchSettings(1e-3, 1e-8, 0.95, 0.95, 1000, 0.5, None, 1e7)
    >>> grown = list(grow(marginal_model(data), data, settings, Streams(0), n_batches=2))
    >>> [growth.result.batch for growth in grown], grown[-1].manager.num_batches
    ([1, 2], 2)
    """
    manager = start
    for _ in range(n_batches):
        if draw is None:
            draw = draw_batch(manager, data, settings, streams.of_batch(manager.num_batches))
        growth = _solved(manager, draw.with_penalties(settings), data, settings, on_evaluation)
        manager, draw = growth.manager, None
        yield growth


def _solved(
    manager: SetManager,
    draw: BatchDraw,
    data: TrainingData,
    settings: BatchSettings,
    on_evaluation: Callable[[int, float], None] | None,
) -> Growth:
    """Solve what was drawn and add the batch that it leads to."""
    problem = draw.problem
    solved, found = _solve_stages(draw, settings, on_evaluation)
    batch, n_merged = keep_prototypes(solved, found, data)
    result = BatchResult(
        batch=manager.num_batches + 1,
        n_candidates=problem.n_candidates,
        n_reference=problem.reference.shape[0],
        n_prototypes=0 if batch is None else len(batch),
        n_active_features=0 if batch is None else batch.active_features.shape[0],
        n_merged=n_merged,
        solver=found.report,
    )
    return Growth(manager.add_batch(batch), batch, result)


def _solve_stages(
    draw: BatchDraw, settings: BatchSettings, on_evaluation: Callable[[int, float], None] | None
) -> tuple[BatchDraw, SolverResult]:
    """Minimise the objective of one batch in as many stages as its problem has: one, if the target is a class.

    Of very many rows, each stage begins with some of them. Returns what was minimised last, and where its minimum is;
    iterations and evaluations are those of all stages.
    """
    problem, start = draw.problem, None
    iterations = evaluations = 0
    while True:
        begin = start
        for rung in coarse_to_fine(problem):

            def tell(count: int, value: float, done: int = evaluations) -> None:
                if on_evaluation is not None:
                    on_evaluation(done + count, value)

            result = solve_batch(rung, settings, start=begin, on_evaluation=tell)
            iterations, evaluations = iterations + result.report.iterations, evaluations + result.report.evaluations
            ended = np.isfinite(result.report.objective)
            # Where fewer rows leave no prototype, there is nothing that more of them could begin with.
            begin = result.x if ended and result.x[problem.n_shared :].any() else start
        later = problem.next_stage(result.x) if ended else None
        if later is None:
            break
        problem, start = later
    report = replace(result.report, iterations=iterations, evaluations=evaluations)
    return replace(draw, problem=problem), SolverResult(result.x, report)
