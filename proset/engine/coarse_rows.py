"""Beyond the report: a batch of very many rows is solved on some of them first, then on all from where that ends.

Where the objective is not yet near its minimum, an eighth of the rows says as well which way to go. What is minimised
last is the objective of all rows, with the tolerance that was asked for.
"""

from __future__ import annotations

import numpy as np

from proset.engine.objective.problem import BatchProblem
from proset.engine.set_manager import IntArray

MANY_ROWS = 100_000  # reference rows above which fewer come first; an eighth of them is still far more than candidates
SHARE = 8  # rows for each that comes first
TAKEN = 0.3  # of the time without: .1 (a million rows) to .4 (a hundred thousand) for classes, .8 for a number


def coarse_to_fine(problem: BatchProblem) -> list[BatchProblem]:
    """Return the problem behind those of an eighth of its rows each, as long as there are many: the smallest first.

    Examples
    --------
    >>> from proset.engine.objective.penalty import ElasticNet
    >>> from proset.engine.objective.problem import make_problem
    >>> n = 200_002
    >>> problem = make_problem(
    ...     np.zeros((n, 1)), np.arange(n) % 2, np.ones(n), np.full((n, 2), 0.5), candidates=np.array([0, 1]),
    ...     reference=np.arange(2, n), penalty_v=ElasticNet(1e-3, 0.95), penalty_w=ElasticNet(1e-8, 0.95), first=True)
    >>> [len(each.reference) for each in coarse_to_fine(problem)]
    [25000, 200000]
    """
    ladder = [problem]
    while ladder[0].reference.shape[0] > MANY_ROWS:
        ladder.insert(0, ladder[0].with_reference(_some(ladder[0].reference_target)))
    return ladder


def share_of_time(n_rows: float) -> float:
    """Return about how much of the time without it a fit to classes takes, 1 where no fewer rows come first.

    Examples
    --------
    >>> share_of_time(50_000), share_of_time(1e6)
    (1.0, 0.3)
    """
    return TAKEN if n_rows > MANY_ROWS else 1.0


def _some(target: IntArray) -> IntArray:
    """Return positions of an eighth of each class, at least one row, ascending; drawn, as rows may have a period."""
    rng = np.random.default_rng(0)
    kept = [
        rng.choice(rows, -(-rows.shape[0] // SHARE), replace=False)
        for rows in (np.flatnonzero(target == k) for k in np.unique(target))
    ]
    return np.sort(np.concatenate(kept))
