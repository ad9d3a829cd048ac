"""Between targets in the units of a table and the numbers that a fit works on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.optimize import minimize
from scipy.special import erfcx, ndtr

from proset.engine.kernels.similarity import FloatArray
from proset.engine.mixtures.marginal import resolution
from proset.engine.mixtures.mixture import HEIGHT

_LEVELS = (np.arange(512) + 0.5) / 512  # quantiles that stand for all targets where a bend is looked for
_STARTS = ((0.0, 1.0), (-1.0, 0.3), (1.0, 0.3))  # centers and logarithms of widths, in spreads from the median
# Of the part that is nearly straight, in spreads. A logarithm down to the least targets would be more likely, but what
# is learned from these then costs the others: with a tenth hardly less is gained where errors are in proportion.
_LEAST_WIDTH, _MOST_WIDTH = 0.1, 1e3
_SHORT = 1e-5  # a way on which the slope in its middle is exact to the last digits that a difference would leave
FARTHEST_BEND = 700.0  # of bent targets; farther out exponentials have no number
LEAST_GAIN = 0.1  # nats per sample; with less a target has no long tail


@dataclass(frozen=True)
class TargetUnits:
    """Straight: mean and standard deviation are taken out of the targets.

    Attributes
    ----------
    location, scale : float
        That mean and standard deviation; of bent targets, if they are.

    Examples
    --------
    >>> units = TargetUnits(10.0, 2.0)
    >>> units.inward(np.array([12.0])).tolist(), units.outward(np.array([1.0])).tolist(), units.step
    ([1.0], [12.0], 2.0)
    """

    location: float
    scale: float

    def inward(self, y: FloatArray) -> FloatArray:
        """Standardise targets."""
        return (y - self.location) / self.scale

    def outward(self, z: FloatArray) -> FloatArray:
        """Bring standardised values to the units of the target."""
        return self.location + self.scale * z

    def slopes(self, z: FloatArray) -> FloatArray:
        """Return how much the target grows per standardised unit, at standardised values; positive."""
        return np.full(np.shape(z), self.scale)

    def secants(self, z: FloatArray, moves: FloatArray) -> FloatArray:
        """Return how much the target grows per standardised unit in the mean on a way from standardised values."""
        return self.slopes(z)

    def means(self, means: FloatArray, spreads: FloatArray) -> FloatArray:
        """Return the means, in units of the target, of values that are normal when standardised."""
        return self.outward(means)

    def widths(self, z: FloatArray, spreads: FloatArray) -> FloatArray:
        """Return half the way, in units of the target, from one spread below to one above standardised values."""
        return self.scale * spreads

    @property
    def step(self) -> float:
        """Difference of the target that counts: the standard deviation."""
        return self.scale


@dataclass(frozen=True)
class BentUnits(TargetUnits):
    """Bent: long tails are drawn in by an inverse hyperbolic sine before mean and standard deviation are taken out.

    Near its center it is straight, far from it a logarithm to either side; beyond the training targets it goes on
    straight, so that whatever a model expects there does not grow without bound.

    Attributes
    ----------
    center, width : float
        Targets y are taken as asinh((y - center) / width); the width is positive.
    low, high : float
        The least and the greatest bent training target.

    Notes
    -----
    A density of standardised values becomes one of targets by division through :meth:`slopes`, the Jacobian. Center and
    width are those with which the training targets are most nearly normal (Johnson 1949, system S_U): in other units,
    from another zero or with another sign of the target it is the same bend.

    Examples
    --------
    >>> y = np.exp(np.linspace(-2.0, 3.0, 201))
    >>> units = BentUnits.of(y, np.ones(201))
    >>> bool(np.allclose(units.outward(units.inward(y)), y)), float(units.inward(y).std().round(6))
    (True, 1.0)
    """

    center: float
    width: float
    low: float
    high: float

    @classmethod
    def of(cls, y: FloatArray, weight: FloatArray) -> Self:
        """Find the bend of training targets, not all equal, with sample weights."""
        center, width, _ = _most_normal(y, weight)
        bent = np.arcsinh((y - center) / width)
        share = weight / weight.sum()
        middle = float(np.sum(share * bent))
        spread = float(np.sqrt(np.sum(share * np.square(bent - middle))))
        return cls(middle, spread, center, width, float(bent.min()), float(bent.max()))

    def inward(self, y: FloatArray) -> FloatArray:
        """Bend and standardise targets."""
        straight = (y - self.center) / self.width
        inside = np.clip(straight, np.sinh(self.low), np.sinh(self.high))
        bent = np.arcsinh(inside) + (straight - inside) / np.hypot(1.0, inside)
        return (bent - self.location) / self.scale

    def outward(self, z: FloatArray) -> FloatArray:
        """Bring standardised values to the units of the target."""
        return self.center + self._from_center(z)

    def slopes(self, z: FloatArray) -> FloatArray:
        """Return how much the target grows per standardised unit, at standardised values; positive."""
        inside = np.clip(self.location + self.scale * z, self.low, self.high)
        return self.scale * self.width * np.cosh(inside)

    def secants(self, z: FloatArray, moves: FloatArray) -> FloatArray:
        """Return how much the target grows per standardised unit in the mean on a way from standardised values."""
        short = np.abs(moves) < _SHORT
        ways = np.where(short, 1.0, moves)
        return np.where(
            short, self.slopes(z + 0.5 * moves), (self._from_center(z + ways) - self._from_center(z)) / ways
        )

    def means(self, means: FloatArray, spreads: FloatArray) -> FloatArray:
        """Return the means, in units of the target, of values that are normal when standardised."""
        at, s = self.location + self.scale * means, self.scale * spreads
        a, b = (self.low - at) / s, (self.high - at) / s
        rising = _part_of_exp(self.high, at, s) - _part_of_exp(self.low, at, s)
        falling = _part_of_exp(-self.low, -at, s) - _part_of_exp(-self.high, -at, s)
        below = np.sinh(self.low) * ndtr(a) - np.cosh(self.low) * s * (a * ndtr(a) + _normal(a))
        above = np.sinh(self.high) * ndtr(-b) + np.cosh(self.high) * s * (_normal(b) - b * ndtr(-b))
        return self.center + self.width * (below + 0.5 * (rising - falling) + above)

    def widths(self, z: FloatArray, spreads: FloatArray) -> FloatArray:
        """Return half the way, in units of the target, from one spread below to one above standardised values."""
        return 0.5 * (self.outward(z + spreads) - self.outward(z - spreads))

    def _from_center(self, z: FloatArray) -> FloatArray:
        """Return how far from the center, in units of the target, standardised values are."""
        bent = self.location + self.scale * z
        inside = np.clip(bent, self.low, self.high)
        return self.width * (np.sinh(inside) + np.cosh(inside) * (bent - inside))

    @property
    def steep(self) -> str:
        """Side on which the same step of the model is more in units of the target: "above", "below" or "both"."""
        below, middle, above = self.slopes(np.array([-1.0, 0.0, 1.0])).tolist()
        return "above" if below < middle < above else "below" if below > middle > above else "both"

    @property
    def corners(self) -> tuple[float, float]:
        """The standardised values beyond which it goes on straight."""
        return (self.low - self.location) / self.scale, (self.high - self.location) / self.scale

    @property
    def step(self) -> float:
        """Difference of the target that counts: one standard deviation around the middle."""
        return float(np.diff(self.outward(np.array([-0.5, 0.5])))[0])


def gain_of_bend(y: FloatArray, weight: FloatArray) -> float:
    """Return by how many nats per sample targets are more likely as bent normal numbers than as normal ones.

    Examples
    --------
    >>> y = np.linspace(-2.0, 2.0, 100)
    >>> gain_of_bend(y, np.ones(100)) < 0.01 < 0.2 < gain_of_bend(np.exp(y), np.ones(100))
    True
    """
    return 0.0 if y.min() == y.max() else max(0.0, _most_normal(y, weight)[2])


def _most_normal(y: FloatArray, weight: FloatArray) -> tuple[float, float, float]:
    """Return center and width of the bend that makes targets most nearly normal, and what that gains in nats."""
    largest = float(np.abs(y).max())  # so that squares exist
    points = np.quantile(y / largest, _LEVELS, weights=weight, method="inverted_cdf")
    low, middle, high = (float(np.quantile(points, level)) for level in (0.1, 0.5, 0.9))
    spread = high - low or float(points.max() - points.min()) or 1.0
    values = (points - middle) / spread
    farthest = float(np.ptp(y / largest)) / spread * np.exp(-0.5 * FARTHEST_BEND)
    least = min(max(_LEAST_WIDTH, resolution(y / largest) / spread, farthest), _MOST_WIDTH)

    def unlikely(at: FloatArray) -> float:
        center, width = float(at[0]), float(np.exp(at[1]))
        off = (values - center) / width
        return float(np.log(np.arcsinh(off).std() or 1e-300) + np.log(width * np.hypot(1.0, off)).mean())

    bounds = [(-10.0, 10.0), (np.log(least), np.log(_MOST_WIDTH))]
    tries = [minimize(unlikely, start, method="Nelder-Mead", bounds=bounds) for start in _STARTS]
    best = min(tries, key=lambda one: float(one.fun))
    center, width = float(best.x[0]), float(np.exp(best.x[1]))
    straight = float(np.log(values.std() or 1e-300))
    return largest * (middle + spread * center), largest * spread * width, straight - float(best.fun)


def _part_of_exp(end: float, means: FloatArray, spreads: FloatArray) -> FloatArray:
    """Return the mean of exp(T) where T < end and of 0 elsewhere, of normal T; exact also where either is tiny."""
    far = (means + np.square(spreads) - end) / spreads
    z = (end - means) / spreads
    with np.errstate(over="ignore"):
        tail = 0.5 * np.exp(end - 0.5 * z * z) * erfcx(np.maximum(far, 0.0) / np.sqrt(2.0))
        whole = np.exp(np.minimum(means + 0.5 * np.square(spreads), end)) * ndtr(-far)
    return np.asarray(np.where(far > 0.0, tail, whole))


def _normal(z: FloatArray) -> FloatArray:
    """Return the standard normal density."""
    return np.asarray(HEIGHT * np.exp(-0.5 * z * z))
