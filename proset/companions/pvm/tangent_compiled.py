"""Squared tangent distances from products of tangent bases: one system of 7 equations per pair, many pairs at once.

Pairs are the innermost index, so each step of the small Cholesky factorisation is one loop over pairs, and wide
registers take many of them at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from proset.companions.numba_needed import njit

WIDTH = 64  # pairs that are solved together: what they need stays in the fastest cache
ZERO, ONE = np.float32(0.0), np.float32(1.0)
SMALLEST = np.float32(1e-12)

# Sums may be reordered, to use wide registers; not-a-number and infinity keep their meaning.
_SUMS = njit(nogil=True, cache=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz", "arcp"})


@_SUMS
def squared_differences(A: Any, B: Any, out: Any) -> None:
    """Set out[n, m] to |A[n] - B[m]|^2; by differences, so that near rows lose nothing."""
    for m in range(B.shape[0]):
        for n in range(A.shape[0]):
            total = ZERO
            for d in range(A.shape[1]):
                t = A[n, d] - B[m, d]
                total += t * t
            out[n, m] = total


@_SUMS
def two_sided(cross: Any, of_right: Any, own: Any, of_left: Any, along: Any, ridge: Any, out: Any) -> None:
    """Lower squared Euclidean distances to squared two-sided tangent distances.

    Parameters
    ----------
    cross : array of shape (n, k, k, m)
        Products of the bases, P' Q.
    of_right : array of shape (n, k, m)
        What y has along the directions of x, P' y.
    own : array of shape (n, k)
        P' x.
    of_left : array of shape (n, k, m)
        Q' x.
    along : array of shape (k, m)
        Q' y.
    ridge : float32
        What a step of length 1 costs.
    out : array of shape (n, m)
        On entry |x - y|^2, on return the squared distances.

    Notes
    -----
    With g = P' (x - y), h = Q' (x - y), C = P' Q and s = 1 + ridge, the best steps a and b solve s a - C b = -g and
    s b - C' a = h. Without a: S b = f with S = s - C' C / s and f = h - C' g / s, and what is left of the squared
    distance is |x - y|^2 - g' g / s - f' b. So each pair takes one system of k equations and not of 2 k.
    """
    k = own.shape[1]
    n_pairs = out.shape[1]
    scale = ONE + ridge
    inverse = ONE / scale
    S = np.empty((k, k, WIDTH), np.float32)
    f, g = np.empty((k, WIDTH), np.float32), np.empty((k, WIDTH), np.float32)
    for n in range(out.shape[0]):
        for first in range(0, n_pairs, WIDTH):
            w = min(WIDTH, n_pairs - first)
            last = first + w
            total, C = out[n, first:last], cross[n, :, :, first:last]
            for i in range(k):
                for p in range(w):
                    g[i, p] = own[n, i] - of_right[n, i, first + p]
                    total[p] -= g[i, p] * g[i, p] * inverse
                    f[i, p] = of_left[n, i, first + p] - along[i, first + p]
            _eliminate(C, g, f, S, scale, inverse, w)
            _subtract_solutions(S, f, total, w)


@_SUMS
def _eliminate(C: Any, g: Any, f: Any, S: Any, scale: Any, inverse: Any, w: int) -> None:
    """Set S to s - C' C / s (its lower half) and f to h - C' g / s for w pairs."""
    k = f.shape[0]
    for i in range(k):
        for r in range(k):
            for p in range(w):
                f[i, p] -= C[r, i, p] * g[r, p] * inverse
        for j in range(i + 1):
            for p in range(w):
                S[i, j, p] = ZERO
            for r in range(k):
                for p in range(w):
                    S[i, j, p] -= C[r, i, p] * C[r, j, p]
            for p in range(w):
                S[i, j, p] *= inverse
        for p in range(w):
            S[i, i, p] += scale


@_SUMS
def _subtract_solutions(S: Any, f: Any, total: Any, w: int) -> None:
    """Subtract f' S^-1 f from the totals of w pairs, none below 0; S and f are overwritten."""
    k = f.shape[0]
    for j in range(k):
        for r in range(j):
            for p in range(w):
                S[j, j, p] -= S[j, r, p] * S[j, r, p]
                f[j, p] -= S[j, r, p] * f[r, p]
        for p in range(w):
            S[j, j, p] = ONE / np.sqrt(max(S[j, j, p], SMALLEST))
            f[j, p] *= S[j, j, p]
            total[p] -= f[j, p] * f[j, p]
        for i in range(j + 1, k):
            for r in range(j):
                for p in range(w):
                    S[i, j, p] -= S[i, r, p] * S[j, r, p]
            for p in range(w):
                S[i, j, p] *= S[j, j, p]
    for p in range(w):
        total[p] = max(total[p], ZERO)


@_SUMS
def mirror(square: Any) -> None:
    """Copy what is above the diagonal of a matrix below it, and set the diagonal to 0."""
    edge = 64  # blocks of this size are read and written within the fastest cache
    n = square.shape[0]
    for top in range(0, n, edge):
        for left in range(0, top + 1, edge):
            for i in range(top, min(top + edge, n)):
                for j in range(left, min(left + edge, i)):
                    square[i, j] = square[j, i]
    for i in range(n):
        square[i, i] = ZERO
