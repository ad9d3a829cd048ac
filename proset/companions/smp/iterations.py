"""One step at a time toward the optimum: in primal and dual together, or with momentum."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from proset.companions.smp.compiled import advance, draw_together, penalty
from proset.companions.smp.problem import FusionProblem
from proset.companions.smp.steps import choose_steps
from proset.engine.kernels.units import FloatArray

INNER_TOLERANCE, MOST_INNER = 1e-7, 100  # of the proximal point; it begins near where the last one was found


class Iteration(Protocol):
    """State of a solver: prototypes W, dual variables V, and a way on."""

    W: FloatArray
    V: FloatArray

    def advance(self) -> tuple[float, float]:
        """Make one step; return the objective before it, nan if not known, and the relative change."""
        ...


class ChambollePock:
    """Algorithm 2 of the paper: one step in the dual variables, one in the prototypes.

    Parameters
    ----------
    problem : FusionProblem
        What is minimised.
    start : ndarray of shape (N, D)
        Prototypes to begin with.
    dual : ndarray of shape (E, D)
        Dual variables to begin with.
    step : {"tight", "paper"} or float
        See :func:`proset.companions.smp.steps.choose_steps`.
    """

    def __init__(self, problem: FusionProblem, start: FloatArray, dual: FloatArray, step: str | float) -> None:
        self.steps = choose_steps(problem, step, dual=True)
        self.W, self.V = start.copy(), dual.copy()
        self._problem, self._ahead = problem, start.copy()
        self._numbers = problem.numbers(self.steps.tau, self.steps.sigma)
        self._scores = np.empty((len(problem.X), len(start)))

    def advance(self) -> tuple[float, float]:
        """Make one step; return the objective before it, and the relative change of prototypes and of their pull."""
        problem, pairs, n_penalised = self._problem, self._problem.pairs, self._problem.n_penalised
        loss, shares = problem.shares(self.W, out=self._scores)
        value = loss + penalty(self.W, pairs, n_penalised, self._numbers)
        gradient = shares.T @ problem.X
        change, size, dual = advance(self.W, self._ahead, self.V, gradient, pairs, n_penalised, self._numbers)
        reach = self.steps.tau**2 * problem.strength  # of the change of V, in units of W
        return value, _relative(max(change, reach * dual), size)


class Accelerated:
    """Proximal gradient steps with momentum, which ends where it would lead uphill; the proximal point by its dual.

    Each step goes over the rows once, as one of Chambolle and Pock's does, and twenty times fewer are needed.
    Parameters as for :class:`ChambollePock`. Only for the smooth loss.
    """

    def __init__(self, problem: FusionProblem, start: FloatArray, dual: FloatArray, step: str | float) -> None:
        self.steps = choose_steps(problem, step, dual=False)
        self.W, self.V = start.copy(), dual.copy()
        self._problem, self._ahead, self._momentum = problem, start.copy(), 1.0
        self._numbers = problem.numbers(self.steps.tau)
        self._scores = np.empty((len(problem.X), len(start)))

    def advance(self) -> tuple[float, float]:
        """Make one step; the objective at the prototypes is not known, only a little ahead of them."""
        problem, before = self._problem, self.W
        shares = problem.shares(self._ahead, out=self._scores)[1]
        target = self._ahead - self.steps.tau * (shares.T @ problem.X)
        self.W = before.copy()
        draw_together(
            target, self.W, self.V, problem.pairs, problem.n_penalised, self._numbers, problem.strength,
            INNER_TOLERANCE, MOST_INNER,
        )  # fmt: skip
        change = self.W - before
        if np.vdot(self._ahead - self.W, change) > 0.0:
            self._momentum = 1.0
        following = 0.5 + math.sqrt(0.25 + self._momentum**2)
        self._ahead = self.W + (self._momentum - 1.0) / following * change
        self._momentum = following
        return math.nan, _relative(float(np.vdot(change, change)), float(np.vdot(self.W, self.W)))


def _relative(change: float, size: float) -> float:
    """Return the ratio of two lengths, given their squares; 0 if nothing changed."""
    return math.sqrt(change / size) if size > 0.0 else (math.inf if change > 0.0 else 0.0)
