"""Some of many: evenly spread over their order where all would be too many, and without those that lie far off."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Item = TypeVar("Item", bound=np.generic)
_MIDDLE = (0.01, 0.99)


def spread_places(count: int, most: int) -> NDArray[np.int64]:
    """Return at most so many of the places 0 to count - 1, the first and the last among them.

    Examples
    --------
    >>> spread_places(10, 4).tolist(), spread_places(3, 4).tolist()
    ([0, 3, 6, 9], [0, 1, 2])
    """
    if count <= most:
        return np.arange(count, dtype=np.int64)
    return np.linspace(0, count - 1, most).round().astype(np.int64)


def spread_out(items: NDArray[Item], most: int) -> NDArray[Item]:
    """Return at most so many of some items in their order.

    Examples
    --------
    >>> spread_out(np.array([2.0, 4.0, 8.0]), 2).tolist()
    [2.0, 8.0]
    """
    return items[spread_places(len(items), most)]


def near_ends(values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the smallest and the largest of some values, but for the few that would press all others together.

    Far is what lies beyond the middle 98 % by more than these are wide.

    Parameters
    ----------
    values : array of shape (n,)
        Finite, at least one.

    Examples
    --------
    >>> near_ends(np.arange(100.0)), near_ends(np.append(np.arange(100.0), 1e6))
    ((0.0, 99.0), (0.0, 99.0))
    """
    low, high = np.quantile(values, _MIDDLE)
    if low == high:
        return float(values.min()), float(values.max())
    near = values[(values >= 2.0 * low - high) & (values <= 2.0 * high - low)]
    return float(near.min()), float(near.max())
