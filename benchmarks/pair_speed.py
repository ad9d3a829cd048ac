"""Exact interactions of all pairs of columns in the votes, measured: ``python -m benchmarks.pair_speed``.

Of models with few columns all coalitions are evaluated as well, by scoring masked rows, and the two have to agree.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import factorial

import numpy as np
from numpy.typing import NDArray

from benchmarks.cells import Cell, Cells, arguments, sentence
from benchmarks.speed import problem_arrays, problem_named
from benchmarks.tables import number, table, write_section
from proset import ClassifierModel, explain

BAR = 2.0
_AGREEMENT, _FEW = 1e-9, 8
FloatArray = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """Whose test rows are explained, all of them.

    Attributes
    ----------
    problem : str
        One of the report's problems.
    most_columns : bool
        Whether five batches with next to no penalty on feature weights, of their squares, keep most columns; else they
        are the report's.
    """

    problem: str
    most_columns: bool = False

    @property
    def name(self) -> str:
        """Key of its cell."""
        return f"{self.problem}, {'most columns' if self.most_columns else 'report'}"


CASES = (Case("cancer"), Case("cancer", most_columns=True), Case("digits"))


def measure(case: Case, repeats: int) -> Cell:
    """Explain all test rows of one problem."""
    problem, data = problem_named(case.problem), problem_arrays(problem_named(case.problem), 0)
    model = ClassifierModel(
        lambda_w=problem.lambda_w,
        **(
            {"n_iter": 5, "lambda_v": 1e-8, "alpha_v": 1.0}
            if case.most_columns
            else {"n_iter": problem.n_iter, "lambda_v": problem.lambda_v}
        ),
        random_state=0,
    ).fit(data["X"], data["y"])
    point, rows = explain.choose_reference_point(model, data["X"]).x, data["X_test"]
    found = explain.shapley_interactions(model, rows[:2], point)
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        found = explain.shapley_interactions(model, rows, point)
        seconds.append(time.perf_counter() - start)
    active = model.set_manager_.get_active_features()
    cell: Cell = {"seconds": min(seconds), "each": seconds, "rows": len(rows), "columns": len(active)}
    cell |= {"prototypes": model.set_manager_.get_num_prototypes(), "pairs": len(found.pairs)}
    if len(active) <= _FEW:
        cell["gap"] = max(
            float(np.abs(found.values[:, place] - expected).max())
            for place, expected in enumerate(_by_coalitions(model, np.sort(active), rows, point))
        )
        if cell["gap"] > _AGREEMENT * max(1.0, float(found.votes.max())):
            raise SystemExit(f"{case.name}: the interactions differ from those of all coalitions by {cell['gap']:g}.")
    return cell


def _by_coalitions(
    model: ClassifierModel, active: NDArray[np.int64], rows: FloatArray, point: FloatArray
) -> Iterator[FloatArray]:
    """Yield the index of each pair by its definition, shape (n, K)."""
    m = len(active)

    def votes(members: tuple[int, ...]) -> FloatArray:
        masked = np.tile(point, (len(rows), 1))
        masked[:, list(members)] = rows[:, list(members)]
        return model.set_manager_.unnormalized(masked)

    for one, other in combinations(active.tolist(), 2):
        total = np.zeros((len(rows), model.set_manager_.num_classes))
        others = [feature for feature in active.tolist() if feature not in (one, other)]
        for size in range(m - 1):
            share = factorial(size) * factorial(m - size - 2) / factorial(m - 1)
            for members in combinations(others, size):
                both, alone = votes((*members, one, other)), votes((*members, one))
                total += share * (both - alone - votes((*members, other)) + votes(members))
        yield total


def section(cells: Cells) -> list[str]:
    """Lines of the README."""
    head = ["problem", "rows", "columns", "prototypes", "pairs", "seconds", f"under {BAR:g} s", "from all coalitions"]
    rows = []
    for case in CASES:
        if case.name not in cells:
            continue
        cell = cells[case.name]
        bar = "" if case.problem != "cancer" else "yes" if cell["seconds"] < BAR else "**NO**"
        gap = f"{cell['gap']:.0e}" if "gap" in cell else ""
        sizes = (cell[name] for name in ("rows", "columns", "prototypes", "pairs"))
        rows.append([case.name, *sizes, number(cell["seconds"]), bar, gap])
    if not rows:
        return ["Not measured yet."]
    return [f"Machine: {sentence(cells.machine)}.", "", *table(head, rows)]


def main() -> None:
    """Measure what is missing and write the table."""
    options = arguments(__doc__, tuple(case.name for case in CASES), repeats=5)
    cells = Cells("pair_speed", fresh=options.fresh)
    for case in CASES:
        if case.name in options.only:
            cells.fill(case.name, lambda case=case: measure(case, options.repeats))  # type: ignore[misc]
    write_section("pair_speed", section(cells))


if __name__ == "__main__":
    main()
