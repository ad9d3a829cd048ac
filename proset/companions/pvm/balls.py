"""Points in balls: only of the balls that can ever be worth their cost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proset.companions.protocol import IntArray
from proset.companions.pvm.distances import HELD_BYTES, Distances, HeldDistances, candidate_blocks

SAMPLED = 200  # candidates by which the memory of balls is estimated


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

    Examples
    --------
    >>> from proset.companions.pvm.distances import HeldDistances
    >>> line = np.array([0.0, 1.0, 1.5, 5.0])
    >>> balls = find_balls(HeldDistances.of(abs(line[:, None] - line)), np.array([0, 2, 4]), eps=1.1)
    >>> balls[0].candidates.tolist(), balls[0].of(0).tolist(), balls[0].cost.tolist()
    ([0, 1], [0, 1], [0, 1])
    """
    finder = _Finder(bounds, eps, keep_all=keep_all)
    for which, block in candidate_blocks(distances):
        finder.look(which, block)
    return finder.balls()


def balls_by_radius(
    distances: Distances, bounds: IntArray, radii: Sequence[float], *, room: int = HELD_BYTES
) -> Iterator[tuple[ClassBalls, ...]]:
    """Find the balls of one radius after the other, as :func:`find_balls` does, and look at distances less often.

    Distances that are worked out whenever they are asked for are looked at once for as many radii as leave balls that
    fit into the room together. How many that are is estimated from some of the candidates.

    Parameters
    ----------
    distances : Distances
        Of points sorted by class to candidates.
    bounds : ndarray of int64, shape (K + 1,)
        Where each class begins.
    room : int
        Bytes for the balls of several radii; those of one radius take what they take.

    Yields
    ------
    tuple of ClassBalls
        One per class, radius by radius.

    Examples
    --------
    >>> from proset.companions.pvm.distances import HeldDistances
    >>> line = np.array([0.0, 1.0, 1.5, 5.0])
    >>> each = balls_by_radius(HeldDistances.of(abs(line[:, None] - line)), np.array([0, 2, 4]), [0.1, 1.1])
    >>> [balls[0].candidates.tolist() for balls in each]
    [[0, 1], [0, 1]]
    """
    apart = isinstance(distances, HeldDistances)
    sizes = [room + 1] * len(radii) if apart else _estimated_bytes(distances, bounds, radii)
    for group in _together(sizes, room):
        finders = [_Finder(bounds, radii[place]) for place in group]
        for which, block in candidate_blocks(distances):
            for finder in finders:
                finder.look(which, block)
        while finders:
            yield finders.pop(0).balls()


def _estimated_bytes(distances: Distances, bounds: IntArray, radii: Sequence[float]) -> list[int]:
    """Estimate the memory that the balls of each radius take, from evenly spaced candidates."""
    n_points, n_candidates = distances.shape
    step = -(-n_candidates // SAMPLED)
    some = distances.subset(np.arange(n_points), np.arange(0, n_candidates, step))
    finders = [_Finder(bounds, radius) for radius in radii]
    for which, block in candidate_blocks(some):
        for finder in finders:
            finder.look(which, block)
    return [step * sum(own.nbytes for own in finder.balls()) for finder in finders]


def _together(sizes: Sequence[int], room: int) -> list[list[int]]:
    """Cut places into runs whose sizes fit into the room together, one place at least in each.

    Examples
    --------
    >>> _together([1, 2, 3, 9, 1], room=5)
    [[0, 1], [2], [3], [4]]
    """
    runs: list[list[int]] = []
    left = 0
    for place, size in enumerate(sizes):
        if not runs or size > left:
            runs.append([])
            left = room
        runs[-1].append(place)
        left -= size
    return runs


class _Finder:
    """Collects the balls of one radius from blocks of candidates."""

    def __init__(self, bounds: IntArray, eps: float, *, keep_all: bool = False) -> None:
        self._bounds, self._eps, self._keep_all = bounds, eps, keep_all
        n_classes = len(bounds) - 1
        self._candidates: list[list[IntArray]] = [[] for _ in range(n_classes)]
        self._own: list[list[IntArray]] = [[] for _ in range(n_classes)]
        self._cost: list[list[IntArray]] = [[] for _ in range(n_classes)]
        self._members: list[list[NDArray[np.int32]]] = [[] for _ in range(n_classes)]

    def look(self, which: IntArray, block: NDArray[Any]) -> None:
        """Look at some candidates and their distances."""
        from proset.companions.pvm.compiled import count_inside, list_inside

        bounds, n_classes = self._bounds, len(self._bounds) - 1
        radius = block.dtype.type(self._eps)  # rounded as the distances are, so that one that equals eps stays outside
        counts = np.empty((len(which), n_classes), dtype=np.int64)
        count_inside(block, bounds, radius, counts)
        rest = counts.sum(axis=1)[:, None] - counts
        for k in range(n_classes):
            rows = np.arange(len(which)) if self._keep_all else np.flatnonzero(counts[:, k] > rest[:, k])
            inside = np.empty(int(counts[rows, k].sum()) + 1, dtype=np.int32)
            list_inside(block, rows, bounds[k], bounds[k + 1], radius, inside)
            self._candidates[k].append(which[rows])
            self._own[k].append(counts[rows, k])
            self._cost[k].append(rest[rows, k])
            self._members[k].append(inside[:-1])

    def balls(self) -> tuple[ClassBalls, ...]:
        """Return what was found; its parts are let go."""
        sizes = np.diff(self._bounds).tolist()
        return tuple(
            _joined(self._candidates[k], self._own[k], self._cost[k], self._members[k], n) for k, n in enumerate(sizes)
        )


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
