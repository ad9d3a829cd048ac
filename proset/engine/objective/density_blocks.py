"""The density objective and its gradient in blocks of rows, in double precision: what fits where numba is missing."""

from __future__ import annotations

import numpy as np

from proset.engine.kernels.similarity import exponents, row_blocks, single_threaded_blas
from proset.engine.kernels.units import KERNEL_UNIT, bounded
from proset.engine.objective.density_problem import DensityProblem
from proset.engine.set_manager import FloatArray

HEIGHT = 1.0 / np.sqrt(2.0 * np.pi)
MOST_SPREADS = 38.0  # from a center; beyond, the density is zero in double precision


class BlocksDensityObjective:
    """Value and gradient of one batch problem whose target is a number.

    Notes
    -----
    Memory does not grow with the number of reference rows beyond the rows themselves.
    """

    def __init__(self, problem: DensityProblem) -> None:
        self.problem = problem
        middle = problem.reference.mean(axis=0)
        self._rows, self._columns = problem.reference - middle, problem.candidates - middle

    def __call__(self, point: FloatArray) -> tuple[float, FloatArray]:
        """Evaluate value and gradient at a point of the problem, shape (n_variables,)."""
        problem = self.problem
        at = problem.at(point)
        beta, u, h, w = at.beta, at.u, at.spreads, at.w
        active = np.flatnonzero(u > 0.0)
        units = KERNEL_UNIT * u[active]
        moment, by_beta, sums = np.zeros(active.shape[0]), np.zeros(problem.n_features), np.zeros((2, w.shape[0]))
        log_likelihood = 0.0
        with single_threaded_blas():
            scaled = bounded(problem.candidates[:, active] * units)
            lengths = np.einsum("jd,jd->j", scaled, scaled)
            centers = problem.candidate_value - self._columns @ beta
            for rows in row_blocks(problem.reference.shape[0], problem.n_candidates):
                z = bounded(problem.reference[rows][:, active] * units)
                similar = np.exp2(exponents(z, scaled, lengths))
                values = problem.reference_value[rows] - self._rows[rows] @ beta
                off = np.clip((values[:, None] - centers) / h, -MOST_SPREADS, MOST_SPREADS)
                density = HEIGHT * np.exp(-0.5 * off * off) / h
                numerator = problem.prior_true[rows] + (similar * density) @ w
                denominator = problem.prior_total[rows] + similar @ w
                importance = problem.importance[rows]
                log_likelihood += float(importance @ np.log(numerator / denominator))
                own = similar * density * (importance / numerator)[:, None]
                share = own - similar * (importance / denominator)[:, None]
                sums[0] -= share.sum(axis=0)
                share *= w
                for d in range(active.shape[0]):
                    moment[d] += np.vdot(share, np.square(z[:, d, None] - scaled[:, d]))
                own *= w
                sums[1] -= (own * (off * off - 1.0)).sum(axis=0)
                pull = own * off / h
                by_beta += pull.sum(axis=0) @ self._columns - pull.sum(axis=1) @ self._rows[rows]
        by_u = np.zeros(problem.n_features)
        by_u[active] = moment / units / KERNEL_UNIT
        value, gradient = problem.penalty(point)
        return value - log_likelihood, gradient + problem.gradient(at, by_u, by_beta, (sums[0], sums[1]))
