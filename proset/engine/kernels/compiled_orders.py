"""Compiled: class probabilities along permutations of the features, forwards and backwards.

Stands in a module of its own and calls no other compiled function: numba looks only at the file of a function to see
whether a compiled copy on disk is still good.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"reassoc", "contract", "nsz"})
def add_along(
    order: Any, at_row: Any, at_reference: Any, weights: Any, bounds: Any, marginals: Any, pairs: Any
) -> None:
    """Set `pairs`, shape (orders, m, K), to what each player adds, mean over an order and its reverse.

    A state along an order is a product from the front, of those who have joined, times one from the back, of those who
    have not. Prototypes are sorted by class, class k from ``bounds[k]`` on; factors are of shape (m, P).
    """
    n, m = order.shape
    n_prototypes, n_classes = weights.shape[0], marginals.shape[0]
    back = np.empty((m + 1, n_prototypes))
    front = np.empty(n_prototypes)
    before, now = np.empty(n_classes), np.empty(n_classes)
    for i in range(n):
        for d in range(m):
            for k in range(n_classes):
                pairs[i, d, k] = 0.0
        for backwards in range(2):
            back[m, :] = 1.0
            for step in range(m - 1, -1, -1):
                player = order[i, m - 1 - step] if backwards else order[i, step]
                outside = at_reference[player]
                for j in range(n_prototypes):
                    back[step, j] = back[step + 1, j] * outside[j]
            front[:] = weights
            for step in range(m + 1):
                player = 0
                if step:
                    player = order[i, m - step] if backwards else order[i, step - 1]
                    inside = at_row[player]
                    for j in range(n_prototypes):
                        front[j] *= inside[j]
                total = 0.0
                for k in range(n_classes):
                    q = marginals[k]
                    for j in range(bounds[k], bounds[k + 1]):
                        q += front[j] * back[step, j]
                    now[k] = q
                    total += q
                for k in range(n_classes):
                    now[k] /= total
                    if step:
                        pairs[i, player, k] += 0.5 * (now[k] - before[k])
                    before[k] = now[k]
