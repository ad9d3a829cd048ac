"""The cover of one class as a small integer program: what cannot matter is left out, what is alike is put together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from proset.companions.protocol import FloatArray, IntArray
from proset.companions.pvm.balls import ClassBalls


@dataclass(frozen=True, eq=False)
class ReducedCover:
    """Minimise cost a + weight xi, where every point is inside a chosen ball or has xi = 1.

    Attributes
    ----------
    balls : ndarray of int64, shape (J,)
        Balls that may be chosen, by their place among those of the class.
    inside : csr_array of shape (R, J)
        1 where a point is inside a ball; points that lie in the same balls are one row.
    weight : ndarray of shape (R,)
        How many points each row stands for.
    cost : ndarray of shape (J,)
        Points of other classes in each ball, and the cost of a prototype.
    never : int
        Points in none of these balls.
    """

    balls: IntArray
    inside: sparse.csr_array
    weight: FloatArray
    cost: FloatArray
    never: int

    def objectives(self, chosen: FloatArray) -> FloatArray:
        """Return the objective of many choices at once: `chosen` has shape (J, B) and holds zeros and ones."""
        uncovered = (self.inside @ chosen) < 0.5
        found: FloatArray = self.cost @ chosen + self.weight @ uncovered + self.never
        return found

    def columns_of(self, balls: IntArray) -> FloatArray:
        """Return some balls of the class as a choice, shape (J,); every one has to be among `balls`."""
        return np.isin(self.balls, balls).astype(np.float64)


def reduce_cover(balls: ClassBalls, lam: float) -> ReducedCover:
    """Leave out balls that no optimum needs, and put points together that lie in the same balls.

    A ball that covers at most as many points as it costs can be given up by any solution, of the integer program or its
    relaxation: letting each of its points go costs no more. Of balls that cover the same points one of the cheapest
    is enough.

    Examples
    --------
    >>> inside = np.array([0, 1, 2, 0, 1, 2, 3], dtype=np.int32)
    >>> balls = ClassBalls(np.arange(3), np.array([0, 3, 6, 7]), inside, np.array([1, 0, 1]), n_points=5)
    >>> cover = reduce_cover(balls, lam=0.1)
    >>> cover.balls.tolist(), cover.weight.tolist(), cover.never
    ([1], [3.0], 2)
    """
    cheapest: dict[bytes, int] = {}
    for ball in np.flatnonzero(balls.own > balls.cost + lam).tolist():
        same = cheapest.setdefault(balls.of(ball).tobytes(), ball)
        if balls.cost[ball] < balls.cost[same]:
            cheapest[balls.of(ball).tobytes()] = ball
    kept = np.array(sorted(cheapest.values()), dtype=np.int64)
    small = balls.take(kept)
    ones = np.ones(len(small.members))
    by_ball = sparse.csr_array((ones, small.members, small.starts), shape=(len(kept), balls.n_points))
    rows = sparse.csr_array(by_ball.T)
    rows.sort_indices()
    alike: dict[bytes, list[int]] = {}
    for point in range(balls.n_points):
        where = rows.indices[rows.indptr[point] : rows.indptr[point + 1]]
        if len(where):
            alike.setdefault(where.tobytes(), []).append(point)
    first = np.array([points[0] for points in alike.values()], dtype=np.int64)
    weight = np.array([len(points) for points in alike.values()], dtype=np.float64)
    cost = balls.cost[kept].astype(np.float64) + lam
    never = balls.n_points - int(weight.sum())
    return ReducedCover(kept, sparse.csr_array(rows[first]), weight, cost, never)
