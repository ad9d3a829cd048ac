"""The tables of the prototype vector machine: ``python -m benchmarks.pvm_tables``.

Every finished cell is kept in ``results/pvm_*.json``, so the run can be stopped and resumed. ``--only small euclidean
tangent`` chooses parts, ``--render`` measures nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from benchmarks.cells import Cells, sentence
from benchmarks.pvm_tables import digits, tangent_choice
from benchmarks.pvm_tables.distances import euclidean
from benchmarks.pvm_tables.published import N_PROTOTYPES
from benchmarks.pvm_tables.render import section
from benchmarks.pvm_tables.sets import NAMES, SPLITS, load
from benchmarks.pvm_tables.sets import digits as read_digits
from benchmarks.tables import write_published

PARTS = ("small", "euclidean", "tangent")


def arguments(words: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pvm_tables", description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--fresh", action="store_true", help="measure what is chosen again")
    parser.add_argument("--render", action="store_true", help="measure nothing, only write the tables")
    return parser.parse_args(words)


def fill_small(cells: Cells) -> None:
    """Measure table 2, all sets of a split before the next split."""
    from benchmarks.pvm_tables.small import METHODS

    for seed in range(SPLITS):
        for name in NAMES:
            arrays = load(name).split(seed)
            for method, work in METHODS.items():
                cells.fill(f"{name}/{seed}/{method}", lambda work=work, arrays=arrays, seed=seed: work(arrays, seed))


def fill_euclidean(cells: Cells) -> None:
    """Measure the digits with Euclidean distance, without and with centres."""
    plain = digits.with_metric("euclidean", euclidean, digits.sorted_by_class(read_digits()))
    digits.fill(cells, plain)
    digits.fill(cells, digits.and_centres(plain))


def fill_tangent(cells: Cells) -> None:
    """Choose a tangent distance on training digits, then measure the digits with it."""
    arrays = digits.sorted_by_class(read_digits())
    tangent_choice.fill(cells, arrays)
    metric = tangent_choice.chosen(cells)
    own = digits.with_metric("tangent", metric, arrays)
    digits.fill(cells, own)
    cells.fill("tangent/alike", lambda: digits.alike_cell(own, N_PROTOTYPES))
    cells.fill("tangent/one side", lambda: digits.one_sided_cell(metric, arrays))


def main(words: Sequence[str] | None = None) -> int:
    """Measure what is missing and write the tables."""
    options = arguments(words)
    cells = {part: Cells(f"pvm_{part}", fresh=options.fresh and part in options.only) for part in PARTS}
    print(f"Prototype vector machine on {sentence(cells['small'].machine)}")
    fills = {"small": fill_small, "euclidean": fill_euclidean, "tangent": fill_tangent}
    if not options.render:
        for part in options.only:
            fills[part](cells[part])
    lines = section(*cells.values())
    write_published("pvm_tables", lines)
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
