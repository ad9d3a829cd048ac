"""Minimisation over nonnegative weights with L-BFGS-B, with an account of why it stopped."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from proset.common.words import count_words
from proset.engine.kernels.units import FloatArray
from proset.engine.line_search import Trial, find_step
from proset.engine.quadratic_model import QuadraticModel

MAX_ITERATIONS = 5_000
GRADIENT_TOLERANCE = 1e-5
ROUNDING_GRADIENT = 1e-3  # with a gradient below this, what is left to gain is about the noise of float32 sums (1e-8)
ROUNDING_PROMISE = 1e-6  # relative decrease that its latest steps promise where rounding turns them uphill
LONGEST_STEP = 1e10
EPSILON = float(np.finfo(np.float64).eps)
ROUNDING_GAIN = 1e-9  # relative decrease that would vanish in that noise
# Near rounding noise a single short step can look like the end. A stop on the value is believed once a fresh start from
# the same point gains next to nothing.
RESTART_GAIN = 1e-5
EAGER_RESTARTS = 10  # fresh starts that look for such a gain, though less may be asked for; those after it for what is
MAX_RESTARTS = 100  # what needs more is not believed; eleven are the most that was seen
NEW_VALLEY_GAIN = 1e-2  # a fresh start that gains as much has found another way down, where counting begins anew

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
FINAL = LIMITS | {StopReason.NOT_FINITE}
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
        Largest component of the projected gradient: of the step from the point against the gradient, cut off at zero.

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


@np.errstate(all="ignore")  # what is not finite is seen, here and not wherever it comes from
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
    descent = _Descent(value_and_gradient, start, factr * EPSILON, max_iterations)
    objective, reason, restarts = np.inf, StopReason.LINE_SEARCH, -1
    while restarts < MAX_RESTARTS:
        before, done, reason = reason, descent.iterations, descent.run()
        if reason is StopReason.LINE_SEARCH and descent.iterations == done:  # a fresh start found nothing lower
            reason = before
        gain, objective = objective - descent.value, descent.value
        settled = settle is None or settle(descent.x)
        restarts = 0 if gain > NEW_VALLEY_GAIN * descent.scale else restarts + 1
        little = RESTART_GAIN if restarts < EAGER_RESTARTS else max(RESTART_GAIN, factr * EPSILON)
        if reason in FINAL or (settled and (reason not in DOUBTFUL or gain <= little * descent.scale)):
            break
    else:
        if reason in CONVERGED:
            reason = StopReason.RESTARTS
    report = SolverReport(objective, reason, descent.iterations, descent.evaluations, descent.gradient_norm)
    return SolverResult(descent.x, report)


def _product(a: FloatArray, b: FloatArray) -> float:
    """Scalar product: not by BLAS, whose threads would decide on the last bits."""
    return float(np.add.reduce(a * b))


class _NotFiniteError(ArithmeticError):
    """The function has no finite value or gradient somewhere."""


class _Descent:
    """Runs of L-BFGS-B, each from where the one before ended, and the lowest point that an iteration has reached."""

    def __init__(self, function: ValueAndGradient, start: FloatArray, tolerance: float, max_iterations: int) -> None:
        self._function, self._tolerance, self._max_iterations = function, tolerance, max_iterations
        self.x, self.value, self.gradient = start, np.nan, np.full(start.shape[0], np.nan)
        self.iterations = self.evaluations = 0
        self._promise = np.inf

    @property
    def gradient_norm(self) -> float:
        """Largest component of a step against the gradient that stays in the orthant: rounding leaves 1e-16 for 0."""
        return float(np.abs(np.minimum(self.gradient, self.x)).max(initial=0.0))

    def run(self) -> StopReason:
        """Go down with an empty memory until there is a reason to stop."""
        try:
            self.value, self.gradient = self._evaluate(self.x)
            self._promise, model, reason = np.inf, QuadraticModel(self.x.shape[0]), self._reason(gain=np.inf)
            while reason is None:
                found = self._search(model)
                if found is not None:
                    reason = self._move(found, model)
                elif model.n_pairs:  # what it remembers may mislead
                    model = QuadraticModel(self.x.shape[0])
                else:  # Rounding may hide the descent. Near a minimum that is a normal end, in units of any scale.
                    small = self.gradient_norm <= ROUNDING_GRADIENT or self._promise <= ROUNDING_PROMISE * self.scale
                    reason = StopReason.PRECISION if small else StopReason.LINE_SEARCH
        except _NotFiniteError:
            return StopReason.NOT_FINITE
        return reason

    def _evaluate(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Ask for value and gradient, and count."""
        self.evaluations += 1
        value, gradient = self._function(x)
        if not (math.isfinite(value) and np.isfinite(gradient).all()):
            raise _NotFiniteError
        return value, gradient

    def _reason(self, gain: float) -> StopReason | None:
        """Tell why to stop after such a gain, if there is a reason."""
        if self.gradient_norm <= GRADIENT_TOLERANCE:
            return StopReason.GRADIENT
        if gain <= self._tolerance * self.scale:
            return StopReason.VALUE
        if self.iterations >= self._max_iterations:
            return StopReason.ITERATIONS
        return StopReason.EVALUATIONS if self.evaluations >= 2 * self._max_iterations else None

    @property
    def scale(self) -> float:
        """Number to which changes of the value are compared (2.16)."""
        return max(abs(self.value), 1.0)

    def _search(self, model: QuadraticModel) -> Trial | None:
        """Search the line to the minimum of the model, and beyond it up to the first bound."""
        target = model.minimum(self.x, self.gradient)
        direction = target - self.x
        slope = _product(direction, self.gradient)
        if not -np.inf < slope < 0.0:
            return None

        def evaluate(step: float) -> Trial:
            x = target if step == 1.0 else np.maximum(self.x + step * direction, 0.0)
            value, gradient = self._evaluate(x)
            return Trial(step, value, _product(gradient, direction), x, gradient)

        start = Trial(0.0, self.value, slope, self.x, self.gradient)
        if not model.n_pairs:  # a gradient tells no length
            first = min(1.0, 1.0 / math.sqrt(_product(direction, direction)))
            found = find_step(evaluate, start, first, lambda: 1.0, 0.0)
            if found is None:  # what the parabola through slope and first step would gain
                fall, rise = -slope * first, evaluate(first).value - self.value
                self._promise = min(self._promise, fall * fall / (4.0 * max(rise + fall, fall)))
            return found
        self._promise = -slope

        def longest() -> float:
            shrinks = direction < 0.0
            return max(1.0, float(np.min(self.x[shrinks] / -direction[shrinks], initial=LONGEST_STEP)))

        return find_step(evaluate, start, 1.0, longest, ROUNDING_GAIN * self.scale)

    def _move(self, found: Trial, model: QuadraticModel) -> StopReason | None:
        """Go where the line search has been and tell the model; return the reason to stop there, if there is one."""
        step, change, gain = found.x - self.x, found.gradient - self.gradient, self.value - found.value
        fall = -_product(self.gradient, step)
        self.x, self.value, self.gradient = found.x, found.value, found.gradient
        self.iterations += 1
        if _product(step, change) > EPSILON * fall:  # else the model would not be convex
            model.update(step, change)
        return self._reason(gain)
