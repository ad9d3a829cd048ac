"""The objective written out in plain loops, as in the paper: what tests hold the compiled form to."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

from proset.companions.smp.problem import FusionProblem
from proset.engine.kernels.units import FloatArray


def objective(problem: FusionProblem, W: FloatArray) -> float:
    """Return the objective (6) of a problem with a complete graph, term by term.

    Parameters
    ----------
    problem : FusionProblem
        What is minimised; only numbers, rows and classes are read.
    W : ndarray of shape (N, D)
        Prototypes.
    """
    total = loss(problem, W)
    n = problem.n_penalised
    for first, last in zip(problem.bounds[:-1], problem.bounds[1:], strict=True):
        differences = pair_matrix(int(last - first)) @ W[first:last, :n]
        total += problem.lam * sum(max(abs(entry) for entry in row) for row in differences)
    for row in W[:, :n]:
        for entry in row:
            total += problem.mu * (abs(entry) + 0.5 * problem.eta * entry**2)
    return float(total)


def loss(problem: FusionProblem, W: FloatArray) -> float:
    """Return the loss (4) or (2), row by row and rival by rival."""
    total = 0.0
    for i, x in enumerate(problem.X):
        k = problem.target[i]
        mine = float(W[problem.own[i]] @ x)
        outside = [j for j in range(len(W)) if not problem.bounds[k] <= j < problem.bounds[k + 1]]
        behind = [float(W[j] @ x) - mine for j in outside]
        if problem.loss == "softmax":
            one = math.log(1.0 + sum(math.exp(b) for b in behind))
        else:
            one = max(math.log(1.0 + math.exp(b)) for b in behind)
        total += problem.weight[i] * one
    return total


def pair_matrix(p: int) -> FloatArray:
    """Return B of a class with p prototypes: one row per pair, 1 and -1 in it.

    Examples
    --------
    >>> pair_matrix(3).tolist()
    [[1.0, -1.0, 0.0], [1.0, 0.0, -1.0], [0.0, 1.0, -1.0]]
    """
    pairs = list(combinations(range(p), 2))
    B = np.zeros((len(pairs), p))
    for row, (i, j) in enumerate(pairs):
        B[row, i], B[row, j] = 1.0, -1.0
    return B
