"""The objective (2.8) and its gradient in blocks of rows: float32 products that stay in cache, float64 sums.

With C[n, j] = importance[n] * G[n, j] * (1{same class} / q_true[n] - 1 / q_total[n]) one pass over the similarities G
gives everything: the column sums of C are (2.12), and (2.11) needs the sum over n, j of C w (x - s)^2, whose mixed term
is one matrix product. Rows and candidates are sorted by class, so "same class" is a range of columns, not a mask.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from proset.engine.objective.problem import BatchProblem
from proset.engine.set_manager import Float32Array, FloatArray, IntArray

BLOCK_ROWS = 128
# Similarities below 2^-40 count as zero: they cannot change a sum in float32, and smaller ones would become
# subnormal numbers, which are an order of magnitude slower.
SMALLEST_EXPONENT = np.float32(-40 * np.log(2))
SMALLEST_SIMILARITY = np.exp(SMALLEST_EXPONENT)


@dataclass(frozen=True)
class _RowBlock:
    """Consecutive reference rows of one class and the range of candidates of that class."""

    rows: slice
    same: slice


@dataclass(eq=False)
class _Sums:
    """Running sums over all blocks, in float64."""

    log_likelihood: float
    columns: FloatArray  # sum over n of C, shape (J,)
    moment: FloatArray  # sum over n, j of C w (x - s)^2, shape (d,)


def _row_blocks(problem: BatchProblem) -> Iterator[_RowBlock]:
    """Cut the reference rows into blocks of one class each."""
    rows = np.searchsorted(problem.reference_target, np.arange(problem.n_classes + 1))
    columns = np.searchsorted(problem.candidate_target, np.arange(problem.n_classes + 1))
    for k in range(problem.n_classes):
        same = slice(int(columns[k]), int(columns[k + 1]))
        for start in range(int(rows[k]), int(rows[k + 1]), BLOCK_ROWS):
            yield _RowBlock(slice(start, min(start + BLOCK_ROWS, int(rows[k + 1]))), same)


class NumpyObjective:
    """Value and gradient of one batch problem.

    Parameters
    ----------
    problem : BatchProblem
        The batch.

    Notes
    -----
    Memory does not grow with the number of reference rows beyond the rows themselves. The features in use are copied
    when their set shrinks (section 5.3, measure 3) and kept until it changes again.

    Examples
    --------
    >>> from proset.engine.objective.problem import make_problem
    >>> from proset.engine.objective.penalty import ElasticNet
    >>> problem = make_problem(
    ...     np.array([[0.0], [1.0], [0.2], [0.9]]), np.array([0, 1, 0, 1]), np.ones(4), np.full((4, 2), 0.5),
    ...     candidates=np.array([0, 1]), reference=np.array([2, 3]),
    ...     penalty_v=ElasticNet(1e-3, 0.95), penalty_w=ElasticNet(1e-8, 0.95), first=True)
    >>> value, gradient = NumpyObjective(problem)(problem.start())
    >>> round(value, 4), gradient.shape
    (0.5247, (3,))
    """

    def __init__(self, problem: BatchProblem) -> None:
        self.problem = problem
        self.evaluations = 0
        self._blocks = tuple(_row_blocks(problem))
        self._active = np.arange(problem.n_features)
        self._reference = problem.reference
        self._candidates = problem.candidates

    def __call__(self, point: FloatArray) -> tuple[float, FloatArray]:
        """Evaluate (2.8) and its gradient (2.11), (2.12) at feature weights and prototype weights, shape (D + J,)."""
        self.evaluations += 1
        problem = self.problem
        v, w = problem.split(point)
        self._select(np.flatnonzero(v > 0.0))
        sums = self._sum_blocks(v[self._active].astype(np.float32), w.astype(np.float32))
        value = -sums.log_likelihood + problem.penalty_v.value(v) + problem.penalty_w.value(w)
        gradient_v = problem.penalty_v.gradient(v)
        gradient_v[self._active] += v[self._active] * sums.moment
        gradient_w = problem.penalty_w.gradient(w) - sums.columns
        return value, np.concatenate([gradient_v, gradient_w])

    def settle(self, point: FloatArray) -> bool:
        """Return True: nothing is ever left out of the gradient."""
        return True

    def _select(self, active: IntArray) -> None:
        """Reduce both feature matrices to the features in use."""
        if np.array_equal(active, self._active):
            return
        self._active = active
        self._reference = np.ascontiguousarray(self.problem.reference[:, active])
        self._candidates = np.ascontiguousarray(self.problem.candidates[:, active])

    def _sum_blocks(self, v: Float32Array, w: Float32Array) -> _Sums:
        """Run over all blocks once."""
        candidates = self._candidates
        scaled = candidates * v
        # One more column each turns the product into the whole exponent: z.z' - |z'|^2 / 2, then - |z|^2 / 2 per row.
        right = np.column_stack([scaled, np.full(scaled.shape[0], -0.5, np.float32) * (scaled * scaled).sum(axis=1)]).T
        weighted = w[:, None] * candidates
        sums = _Sums(0.0, np.zeros(w.shape[0]), np.zeros(v.shape[0]))
        for block in self._blocks:
            self._add_block(block, v, w, right, weighted, sums)
        # The terms of (x - s)^2 that do not mix x and s: the one in s needs only the finished column sums.
        sums.moment += (sums.columns * w) @ np.square(candidates, dtype=np.float64)
        return sums

    def _add_block(
        self,
        block: _RowBlock,
        v: Float32Array,
        w: Float32Array,
        right: Float32Array,
        weighted: Float32Array,
        sums: _Sums,
    ) -> None:
        """Add one block of rows to the sums."""
        problem, rows, same = self.problem, block.rows, block.same
        x = self._reference[rows]
        z = x * v
        exponent = np.column_stack([z, np.ones(z.shape[0], np.float32)]) @ right
        exponent -= 0.5 * np.einsum("nd,nd->n", z, z)[:, None]
        np.maximum(exponent, SMALLEST_EXPONENT, out=exponent)
        similar = np.exp(exponent, out=exponent)
        similar -= SMALLEST_SIMILARITY
        q_true = problem.prior_true[rows] + similar[:, same] @ w[same]
        q_total = problem.prior_total[rows] + similar @ w
        importance = problem.importance[rows]
        sums.log_likelihood += float(importance @ np.log(q_true / q_total))
        share = similar * (-importance / q_total).astype(np.float32)[:, None]
        share[:, same] += similar[:, same] * (importance / q_true).astype(np.float32)[:, None]
        sums.columns += share.sum(axis=0)
        row_total = (share @ w).astype(np.float64)
        sums.moment += row_total @ np.square(x, dtype=np.float64)
        sums.moment -= 2.0 * np.einsum("nd,nd->d", x, share @ weighted, dtype=np.float64)
