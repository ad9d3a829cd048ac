"""Bounded minimisation with L-BFGS-B, with an account of why it stopped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from scipy.optimize import minimize

from proset.kernel import FloatArray

MAX_ITERATIONS = 5_000
MEMORY = 10  # correction pairs that L-BFGS-B keeps
EPSILON = float(np.finfo(np.float64).eps)


class StopReason(StrEnum):
    """Why the solver stopped."""

    VALUE = "the objective no longer changes"
    GRADIENT = "the gradient is nearly zero"
    ITERATIONS = "the limit on iterations was reached"
    EVALUATIONS = "the limit on evaluations was reached"
    LINE_SEARCH = "no step along the search direction lowers the objective any further"
    NOTHING_TO_DO = "there is nothing to fit"


CONVERGED = frozenset({StopReason.VALUE, StopReason.GRADIENT, StopReason.NOTHING_TO_DO})


@dataclass(frozen=True, eq=False)
class SolverResult:
    """The outcome of one minimisation.

    Attributes
    ----------
    x : ndarray of float64
        The point reached, not negative.
    objective : float
        Its value.
    reason : StopReason
        Why the solver stopped, in words.
    iterations, evaluations : int
        Iterations and evaluations of value with gradient.
    gradient_norm : float
        Largest component of the projected gradient.

    Examples
    --------
    >>> result = minimize_nonnegative(lambda x: (float(((x - 1) ** 2).sum()), 2 * (x - 1)), np.zeros(2))
    >>> result.converged, result.x.round(6).tolist()
    (True, [1.0, 1.0])
    """

    x: FloatArray
    objective: float
    reason: StopReason
    iterations: int
    evaluations: int
    gradient_norm: float

    @property
    def converged(self) -> bool:
        """Whether the stop is a proper end and not a limit or failure."""
        return self.reason in CONVERGED

    @property
    def message(self) -> str:
        """One sentence for people."""
        verdict = "Converged" if self.converged else "Stopped early"
        return f"{verdict} after {self.iterations} iterations and {self.evaluations} evaluations: {self.reason}."


def _stop_reason(status: int, message: str, iterations: int) -> StopReason:
    """Translate what scipy reports."""
    text = message.upper()
    if status == 0:
        return StopReason.GRADIENT if "GRADIENT" in text or "PGTOL" in text else StopReason.VALUE
    if status == 1:
        return StopReason.ITERATIONS if iterations >= MAX_ITERATIONS else StopReason.EVALUATIONS
    return StopReason.LINE_SEARCH


def minimize_nonnegative(
    value_and_gradient: Callable[[FloatArray], tuple[float, FloatArray]],
    start: FloatArray,
    *,
    factr: float = 1e7,
    max_iterations: int = MAX_ITERATIONS,
) -> SolverResult:
    """Minimise a smooth function over the first orthant.

    Parameters
    ----------
    value_and_gradient : callable
        Maps a point of shape (n,) to the value and the gradient of shape (n,).
    start : ndarray of shape (n,)
        Starting point, not negative.
    factr : float
        Tolerance (2.16) on the relative change of the value in units of the machine precision.
    max_iterations : int
        Upper bound on iterations.

    Returns
    -------
    SolverResult
        Never raises for lack of convergence: read ``converged``.

    Examples
    --------
    >>> result = minimize_nonnegative(lambda x: (float((x + 1) @ (x + 1)), 2 * (x + 1)), np.ones(3))
    >>> result.x.tolist(), str(result.reason)
    ([0.0, 0.0, 0.0], 'the gradient is nearly zero')
    """
    outcome = minimize(
        value_and_gradient,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * start.shape[0],
        options={
            "ftol": factr * EPSILON,
            "gtol": 1e-5,
            "maxiter": max_iterations,
            "maxfun": 2 * max_iterations,
            "maxcor": MEMORY,
        },
    )
    x = np.maximum(outcome.x, 0.0)
    projected = np.where(x > 0.0, outcome.jac, np.minimum(outcome.jac, 0.0))
    reason = _stop_reason(int(outcome.status), str(outcome.message), int(outcome.nit))
    return SolverResult(
        x=x,
        objective=float(outcome.fun),
        reason=reason,
        iterations=int(outcome.nit),
        evaluations=int(outcome.nfev),
        gradient_norm=float(np.abs(projected).max(initial=0.0)),
    )
