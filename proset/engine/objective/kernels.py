"""The objective (2.8) and its gradient for a range of reference rows, compiled: one pass over the similarities.

Four rows are worked on at a time and finished before the next ones begin: what is worked on, four rows of similarities,
stays in the fastest cache, each value of a candidate is loaded once for all four, and no similarity matrix exists. The
loops over candidates are written so that a compiler can use wide registers: no branches, no calls, and an exponential
function made of a polynomial and the bits of a float.
"""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from numba import njit

from proset.engine.set_manager import Float32Array, FloatArray, IntArray

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
def _exponents(z: Any, own: Any, candidates: Any, half_square: Any, e: Any) -> None:
    """Set e to minus half the squared distance, in powers of two, of four rows to all candidates."""
    n_features, n_candidates = candidates.shape
    for r in range(4):
        for j in range(n_candidates):
            e[r, j] = -(half_square[j] + own[r])
    e0, e1, e2, e3 = e[0], e[1], e[2], e[3]
    whole = n_features - n_features % 4
    # Four features of four rows at a time: each value is loaded once for sixteen products.
    for d in range(0, whole, 4):
        a0, a1, a2, a3 = z[0, d], z[0, d + 1], z[0, d + 2], z[0, d + 3]
        b0, b1, b2, b3 = z[1, d], z[1, d + 1], z[1, d + 2], z[1, d + 3]
        c0, c1, c2, c3 = z[2, d], z[2, d + 1], z[2, d + 2], z[2, d + 3]
        d0, d1, d2, d3 = z[3, d], z[3, d + 1], z[3, d + 2], z[3, d + 3]
        s0, s1, s2, s3 = candidates[d], candidates[d + 1], candidates[d + 2], candidates[d + 3]
        for j in range(n_candidates):
            p0, p1, p2, p3 = s0[j], s1[j], s2[j], s3[j]
            e0[j] += a0 * p0 + a1 * p1 + a2 * p2 + a3 * p3
            e1[j] += b0 * p0 + b1 * p1 + b2 * p2 + b3 * p3
            e2[j] += c0 * p0 + c1 * p1 + c2 * p2 + c3 * p3
            e3[j] += d0 * p0 + d1 * p1 + d2 * p2 + d3 * p3
    for d in range(whole, n_features):
        a0, b0, c0, d0 = z[0, d], z[1, d], z[2, d], z[3, d]
        s0 = candidates[d]
        for j in range(n_candidates):
            p0 = s0[j]
            e0[j] += a0 * p0
            e1[j] += b0 * p0
            e2[j] += c0 * p0
            e3[j] += d0 * p0


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
    """Add sum_j share_j x (x - 2 s_j) of four rows to the moment; the term in s^2 needs no pass over rows."""
    n_features, n_candidates = candidates.shape
    h0, h1, h2, h3 = share[0], share[1], share[2], share[3]
    a, b, c, d = ZERO, ZERO, ZERO, ZERO
    for j in range(n_candidates):
        a += h0[j]
        b += h1[j]
        c += h2[j]
        d += h3[j]
    whole = n_features - n_features % 2
    for f in range(0, whole, 2):
        s, t = candidates[f], candidates[f + 1]
        a0, b0, c0, d0 = ZERO, ZERO, ZERO, ZERO
        a1, b1, c1, d1 = ZERO, ZERO, ZERO, ZERO
        for j in range(n_candidates):
            a0 += h0[j] * s[j]
            b0 += h1[j] * s[j]
            c0 += h2[j] * s[j]
            d0 += h3[j] * s[j]
            a1 += h0[j] * t[j]
            b1 += h1[j] * t[j]
            c1 += h2[j] * t[j]
            d1 += h3[j] * t[j]
        moment[f] += x[0, f] * (a * x[0, f] - (a0 + a0)) + x[1, f] * (b * x[1, f] - (b0 + b0))
        moment[f] += x[2, f] * (c * x[2, f] - (c0 + c0)) + x[3, f] * (d * x[3, f] - (d0 + d0))
        moment[f + 1] += x[0, f + 1] * (a * x[0, f + 1] - (a1 + a1)) + x[1, f + 1] * (b * x[1, f + 1] - (b1 + b1))
        moment[f + 1] += x[2, f + 1] * (c * x[2, f + 1] - (c1 + c1)) + x[3, f + 1] * (d * x[3, f + 1] - (d1 + d1))
    for f in range(whole, n_features):
        s = candidates[f]
        a0, b0, c0, d0 = ZERO, ZERO, ZERO, ZERO
        for j in range(n_candidates):
            a0 += h0[j] * s[j]
            b0 += h1[j] * s[j]
            c0 += h2[j] * s[j]
            d0 += h3[j] * s[j]
        moment[f] += x[0, f] * (a * x[0, f] - (a0 + a0)) + x[1, f] * (b * x[1, f] - (b0 + b0))
        moment[f] += x[2, f] * (c * x[2, f] - (c0 + c0)) + x[3, f] * (d * x[3, f] - (d0 + d0))


@_COMPILED
def _use_row(e: Any, same: Any, terms: Any, w: Any, partial: Any) -> float:
    """Turn the similarities of a row into its shares of the gradient, and return its log-likelihood.

    C = similarity times the derivative of the likelihood is added to `partial`; C w is left in `e`.
    """
    n_candidates = e.shape[0]
    low, high = same[0], same[1]
    others, own_class = ZERO, ZERO
    for j in range(low):
        others += e[j] * w[j]
    for j in range(low, high):
        own_class += e[j] * w[j]
    for j in range(high, n_candidates):
        others += e[j] * w[j]
    importance = terms[0]
    q_true = terms[1] + own_class
    q_total = terms[2] + own_class + others
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
    return importance * np.log(q_true / q_total)


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
    e = np.empty((4, n_candidates), np.float32)
    flat = e.reshape(4 * n_candidates)
    bits = flat.view(np.int32)
    shift = np.empty(4 * n_candidates, np.int32)
    partial = np.zeros(n_candidates, np.float32)
    x, z, own = np.zeros((4, n_features), np.float32), np.zeros((4, n_features), np.float32), np.zeros(4, np.float32)
    log_likelihood = 0.0
    for start in range(first, last, 4):
        n_rows = min(4, last - start)
        for r in range(n_rows):
            own[r] = ZERO
            for d in range(n_features):
                x[r, d] = reference[start + r, d]
                z[r, d] = x[r, d] * metric[d]
                own[r] += HALF * z[r, d] * x[r, d]
        _exponents(z, own, candidates, half_square, e)
        _power(flat, bits, shift)
        for r in range(n_rows):
            log_likelihood += _use_row(e[r], same[start + r], terms[start + r], w, partial)
        e[n_rows:] = ZERO  # rows that are not there have no share
        _moments(x, e, candidates, moment)
        if (start - first) % ROWS_PER_FLOAT32_SUM == ROWS_PER_FLOAT32_SUM - 4 or start + 4 >= last:
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
