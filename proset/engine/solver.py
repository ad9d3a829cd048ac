"""Bounded minimisation with L-BFGS-B, with an account of why it stopped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from scipy.optimize import OptimizeResult, minimize

from proset.common.words import count_words
from proset.engine.kernels.units import FloatArray

MAX_ITERATIONS = 5_000
MEMORY = 20  # correction pairs that L-BFGS-B keeps
GRADIENT_TOLERANCE = 1e-5
ROUNDING_GRADIENT = 1e-3  # with a gradient below this, what is left to gain is about the noise of float32 sums (1e-8)
EPSILON = float(np.finfo(np.float64).eps)
# Near rounding noise a single short step can look like the end. A stop on the value is believed once a fresh start from
# the same point gains next to nothing.
MAX_RESTARTS = 10  # four are the most that was seen; a fit that needs more is not believed
RESTART_GAIN = 1e-5

ValueAndGradient = Callable[[FloatArray], tuple[float, FloatArray]]


class StopReason(StrEnum):
    """Reasons why the solver stopped."""

    VALUE = "the objective no longer changes"
    GRADIENT = "the gradient is nearly zero"
    PRECISION = "the objective is as low as single precision can tell"
    ITERATIONS = "the limit on iterations was reached"
    EVALUATIONS = "the limit on evaluations was reached"
    LINE_SEARCH = "no step along the search direction lowers the objective, though the gradient is not small"
    RESTARTS = "fresh starts from where it stopped still lowered the objective, and the limit on them was reached"
    NOT_FINITE = "the objective or its gradient is not finite"


CONVERGED = frozenset({StopReason.VALUE, StopReason.GRADIENT, StopReason.PRECISION})
LIMITS = frozenset({StopReason.ITERATIONS, StopReason.EVALUATIONS})
DOUBTFUL = frozenset({StopReason.VALUE, StopReason.PRECISION, StopReason.LINE_SEARCH})


@dataclass(frozen=True)
class SolverReport:
    """End of a minimisation.

    Attributes
    ----------
    objective : float
        Value at the point reached; not finite only where that of the start is not.
    reason : StopReason
        Why the solver stopped, in words.
    iterations, evaluations : int
        Iterations and evaluations of value with gradient.
    gradient_norm : float
        Largest component of the projected gradient.

    Examples
    --------
    >>> report = SolverReport(0.5, StopReason.ITERATIONS, iterations=10, evaluations=12, gradient_norm=0.1)
    >>> report.converged, report.message
    (False, 'Stopped early after 10 iterations and 12 evaluations: the limit on iterations was reached.')
    """

    objective: float
    reason: StopReason
    iterations: int
    evaluations: int
    gradient_norm: float

    @property
    def converged(self) -> bool:
        """True if the stop is a proper end and not a limit or failure."""
        return self.reason in CONVERGED

    @property
    def message(self) -> str:
        """One sentence for people."""
        verdict = "Converged" if self.converged else "Stopped early"
        work = f"{count_words(self.iterations, 'iteration')} and {count_words(self.evaluations, 'evaluation')}"
        return f"{verdict} after {work}: {self.reason}."


@dataclass(frozen=True, eq=False)
class SolverResult:
    """The point reached, of shape (n,) and not negative, and how the minimisation ended."""

    x: FloatArray
    report: SolverReport


def _stop_reason(status: int, message: str, gradient_norm: float, out_of_iterations: bool) -> StopReason:
    """Translate what scipy reports."""
    if status == 0:
        return StopReason.GRADIENT if "GRADIENT" in message.upper() else StopReason.VALUE
    if status == 1:
        return StopReason.ITERATIONS if out_of_iterations else StopReason.EVALUATIONS
    # The line search gives up when rounding hides the descent. Near a minimum that is a normal end.
    return StopReason.PRECISION if gradient_norm <= ROUNDING_GRADIENT else StopReason.LINE_SEARCH


def minimize_nonnegative(
    value_and_gradient: ValueAndGradient,
    start: FloatArray,
    *,
    factr: float = 1e7,
    max_iterations: int = MAX_ITERATIONS,
    settle: Callable[[FloatArray], bool] | None = None,
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
    settle : callable or None
        Asked at every stop whether the point is an end; False makes the solver start again from there. For functions
        that leave variables at zero out of their gradient until then.

    Returns
    -------
    SolverResult
        Never raises for lack of convergence: read ``report.converged``.

    Examples
    --------
    >>> result = minimize_nonnegative(lambda x: (float((x + 1) @ (x + 1)), 2 * (x + 1)), np.ones(3))
    >>> result.x.tolist(), str(result.report.reason)
    ([0.0, 0.0, 0.0], 'the gradient is nearly zero')
    """
    watched = _Watched(value_and_gradient)
    x, iterations, evaluations, objective = start, 0, 0, np.inf
    for _ in range(MAX_RESTARTS + 1):
        try:
            outcome = _run(watched, x, factr, max_iterations - iterations)
        except _NotFiniteError:
            return watched.best(start, iterations)
        iterations, evaluations = iterations + int(outcome.nit), evaluations + int(outcome.nfev)
        x = np.maximum(outcome.x, 0.0)
        gain, objective = objective - float(outcome.fun), float(outcome.fun)
        gradient_norm = _projected_norm(x, outcome.jac)
        reason = _stop_reason(int(outcome.status), str(outcome.message), gradient_norm, iterations >= max_iterations)
        settled = settle is None or settle(x)
        scale = max(abs(objective), 1.0)
        if reason in LIMITS or (settled and (reason not in DOUBTFUL or gain <= RESTART_GAIN * scale)):
            break
    else:  # what was asked for may be less than what restarts look for
        if reason in CONVERGED and not (settled and gain <= max(RESTART_GAIN, factr * EPSILON) * scale):
            reason = StopReason.RESTARTS
    return SolverResult(x, SolverReport(objective, reason, iterations, evaluations, gradient_norm))


def _projected_norm(x: FloatArray, gradient: FloatArray) -> float:
    """Largest component of the gradient that does not point out of the orthant."""
    return float(np.abs(np.where(x > 0.0, gradient, np.minimum(gradient, 0.0))).max(initial=0.0))


class _NotFiniteError(ArithmeticError):
    """The function has no finite value or gradient somewhere."""


class _Watched:
    """A function that remembers its lowest point and ends the run where it is not finite."""

    def __init__(self, function: ValueAndGradient) -> None:
        self._function = function
        self._evaluations = 0
        self._lowest: tuple[float, FloatArray, FloatArray] | None = None

    def __call__(self, x: FloatArray) -> tuple[float, FloatArray]:
        self._evaluations += 1
        value, gradient = self._function(x)
        if not (np.isfinite(value) and np.isfinite(gradient).all()):
            raise _NotFiniteError
        if self._lowest is None or value < self._lowest[0]:
            self._lowest = value, x.copy(), gradient.copy()
        return value, gradient

    def best(self, start: FloatArray, iterations: int) -> SolverResult:
        """Return the lowest point so far, or the start."""
        value, x, gradient = self._lowest or (np.nan, start, np.full(start.shape[0], np.nan))
        norm = np.nan if self._lowest is None else _projected_norm(x, gradient)
        report = SolverReport(float(value), StopReason.NOT_FINITE, iterations, self._evaluations, float(norm))
        return SolverResult(np.maximum(x, 0.0), report)


def _run(function: ValueAndGradient, start: FloatArray, factr: float, max_iterations: int) -> OptimizeResult:
    """Run L-BFGS-B once, with an empty memory."""
    return minimize(
        function,
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=[(0.0, None)] * start.shape[0],
        options={
            "ftol": factr * EPSILON,
            "gtol": GRADIENT_TOLERANCE,
            "maxiter": max_iterations,
            "maxfun": 2 * max_iterations,
            "maxcor": MEMORY,
        },
    )
