"""Measure what is missing of gbmap's tables and write them: ``python -m benchmarks.gbmap_tables``.

Every finished cell is kept in ``results/gbmap_tables.json``, so the run can be stopped and resumed. ``--only drift``
measures parts, ``--sets concrete`` some of the sets, ``--minutes 10`` starts no further cell after that long,
``--fresh`` measures what is chosen again and ``--render`` measures nothing.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

from threadpoolctl import threadpool_limits

from benchmarks.cells import Cells, sentence
from benchmarks.gbmap_tables.plan import PARTS, cells
from benchmarks.gbmap_tables.render import section
from benchmarks.tables import write_published
from proset.engine.kernels.threads import limited


def arguments(words: Sequence[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gbmap_tables", description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=PARTS, default=PARTS, metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--sets", nargs="+", default=[], metavar="SET", help="measure these sets or sizes only")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="start no further cell after that long")
    parser.add_argument("--fresh", action="store_true", help="measure what is chosen again")
    parser.add_argument("--render", action="store_true", help="measure nothing, only write the tables")
    return parser.parse_args(words)


def main(words: Sequence[str] | None = None) -> None:
    """Measure what is missing and write the tables."""
    options = arguments(words)
    measured = Cells("gbmap_tables")
    print(f"gbmap's tables on {sentence(measured.machine)}")
    todo = [] if options.render else [one for part in options.only for one in cells(part)]
    todo = [one for one in todo if not options.sets or one[0].split("/")[1] in options.sets]
    if options.fresh:
        measured.forget(key for key, _ in todo)
    begun = time.monotonic()
    with threadpool_limits(1), limited(1):
        for key, work in todo:
            if time.monotonic() - begun > 60.0 * options.minutes:
                print("Time is up; the same command goes on with the rest.")
                break
            measured.fill(key, work)
    write_published("gbmap_tables", section(measured))


if __name__ == "__main__":
    main()
