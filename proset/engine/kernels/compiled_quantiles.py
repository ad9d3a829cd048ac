"""Quantiles of mixtures of normal densities, compiled: one case and one level at a time, over what is heard of it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

_SCALE, _HEIGHT = math.sqrt(0.5), 1.0 / math.sqrt(2.0 * math.pi)


@njit(nogil=True, cache=True, error_model="numpy")
def _search(weights: Any, means: Any, spreads: Any, level: float, score: float, close: float, steps: int) -> float:
    """Return one quantile by a Newton iteration that halves its bracket where it would leave it."""
    low, high, value = np.inf, -np.inf, 0.0
    for c in range(weights.shape[0]):
        own = means[c] + spreads[c] * score
        low, high = min(low, own), max(high, own)
        value += weights[c] * own
    value = min(max(value, low), high)
    for _ in range(steps):
        share, density = 0.0, 0.0
        for c in range(weights.shape[0]):
            z = (value - means[c]) / spreads[c]
            share += weights[c] * math.erfc(-z * _SCALE)
            density += weights[c] * math.exp(-0.5 * z * z) / spreads[c]
        off = 0.5 * share - level
        if off <= 0.0:
            low = value
        if off >= 0.0:
            high = value
        if abs(off) <= close * level:
            break
        moved = value - off / (_HEIGHT * density)
        if not low < moved < high:
            moved = 0.5 * (low + high)
        if abs(moved - value) <= 4.0 * np.spacing(abs(value)):
            return moved
        value = moved
    return value


@njit(nogil=True, cache=True, error_model="numpy")
def find_quantiles(
    weights: Any, means: Any, spreads: Any, levels: Any, scores: Any, unheard: float, close: float, steps: int, out: Any
) -> None:  # fmt: skip
    """Set `out`, shape (n, m), to the quantiles of n mixtures; `scores` are those of the standard normal density."""
    n_components = spreads.shape[0]
    own, at, width = np.empty(n_components), np.empty(n_components), np.empty(n_components)
    for n in range(out.shape[0]):
        count = 0
        for c in range(n_components):
            if weights[n, c] > unheard:
                own[count], at[count], width[count] = weights[n, c], means[n, c], spreads[c]
                count += 1
        for m in range(out.shape[1]):
            out[n, m] = _search(own[:count], at[:count], width[:count], levels[n, m], scores[n, m], close, steps)
