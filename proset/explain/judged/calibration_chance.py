"""Chance in a calibration error: how far it alone moves one, and which true errors may stand behind the one found."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from proset.study.intervals import SURE, FloatArray, IntArray

_DRAWS, _HALVINGS, _FURTHEST = 4_000, 12, 64.0  # of the interval
_NEARLY_NORMAL = 100.0  # variance from which on a count is taken as normal


def error_interval(
    stated: FloatArray, own: NDArray[np.bool_], parts: list[IntArray], groups: IntArray | None
) -> tuple[float, float]:
    """Return the 95 % interval of the calibration error: those true errors that would show as the one that was found.

    Parameters
    ----------
    stated : float64 array of shape (n,)
        Probability of each case.
    own : bool array of shape (n,)
        Whether it is of the class.
    parts : list of int64 array
        Positions of the cases of each bin.
    groups : int64 array of shape (n,) or None
        Number of the group of each case.

    Notes
    -----
    The mean of distances is too large wherever there is chance, so that a plain bootstrap would never hold 0. What is
    drawn are the differences of the bins: normal, with the covariance that the rows, or whole groups, give.

    Examples
    --------
    >>> stated, rows = np.full(100, 0.9), np.arange(100)
    >>> low, high = error_interval(stated, rows < 60, [rows], None)
    >>> round(low, 1), round(high, 1)
    (0.2, 0.4)
    """
    sizes, which = np.array([len(part) for part in parts]), np.zeros(len(stated), dtype=np.int64)
    for number, part in enumerate(parts):
        which[part] = number
    away: FloatArray = own - stated
    means = np.bincount(which, weights=away) / sizes
    codes = np.arange(len(stated)) if groups is None else np.unique(groups, return_inverse=True)[1]
    sums = np.zeros((codes.max() + 1, len(parts)))
    np.add.at(sums, (codes, which), (away - means[which]) / sizes[which])
    covariance = sums.T @ sums * (len(sums) / max(1, len(sums) - 1))
    # A bin in which all cases are alike is not for that known without an error.
    stated_variance = np.bincount(which, weights=stated * (1.0 - stated)) / np.square(sizes)
    covariance[np.diag_indices_from(covariance)] = np.maximum(np.diag(covariance), stated_variance)
    noise = np.random.default_rng(0).multivariate_normal(np.zeros(len(parts)), covariance, size=_DRAWS, method="eigh")
    share = sizes / sizes.sum()
    error = float(np.abs(means) @ share)

    def larger(factor: float) -> float:
        """Return how often the error is as large as it was found, if the true differences are so many times those."""
        return float((np.abs(factor * means + noise) @ share >= error).mean())

    ends = (_crossing(larger, chance) * error for chance in ((1.0 - SURE) / 2.0, (1.0 + SURE) / 2.0))
    low, high = (min(1.0, end) for end in ends)
    return low, high


def _crossing(rising: Callable[[float], float], goal: float) -> float:
    """Return where a function that rises from 0 reaches a goal; 0 where it is there at once."""
    low, high = 0.0, 1.0
    if rising(0.0) >= goal:
        return 0.0
    while rising(high) < goal and high < _FURTHEST:
        low, high = high, 2.0 * high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if rising(middle) < goal else (low, middle)
    return high


def mean_deviation(p: FloatArray) -> float:
    """Return the mean distance of a count from its mean, where each case counts with its own probability.

    The distribution is Poisson's binomial, made case by case; of large bins a normal one.

    Examples
    --------
    >>> mean_deviation(np.array([0.5, 0.5])), mean_deviation(np.array([0.0, 1.0]))
    (0.5, 0.0)
    """
    variance = float(p @ (1.0 - p))
    if variance > _NEARLY_NORMAL:
        return float(np.sqrt(2.0 * variance / np.pi))
    chances = np.ones(1)
    for one in p[(p > 0.0) & (p < 1.0)]:
        chances = np.append(chances * (1.0 - one), 0.0) + np.append(0.0, chances * one)
    certain = float((p >= 1.0).sum())
    return float(chances @ np.abs(np.arange(len(chances)) + certain - p.sum()))
