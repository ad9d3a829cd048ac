"""A test of whether two samples are alike whose rows come in groups: it deals out whole groups, not rows."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from proset.common.spread import spread_out

DRAWS = 999
_MOST_ROWS = 10_000  # of each sample that are looked at
_SEED = 0


def group_p_value(
    new: NDArray[np.float64],
    known: NDArray[np.float64],
    new_groups: NDArray[np.int64],
    known_groups: NDArray[np.int64],
) -> tuple[float, float]:
    """Compare two samples by the largest distance of their shares (Kolmogorov and Smirnov) under draws of whole groups.

    Rows of one patient are alike, so that two samples of the same population differ by more than as many rows of as
    many patients would. Which groups are new is drawn anew 999 times.

    Parameters
    ----------
    new, known : ndarray of shape (n,) and (m,)
        Both samples, at least one row each; of more than 10,000 as many, evenly spread.
    new_groups, known_groups : int64 array of shape (n,) and (m,)
        Number of the group of each row; the same number in both samples means two groups.

    Returns
    -------
    tuple of float
        The distance, in [0, 1], and the share of draws with one at least as large, the samples themselves included.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> of_groups = rng.normal(size=20).repeat(30)
    >>> whose = np.arange(10).repeat(30)
    >>> distance, p = group_p_value(of_groups[:300], of_groups[300:], whose, whose)
    >>> round(distance, 1), p > 0.1
    (0.4, True)
    """
    some, others = (spread_out(np.arange(len(side)), _MOST_ROWS) for side in (new, known))
    values = np.concatenate([new[some], known[others]])
    new_codes, known_codes = (
        np.unique(side, return_inverse=True)[1] for side in (new_groups[some], known_groups[others])
    )
    n_new = int(new_codes.max()) + 1
    whose = np.concatenate([new_codes, known_codes + n_new])
    order = np.argsort(values, kind="stable")
    whose, last = whose[order], np.append(np.diff(values[order]) > 0.0, True)
    is_new = np.arange(int(whose.max()) + 1) < n_new
    rng, found = np.random.default_rng(_SEED), _distance(is_new, whose, last)
    reached = sum(_distance(rng.permutation(is_new), whose, last) >= found - 1e-12 for _ in range(DRAWS))
    return found, (1 + reached) / (1 + DRAWS)


def smallest_p_value(n_new: int, n_known: int) -> float:
    """Return the least share of draws that so many new and known groups can come to.

    Examples
    --------
    >>> smallest_p_value(2, 3), smallest_p_value(50, 50)
    (0.1, 0.001)
    """
    return max(1.0 / math.comb(n_new + n_known, n_new), 1.0 / (1 + DRAWS))


def _distance(is_new: NDArray[np.bool_], whose: NDArray[np.int64], last: NDArray[np.bool_]) -> float:
    """Return the largest distance of the shares of both samples up to a value; `last` ends rows of equal values."""
    rows = is_new[whose]
    new = np.cumsum(rows)
    known = np.arange(1, len(rows) + 1) - new
    if not new[-1] or not known[-1]:
        return 0.0
    return float(np.abs(new / new[-1] - known / known[-1])[last].max())
