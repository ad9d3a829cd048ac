"""Ours beside other classifiers on the sets of a folder: ``python -m benchmarks.rivals``.

Every contestant learns the same training rows, on one thread, in a process of its own. Finished cells are kept in
``results/rivals.json``, so a run can be stopped and resumed; ``--fresh`` measures the chosen sets and contestants
again. With ``--sets FOLDER`` the same is done for other tables: their results are kept beside, and the tables are
printed only. Where the public sets are not at hand, the command says how to get them and goes on with three tables
that come with scikit-learn.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path

from benchmarks.cells import Cell, Cells, sentence
from benchmarks.peers.processes import EngineError
from benchmarks.rivals.contestants import CONTESTANTS, QUICK, Contestant, measure
from benchmarks.rivals.render import section
from benchmarks.rivals.sets import (
    BUNDLED,
    DRAWN,
    SEEDS,
    SETS,
    SetError,
    TableSet,
    chosen,
    drawn,
    load,
    missing,
    names_in,
    public_folder,
)
from benchmarks.tables import write_section


def arguments(words: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    names = [contestant.name for contestant in CONTESTANTS]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fresh", action="store_true", help="measure what is chosen again")
    parser.add_argument("--only", nargs="+", metavar="SET", help="measure and print these sets only")
    parser.add_argument("--contestants", nargs="+", choices=names, metavar="NAME", help=", ".join(names))
    parser.add_argument(
        "--sets", type=Path, default=public_folder(), metavar="FOLDER", help="gzip CSV files of numbers, column target"
    )
    return parser.parse_args(words)


def result_name(folder: Path) -> str:
    """Name the results of a folder: those of other tables do not mix with the ones in the repository."""
    if not names_in(folder):
        return "rivals-bundled"
    return "rivals" if folder.resolve() == public_folder().resolve() else f"rivals-{folder.resolve().name}"


def load_all(folder: Path, names: Sequence[str]) -> list[TableSet]:
    """Read the tables; say which cannot take part."""
    tables = []
    for name in names:
        try:
            tables.append(load(folder, name))
        except SetError as error:
            print(f"Left out: {error}")
    return tables


def cells_to_do(
    tables: Sequence[TableSet], contestants: Sequence[Contestant]
) -> Iterator[tuple[str, Callable[[], Cell]]]:
    """Yield key and measurement of every cell; whoever is first in one split is last in the next."""
    for table, seed in product(tables, SEEDS):
        for contestant in contestants if seed % 2 == 0 else contestants[::-1]:
            yield f"{table.name}/{seed}/{contestant.name}", partial(measure, contestant, table, seed)
    if QUICK in contestants:
        for seed in SEEDS:
            yield f"{DRAWN}/{seed}/{QUICK.name}", partial(measure, QUICK, drawn(), seed)


def fill_all(cells: Cells, todo: Sequence[tuple[str, Callable[[], Cell]]]) -> list[str]:
    """Measure what is missing; return the keys of the cells that ended without an answer, which the next run tries."""
    failed = []
    for key, work in todo:
        try:
            cells.fill(key, work)
        except EngineError as error:
            print(f"no answer: {error}", flush=True)
            failed.append(key)
    return failed


def main(words: Sequence[str] | None = None) -> int:
    """Measure what is missing and write the tables; return 1 if a cell ended without an answer."""
    options = arguments(words)
    if options.sets == public_folder() and (text := missing(options.sets)):
        print(text)
        if not names_in(options.sets):
            print(f"Going on with {', '.join(BUNDLED)}, which come with scikit-learn. Other tables: --sets FOLDER.")
    names = chosen(options.sets, options.only)
    contestants = [one for one in CONTESTANTS if not options.contestants or one.name in options.contestants]
    everything = not options.only and not options.contestants
    cells = Cells(result_name(options.sets), fresh=options.fresh and everything)
    print(f"Rivals on {sentence(cells.machine)}")
    todo = list(cells_to_do(load_all(options.sets, names), contestants))
    if options.fresh:
        cells.forget(key for key, _ in todo)
    failed = fill_all(cells, todo)
    if result_name(options.sets) == "rivals":
        write_section("rivals", section(cells, SETS))
    print("\n".join(section(cells, names)))
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
