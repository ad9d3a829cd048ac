"""Time and error of one evaluation of the objective, by backend: ``python -m benchmarks.backends``.

Made-up classes of several sizes. Backends take turns, so that a busy machine is busy for all of them, and the best
round counts. The error is that against the same sums in double precision. Everything is written to
``results/backends.json``, and the table in ``README.md`` is made from it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_classification

from benchmarks.tables import write_section
from proset.engine.objective import BACKENDS, make_objective
from proset.engine.objective.penalty import ElasticNet
from proset.engine.objective.problem import BatchProblem, make_problem
from proset.engine.set_manager import FloatArray

RESULTS = Path(__file__).parent / "results" / "backends.json"
EXACT_ROWS = 500  # rows at a time in double precision


@dataclass(frozen=True)
class Size:
    """Reference rows, features and candidates of a problem."""

    rows: int
    features: int
    candidates: int


SIZES = (
    Size(500, 10, 200),
    Size(2_000, 30, 1_000),
    Size(10_000, 10, 1_000),
    Size(10_000, 100, 1_000),
    Size(10_000, 300, 3_000),
)


def made_up(size: Size) -> BatchProblem:
    """First batch of a problem of ten classes."""
    n = size.rows + size.candidates
    X, y = make_classification(
        n, size.features, n_informative=min(8, size.features), n_redundant=0, n_classes=10, n_clusters_per_class=1,
        random_state=0,
    )  # fmt: skip
    rows = np.random.default_rng(0).permutation(n)
    return make_problem(
        X / X.std(axis=0), y, np.ones(n), np.full((n, 10), 0.1),
        candidates=np.sort(rows[: size.candidates]), reference=np.sort(rows[size.candidates :]),
        penalty_v=ElasticNet(1e-3, 0.95), penalty_w=ElasticNet(1e-8, 0.95), first=True,
    )  # fmt: skip


def exact(problem: BatchProblem, point: FloatArray) -> tuple[float, FloatArray]:
    """Value and gradient in double precision, by the formulas (2.8), (2.11), (2.12) as they stand."""
    v, w = problem.split(point)
    s = problem.candidates
    value, moment, columns = 0.0, np.zeros(v.shape[0]), np.zeros(w.shape[0])
    for first in range(0, problem.reference.shape[0], EXACT_ROWS):
        rows = slice(first, first + EXACT_ROWS)
        x, importance = problem.reference[rows], problem.importance[rows]
        distance = ((x * v) ** 2).sum(axis=1)[:, None] + ((s * v) ** 2).sum(axis=1) - 2.0 * (x * v) @ (s * v).T
        similar = np.exp(-0.5 * distance)
        same = problem.reference_target[rows, None] == problem.candidate_target
        q_true, q_total = problem.prior_true[rows] + (similar * same) @ w, problem.prior_total[rows] + similar @ w
        value -= float(importance @ np.log(q_true / q_total))
        share = importance[:, None] * similar * (same / q_true[:, None] - 1.0 / q_total[:, None])
        columns += share.sum(axis=0)
        both = share * w
        moment += both.sum(axis=1) @ x**2 - 2.0 * np.einsum("nd,nd->d", x, both @ s)
    moment += (columns * w) @ s**2
    gradient = [problem.penalty_v.gradient(v) + v * moment, problem.penalty_w.gradient(w) - columns]
    return value + problem.penalty_v.value(v) + problem.penalty_w.value(w), np.concatenate(gradient)


def measure(size: Size, rounds: int) -> dict[str, Any]:
    """Evaluate every backend at the starting point."""
    problem = made_up(size)
    point = problem.start()
    value, gradient = exact(problem, point)
    objectives = {backend: make_objective(problem, backend) for backend in BACKENDS}
    found: dict[str, dict[str, float]] = {}
    for backend, objective in objectives.items():
        ours, slope = objective(point)  # compiles
        found[backend] = {
            "seconds": np.inf,
            "processor_seconds": np.inf,
            "value_error": abs(ours / value - 1.0),
            "gradient_error": float(np.linalg.norm(slope - gradient) / np.linalg.norm(gradient)),
        }
    for _ in range(rounds):
        for backend, objective in objectives.items():
            wall, processor = time.perf_counter(), time.process_time()
            objective(point)
            times = {"seconds": time.perf_counter() - wall, "processor_seconds": time.process_time() - processor}
            found[backend] |= {name: min(found[backend][name], taken) for name, taken in times.items()}
    return {**vars(size), "backends": found}


def table(runs: list[dict[str, Any]]) -> list[str]:
    """Lines of the Markdown table."""
    lines = [
        "| rows | features | candidates | backend | ms per evaluation | processor ms | relative error of the value | "
        "of the gradient |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for run in runs:
        for backend, found in run["backends"].items():
            lines.append(
                f"| {run['rows']:,} | {run['features']} | {run['candidates']:,} | {backend} | "
                f"{1e3 * found['seconds']:.1f} | {1e3 * found['processor_seconds']:.1f} | "
                f"{found['value_error']:.0e} | {found['gradient_error']:.0e} |"
            )
    return lines


def main() -> None:
    """Measure all sizes and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7, help="evaluations of which the best counts (default 7)")
    options = parser.parse_args()
    runs = [measure(size, options.rounds) for size in SIZES]
    machine = (
        f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}"
    )
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps({"machine": machine, "rounds": options.rounds, "runs": runs}, indent=1) + "\n")
    write_section("backends", table(runs))


if __name__ == "__main__":
    main()
