"""The objective (2.8) and its gradient through the compiled kernels, on as many cores as it is worth."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, cast

import numpy as np

from proset.engine.kernels import compiled
from proset.engine.kernels.threads import run_parts
from proset.engine.kernels.units import FEW_FEATURES, KERNEL_UNIT
from proset.engine.objective.problem import OVERHEAD_PER_PAIR, BatchProblem
from proset.engine.set_manager import Float32Array, FloatArray, IntArray

# About a millisecond of work for one core. Below that, handing rows to another thread costs more than it saves.
WORK_PER_PART = 4_000_000
MOST_PARTS = 64
SPREAD_OUT = 16.0  # sum over features of a squared mean distance from zero, in kernel units; then some rows are far


class CompiledObjective:
    """Value and gradient of one batch problem, compiled.

    Notes
    -----
    Similarities are float32; what cancels is not: where products would lose digits, for the weights at hand, distances
    come from differences of pairs of float32, and sums over many rows are float64. The rows are cut into parts that do
    not depend on the number of threads, and the parts are added up in order, so the result is the same, bit for bit, on
    any number of cores. The interpreter lock is free meanwhile. The first call on a machine compiles for a few seconds
    and keeps the result beside the package or in the user's cache folder.

    Examples
    --------
    >>> from proset.engine.objective.problem import make_problem
    >>> from proset.engine.objective.penalty import ElasticNet
    >>> problem = make_problem(
    ...     np.array([[0.0], [1.0], [0.2], [0.9]]), np.array([0, 1, 0, 1]), np.ones(4), np.full((4, 2), 0.5),
    ...     candidates=np.array([0, 1]), reference=np.array([2, 3]),
    ...     penalty_v=ElasticNet(1e-3, 0.95), penalty_w=ElasticNet(1e-8, 0.95), first=True)
    >>> value, gradient = CompiledObjective(problem)(problem.start())
    >>> round(value, 4), gradient.shape
    (0.5247, (3,))
    """

    def __init__(self, problem: BatchProblem) -> None:
        self.problem = problem
        self._same = problem.same_class()
        self._terms = np.column_stack(
            [problem.importance, problem.prior_true, problem.prior_total - problem.prior_true]
        )
        self._features = np.ascontiguousarray(problem.candidates.T)
        self._sizes = np.abs(problem.reference / max(1, problem.reference.shape[0])).sum(axis=0)
        self._parts = cut_rows(problem)

    def __call__(self, point: FloatArray) -> tuple[float, FloatArray]:
        """Evaluate (2.8) and its gradient (2.11), (2.12) at feature weights and prototype weights, shape (D + J,)."""
        problem, kernel = self.problem, cast(Any, compiled)
        v, w = problem.split(point)
        active, units, n_heavy = features_in_use(v, self._sizes)
        scaled, high, low, lengths = scaled_candidates(self._features, active, units, n_heavy)
        w32 = w.astype(np.float32)
        columns, moments = np.zeros((len(self._parts), 2, w.shape[0])), np.zeros((len(self._parts), active.shape[0]))

        def add(part: int) -> float:
            rows = self._parts[part]
            log_likelihood: float = kernel.add_rows(
                rows.start, rows.stop, problem.reference, active, units, n_heavy, self._same, self._terms,
                high, low, lengths, w32, columns[part], moments[part],
            )  # fmt: skip
            return log_likelihood

        log_likelihood = sum(run_parts(add, len(self._parts)))
        (near, far), moment = of_all_parts(columns), of_all_parts(moments)
        kernel.add_squares(scaled, n_heavy, near, w32, moment)
        (of_v, by_v), (of_w, by_w) = problem.penalty_v.both(v), problem.penalty_w.both(w)
        by_v[active] += moment / units / KERNEL_UNIT
        return -log_likelihood + of_v + of_w, np.concatenate([by_v, by_w - (near + far)])


def features_in_use(v: FloatArray, sizes: FloatArray) -> tuple[IntArray, FloatArray, int]:
    """Return the features in use (section 5.3, measure 3), their units, and how many to take by differences.

    These come first: the few that distances depend on most, where rows are not near the origin without them.

    Parameters
    ----------
    v : ndarray of shape (D,)
        Feature weights.
    sizes : ndarray of shape (D,)
        Mean distance of the rows from zero in each feature.

    Examples
    --------
    >>> active, units, n_heavy = features_in_use(np.array([1.0, 0.0, 2.0]), np.ones(3))
    >>> active.tolist(), units.round(2).tolist(), n_heavy
    ([0, 2], [0.85, 1.7], 2)
    """
    active = (v > 0.0).nonzero()[0]
    units = KERNEL_UNIT * v[active]
    if active.shape[0] <= FEW_FEATURES:
        return active, units, active.shape[0]
    size = np.square(units * sizes[active])
    if np.add.reduce(size) <= SPREAD_OUT:
        return active, units, 0
    order = (-size).argpartition(FEW_FEATURES)
    return active[order], units[order], FEW_FEATURES


def scaled_candidates(
    features: FloatArray, active: IntArray, units: FloatArray, n_heavy: int
) -> tuple[FloatArray, Float32Array, Float32Array, Float32Array]:
    """Return candidates in kernel units, (d, J), as pairs of single precision, and squared lengths of light features.

    Parameters
    ----------
    features : ndarray of shape (D, J)
        Features of the candidates.
    active, units, n_heavy
        From :func:`features_in_use`.
    """
    shape = (active.shape[0], features.shape[1])
    scaled, high, low = np.empty(shape), np.empty(shape, np.float32), np.empty(shape, np.float32)
    lengths = np.empty(shape[1], np.float32)
    cast(Any, compiled).scale_candidates(features, active, units, n_heavy, scaled, high, low, lengths)
    return scaled, high, low, lengths


def of_all_parts(sums: FloatArray) -> FloatArray:
    """Add up what the parts of the rows came to, in their order."""
    total: FloatArray = sums[0] if sums.shape[0] == 1 else sums.sum(axis=0)
    return total


def cut_rows(problem: BatchProblem) -> tuple[range, ...]:
    """Cut the rows into parts of about equal size, as many as the problem is worth."""
    n_rows, n_features = problem.reference.shape
    work = n_rows * problem.n_candidates * (n_features + OVERHEAD_PER_PAIR)
    n_parts = min(max(work // WORK_PER_PART, 1), MOST_PARTS)
    edges = np.linspace(0, n_rows, n_parts + 1).astype(int).tolist()
    return tuple(range(a, b) for a, b in pairwise(edges))
