"""The loops of a fit, compiled: both losses by rows, one step of the iteration, the penalties.

Everything stands in one module because numba looks only at the file of a function to see whether a compiled copy on
disk is still good, and not at the files of those that it calls.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from proset.companions.numba_needed import njit

_LOOPS = njit(nogil=True, cache=True, error_model="numpy")


@_LOOPS
def softmax_rows(scores: Any, own: Any, first: Any, last: Any, weight: Any) -> float:
    """Turn scores, shape (m, N), into the gradient of the smoothed loss by score, in place; return the loss.

    Row i competes from prototype own[i] with those outside first[i], ..., last[i] - 1, the prototypes of its class.
    """
    n_prototypes = scores.shape[1]
    loss = 0.0
    for i in range(scores.shape[0]):
        row, mine = scores[i], scores[i, own[i]]
        largest = 0.0
        for j in range(n_prototypes):
            row[j] -= mine
            if (j < first[i] or j >= last[i]) and row[j] > largest:
                largest = row[j]
        rivals = 0.0
        for j in range(n_prototypes):
            row[j] = math.exp(row[j] - largest) if j < first[i] or j >= last[i] else 0.0
            rivals += row[j]
        total = rivals + math.exp(-largest)
        loss += weight[i] * (largest + math.log(total))
        scale = weight[i] / total
        for j in range(n_prototypes):
            row[j] *= scale
        row[own[i]] = -scale * rivals
    return loss


@_LOOPS
def max_rows(scores: Any, own: Any, first: Any, last: Any, weight: Any) -> float:
    """Do the same for the loss that knows only the strongest rival, the first of several; return the loss."""
    n_prototypes = scores.shape[1]
    loss = 0.0
    for i in range(scores.shape[0]):
        row, mine = scores[i], scores[i, own[i]]
        rival, behind = -1, -math.inf
        for j in range(n_prototypes):
            if (j < first[i] or j >= last[i]) and row[j] - mine > behind:
                rival, behind = j, row[j] - mine
            row[j] = 0.0
        small = math.exp(-abs(behind))
        loss += weight[i] * (max(behind, 0.0) + math.log1p(small))
        share = (1.0 if behind > 0.0 else small) / (1.0 + small)
        if rival >= 0:
            row[rival] = weight[i] * share
            row[own[i]] = -weight[i] * share
    return loss


@_LOOPS
def project_row(row: Any) -> None:
    """Move a vector to the nearest point whose absolute values add up to one at most, in place."""
    total = 0.0
    for d in range(row.shape[0]):
        total += abs(row[d])
    if total <= 1.0:
        return
    ordered = np.sort(np.abs(row))[::-1]
    running, theta = 0.0, 0.0
    for k in range(ordered.shape[0]):
        running += ordered[k]
        candidate = (running - 1.0) / (k + 1)
        if ordered[k] <= candidate:
            break
        theta = candidate
    for d in range(row.shape[0]):
        size = abs(row[d]) - theta
        row[d] = 0.0 if size <= 0.0 else math.copysign(size, row[d])


@_LOOPS
def advance(
    W: Any, ahead: Any, V: Any, gradient: Any, pairs: Any, n_penalised: int, numbers: Any
) -> tuple[float, float, float]:
    """Make one step of the iteration in place; `gradient` is that of the loss at W and is used up.

    `numbers` are lambda, mu, eta, tau and sigma. Columns from `n_penalised` on take no part in a penalty.

    Returns the squared lengths of the change of W, of W itself, and of the change of V.
    """
    lam, mu, eta, tau, sigma = numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
    row = np.empty(n_penalised)
    dual_change, change, size = 0.0, 0.0, 0.0
    for e in range(pairs.shape[0]):
        a, b = pairs[e, 0], pairs[e, 1]
        for d in range(n_penalised):
            row[d] = V[e, d] + sigma * lam * (ahead[a, d] - ahead[b, d])
        project_row(row)
        for d in range(n_penalised):
            dual_change += (row[d] - V[e, d]) ** 2
            V[e, d] = row[d]
            gradient[a, d] += lam * row[d]
            gradient[b, d] -= lam * row[d]
    for j in range(W.shape[0]):
        for d in range(W.shape[1]):
            new = W[j, d] - tau * gradient[j, d]
            if d < n_penalised:
                length = abs(new) - tau * mu
                new = 0.0 if length <= 0.0 else math.copysign(length, new) / (1.0 + tau * mu * eta)
            change += (new - W[j, d]) ** 2
            size += new * new
            ahead[j, d] = 2.0 * new - W[j, d]
            W[j, d] = new
    return change, size, dual_change


@_LOOPS
def draw_together(
    U: Any, W: Any, V: Any, pairs: Any, n_penalised: int, numbers: Any, strength: float, tolerance: float, most: int
) -> int:
    """Set W to the proximal point of U for all penalties, by gradient steps on its dual variables V; return how many.

    `numbers` are lambda, mu, eta and tau, `strength` is the squared norm of the map to penalised differences. W and V
    begin where the last call left them. It ends when a step changes W by no more than a share `tolerance`.
    """
    lam, mu, eta, tau = numbers[0], numbers[1], numbers[2], numbers[3]
    shrink = 1.0 + tau * mu * eta
    row, pull = np.empty(n_penalised), np.empty((W.shape[0], n_penalised))
    for step in range(most):
        pull[:] = 0.0
        for e in range(pairs.shape[0]):
            a, b = pairs[e, 0], pairs[e, 1]
            for d in range(n_penalised):
                pull[a, d] += lam * V[e, d]
                pull[b, d] -= lam * V[e, d]
        change, size = 0.0, 0.0
        for j in range(W.shape[0]):
            for d in range(W.shape[1]):
                new = U[j, d]
                if d < n_penalised:
                    new -= tau * pull[j, d]
                    length = abs(new) - tau * mu
                    new = 0.0 if length <= 0.0 else math.copysign(length, new) / shrink
                change += (new - W[j, d]) ** 2
                size += new * new
                W[j, d] = new
        if pairs.shape[0] == 0 or (step > 0 and change <= tolerance * tolerance * size):
            return step
        for e in range(pairs.shape[0]):
            a, b = pairs[e, 0], pairs[e, 1]
            for d in range(n_penalised):
                row[d] = V[e, d] + lam * shrink / (tau * strength) * (W[a, d] - W[b, d])
            project_row(row)
            V[e] = row
    return most


@_LOOPS
def penalty(W: Any, pairs: Any, n_penalised: int, numbers: Any) -> float:
    """Return what the penalties add to the objective."""
    fusion, absolute, squares = 0.0, 0.0, 0.0
    for e in range(pairs.shape[0]):
        largest = 0.0
        for d in range(n_penalised):
            largest = max(largest, abs(W[pairs[e, 0], d] - W[pairs[e, 1], d]))
        fusion += largest
    for j in range(W.shape[0]):
        for d in range(n_penalised):
            absolute += abs(W[j, d])
            squares += W[j, d] * W[j, d]
    result: float = numbers[0] * fusion + numbers[1] * (absolute + 0.5 * numbers[2] * squares)
    return result
