"""The density objective and its gradient through the compiled kernels, on as many cores as it is worth."""

from __future__ import annotations

from typing import Any, cast

import numpy as np

from proset.engine.kernels import compiled
from proset.engine.kernels.threads import run_parts
from proset.engine.kernels.units import KERNEL_UNIT
from proset.engine.objective.compiled_backend import cut_rows, features_in_use, of_all_parts, scaled_candidates
from proset.engine.objective.density_problem import DensityProblem
from proset.engine.set_manager import FloatArray


class CompiledDensityObjective:
    """Value and gradient of one batch problem whose target is a number, compiled.

    Notes
    -----
    The pass over the similarities is that of ``CompiledObjective``, with all that is said there. With one slope per
    feature, what a row adds to the derivative by it is x_n times a sum over prototypes, and less x_j times a sum over
    rows: slopes cost no pass over the features.
    """

    def __init__(self, problem: DensityProblem) -> None:
        self.problem = problem
        self._terms = np.column_stack([problem.importance, problem.prior_true, problem.prior_total])
        self._features = np.ascontiguousarray(problem.candidates.T)
        self._sizes = np.abs(problem.reference / max(1, problem.reference.shape[0])).sum(axis=0)
        self._parts = cut_rows(problem)
        # Around their middle, so that the two sums of a slope's derivative do not cancel.
        middle = problem.reference.mean(axis=0)
        self._rows, self._columns = problem.reference - middle, problem.candidates - middle

    def __call__(self, point: FloatArray) -> tuple[float, FloatArray]:
        """Evaluate value and gradient at a point of the problem, shape (n_variables,)."""
        problem, kernel = self.problem, cast(Any, compiled)
        at = problem.at(point)
        active, units, n_heavy = features_in_use(at.u, self._sizes)
        scaled, high, low, lengths = scaled_candidates(self._features, active, units, n_heavy)
        # einsum, not BLAS, whose threads would cut sums elsewhere.
        values = problem.reference_value - np.einsum("nd,d->n", self._rows, at.beta)
        centers = problem.candidate_value - np.einsum("jd,d->j", self._columns, at.beta)
        w32, n_parts = at.w.astype(np.float32), len(self._parts)
        columns, pulls = np.zeros((n_parts, 4, w32.shape[0])), np.zeros(values.shape[0])
        moments = np.zeros((n_parts, active.shape[0]))

        def add(part: int) -> float:
            rows = self._parts[part]
            log_likelihood: float = kernel.add_density_rows(
                rows.start, rows.stop, problem.reference, active, units, n_heavy, self._terms, high, low, lengths,
                w32, values, centers, at.spreads, columns[part], moments[part], pulls,
            )  # fmt: skip
            return log_likelihood

        log_likelihood = sum(run_parts(add, n_parts))
        (near, far, widths, of_centers), moment = of_all_parts(columns), of_all_parts(moments)
        kernel.add_squares(scaled, n_heavy, near, w32, moment)
        by_u, sums = np.zeros(at.u.shape[0]), (-(near + far), -widths)
        by_u[active] = moment / units / KERNEL_UNIT
        by_beta = np.einsum("j,jd->d", of_centers, self._columns) - np.einsum("n,nd->d", pulls, self._rows)
        value, gradient = problem.penalty(point)
        return value - log_likelihood, gradient + problem.gradient(at, by_u, by_beta, sums)
