"""95 % intervals of measures, by whole groups where rows come in groups.

Rows of one customer or patient are alike, so that many rows of few groups say less than as many rows of their own. All
intervals here follow from how much each row moves a measure; with groups, from how much each group does (the variance
of a cluster sample), with the t distribution for as many groups.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm, t

from proset.engine.metrics import pairwise_auc_parts

SURE = 0.95
"""Confidence of intervals and tests."""

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


@dataclass(frozen=True)
class Measured:
    """A measure with its 95 % interval.

    Attributes
    ----------
    value, low, high : float
        The interval is nan where there is none.
    """

    value: float
    low: float = math.nan
    high: float = math.nan


def mean_interval(values: FloatArray, groups: IntArray | None = None) -> tuple[float, float]:
    """Return the 95 % interval of a mean; without end where there are fewer than two rows or groups.

    Parameters
    ----------
    values : ndarray of shape (n,)
        One value per row.
    groups : int64 array of shape (n,) or None
        Number of the group of each row; None where each is its own.

    Examples
    --------
    >>> mean_interval(np.array([1.0, 2.0, 3.0]))
    (-0.48..., 4.48...)
    >>> low, high = mean_interval(np.array([1.0, 2.0, 3.0] * 2), np.array([0, 1, 2] * 2))
    >>> round(low, 2), round(high, 2)  # each value twice says no more than once
    (-0.48, 4.48)
    """
    n = len(values)
    sums = _sums((values - values.mean()) / n, groups) if n else values
    if len(sums) < 2:
        return -math.inf, math.inf
    half = _factor(len(sums)) * math.sqrt(_variance(sums))
    return float(values.mean()) - half, float(values.mean()) + half


def share_interval(
    right: NDArray[np.bool_], groups: IntArray | None = None, *, quantile: float | None = None
) -> Measured:
    """Return the share of rows that are right, with Wilson's interval; with groups for as many rows as they are worth.

    Parameters
    ----------
    quantile : float or None
        How many standard errors it is wide on each side; None for 95 %; more where many intervals
        have to hold together.

    Examples
    --------
    >>> share_interval(np.repeat([True, False], [9, 1]))
    Measured(value=0.9, low=0.59..., high=0.98...)
    """
    n = len(right)
    if not n:
        return Measured(math.nan)
    value = float(right.mean())
    worth = n / _design_effect((right - value) / n, np.full(n, 1.0 / n), groups)
    return Measured(value, *_wilson(value, worth, max(_quantile(groups), quantile or 0.0)))


def go_together(one: NDArray[np.bool_], other: NDArray[np.bool_], groups: IntArray) -> bool:
    """Tell whether one thing goes with another more often than by luck (1 time in 20), in whole groups.

    Parameters
    ----------
    one, other : bool array of shape (n,)
        Such as: the row is of a class, the row is said to be of it.
    groups : int64 array of shape (n,)
        Number of the group of each row.

    Notes
    -----
    By the covariance and its cluster variance. On groups of 3 to 40 rows that are of one class and get one answer,
    luck passes in at most 6 of 100 draws; the exact test for single rows lets up to 43 pass.

    Examples
    --------
    >>> ill, said = np.repeat([True, False], 6), np.repeat([True, False, True, False], [5, 1, 1, 5])
    >>> go_together(ill, said, np.arange(12)), go_together(ill, said, np.repeat([0, 1], 6))
    (True, False)
    """
    n = len(one)
    if len(np.unique(groups[one])) < 2:  # one group alone has no spread
        return False
    together = (one - one.mean()) * (other - other.mean())
    sums = _sums((together - together.mean()) / n, groups)
    error = math.sqrt(_variance(sums))
    return bool(together.mean() > t.ppf(SURE, len(sums) - 1) * error)


def balanced_interval(actual: IntArray, right: NDArray[np.bool_], groups: IntArray | None = None) -> Measured:
    """Return balanced accuracy with its interval, put together of Wilson's intervals of the classes.

    Parameters
    ----------
    actual : int64 array of shape (n,)
        Position of the class of each row.
    right : bool array of shape (n,)
        Whether it is found.

    Notes
    -----
    The method of variance estimates recovery (Zou and Donner): squares of the distances of each share from the ends of
    its interval add up as variances do. Where a class is found wholly, a variance would be zero.

    Examples
    --------
    >>> found = balanced_interval(np.array([0] * 20 + [1] * 5), np.array([True] * 25))
    >>> found.value, round(found.low, 2), found.high
    (1.0, 0.77, 1.0)
    """
    if not len(actual):
        return Measured(math.nan)
    present, codes, counts = np.unique(actual, return_inverse=True, return_counts=True)
    shares = np.bincount(codes, weights=right) / counts
    step = 1.0 / (len(present) * counts[codes])
    effect, quantile = _design_effect((right - shares[codes]) * step, step, groups), _quantile(groups)
    ends = np.array([_wilson(p, n / effect, quantile) for p, n in zip(shares.tolist(), counts.tolist(), strict=True)])
    below, above = np.sqrt(np.square(ends - shares[:, None]).sum(axis=0)) / len(present)
    value = float(shares.mean())
    return Measured(value, max(0.0, value - float(below)), min(1.0, value + float(above)))


def auc_interval(actual: IntArray, probabilities: FloatArray, groups: IntArray | None = None) -> Measured:
    """Return the area under the ROC curve (mean over pairs of classes) with its interval.

    Notes
    -----
    Its variance is that of DeLong; the interval is Wilson's for as many rows as have it, so that it ends at 1 and has a
    width where classes are ranked without an error; and as wide as the t distribution has it for what is known of the
    variance: many small classes tell of it together, one small class of two does not.

    Examples
    --------
    >>> found = auc_interval(np.array([0] * 20 + [1] * 20), np.array([[0.9, 0.1]] * 20 + [[0.2, 0.8]] * 20))
    >>> found.value, round(found.low, 2), found.high
    (1.0, 0.9, 1.0)
    """
    value, moves, reach = pairwise_auc_parts(actual, probabilities)
    if math.isnan(value):
        return Measured(math.nan)
    present = np.unique(actual, return_inverse=True)[1]
    counts = np.bincount(present).astype(np.float64)
    alone = np.bincount(present, weights=np.square(reach) / 4.0)
    each, n_pairs = 1.0 / counts, len(counts) * (len(counts) - 1) / 2.0
    # What ranking without an error is worth, by the variance of Hanley and McNeil near 1: of rows of each class, that
    # fail in all its pairs at once, and what is left for each pair.
    perfect = float(alone.sum() + (each.sum() ** 2 - each @ each) / (4.0 * n_pairs**2))
    squares = _known_squares(moves, reach, counts[present] == 1.0, value * (1.0 - value))
    worth = (value * (1.0 - value) + perfect) / (float(squares.sum()) + perfect**2)
    if groups is not None:
        quantile = _quantile(groups)
    else:  # by the degrees of freedom of Welch and Satterthwaite
        spread = np.bincount(present, weights=squares) + alone * perfect
        free = spread.sum() ** 2 / float(np.square(spread) @ (1.0 / np.maximum(1.0, counts - 1.0)))
        quantile = _factor(1.0 + free)
    return Measured(value, *_wilson(value, worth / _design_effect(moves, reach, groups), quantile))


def _known_squares(moves: FloatArray, reach: FloatArray, lone: NDArray[np.bool_], most: float) -> FloatArray:
    """Return squared moves; for rows alone in their class what those of the others say, or the most where all are."""
    squares = np.square(moves)
    usual = most if lone.all() else float(np.mean(squares[~lone] / np.square(reach[~lone])))
    squares[lone] = np.square(reach[lone]) * usual
    return squares


def _wilson(share: float, n: float, quantile: float) -> tuple[float, float]:
    """Return both ends of Wilson's interval of a share of n rows; n need not be whole."""
    square = quantile**2 / n
    middle = (share + square / 2.0) / (1.0 + square)
    half = math.sqrt(share * (1.0 - share) * square + square**2 / 4.0) / (1.0 + square)
    return max(0.0, min(middle - half, share)), min(1.0, max(middle + half, share))


def _design_effect(moves: FloatArray, reach: FloatArray, groups: IntArray | None) -> float:
    """Return how many rows in groups say as much as one row of its own, at least 1.

    Parameters
    ----------
    moves : ndarray of shape (n,)
        How much each row moves the measure.
    reach : ndarray of shape (n,)
        How much it would if it were all wrong.
    groups : int64 array of shape (n,) or None
        Their groups.

    Notes
    -----
    One more group of usual size that is all wrong counts in: where nothing is wrong, nobody knows how errors come, and
    rows of a group then count as one.
    """
    if groups is None:
        return 1.0
    sums = _sums(moves, groups)
    sizes = np.bincount(np.unique(groups, return_inverse=True)[1])
    usual = float(np.square(sizes).sum() / sizes.sum())  # of the group of a row, not of a group
    if len(sums) < 2:
        return usual
    wrong = float(np.square(reach).mean())
    together = _variance(sums)
    return max(1.0, (together + usual**2 * wrong) / (float(moves @ moves) + usual * wrong))


def _sums(values: FloatArray, groups: IntArray | None) -> FloatArray:
    """Return the sum of each group."""
    if groups is None:
        return values
    return np.bincount(np.unique(groups, return_inverse=True)[1], weights=values).astype(np.float64)


def _variance(sums: FloatArray) -> float:
    """Return the variance of a cluster sample from how much each row, or each group, moves a measure; two at least."""
    return len(sums) / (len(sums) - 1) * float(sums @ sums)


def _quantile(groups: IntArray | None) -> float:
    """Return how many standard errors a 95 % interval of a share is wide on each side."""
    if groups is None:
        return float(norm.ppf((1.0 + SURE) / 2.0))
    return _factor(max(2, len(np.unique(groups))))


def _factor(n: float) -> float:
    """Return the same for the mean of n values."""
    return float(t.ppf((1.0 + SURE) / 2.0, n - 1))
