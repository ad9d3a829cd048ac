"""Choice of balls: greedily, by linear programming with random rounding, or by integer programming."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

import numpy as np

from proset.companions.protocol import IntArray
from proset.companions.pvm.balls import ClassBalls
from proset.companions.pvm.greedy import GreedyPath, greedy_path
from proset.companions.pvm.programs import choose_by_rounding, choose_exactly, remaining
from proset.companions.pvm.reduced import reduce_cover


@dataclass(frozen=True, eq=False)
class CoverSolution:
    """The prototypes that were taken.

    Attributes
    ----------
    taken : GreedyPath
        The prototypes.
    path : GreedyPath
        What the greedy cover takes at cost 0.
    lower_bound : float
        No choice of prototypes has a lower objective; NaN for the greedy cover, which proves nothing.
    found_by : str
        What made the prototypes, "greedy", "rounding", "halves" (of the linear program) or "milp"; where that differs
        from class to class, all of them.
    ended : bool
        Whether the solver ended by itself, not by its limit of time.
    """

    taken: GreedyPath
    path: GreedyPath
    lower_bound: float
    found_by: str
    ended: bool = True


def in_greedy_order(balls: Sequence[ClassBalls], chosen: Sequence[IntArray], lam: float) -> GreedyPath:
    """Order chosen balls as the greedy cover would take them; those not worth their cost are left out.

    Parameters
    ----------
    balls : sequence of ClassBalls
        One per class.
    chosen : sequence of ndarray of int64
        Balls by their place within each class.
    lam : float
        Cost of a prototype.

    Returns
    -------
    GreedyPath
        Of which the objective is at most that of all chosen balls.
    """
    return greedy_path([own.take(np.sort(which)) for own, which in zip(balls, chosen, strict=True)]).at(lam)


def places_of(balls: Sequence[ClassBalls], path: GreedyPath) -> list[IntArray]:
    """Return the balls of a path by their place within each class, ascending."""
    return [
        np.searchsorted(own.candidates, np.sort(path.candidate[path.label == label])).astype(np.int64)
        for label, own in enumerate(balls)
    ]


def pruned(balls: Sequence[ClassBalls], path: GreedyPath, lam: float) -> GreedyPath:
    """Drop prototypes that cost more than the points which only they cover, the most wasteful first.

    Later prototypes may make an early one superfluous, which the greedy cover does not look back at. The objective
    falls with every one that is dropped.
    """
    kept = places_of(balls, path)
    for label, own in enumerate(balls):
        times = np.zeros(own.n_points, dtype=np.int64)
        for ball in kept[label].tolist():
            times[own.of(ball)] += 1
        while len(kept[label]):
            alone = np.array([np.count_nonzero(times[own.of(ball)] == 1) for ball in kept[label].tolist()])
            waste = own.cost[kept[label]] + lam - alone
            worst = int(waste.argmax())
            if waste[worst] <= 0.0:
                break
            times[own.of(int(kept[label][worst]))] -= 1
            kept[label] = np.delete(kept[label], worst)
    return in_greedy_order(balls, kept, lam)


def solve_greedily(balls: Sequence[ClassBalls], lam: float, *, prune: bool = False) -> CoverSolution:
    """Take balls greedily.

    Examples
    --------
    >>> from proset.companions.pvm.balls import find_balls
    >>> from proset.companions.pvm.distances import HeldDistances
    >>> line = np.array([0.0, 1.0, 2.0, 9.0, 5.0])
    >>> balls = find_balls(HeldDistances.of(abs(line[:, None] - line)), np.array([0, 4, 5]), eps=1.5)
    >>> solve_greedily(balls, lam=0.5).taken.candidate.tolist()
    [1, 3, 4]
    """
    path = greedy_path(balls)
    taken = path.at(lam)
    return CoverSolution(pruned(balls, taken, lam) if prune else taken, path, float("nan"), "greedy")


def solve_by_programs(
    balls: Sequence[ClassBalls],
    lam: float,
    *,
    exact: bool,
    n_rounds: int = 200,
    time_limit: float | None = None,
    rng: np.random.RandomState,
) -> CoverSolution:
    """Solve the linear or the integer program of each class; never worse than the greedy cover.

    Parameters
    ----------
    balls : sequence of ClassBalls
        One per class: the objective is a sum over classes, so each is a problem of its own.
    lam : float
        Cost of a prototype.
    exact : bool
        Solve the integer program, instead of the linear one with random rounding.
    n_rounds : int, default=200
        Random roundings of the linear program.
    time_limit : float or None, default=None
        Seconds for the integer programs of all classes together, shared out as they come.
    rng : RandomState
        Draws the roundings.

    Returns
    -------
    CoverSolution
        Prototypes in the order of the greedy cover.
    """
    begun = perf_counter()
    path = greedy_path(balls)
    greedy, choices = places_of(balls, path.at(lam)), []
    for label, own in enumerate(balls):
        cover = reduce_cover(own, lam)
        if exact:
            left = remaining(time_limit, begun)
            share = None if left is None else left / (len(balls) - label)
            choices.append(choose_exactly(cover, greedy[label], share))
        else:
            choices.append(choose_by_rounding(cover, greedy[label], n_rounds, rng))
    taken = in_greedy_order(balls, [choice.balls for choice in choices], lam)
    found_by = " and ".join(sorted({choice.found_by for choice in choices}))
    bound = sum(choice.lower_bound for choice in choices)
    return CoverSolution(taken, path, bound, found_by, all(choice.ended for choice in choices))
