"""Scales of numbers: straight, or bent so that a few far values do not set the measure for all others."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proset.common.checked_json import StateReader

FloatArray = NDArray[np.float64]

MOST_KNOTS = 129
_FEWEST_VALUES = 3  # two values are as far apart on any scale
_IQR_OF_NORMAL = 1.349
_DIGITS = 6  # of a matrix value that single precision holds for certain


class Scale(StrEnum):
    """Scale on which numbers of a table become numbers of the matrix; each keeps the order of the values."""

    STANDARD = "standard"
    """Centred and divided by the standard deviation."""
    SQUASHED = "squashed"
    """The inverse hyperbolic sine of the distance from the median in robust deviations: like a logarithm far out."""
    QUANTILE = "quantile"
    """The normal quantile of the share of training rows below."""
    EVIDENCE = "evidence"
    """The standard scale, and beside it what each value says, alone, of the classes: its weight of evidence."""


@dataclass(frozen=True)
class Bend:
    """A monotone way between values and places, straight between knots.

    Attributes
    ----------
    knots : tuple of float
        Values, ascending: the smallest of the training rows first, the largest last.
    places : tuple of float
        What they become, ascending; mean 0 and standard deviation 1 over the training rows.
    beyond : float
        Beyond the first and last knot a place is one further for each so many units of the value.

    Examples
    --------
    >>> bend = Bend((0.0, 1.0, 100.0), (-1.0, 0.0, 1.0), 50.0)
    >>> bend.place(np.array([0.5, 100.0, 150.0])).tolist(), bend.value(np.array([-0.5, 1.0, 2.0])).tolist()
    ([-0.5, 1.0, 2.0], [0.5, 100.0, 150.0])
    """

    knots: tuple[float, ...]
    places: tuple[float, ...]
    beyond: float

    @classmethod
    def of(cls, values: FloatArray, scale: Scale, deviation: float) -> Bend | None:
        """Learn from finite training values and their standard deviation; None where a straight scale does as well."""
        different, counts = np.unique(values, return_counts=True)
        if scale in (Scale.STANDARD, Scale.EVIDENCE) or len(different) < _FEWEST_VALUES:
            return None
        knots, places = _quantile(different, counts) if scale is Scale.QUANTILE else _squashed(values, different)
        at = np.interp(different, knots, places)
        mean = float(np.average(at, weights=counts))
        spread = float(np.sqrt(np.average(np.square(at - mean), weights=counts)))
        bend = cls(tuple(knots.tolist()), tuple(((places - mean) / spread).tolist()), deviation)
        return bend if bend._rises else None

    @property
    def _rises(self) -> bool:
        """True if both sides ascend strictly, so that there is a way back."""
        sides = (np.asarray(self.knots), np.asarray(self.places))
        with np.errstate(over="ignore"):
            return all(bool(np.isfinite(side).all() and (np.diff(side) > 0.0).all()) for side in sides)

    @cached_property
    def _slopes(self) -> FloatArray:
        """Fewest units of the value for one place, below the first knot, between knots and above the last.

        Of each part and those beside it, so that rounding never takes a value past a place further on.
        """
        own = np.concatenate([[self.beyond], np.diff(self.knots) / np.diff(self.places), [self.beyond]])
        beside = np.concatenate([own[:1], own, own[-1:]])
        return np.minimum(own, np.minimum(beside[:-2], beside[2:]))

    def place(self, values: FloatArray) -> FloatArray:
        """Return the places of finite values, same shape."""
        with np.errstate(over="ignore"):
            outside = np.minimum(values - self.knots[0], 0.0) + np.maximum(values - self.knots[-1], 0.0)
            found: FloatArray = np.interp(values, self.knots, self.places) + outside / self.beyond
        return found

    def value(self, places: FloatArray) -> FloatArray:
        """Return the values at places, same shape, with no more digits than single precision holds there."""
        outside = np.minimum(places - self.places[0], 0.0) + np.maximum(places - self.places[-1], 0.0)
        exact = np.interp(places, self.places, self.knots) + outside * self.beyond
        return held_digits(exact, places, self._slopes[np.searchsorted(self.places, np.nan_to_num(places))])

    def to_state(self) -> dict[str, Any]:
        """Plain JSON types."""
        return {"knots": list(self.knots), "places": list(self.places), "beyond": self.beyond}

    @classmethod
    def from_state(cls, state: object, where: str) -> Bend:
        """Check and rebuild."""
        reader = StateReader(state, where)
        knots, places = (reader.numbers(name, fewest=_FEWEST_VALUES, most=MOST_KNOTS) for name in ("knots", "places"))
        bend = cls(knots, places, reader.number("beyond", positive=True))
        reader.close()
        if len(bend.knots) != len(bend.places) or not bend._rises:
            raise reader.refuse("knots", "has to ascend, like 'places', with as many numbers")
        return bend


def held_digits(values: FloatArray, places: FloatArray, slope: FloatArray | float) -> FloatArray:
    """Return values with no more digits than single precision holds at their places in the matrix, same shape.

    Parameters
    ----------
    slope : array or float
        Units of a value for one place.

    Examples
    --------
    >>> held_digits(np.array([2.985e-07, 3.3500001]), np.array([-0.5, -0.4]), 23.6).tolist()
    [0.0, 3.35]
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        digits = _DIGITS - np.ceil(np.log10(slope * np.maximum(np.abs(places), 1.0)))
        steps = 10.0 ** np.clip(digits, -300.0, 300.0)
        rounded = np.round(values * steps) / steps
    return np.where(np.isfinite(rounded), rounded, values) + 0.0  # no "-0"


def _quantile(different: FloatArray, counts: NDArray[np.int64]) -> tuple[FloatArray, FloatArray]:
    """Return knots and their places: the normal quantile of the middle of each value's ranks."""
    ranks = np.cumsum(counts) - 0.5 * counts
    places = _normal_quantile(ranks / counts.sum())
    if len(different) > MOST_KNOTS:
        kept = np.unique(np.searchsorted(places, np.linspace(places[0], places[-1], MOST_KNOTS)))
        different, places = different[kept], places[kept]
    return different, places


def _squashed(values: FloatArray, different: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return knots and their places: the inverse hyperbolic sine around the median, even between the ends."""
    low, middle, high = np.quantile(values, [0.25, 0.5, 0.75])
    away = np.abs(values - middle)
    width = (high - low) / _IQR_OF_NORMAL or float(np.median(away[away > 0.0]))  # where most rows hold one value
    ends = np.arcsinh((different[[0, -1]] - middle) / width)
    places = np.linspace(ends[0], ends[1], MOST_KNOTS)
    knots = np.sinh(places) * width + middle
    knots[[0, -1]] = different[[0, -1]]  # exactly
    return knots, places


def _normal_quantile(shares: FloatArray) -> FloatArray:
    """Return the quantiles of the normal distribution; what only reads tables need not load scipy."""
    from scipy.special import ndtri

    found: FloatArray = ndtri(shares)
    return found
