"""SHAP values of the same model, by the shap package and by its structure: ``python -m benchmarks.shap_speed``.

One of our models is handed to the published package, batch by batch, reduced to the features that it uses. There the
shap package explains test rows through ``predict_proba``; here ``explain.shap_values`` does. Explainer, rows, reference
and bound on the evaluations are the same, and exact values have to agree.
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.cells import Cell, Cells, arguments, sentence
from benchmarks.peers.environment import SHAP
from benchmarks.peers.processes import ROOT, Engine, run, save_arrays
from benchmarks.speed import Arrays, problem_arrays, problem_named
from benchmarks.tables import number, table, write_section
from proset import ClassifierModel, explain

RUNNER = Path(__file__).parent / "peers" / "shap_runner.py"
BAR = 5.0
AGREEMENT = 1e-5  # the published package computes in single precision


@dataclass(frozen=True)
class Case:
    """What is explained, and how.

    Attributes
    ----------
    problem : str
        One of the report's problems.
    method : {"exact", "permutation"}
        Explainer.
    rows : int or None
        Number of test rows; None for all.
    evaluations : int
        Bound on the masked evaluations per row along permutations.
    """

    problem: str
    method: str
    rows: int | None = None
    evaluations: int = 1_000

    @property
    def name(self) -> str:
        """Key of its cells."""
        return f"{self.problem} {self.method} {'all' if self.rows is None else self.rows}"


CASES = (
    Case("cancer", "exact"),
    Case("wine", "exact"),
    Case("digits", "permutation", 1),
    Case("digits", "permutation", 20),
)


def arrays_of(case: Case) -> Arrays:
    """Fit a model with the report's hyperparameters and take what both engines need of it."""
    problem = problem_named(case.problem)
    data = problem_arrays(problem, 0)
    model = ClassifierModel(
        n_iter=problem.n_iter, lambda_v=problem.lambda_v, lambda_w=problem.lambda_w, random_state=0
    ).fit(data["X"], data["y"])
    active = model.set_manager_.get_active_features()
    point = explain.choose_reference_point(model, data["X"])
    arrays: Arrays = {
        "X": data["X"][:, active],
        "y": data["y"],
        "rows": data["X_test"][: case.rows][:, active],
        "reference": point.x[active],
    }
    batches = [batch for batch in model.set_manager_.shrink().batches if batch is not None]
    for i, batch in enumerate(batches):
        weights, prototypes = np.zeros(len(active)), np.zeros((len(batch), len(active)))
        weights[batch.active_features], prototypes[:, batch.active_features] = batch.feature_weights, batch.prototypes
        own = {"prototypes": prototypes.astype(np.float32), "feature_weights": weights.astype(np.float32)}
        own |= {"target": batch.target, "prototype_weights": batch.weights, "sample_index": batch.sample_index}
        arrays |= {f"{name}_{i}": value for name, value in own.items()}
    return arrays | {"n_batches": np.array(len(batches))}


def engines() -> tuple[Engine, Engine]:
    """Return the shap package on the published package, and ours."""
    theirs = Engine("published", SHAP.python(), runner=RUNNER)
    return theirs, Engine("ours", Path(sys.executable), {"PYTHONPATH": str(ROOT)}, RUNNER)


def measure(case: Case, repeats: int) -> Cell:
    """Explain the same rows with both engines, one after the other."""
    with tempfile.TemporaryDirectory(prefix="benchmark-") as name:
        folder = Path(name)
        arrays = save_arrays(folder / "arrays.npz", arrays_of(case))
        cell: Cell = {}
        found = []
        for engine in engines():
            output = folder / f"{engine.module}.npz"
            options = {"method": case.method, "evaluations": case.evaluations, "repeats": repeats}
            cell[engine.module] = run(engine, "explain", arrays, output=str(output), **options)
            with np.load(output) as stored:
                found.append({name: stored[name] for name in stored.files})
        gaps = {name: float(np.abs(found[0][name] - found[1][name]).max()) for name in found[0]}
        with np.load(arrays) as stored:
            cell |= {"rows": len(stored["rows"]), "features": stored["rows"].shape[1]}
    if gaps["probabilities"] > AGREEMENT or (case.method == "exact" and gaps["values"] > AGREEMENT):
        raise SystemExit(f"{case.name}: the two do not explain the same model: they differ by {gaps}.")
    times = [cell[engine]["seconds"] for engine in ("published", "ours")]
    counts = [cell[engine]["evaluations"] for engine in ("published", "ours")]
    return cell | {
        "gaps": gaps,
        "seconds": sum(times),
        "ratio": times[0] / times[1],
        "ratio_per_evaluation": (times[0] / counts[0]) / (times[1] / counts[1]),
    }


def section(cells: Cells) -> list[str]:
    """Lines of the README."""
    head = ["problem", "explainer", "rows", "features", "masked evaluations, shap", "ours", "seconds, shap", "ours"]
    head += ["times faster", "per evaluation", f"at least {BAR:g}", "largest difference of values"]
    rows = []
    for case in CASES:
        if case.name not in cells:
            continue
        cell = cells[case.name]
        theirs, own = cell["published"], cell["ours"]
        passes = min(cell["ratio"], cell["ratio_per_evaluation"]) >= BAR
        rows.append(
            [case.problem, case.method, cell["rows"], cell["features"]]
            + [f"{side['evaluations']:,}" for side in (theirs, own)]
            + [number(side["seconds"]) for side in (theirs, own)]
            + [f"**{cell['ratio']:.0f}**", f"{cell['ratio_per_evaluation']:.0f}", "yes" if passes else "**NO**"]
            + [f"{cell['gaps']['values']:.0e}"]
        )
    if not rows:
        return ["Not measured yet."]
    cell = cells[next(iter(cells))]
    facts = f"shap package: {sentence(cell['published']['versions'])}; ours: {sentence(cell['ours']['versions'])}."
    return [f"Machine: {sentence(cells.machine)}. {facts}", "", *table(head, rows)]


def main() -> None:
    """Measure what is missing and write the table."""
    options = arguments(__doc__, tuple(case.name for case in CASES), repeats=7)
    cells = Cells("shap_speed", fresh=options.fresh)
    for case in CASES:
        if case.name in options.only:
            cells.fill(case.name, lambda case=case: measure(case, options.repeats))  # type: ignore[misc]
    write_section("shap_speed", section(cells))


if __name__ == "__main__":
    main()
