"""The greedy cover: one run gives the answer for every cost of a prototype."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from proset.companions.protocol import IntArray
from proset.companions.pvm.balls import ClassBalls


@dataclass(frozen=True, eq=False)
class GreedyPath:
    """Prototypes in the order in which they are taken, all classes together.

    Attributes
    ----------
    candidate : ndarray of int64, shape (k,)
        Candidate that becomes a prototype.
    label : ndarray of int64, shape (k,)
        Class that it serves, 0 to K - 1.
    score : ndarray of int64, shape (k,)
        By how much the objective falls without the cost of a prototype: `covered` minus `miscovered`. Never rises.
    covered : ndarray of int64, shape (k,)
        Points of its class that it is the first to cover.
    miscovered : ndarray of int64, shape (k,)
        Points of other classes in its ball.
    own : ndarray of int64, shape (k,)
        Points of its class in its ball, covered before or not.
    n_points : int
        Points of all classes.

    Notes
    -----
    A prototype is taken as long as its score is above the cost of a prototype. That cost is the same for all, so it has
    no part in the order: the path at cost 0, cut at the first score that is not above a cost, is the path at that cost.
    """

    candidate: IntArray
    label: IntArray
    score: IntArray
    covered: IntArray
    miscovered: IntArray
    own: IntArray
    n_points: int

    def __len__(self) -> int:
        return len(self.candidate)

    def at(self, lam: float) -> GreedyPath:
        """Return the beginning of the path that is taken if a prototype costs `lam`."""
        count = int(np.searchsorted(-self.score, -lam, side="left"))
        return self.take(np.arange(count))

    def take(self, places: IntArray) -> GreedyPath:
        """Return some entries of the path."""
        return GreedyPath.of_table(self.table()[places], self.n_points)

    def table(self) -> IntArray:
        """Return all columns beside each other, shape (k, 6)."""
        return np.column_stack([self.candidate, self.label, self.score, self.covered, self.miscovered, self.own])

    @classmethod
    def of_table(cls, table: IntArray, n_points: int) -> GreedyPath:
        """Make a path of what :meth:`table` returned."""
        candidate, label, score, covered, miscovered, own = np.ascontiguousarray(table.T)
        return cls(candidate, label, score, covered, miscovered, own, n_points)

    def objective(self, lam: float) -> float:
        """Return points not covered, points in balls of other classes, and the cost of the prototypes, added up."""
        return float(self.n_points - self.covered.sum() + self.miscovered.sum() + lam * len(self))


def greedy_path(balls: Sequence[ClassBalls]) -> GreedyPath:
    """Take the ball that lowers the objective most until none does.

    Classes do not touch each other, so each is a run of its own and the joint order is that of their scores. Ties go to
    the first class, then to the ball with the fewest points of other classes, then to the first candidate. Every point
    is charged once to the balls that hold it: the work is that of reading the balls once, plus sweeps over those that
    are still worth taking.

    Examples
    --------
    >>> from proset.companions.pvm.balls import find_balls
    >>> from proset.companions.pvm.distances import HeldDistances
    >>> line = np.array([0.0, 1.0, 2.0, 9.0, 5.0])
    >>> path = greedy_path(find_balls(HeldDistances.of(abs(line[:, None] - line)), np.array([0, 4, 5]), eps=1.5))
    >>> path.candidate.tolist(), path.score.tolist(), path.at(1.0).candidate.tolist()
    ([1, 3, 4], [3, 1, 1], [1])
    """
    from proset.companions.pvm.compiled import take_greedily, turn

    tables = [np.empty((0, 6), dtype=np.int64)]
    for label, own in enumerate(balls):
        taken, score, new = (np.empty(len(own), dtype=np.int64) for _ in range(3))
        begin, holding = turn(own.starts, own.members, own.n_points)
        cheap_first = np.argsort(own.cost, kind="stable")
        count = take_greedily(own.starts, own.members, begin, holding, own.cost, cheap_first, taken, score, new)
        at = taken[:count]
        columns = [own.candidates[at], np.full(count, label), score[:count], new[:count], own.cost[at], own.own[at]]
        tables.append(np.column_stack(columns))
    table = np.concatenate(tables)
    order = np.lexsort((table[:, 0], table[:, 4], table[:, 1], -table[:, 2]))
    return GreedyPath.of_table(table[order], sum(own.n_points for own in balls))
