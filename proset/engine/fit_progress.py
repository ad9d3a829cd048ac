"""Turns counts of evaluations into an estimate of how far a fit has come."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

EVALUATIONS_PER_BATCH = 100  # typical count


@dataclass(frozen=True)
class FitProgress:
    """Progress of a fit.

    Attributes
    ----------
    batch : int
        Batch being fitted, counted from 1 within this fit.
    n_batches : int
        Batches this fit will add.
    evaluations : int
        Evaluations of the objective in this batch so far.
    objective : float
        Its latest value.
    share : float
        Estimated share of the whole fit that is done, in [0, 1]; never falls.

    Examples
    --------
    >>> FitProgress(batch=1, n_batches=2, evaluations=40, objective=0.5, share=0.1).share
    0.1
    """

    batch: int
    n_batches: int
    evaluations: int
    objective: float
    share: float


class ProgressReporter:
    """Calls back with a share that only grows.

    Parameters
    ----------
    callback : callable or None
        Receives a FitProgress; None switches reporting off.
    n_batches : int
        Batches to come.
    more : int
        Steps after the last batch that take about as long as one; they are told as part of the last batch.

    Examples
    --------
    >>> seen = []
    >>> reporter = ProgressReporter(seen.append, n_batches=2)
    >>> reporter.on_evaluation(1, 0.7); reporter.batch_done(); reporter.on_evaluation(1, 0.6)
    >>> [(step.batch, round(step.share, 2)) for step in seen]
    [(1, 0.0), (2, 0.5)]
    """

    def __init__(self, callback: Callable[[FitProgress], None] | None, n_batches: int, more: int = 0) -> None:
        self._callback = callback
        self._n_batches, self._n_steps = n_batches, n_batches + more
        self._batch, self._share = 1, 0.0

    def batch_done(self) -> None:
        """Count the current batch as done; what follows belongs to the next."""
        self._batch += 1

    def on_evaluation(self, evaluations: int, objective: float) -> None:
        """Report one evaluation of the objective in the current batch."""
        if self._callback is None:
            return
        # Nobody knows how many evaluations a batch will take: slow down towards its end, so that a long batch is not
        # called done for half of its time. The time left that follows from the share is that of a typical batch.
        within = evaluations / (evaluations + EVALUATIONS_PER_BATCH)
        # Of fits side by side the one that is heard now may have done less than the one before.
        self._share = max(self._share, (self._batch - 1 + within) / self._n_steps)
        batch = min(self._batch, self._n_batches)
        self._callback(FitProgress(batch, self._n_batches, evaluations, objective, self._share))
