"""The objective (2.8) and its gradient in blocks of rows: float32 products that stay in cache, float64 sums.

This is what fits where numba cannot be imported. With C[n, j] = importance[n] * G[n, j] * (1{same class} / q_true[n] -
1 / q_total[n]) one pass over the similarities G gives everything: the column sums of C are (2.12), and (2.11) needs the
sum over n, j of C w (x - s)^2, whose mixed term is one matrix product. Rows and candidates are sorted by class, so that
"same class" is a range of columns, no mask. Rows far from the origin, where products in float32 cancel, are worked on
in float64.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proset.engine.kernels.similarity import exponents, single_threaded_blas
from proset.engine.kernels.units import FEW_FEATURES, KERNEL_UNIT, NEAR_32, NEAR_64, bounded
from proset.engine.objective.problem import BatchProblem
from proset.engine.set_manager import Float32Array, FloatArray, IntArray

BLOCK_ROWS = 128
# Similarities below 2^-40 count as zero: they cannot change a sum in float32, and smaller ones would become
# subnormal numbers, which are an order of magnitude slower.
LOWEST = np.float32(-40.0 * np.log(2.0))
SMALLEST = np.exp(np.full(64, LOWEST))[0]  # as arrays round it, so that the difference is exactly zero
LN_2 = np.log(2.0)


@dataclass(frozen=True)
class _RowBlock:
    """Consecutive reference rows of one class and the range of candidates of that class."""

    rows: slice
    same: slice


@dataclass(frozen=True, eq=False)
class _Factors:
    """Factors by which rows are multiplied, in one precision."""

    right: NDArray[np.floating]  # (d + 2, J): z, 1 and |z|^2 times these are -ln 2 |z - s|^2
    weighted: NDArray[np.floating]  # (J, d + 1): candidates and 1, times weight

    def in_single_precision(self) -> _Factors:
        """Return the same, rounded."""
        return _Factors(self.right.astype(np.float32), self.weighted.astype(np.float32))


@dataclass(frozen=True, eq=False)
class _Candidates:
    """The candidates at one point, in kernel units, and their weights."""

    scaled: FloatArray  # (J, d)
    lengths: FloatArray  # squared, (J,)
    w: Float32Array
    single: _Factors
    double: _Factors


def _candidates(scaled: FloatArray, w: Float32Array) -> _Candidates:
    """Prepare the candidates for all blocks."""
    lengths = np.einsum("jd,jd->j", scaled, scaled)
    right = LN_2 * np.vstack([2.0 * scaled.T, -lengths, np.full(w.shape[0], -1.0)])
    double = _Factors(right, w[:, None] * np.column_stack([scaled, np.ones(w.shape[0])]))
    return _Candidates(scaled, lengths, w, double.in_single_precision(), double)


@dataclass(eq=False)
class _Sums:
    """Running sums over all blocks, in float64."""

    log_likelihood: float
    by_products: FloatArray  # sum over n of C, shape (J,), where the moment lacks the term in s^2
    by_differences: FloatArray  # and where it does not
    moment: FloatArray  # sum over n, j of C w (z - s)^2, shape (d,)


def _row_blocks(problem: BatchProblem) -> Iterator[_RowBlock]:
    """Cut the reference rows into blocks of one class each."""
    rows = np.searchsorted(problem.reference_target, np.arange(problem.n_classes + 1))
    columns = np.searchsorted(problem.candidate_target, np.arange(problem.n_classes + 1))
    for k in range(problem.n_classes):
        same = slice(int(columns[k]), int(columns[k + 1]))
        for start in range(int(rows[k]), int(rows[k + 1]), BLOCK_ROWS):
            yield _RowBlock(slice(start, min(start + BLOCK_ROWS, int(rows[k + 1]))), same)


class BlocksObjective:
    """Value and gradient of one batch problem.

    Notes
    -----
    Memory does not grow with the number of reference rows beyond the rows themselves. The last bits are those of the
    linear algebra library, and of the number of its threads where somebody changes it meanwhile.

    Examples
    --------
    >>> from proset.engine.objective.problem import make_problem
    >>> from proset.engine.objective.penalty import ElasticNet
    >>> problem = make_problem(
    ...     np.array([[0.0], [1.0], [0.2], [0.9]]), np.array([0, 1, 0, 1]), np.ones(4), np.full((4, 2), 0.5),
    ...     candidates=np.array([0, 1]), reference=np.array([2, 3]),
    ...     penalty_v=ElasticNet(1e-3, 0.95), penalty_w=ElasticNet(1e-8, 0.95), first=True)
    >>> value, gradient = BlocksObjective(problem)(problem.start())
    >>> round(value, 4), gradient.shape
    (0.5247, (3,))
    """

    def __init__(self, problem: BatchProblem) -> None:
        self.problem = problem
        self._blocks = tuple(_row_blocks(problem))

    def __call__(self, point: FloatArray) -> tuple[float, FloatArray]:
        """Evaluate (2.8) and its gradient (2.11), (2.12) at feature weights and prototype weights, shape (D + J,)."""
        problem = self.problem
        v, w = problem.split(point)
        active = np.flatnonzero(v > 0.0)  # section 5.3, measure 3
        units = KERNEL_UNIT * v[active]
        scaled = bounded(problem.candidates[:, active] * units)
        w32 = w.astype(np.float32)  # as in all sums, so that what cancels does
        candidates = _candidates(scaled, w32)
        sums = _Sums(0.0, np.zeros(w.shape[0]), np.zeros(w.shape[0]), np.zeros(active.shape[0]))
        with single_threaded_blas():
            for block in self._blocks:
                self._add_block(block, bounded(problem.reference[block.rows][:, active] * units), candidates, sums)
        # The term of (z - s)^2 in s alone needs only the finished column sums.
        moment = sums.moment + (sums.by_products * w32) @ np.square(scaled)
        (of_v, by_v), (of_w, by_w) = problem.penalty_v.both(v), problem.penalty_w.both(w)
        by_v[active] += moment / units / KERNEL_UNIT
        by_w = by_w - (sums.by_products + sums.by_differences)
        return -sums.log_likelihood + of_v + of_w, np.concatenate([by_v, by_w])

    def _add_block(self, block: _RowBlock, z: FloatArray, candidates: _Candidates, sums: _Sums) -> None:
        """Add one block of rows to the sums."""
        own = np.einsum("nd,nd->n", z, z)
        limit = NEAR_32 if z.shape[1] > FEW_FEATURES else -1.0
        if own.max() <= limit:
            self._add_products(block.rows, block.same, z, own, candidates.w, candidates.single, sums)
            return
        rows, level = np.arange(block.rows.start, block.rows.stop), np.searchsorted([limit, NEAR_64], own)
        for step, factors in enumerate((candidates.single, candidates.double)):
            part = np.flatnonzero(level == step)
            self._add_products(rows[part], block.same, z[part], own[part], candidates.w, factors, sums)
        part = np.flatnonzero(level == 2)
        self._add_differences(rows[part], block.same, z[part], candidates, sums)

    def _add_products(
        self,
        rows: IntArray | slice,
        same: slice,
        z: FloatArray,
        own: FloatArray,
        w: Float32Array,
        factors: _Factors,
        sums: _Sums,
    ) -> None:
        """Add rows for which products in the precision of the factors are exact enough."""
        left = np.column_stack([z, np.ones(z.shape[0]), own]).astype(factors.right.dtype)
        share = self._share(rows, same, (left @ factors.right).astype(np.float32, copy=False), w, sums)
        share = share.astype(left.dtype, copy=False)  # sums that cancel each other have to be as exact as the products
        sums.by_products += share.sum(axis=0)
        mixed = (share @ factors.weighted).astype(np.float64, copy=False)
        sums.moment += np.einsum("nd,nd->d", z, mixed[:, -1:] * z - 2.0 * mixed[:, :-1])

    def _add_differences(
        self, rows: IntArray, same: slice, z: FloatArray, candidates: _Candidates, sums: _Sums
    ) -> None:
        """Add rows so far away that float64 would cancel, by differences."""
        exponent = (LN_2 * exponents(z, candidates.scaled, candidates.lengths)).astype(np.float32)
        share = self._share(rows, same, exponent, candidates.w, sums)
        sums.by_differences += share.sum(axis=0)
        share *= candidates.w
        for d in range(z.shape[1]):
            difference = z[:, d, None] - candidates.scaled[:, d]
            sums.moment[d] += np.vdot(share, difference * difference)

    def _share(
        self, rows: IntArray | slice, same: slice, exponent: Float32Array, w: Float32Array, sums: _Sums
    ) -> Float32Array:
        """Turn exponents into C, in place, and add the log-likelihood of the rows."""
        problem = self.problem
        np.clip(exponent, LOWEST, 0.0, out=exponent)
        similar: Float32Array = np.exp(exponent, out=exponent)
        similar -= SMALLEST
        prior_other = problem.prior_total[rows] - problem.prior_true[rows]
        q_true = problem.prior_true[rows] + similar[:, same] @ w[same]
        q_other = prior_other + similar[:, : same.start] @ w[: same.start] + similar[:, same.stop :] @ w[same.stop :]
        importance = problem.importance[rows]
        sums.log_likelihood -= float(importance @ np.log1p(q_other / q_true))
        # 1 / q_true - 1 / q_total would cancel where a row is safe in its class.
        of_other = -importance / (q_true + q_other)
        of_same = (-of_other * (q_other / q_true)).astype(np.float32)[:, None]
        similar[:, : same.start] *= of_other.astype(np.float32)[:, None]
        similar[:, same] *= of_same
        similar[:, same.stop :] *= of_other.astype(np.float32)[:, None]
        return similar
