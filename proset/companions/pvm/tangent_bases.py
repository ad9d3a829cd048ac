"""Directions in which an image changes but stays the same sign, as an orthonormal basis."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter

N_DIRECTIONS = 7
DEPENDENT = 1e-6  # the least share of squared length that a direction adds to those before it
LOT = 512  # images whose directions are found together


def smoothed(pictures: NDArray[np.float64], sigma: float) -> NDArray[np.float64]:
    """Smooth pictures, shape (n, height, width), with a Gaussian; their edges go on as they are."""
    if sigma == 0.0:
        return pictures
    return gaussian_filter(pictures, sigma=(0.0, sigma, sigma), mode="nearest")


def tangents(pictures: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the seven directions of each picture.

    Parameters
    ----------
    pictures : ndarray of shape (n, height, width)
        Smooth grey values.

    Returns
    -------
    ndarray of shape (n, 7, height, width)
        Derivatives for a shift along x and along y, a turn about the centre, a change of size, a stretch along an axis
        and along a diagonal at the cost of the other, and a thicker line.

    Examples
    --------
    >>> slope = np.arange(9.0).reshape(1, 3, 3)
    >>> tangents(slope)[0, :2, 1, 1]
    array([1., 3.])
    """
    _, height, width = pictures.shape
    down, right = np.gradient(pictures, axis=(1, 2))
    y = (np.arange(height) - (height - 1) / 2.0)[:, None]
    x = np.arange(width) - (width - 1) / 2.0
    return np.stack(
        [
            right,
            down,
            y * right - x * down,
            x * right + y * down,
            x * right - y * down,
            y * right + x * down,
            right * right + down * down,
        ],
        axis=1,
    )


def tangent_bases(pictures: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return an orthonormal basis of the directions of each picture.

    Parameters
    ----------
    pictures : ndarray of shape (n, height, width)
        Smooth grey values.

    Returns
    -------
    ndarray of shape (n, 7, height * width)
        Vectors of length 1, or 0 where a picture has fewer than seven independent directions (an empty one has none).

    Examples
    --------
    >>> basis = tangent_bases(np.eye(4)[None])[0]
    >>> bool(np.allclose((basis @ basis.T).diagonal().sum(), np.linalg.matrix_rank(basis), atol=1e-5))
    True
    """
    n = len(pictures)
    bases = np.empty((n, N_DIRECTIONS, pictures[0].size), np.float32)
    for first in range(0, n, LOT):
        found = tangents(pictures[first : first + LOT]).reshape(-1, N_DIRECTIONS, pictures[0].size)
        lengths = np.linalg.norm(found, axis=2, keepdims=True)
        found /= np.where(lengths > 0.0, lengths, 1.0)
        # Of the same plane, whatever the order of the directions and however nearly one of them repeats the others.
        values, vectors = np.linalg.eigh(found @ found.transpose(0, 2, 1))
        is_new = values > DEPENDENT
        factors = np.where(is_new, 1.0 / np.sqrt(np.where(is_new, values, 1.0)), 0.0)
        bases[first : first + LOT] = (vectors.transpose(0, 2, 1) * factors[:, :, None]) @ found
    return bases
