"""How the cost of a fit grows with rows, candidates and features: ``python -m benchmarks.scaling``.

For each curve one size doubles while the others stay. Two costs are looked at apart: one evaluation of the objective
with its gradient at the starting point, where every candidate and feature takes part, and a whole fit, which is the
number of evaluations times what each costs once candidates and features have dropped out. Then a million rows are
fitted, with ``max_samples`` and without. Every measurement is a fresh process on the same cores.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from statistics import median

import numpy as np

from benchmarks.cells import Cell, Cells, arguments, sentence
from benchmarks.peers import processes
from benchmarks.speed import Arrays
from benchmarks.tables import number, table, write_section
from proset.data.generators import create_continuous_xor

RELEVANT = 2
PENALTIES = {"lambda_v": 3e-3, "lambda_w": 4.6e-7}  # find the relevant features among the others
SEEDS = 3
TIMED_EVALUATIONS = 11  # fewer than those after which candidates without effect are set aside
TEST_ROWS = 2_000
MIB = 1 << 20
LINEAR = 1.05  # slope that still counts as linear, whatever its standard error


@dataclass(frozen=True)
class Size:
    """Size of a problem: rows that score the likelihood, candidates for prototypes, features."""

    rows: int
    candidates: int
    features: int


CURVES: dict[str, tuple[Size, ...]] = {
    "rows": tuple(Size(1_000 * 2**k, 1_000, 12) for k in range(6)),
    "candidates": tuple(Size(5_000, 125 * 2**k, 12) for k in range(6)),
    "features": tuple(Size(5_000, 1_000, 3 * 2**k) for k in range(6)),
}
MILLION = "million"
FEATURES_OF_MILLION = 50
MINUTES = 8.0
MILLION_FITS: dict[str, int | None] = {"max_samples=20,000": 20_000, "max_samples=100,000": 100_000, "all rows": None}


def training_data(size: Size, seed: int) -> Arrays:
    """Draw a problem whose first batch has these sizes."""
    return xor_arrays(size.rows + size.candidates, size.features, seed)


def xor_arrays(n_samples: int, n_features: int, seed: int) -> Arrays:
    """Draw training data and a test part of 2,000 rows, of unit scale."""
    n_rows = n_samples + TEST_ROWS
    X, y = create_continuous_xor(RELEVANT, n_features - RELEVANT, n_samples=n_rows, random_state=seed)
    X /= X.std(axis=0)
    return {"X": X[:n_samples], "y": y[:n_samples], "X_test": X[n_samples:], "y_test": y[n_samples:]}


def measure(size: Size, seed: int) -> Cell:
    """Time one fit, and one evaluation."""
    arrays = training_data(size, seed)
    parameters = {"num_candidates": size.candidates, "random_state": seed, **PENALTIES}
    fitted = processes.run(processes.ours(), "long_fit", arrays, parameters=parameters, minutes=MINUTES)
    evaluated = processes.run(processes.ours(), "evaluate", arrays, parameters=parameters, repeats=TIMED_EVALUATIONS)
    return {**fitted, "seconds_per_evaluation": evaluated["median_seconds"]}


def measure_million(max_samples: int | None, minutes: float) -> Cell:
    """Fit a million rows in a fresh process, which ends the fit when its time is up."""
    arrays = xor_arrays(1_000_000, FEATURES_OF_MILLION, seed=0)
    parameters = {"max_samples": max_samples, "random_state": 0, **PENALTIES}
    cell = processes.run(processes.ours(), "long_fit", arrays, parameters=parameters, minutes=minutes)
    return {**cell, "data_mib": arrays["X"].nbytes / MIB}


@dataclass(frozen=True)
class Line:
    """A straight line through the logarithms of sizes and costs.

    Attributes
    ----------
    slope, error : float
        Exponent of the growth and its standard error.
    last : float
        By how much the cost grew over the last doubling.
    """

    slope: float
    error: float
    last: float

    @property
    def linear(self) -> bool:
        """Whether the growth is linear at most, within noise."""
        return self.slope <= max(LINEAR, 1.0 + 2.0 * self.error)


def fit_line(sizes: list[int], costs: list[float]) -> Line:
    """Fit the growth of costs, at least three of them.

    Examples
    --------
    >>> line = fit_line([1, 2, 4], [3.0, 6.0, 12.0])
    >>> round(line.slope, 6), round(line.last, 6), line.linear
    (1.0, 2.0, True)
    """
    x, y = np.log(sizes), np.log(costs)
    x = x - x.mean()
    slope = float(x @ y / (x @ x))
    residuals = y - y.mean() - slope * x
    error = float(np.sqrt(residuals @ residuals / (len(costs) - 2) / (x @ x)))
    return Line(slope, error, costs[-1] / costs[-2])


def curve_tables(name: str, cells: Cells) -> list[str]:
    """Lines for one curve: its points, and the slopes of both costs."""
    points = [(size, found) for size in CURVES[name] if (found := cells.matching(f"{name}/{getattr(size, name)}/"))]
    if len(points) < 3:
        return []
    sizes = [getattr(size, name) for size, _ in points]
    each, whole, evaluations = (
        [median(cell[key] for cell in found) for _, found in points]
        for key in ("seconds_per_evaluation", "seconds", "evaluations")
    )
    rows = [
        [f"{size:,}", number(1e3 * a), f"{e:.0f}", number(b)]
        for size, a, e, b in zip(sizes, each, evaluations, whole, strict=True)
    ]
    fixed = {key: f"{getattr(CURVES[name][0], key):,}" for key in CURVES if key != name}
    lines = [f"Growth with {name} ({', '.join(f'{value} {key}' for key, value in fixed.items())}):", ""]
    lines += table([name, "ms per evaluation", "evaluations", "seconds per fit"], rows)
    for title, costs in (("One evaluation", each), ("A fit", whole)):
        line = fit_line(sizes, costs)
        linear = "not faster than linear" if line.linear else "**FASTER THAN LINEAR**"
        lines += [
            "",
            f"{title} grows as {name} to the power {line.slope:.2f} ± {line.error:.2f}; "
            f"over the last doubling by {line.last:.2f}: {linear}.",
        ]
    return [*lines, ""]


def million_table(cells: Cells) -> list[str]:
    """Lines for the fits of a million rows."""
    rows = []
    for name in MILLION_FITS:
        if (key := f"{MILLION}/{name}") not in cells:
            continue
        cell = cells[key]
        seconds_each = cell["seconds"] / max(1, cell["evaluations"])
        rows.append(
            [
                name,
                number(cell["seconds"]),
                str(cell["evaluations"]),
                number(seconds_each),
                f"{cell['first_objective']:.4f} to {cell['objective']:.4f}",
                cell["stop"],
                "" if cell["log_loss"] is None else f"{cell['log_loss']:.3f}",
                number(cell["data_mib"]),
                number(cell["before_mib"]),
                number(cell["peak_mib"]),
            ]
        )
    head = ["fit", "seconds", "evaluations", "s per evaluation", "objective", "end", "test log-loss"]
    head += ["data, MiB", "process before, MiB", "process at most, MiB"]
    return (
        [f"1,000,000 rows of {FEATURES_OF_MILLION} features, 1,000 candidates:", "", *table(head, rows)] if rows else []
    )


def section(cells: Cells) -> list[str]:
    """Lines of the README."""
    curves = [line for name in CURVES for line in curve_tables(name, cells)]
    return [f"Machine: {sentence(cells.machine)}.", "", *curves, *million_table(cells)]


def main() -> None:
    """Measure what is missing and write the tables."""
    options = arguments(__doc__, (*CURVES, MILLION), repeats=SEEDS)
    cells = Cells("scaling", fresh=options.fresh)
    print(f"Scaling on {sentence(cells.machine)}")
    for name in CURVES:
        for seed in range(options.repeats if name in options.only else 0):
            for size in CURVES[name]:
                cells.fill(f"{name}/{getattr(size, name)}/{seed}", partial(measure, size, seed))
    for name, max_samples in MILLION_FITS.items() if MILLION in options.only else ():
        cells.fill(f"{MILLION}/{name}", partial(measure_million, max_samples, MINUTES))
    write_section("scaling", section(cells))
    print("\n".join(section(cells)))


if __name__ == "__main__":
    main()
