"""Mixtures of normal densities, one for each of many cases, in closed form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, ndtr, ndtri

from proset.engine.kernels.threads import run_parts

FloatArray = NDArray[np.float64]

HEIGHT = 1.0 / np.sqrt(2.0 * np.pi)  # of the standard normal density
BLOCK = 1 << 20  # numbers held at once beside what is given and returned: 8 MiB
STEPS = 200  # of a search for a quantile; one that halves a range ends after about 60
UNHEARD = 1e-15  # weight below which a component changes no digit of a score
NEVER_HEARD = 1e-20  # and below which it changes none of a quantile
CLOSE = 1e-15  # share of a level by which the distribution function may miss it
ROWS_PER_PART = 256


@dataclass(frozen=True, eq=False)
class Mixture:
    """Mixtures of C normal densities for n cases.

    Attributes
    ----------
    weights : ndarray of shape (n, C)
        Not negative; rows sum to one.
    means : ndarray of shape (n, C)
        Finite.
    spreads : ndarray of shape (C,)
        Standard deviations, positive, the same for all cases.

    Examples
    --------
    >>> two = Mixture(np.array([[0.5, 0.5]]), np.array([[-1.0, 1.0]]), np.array([1.0, 1.0]))
    >>> two.mean().tolist(), two.cdf(np.array([[0.0]])).tolist(), two.quantile(np.array([[0.5]])).round(12).tolist()
    ([0.0], [[0.5]], [[0.0]])
    """

    weights: FloatArray
    means: FloatArray
    spreads: FloatArray

    def mean(self) -> FloatArray:
        """Return the mean of each mixture, shape (n,)."""
        return np.einsum("nc,nc->n", self.weights, self.means)

    def take(self, rows: NDArray[np.int64] | slice) -> Mixture:
        """Return the mixtures of some cases."""
        return Mixture(self.weights[rows], self.means[rows], self.spreads)

    def cdf(self, values: FloatArray) -> FloatArray:
        """Return the distribution function at m values of each case, shape (n, m)."""
        return self._summed(values, lambda z, spreads: ndtr(z))

    def sf(self, values: FloatArray) -> FloatArray:
        """Return one less the distribution function, exact where that is tiny, shape (n, m)."""
        return self._summed(values, lambda z, spreads: ndtr(-z))

    def pdf(self, values: FloatArray) -> FloatArray:
        """Return the density, shape (n, m)."""
        return self._summed(values, lambda z, spreads: HEIGHT * np.exp(-0.5 * z * z) / spreads)

    def log_pdf(self, values: FloatArray) -> FloatArray:
        """Return the logarithm of the density, finite also where the density is less than a number can hold."""
        found = np.empty(values.shape)
        with np.errstate(divide="ignore"):
            logs = np.log(HEIGHT * self.weights / self.spreads)
        for rows in self._blocks(values.shape[1]):
            z = (values[rows, :, None] - self.means[rows, None, :]) / self.spreads
            found[rows] = logsumexp(logs[rows, None, :] - 0.5 * z * z, axis=2)
        return found

    def quantile(self, levels: FloatArray) -> FloatArray:
        """Return the quantiles of m levels in (0, 1) for each case, shape (n, m), by a bracketed Newton iteration."""
        found, kernel = np.empty(levels.shape), _kernel()
        if kernel is None:
            for rows in self._blocks(levels.shape[1]):
                found[rows] = self.take(rows).quantile_plainly(levels[rows])
            return _uncrossed(found, levels)
        scores = ndtri(levels)
        parts = [slice(first, first + ROWS_PER_PART) for first in range(0, levels.shape[0], ROWS_PER_PART)]

        def find(part: int) -> None:
            own = parts[part]
            kernel.find_quantiles(
                self.weights[own], self.means[own], self.spreads, levels[own], scores[own], NEVER_HEARD, CLOSE, STEPS,
                found[own],
            )  # fmt: skip

        run_parts(find, len(parts))
        return found

    def crps(self, values: FloatArray) -> FloatArray:
        """Return the continuous ranked probability score of one value for each case, shape (n,).

        In closed form (Grimit, Gneiting, Berrocal and Johnson 2006): E|Y - y| - E|Y - Y'| / 2.
        """
        found = np.empty(values.shape[0])
        for row, (weights, means, value) in enumerate(zip(self.weights, self.means, values, strict=True)):
            heard = np.flatnonzero(weights > UNHEARD)
            w, m, variances = weights[heard], means[heard], np.square(self.spreads[heard])
            near = np.einsum("c,c->", w, mean_size(m - value, np.sqrt(variances)))
            apart = 0.0
            step = max(1, BLOCK // max(1, heard.shape[0]))
            for first in range(0, heard.shape[0], step):
                part = slice(first, first + step)
                sizes = mean_size(m[part, None] - m, np.sqrt(variances[part, None] + variances))
                apart += np.einsum("a,b,ab->", w[part], w, sizes)
            found[row] = near - 0.5 * apart
        return found

    def sample(self, n_draws: int, rng: np.random.Generator) -> FloatArray:
        """Draw so many values of each case, shape (n, n_draws)."""
        edges = np.cumsum(self.weights, axis=1)
        at = np.stack([np.searchsorted(one, rng.random(n_draws) * one[-1], side="right") for one in edges])
        at = np.minimum(at, self.weights.shape[1] - 1)
        return np.take_along_axis(self.means, at, axis=1) + self.spreads[at] * rng.standard_normal(at.shape)

    def quantile_plainly(self, levels: FloatArray) -> FloatArray:
        """Return quantiles of few cases without compiled code: the reference for it."""
        heard = (self.weights > NEVER_HEARD)[:, None, :]
        of_each = self.means[:, None, :] + self.spreads * ndtri(levels)[:, :, None]
        low, high = np.where(heard, of_each, np.inf).min(axis=2), np.where(heard, of_each, -np.inf).max(axis=2)
        value = np.clip(np.einsum("nc,nmc->nm", self.weights, of_each), low, high)
        for _ in range(STEPS):
            off = self.cdf(value) - levels
            low, high = np.where(off <= 0.0, value, low), np.where(off >= 0.0, value, high)
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                step = value - off / self.pdf(value)
            inside = (step > low) & (step < high)
            moved = np.where(off == 0.0, value, np.where(inside, step, 0.5 * (low + high)))
            near = np.abs(off) <= CLOSE * levels
            done = near | (np.abs(moved - value) <= 4.0 * np.spacing(np.abs(value)))
            value = np.where(near, value, moved)
            if done.all():
                break
        return value

    def _summed(self, values: FloatArray, function: Callable[[FloatArray, FloatArray], FloatArray]) -> FloatArray:
        """Add up a function of how many spreads values are from the means, times the weights."""
        found = np.empty(values.shape)
        for rows in self._blocks(values.shape[1]):
            z = (values[rows, :, None] - self.means[rows, None, :]) / self.spreads
            found[rows] = np.einsum("nc,nmc->nm", self.weights[rows], function(z, self.spreads))
        return found

    def _blocks(self, n_values: int) -> list[slice]:
        """Cut the cases into parts that memory is for."""
        step = max(1, BLOCK // max(1, n_values * self.weights.shape[1]))
        return [slice(first, first + step) for first in range(0, self.weights.shape[0], step)]


def _uncrossed(found: FloatArray, levels: FloatArray) -> FloatArray:
    """Return quantiles in the order of their levels, which rounding may have turned round where these are close."""
    order = np.argsort(levels, axis=1)
    sorted_ = np.maximum.accumulate(np.take_along_axis(found, order, axis=1), axis=1)
    result = np.empty_like(found)
    np.put_along_axis(result, order, sorted_, axis=1)
    return result


def _kernel() -> Any:
    """Return the compiled code, None without it."""
    try:
        from proset.engine.kernels import compiled_quantiles
    except ImportError:  # no numba for this interpreter or machine
        return None
    return compiled_quantiles


def mean_size(means: FloatArray, spreads: FloatArray) -> FloatArray:
    """Return the mean of the absolute value of normal variables.

    Examples
    --------
    >>> mean_size(np.zeros(1), np.ones(1)).round(4).tolist()
    [0.7979]
    """
    z = means / spreads
    sizes: FloatArray = 2.0 * spreads * HEIGHT * np.exp(-0.5 * z * z) + means * (2.0 * ndtr(z) - 1.0)
    return sizes
