"""One batch and scoring, the published package beside ours in one run: ``python -m benchmarks.speed``.

Each seed draws the data, the split and the candidates anew; for each seed both engines work on the same rows, one after
the other, the first place taking turns. Every measurement is a fresh process on the same cores, with libraries loaded
and code compiled before the clock starts.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from benchmarks.cells import Cell, Cells, arguments, sentence
from benchmarks.peers import processes
from benchmarks.peers.processes import Engine
from benchmarks.problems import PROBLEMS, Problem
from benchmarks.tables import number, table, write_section

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Case:
    """What is timed, how many times faster than the package it has to be, and how many times it should be."""

    name: str
    bar: float
    target: float
    seeds_per_repeat: int = 1  # short fits are repeated more often

    @property
    def task(self) -> str:
        """Name of the runner's task."""
        return "score" if self.name == SCORING else "fit"


SCORING = "scoring"
CASES = (
    Case("checker", 10.0, 20.0),
    Case("xor_6f", 10.0, 20.0),
    Case("digits", 5.0, 10.0),
    Case("cancer", 2.0, 4.0, seeds_per_repeat=4),
    Case(SCORING, 3.0, 6.0),
)
ROWS, FEATURES, PROTOTYPES, CLASSES = 1_000_000, 30, 1_000, 3
# Probabilities of the two engines differ by single precision; more would mean different models.
SAME_PROBABILITIES = 1e-4
BUSY = 0.9  # a process that got less of a core than that shared it with other work


def problem_named(name: str) -> Problem:
    """Find one of the report's problems."""
    return next(problem for problem in PROBLEMS if problem.name == name)


def problem_arrays(problem: Problem, seed: int) -> Arrays:
    """Split a problem 70:30, stratified, and standardise it by the training part."""
    X, y = problem.load(seed)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=seed)
    scaler = StandardScaler().fit(X_train)
    return {"X": scaler.transform(X_train), "y": y_train, "X_test": scaler.transform(X_test), "y_test": y_test}


def scoring_arrays(seed: int) -> Arrays:
    """Draw rows to score and a batch of prototypes with bandwidths at which most rows are near a few of them."""
    rng = np.random.default_rng(seed)
    return {
        "X": rng.normal(size=(ROWS, FEATURES)),
        "prototypes": rng.normal(size=(PROTOTYPES, FEATURES)).astype(np.float32),
        "target": np.sort(rng.integers(CLASSES, size=PROTOTYPES)),
        "feature_weights": rng.uniform(0.1, 0.5, size=FEATURES).astype(np.float32),
        "prototype_weights": rng.uniform(0.1, 2.0, size=PROTOTYPES).astype(np.float32),
        "sample_index": np.arange(PROTOTYPES),
    }


def measure_case(case: Case, seed: int, cells: Cells, engines: tuple[Engine, ...]) -> None:
    """Fill the cells of one case and seed, both engines on the same file of data."""
    prefix = f"{case.name}/{seed}"
    if all(f"{prefix}/{engine.module}" in cells for engine in engines):
        return
    options: dict[str, Any] = {}
    if case.task == "fit":
        problem = problem_named(case.name)
        arrays = problem_arrays(problem, seed)
        penalties = {"lambda_v": problem.lambda_v, "lambda_w": problem.lambda_w}
        options["parameters"] = {"n_iter": problem.n_iter, "random_state": seed, **penalties}
    else:
        arrays = scoring_arrays(seed)
    with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
        path = processes.save_arrays(Path(folder) / "arrays.npz", arrays)
        for engine in engines if seed % 2 == 0 else engines[::-1]:
            measure = partial(processes.run, engine, case.task, path, **options)
            cells.fill(f"{prefix}/{engine.module}", measure)


@dataclass(frozen=True)
class Comparison:
    """The two engines on one case, over the seeds that both have finished.

    Attributes
    ----------
    case : Case
        What was measured.
    theirs, ours : list of dict
        The cells, seed by seed.
    """

    case: Case
    theirs: list[Cell]
    ours: list[Cell]

    def ratio(self) -> float:
        """How many times faster we are, by median times."""
        return median(c["seconds"] for c in self.theirs) / median(c["seconds"] for c in self.ours)

    def ratios(self) -> list[float]:
        """Return the same seed by seed."""
        return [a["seconds"] / b["seconds"] for a, b in zip(self.theirs, self.ours, strict=True)]

    def memory(self) -> tuple[float, float]:
        """Median of the most memory that a process held, in MiB: theirs, ours."""
        return median(c["peak_mib"] for c in self.theirs), median(c["peak_mib"] for c in self.ours)

    def growth(self) -> tuple[float, float]:
        """Median of how much of that the work itself added, in MiB: theirs, ours."""
        added = [[c["peak_mib"] - c["before_mib"] for c in cells] for cells in (self.theirs, self.ours)]
        return median(added[0]), median(added[1])

    def loss_difference(self) -> tuple[float, float]:
        """Mean over the seeds of our test log-loss minus theirs, and its standard error."""
        pairs = zip(self.theirs, self.ours, strict=True)
        differences = np.array([b["log_loss"] - a["log_loss"] for a, b in pairs])
        error = differences.std(ddof=1) / np.sqrt(len(differences)) if len(differences) > 1 else np.nan
        return float(differences.mean()), float(error)

    def largest_deviation(self) -> float:
        """Largest difference between the two engines' probabilities; of scoring only."""
        pairs = zip(self.theirs, self.ours, strict=True)
        return max(float(np.abs(np.subtract(a["probabilities"], b["probabilities"])).max()) for a, b in pairs)


def compare(case: Case, cells: Cells) -> Comparison:
    """Pair the finished cells of a case."""
    seeds = range(10_000)
    pairs = [
        (cells[f"{case.name}/{seed}/published"], cells[f"{case.name}/{seed}/ours"])
        for seed in seeds
        if f"{case.name}/{seed}/published" in cells and f"{case.name}/{seed}/ours" in cells
    ]
    return Comparison(case, [pair[0] for pair in pairs], [pair[1] for pair in pairs])


def verdict(ratio: float, bar: float, target: float) -> str:
    """Say what a ratio reaches."""
    if ratio >= target:
        return "target"
    return "bar" if ratio >= bar else "**NO**"


def time_row(found: Comparison) -> list[str]:
    """One line of the table of times."""
    case, ratios = found.case, found.ratios()
    theirs, ours = (median(c["seconds"] for c in cells) for cells in (found.theirs, found.ours))
    return [
        case.name,
        str(len(found.ours)),
        number(theirs),
        number(ours),
        f"**{found.ratio():.1f}** ({min(ratios):.1f} to {max(ratios):.1f})",
        f"{case.bar:g}",
        f"{case.target:g}",
        verdict(found.ratio(), case.bar, case.target),
    ]


def quality_row(found: Comparison) -> list[str]:
    """One line of the table of log-loss and memory."""
    peaks, growth = found.memory(), found.growth()
    memory = [f"{number(peaks[0])} ({number(growth[0])})", f"{number(peaks[1])} ({number(growth[1])})"]
    memory.append("yes" if peaks[1] <= peaks[0] else "**NO**")
    if found.case.task == "score":
        deviation = found.largest_deviation()
        equal = "yes" if deviation <= SAME_PROBABILITIES else "**NO**"
        return [found.case.name, "", "", f"probabilities to {deviation:.0e}", equal, *memory]
    theirs, ours = (float(np.mean([c["log_loss"] for c in cells])) for cells in (found.theirs, found.ours))
    difference, error = found.loss_difference()
    equal = "yes" if difference <= 2.0 * error else "**NO**"
    if len(found.ours) == 1:
        equal = "one seed cannot tell"
    return [found.case.name, f"{theirs:.3f}", f"{ours:.3f}", f"{difference:+.4f} ± {error:.4f}", equal, *memory]


def busy_note(found: list[Comparison]) -> list[str]:
    """Say so if other work was running: waiting threads slow the package down more than us."""
    measured = [cell for comparison in found for cell in (*comparison.theirs, *comparison.ours)]
    busy = sum(cell["cpu_seconds"] < BUSY * cell["seconds"] for cell in measured)
    note = f"**The machine was busy during {busy} of {len(measured)} measurements: measure again with --fresh.**"
    return ["", note] if busy else []


def section(cells: Cells) -> list[str]:
    """Lines of the README."""
    found = [compared for case in CASES if (compared := compare(case, cells)).ours]
    if not found:
        return ["Not measured yet."]
    versions = [sentence(found[0].theirs[-1]["versions"]), sentence(found[0].ours[-1]["versions"])]
    times = ["what", "seeds", "package, s", "ours, s", "package / ours (seed by seed)", "bar", "target", "reaches"]
    losses = ["log-loss, package", "log-loss, ours", "difference", "not worse"]
    memory = ["memory, package, MiB", "memory, ours, MiB", "not above"]
    return [
        f"Machine: {sentence(cells.machine)}. Package: {versions[0]}. Ours: {versions[1]}.",
        "",
        *table(times, map(time_row, found)),
        "",
        *table(["what", *losses, *memory], map(quality_row, found)),
        *busy_note(found),
    ]


def main() -> None:
    """Measure what is missing and write the tables."""
    options = arguments(__doc__, tuple(case.name for case in CASES), repeats=5)
    cells = Cells("speed", fresh=options.fresh)
    print(f"Speed on {sentence(cells.machine)}")
    engines = processes.published(), processes.ours()
    for case in CASES:
        for seed in range(options.repeats * case.seeds_per_repeat if case.name in options.only else 0):
            measure_case(case, seed, cells, engines)
    write_section("speed", section(cells))
    print("\n".join(section(cells)))


if __name__ == "__main__":
    main()
