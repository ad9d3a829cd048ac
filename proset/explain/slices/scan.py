"""The search itself: which parts have more errors than chance gives to the best of so many parts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proset.engine.kernels.similarity import single_threaded_blas
from proset.explain.slices.candidates import SliceParts

N_DRAWS = 199
"""Draws of errors by chance."""
SURE = 0.05
"""Adjusted p-value up to which a part stands out."""
_SAYS_MORE = 6.635  # of a second condition: 1 % of chi-squared with one degree of freedom
_SAME_ROWS, _SAME_ERRORS = 0.5, 0.7
_FEWEST_ERRORS = 2

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Scan:
    """Errors in parts of some rows.

    Attributes
    ----------
    errors : int64 array of shape (S,)
        Errors of each part.
    excess : float64 array of shape (S,)
        Deviance of its share of errors from that of all rows; 0 where there are not more.
    p : float64 array of shape (S,)
        Share of draws by chance in which the part with the largest excess has at least as much, in (0, 1].
    critical : float
        Excess that only 5 % of the draws reach.
    """

    errors: IntArray
    excess: FloatArray
    p: FloatArray
    critical: float


def scan(
    parts: SliceParts,
    wrong: BoolArray,
    groups: IntArray | None = None,
    *,
    n_draws: int = N_DRAWS,
    random_state: int = 0,
) -> Scan:
    """Count the errors of parts, and tell what chance gives to the best of all of them.

    Parameters
    ----------
    wrong : bool array of shape (n,)
        Errors.
    groups : int64 array of shape (n,) or None
        Groups of the rows; errors of a group then move together.

    Notes
    -----
    The largest excess of all parts is compared with the largest excess where the errors are dealt to the rows anew
    (Westfall and Young): p-values so adjusted hold for all parts together, however alike they are.
    """
    n, n_wrong = len(wrong), int(wrong.sum())
    if not len(parts) or not 0 < n_wrong < n:
        none = np.zeros(len(parts), dtype=np.int64)
        return Scan(none, none.astype(np.float64), np.ones(len(parts)), math.inf)
    flat = parts.first * parts.holds.shape[1] + parts.second
    rng = np.random.default_rng(random_state)
    codes = None if groups is None else np.unique(groups, return_inverse=True)[1]
    # Many small products, and a page waits for them while other work has the cores.
    with single_threaded_blas():
        errors = _counts(parts.holds, flat, np.flatnonzero(wrong))
        counts = [_counts(parts.holds, flat, _dealt(wrong, codes, rng)) for _ in range(n_draws)]
    most = max(int(each.max()) for each in (errors, *counts))
    table, at = _excess_table(parts.sizes, n_wrong, n, most)
    excess: FloatArray = table[at, errors].astype(np.float64)
    # Narrow numbers: the loop does little but look up.
    start, narrow = (at * table.shape[1]).astype(np.int32), table.astype(np.float32).ravel()
    largest = np.asarray([narrow.take(start + each).max() for each in counts], dtype=np.float64)
    ordered = np.sort(largest)
    above = n_draws - np.searchsorted(ordered, excess * (1.0 - 1e-6), side="left")
    p: FloatArray = ((1.0 + above) / (1.0 + n_draws)).astype(np.float64)
    return Scan(errors.astype(np.int64), excess, p, float(np.quantile(largest, 1.0 - SURE)))


def telling(parts: SliceParts, found: Scan, wrong: BoolArray, *, most: int) -> list[int]:
    """Return the places of the parts that stand out and say something of their own, the most telling first."""
    order = np.lexsort((parts.sizes, -found.excess))
    kept: list[int] = []
    seen: list[BoolArray] = []
    alone = {int(parts.first[at]): at for at in np.flatnonzero(parts.first == parts.second).tolist()}
    for place in order.tolist():
        if found.p[place] > SURE or len(kept) == most:
            break
        if found.errors[place] < _FEWEST_ERRORS:
            continue
        place = _simpler(parts, found, place, alone)
        rows = parts.member(place)
        if place not in kept and not any(_says_the_same(rows, other, wrong) for other in seen):
            kept.append(place)
            seen.append(rows)
    return kept


def _simpler(parts: SliceParts, found: Scan, place: int, alone: dict[int, int]) -> int:
    """Return a part of one condition instead of one of two, where the second says no more."""
    whole = [alone[int(own)] for own in (parts.first[place], parts.second[place]) if int(own) in alone]
    for own in sorted(whole, key=lambda own: -found.excess[own]):
        if own == place or found.p[own] > SURE:
            continue
        k, m = int(found.errors[place]), int(parts.sizes[place])
        rest_k, rest_m = int(found.errors[own]) - k, int(parts.sizes[own]) - m
        if (
            _deviance(k, m, (k + rest_k) / (m + rest_m)) + _deviance(rest_k, rest_m, (k + rest_k) / (m + rest_m))
            < _SAYS_MORE
        ):
            return own
    return place


def _says_the_same(rows: BoolArray, other: BoolArray, wrong: BoolArray) -> bool:
    """Tell whether a part has nearly the rows, or nearly the errors, of another one."""
    shared = int((rows & other).sum()) / int((rows | other).sum())
    errors = int((rows & other & wrong).sum()) / max(1, int((rows & wrong).sum()))
    return shared >= _SAME_ROWS or errors >= _SAME_ERRORS


def _counts(holds: NDArray[np.float32], flat: IntArray, errors: IntArray) -> NDArray[np.int32]:
    """Count errors in parts: the product of the conditions with themselves, over the rows that are wrong."""
    own = holds[errors]
    return (own.T @ own).ravel().take(flat).astype(np.int32)


def _dealt(wrong: BoolArray, codes: IntArray | None, rng: np.random.Generator) -> IntArray:
    """Return which rows are wrong if errors come by chance: to rows, or as groups (from 0 on) to other groups."""
    n = len(wrong)
    if codes is None:
        return rng.choice(n, int(wrong.sum()), replace=False, shuffle=False).astype(np.int64)
    sizes = np.bincount(codes)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    order = np.lexsort((rng.random(n), codes))
    own = np.arange(n) - starts[codes[order]]  # place of each row within its group
    source = rng.permutation(len(sizes))[codes[order]]
    taken = starts[source] + own * sizes[source] // sizes[codes[order]]
    found: IntArray = order[wrong[order[taken]]].astype(np.int64)
    return found


def _excess_table(sizes: IntArray, n_wrong: int, n: int, most: int) -> tuple[FloatArray, IntArray]:
    """Return the excess of every number of errors up to `most` for every size of a part, and the line of each part."""
    kinds, at = np.unique(sizes, return_inverse=True)
    rows, share = kinds[:, None], n_wrong / n
    errors = np.minimum(np.arange(most + 1), rows)
    counts = np.arange(int(kinds.max()) + 1)
    own = counts * np.log(np.maximum(counts, 1))  # of whole numbers, so that no logarithm is taken twice
    gain = own[errors] + own[rows - errors] - own[rows]
    gain -= errors * math.log(share) + (rows - errors) * math.log(1.0 - share)
    table: FloatArray = np.where(errors > share * rows, 2.0 * gain * (n / (n - rows)), 0.0)
    return table, at.astype(np.int64)


def _deviance(errors: int, rows: int, share: float) -> float:
    """Return how far a share of errors is from another one, on the scale of chi-squared."""
    if not rows:
        return 0.0
    total = 0.0
    for count, expected in ((errors, rows * share), (rows - errors, rows * (1.0 - share))):
        total += 2.0 * count * math.log(count / expected) if count and expected else 0.0
    return total
