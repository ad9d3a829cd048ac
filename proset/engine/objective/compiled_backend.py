"""The objective (2.8) and its gradient through the compiled kernels, on as many cores as it is worth.

Candidates whose weight is zero and whose gradient keeps it there take no part in the sums; they are set aside and
looked at again every few evaluations and before the solver may stop.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from proset.engine.kernels.threads import run_parts
from proset.engine.objective.kernels import add_rows
from proset.engine.objective.problem import OVERHEAD_PER_PAIR, BatchProblem
from proset.engine.set_manager import BoolArray, Float32Array, FloatArray, IntArray

LOG2_E = math.log2(math.e)
# About a millisecond of work for one core. Below that, handing rows to another thread costs more than it saves.
WORK_PER_PART = 4_000_000
MOST_PARTS = 64
FIRST_LOOK = 20  # evaluations before candidates are set aside for the first time
LOOK_EVERY = 20  # evaluations between two looks at the candidates set aside


@dataclass(eq=False)
class _Columns:
    """The candidates that take part in the sums."""

    index: IntArray  # ascending, so that classes stay ranges
    features: Float32Array  # (d, J')
    squares: FloatArray  # of the features
    same: IntArray  # (n, 2)


class CompiledObjective:
    """Value and gradient of one batch problem, compiled.

    Parameters
    ----------
    problem : BatchProblem
        The batch.

    Notes
    -----
    The value is exact for every point. The gradient is exact but for candidates set aside, all of weight zero: theirs
    is the positive one they were set aside with, which keeps a solver with bounds from moving them. :meth:`settle`
    looks at them again. The rows are cut into parts that do not depend on the number of threads, and the parts are
    added up in order, so the result is the same, bit for bit, on any number of cores.

    Examples
    --------
    >>> from proset.engine.objective.problem import make_problem
    >>> from proset.engine.objective.penalty import ElasticNet
    >>> problem = make_problem(
    ...     np.array([[0.0], [1.0], [0.2], [0.9]]), np.array([0, 1, 0, 1]), np.ones(4), np.full((4, 2), 0.5),
    ...     candidates=np.array([0, 1]), reference=np.array([2, 3]),
    ...     penalty_v=ElasticNet(1e-3, 0.95), penalty_w=ElasticNet(1e-8, 0.95))
    >>> value, gradient = CompiledObjective(problem)(problem.start())
    >>> round(value, 4), gradient.shape
    (0.5247, (3,))
    """

    def __init__(self, problem: BatchProblem) -> None:
        self.problem = problem
        self.evaluations = 0
        self._bounds = np.searchsorted(problem.candidate_target, np.arange(problem.n_classes + 1))
        self._terms = np.column_stack([problem.importance, problem.prior_true, problem.prior_total])
        self._transposed = np.ascontiguousarray(problem.candidates.T)
        self._used: BoolArray = np.ones(problem.n_features, dtype=bool)
        self._active = np.arange(problem.n_features)
        self._reference = problem.reference
        self._all = self._gather(np.arange(problem.n_candidates))
        self._kept = self._all
        self._aside: BoolArray = np.zeros(problem.n_candidates, dtype=bool)
        self._n_aside = 0
        self._frozen: FloatArray = np.zeros(problem.n_candidates)
        self._parts = self._cut()

    def __call__(self, point: FloatArray) -> tuple[float, FloatArray]:
        """Evaluate (2.8) and its gradient (2.11), (2.12) at feature weights and prototype weights, shape (D + J,)."""
        self.evaluations += 1
        v, w = self.problem.split(point)
        self._select(v > 0.0)
        if self._n_aside and w[self._aside].any():
            self._set_aside(self._aside & (w == 0.0))
        look = self.evaluations >= FIRST_LOOK and (self.evaluations - FIRST_LOOK) % LOOK_EVERY == 0
        value, gradient_v, gradient_w = self._evaluate(v, w, self._all if look else self._kept)
        if look:
            self._look(w, gradient_w)
        if self._n_aside:
            gradient_w = np.where(self._aside, self._frozen, gradient_w)
        return value, np.concatenate([gradient_v, gradient_w])

    def settle(self, point: FloatArray) -> bool:
        """Tell whether the candidates set aside at a point stay there; if not, they take part again.

        Parameters
        ----------
        point : ndarray of shape (D + J,)
            Where a solver stopped.

        Returns
        -------
        bool
            False if the solver has to go on from this point.
        """
        if not self._n_aside:
            return True
        before = self._aside
        v, w = self.problem.split(point)
        self._select(v > 0.0)
        self._look(w, self._evaluate(v, w, self._all)[2])
        return not (before & ~self._aside).any()

    def _look(self, w: FloatArray, gradient_w: FloatArray) -> None:
        """Set aside what is zero and stays so; take back what does not. Frozen gradients stay, to be steady."""
        aside = (w == 0.0) & (gradient_w > 0.0)
        fresh = aside & ~self._aside
        self._frozen[fresh] = gradient_w[fresh]
        if not np.array_equal(aside, self._aside):
            self._set_aside(aside)

    def _set_aside(self, aside: BoolArray) -> None:
        """Leave these candidates out from now on."""
        self._aside, self._n_aside = aside, int(aside.sum())
        self._kept = self._gather(np.flatnonzero(~aside)) if self._n_aside else self._all

    def _select(self, used: BoolArray) -> None:
        """Reduce the feature matrices to the features in use (section 5.3, measure 3)."""
        if (used == self._used).all():
            return
        self._used, self._active = used, np.flatnonzero(used)
        active = self._active
        self._reference = np.ascontiguousarray(self.problem.reference[:, active])
        self._transposed = np.ascontiguousarray(self.problem.candidates[:, active].T)
        self._all = self._gather(np.arange(self.problem.n_candidates))
        self._set_aside(self._aside)

    def _gather(self, index: IntArray) -> _Columns:
        """Arrange some candidates for the kernel."""
        whole = index.shape[0] == self.problem.n_candidates
        features = self._transposed if whole else np.ascontiguousarray(self._transposed[:, index])
        bounds = np.searchsorted(index, self._bounds)
        k = self.problem.reference_target
        squares = np.square(features, dtype=np.float64)
        return _Columns(index, features, squares, np.column_stack([bounds[k], bounds[k + 1]]))

    def _cut(self) -> tuple[range, ...]:
        """Cut the rows into parts of about equal size, as many as the problem is worth."""
        n_rows, n_features = self.problem.reference.shape
        work = n_rows * self.problem.n_candidates * (n_features + OVERHEAD_PER_PAIR)
        n_parts = int(np.clip(work // WORK_PER_PART, 1, MOST_PARTS))
        edges = np.linspace(0, n_rows, n_parts + 1).astype(int).tolist()
        return tuple(range(a, b) for a, b in pairwise(edges))

    def _evaluate(self, v: FloatArray, w: FloatArray, columns: _Columns) -> tuple[float, FloatArray, FloatArray]:
        """Value and gradient, the latter zero for candidates that do not take part."""
        problem, features, active = self.problem, columns.features, self._active
        weights = w if columns is self._all else w[columns.index]
        metric = np.square(v[active]) * LOG2_E
        half_square = (0.5 * (metric @ columns.squares)).astype(np.float32)
        metric32, w32 = metric.astype(np.float32), weights.astype(np.float32)
        sums = np.zeros((len(self._parts), features.shape[1])), np.zeros((len(self._parts), active.shape[0]))

        def add(part: int) -> float:
            return add_rows(
                self._parts[part], self._reference, columns.same, self._terms, features, half_square, metric32, w32,
                sums[0][part], sums[1][part],
            )  # fmt: skip

        log_likelihood = sum(run_parts(add, len(self._parts)))
        column_sums = sums[0].sum(axis=0)
        # The term of (x - s)^2 in s alone needs only the finished column sums.
        moment = sums[1].sum(axis=0) + columns.squares @ (column_sums * weights)
        gradient_v = problem.penalty_v.gradient(v)
        gradient_v[active] += v[active] * moment
        gradient_w = problem.penalty_w.gradient(weights) - column_sums
        if columns is not self._all:
            whole = np.zeros_like(w)
            whole[columns.index] = gradient_w
            gradient_w = whole
        return -log_likelihood + problem.penalty_v.value(v) + problem.penalty_w.value(w), gradient_v, gradient_w
