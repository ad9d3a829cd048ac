"""The Chambolle-Pock iteration, with the reason why it stopped."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

import numpy as np

from proset.companions.smp.compiled import advance, penalty
from proset.companions.smp.problem import Problem
from proset.companions.smp.steps import Steps
from proset.engine.kernels.units import FloatArray

GAP_EVERY = 10  # iterations between two looks at the gap, which costs about as much as one of them


class Stop(Enum):
    """Why the iteration ended."""

    CHANGE = "the prototypes hardly changed any more"
    GAP = "the objective is as near to its optimum as asked for"
    LIMIT = "the limit of iterations was reached"


@dataclass(frozen=True, eq=False)
class Solution:
    """Where the iteration ended.

    Attributes
    ----------
    W : ndarray of shape (N, D)
        Prototypes: the last, or with the loss "max" the best.
    V : ndarray of shape (E, D)
        Dual variables of the pairs; the absolute values of a row add up to one at most.
    objective : ndarray of shape (n_iter + 1,)
        The objective before the first and after each iteration.
    n_iter : int
        Iterations done.
    stop : Stop
        Why it ended.
    gap : float
        Upper bound of what W is above the optimum; nan if there is none.
    """

    W: FloatArray
    V: FloatArray
    objective: FloatArray
    n_iter: int
    stop: Stop
    gap: float


def solve(
    problem: Problem,
    start: FloatArray,
    steps: Steps,
    *,
    max_iter: int,
    tol: float,
    stopping: str = "change",
    dual: FloatArray | None = None,
) -> Solution:
    """Minimise the objective.

    Parameters
    ----------
    problem : Problem
        What is minimised.
    start : ndarray of shape (N, D)
        Where the prototypes start.
    steps : Steps
        Lengths of the steps.
    max_iter : int
        Largest number of iterations T.
    tol : float
        With ``stopping="change"``, the relative change of the prototypes and of the pull between pairs; with ``"gap"``,
        the gap as a share of the objective.
    stopping : {"change", "gap"}
        What is compared with `tol`. Where there is no gap, it is the change.
    dual : ndarray of shape (E, D) or None
        Dual variables of a solution nearby.

    Returns
    -------
    Solution
        And why it stopped.
    """
    pairs, n_penalised = problem.pairs, problem.n_penalised
    W, ahead = start.copy(), start.copy()
    V = np.zeros((len(pairs), n_penalised)) if dual is None else dual.copy()
    numbers, scores = problem.numbers(steps.tau, steps.sigma), np.empty((len(problem.X), len(W)))
    by_gap = stopping == "gap" and not math.isnan(problem.gap(W, V))
    reach = (steps.tau**2) * problem.strength  # of the change of V, in units of W
    objective, stop = [], Stop.LIMIT
    best, best_value = W.copy(), math.inf
    for t in range(max_iter):
        loss, shares = problem.shares(W, out=scores)
        objective.append(loss + penalty(W, pairs, n_penalised, numbers))
        if problem.loss == "max" and objective[-1] < best_value:
            best[:], best_value = W, objective[-1]
        change, size, dual_change = advance(W, ahead, V, shares.T @ problem.X, pairs, n_penalised, numbers)
        if by_gap:
            if (t + 1) % GAP_EVERY == 0 and problem.gap(W, V) <= tol * objective[-1]:
                stop = Stop.GAP
                break
        elif max(change, reach * dual_change) <= tol * tol * size:
            stop = Stop.CHANGE
            break
    objective.append(problem.value(W))
    if best_value < objective[-1]:
        W = best
    return Solution(W, V, np.array(objective), len(objective) - 1, stop, problem.gap(W, V))
