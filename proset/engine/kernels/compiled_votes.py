"""Compiled: how well the votes of prototypes agree with an aim, and its gradient, in one pass over similarities.

Stands in a module of its own and calls no other compiled function: numba looks only at the file of a function to see
whether a compiled copy on disk is still good.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit

_CHUNK = 32
_SMALL = 0.05  # below it nine terms leave out less than 1e-14


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz", "arcp"})
def add_rows(
    similarity: Any, bounds: Any, weights: Any, marginals: Any, wanted: Any, importance: Any, gradient: Any
) -> float:
    """Return the mean cross-entropy of (2.5) with what is wanted, and add its derivatives by the weights to `gradient`.

    Four lines of `similarity`, shape (n, J), serve twice while they are in a cache, and share what is loaded of each
    prototype. Prototypes are sorted by class, class k from ``bounds[k]`` on; `wanted` is of shape (K, n).
    """
    n_rows, n_classes = similarity.shape[0], marginals.shape[0]
    sums, pull = np.empty((n_classes, 4)), np.empty((n_classes, 4))
    value = 0.0
    for start in range(0, n_rows, 4):
        # Of the last rows the final one may stand several times; it counts once.
        b, c, d = min(start + 1, n_rows - 1), min(start + 2, n_rows - 1), min(start + 3, n_rows - 1)
        row_a, row_b, row_c, row_d = similarity[start], similarity[b], similarity[c], similarity[d]
        for k in range(n_classes):
            sum_a = sum_b = sum_c = sum_d = 0.0
            for j in range(bounds[k], bounds[k + 1]):
                weight = weights[j]
                sum_a += weight * row_a[j]
                sum_b += weight * row_b[j]
                sum_c += weight * row_c[j]
                sum_d += weight * row_d[j]
            sums[k, 0], sums[k, 1] = marginals[k] + sum_a, marginals[k] + sum_b
            sums[k, 2], sums[k, 3] = marginals[k] + sum_c, marginals[k] + sum_d
        pull[:] = 0.0
        for r in range(min(4, n_rows - start)):
            i, total = start + r, 0.0
            for k in range(n_classes):
                total += sums[k, r]
            logs = math.log(total)
            for k in range(n_classes):
                logs -= wanted[k, i] * math.log(sums[k, r])
                pull[k, r] = importance[i] * (1.0 / total - wanted[k, i] / sums[k, r])
            value += importance[i] * logs
        for k in range(n_classes):
            pull_a, pull_b, pull_c, pull_d = pull[k, 0], pull[k, 1], pull[k, 2], pull[k, 3]
            for j in range(bounds[k], bounds[k + 1]):
                gradient[j] += pull_a * row_a[j] + pull_b * row_b[j] + (pull_c * row_c[j] + pull_d * row_d[j])
    return value


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz", "arcp"})
def add_rises(
    similarity: Any, bounds: Any, weights: Any, sums: Any, wanted: Any, importance: Any, least: float, rises: Any
) -> None:
    """Add to `rises` how much the cross-entropy rises for each prototype that alone is taken out.

    A prototype has a share in the sum of its class, and a smaller one in the sum of all; of a sum that rounding makes
    smaller, the share `least` is left. `sums` are of shape (K, n). Where no share is large, and few are, the logarithm
    is a series, in wide registers.
    """
    n_rows, n_classes = similarity.shape[0], sums.shape[0]
    impacts = np.empty(_CHUNK)
    for i in range(n_rows):
        own, total = similarity[i], 0.0
        for k in range(n_classes):
            total += sums[k, i]
        for k in range(n_classes):
            share, of_all, of_class = sums[k, i] / total, importance[i], importance[i] * wanted[k, i]
            for start in range(bounds[k], bounds[k + 1], _CHUNK):
                size, largest = min(_CHUNK, bounds[k + 1] - start), 0.0
                for j in range(size):
                    impacts[j] = own[start + j] * weights[start + j] / sums[k, i]
                    largest = max(largest, impacts[j])
                if largest < _SMALL:
                    for j in range(size):
                        y = impacts[j]
                        x = y * share
                        of_x = 1 / 4 + x * (1 / 5 + x * (1 / 6 + x * (1 / 7 + x * (1 / 8 + x / 9))))
                        of_y = 1 / 4 + y * (1 / 5 + y * (1 / 6 + y * (1 / 7 + y * (1 / 8 + y / 9))))
                        of_x = x * (1.0 + x * (1 / 2 + x * (1 / 3 + x * of_x)))
                        of_y = y * (1.0 + y * (1 / 2 + y * (1 / 3 + y * of_y)))
                        rises[start + j] += of_class * of_y - of_all * of_x
                else:
                    for j in range(size):
                        of_x = math.log(max(1.0 - impacts[j] * share, least))
                        of_y = math.log(max(1.0 - impacts[j], least))
                        rises[start + j] += of_all * of_x - of_class * of_y
