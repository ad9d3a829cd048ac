"""Which points lie in which balls: only of the balls that can ever be worth their cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proset.companions.protocol import IntArray
from proset.companions.pvm.distances import Distances, candidate_blocks


@dataclass(frozen=True, eq=False)
class ClassBalls:
    """The balls that may serve one class.

    Attributes
    ----------
    candidates : ndarray of int64, shape (J,)
        Candidates at their centres, ascending.
    starts : ndarray of int64, shape (J + 1,)
        Where the points of each ball begin in `members`.
    members : ndarray of int32
        Points of the class inside each ball, by their position within the class.
    cost : ndarray of int64, shape (J,)
        Points of other classes inside each ball.
    n_points : int
        Points of the class.
    """

    candidates: IntArray
    starts: IntArray
    members: NDArray[np.int32]
    cost: IntArray
    n_points: int

    def __len__(self) -> int:
        return len(self.candidates)

    @property
    def own(self) -> IntArray:
        """Points of the class inside each ball."""
        return np.diff(self.starts)

    @property
    def nbytes(self) -> int:
        """Memory of the arrays."""
        return self.candidates.nbytes + self.starts.nbytes + self.members.nbytes + self.cost.nbytes

    def of(self, ball: int) -> NDArray[np.int32]:
        """Return the points of the class inside one ball."""
        return self.members[self.starts[ball] : self.starts[ball + 1]]

    def take(self, balls: IntArray) -> ClassBalls:
        """Return some of the balls, in the order given."""
        parts = [self.of(ball) for ball in balls.tolist()]
        starts = np.concatenate([[0], np.cumsum(self.own[balls])]).astype(np.int64)
        members = np.concatenate(parts) if parts else np.empty(0, dtype=np.int32)
        return ClassBalls(self.candidates[balls], starts, members, self.cost[balls], self.n_points)


def class_bounds(target: IntArray, n_classes: int) -> IntArray:
    """Return where each class begins among points sorted by class, shape (K + 1,).

    Examples
    --------
    >>> class_bounds(np.array([0, 0, 2]), 3).tolist()
    [0, 2, 2, 3]
    """
    return np.concatenate([[0], np.cumsum(np.bincount(target, minlength=n_classes))]).astype(np.int64)


def find_balls(distances: Distances, bounds: IntArray, eps: float, *, keep_all: bool = False) -> tuple[ClassBalls, ...]:
    """Find the points in the ball of every candidate that may serve a class.

    A ball can only be worth taking if it holds more points of the class than of others, and the number of points that
    it would be the first to cover only falls: all other pairs of a candidate and a class are left out. Memory is the
    blocks that are looked at plus four bytes for every point in a ball that is kept.

    Parameters
    ----------
    distances : Distances
        Of points sorted by class to candidates.
    bounds : ndarray of int64, shape (K + 1,)
        Where each class begins.
    eps : float
        Radius: a point is inside if its distance is less.
    keep_all : bool, default=False
        Keep the pairs that cannot be worth taking as well.

    Returns
    -------
    tuple of ClassBalls
        One per class.

    Examples
    --------
    >>> from proset.companions.pvm.distances import HeldDistances
    >>> line = np.array([0.0, 1.0, 1.5, 5.0])
    >>> balls = find_balls(HeldDistances.of(abs(line[:, None] - line)), np.array([0, 2, 4]), eps=1.1)
    >>> balls[0].candidates.tolist(), balls[0].of(0).tolist(), balls[0].cost.tolist()
    ([0, 1], [0, 1], [0, 1])
    """
    from proset.companions.pvm.compiled import count_inside, list_inside

    n_classes = len(bounds) - 1
    candidates: list[list[IntArray]] = [[] for _ in range(n_classes)]
    own: list[list[IntArray]] = [[] for _ in range(n_classes)]
    cost: list[list[IntArray]] = [[] for _ in range(n_classes)]
    members: list[list[NDArray[np.int32]]] = [[] for _ in range(n_classes)]
    for which, block in candidate_blocks(distances):
        radius = block.dtype.type(eps)  # rounded as the distances are, so that one that equals eps stays outside
        counts = np.empty((len(which), n_classes), dtype=np.int64)
        count_inside(block, bounds, radius, counts)
        rest = counts.sum(axis=1)[:, None] - counts
        for k in range(n_classes):
            rows = np.arange(len(which)) if keep_all else np.flatnonzero(counts[:, k] > rest[:, k])
            inside = np.empty(int(counts[rows, k].sum()) + 1, dtype=np.int32)
            list_inside(block, rows, bounds[k], bounds[k + 1], radius, inside)
            candidates[k].append(which[rows])
            own[k].append(counts[rows, k])
            cost[k].append(rest[rows, k])
            members[k].append(inside[:-1])
    return tuple(_joined(candidates[k], own[k], cost[k], members[k], int(np.diff(bounds)[k])) for k in range(n_classes))


def _joined(
    candidates: list[IntArray], own: list[IntArray], cost: list[IntArray], members: list[NDArray[np.int32]], n: int
) -> ClassBalls:
    """Put the parts of one class together; the members are let go as they are copied."""
    whole = np.empty(sum(map(len, members)), dtype=np.int32)
    at = 0
    for part in members:
        whole[at : at + len(part)] = part
        at += len(part)
    members.clear()
    none = np.empty(0, dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(np.concatenate([none, *own]))]).astype(np.int64)
    return ClassBalls(np.concatenate([none, *candidates]), starts, whole, np.concatenate([none, *cost]), n)
