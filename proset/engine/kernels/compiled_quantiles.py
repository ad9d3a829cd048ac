"""Quantiles of mixtures of normal densities, compiled: one case and one level at a time, over what is heard of it.

The middle level of a case is found first, then the lowest and the highest, then each between two that are known: these
are its bracket, so that quantiles never cross, and with their densities they give a start from which few steps are
left.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

# Multiplying and adding may be one step; nothing else may be reordered.
_EXACT = njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract"})
_SCALE, _HEIGHT = math.sqrt(0.5), 1.0 / math.sqrt(2.0 * math.pi)
_FULL = 8.3  # standard deviations above which the distribution function of a component is 1 to the last bit
_LOST = 1e-18  # share of a level that a component may be short of
_SURE = 1e-4  # least spreads below which the error that a step leaves, its fourth power, is lost in rounding
_LOWEST, _PER = -12.0, 128  # standard deviations from which on there is a table, and cells of it for each of them


def _cells() -> Any:
    """Return the distribution function as a polynomial in each cell: around its middle, of degree 7, one cache line.

    What is left out is below 1e-15 of it, in the last digit, and takes a quarter of the time of the error function.
    """
    middles = _LOWEST + (np.arange(math.ceil((_FULL - _LOWEST) * _PER) + 1) + 0.5) / _PER
    cells, hermite = np.empty((middles.shape[0], 8)), [np.zeros_like(middles), np.ones_like(middles)]
    cells[:, 0] = [0.5 * math.erfc(-z * _SCALE) for z in middles]
    for k in range(1, 8):  # derivatives are the density times Hermite polynomials
        cells[:, k] = _HEIGHT * np.exp(-0.5 * middles * middles) * hermite[-1] / math.factorial(k)
        hermite.append(-middles * hermite[-1] - (k - 1) * hermite[-2])
    return cells


_CELLS = _cells()
_MIDDLES, _LAST = _LOWEST + (np.arange(_CELLS.shape[0]) + 0.5) / _PER, np.uint64(_CELLS.shape[0] - 1)


@_EXACT
def _moments(height: float, narrow: float, z: float) -> tuple[float, float, float]:
    """Return density, minus its slope, and its bend, of one component of a height in standard deviations."""
    own = height * narrow
    pull = own * narrow
    return own, pull * z, pull * narrow * (z * z - 1.0)


@_EXACT
def _stated(weights: Any, means: Any, narrow: Any, value: float, empty: float) -> tuple[float, float, float, float]:
    """Return distribution function, density and two derivatives of it; components `empty` above have no part in them.

    `narrow` are one over spreads. What is below the table is nothing to levels that are within it.
    """
    if empty > -_LOWEST:
        return _stated_plainly(weights, means, narrow, value, empty)
    share, density, slope, bend = 0.0, 0.0, 0.0, 0.0
    for c in range(weights.shape[0]):
        z = min(max((value - means[c]) * narrow[c], _LOWEST), _FULL)
        i = min(np.uint64((z - _LOWEST) * _PER), _LAST)
        d, part, height = z - _MIDDLES[i], _CELLS[i, 7], 0.0
        for k in range(6, -1, -1):
            height = height * d + part
            part = part * d + _CELLS[i, k]
        share += weights[c] * part
        own, falls, turns = _moments(weights[c] * height, narrow[c], z)
        density, slope, bend = density + own, slope - falls, bend + turns
    return share, density, slope, bend


@_EXACT
def _stated_plainly(
    weights: Any, means: Any, narrow: Any, value: float, empty: float
) -> tuple[float, float, float, float]:
    """Return the same without the table, for levels that lie farther out."""
    share, density, slope, bend = 0.0, 0.0, 0.0, 0.0
    for c in range(weights.shape[0]):
        z = (value - means[c]) * narrow[c]
        if z > _FULL:
            share += weights[c]
        elif z > -empty:
            share += 0.5 * weights[c] * math.erfc(-z * _SCALE)
            own, falls, turns = _moments(_HEIGHT * weights[c] * math.exp(-0.5 * z * z), narrow[c], z)
            density, slope, bend = density + own, slope - falls, bend + turns
    return share, density, slope, bend


@_EXACT
def _step(off: float, density: float, slope: float, bend: float) -> float:
    """Return the step of Householder's third method, or of Halley's where that is far from it."""
    step = off / density
    turn = step * slope / density
    halley = step / min(max(1.0 - 0.5 * turn, 0.5), 2.0)
    found = step * (1.0 - 0.5 * turn) / (1.0 - turn + step * step * bend / (6.0 * density))
    return found if 0.5 * abs(halley) < abs(found) < 2.0 * abs(halley) and found * halley > 0.0 else halley


@_EXACT
def _search(
    weights: Any, means: Any, narrow: Any, level: float, low: float, high: float, value: float, close: float,
    sure: float, steps: int,
) -> tuple[float, float, float]:  # fmt: skip
    """Return one quantile, its density and the slope of that.

    A bracket is halved where a step would leave it, or where the last one has come no nearer.
    """
    empty, density, slope, before = math.sqrt(-2.0 * math.log(_LOST * level)), 0.0, 0.0, np.inf
    for _ in range(steps):
        share, density, slope, bend = _stated(weights, means, narrow, value, empty)
        off = share - level
        if off <= 0.0:
            low = value
        if off >= 0.0:
            high = value
        if abs(off) <= close * level:
            break
        step = _step(off, density, slope, bend)
        moved = value - step
        if abs(off) > 0.5 * before and abs(step) > sure:  # steps may go to and fro between two places for ever
            moved = 0.5 * (low + high)
        elif not low < moved < high:
            end = low if moved <= low else high
            if abs(moved - end) <= np.spacing(abs(end)):  # else the bracket would be halved down to it
                return end, density, slope
            moved = 0.5 * (low + high)
        elif abs(step) <= sure:
            return moved, density, slope
        if abs(moved - value) <= 4.0 * np.spacing(abs(value)):
            return moved, density, slope
        value, before = moved, abs(off)
    return value, density, slope


@_EXACT
def _between(level: float, at: Any, density: Any, slope: Any, levels: Any, under: int, over: int) -> float:
    """Return about where a level is between two that are known: a polynomial with two derivatives at both."""
    wide = levels[over] - levels[under]
    t = (level - levels[under]) / wide
    low, high, s = at[under], at[over], 1.0 - t
    cubic = (1.0 + 2.0 * t) * s * s * low + t * t * (3.0 - 2.0 * t) * high
    cubic += wide * t * s * (s / density[under] - t / density[over])
    # Of the quintic beyond the cubic: what second derivatives of the quantile by the level differ from those of that.
    first, last = wide / density[under], wide / density[over]
    rise = high - low
    bent = -wide * wide * slope[under] / density[under] ** 3 - (6.0 * rise - 4.0 * first - 2.0 * last)
    ends = -wide * wide * slope[over] / density[over] ** 3 - (-6.0 * rise + 2.0 * first + 4.0 * last)
    quintic = cubic + 0.5 * t * t * s * s * (s * bent + t * ends)
    if low < quintic < high:
        return quintic
    return cubic if low < cubic < high else low + t * rise


@_EXACT
def _order(n_levels: int) -> Any:
    """Return in which order sorted levels are found, and between which two of them; -1 and `n_levels` are the ends."""
    order = np.empty((n_levels, 3), np.int64)
    middle, last = n_levels // 2, n_levels - 1
    order[0] = (middle, -1, n_levels)
    count = 1
    for end, under, over in ((0, -1, middle), (last, middle, n_levels)):
        if end != middle:
            order[count] = (end, under, over)
            count += 1
    left = np.empty((2 * n_levels + 2, 2), np.int64)
    left[0], left[1], waiting = (0, middle), (middle, last), 2
    while waiting > 0:
        waiting -= 1
        under, over = left[waiting]
        if over - under < 2:
            continue
        between = (under + over) // 2
        order[count] = (between, under, over)
        count += 1
        left[waiting], left[waiting + 1] = (under, between), (between, over)
        waiting += 2
    return order


@_EXACT
def _ends(weights: Any, means: Any, spreads: Any, score: float) -> tuple[float, float, float]:
    """Return between what a quantile is, those of the components, and a start; `score` is that of one density."""
    low, high, value = np.inf, -np.inf, 0.0
    for c in range(weights.shape[0]):
        own = means[c] + spreads[c] * score
        low, high = min(low, own), max(high, own)
        value += weights[c] * own
    return low, high, min(max(value, low), high)


@_EXACT
def find_quantiles(
    weights: Any, means: Any, spreads: Any, levels: Any, scores: Any, unheard: float, close: float, steps: int, out: Any
) -> None:  # fmt: skip
    """Set `out`, shape (n, m), to the quantiles of n mixtures; `scores` are those of the standard normal density."""
    n_components, n_levels = spreads.shape[0], out.shape[1]
    own, at, width, scale = np.empty((4, n_components))
    found, density, slope, wanted = np.empty(n_levels), np.empty(n_levels), np.empty(n_levels), np.empty(n_levels)
    inverse = 1.0 / spreads
    order = _order(n_levels) if n_levels else np.empty((0, 3), np.int64)
    for n in range(out.shape[0]):
        count, least = 0, np.inf
        for c in range(n_components):
            if weights[n, c] > unheard:
                own[count], at[count], width[count], scale[count] = weights[n, c], means[n, c], spreads[c], inverse[c]
                least = min(least, spreads[c])
                count += 1
        places = np.argsort(levels[n])
        for m in range(n_levels):
            wanted[m] = levels[n, places[m]]
        w, mean, spread, narrow = own[:count], at[:count], width[:count], scale[:count]
        for k in range(n_levels):
            m, under, over = order[k]
            known = under if under >= 0 and wanted[under] == wanted[m] else over
            if known < n_levels and wanted[known] == wanted[m]:
                found[m], density[m], slope[m] = found[known], density[known], slope[known]
                continue
            if under >= 0 and over < n_levels and wanted[under] < wanted[m] < wanted[over]:
                low, high = found[under], found[over]
                value = _between(wanted[m], found, density, slope, wanted, under, over)
            else:
                low, high, value = _ends(w, mean, spread, scores[n, places[m]])
                # Known ones go before the ends, which rounding may put beyond one of a level that is next to it.
                low = max(low, found[under]) if under >= 0 else low
                high = max(low, min(high, found[over])) if over < n_levels else max(low, high)
            value = min(max(value, low), high)
            value, density[m], slope[m] = _search(
                w, mean, narrow, wanted[m], low, high, value, close, _SURE * least, steps
            )
            found[m] = min(value, found[over]) if over < n_levels else value
        for m in range(n_levels):
            out[n, places[m]] = found[m]
