"""Draw training samples as candidates for prototypes: algorithm 2.1 and condition (2.14)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from proset.common.errors import ProsetError
from proset.engine.set_manager import BoolArray, FloatArray, IntArray
from proset.engine.steering import NOT_STEERED, Steering


@dataclass(frozen=True, eq=False)
class CandidateSplit:
    """Rows of the training data for one batch: candidates for prototypes and reference rows that score them."""

    candidates: IntArray
    reference: IntArray


def bin_allocation(
    counts: ArrayLike, num_candidates: int, max_fraction: float, *, allowed: ArrayLike | None = None
) -> IntArray:
    """Decide how many candidates to draw from each bin (algorithm 2.1).

    Where only some samples of a bin may be drawn, which the report does not know, its limit eta * g in steps 3 and 4 is
    the number of these if that is less, and the bins are taken in the order of their limits.

    Parameters
    ----------
    counts : array-like of int, shape (2K,)
        Samples available in each bin g, in any order.
    num_candidates : int
        Number of candidates M wanted, at least 1.
    max_fraction : float
        Largest share eta of a bin that may be drawn, in (0, 1).
    allowed : array-like of int, shape (2K,), or None
        Samples of each bin that may be drawn; None for all.

    Returns
    -------
    ndarray of int64, shape (2K,)
        Candidates h to draw from each bin, in the order of `counts`. Halves are rounded up, as the proof of
        condition (2.14) requires.

    Examples
    --------
    >>> bin_allocation([0, 10, 100, 1000], num_candidates=120, max_fraction=0.5)
    array([ 0,  5, 50, 65])
    >>> bin_allocation([0, 10, 100, 1000], num_candidates=120, max_fraction=0.5, allowed=[0, 10, 20, 1000])
    array([ 0,  5, 20, 95])
    """
    available = np.asarray(counts, dtype=np.int64)
    limits = max_fraction * available
    if allowed is not None:
        limits = np.minimum(limits, np.asarray(allowed, dtype=np.int64))
    order = np.argsort(available if allowed is None else limits, kind="stable")
    drawn = np.zeros(available.shape[0])
    remaining = float(num_candidates)
    for position, index in enumerate(order):
        even_share = remaining / (order.shape[0] - position)
        limit = limits[index]
        if even_share <= limit:
            drawn[order[position:]] = even_share
            break
        drawn[index] = limit
        remaining -= limit
    return np.floor(drawn + 0.5).astype(np.int64)


def smallest_class_size(max_fraction: float) -> int:
    """Return the fewest samples per class that satisfy condition (2.14).

    Parameters
    ----------
    max_fraction : float
        Largest share eta of a bin that may be drawn, in (0, 1).

    Returns
    -------
    int
        Any class with at least that many samples supplies candidates and reference rows in every batch.

    Examples
    --------
    >>> smallest_class_size(0.5)
    3
    """
    # ceil(N_k / 2) must reach 0.5 / eta and exceed 0.5 / (1 - eta); rounding first, as 0.5 / (1 - 0.95) is not 10.
    to_draw = math.ceil(round(0.5 / max_fraction, 9))
    to_leave = math.floor(round(0.5 / (1.0 - max_fraction), 9)) + 1
    half = max(to_draw, to_leave)
    return 2 * half - 1


def check_class_counts(counts: ArrayLike, max_fraction: float, labels: ArrayLike) -> None:
    """Check condition (2.14) for every class.

    Parameters
    ----------
    counts : array-like of int, shape (K,)
        Samples N_k per class.
    max_fraction : float
        Largest share eta of a bin that may be drawn, in (0, 1).
    labels : array-like of shape (K,)
        Class names for the message.

    Raises
    ------
    ValueError
        Naming the classes that have too few samples and how many are needed.

    Examples
    --------
    >>> check_class_counts([5, 3], 0.5, ["no", "yes"])
    """
    needed = smallest_class_size(max_fraction)
    small = [f"{name} ({n})" for name, n in zip(np.asarray(labels), np.asarray(counts), strict=True) if n < needed]
    if small:
        raise ValueError(
            f"Every class needs at least {needed} samples when max_fraction={max_fraction:g}, so that it supplies both "
            f"candidates and reference points. Too few samples in: {', '.join(small)}."
        )


def check_max_samples(n_samples: int, n_classes: int, max_samples: int | None, smallest: int) -> None:
    """Check that a bound on the samples per batch leaves room for every class.

    Parameters
    ----------
    n_samples, n_classes : int
        Samples and classes there are.
    max_samples : int or None
        Largest number of samples per batch; None does not bind.
    smallest : int
        Samples that every class needs, see :func:`smallest_class_size`.

    Raises
    ------
    ProsetError
        If the bound binds and is too small; it says what is needed.

    Examples
    --------
    >>> check_max_samples(1000, 10, 30, 3)
    """
    if max_samples is not None and n_samples > max_samples and max_samples < n_classes * smallest:
        raise ProsetError(
            f"max_samples={max_samples} is too small for {n_classes} classes: every batch needs {smallest} samples of "
            "each.",
            hint=f"Use at least {n_classes * smallest}, or None for all samples.",
        )


def subsample(target: IntArray, max_samples: int | None, smallest: int, keys: FloatArray) -> IntArray:
    """Draw at most `max_samples` rows without replacement, each class in proportion to its size.

    As in all draws here, each row has a random key and the least keys win. So a row that moves to another class or bin
    takes its key along and changes the draw by about one row; positions drawn from each bin would all be others.

    Parameters
    ----------
    target : ndarray of int64, shape (n,)
        Class of each row, 0 to K - 1.
    max_samples : int or None
        Upper bound on the rows kept; None keeps all.
    smallest : int
        Rows that a class keeps however rare it is, see :func:`smallest_class_size`; the other classes make room.
    keys : ndarray of shape (n,)
        A random number of each row.

    Returns
    -------
    ndarray of int64
        Rows kept, ascending.

    Raises
    ------
    ProsetError
        If the bound is too small for the number of classes.

    Examples
    --------
    >>> rows = subsample(np.repeat([0, 1], [90, 10]), 20, 3, np.random.default_rng(0).random(100))
    >>> len(rows), int((rows >= 90).sum())
    (20, 3)
    """
    if max_samples is None or target.shape[0] <= max_samples:
        return np.arange(target.shape[0], dtype=np.int64)
    counts = np.bincount(target)
    check_max_samples(target.shape[0], counts.shape[0], max_samples, smallest)
    wanted = _class_allocation(counts, max_samples, smallest)
    parts = [_first(np.flatnonzero(target == k), keys, n) for k, n in enumerate(wanted)]
    return np.sort(np.concatenate(parts))


def _first(rows: IntArray, keys: FloatArray, count: int) -> IntArray:
    """Return as many of the rows, those with the least keys."""
    return rows[np.argsort(keys[rows], kind="stable")[:count]]


def _class_allocation(counts: IntArray, total: int, smallest: int) -> IntArray:
    """Share out `total` places in proportion to the counts, none below `smallest` (or the count, if that is less)."""
    least = np.minimum(counts, smallest)
    raised = np.zeros(counts.shape[0], dtype=bool)  # classes whose proportion would be less than the least
    quota = counts * (total / counts.sum())
    while (too_small := ~raised & (quota < least)).any():
        raised |= too_small
        share = (total - least[raised].sum()) / max(1, counts[~raised].sum())
        quota = np.where(raised, least, counts * share)
    places = np.floor(quota).astype(np.int64)
    left = total - int(places.sum())
    places[np.argsort(places - quota, kind="stable")[:left]] += 1  # to the largest fractions
    return places


def correctly_classified(probabilities: NDArray[np.float64], target: IntArray) -> NDArray[np.bool_]:
    """Mark rows whose true class has a probability greater than that of every other class.

    Parameters
    ----------
    probabilities : ndarray of shape (n, K)
        Estimates of the model so far.
    target : ndarray of int64, shape (n,)
        True class of each row.

    Returns
    -------
    ndarray of bool, shape (n,)

    Examples
    --------
    >>> correctly_classified(np.array([[0.6, 0.4], [0.5, 0.5]]), np.array([0, 0]))
    array([ True, False])
    """
    rows = np.arange(target.shape[0])
    others = probabilities.copy()
    others[rows, target] = -np.inf
    return probabilities[rows, target] > others.max(axis=1)


def split_candidates(
    target: IntArray,
    correct: NDArray[np.bool_],
    *,
    num_candidates: int,
    max_fraction: float,
    keys: FloatArray,
    steering: Steering = NOT_STEERED,
) -> CandidateSplit:
    """Draw candidates as evenly as possible from the right and wrong cases of each class (algorithm 2.1).

    Beyond the report: samples that may not be candidates are never drawn, and those that have to be are taken first,
    more than the share of a bin if they are more. A class of which all samples have to be candidates keeps the last of
    them to score the others.

    Parameters
    ----------
    target : ndarray of int64, shape (n,)
        Class of each row, 0 to K - 1.
    correct : ndarray of bool, shape (n,)
        Whether the model so far classifies the row correctly.
    num_candidates, max_fraction
        M and eta of algorithm 2.1.
    keys : ndarray of shape (n,)
        A random number of each row; the least of each bin are drawn.
    steering : Steering
        Says which samples may and which have to be candidates; by default all may and none has to be.

    Returns
    -------
    CandidateSplit
        Row positions, ascending; together they are all rows.

    Examples
    --------
    >>> split = split_candidates(np.repeat([0, 1], 4), np.repeat([True, False], 4), num_candidates=4,
    ...                          max_fraction=0.5, keys=np.random.default_rng(0).random(8))
    >>> len(split.candidates), len(split.reference)
    (4, 4)
    """
    bins = 2 * target + correct
    n_bins = 2 * (int(target.max()) + 1)
    may, chosen = steering.allowed, _required_rows(target, steering.required)
    allowed = None if may is None else np.bincount(bins[may], minlength=n_bins)
    allocation = bin_allocation(np.bincount(bins, minlength=n_bins), num_candidates, max_fraction, allowed=allowed)
    left = np.maximum(allocation - np.bincount(bins[chosen], minlength=n_bins), 0)
    free = ~chosen if may is None else ~chosen & may
    if chosen.any():
        left = _leave_one(left, target, chosen)
    for b in np.flatnonzero(left):
        chosen[_first(np.flatnonzero((bins == b) & free), keys, left[b])] = True
    return CandidateSplit(candidates=np.flatnonzero(chosen), reference=np.flatnonzero(~chosen))


def _required_rows(target: IntArray, required: BoolArray | None) -> BoolArray:
    """Mark the samples that have to be candidates, but for the last one of a class of which all have to be."""
    if required is None:
        return np.zeros(target.shape[0], dtype=bool)
    chosen = required.copy()
    for k in np.flatnonzero(np.bincount(target, weights=~required) == 0):
        chosen[np.flatnonzero(target == k)[-1:]] = False
    return chosen


def _leave_one(left: IntArray, target: IntArray, chosen: BoolArray) -> IntArray:
    """Draw fewer from the bins of a class that would be left without a sample to score the candidates."""
    pairs = left.reshape(-1, 2)  # the bins of one class follow one another
    most = np.maximum(np.bincount(target) - 1 - np.bincount(target[chosen], minlength=pairs.shape[0]), 0)
    second = np.minimum(pairs[:, 1], most)
    return np.column_stack([np.minimum(pairs[:, 0], most - second), second]).ravel()


def with_required(rows: IntArray, target: IntArray, required: BoolArray, keys: FloatArray) -> IntArray:
    """Swap samples that have to be candidates in for others of their class that were drawn.

    Parameters
    ----------
    rows : ndarray of int64, shape (m,)
        Samples drawn by :func:`subsample`, ascending.
    target : ndarray of int64, shape (n,)
        Class of each sample.
    required : ndarray of bool, shape (n,)
        Samples that have to be there.
    keys : ndarray of shape (n,)
        A random number of each row, as given to `subsample`; the greatest make room.

    Returns
    -------
    ndarray of int64
        As many, ascending; more only where a class would keep none but required ones.

    Examples
    --------
    >>> rows, target = np.array([0, 1, 4]), np.array([0, 0, 0, 1, 1])
    >>> found = with_required(rows, target, np.array([False, False, True, False, False]), np.arange(5) / 5)
    >>> len(found), 2 in found
    (3, True)
    """
    kept = np.zeros(target.shape[0], dtype=bool)
    kept[rows] = True
    missing = required & ~kept
    for k in np.unique(target[missing]).tolist():
        others = np.flatnonzero(kept & ~required & (target == k))
        room = min(int(missing[target == k].sum()), max(others.shape[0] - 1, 0))
        kept[_first(others, -keys, room)] = False
    return np.flatnonzero(kept | missing)
