"""Run what is missing of the study and write ``benchmarks/tables.md``: ``python -m benchmarks.report_tables``.

Every finished cell is kept in ``results/report_tables/``, so the run can be stopped and resumed. ``--minutes 35``
starts no further cell once so much time has passed; ``--only e3 xor_6f`` runs cells of these experiments or problems;
``--render`` runs nothing.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tqdm import tqdm

from benchmarks.report_tables.cells import EXPERIMENTS, TITLES, Cell, all_cells
from benchmarks.report_tables.fits import run_cell
from benchmarks.report_tables.render import render
from benchmarks.report_tables.store import Store
from benchmarks.tables import DOCUMENT, write_study
from proset import __version__

DIFFERENCES = Path(__file__).with_name("differences.md")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run what is missing and write the tables."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.report_tables", description=__doc__.split(": ", 1)[0] + "."
    )
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="experiments (e3) and problems (xor_6f)")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="start no further cell after that long")
    parser.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1), help="threads or processes per search")
    parser.add_argument("--fresh", action="store_true", help="run finished cells again")
    parser.add_argument("--render", action="store_true", help="run nothing, only write the tables")
    options = parser.parse_args(arguments)
    names = {experiment.name for experiment in EXPERIMENTS}
    if unknown := set(options.only) - names - set(TITLES):
        parser.error(f"unknown: {', '.join(sorted(unknown))}. Known: {', '.join([*sorted(names), *TITLES])}.")
    store, cells = Store(), all_cells()
    if not options.render:
        wanted = [cell for cell in cells if _is_wanted(cell, set(options.only), names)]
        run(wanted, store, n_jobs=options.jobs, seconds=60.0 * options.minutes, fresh=options.fresh)
    document = render(store.finished(cells), DIFFERENCES.read_text(encoding="utf-8"))
    write_study(document, DOCUMENT)
    print(f"Wrote {DOCUMENT}.")


def _is_wanted(cell: Cell, only: set[str], experiments: set[str]) -> bool:
    """Whether the names on the command line select a cell: no experiment named means all, and so for problems."""
    chosen_experiments, chosen_problems = only & experiments, only - experiments
    return (not chosen_experiments or cell.experiment.name in chosen_experiments) and (
        not chosen_problems or cell.problem.name in chosen_problems
    )


def run(cells: Sequence[Cell], store: Store, *, n_jobs: int, seconds: float, fresh: bool) -> None:
    """Run cells one after another and keep each as it is done.

    Parameters
    ----------
    cells : sequence of Cell
        What to run; finished cells are skipped.
    store : Store
        Where finished cells are.
    n_jobs : int
        Threads or processes per search.
    seconds : float
        Start no further cell after that long.
    fresh : bool
        Run finished cells again.
    """
    begun = time.monotonic()
    left = [cell for cell in cells if fresh or store.read(cell) is None]
    print(f"{len(cells) - len(left)} of {len(cells)} cells are finished.")
    progress = tqdm(left, unit="cell")
    for position, cell in enumerate(progress):
        if time.monotonic() - begun > seconds:
            tqdm.write(f"Time is up with {len(left) - position} cells left; the same command goes on with them.")
            progress.close()
            return
        progress.set_postfix_str(cell.name)
        optimal = _values_of_e3(cell, store) if cell.experiment.method == "optimal" else None
        if cell.experiment.method == "optimal" and optimal is None:
            tqdm.write(f"{cell.name} needs the finished search of E3: run e3 first.")
            continue
        outcome = run_cell(cell, n_jobs=n_jobs, optimal=optimal)
        store.write(cell, outcome | {"machine": _machine(n_jobs)})
        tqdm.write(f"{cell.name}: log-loss {outcome['values']['test.log_loss']:.3f}, {outcome['seconds']:.1f} s")


def _values_of_e3(cell: Cell, store: Store) -> dict[str, float] | None:
    """Values of the search that a cell of E4 builds on."""
    e3 = next(experiment for experiment in EXPERIMENTS if experiment.name == "e3")
    outcome = store.read(Cell(e3, cell.problem, cell.seed))
    values: dict[str, float] | None = outcome["values"] if outcome else None
    return values


def _machine(n_jobs: int) -> str:
    """Say what a cell ran on."""
    versions = f"Python {platform.python_version()}, numpy {np.__version__}, proset {__version__}"
    return f"{n_jobs} of {os.cpu_count()} cores, {platform.machine()}, {versions}"


if __name__ == "__main__":
    main()
