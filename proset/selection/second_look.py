"""Choose the pair of penalties that stage 2 looks at next.

Stage 1 compares models of one batch; a smaller penalty may only pay with more. Stage 2 therefore climbs down a ladder:
from the pair that stage 1 chose to less sparse ones, for as long as each does better than the one before by more than
chance would explain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import ArrayLike

from proset.selection.rules import falls
from proset.selection.scores import FoldScores

STEP = 10.0**0.5  # how much sparser a pair is at least than the next one
_ROUNDING = 1e-9  # relative: on a grid of half decades the steps are as wide as they have to be


def ladder(first: int, sparseness: ArrayLike, mean: ArrayLike, threshold: float) -> tuple[int, ...]:
    """Return the pairs that stage 2 may look at, the sparsest first.

    Parameters
    ----------
    first : int
        Row of the pair that stage 1 chose.
    sparseness, mean : array-like of float, shape (n,)
        How sparse each pair of stage 1 makes a model, and its mean log-loss over the folds.
    threshold : float
        Largest mean log-loss that counts as equivalent to the best.

    Returns
    -------
    tuple of int
        Rows of equivalent pairs, each less sparse than the one before by half a decade or more.

    Examples
    --------
    >>> ladder(2, [1e-4, 1e-3, 1e-2, 1e-1], [0.42, 0.40, 0.44, 0.60], threshold=0.45)
    (2, 1, 0)
    """
    sparseness, mean = np.asarray(sparseness, dtype=np.float64), np.asarray(mean, dtype=np.float64)
    rungs = [first]
    for row in np.argsort(-sparseness, kind="stable").tolist():
        far = sparseness[row] <= sparseness[rungs[-1]] / STEP * (1.0 + _ROUNDING)
        if far and mean[row] <= threshold:
            rungs.append(row)
    return tuple(rungs)


def next_pair(rungs: Sequence[int], curves: Mapping[int, FoldScores]) -> int | None:
    """Find the pair that stage 2 has to look at next, or to finish.

    Parameters
    ----------
    rungs : sequence of int
        What it may look at, from :func:`ladder`.
    curves : mapping of int to FoldScores
        What it has looked at: row of a pair to its scores, one row per number of batches.

    Returns
    -------
    int or None
        A row of stage 1; None once the ladder ends, or a pair is no better than the one before.

    Examples
    --------
    >>> done = FoldScores(np.array([[0.7, 0.7], [0.5, 0.4]]), n_features=2, n_prototypes=9)
    >>> next_pair((2, 1, 0), {2: done}), next_pair((2, 1, 0), {2: done, 1: done})
    (1, None)
    """
    lowest = None
    for row in rungs:
        if row not in curves or not curves[row].complete:
            return row
        best = curves[row].lowest()
        if lowest is not None and not falls(lowest, best):
            return None
        lowest = best
    return None
