"""Turns counts of evaluations into an estimate of how far a fit has come."""

from __future__ import annotations

from collections.abc import Callable

from proset.engine.fitting import EVALUATIONS_PER_BATCH, FitProgress


class ProgressReporter:
    """Calls back with a share that only grows.

    Parameters
    ----------
    callback : callable or None
        Receives a FitProgress; None switches reporting off.
    n_batches : int
        Batches to come.

    Examples
    --------
    >>> seen = []
    >>> reporter = ProgressReporter(seen.append, n_batches=2)
    >>> reporter.next_batch(); reporter.on_evaluation(1, 0.7); reporter.next_batch(); reporter.on_evaluation(1, 0.6)
    >>> [(step.batch, round(step.share, 2)) for step in seen]
    [(1, 0.0), (2, 0.5)]
    """

    def __init__(self, callback: Callable[[FitProgress], None] | None, n_batches: int) -> None:
        self._callback = callback
        self._n_batches = n_batches
        self._batch = 0

    def next_batch(self) -> None:
        """Count one batch more as begun."""
        self._batch += 1

    def on_evaluation(self, evaluations: int, objective: float) -> None:
        """Report one evaluation of the objective in the current batch."""
        if self._callback is None:
            return
        # Nobody knows how many evaluations a batch will take: slow down towards its end, so that a long batch is not
        # called done for half of its time. The time left that follows from the share is that of a typical batch.
        within = evaluations / (evaluations + EVALUATIONS_PER_BATCH)
        share = (self._batch - 1 + within) / self._n_batches
        self._callback(FitProgress(self._batch, self._n_batches, evaluations, objective, share))
