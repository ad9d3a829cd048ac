"""Slopes by finite differences, which gradients have to meet."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np


def slope_at(value: Callable[[np.ndarray], float], at: np.ndarray, place: int) -> float:
    """Return the derivative of a function by one of its variables, by central differences."""
    step = np.zeros_like(at)
    step[place] = 1e-5 * max(at[place], 1.0)
    return (value(at + step) - value(at - step)) / (2.0 * step[place])
