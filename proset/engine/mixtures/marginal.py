"""The marginal density p0 of (R1): a kernel estimate with tails, as few normal components."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from proset.engine.mixtures.mixture import HEIGHT, FloatArray, Mixture

MOST_COMPONENTS = 128
# One observation more, of which nothing is known but the scale: normal densities of growing spread and falling weight,
# so that no target is impossible, and one far out costs a few nats and not thousands.
TAIL_SPREADS: FloatArray = 2.0 * 4.0 ** np.arange(9.0)
TAIL_WEIGHTS: FloatArray = 64.0 ** -np.arange(9.0)
MOST_EXACT = 4_096  # distinct targets up to which rows are left out one by one without rounding


@dataclass(frozen=True, eq=False)
class Marginal:
    """Density of the targets of all training rows, as a mixture of normal densities.

    Attributes
    ----------
    centers, spreads, weights : ndarray of shape (M,)
        Components; weights sum to one.

    Examples
    --------
    >>> y = np.linspace(-1.7, 1.7, 50)
    >>> marginal = Marginal.of(y, np.ones(50), least_spread=0.02)
    >>> marginal.mixture(2).cdf(np.zeros((2, 1))).round(3).tolist()
    [[0.5], [0.5]]
    """

    centers: FloatArray
    spreads: FloatArray
    weights: FloatArray

    @classmethod
    def of(cls, values: FloatArray, weight: FloatArray, least_spread: float) -> Self:
        """Estimate the density of targets, standardised, with sample weights.

        Neighbours that are much nearer than the bandwidth share a component, whose spread has their variance: mean and
        variance are those of the kernel estimate.
        """
        share = weight / weight.sum()
        width = max(bandwidth(values, weight), least_spread)
        cells, cell = _cells(values, 0.5 * width)
        mass = np.bincount(cell, weights=share, minlength=cells)
        centers = np.bincount(cell, weights=share * values, minlength=cells) / mass
        variance = np.bincount(cell, weights=share * np.square(values - centers[cell]), minlength=cells) / mass
        tail, middle = tail_share(weight), float(np.sum(share * values))
        return cls(
            np.concatenate([centers, np.full(TAIL_SPREADS.shape[0], middle)]),
            np.concatenate([np.sqrt(width * width + variance), TAIL_SPREADS]),
            np.concatenate([(1.0 - tail) * mass, tail * TAIL_WEIGHTS / TAIL_WEIGHTS.sum()]),
        )

    def mixture(self, n_cases: int) -> Mixture:
        """Return it as the distribution of so many cases."""
        shape = (n_cases, self.centers.shape[0])
        return Mixture(np.broadcast_to(self.weights, shape), np.broadcast_to(self.centers, shape), self.spreads)


def beside(
    marginal: Marginal,
    impacts: Sequence[FloatArray],
    total: FloatArray,
    centers: Sequence[FloatArray],
    spreads: Sequence[FloatArray],
) -> Mixture:
    """Return the distributions (R1) of rows: votes, in parts, then the marginal density, over their `total`, (n, 1)."""
    own = marginal.mixture(total.shape[0])
    return Mixture(
        np.concatenate([*impacts, own.weights], axis=1) / total,
        np.concatenate([*centers, own.means], axis=1),
        np.concatenate([*spreads, own.spreads]),
    )


def tail_share(weight: FloatArray) -> float:
    """Return what the one observation more weighs, as a share of all."""
    total = float(weight.sum())
    largest = float(weight.max())
    return largest / (total + largest)


def bandwidth(values: FloatArray, weight: FloatArray) -> float:
    """Return Silverman's bandwidth on the robust spread: 0.9 min(sd, IQR / 1.34) n^(-1/5), with the effective n.

    Examples
    --------
    >>> round(bandwidth(np.arange(100.0), np.ones(100)), 2)
    10.34
    """
    share = weight / weight.sum()
    middle = np.sum(share * values)
    deviation = float(np.sqrt(np.sum(share * np.square(values - middle))))
    low, high = np.quantile(values, [0.25, 0.75], weights=weight, method="inverted_cdf")
    robust = float(high - low) / 1.34
    return 0.9 * (min(deviation, robust) if robust > 0.0 else deviation) * float(np.sum(share * share)) ** 0.2


def resolution(values: FloatArray) -> float:
    """Return half the smallest gap between distinct targets, 0 where there is one only.

    Examples
    --------
    >>> resolution(np.array([1.0, 3.0, 1.0, 2.0]))
    0.5
    """
    distinct = np.unique(values)
    return 0.5 * float(np.diff(distinct).min()) if distinct.shape[0] > 1 else 0.0


def left_out_density(values: FloatArray, weight: FloatArray, least_spread: float) -> FloatArray:
    """Return the kernel estimate at each training target without that row, with tails, shape (n,), positive."""
    share, width, tail = weight / weight.sum(), max(bandwidth(values, weight), least_spread), tail_share(weight)
    rounded = values
    if np.unique(values).shape[0] > MOST_EXACT:
        step = (values.max() - values.min()) / MOST_EXACT
        rounded = np.round(values / step) * step
    found, inverse = np.unique(rounded, return_inverse=True)
    distinct = found.astype(np.float64)
    mass = np.bincount(inverse, weights=share).astype(np.float64)
    heights = Mixture(mass[None, :], distinct[None, :], np.full(distinct.shape[0], width)).pdf(distinct[None, :])[0]
    others = np.maximum(heights[inverse] - share * HEIGHT / width, 0.0) / np.maximum(1.0 - share, share)
    middle = np.full((1, TAIL_SPREADS.shape[0]), np.sum(share * values))
    tails = Mixture(TAIL_WEIGHTS[None, :] / TAIL_WEIGHTS.sum(), middle, TAIL_SPREADS).pdf(distinct[None, :])[0]
    density: FloatArray = (1.0 - tail) * others + tail * tails[inverse]
    return density


def _cells(values: FloatArray, width: float) -> tuple[int, NDArray[np.int64]]:
    """Return how many cells of a grid hold targets, and the one that each target is in."""
    while True:
        found, cell = np.unique(np.floor(values / width), return_inverse=True)
        if found.shape[0] <= MOST_COMPONENTS:
            return found.shape[0], cell
        width *= 2.0
