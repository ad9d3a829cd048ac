"""Kernel units: points in which similarities are powers of two, moved so that nothing is lost, and never infinite."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

KERNEL_UNIT = math.sqrt(0.5 * math.log2(math.e))  # exp(-(v x)^2 / 2) = 2^-(KERNEL_UNIT v x)^2
LARGEST = float(np.finfo(np.float64).max)
# Beyond 2^60 kernel units, values are drawn together so that all squares exist, also in single precision. Equal values
# stay equal, and values that differ by more than the 38th binary digit stay too far apart to be similar.
BOUND = 2.0**60
OCTAVES = 1024.0  # as many as there are in a double: the largest value becomes less than 2^61

# Squared lengths in kernel units up to which products of single and double precision are exact enough: an exponent
# -|z|^2 - |s|^2 + 2 z s is off by a few 1e-6, or 1e-10. Farther out, differences are taken; where there are so few
# features that it costs next to nothing, in all rows.
NEAR_32, NEAR_64 = 32.0, 2.0**20
FEW_FEATURES = 3


def bounded(z: FloatArray) -> FloatArray:
    """Draw values beyond 2^60 together, so that they and the squares of their differences stay finite.

    Parameters
    ----------
    z : ndarray
        Points in kernel units; may be infinite, not nan.

    Returns
    -------
    ndarray
        Of the same shape, within 2^61; values within 2^60 as they are.

    Examples
    --------
    >>> bounded(np.array([3.0, -(2.0**61), np.inf])).tolist()
    [3.0, -1.1540474045136896e+18, 2.2382890148031365e+18]
    """
    size = np.abs(z)
    if not size.size or size.max() <= BOUND:
        return z
    mantissa, exponent = np.frexp(np.minimum(size, LARGEST))
    drawn = BOUND * (1.0 + ((exponent - 61) + (2.0 * mantissa - 1.0)) / OCTAVES)
    return np.where(size > BOUND, np.copysign(drawn, z), z)


def nearest_to_zero(*parts: NDArray[np.floating]) -> FloatArray:
    """Return the origin that brings rows nearer to zero at no loss.

    Distances do not depend on it, the rounding of products does. Taking away a mean may cost all digits of the small
    values in a column of mixed size; taking away the smallest where all have one sign costs none.

    Parameters
    ----------
    *parts : ndarray of shape (n, D)
        Rows, in one or more parts; some part has rows.

    Returns
    -------
    ndarray of shape (D,)
        Per column: the value nearest to zero if all values have the same sign, else zero.

    Examples
    --------
    >>> nearest_to_zero(np.array([[1e8, -1.0, -3.0], [1e8 + 1.0, 2.0, -4.0]])).tolist()
    [100000000.0, 0.0, -3.0]
    """
    filled = [part for part in parts if part.shape[0]]
    low = np.min([part.min(axis=0) for part in filled], axis=0).astype(np.float64)
    high = np.max([part.max(axis=0) for part in filled], axis=0).astype(np.float64)
    origin: FloatArray = np.where(low > 0.0, low, np.where(high < 0.0, high, 0.0))
    return origin
