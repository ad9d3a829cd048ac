"""Table 3: how the seconds of a fit grow with rows and columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks.cells import Cell, Cells
from benchmarks.gbmap_tables.peer import ours
from benchmarks.gbmap_tables.published import TABLE_3
from benchmarks.peers import processes
from benchmarks.scaling import fit_line
from benchmarks.tables import number, table

SETTINGS = {"n_boosts": 2, "beta": 1.0, "ridge": 1e-3, "max_iter": 100}
ROWS = tuple((n, 25) for n in (100_000, 200_000, 500_000, 1_000_000))
FEATURES = tuple((100_000, p) for p in (25, 50, 100, 200, 400))
SIZES = tuple(dict.fromkeys((*ROWS, *FEATURES)))
REPEATS = 5
CORES = 2
MIB = 1 << 20


def key(size: tuple[int, int]) -> str:
    """Name of a cell."""
    return f"growth/{size[0]}x{size[1]}"


def measure_growth(size: tuple[int, int]) -> Cell:
    """Fit five times from other starts, in a fresh process on two cores."""
    n, p = size
    seeds = list(range(REPEATS))
    options = {"n": n, "p": p, "kind": "regression", "settings": SETTINGS, "seeds": seeds, "n_cores": CORES}
    return processes.run(ours(CORES), "made", {"none": np.zeros(1)}, timeout=1_800.0, **options)


def lines(cells: Cells) -> list[str]:
    """Write the table and the powers."""
    done = {size: cells[key(size)] for size in SIZES if key(size) in cells}
    if not done:
        return []
    head = [
        "rows",
        "columns",
        "published, s",
        "ours, s",
        "processor time, s",
        "iterations",
        "ms per iteration",
        "data, MiB",
        "most memory, MiB",
    ]
    text = [*table(head, (_row(size, cell) for size, cell in done.items())), ""]
    for name, sizes, place in (("rows", ROWS, 0), ("columns", FEATURES, 1)):
        text += _powers(name, [size for size in sizes if size in done], place, done)
    return text[:-1]


def seconds(cell: Cell, clock: str = "cpu_seconds") -> float:
    """Mean seconds of the fits but the first, which loads what is compiled; each has a start of its own."""
    return float(np.mean([one[clock] for one in cell["each"][1:]]))


def iterations(cell: Cell) -> float:
    """Mean number of iterations over both stages."""
    return float(np.mean([one["iterations"] for one in cell["each"][1:]]))


def _row(size: tuple[int, int], cell: Cell) -> list[str]:
    """One line of the table."""
    n, p = size
    said = TABLE_3.get(size)
    return [
        f"{n:,}",
        f"{p:,}",
        "" if said is None else f"{said:g}",
        f"**{number(seconds(cell, 'seconds'))}**",
        number(seconds(cell)),
        f"{iterations(cell):.0f}",
        number(1e3 * seconds(cell) / max(1.0, iterations(cell))),
        number(n * p * 8 / MIB),
        number(max(one["peak_mib"] for one in cell["each"])),
    ]


def _powers(name: str, sizes: Sequence[tuple[int, int]], place: int, done: Mapping[tuple[int, int], Cell]) -> list[str]:
    """Say how the seconds grow."""
    if len(sizes) < 3:
        return []
    x = [size[place] for size in sizes]
    whole = fit_line(x, [seconds(done[size]) for size in sizes])
    each = fit_line(x, [seconds(done[size]) / max(1.0, iterations(done[size])) for size in sizes])
    said = [(size[place], value) for size in sizes if (value := TABLE_3.get(size)) is not None]
    theirs = f"; published: {fit_line(*map(list, zip(*said, strict=True))).slope:.2f}" if len(said) > 2 else ""
    verdict = "not faster than linear" if each.linear else "**FASTER THAN LINEAR**"
    return [
        f"A fit grows as {name} to the power {whole.slope:.2f} ± {whole.error:.2f}{theirs}; one iteration to the power "
        f"{each.slope:.2f} ± {each.error:.2f}: {verdict}.",
        "",
    ]
