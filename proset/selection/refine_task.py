"""The last look of a joint search: whether the chosen model gets better by a correction or joined votes, or smaller."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace

from proset.engine.fitting import TrainingData
from proset.engine.growth import Growth, Streams, grow, marginal_model
from proset.engine.joining import join_votes, streams_of
from proset.engine.refining import REFINE_STREAM, refinements
from proset.engine.set_manager import SetManager
from proset.selection.tasks import FoldTask, Score, Tick

MOST_ENTRIES = 1 << 21  # half of what the fit of the model itself looks at


@dataclass(frozen=True, eq=False)
class RefineTask(FoldTask):
    """The model of `settings` on one fold, scored after each refinement; then the same with the votes of several fits.

    Attributes
    ----------
    n_batches : int
        Batches of the model, at least 1.
    corrections, thinnings : tuple of float
        What is tried, see :func:`proset.engine.refining.refinements`; one row for each pair of both.
    factor : float
        What all prototype weights are multiplied with in the end.
    most : int or None
        Prototypes that the model may have.
    n_joined : int
        Fits whose votes are joined in the end; with 1 nothing is.
    """

    n_batches: int
    corrections: tuple[float, ...]
    thinnings: tuple[float, ...]
    factor: float
    most: int | None = None
    n_joined: int = 1

    @property
    def n_refinements(self) -> int:
        """Rows of the single fit; those of the joined ones follow."""
        return len(self.corrections) * len(self.thinnings)

    def scores(self, tick: Tick | None = None) -> Iterator[Score]:
        """Fit, and yield one score per refinement."""
        data, left_out = self._begin()
        grown: list[Growth] = []
        for fit in range(self.n_joined):
            streams = streams_of(self._streams, fit)
            batches = grow(marginal_model(data), data, self.settings, streams, self.n_batches, on_evaluation=tick)
            grown += deque(batches, maxlen=1)
            if fit in (0, self.n_joined - 1):
                joined = join_votes([one.manager for one in grown])
                for row, manager in enumerate(self._refined(joined, data, tick), self.n_refinements * (fit > 0)):
                    estimates = manager.scaled(self.factor).probabilities(left_out)
                    yield self._score(row, estimates, replace(grown[-1], manager=manager))

    def _refined(self, manager: SetManager, data: TrainingData, tick: Tick | None) -> Iterator[SetManager]:
        """Refine a model in every way that is tried."""
        found = refinements(
            manager,
            data,
            Streams(self.seed, (REFINE_STREAM, self.fold)).of_batch(0),
            corrections=self.corrections,
            thinnings=self.thinnings,
            most=self.most,
            most_entries=MOST_ENTRIES,
            on_evaluation=tick,
        )
        return (refined for refined, _ in found)
