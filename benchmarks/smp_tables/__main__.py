"""Run what is missing of table 1 and write its section: ``python -m benchmarks.smp_tables``.

Finished cells, one per set, classifier and five splits, are kept in ``results/smp_tables.json``, so the run can be
stopped and resumed. ``--only rabe_266`` runs some sets, ``--further 0`` leaves the splits beyond the paper's out,
``--render`` runs nothing.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.cells import Cells, sentence
from benchmarks.public_data import TABLES, how_to_get
from benchmarks.smp_tables.contestants import CONTESTANTS, FURTHER, WAYS, measure, measure_every, measure_others
from benchmarks.smp_tables.published import TABLE_1
from benchmarks.smp_tables.render import section
from benchmarks.smp_tables.sets import FOLDER, load, path_of
from benchmarks.smp_tables.steps import SET, lines, measure_steps
from benchmarks.smp_tables.summary import collect
from benchmarks.tables import write_published

REASONS = Path(__file__).with_name("differences.md")
SPLITS = 5  # of the paper, and of one cell


def main(arguments: Sequence[str] | None = None, folder: Path = FOLDER) -> None:
    """Run what is missing and write the section."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.smp_tables", description=__doc__.split(": ", 1)[0] + "."
    )
    parser.add_argument("--only", nargs="+", default=list(TABLE_1), choices=TABLE_1, metavar="SET", help="some sets")
    parser.add_argument("--further", type=int, default=20, help="splits beyond the paper's five (default 20)")
    parser.add_argument("--fresh", action="store_true", help="run finished cells again")
    parser.add_argument("--render", action="store_true", help="run nothing, only write the section")
    options = parser.parse_args(arguments)
    cells = Cells("smp_tables", fresh=options.fresh)
    if not options.render:
        run(cells, options.only, options.further, folder)
    found = collect({key: cells[key] for key in cells if "/" in key})
    if not found.first:
        raise SystemExit(how_to_get([f"{name}.csv.gz" for name in options.only], folder, TABLES))
    reasons = REASONS.read_text(encoding="utf-8")
    steps = ["", *lines(cells["steps"])] if "steps" in cells else []
    written = section(found, f"Machine: {sentence(cells.machine)}.", reasons)
    write_published("smp_tables", [*written, *steps])


def run(cells: Cells, names: Sequence[str], n_further: int, folder: Path) -> None:
    """Measure what is missing: the paper's splits of all sets, then others."""
    if SET in names and (place := path_of(SET, folder)) is not None:
        cells.fill("steps", lambda: measure_steps(*load(place)))
    at_hand = {name: load(place) for name in names if (place := path_of(name, folder)) is not None}
    for block in range(1 + n_further // SPLITS):
        seeds = range(block * SPLITS, (block + 1) * SPLITS)
        for name, (X, y) in at_hand.items():
            for contestant in (*(FURTHER if block else CONTESTANTS), *WAYS[1:]):
                key = f"{name}/{contestant.name}/{block}"
                cells.fill(key, lambda X=X, y=y, c=contestant, s=seeds: measure(c, X, y, s))
            if not block:
                cells.fill(f"{name}/every/0", lambda X=X, y=y, s=seeds: measure_every(X, y, s))
                cells.fill(f"{name}/others/0", lambda X=X, y=y, s=seeds: measure_others(X, y, s))


if __name__ == "__main__":
    main()
