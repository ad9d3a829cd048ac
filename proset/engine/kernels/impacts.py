"""Impacts of prototypes summed by class, compiled: what scoring many rows spends its time on, in double precision.

Four rows are worked on at a time, so each value of a prototype is loaded once for all four, and their similarities stay
in the fastest cache. What a row gets does not depend on the rows beside it.
"""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np
from numba import njit

from proset.engine.kernels.similarity import FloatArray, IntArray

_C = [math.log(2.0) ** k / math.factorial(k) for k in range(13)]  # 2^x on [-0.5, 0.5]: relative error below 2e-16
C1, C2, C3, C4, C5, C6, C7, C8, C9, C10, C11, C12 = _C[1:]
# Similarities below 2^-1000 are zero; below 2^-1022 they would become subnormal numbers, which are slow.
LOWEST = -1000.0
SMALLEST = 2.0**-1000
FAR = 1e12  # half a squared distance at which no similarity is left, whatever the prototype
TO_INTEGER = 1.5 * 2.0**52  # added to a small whole number, it leaves that number in the lowest bits

# Multiplying and adding may be one step. Only the sums over prototypes may be reordered, to use wide registers: what is
# done for each of the four rows has to stay the same, bit for bit.
_COMPILED = njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract", "nsz"})
_SUMS = njit(nogil=True, cache=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz"})


@_COMPILED
def _exponents(z: Any, own: Any, scaled: Any, half_square: Any, e: Any) -> None:
    """Set e to minus half the squared distance, in powers of two, of four rows to all prototypes."""
    n_features, n_prototypes = scaled.shape
    for r in range(4):
        for j in range(n_prototypes):
            e[r, j] = -(half_square[j] + own[r])
    e0, e1, e2, e3 = e[0], e[1], e[2], e[3]
    whole = n_features - n_features % 4
    for d in range(0, whole, 4):
        a0, a1, a2, a3 = z[0, d], z[0, d + 1], z[0, d + 2], z[0, d + 3]
        b0, b1, b2, b3 = z[1, d], z[1, d + 1], z[1, d + 2], z[1, d + 3]
        c0, c1, c2, c3 = z[2, d], z[2, d + 1], z[2, d + 2], z[2, d + 3]
        d0, d1, d2, d3 = z[3, d], z[3, d + 1], z[3, d + 2], z[3, d + 3]
        s0, s1, s2, s3 = scaled[d], scaled[d + 1], scaled[d + 2], scaled[d + 3]
        for j in range(n_prototypes):
            p0, p1, p2, p3 = s0[j], s1[j], s2[j], s3[j]
            e0[j] += a0 * p0 + a1 * p1 + a2 * p2 + a3 * p3
            e1[j] += b0 * p0 + b1 * p1 + b2 * p2 + b3 * p3
            e2[j] += c0 * p0 + c1 * p1 + c2 * p2 + c3 * p3
            e3[j] += d0 * p0 + d1 * p1 + d2 * p2 + d3 * p3
    for d in range(whole, n_features):
        a0, b0, c0, d0 = z[0, d], z[1, d], z[2, d], z[3, d]
        s0 = scaled[d]
        for j in range(n_prototypes):
            p0 = s0[j]
            e0[j] += a0 * p0
            e1[j] += b0 * p0
            e2[j] += c0 * p0
            e3[j] += d0 * p0


@_COMPILED
def _power(e: Any, bits: Any, whole: Any, whole_bits: Any) -> None:
    """Replace e by 2^min(e, 0), exactly zero below the cut; `bits` and `whole_bits` are the bits of e and `whole`."""
    for j in range(e.shape[0]):
        x = min(max(e[j], LOWEST), 0.0)
        nearest = np.floor(x + 0.5)
        f = x - nearest
        whole[j] = nearest + TO_INTEGER
        high = C6 + f * (C7 + f * (C8 + f * (C9 + f * (C10 + f * (C11 + f * C12)))))
        e[j] = 1.0 + f * (C1 + f * (C2 + f * (C3 + f * (C4 + f * (C5 + f * high)))))
    for j in range(e.shape[0]):
        bits[j] += whole_bits[j] << 52
    for j in range(e.shape[0]):
        e[j] -= SMALLEST


@_SUMS
def _weighted_sum(similarities: Any, weights: Any, first: int, last: int) -> float:
    """Sum weight times similarity over a range of prototypes."""
    total = 0.0
    for j in range(first, last):
        total += similarities[j] * weights[j]
    return total


@_COMPILED
def _class_impacts(z: Any, scaled: Any, half_square: Any, weights: Any, bounds: Any, out: Any) -> None:
    """Add the impacts of all prototypes on all rows to `out`, by class."""
    n_rows, n_features = z.shape
    n_prototypes = scaled.shape[1]
    e = np.empty((4, n_prototypes))
    flat = e.reshape(4 * n_prototypes)
    bits = flat.view(np.int64)
    whole = np.empty(4 * n_prototypes)
    whole_bits = whole.view(np.int64)
    four, four_own = np.zeros((4, n_features)), np.zeros(4)
    for first in range(0, n_rows, 4):
        n = min(4, n_rows - first)
        for r in range(n):
            four[r] = z[first + r]
            own = 0.0
            for d in range(n_features):
                own += 0.5 * four[r, d] * four[r, d]
            if not own < FAR:  # the sum of squares may have overflowed
                four[r] = 0.0
                own = FAR
            four_own[r] = own
        _exponents(four, four_own, scaled, half_square, e)
        _power(flat, bits, whole, whole_bits)
        for r in range(n):
            row = e[r]
            for k in range(bounds.shape[0] - 1):
                out[first + r, k] += _weighted_sum(row, weights, bounds[k], bounds[k + 1])


def add_class_impacts(
    z: FloatArray,
    scaled: FloatArray,
    half_square: FloatArray,
    weights: FloatArray,
    bounds: IntArray,
    out: FloatArray,
) -> None:
    """Add sum_j w_j 2^(-|z - s_j|^2 / 2), summed over the prototypes of each class, to `out`.

    Parameters
    ----------
    z : ndarray of shape (n, d)
        Rows, scaled as the prototypes are; infinite where they are too far away to count.
    scaled : ndarray of shape (d, J)
        Prototypes sorted by class, one per **column**, times feature weights and the square root of log2(e).
    half_square : ndarray of shape (J,)
        Half the squared length of each column of `scaled`.
    weights : ndarray of shape (J,)
        Prototype weights.
    bounds : ndarray of int64, shape (K + 1,)
        First prototype of each class, and J.
    out : ndarray of shape (n, K)
        Changed in place.

    Notes
    -----
    The interpreter lock is free meanwhile. The first call on a machine compiles for a few seconds and keeps the result
    beside the package or in the user's cache folder.

    Examples
    --------
    >>> out = np.zeros((1, 1))
    >>> add_class_impacts(np.zeros((1, 1)), np.sqrt(2 * np.ones((1, 1))), np.ones(1), np.ones(1), np.array([0, 1]), out)
    >>> out.tolist()
    [[0.5]]
    """
    cast(Any, _class_impacts)(z, scaled, half_square, weights, bounds, out)
