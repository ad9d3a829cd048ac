"""Iterations until an aim is reached, with the reason why they stopped."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

import numpy as np

from proset.companions.smp.iterations import Accelerated, ChambollePock
from proset.companions.smp.problem import FusionProblem
from proset.companions.smp.steps import Steps
from proset.engine.kernels.units import FloatArray

LOOK_EVERY = 10  # iterations between two looks at objective and gap, each as long as an iteration


class Stop(Enum):
    """Reasons why the iteration ended."""

    CHANGE = "the prototypes hardly changed any more"
    GAP = "the objective is as near to its optimum as asked for"
    LIMIT = "the limit of iterations was reached"


@dataclass(frozen=True, eq=False)
class FusionSolution:
    """End of the iteration.

    Attributes
    ----------
    W : ndarray of shape (N, D)
        Prototypes: the last, or with the loss "max" the best.
    V : ndarray of shape (E, D)
        Dual variables of the pairs; the absolute values of a row add up to one at most.
    objective : ndarray of shape (records,)
        The objective before the first iteration, after each, or each tenth of the accelerated ones, and after the last.
    n_iter : int
        Iterations done.
    stop : Stop
        Why it ended.
    gap : float
        Upper bound of what W is above the optimum; nan if there is none.
    steps : Steps
        Lengths of the steps.
    """

    W: FloatArray
    V: FloatArray
    objective: FloatArray
    n_iter: int
    stop: Stop
    gap: float
    steps: Steps


def solve(
    problem: FusionProblem,
    start: FloatArray,
    dual: FloatArray | None = None,
    *,
    solver: str = "auto",
    step: str | float = "tight",
    max_iter: int,
    tol: float,
    stopping: str = "gap",
) -> FusionSolution:
    """Minimise the objective.

    Parameters
    ----------
    problem : FusionProblem
        What is minimised.
    start : ndarray of shape (N, D)
        Where the prototypes start.
    dual : ndarray of shape (E, D) or None
        Dual variables of a solution nearby; None for zeros.
    solver : {"auto", "accelerated", "chambolle-pock"}
        What makes the steps; ``"auto"`` is the accelerated one for the smooth loss, and the other for the sharp one.
    step : {"tight", "paper"} or float
        Length of the steps.
    max_iter : int
        Largest number of iterations T.
    tol : float
        With ``stopping="change"``, the relative change of the prototypes; with ``"gap"``, the gap as a share of the
        objective.
    stopping : {"gap", "change"}
        What is compared with `tol`. Where there is no gap, and for the sharp loss, it is the change.
    """
    V = np.zeros((len(problem.pairs), problem.n_penalised)) if dual is None else dual
    plain = solver == "chambolle-pock" or problem.loss == "max"
    iteration: ChambollePock | Accelerated = (ChambollePock if plain else Accelerated)(problem, start, V, step)
    by_gap = stopping == "gap" and problem.loss != "max" and not math.isnan(problem.look(start, V)[1])
    objective, stop, n_iter = [] if plain else [problem.value(start)], Stop.LIMIT, max_iter
    best, lowest = start.copy(), math.inf
    for t in range(max_iter):
        last = iteration.W.copy() if problem.loss == "max" else iteration.W
        value, change = iteration.advance()
        if plain:
            objective.append(value)
        if problem.loss == "max" and value < lowest:
            best, lowest = last, value
        if (t + 1) % LOOK_EVERY == 0 and (by_gap or not plain):
            value, gap = problem.look(iteration.W, iteration.V)
            if not plain and t + 1 < max_iter:
                objective.append(value)
            if by_gap and gap <= tol * value:
                stop, n_iter = Stop.GAP, t + 1
                break
        if not by_gap and change <= tol:
            stop, n_iter = Stop.CHANGE, t + 1
            break
    return _ended(problem, iteration, best, lowest, objective, stop, n_iter)


def _ended(
    problem: FusionProblem,
    iteration: ChambollePock | Accelerated,
    best: FloatArray,
    lowest: float,
    objective: list[float],
    stop: Stop,
    n_iter: int,
) -> FusionSolution:
    """Look at where the iteration ended, or if it was lower before, there."""
    value, gap = problem.look(iteration.W, iteration.V)
    objective.append(value)
    W = iteration.W
    if lowest < value:
        W, gap = best, problem.look(best, iteration.V)[1]
    return FusionSolution(W, iteration.V, np.array(objective), n_iter, stop, gap, iteration.steps)
