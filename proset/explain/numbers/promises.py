"""Promises of a model of a number, kept or not: central intervals by level, and places of numbers in distributions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy.stats import binom, binomtest, norm

from proset.common.notebook import Displayed
from proset.common.words import percent
from proset.explain.plain_values import plain_rows
from proset.study.intervals import SURE, FloatArray, IntArray, Measured, share_interval
from proset.study.number_metrics import COVERAGE, INTERVAL_LEVELS

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

_BARS, _ROWS_PER_BAR, _FEWEST_BARS = (20, 10, 5), 15, 4
FEW_ROWS = 100
"""Rows below which it is said that they are few."""


@dataclass(frozen=True, eq=False)
class Places(Displayed):
    """Places of numbers in their own distributions: how probable the model held at most as much.

    Of a model that is right they are spread evenly over 0 to 1.

    Attributes
    ----------
    bars : DataFrame
        ``low`` and ``high`` (ends, equally wide), ``rows`` (that lie between), ``off`` (outside the band).
    band : tuple of float
        Numbers of rows between which all bars stay in 95 % of such samples, if places are spread evenly; by whole
        groups where the split has groups.
    above : Measured
        Share of the rows whose number is above the median, with its 95 % interval.
    n_rows, n_learned : int
        Rows, and those of them that the model has learned from.
    """

    bars: pd.DataFrame
    band: tuple[float, float]
    above: Measured
    n_rows: int
    n_learned: int

    @property
    def words(self) -> str:
        """Evenness of the places, and the way in which answers lean, in words."""
        if not self.n_rows:
            return "There are no places to look at."
        off = int(self.bars["off"].sum())
        if self.n_learned:
            said = "Among them are rows that the model has learned from, so this says little of new ones."
        elif off:
            leave = "leaves" if off == 1 else "leave"
            said = f"{off} of {len(self.bars)} bars {leave} the band, in which 95 % of such samples would keep all."
        else:
            few = " So few rows show only strong differences." if self.n_rows < FEW_ROWS else ""
            said = f"No bar leaves the band, in which 95 % of such samples would keep all.{few}"
        return f"{said}{self._leaning}"

    @property
    def _leaning(self) -> str:
        """The way in which answers lean, where that is sure."""
        if self.n_learned or not (self.above.low > 0.5 or self.above.high < 0.5):
            return ""
        if self.above.low > 0.5:
            return f" {percent(self.above.value)} of the numbers are above the median: answers tend to be too low."
        share = percent(1.0 - self.above.value)
        return f" {share} of the numbers are at most the median: answers tend to be too high."

    def to_frame(self) -> pd.DataFrame:
        """Return the bars with both ends of the band."""
        return self.bars.assign(band_low=self.band[0], band_high=self.band[1])

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values."""
        ends = {"value": self.above.value, "low": self.above.low, "high": self.above.high}
        return {"n_rows": self.n_rows, "bars": plain_rows(self.to_frame()), "above": ends if self.n_rows else None}


def coverage_by_level(
    found: pd.DataFrame, groups: IntArray | None, ends: Callable[[float], tuple[float, float]]
) -> pd.DataFrame:
    """Return how many numbers central intervals of each level hold.

    Parameters
    ----------
    found : DataFrame
        Answers for rows with a known number.
    groups : int64 array of shape (n,) or None
        Of the rows, where the split has groups.
    ends : callable
        Returns between which quantiles the interval of a level lies.
    """
    place = found["place"].to_numpy(dtype=np.float64)
    lines = []
    for level in INTERVAL_LEVELS:
        # Of the level that pages state, as they state it: the last digit of a place may say otherwise.
        low, high = ends(level)
        own = (place >= low) & (place <= high)
        held = found["inside"].to_numpy(dtype=bool) if level == COVERAGE else own
        share, looks = share_interval(held, groups), len(INTERVAL_LEVELS)
        alone, off = (misses(held, level, groups, n_looks) for n_looks in (1, looks))
        lines.append((len(held), share.value, share.low, share.high, alone, off))
    index = pd.Index(INTERVAL_LEVELS, name="level")
    return pd.DataFrame(lines, columns=["rows", "held", "low", "high", "alone", "off"], index=index)


def misses(held: NDArray[np.bool_], level: float, groups: IntArray | None, n_looks: int) -> bool:
    """Tell whether a share of rows is clearly not what was promised, where so many shares are looked at together.

    Wilson's interval, which knows of groups, and the exact binomial test have to agree: of few rows and a promise near
    1 the interval alone finds too much.

    Examples
    --------
    >>> misses(np.repeat([True, False], [6, 3]), 0.9, None, 1), misses(np.repeat([True, False], [12, 6]), 0.9, None, 1)
    (False, True)
    """
    if not len(held):
        return False
    share = share_interval(held, groups, quantile=quantile_for(n_looks))
    p = binomtest(int(held.sum()), len(held), level).pvalue
    return bool((share.low > level or share.high < level) and p < (1.0 - SURE) / max(1, n_looks))


def quantile_for(n_looks: int) -> float:
    """Return how many standard errors intervals are wide on each side that hold together in 95 of 100 cases.

    Examples
    --------
    >>> round(quantile_for(1), 2), round(quantile_for(6), 2)
    (1.96, 2.64)
    """
    return float(norm.ppf(1.0 - (1.0 - SURE) / (2.0 * max(1, n_looks))))


def places_of(found: pd.DataFrame, groups: IntArray | None) -> Places:
    """Return where numbers lie in their own distributions; as :func:`coverage_by_level` takes them."""
    places, n = found["place"].to_numpy(dtype=np.float64), len(found)
    n_bars = next((count for count in _BARS if n >= _ROWS_PER_BAR * count), _FEWEST_BARS)
    edges = np.linspace(0.0, 1.0, n_bars + 1)
    bar = np.clip(np.searchsorted(edges, places, side="right") - 1, 0, n_bars - 1)
    counts = np.bincount(bar, minlength=n_bars)
    band = _band(bar, n_bars, groups) if n else (0.0, 0.0)
    off = (counts < band[0]) | (counts > band[1])
    bars = pd.DataFrame({"low": edges[:-1], "high": edges[1:], "rows": counts, "off": off})
    above: NDArray[np.bool_] = (found["actual"] > found["median"]).to_numpy(dtype=bool)
    return Places(bars, band, share_interval(above, groups), n, int((found["part"] == "train").sum()))


def _band(bar: IntArray, n_bars: int, groups: IntArray | None) -> tuple[float, float]:
    """Return between which counts all bars stay in 95 % of samples of evenly spread places."""
    n, share = len(bar), 1.0 / n_bars
    chance = (1.0 - SURE) / (2.0 * n_bars)
    if groups is None:
        return float(binom.ppf(chance, n, share)), float(binom.ppf(1.0 - chance, n, share))
    moves: FloatArray = (bar[:, None] == np.arange(n_bars)) - share
    codes = np.unique(groups, return_inverse=True)[1]
    sums = np.zeros((codes.max() + 1, n_bars))
    np.add.at(sums, codes, moves)
    if len(sums) < 2:
        return 0.0, float(n)
    worth = len(sums) / (len(sums) - 1) * float(np.square(sums).sum()) / float(np.square(moves).sum())
    half = quantile_for(n_bars) * float(np.sqrt(n * share * (1.0 - share) * max(1.0, worth)))
    return max(0.0, n * share - half), min(float(n), n * share + half)
