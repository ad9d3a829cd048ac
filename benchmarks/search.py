"""Whole searches for hyperparameters, three engines in one run: ``python -m benchmarks.search``.

The published package and ours try 11 values of lambda_v, up to 10 batches and five folds, and fit the chosen model;
XGBoost follows the strategy of section 2.4 of the report. All get the same training rows and the same two cores. The
package works in two manners, alone with the threads of its linear algebra and with two processes; the faster counts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split

from benchmarks.cells import Cell, Cells, arguments, sentence
from benchmarks.peers import processes
from benchmarks.peers.processes import CORES, Engine
from benchmarks.speed import Arrays, problem_named, verdict
from benchmarks.tables import number, table, write_section

NAMES = ("iris_2f", "wine", "cancer", "digits")
BAR, TARGET = 5.0, 10.0
SEARCH = {"max_batches": 10, "n_folds": 5}


@dataclass(frozen=True)
class Way:
    """An engine and how many processes or threads it is told to use; None leaves that to the engine."""

    name: str
    start: Callable[[], Engine]
    jobs: int | None


OURS = Way("ours", processes.ours, None)
XGBOOST = Way("XGBoost", processes.xgboost, CORES)
PACKAGE = (Way("package", processes.published, None), Way("package, 2 processes", processes.published, CORES))
WAYS = (OURS, *PACKAGE, XGBOOST)
# Its processes and threads compete for the cores: slower every time it was tried, so it is shown for short searches.
SHOWS_TWO_PROCESSES = ("iris_2f", "wine")


def ways(name: str) -> tuple[Way, ...]:
    """Return what is run on a problem."""
    return WAYS if name in SHOWS_TWO_PROCESSES else (OURS, PACKAGE[0], XGBOOST)


def search_arrays(name: str, seed: int) -> Arrays:
    """Split a problem 70:30, stratified; every engine scales for itself."""
    X, y = problem_named(name).load(seed)
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, stratify=y, random_state=seed)
    return {"X": X_train, "y": y_train, "X_test": X_test, "y_test": y_test}


def measure(way: Way, name: str, seed: int) -> Cell:
    """Run one search in a fresh process."""
    parameters: dict[str, Any] = {"seed": seed, "jobs": way.jobs, **SEARCH}
    return processes.run(way.start(), "search", search_arrays(name, seed), parameters=parameters)


@dataclass(frozen=True)
class Comparison:
    """All engines on one problem, over the seeds that all of them have finished.

    Attributes
    ----------
    name : str
        The problem.
    found : dict
        Cells by the name of the way, seed by seed.
    """

    name: str
    found: dict[str, list[Cell]]

    def seconds(self, way: Way) -> float:
        """Median time."""
        return median(cell["seconds"] for cell in self.found[way.name])

    def loss(self, way: Way) -> float:
        """Mean log-loss on the test parts."""
        return float(np.mean([cell["log_loss"] for cell in self.found[way.name]]))

    def package(self) -> Way:
        """Return the faster manner of the package."""
        return min((way for way in PACKAGE if way.name in self.found), key=self.seconds)

    def margin(self) -> float:
        """Mean margin of the package's threshold rule: its standard deviation over the folds at its best setting."""
        return float(np.mean([cell["threshold"] - cell["best"] for cell in self.found[self.package().name]]))


def compare(name: str, cells: Cells) -> Comparison | None:
    """Collect the seeds that every engine has finished; None if there are none."""
    seeds = sorted({int(key.split("/")[1]) for key in cells if key.startswith(f"{name}/")})
    done = [seed for seed in seeds if all(f"{name}/{seed}/{way.name}" in cells for way in ways(name))]
    if not done:
        return None
    return Comparison(name, {way.name: [cells[f"{name}/{seed}/{way.name}"] for seed in done] for way in ways(name)})


def time_row(found: Comparison) -> list[str]:
    """One line of the table of times."""
    ours, xgboost = found.seconds(OURS), found.seconds(XGBOOST)
    ratio = found.seconds(found.package()) / ours
    return [
        found.name,
        str(len(found.found[OURS.name])),
        *(number(found.seconds(way)) if way.name in found.found else "" for way in PACKAGE),
        number(xgboost),
        number(ours),
        f"**{ratio:.1f}**",
        verdict(ratio, BAR, TARGET),
        f"**{xgboost / ours:.1f}**",
        "yes" if ours < xgboost else "**NO**",
    ]


def quality_row(found: Comparison) -> list[str]:
    """One line of the table of log-loss and what was chosen."""
    package = found.package()
    difference, margin = found.loss(OURS) - found.loss(package), found.margin()
    return [
        found.name,
        *(f"{found.loss(way):.3f}" for way in (package, XGBOOST, OURS)),
        f"{difference:+.3f}",
        f"{margin:.3f}",
        "yes" if difference <= margin else "**NO**",
        *(_choices(found.found[way.name]) for way in (package, OURS)),
    ]


def _choices(cells: list[Cell]) -> str:
    """Describe the chosen models: penalty, batches, and their sizes."""
    penalty = float(np.exp(np.mean([np.log(cell["chosen"]["lambda_v"]) for cell in cells])))
    batches, features, prototypes = (
        float(np.mean(values))
        for values in (
            [cell["chosen"]["n_batches"] for cell in cells],
            [cell["n_features"] for cell in cells],
            [cell["n_prototypes"] for cell in cells],
        )
    )
    return f"{penalty:.1e}, {batches:.1f}, {features:.0f}, {prototypes:.0f}"


def section(cells: Cells) -> list[str]:
    """Lines of the README."""
    found = [compared for name in NAMES if (compared := compare(name, cells)) is not None]
    if not found:
        return ["Not measured yet."]
    newest = {way.name: sentence(found[-1].found[way.name][-1]["versions"]) for way in (PACKAGE[0], OURS, XGBOOST)}
    times = ["problem", "seeds", "package, s", "package, 2 processes, s", "XGBoost, s", "ours, s"]
    times += ["package / ours", f"reaches ({BAR:g}, target {TARGET:g})", "XGBoost / ours", "faster than XGBoost"]
    losses = ["problem", "log-loss, package", "XGBoost", "ours", "ours - package", "allowed", "not worse"]
    losses += ["chosen by the package", "chosen by ours"]
    return [
        f"Machine: {sentence(cells.machine)}. " + ". ".join(f"{name}: {text}" for name, text in newest.items()) + ".",
        "",
        *table(times, map(time_row, found)),
        "",
        *table(losses, map(quality_row, found)),
        "",
        "Chosen: lambda_v (geometric mean), batches, features, prototypes (means over the seeds).",
    ]


def main() -> None:
    """Measure what is missing and write the tables."""
    options = arguments(__doc__, NAMES, repeats=3)
    cells = Cells("search", fresh=options.fresh)
    print(f"Searches on {sentence(cells.machine)}")
    for name in options.only:
        for seed in range(options.repeats):
            for way in ways(name) if seed % 2 == 0 else ways(name)[::-1]:
                cells.fill(f"{name}/{seed}/{way.name}", partial(measure, way, name, seed))
    write_section("search", section(cells))
    print("\n".join(section(cells)))


if __name__ == "__main__":
    main()
