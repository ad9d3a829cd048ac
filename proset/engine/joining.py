"""Votes of several fits as one model, beyond the report.

Each fit has candidates of its own. With V the impacts (2.6) of one fit and F its familiarity, the mean of M fits
``p = (pi + mean V) / (1 + mean F)`` is (2.4) for all their batches with prototype weights divided by M: again one
model, with all that is known of one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial

from proset.engine.fitting import BatchSettings, TrainingData, are_long
from proset.engine.growth import Growth, Streams, grow
from proset.engine.kernels.threads import say_nothing, side_by_side
from proset.engine.set_manager import SetManager

JOIN_STREAM = 2  # of a fit's seed, apart from those of its own batches and of its refinement


def join_votes(fits: Sequence[SetManager]) -> SetManager:
    """Average the votes of models with the same classes and marginal probabilities.

    Parameters
    ----------
    fits : sequence of SetManager
        At least one; from the second on none has more batches than the one before, and at most one less than the first.

    Returns
    -------
    SetManager
        First batches of all fits, then the second of all, and so on. What was given, if it is one.

    Examples
    --------
    >>> import numpy as np
    >>> from proset.engine.set_manager import Batch
    >>> empty = SetManager([0.5, 0.5], 1)
    >>> batch = Batch(np.array([0]), np.ones(1, np.float32), np.zeros((1, 1)), np.array([1]),
    ...               np.ones(1, np.float32), np.array([0]))
    >>> join_votes([empty.add_batch(batch), empty.add_batch(None)]).familiarity(np.zeros((1, 1))).tolist()
    [0.5]
    """
    if len(fits) == 1:
        return fits[0]
    shares = [fit.scaled(1.0 / len(fits)).batches for fit in fits]
    rounds = range(max(map(len, shares)))
    batches = tuple(batches[number] for number in rounds for batches in shares if number < len(batches))
    return fits[0].with_batches(batches)


def part_votes(manager: SetManager, n_fits: int) -> list[SetManager]:
    """Undo :func:`join_votes`: return the fits of a model in which so many were joined.

    Examples
    --------
    >>> joined = join_votes([SetManager([0.5, 0.5], 1, (None, None)), SetManager([0.5, 0.5], 1, (None, None))])
    >>> [fit.num_batches for fit in part_votes(joined, 2)]
    [2, 2]
    """
    whole = manager.scaled(float(n_fits))
    return [manager.with_batches(whole.batches[at::n_fits]) for at in range(n_fits)]


def streams_of(streams: Streams, fit: int) -> Streams:
    """Return the random streams of one of several fits, counted from 0; the first is what it would be alone."""
    return streams if fit == 0 else replace(streams, key=(*streams.key, JOIN_STREAM, fit))


def grow_joined(
    start: SetManager,
    data: TrainingData,
    settings: BatchSettings,
    streams: Streams,
    n_batches: int,
    n_fits: int,
    *,
    on_evaluation: Callable[[int, float], None] | None = None,
) -> Iterator[Growth]:
    """Add batches to each of several fits in turn; with one fit this is :func:`proset.engine.growth.grow`.

    Parameters
    ----------
    start, data, settings, streams, on_evaluation
        As for :func:`proset.engine.growth.grow`; `start` is a joined model. Long fits run side by side, and
        `on_evaluation` hears some times a second how far one of them has come.
    n_batches : int
        Batches to add to each fit, at least 0.
    n_fits : int
        Fits that are joined, at least 1.

    Yields
    ------
    Growth
        The joined model after each batch; `result` has the number of the batch there.

    Examples
    --------
    >>> import numpy as np
    >>> from proset.engine.growth import marginal_model
    >>> X = np.array([[0.0], [0.1], [0.2], [0.3], [1.0], [1.1], [1.2], [1.3]])
    >>> data = TrainingData(X, np.repeat([0, 1], 4), np.ones(8), np.arange(8))
    >>> settings = BatchSettings(1e-3, 1e-8, 0.95, 0.95, 1000, 0.5, None, 1e7)
    >>> grown = list(grow_joined(marginal_model(data), data, settings, Streams(0), n_batches=2, n_fits=3))
    >>> [growth.result.batch for growth in grown], grown[-1].manager.num_batches
    ([1, 2, 3, 4, 5, 6], 6)
    """
    fits = part_votes(start, n_fits)

    tell, at_once = on_evaluation or say_nothing, _at_once(data, settings)

    def one_more(at: int, tell: Callable[[int, float], None]) -> Growth:
        return next(grow(fits[at], data, settings, streams_of(streams, at), n_batches=1, on_evaluation=tell))

    for _ in range(n_batches):
        works = [partial(one_more, at) for at in range(n_fits)]
        with closing(side_by_side(works, tell) if at_once else (work(tell) for work in works)) as steps:
            for at, step in enumerate(steps):
                fits[at] = step.manager
                result = replace(step.result, batch=(step.result.batch - 1) * n_fits + at + 1)
                yield Growth(join_votes(fits), step.batch, result)


def _at_once(data: TrainingData, settings: BatchSettings) -> bool:
    """Tell whether fits are grown side by side."""
    n_rows = min(len(data.X), settings.max_samples or len(data.X))
    return settings.backend != "tensorflow" and are_long(data.part, n_rows, settings.num_candidates, data.X.shape[1])
