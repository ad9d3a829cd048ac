"""The objective that both engines reach on the same candidates: ``python -m benchmarks.same_candidates``.

The package is asked twice for one batch with the same seed: once with a solver tolerance that ends the fit after a
step, when every candidate is still a prototype, and once properly. That gives the candidates it drew and the weights it
found, through its public interface. Our solver then works on these candidates, and both points are put into one and the
same evaluation of the objective (2.8), which is not the one that our solver uses.
"""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks.cells import Cell, Cells, arguments, sentence
from benchmarks.peers import processes
from benchmarks.problems import PROBLEMS, Problem
from benchmarks.speed import Arrays, problem_arrays, problem_named
from benchmarks.tables import number, table, write_section
from proset.engine.fitting import BatchSettings, solve_batch
from proset.engine.objective.blocks_backend import BlocksObjective
from proset.engine.objective.penalty import ElasticNet
from proset.engine.objective.problem import BatchProblem, make_problem

ALLOWED = 1e-3  # share by which our objective may be above the package's
ALPHA = 0.95
# The package merges equal rows of one class, so where rows repeat, as they do in two features of iris, what it exports
# after a step is not all of its candidates.
NAMES = tuple(problem.name for problem in PROBLEMS if problem.name != "iris_2f")
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
SAME_FUNCTION = 1e-5  # by how much the package's own account of its objective may differ from ours


def problem_on(arrays: Arrays, candidates: np.ndarray, problem: Problem) -> BatchProblem:
    """Arrange the first batch with given candidates; all other rows score the likelihood."""
    X, y = arrays["X"], arrays["y"]
    shares = np.bincount(y) / y.shape[0]
    return make_problem(
        X,
        y,
        np.ones(y.shape[0]),
        np.tile(shares, (y.shape[0], 1)),
        candidates=candidates,
        reference=np.setdiff1d(np.arange(y.shape[0]), candidates),
        penalty_v=ElasticNet(problem.lambda_v, ALPHA),
        penalty_w=ElasticNet(problem.lambda_w, ALPHA),
        first=True,
    )


def their_point(batch: BatchProblem, found: dict[str, np.ndarray]) -> np.ndarray:
    """Put the weights of the package's prototypes where their candidates are in our problem."""
    v, w = np.zeros(batch.n_features), np.zeros(batch.n_candidates)
    v[found["active_features"]] = found["feature_weights"].ravel()
    if found["active_features"].size == 0:
        # Without features all candidates of a class are alike and were merged, so each has an equal share.
        for row, weight in zip(found["sample_index"], found["prototype_weights"].ravel(), strict=True):
            alike = batch.candidate_target == batch.candidate_target[batch.candidate_index == row]
            w[alike] = weight / alike.sum()
        return np.concatenate([v, w])
    position = {int(row): j for j, row in enumerate(batch.candidate_index)}
    w[[position[int(row)] for row in found["sample_index"]]] = found["prototype_weights"].ravel()
    return np.concatenate([v, w])


def measure(problem: Problem, seed: int) -> Cell:
    """Let both engines solve one batch on the same candidates."""
    arrays = problem_arrays(problem, seed)
    package = processes.published(ONE_THREAD)  # nothing is timed here
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        output = Path(folder) / "found.npz"
        parameters = {"n_iter": 1, "random_state": seed, "lambda_v": problem.lambda_v, "lambda_w": problem.lambda_w}
        theirs = processes.run(package, "candidates", arrays, parameters=parameters, output=str(output))
        with np.load(output) as stored:
            found = {name: stored[name] for name in stored.files}
    batch = problem_on(arrays, np.sort(found["candidates"]), problem)
    settings = BatchSettings(
        lambda_v=problem.lambda_v,
        lambda_w=problem.lambda_w,
        alpha_v=ALPHA,
        alpha_w=ALPHA,
        num_candidates=1000,
        max_fraction=0.5,
        max_samples=None,
        solver_factr=1e7,
    )
    evaluate = BlocksObjective(batch)
    reached, account = evaluate(their_point(batch, found))[0], theirs["objective"][0]
    if abs(reached - account) > SAME_FUNCTION:
        raise SystemExit(f"{problem.name}, seed {seed}: the package reports {account}, we evaluate {reached}.")
    ours = solve_batch(batch, settings)
    return {
        "candidates": batch.n_candidates,
        "start": evaluate(batch.start())[0],
        "package": reached,
        "package_says": account,
        "ours": evaluate(ours.x)[0],
        "package_evaluations": theirs["evaluations"][0],
        "evaluations": ours.report.evaluations,
        "stop": str(ours.report.reason),
        "versions": theirs["versions"],
    }


def excess(cell: Cell) -> float:
    """Share by which our objective is above the package's; below zero where ours is lower."""
    return (cell["ours"] - cell["package"]) / abs(cell["package"])


def row(name: str, found: list[Cell]) -> list[str]:
    """One line of the table."""
    means = [float(np.mean([cell[key] for cell in found])) for key in ("package", "ours")]
    shares, allowed = [100.0 * excess(cell) for cell in found], 100.0 * ALLOWED
    evaluations = [np.median([cell[key] for cell in found]) for key in ("package_evaluations", "evaluations")]
    disagreement = max(abs(cell["package_says"] - cell["package"]) for cell in found)
    return [
        name,
        str(len(found)),
        f"{means[0]:.5f}",
        f"{means[1]:.5f}",
        f"{np.mean(shares):+.2f} %",
        f"**{max(shares):+.2f} %**",
        "yes" if np.mean(shares) <= allowed else "**NO**",
        "yes" if max(shares) <= allowed else f"**NO**, {sum(share > allowed for share in shares)}",
        str(sum(share < -allowed for share in shares)),
        f"{evaluations[0]:.0f}",
        f"{evaluations[1]:.0f}",
        number(disagreement),
    ]


def section(cells: Cells) -> list[str]:
    """Lines of the README."""
    rows = [row(name, found) for name in NAMES if (found := cells.matching(f"{name}/"))]
    if not rows:
        return ["Not measured yet."]
    head = ["problem", "seeds", "objective, package", "objective, ours", "ours above package, mean", "at most"]
    head += ["mean within 0.1 %", "every seed within 0.1 %", "seeds lower by more than 0.1 %"]
    head += ["evaluations, package", "evaluations, ours", "its own account differs by"]
    versions = sentence(next(iter(cells.matching("")))["versions"])
    return [f"Machine: {sentence(cells.machine)}. Package: {versions}.", "", *table(head, rows)]


def main() -> None:
    """Measure what is missing and write the table."""
    options = arguments(__doc__, NAMES, repeats=5)
    cells = Cells("same_candidates", fresh=options.fresh)
    print(f"Objective on the same candidates, {sentence(cells.machine)}")
    for name in options.only:
        for seed in range(options.repeats):
            cells.fill(f"{name}/{seed}", partial(measure, problem_named(name), seed))
    write_section("same_candidates", section(cells))
    print("\n".join(section(cells)))


if __name__ == "__main__":
    main()
