"""The loops that the prototype vector machine spends its time in, compiled where numba is there.

A distance is worked out in the same steps whatever stands beside it, and is the same number seen from either end: what
is inside a ball does not depend on blocks, folds, or which of two points is the candidate.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def _compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a function; without numba it stays as it is, slow and with the same numbers."""
    try:
        from numba import njit
    except ImportError:  # for this interpreter or machine
        return function
    compiled: Callable[..., Any] = njit(nogil=True, cache=True, error_model="numpy")(function)
    return compiled


_POINTS_AT_A_TIME = 1024  # of all features, so that they stay in the second cache while candidates pass by


@_compiled
def euclidean(columns: Any, candidates: Any, out: Any) -> None:
    """Set `out`, shape (m, n), to Euclidean distances; `columns` (D, n) are the points, `candidates` (m, D)."""
    n_features, n_points = columns.shape
    whole = n_features - n_features % 4
    for start in range(0, n_points, _POINTS_AT_A_TIME):
        stop = min(n_points, start + _POINTS_AT_A_TIME)
        for j in range(candidates.shape[0]):
            row = out[j, start:stop]
            row[:] = 0
            for f in range(0, whole, 4):
                a, b, c, d = candidates[j, f], candidates[j, f + 1], candidates[j, f + 2], candidates[j, f + 3]
                w, x = columns[f, start:stop], columns[f + 1, start:stop]
                y, z = columns[f + 2, start:stop], columns[f + 3, start:stop]
                for i in range(row.shape[0]):
                    p, q, r, s = w[i] - a, x[i] - b, y[i] - c, z[i] - d
                    row[i] += (p * p + q * q) + (r * r + s * s)
            for f in range(whole, n_features):
                a = candidates[j, f]
                w = columns[f, start:stop]
                for i in range(row.shape[0]):
                    p = w[i] - a
                    row[i] += p * p
            for i in range(row.shape[0]):
                row[i] = np.sqrt(row[i])


@_compiled
def count_inside(block: Any, bounds: Any, eps: Any, out: Any) -> None:
    """Set `out`, shape (b, K), to how many points of each class have a distance below `eps`; rows of a class adjoin."""
    for j in range(block.shape[0]):
        for k in range(bounds.shape[0] - 1):
            row = block[j, bounds[k] : bounds[k + 1]]
            total = 0
            for i in range(row.shape[0]):
                total += row[i] < eps
            out[j, k] = total


@_compiled
def list_inside(block: Any, rows: Any, first: Any, last: Any, eps: Any, out: Any) -> None:
    """Write to `out` which points from `first` to `last` lie inside, one listed row of the block after the other.

    Every point is written, and kept by moving on: no branch has to be guessed. `out` has room for one point more.
    """
    at = 0
    for j in rows:
        row = block[j, first:last]
        for i in range(row.shape[0]):
            out[at] = i
            at += row[i] < eps


@_compiled
def turn(starts: Any, members: Any, n_points: Any) -> Any:
    """Return the balls that hold each point, as starts and balls, from the points that each ball holds."""
    begin = np.zeros(n_points + 1, dtype=np.int64)
    for i in members:
        begin[i + 1] += 1
    for i in range(n_points):
        begin[i + 1] += begin[i]
    balls = np.empty(members.shape[0], dtype=np.int32)
    free = begin.copy()
    for j in range(starts.shape[0] - 1):
        for at in range(starts[j], starts[j + 1]):
            i = members[at]
            balls[free[i]] = j
            free[i] += 1
    return begin, balls


@_compiled
def take_greedily(
    starts: Any, members: Any, begin: Any, balls: Any, cost: Any, order: Any, taken: Any, score: Any, new: Any
) -> int:
    """Take the ball of the highest score until none is above zero, and return how many were taken.

    The score of a ball is the points it would be the first to cover minus its cost; of equal scores the first in
    `order` is taken. Scores only fall, so balls are taken in sweeps: one sweep takes all those of the highest score.
    """
    n_points, count = begin.shape[0] - 1, 0
    value = np.empty(cost.shape[0], dtype=np.int64)
    alive = np.empty(cost.shape[0], dtype=np.int64)
    n_alive, level = 0, 0
    for j in order:
        value[j] = starts[j + 1] - starts[j] - cost[j]
        if value[j] > 0:
            alive[n_alive] = j
            n_alive += 1
            level = max(level, value[j])
    covered = np.zeros(n_points, dtype=np.bool_)
    while level > 0:
        below, kept = 0, 0
        for at in range(n_alive):
            j = alive[at]
            if value[j] == level:
                fresh = 0
                for place in range(starts[j], starts[j + 1]):
                    i = members[place]
                    if not covered[i]:
                        covered[i] = True
                        fresh += 1
                        for other in range(begin[i], begin[i + 1]):
                            value[balls[other]] -= 1
                taken[count], score[count], new[count] = j, level, fresh
                count += 1
            elif value[j] > 0:
                alive[kept] = j
                kept += 1
                below = max(below, value[j])
        n_alive, level = kept, below
    return count


@_compiled
def keep_nearest(block: Any, first: int, labels: Any, by_class: Any, best: Any, winner: Any) -> None:
    """Lower `by_class` (K, n), `best` and `winner` (n,) to the prototypes of a block that are nearer."""
    for j in range(block.shape[0]):
        row, own = block[j], by_class[labels[first + j]]
        for i in range(row.shape[0]):
            d = row[i]
            if d < own[i]:
                own[i] = d
                if d < best[i]:
                    best[i] = d
                    winner[i] = first + j
