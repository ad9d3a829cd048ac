"""Our L-BFGS-B beside scipy's on the report's problems: ``python -m benchmarks.solver``.

Every batch of the fits of ``benchmarks.quality`` is solved by both, from the same start and with the same restarts.
Counts and objectives are facts. Time is the processor's, outside of the objective; what it is per iteration depends on
what else the machine does, so read it as a ratio.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import numpy as np
from scipy.optimize import minimize
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from benchmarks.problems import PROBLEMS, Problem
from benchmarks.tables import write_section
from proset import ClassifierModel
from proset.engine import fitting, growth, solver
from proset.engine.fitting import BatchSettings, solve_batch
from proset.engine.kernels.similarity import single_threaded_blas
from proset.engine.kernels.units import FloatArray
from proset.engine.objective.problem import BatchProblem
from proset.engine.quadratic_model import MEMORY
from proset.engine.solver import GRADIENT_TOLERANCE, SolverReport, SolverResult, StopReason
from proset.engine.working_set import WorkingSet


class ScipyDescent(solver._Descent):
    """The same descent with scipy's compiled L-BFGS-B."""

    def run(self) -> StopReason:
        """Go down with an empty memory until there is a reason to stop."""
        left = self._max_iterations - self.iterations
        options = {"ftol": self._tolerance, "gtol": GRADIENT_TOLERANCE, "maxiter": left, "maxfun": 2 * left}
        with single_threaded_blas():  # two threads take ten times as long over systems so small
            outcome = minimize(  # type: ignore[call-overload]  # the stubs know no function of value and gradient
                self._evaluate,
                self.x,
                jac=True,
                method="L-BFGS-B",
                bounds=[(0.0, None)] * self.x.shape[0],
                options=options | {"maxcor": MEMORY},
            )
        self.x, self.value, self.gradient = np.maximum(outcome.x, 0.0), float(outcome.fun), outcome.jac
        self.iterations += int(outcome.nit)
        if outcome.status == 0:
            return StopReason.GRADIENT if "GRADIENT" in outcome.message.upper() else StopReason.VALUE
        if outcome.status == 1:
            return StopReason.ITERATIONS
        small = self.gradient_norm <= solver.ROUNDING_GRADIENT
        return StopReason.PRECISION if small else StopReason.LINE_SEARCH


@dataclass(frozen=True)
class Solved:
    """How one batch was solved, and processor seconds outside of the objective."""

    report: SolverReport
    seconds: float


def batches(problem: Problem, seed: int) -> Iterator[tuple[BatchProblem, BatchSettings]]:
    """Yield the batch problems of one fit."""
    X, y = problem.load(seed)
    X, _, y, _ = train_test_split(X, y, test_size=0.3, stratify=y, random_state=seed)
    found: list[tuple[BatchProblem, BatchSettings]] = []

    def keep(batch: BatchProblem, settings: BatchSettings, **rest: Any) -> SolverResult:
        found.append((batch, settings))
        return solve_batch(batch, settings, **rest)

    with patch.object(growth, "solve_batch", keep), warnings.catch_warnings(action="ignore"):
        ClassifierModel(
            n_iter=problem.n_iter, lambda_v=problem.lambda_v, lambda_w=problem.lambda_w, random_state=seed
        ).fit(StandardScaler().fit_transform(X), y)
    yield from found


def solved(batch: BatchProblem, settings: BatchSettings, descent: type[solver._Descent]) -> Solved:
    """Solve one batch."""
    inside = [0.0]

    class Timed(WorkingSet):
        def __call__(self, point: FloatArray) -> tuple[float, FloatArray]:
            begin = time.thread_time()
            try:
                return super().__call__(point)
            finally:
                inside[0] += time.thread_time() - begin

    with patch.object(solver, "_Descent", descent), patch.object(fitting, "WorkingSet", Timed):
        begin = time.thread_time()
        report = solve_batch(batch, settings).report
        return Solved(report, time.thread_time() - begin - inside[0])


def line(name: str, pairs: list[tuple[Solved, Solved]]) -> str:
    """Line of the table for one problem: ours, then scipy's."""
    cells = [
        " / ".join(f"{np.mean([getattr(pair[k].report, name) for pair in pairs]):{form}}" for k in (0, 1))
        for name, form in (("evaluations", ".0f"), ("iterations", ".0f"), ("objective", ".6f"))
    ]
    per_iteration = [sum(p[k].seconds for p in pairs) / sum(p[k].report.iterations for p in pairs) for k in (0, 1)]
    cells.append(f"{per_iteration[0] / per_iteration[1]:.1f}")
    cells.append(str(sum(not pair[0].report.converged for pair in pairs)))
    return f"| {name} | {len(pairs)} | " + " | ".join(cells) + " |"


def main() -> None:
    """Solve everything and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5, help="number of seeds, from 0")
    options = parser.parse_args()
    lines = [
        "| problem | batches | evaluations, ours / scipy's | iterations | objective reached | time per iteration, ours "
        "to scipy's | ours stopped early |",
        "|---|---|---|---|---|---|---|",
    ]
    for problem in PROBLEMS:
        every = [batch for seed in range(options.seeds) for batch in batches(problem, seed)]
        pairs = [(solved(*batch, solver._Descent), solved(*batch, ScipyDescent)) for batch in every]
        lines.append(line(problem.name, pairs))
        print(lines[-1], flush=True)
    write_section("solver", lines)


if __name__ == "__main__":
    main()
