"""The last look of a joint search: whether the chosen model gets better by a correction, or as good with less."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace

from proset.engine.growth import Streams, grow, marginal_model
from proset.engine.refining import REFINE_STREAM, refinements
from proset.selection.tasks import FoldTask, Score, Tick

MOST_ENTRIES = 1 << 21  # half of what the fit of the model itself looks at


@dataclass(frozen=True, eq=False)
class RefineTask(FoldTask):
    """The model of `settings` on one fold, scored as it was grown and after each refinement.

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
    """

    n_batches: int
    corrections: tuple[float, ...]
    thinnings: tuple[float, ...]
    factor: float
    most: int | None = None

    def n_scores(self) -> int:
        """Count the scores this task gives."""
        return len(self.corrections) * len(self.thinnings)

    def scores(self, tick: Tick | None = None) -> Iterator[Score]:
        """Fit, and yield one score per refinement."""
        data, left_out = self._begin()
        batches = grow(marginal_model(data), data, self.settings, self._streams, self.n_batches, on_evaluation=tick)
        (grown,) = deque(batches, maxlen=1)
        found = refinements(
            grown.manager,
            data,
            Streams(self.seed, (REFINE_STREAM, self.fold)).of_batch(0),
            corrections=self.corrections,
            thinnings=self.thinnings,
            most=self.most,
            most_entries=MOST_ENTRIES,
            on_evaluation=tick,
        )
        for row, (manager, _) in enumerate(found):
            estimates = manager.scaled(self.factor).probabilities(left_out)
            yield self._score(row, estimates, replace(grown, manager=manager))
