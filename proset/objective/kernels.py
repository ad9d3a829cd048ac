"""The objective (2.8) and its gradient for a range of reference rows, compiled: one pass over the similarities.

Every row is finished before the next one begins, so what is worked on (a row of similarities) stays in the fastest
cache and no similarity matrix exists. The loops over candidates are written so that a compiler can use wide registers:
no branches, no calls, and an exponential function made of a polynomial and the bits of a float.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numba import njit

from proset.set_manager import Float32Array, FloatArray, IntArray

_DEGREE = 6


def _power_of_two() -> list[np.float32]:
    """Coefficients of 2^x on [0, 1], interpolated at the Chebyshev nodes: relative error below 2e-8."""
    nodes = 0.5 + 0.5 * np.cos((2 * np.arange(_DEGREE + 1) + 1) * np.pi / (2 * _DEGREE + 2))
    return [np.float32(c) for c in np.polynomial.polynomial.polyfit(nodes, np.exp2(nodes), _DEGREE)]


C0, C1, C2, C3, C4, C5, C6 = _power_of_two()
# Similarities below 2^-40 count as zero: they cannot change a sum in float32, and smaller ones would become
# subnormal numbers, which are an order of magnitude slower.
LOWEST = np.float32(-40.0)
SMALLEST = np.float32(2.0**-40)
HALF = np.float32(0.5)
ZERO = np.float32(0.0)
ROWS_PER_FLOAT32_SUM = 64  # column sums stay in float32 that long before they are added up in float64

# Sums may be reordered; not-a-number and infinity keep their meaning.
_COMPILED = njit(nogil=True, cache=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz", "arcp"})


@_COMPILED
def _exponents(
    z: Float32Array, candidates: Float32Array, half_square: Float32Array, own: float, e: Float32Array
) -> None:
    """Set e to minus half the squared distance, in powers of two, of one row to all candidates."""
    n_features, n_candidates = candidates.shape
    for j in range(n_candidates):
        e[j] = -(half_square[j] + own)
    whole = n_features - n_features % 4
    # Four features at a time: each pass over the candidates is bound by memory, not by arithmetic.
    for d in range(0, whole, 4):
        z0, z1, z2, z3 = z[d], z[d + 1], z[d + 2], z[d + 3]
        for j in range(n_candidates):
            e[j] += (
                z0 * candidates[d, j]
                + z1 * candidates[d + 1, j]
                + z2 * candidates[d + 2, j]
                + z3 * candidates[d + 3, j]
            )
    for d in range(whole, n_features):
        z0 = z[d]
        for j in range(n_candidates):
            e[j] += z0 * candidates[d, j]


@_COMPILED
def _power(e: Any, bits: Any, shift: Any) -> None:
    """Replace e by 2^e - 2^-40, exactly zero below the cut; `bits` are the bits of e."""
    for j in range(e.shape[0]):
        x = max(e[j], LOWEST)
        whole = np.floor(x)
        f = x - whole
        e[j] = C0 + f * (C1 + f * (C2 + f * (C3 + f * (C4 + f * (C5 + f * C6)))))
        shift[j] = np.int32(whole) << 23
    for j in range(e.shape[0]):
        bits[j] += shift[j]
    for j in range(e.shape[0]):
        e[j] -= SMALLEST


@_COMPILED
def _moments(x: Any, share: Any, candidates: Any, moment: Any) -> None:
    """Add sum_j share_j x (x - 2 s_j) to the moment, feature by feature; the term in s^2 needs no pass over rows."""
    n_features, n_candidates = candidates.shape
    total = ZERO
    for j in range(n_candidates):
        total += share[j]
    whole = n_features - n_features % 4
    for d in range(0, whole, 4):
        t0, t1, t2, t3 = ZERO, ZERO, ZERO, ZERO
        for j in range(n_candidates):
            t0 += share[j] * candidates[d, j]
            t1 += share[j] * candidates[d + 1, j]
            t2 += share[j] * candidates[d + 2, j]
            t3 += share[j] * candidates[d + 3, j]
        moment[d] += x[d] * (total * x[d] - (t0 + t0))
        moment[d + 1] += x[d + 1] * (total * x[d + 1] - (t1 + t1))
        moment[d + 2] += x[d + 2] * (total * x[d + 2] - (t2 + t2))
        moment[d + 3] += x[d + 3] * (total * x[d + 3] - (t3 + t3))
    for d in range(whole, n_features):
        t0 = ZERO
        for j in range(n_candidates):
            t0 += share[j] * candidates[d, j]
        moment[d] += x[d] * (total * x[d] - (t0 + t0))


@_COMPILED
def _add_rows(
    first: int,
    last: int,
    reference: Float32Array,
    same: IntArray,
    terms: FloatArray,
    candidates: Float32Array,
    half_square: Float32Array,
    metric: Float32Array,
    w: Float32Array,
    columns: FloatArray,
    moment: FloatArray,
) -> float:
    """Add the rows first to last - 1 to `columns` and `moment` and return their log-likelihood."""
    n_features, n_candidates = candidates.shape
    e = np.empty(n_candidates, np.float32)
    bits = e.view(np.int32)
    shift = np.empty(n_candidates, np.int32)
    partial = np.zeros(n_candidates, np.float32)
    z = np.empty(n_features, np.float32)
    log_likelihood = 0.0
    for n in range(first, last):
        x = reference[n]
        own: Any = ZERO
        for d in range(n_features):
            z[d] = x[d] * metric[d]
            own += HALF * z[d] * x[d]
        _exponents(z, candidates, half_square, own, e)
        _power(e, bits, shift)
        low, high = same[n, 0], same[n, 1]
        others, own_class = ZERO, ZERO
        for j in range(low):
            others += e[j] * w[j]
        for j in range(low, high):
            own_class += e[j] * w[j]
        for j in range(high, n_candidates):
            others += e[j] * w[j]
        importance = terms[n, 0]
        q_true = terms[n, 1] + own_class
        q_total = terms[n, 2] + own_class + others
        log_likelihood += importance * np.log(q_true / q_total)
        factor_other = np.float32(-importance / q_total)
        factor_same = np.float32(importance / q_true - importance / q_total)
        for j in range(low):
            e[j] *= factor_other
        for j in range(low, high):
            e[j] *= factor_same
        for j in range(high, n_candidates):
            e[j] *= factor_other
        for j in range(n_candidates):
            partial[j] += e[j]
            e[j] *= w[j]
        _moments(x, e, candidates, moment)
        if (n - first) % ROWS_PER_FLOAT32_SUM == ROWS_PER_FLOAT32_SUM - 1 or n == last - 1:
            for j in range(n_candidates):
                columns[j] += partial[j]
                partial[j] = ZERO
    return log_likelihood


def add_rows(
    rows: range,
    reference: Float32Array,
    same: IntArray,
    terms: FloatArray,
    candidates: Float32Array,
    half_square: Float32Array,
    metric: Float32Array,
    w: Float32Array,
    columns: FloatArray,
    moment: FloatArray,
) -> float:
    """Add some reference rows to the sums that make up (2.8), (2.11) and (2.12).

    Parameters
    ----------
    rows : range
        Reference rows to add, with step 1.
    reference : ndarray of float32, shape (n, d)
        Features of the reference rows.
    same : ndarray of int64, shape (n, 2)
        First and last (exclusive) candidate of each row's class.
    terms : ndarray of float64, shape (n, 3)
        Per row: importance, and the parts of q_true and q_total that earlier batches and marginals contribute.
    candidates : ndarray of float32, shape (d, J)
        Features of the candidates, sorted by class, one candidate per **column**.
    half_square : ndarray of float32, shape (J,)
        Half of sum_d metric_d s_jd^2.
    metric : ndarray of float32, shape (d,)
        v_d^2 log2(e), so that similarities are powers of two.
    w : ndarray of float32, shape (J,)
        Prototype weights.
    columns : ndarray of float64, shape (J,)
        The sum over rows of C is added to it.
    moment : ndarray of float64, shape (d,)
        The sum over rows and candidates of C w (x^2 - 2 x s) is added to it.

    Returns
    -------
    float
        Weighted log-likelihood of the rows.

    Notes
    -----
    The interpreter lock is free meanwhile. The first call on a machine compiles for a few seconds and keeps the result
    beside the package or in the user's cache folder.

    Examples
    --------
    >>> columns, moment = np.zeros(1), np.zeros(1)
    >>> one = np.ones((1, 1), dtype=np.float32)
    >>> value = add_rows(range(1), one, np.array([[0, 1]]), np.array([[1.0, 0.5, 1.0]]), one, 0.5 * one[0], one[0],
    ...                  one[0], columns, moment)
    >>> round(value, 4), columns.round(4).tolist(), moment.round(4).tolist()
    (-0.2877, [0.1667], [-0.1667])
    """
    function = cast(Any, _add_rows)
    return float(
        function(
            rows.start, rows.stop, reference, same, terms, candidates, half_square, metric, w, columns, moment
        )
    )  # fmt: skip
