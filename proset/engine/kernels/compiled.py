"""All compiled pieces: exponents and powers of two, the sums that a fit needs, and those by class that scoring needs.

Four rows are worked on at a time and finished before the next ones begin: what is worked on, four rows of similarities,
stays in the fastest cache, each value of a prototype is loaded once for all four, and no similarity matrix exists. The
loops over prototypes are written so that a compiler can use wide registers: no branches, no calls, and an exponential
function made of a polynomial and the bits of a float.

The exponent of a similarity is minus the squared distance of two points in kernel units (`kernels.units`). Its
expansion -|z|^2 - |s|^2 + 2 z s costs one step per feature, and a rounding error that grows with |z|^2, however short
the distance. So it serves rows near the origin; the others, and those are few where data are scaled, are worked on by
differences. In a fit, so are the few heavy features that would take many rows far out; which those are is the caller's
choice. Otherwise the way that a row goes depends on nothing but the row.

Everything stands in one module because numba looks only at the file of a function to see whether a compiled copy on
disk is still good, and not at the files of those that it calls.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

from proset.engine.kernels.units import BOUND, LARGEST, NEAR_32, NEAR_64, OCTAVES

_DEGREE = 6


def _power_of_two() -> list[np.float32]:
    """Coefficients of 2^x on [0, 1], interpolated at the Chebyshev nodes: relative error below 2e-8."""
    nodes = 0.5 + 0.5 * np.cos((2 * np.arange(_DEGREE + 1) + 1) * np.pi / (2 * _DEGREE + 2))
    return [np.float32(c) for c in np.polynomial.polynomial.polyfit(nodes, np.exp2(nodes), _DEGREE)]


S0, S1, S2, S3, S4, S5, S6 = _power_of_two()
_D = [math.log(2.0) ** k / math.factorial(k) for k in range(13)]  # 2^x on [-0.5, 0.5]: relative error below 2e-16
D1, D2, D3, D4, D5, D6, D7, D8, D9, D10, D11, D12 = _D[1:]
TO_INTEGER = 1.5 * 2.0**52  # added to a small whole number, it leaves that number in the lowest bits
# Similarities below 2^-40 in a fit, and 2^-1000 in scoring, are zero: they change no sum, and smaller ones would become
# subnormal numbers, which are an order of magnitude slower.
LOWEST_32, SMALLEST_32 = np.float32(-40.0), np.float32(2.0**-40)
LOWEST_64, SMALLEST_64 = -1000.0, 2.0**-1000
ZERO, ONE, TWO = np.float32(0.0), np.float32(1.0), np.float32(2.0)
MINUS_HALF_LOG2_E = np.float32(-0.5 * math.log2(math.e))  # exp(-z^2 / 2) is two to the power of this times z^2
FAR_OFF = 1e6  # spreads from a center, where nothing is left of its density; squares exist
HEIGHT = 1.0 / math.sqrt(2.0 * math.pi)  # of the standard normal density
ROWS_PER_FLOAT32_SUM = 64  # column sums stay in float32 that long before they are added up in float64
COLUMNS_PER_SUM = 8192  # of more, parts are summed first, which rounds less; as numpy's einsum has it

# As it is written.
_IN_ORDER = njit(nogil=True, cache=True, error_model="numpy")
# Multiplying and adding may be one step. What is done for each of four rows has to stay the same, bit for bit, so
# nothing else may be reordered; nor may the parts of a difference be taken apart.
_EXACT = njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract", "nsz"})
# Sums may be reordered, to use wide registers; not-a-number and infinity keep their meaning.
_SUMS = njit(nogil=True, cache=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz", "arcp"})
# Part of its caller's code: of what may sum in any order, the copy that a caller has linked and the one that stands
# alone may take different ones; the process that compiles them runs the latter, all later ones the former.
_SUMS_INLINE = njit(
    nogil=True, cache=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz", "arcp"}, forceinline=True
)


@_EXACT
def _draw_near(z: Any) -> float:
    """Move a point that is too far away for squares to where they exist, and return its squared length."""
    total = 0.0
    for d in range(z.shape[0]):
        size = min(abs(z[d]), LARGEST)
        if size > BOUND:
            mantissa, exponent = math.frexp(size)
            size = BOUND * (1.0 + ((exponent - 61) + (2.0 * mantissa - 1.0)) / OCTAVES)
            z[d] = size if z[d] > 0.0 else -size
        total += z[d] * z[d]
    return total


@_EXACT
def _by_expansion(left: Any, own: Any, scaled: Any, lengths: Any, e: Any) -> None:
    """Set e to the exponents of four rows with all prototypes; `left` is twice the rows, `own` their squares."""
    n_features, n_prototypes = scaled.shape
    for r in range(4):
        for j in range(n_prototypes):
            e[r, j] = -(lengths[j] + own[r])
    e0, e1, e2, e3 = e[0], e[1], e[2], e[3]
    whole = n_features - n_features % 4
    # Four features of four rows at a time: each value is loaded once for sixteen products.
    for d in range(0, whole, 4):
        a0, a1, a2, a3 = left[0, d], left[0, d + 1], left[0, d + 2], left[0, d + 3]
        b0, b1, b2, b3 = left[1, d], left[1, d + 1], left[1, d + 2], left[1, d + 3]
        c0, c1, c2, c3 = left[2, d], left[2, d + 1], left[2, d + 2], left[2, d + 3]
        d0, d1, d2, d3 = left[3, d], left[3, d + 1], left[3, d + 2], left[3, d + 3]
        s0, s1, s2, s3 = scaled[d], scaled[d + 1], scaled[d + 2], scaled[d + 3]
        for j in range(n_prototypes):
            p0, p1, p2, p3 = s0[j], s1[j], s2[j], s3[j]
            e0[j] = (((e0[j] + a0 * p0) + a1 * p1) + a2 * p2) + a3 * p3
            e1[j] = (((e1[j] + b0 * p0) + b1 * p1) + b2 * p2) + b3 * p3
            e2[j] = (((e2[j] + c0 * p0) + c1 * p1) + c2 * p2) + c3 * p3
            e3[j] = (((e3[j] + d0 * p0) + d1 * p1) + d2 * p2) + d3 * p3
    for d in range(whole, n_features):
        a0, b0, c0, d0 = left[0, d], left[1, d], left[2, d], left[3, d]
        s0 = scaled[d]
        for j in range(n_prototypes):
            p0 = s0[j]
            e0[j] += a0 * p0
            e1[j] += b0 * p0
            e2[j] += c0 * p0
            e3[j] += d0 * p0


@_EXACT
def _by_difference(z: Any, scaled: Any, e: Any) -> None:
    """Set e to the exponents of one row with all prototypes, without cancellation."""
    e[:] = 0.0
    for d in range(scaled.shape[0]):
        x, s = z[d], scaled[d]
        for j in range(e.shape[0]):
            t = x - s[j]
            e[j] -= t * t


@_EXACT
def _subtract_differences(
    z: Any, low: Any, r: int, n_apart: int, scaled: Any, scaled_low: Any, e: Any
) -> None:  # fmt: skip
    """Subtract from e the squared distances of row r in the first features, each value the sum of a pair."""
    whole = n_apart - n_apart % 2
    for d in range(0, whole, 2):
        x, y, x_low, y_low = z[r, d], z[r, d + 1], low[r, d], low[r, d + 1]
        for j in range(e.shape[0]):
            p = (x - scaled[d, j]) + (x_low - scaled_low[d, j])
            q = (y - scaled[d + 1, j]) + (y_low - scaled_low[d + 1, j])
            e[j] -= p * p + q * q
    for d in range(whole, n_apart):
        x, x_low = z[r, d], low[r, d]
        for j in range(e.shape[0]):
            p = (x - scaled[d, j]) + (x_low - scaled_low[d, j])
            e[j] -= p * p


@_SUMS
def _power_32(e: Any, bits: Any, shift: Any) -> None:
    """Replace e by 2^min(e, 0) - 2^-40, exactly zero below the cut; `bits` are the bits of e."""
    for j in range(e.shape[0]):
        x = min(max(e[j], LOWEST_32), ZERO)
        whole = np.floor(x)
        f = x - whole
        e[j] = S0 + f * (S1 + f * (S2 + f * (S3 + f * (S4 + f * (S5 + f * S6)))))
        shift[j] = np.int32(whole) << 23
    for j in range(e.shape[0]):
        bits[j] += shift[j]
    for j in range(e.shape[0]):
        e[j] -= SMALLEST_32


@_EXACT
def _power_64(e: Any, bits: Any, whole: Any, whole_bits: Any) -> None:
    """Replace e by 2^min(e, 0), exactly zero below the cut; `bits` and `whole_bits` are the bits of e and `whole`."""
    for j in range(e.shape[0]):
        x = min(max(e[j], LOWEST_64), 0.0)
        nearest = np.floor(x + 0.5)
        f = x - nearest
        whole[j] = nearest + TO_INTEGER
        high = D6 + f * (D7 + f * (D8 + f * (D9 + f * (D10 + f * (D11 + f * D12)))))
        e[j] = 1.0 + f * (D1 + f * (D2 + f * (D3 + f * (D4 + f * (D5 + f * high)))))
    for j in range(e.shape[0]):
        bits[j] += whole_bits[j] << 52
    for j in range(e.shape[0]):
        e[j] -= SMALLEST_64


@_SUMS
def _spread(z: Any, share: Any, scaled: Any, moment: Any) -> None:
    """Add sum_j share_j z (z - 2 s_j) of four rows to the moment; the term in s^2 needs no pass over rows."""
    n_features, n_candidates = scaled.shape
    h0, h1, h2, h3 = share[0], share[1], share[2], share[3]
    a, b, c, d = ZERO, ZERO, ZERO, ZERO
    for j in range(n_candidates):
        a += h0[j]
        b += h1[j]
        c += h2[j]
        d += h3[j]
    whole = n_features - n_features % 2
    for f in range(0, whole, 2):
        s, t = scaled[f], scaled[f + 1]
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
        moment[f] += z[0, f] * (a * z[0, f] - (a0 + a0)) + z[1, f] * (b * z[1, f] - (b0 + b0))
        moment[f] += z[2, f] * (c * z[2, f] - (c0 + c0)) + z[3, f] * (d * z[3, f] - (d0 + d0))
        moment[f + 1] += z[0, f + 1] * (a * z[0, f + 1] - (a1 + a1)) + z[1, f + 1] * (b * z[1, f + 1] - (b1 + b1))
        moment[f + 1] += z[2, f + 1] * (c * z[2, f + 1] - (c1 + c1)) + z[3, f + 1] * (d * z[3, f + 1] - (d1 + d1))
    for f in range(whole, n_features):
        s = scaled[f]
        a0, b0, c0, d0 = ZERO, ZERO, ZERO, ZERO
        for j in range(n_candidates):
            a0 += h0[j] * s[j]
            b0 += h1[j] * s[j]
            c0 += h2[j] * s[j]
            d0 += h3[j] * s[j]
        moment[f] += z[0, f] * (a * z[0, f] - (a0 + a0)) + z[1, f] * (b * z[1, f] - (b0 + b0))
        moment[f] += z[2, f] * (c * z[2, f] - (c0 + c0)) + z[3, f] * (d * z[3, f] - (d0 + d0))


@_EXACT
def _square_differences(z: Any, low: Any, r: int, d: int, scaled: Any, scaled_low: Any, out: Any) -> None:
    """Set `out` to the squared differences of row r and all candidates in one feature."""
    x, x_low = z[r, d], low[r, d]
    for j in range(out.shape[0]):
        t = (x - scaled[d, j]) + (x_low - scaled_low[d, j])
        out[j] = t * t


@_SUMS
def _product(a: Any, b: Any, first: int, last: int) -> Any:
    """Sum a_j b_j over a range; were its limits signed, every index would be asked whether it counts from the end."""
    total = a.dtype.type(0.0)
    for j in range(np.uint64(first), np.uint64(last)):
        total += a[j] * b[j]
    return total


@_EXACT
def _add_apart(
    z: Any, low: Any, r: int, n_apart: int, scaled: Any, scaled_low: Any, share: Any, squares: Any, moment: Any
) -> None:  # fmt: skip
    """Add sum_j share_j times the squared differences of row r to the moment of the features that go by differences."""
    for d in range(n_apart):
        _square_differences(z, low, r, d, scaled, scaled_low, squares)
        moment[d] += _product(share, squares, 0, share.shape[0])


@_EXACT
def _scale(a: Any, factor: Any, first: int, last: int) -> None:
    """Multiply a range of values."""
    for j in range(np.uint64(first), np.uint64(last)):
        a[j] *= factor


@_SUMS
def _use_row(e: Any, low: int, high: int, terms: Any, n: int, w: Any, partial: Any) -> float:
    """Turn the similarities of row n into its shares of the gradient, and return its log-likelihood.

    C = similarity times the derivative of the likelihood is added to `partial`; C w is left in `e`.
    """
    n_candidates = e.shape[0]
    own_class = _product(e, w, low, high)
    others = _product(e, w, 0, low) + _product(e, w, high, n_candidates)
    # What is divided is summed apart: 1 / q_true - 1 / q_total would cancel where a row is safe in its class.
    importance, q_true, q_other = terms[n, 0], terms[n, 1] + own_class, terms[n, 2] + others
    share = importance / (q_true + q_other)
    of_same, of_other = np.float32(share * (q_other / q_true)), np.float32(-share)
    _scale(e, of_other, 0, low)
    _scale(e, of_same, low, high)
    _scale(e, of_other, high, n_candidates)
    for j in range(n_candidates):
        partial[j] += e[j]
        e[j] *= w[j]
    return -importance * np.log1p(q_other / q_true)


@_EXACT
def _take_rows(
    reference: Any, start: int, last: int, active: Any, units: Any, n_heavy: int, wide: Any, z: Any, low: Any,
    left: Any, total: Any,
) -> None:  # fmt: skip
    """Set z + low to the active features of four rows, `left` to twice z, `total` to squared lengths of the light ones.

    All four at once, so that one sum does not wait for another. Where there are fewer, the last one stands for them.
    """
    n_features = active.shape[0]
    total[:] = 0.0
    for d in range(n_features):
        column, unit = np.uint64(active[d]), units[d]
        for r in range(4):
            wide[r, d] = reference[min(start + r, last - 1), column] * unit
            total[r] += wide[r, d] * wide[r, d]
    for r in range(4):
        if not total[r] < BOUND * BOUND:
            _draw_near(wide[r])
        for d in range(n_features):
            high = np.float32(wide[r, d])
            z[r, d] = high
            low[r, d] = np.float32(wide[r, d] - high)
            left[r, d] = high + high
        if n_heavy:
            total[r] = 0.0
            for d in range(n_heavy, n_features):
                total[r] += wide[r, d] * wide[r, d]


@_EXACT
def scale_candidates(
    features: Any, active: Any, units: Any, n_heavy: int, scaled: Any, high: Any, low: Any, lengths: Any
) -> None:  # fmt: skip
    """Set `scaled`, shape (d, J), to the active features in kernel units, high + low to pairs of single precision.

    `lengths` becomes what the features after the first n_heavy, the light ones, contribute to the squared lengths.
    """
    n_features, n_candidates = scaled.shape
    totals = np.zeros(n_candidates)
    for d in range(n_features):
        for j in range(n_candidates):
            scaled[d, j] = features[active[d], j] * units[d]
            totals[j] += scaled[d, j] * scaled[d, j]
    for j in range(n_candidates):
        if not totals[j] < BOUND * BOUND:
            _draw_near(scaled[:, j])
        totals[j] = 0.0
    for d in range(n_heavy, n_features):
        for j in range(n_candidates):
            totals[j] += scaled[d, j] * scaled[d, j]
    for j in range(n_candidates):
        lengths[j] = np.float32(totals[j])
    for d in range(n_features):
        for j in range(n_candidates):
            high[d, j] = np.float32(scaled[d, j])
            low[d, j] = np.float32(scaled[d, j] - high[d, j])


@_EXACT
def _flush(partial: Any, columns: Any) -> None:
    """Move sums from single to double precision."""
    for j in range(partial.shape[0]):
        columns[j] += partial[j]
        partial[j] = ZERO


@_EXACT
def add_rows(
    first: int, last: int, reference: Any, active: Any, units: Any, n_heavy: int, same: Any, terms: Any,
    scaled: Any, scaled_low: Any, lengths: Any, w: Any, columns: Any, moment: Any,
) -> float:  # fmt: skip
    """Add the rows first to last - 1 to `columns` and `moment` and return their log-likelihood.

    The first n_heavy features are taken by differences, the others in rows where they are far from the origin.
    """
    n_features, n_candidates = scaled.shape
    e = np.empty((4, n_candidates), np.float32)
    flat = e.reshape(4 * n_candidates)
    bits, shift = flat.view(np.int32), np.empty(4 * n_candidates, np.int32)
    near, far = np.zeros(n_candidates, np.float32), np.zeros(n_candidates, np.float32)
    squares, wide, total = np.empty(n_candidates, np.float32), np.empty((4, n_features)), np.empty(4)
    z, low = np.zeros((4, n_features), np.float32), np.zeros((4, n_features), np.float32)
    left = np.zeros((4, n_features), np.float32)
    z_light, left_light = z[:, n_heavy:], left[:, n_heavy:]
    scaled_light, moment_light = scaled[n_heavy:], moment[n_heavy:]
    is_far, own = np.zeros(4, np.bool_), np.zeros(4, np.float32)
    log_likelihood = 0.0
    for start in range(first, last, 4):
        n_rows = min(4, last - start)
        _take_rows(reference, start, last, active, units, n_heavy, wide, z, low, left, total)
        for r in range(n_rows):
            is_far[r], own[r] = total[r] > NEAR_32, np.float32(total[r])
        _by_expansion(left_light, own, scaled_light, lengths, e)
        for r in range(n_rows):
            if is_far[r]:
                e[r] = ZERO
                _subtract_differences(z, low, r, n_features, scaled, scaled_low, e[r])
            elif n_heavy:
                _subtract_differences(z, low, r, n_heavy, scaled, scaled_low, e[r])
        _power_32(flat, bits, shift)
        for r in range(n_rows):
            n = start + r
            if is_far[r]:
                n_apart = n_features
                log_likelihood += _use_row(e[r], same[n, 0], same[n, 1], terms, n, w, far)
            else:
                n_apart = n_heavy
                log_likelihood += _use_row(e[r], same[n, 0], same[n, 1], terms, n, w, near)
            for d in range(n_apart):
                _square_differences(z, low, r, d, scaled, scaled_low, squares)
                moment[d] += _product(e[r], squares, 0, n_candidates)
            if is_far[r]:
                e[r] = ZERO  # done with
        e[n_rows:] = ZERO  # rows that are not there have no share
        _spread(z_light, e, scaled_light, moment_light)
        if (start - first) % ROWS_PER_FLOAT32_SUM == ROWS_PER_FLOAT32_SUM - 4 or start + 4 >= last:
            _flush(near, columns[0])
            _flush(far, columns[1])
    return log_likelihood


@_IN_ORDER
def add_squares(scaled: Any, n_heavy: int, columns: Any, w: Any, moment: Any) -> None:
    """Add to the moment of the light features what :func:`_spread` leaves out: sums of columns times w times s^2."""
    n_candidates = scaled.shape[1]
    for d in range(n_heavy, scaled.shape[0]):
        total = 0.0
        for start in range(0, n_candidates, COLUMNS_PER_SUM):
            part = 0.0
            for j in range(start, min(start + COLUMNS_PER_SUM, n_candidates)):
                part += scaled[d, j] * scaled[d, j] * (columns[j] * w[j])
            total += part
        moment[d] += total


@_EXACT
def _by_target(t: float, centers: Any, inverse: Any, z: Any, e: Any) -> None:
    """Set z to how many spreads a value is from the center of each prototype, and e to the exponent of its density."""
    for j in range(z.shape[0]):
        z[j] = np.float32(min(max((t - centers[j]) * inverse[j], -FAR_OFF), FAR_OFF))
        e[j] = MINUS_HALF_LOG2_E * (z[j] * z[j])


@_SUMS_INLINE
def _use_density_row(
    e: Any, k: Any, z: Any, inverse: Any, heights: Any, terms: Any, n: int, w: Any,
    partial: Any, widths: Any, pulls: Any, pull_of: Any,
) -> float:  # fmt: skip
    """Turn similarities and densities of row n into its shares of the gradient, and return its log-likelihood.

    C = similarity times the derivative of the likelihood is added to `partial`, C w is left in `e`. What moves the
    logarithm of a spread is added to `widths`, what moves a center to `pulls`, and their sum is put into `pull_of`.
    """
    n_candidates = e.shape[0]
    in_favour, everything = ZERO, ZERO
    for j in range(n_candidates):
        k[j] *= heights[j]
        vote = e[j] * w[j]
        everything += vote
        in_favour += vote * k[j]
    importance, numerator, denominator = terms[n, 0], terms[n, 1] + in_favour, terms[n, 2] + everything
    of_density, of_all = np.float32(importance / numerator), np.float32(importance / denominator)
    total = ZERO
    for j in range(n_candidates):
        own = e[j] * k[j] * of_density
        share = own - e[j] * of_all
        partial[j] += share
        e[j] = share * w[j]
        own *= w[j]
        widths[j] += own * (z[j] * z[j] - ONE)
        pull = own * z[j] * inverse[j]
        pulls[j] += pull
        total += pull
    pull_of[n] = total
    return importance * np.log(numerator / denominator)


@_EXACT
def add_density_rows(
    first: int, last: int, reference: Any, active: Any, units: Any, n_heavy: int, terms: Any,
    scaled: Any, scaled_low: Any, lengths: Any, w: Any, values: Any, centers: Any, spreads: Any,
    columns: Any, moment: Any, pull_of: Any,
) -> float:  # fmt: skip
    """Add rows as :func:`add_rows` does, with the density of a number in place of the indicator of a class.

    `values` are those of the rows, `centers` and `spreads` those of the prototypes; `columns` become the sums over near
    rows, over far ones, and those for spreads and centers, `pull_of` the sums for the center by row.
    """
    n_features, n_candidates = scaled.shape
    e, k = np.empty((4, n_candidates), np.float32), np.zeros((4, n_candidates), np.float32)
    flat, flat_k = e.reshape(4 * n_candidates), k.reshape(4 * n_candidates)
    bits, bits_k, shift = flat.view(np.int32), flat_k.view(np.int32), np.empty(4 * n_candidates, np.int32)
    deviations, sums = np.zeros((4, n_candidates), np.float32), np.zeros((4, n_candidates), np.float32)
    inverse, heights = np.empty(n_candidates, np.float32), np.empty(n_candidates, np.float32)
    for j in range(n_candidates):
        inverse[j] = np.float32(1.0 / spreads[j])
        heights[j] = np.float32(HEIGHT / spreads[j])
    squares, wide, total = np.empty(n_candidates, np.float32), np.empty((4, n_features)), np.empty(4)
    z, low = np.zeros((4, n_features), np.float32), np.zeros((4, n_features), np.float32)
    left = np.zeros((4, n_features), np.float32)
    z_light, left_light = z[:, n_heavy:], left[:, n_heavy:]
    scaled_light, moment_light = scaled[n_heavy:], moment[n_heavy:]
    is_far, own = np.zeros(4, np.bool_), np.zeros(4, np.float32)
    log_likelihood = 0.0
    for start in range(first, last, 4):
        n_rows = min(4, last - start)
        _take_rows(reference, start, last, active, units, n_heavy, wide, z, low, left, total)
        for r in range(n_rows):
            is_far[r], own[r] = total[r] > NEAR_32, np.float32(total[r])
            _by_target(values[start + r], centers, inverse, deviations[r], k[r])
        _by_expansion(left_light, own, scaled_light, lengths, e)
        for r in range(n_rows):
            if is_far[r]:
                e[r] = ZERO
                _subtract_differences(z, low, r, n_features, scaled, scaled_low, e[r])
            elif n_heavy:
                _subtract_differences(z, low, r, n_heavy, scaled, scaled_low, e[r])
        _power_32(flat, bits, shift)
        _power_32(flat_k, bits_k, shift)
        for r in range(n_rows):
            side = 1 if is_far[r] else 0
            log_likelihood += _use_density_row(
                e[r], k[r], deviations[r], inverse, heights, terms, start + r, w, sums[side], sums[2], sums[3], pull_of
            )
            _add_apart(z, low, r, n_features if is_far[r] else n_heavy, scaled, scaled_low, e[r], squares, moment)
            if is_far[r]:
                e[r] = ZERO  # done with
        e[n_rows:] = ZERO  # rows that are not there have no share
        _spread(z_light, e, scaled_light, moment_light)
        if (start - first) % ROWS_PER_FLOAT32_SUM == ROWS_PER_FLOAT32_SUM - 4 or start + 4 >= last:
            for side in range(4):
                _flush(sums[side], columns[side])
    return log_likelihood


@_EXACT
def add_class_impacts(z: Any, scaled: Any, lengths: Any, weights: Any, bounds: Any, out: Any) -> None:
    """Add sum_j w_j 2^(-|z - s_j|^2), summed over the prototypes of each class, to `out`, row by row; z may change."""
    n_rows, n_features = z.shape
    n_prototypes = scaled.shape[1]
    e = np.empty((4, n_prototypes))
    flat = e.reshape(4 * n_prototypes)
    bits, whole = flat.view(np.int64), np.empty(4 * n_prototypes)
    whole_bits = whole.view(np.int64)
    left, own = np.zeros((4, n_features)), np.zeros(4)
    for first in range(0, n_rows, 4):
        n = min(4, n_rows - first)
        for r in range(n):
            own[r] = 0.0
            for d in range(n_features):
                own[r] += z[first + r, d] * z[first + r, d]
            if not own[r] < BOUND * BOUND:
                own[r] = _draw_near(z[first + r])
            for d in range(n_features):
                left[r, d] = 2.0 * z[first + r, d]
        _by_expansion(left, own, scaled, lengths, e)
        for r in range(n):
            if own[r] > NEAR_64:
                _by_difference(z[first + r], scaled, e[r])
        _power_64(flat, bits, whole, whole_bits)
        for r in range(n):
            for k in range(bounds.shape[0] - 1):
                out[first + r, k] += _product(e[r], weights, bounds[k], bounds[k + 1])
