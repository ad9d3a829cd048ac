"""A step along a descent direction that lowers a function enough: the strong Wolfe conditions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from proset.engine.kernels.units import FloatArray

MAX_TRIALS = 20
SUFFICIENT = 1e-3  # share of the decrease that the slope at the start promises
CURVATURE = 0.9  # share of the slope that may be left
NARROW = 0.1  # relative width of a bracket whose better end is good enough
INSIDE = 0.1  # a trial keeps this share of the bracket away from its ends
STRETCH = 4.0  # how much longer the next step is where the function still falls


class Trial(NamedTuple):
    """One point of the line: its step, the value and the slope there, the point and the gradient, both shape (n,)."""

    step: float
    value: float
    slope: float
    x: FloatArray
    gradient: FloatArray


def find_step(
    evaluate: Callable[[float], Trial], start: Trial, step: float, longest: Callable[[], float], least_gain: float
) -> Trial | None:
    """Find a step by brackets and cubic interpolation (Nocedal and Wright 2006, algorithms 3.5 and 3.6).

    Parameters
    ----------
    evaluate : callable
        Maps a step to a trial.
    start : Trial
        Step 0, with a negative slope.
    step : float
        First step, positive.
    longest : callable
        Returns the longest step, at least the first one; asked only where that is not enough.
    least_gain : float
        Decrease not worth another trial, at least 0.

    Returns
    -------
    Trial or None
        Strongly Wolfe, or still falling at the longest step, or the lower end of a narrow bracket; None where no step
        that could gain something lowers the function.

    Examples
    --------
    >>> line = lambda a: Trial(a, (a - 3.0) ** 2, 2.0 * (a - 3.0), None, None)
    >>> find_step(line, line(0.0), 8.0, lambda: 10.0, 0.0).step
    3.0
    """
    low, high = start, None
    for _ in range(MAX_TRIALS):
        trial = evaluate(step)
        if trial.value > start.value + SUFFICIENT * step * start.slope or trial.value >= low.value:
            high = trial
        elif abs(trial.slope) <= -CURVATURE * start.slope or (high is None and trial.slope < 0.0 and step >= longest()):
            return trial
        else:
            if trial.slope * ((longest() if high is None else high.step) - low.step) >= 0.0:
                high = low
            low = trial
        if high is None:
            step = min(STRETCH * step, longest())
            continue
        step = _between(low, high)
        if low is start and -step * start.slope <= least_gain:
            return None
        if abs(high.step - low.step) <= NARROW * max(high.step, low.step):
            break
    return None if low is start else low


def _between(low: Trial, high: Trial) -> float:
    """Minimum of the cubic through both ends, well inside the bracket; its middle where there is none."""
    width = high.step - low.step
    bend = low.slope + high.slope - 3.0 * (high.value - low.value) / width
    root = bend * bend - low.slope * high.slope
    share = 0.5
    if root >= 0.0:
        root = math.copysign(math.sqrt(root), width)
        rise = high.slope - low.slope + 2.0 * root
        share = 1.0 - (high.slope + root - bend) / rise if rise else 0.5
    return low.step + min(max(share, INSIDE), 1.0 - INSIDE) * width
