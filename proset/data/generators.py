"""Artificial problems whose answer is known: a checkerboard and a continuous exclusive-or."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from proset.common.errors import ProsetError

Problem = tuple[NDArray[np.float64], NDArray[np.int64]]


def create_checkerboard(
    n_samples: int = 6_400, *, n_squares: int = 8, rotation: float = 0.0, random_state: Any = None
) -> Problem:
    """Draw points on a checkerboard and name the colour of each point's square.

    The points are uniform on the unit square. Features taken one at a time say nothing about the class; only their
    neighbourhood does. Turning the board keeps every distance, so it is as hard as before for a method that looks at
    neighbours and harder for one that cuts along the axes.

    Parameters
    ----------
    n_samples : int, default 6400
        Number of points, at least 1. The default gives about 100 points per square.
    n_squares : int, default 8
        Squares along each side, at least 2.
    rotation : float, default 0.0
        Angle in degrees by which points and pattern are turned counter-clockwise about (0.5, 0.5).
    random_state : int, numpy.random.Generator or None
        Seed, or the generator to draw from.

    Returns
    -------
    X : ndarray of shape (n_samples, 2)
        The points. Within [0, 1] unless the board is turned.
    y : ndarray of shape (n_samples,)
        0 or 1. The square at the lower left corner of the unturned board is 0.

    Raises
    ------
    ProsetError
        If a size is below its limit or the angle is not a finite number.

    Examples
    --------
    >>> X, y = create_checkerboard(4, n_squares=2, random_state=1)
    >>> X.round(2)
    array([[0.51, 0.95],
           [0.14, 0.95],
           [0.31, 0.42],
           [0.83, 0.41]])
    >>> y
    array([0, 1, 0, 1])
    """
    _at_least("n_samples", n_samples, 1)
    _at_least("n_squares", n_squares, 2)
    if not np.isfinite(rotation):
        raise ProsetError(f"rotation is {rotation}.", hint="Give a finite angle in degrees.")
    points = np.random.default_rng(random_state).uniform(size=(n_samples, 2))
    y = np.floor(n_squares * points).astype(np.int64).sum(axis=1) % 2
    return _turned(points, rotation), y


def create_continuous_xor(
    n_features: int = 6, n_irrelevant: int = 0, *, n_samples: int | None = None, random_state: Any = None
) -> Problem:
    """Draw points around the origin; the class is the sign of the product of the relevant features.

    No feature, and no group short of all relevant ones, says anything about the class.

    Parameters
    ----------
    n_features : int, default 6
        Number of relevant features, from 1 to 20.
    n_irrelevant : int, default 0
        Number of further features with the same distribution that do not matter. They come last.
    n_samples : int or None, default None
        Number of points, at least 1. None stands for 100 per orthant of the relevant features, ``100 * 2**n_features``.
    random_state : int, numpy.random.Generator or None
        Seed, or the generator to draw from.

    Returns
    -------
    X : ndarray of shape (n_samples, n_features + n_irrelevant)
        Independent and uniform on [-1, 1].
    y : ndarray of shape (n_samples,)
        1 where the product of the first `n_features` columns is zero or more, else 0.

    Raises
    ------
    ProsetError
        If a size is outside its limits.

    Examples
    --------
    >>> X, y = create_continuous_xor(2, 1, n_samples=3, random_state=1)
    >>> X.round(1)
    array([[ 0. ,  0.9, -0.7],
           [ 0.9, -0.4, -0.2],
           [ 0.7, -0.2,  0.1]])
    >>> y
    array([1, 0, 0])
    """
    _at_least("n_features", n_features, 1)
    if n_features > 20:
        raise ProsetError(f"n_features is {n_features}.", hint="It can be 20 at most.")
    _at_least("n_irrelevant", n_irrelevant, 0)
    n_samples = 100 * 2**n_features if n_samples is None else n_samples
    _at_least("n_samples", n_samples, 1)
    X = np.random.default_rng(random_state).uniform(-1.0, 1.0, size=(n_samples, n_features + n_irrelevant))
    return X, (X[:, :n_features].prod(axis=1) >= 0.0).astype(np.int64)


def _turned(points: NDArray[np.float64], degrees: float) -> NDArray[np.float64]:
    """Points turned counter-clockwise about the centre of the unit square; an angle of 0 returns them untouched."""
    if degrees == 0.0:
        return points
    cos, sin = np.cos(np.deg2rad(degrees)), np.sin(np.deg2rad(degrees))
    return (points - 0.5) @ np.array([[cos, sin], [-sin, cos]]) + 0.5


def _at_least(name: str, value: int, limit: int) -> None:
    """Refuse a size below its limit, by name."""
    if value < limit:
        raise ProsetError(f"{name} is {value}.", hint=f"It must be {limit} or more.")
