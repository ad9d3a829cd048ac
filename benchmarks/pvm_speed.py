"""The prototype vector machine beside ProtoSelect of alibi, on the same problems: ``python -m benchmarks.pvm_speed``.

Both get the same rows, radius and cost of a prototype, and choose prototypes greedily; sets that differ only by ties
are scored by one definition, in plain loops over the distances in double precision. Every run is a fresh process on one
core, theirs and ours in turns. Coordinates are multiples of 1/32 and radii lie between two distances, so that no
rounding decides what is inside a ball. Then the linear and the integer program show how far greedy is from the best.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from benchmarks.cells import Cell, Cells, arguments, sentence
from benchmarks.peers.environment import PROTOSELECT, ROOT
from benchmarks.peers.processes import Engine, run
from benchmarks.tables import number, table, write_published

RUNNER = Path(__file__).parent / "peers" / "cover_runner.py"
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"}
UNIT = 32  # coordinates are multiples of its inverse
QUANTILES = (0.01, 0.05)
REPEATS = 5
LIMIT = 60.0  # seconds of an integer program
WAYS = ("ours", "alibi")
BOUND_BY = ("lp", "milp")
SHARE_OF_MEMORY = 0.1


@dataclass(frozen=True)
class Size:
    """Rows, classes and features of a problem."""

    rows: int
    classes: int
    features: int = 16

    def __str__(self) -> str:
        return f"{self.rows:,} x {self.classes}"


SIZES = (Size(900, 3), Size(1_800, 3), Size(3_600, 3), Size(7_000, 10))


def made(size: Size, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Draw classes of four clusters each that overlap, at multiples of 1/32.

    Examples
    --------
    >>> X, y = made(Size(30, 3))
    >>> X.shape, bool((X * 32 == np.round(X * 32)).all())
    ((30, 16), True)
    """
    rng = np.random.default_rng(seed)
    centres = 1.2 * rng.normal(size=(size.classes, 4, size.features))
    y = rng.integers(0, size.classes, size.rows)
    X = centres[y, rng.integers(0, 4, size.rows)] + rng.normal(size=(size.rows, size.features))
    return np.round(X * UNIT) / UNIT, y


def radius(X: NDArray[np.float64], quantile: float) -> float:
    """Return about that quantile of the distances, halfway between two squares that distances can have."""
    rows = np.random.default_rng(0).permutation(len(X))[:1_000]
    square = np.quantile(cdist(X[rows], X[rows], "sqeuclidean")[np.triu_indices(len(rows), 1)], quantile)
    return float(np.sqrt(np.floor(square * UNIT**2) + 0.5) / UNIT)


def objective(X: NDArray[np.float64], y: NDArray[np.int64], eps: float, chosen: list[tuple[int, int]]) -> float:
    """Score prototypes by definition: points not covered, points in others' balls, and 1 / n for each prototype.

    Examples
    --------
    >>> objective(np.array([[0.0], [1.0], [1.0], [9.0]]), np.array([0, 0, 1, 1]), 1.5, [(0, 0)])
    3.25
    """
    centres, labels = np.array([j for j, _ in chosen], dtype=int), np.array([k for _, k in chosen], dtype=int)
    total = len(chosen) / len(X)
    for start in range(0, len(X), 500):
        rows = slice(start, start + 500)
        inside, own = cdist(X[rows], X[centres]) < eps, y[rows, None] == labels[None, :]
        total += float((~(inside & own).any(axis=1)).sum() + (inside & ~own).sum())
    return total


def engine(way: str) -> Engine:
    """Return what chooses prototypes, and how it is started."""
    if way == "alibi":
        return Engine("cover_alibi", PROTOSELECT.python(), ONE_THREAD, RUNNER)
    return Engine("cover_ours", Path(sys.executable), {"PYTHONPATH": str(ROOT), **ONE_THREAD}, RUNNER)


def measure(size: Size, quantile: float, way: str) -> Cell:
    """Choose prototypes once, and score them."""
    X, y = made(size)
    eps = radius(X, quantile)
    options = {"solver": way, "limit": LIMIT} if way in BOUND_BY else {}
    found = run(engine(way), "cover", {"X": X, "y": y}, eps=eps, cover=options)
    chosen = found.pop("chosen")
    return {**found, "eps": eps, "prototypes": len(chosen), "objective": objective(X, y, eps, chosen)}


def compared(cells: Cells, size: Size, quantile: float) -> dict[str, list[Cell]]:
    """Return the runs of one problem by way."""
    return {way: cells.matching(f"{size.rows}/{quantile:g}/{way}/") for way in (*WAYS, *BOUND_BY)}


def middle(runs: list[Cell], key: str) -> float:
    """Return the median of a number over runs."""
    return float(median(cell[key] for cell in runs))


def problem_row(size: Size, quantile: float, runs: dict[str, list[Cell]]) -> list[str]:
    """Return one row of the table of both."""
    ours, theirs = runs["ours"], runs["alibi"]
    ratio = middle(theirs, "seconds") / middle(ours, "seconds")
    share = middle(ours, "added_mib") / middle(theirs, "choose_added_mib")
    return [
        str(size),
        f"{quantile:g}",
        f"{ours[0]['prototypes']} / {theirs[0]['prototypes']}",
        f"{ours[0]['objective']:.3f} / {theirs[0]['objective']:.3f}",
        f"{middle(ours, 'seconds'):.3f} / {middle(theirs, 'seconds'):.3f}",
        f"{ratio:.0f}",
        f"{middle(ours, 'added_mib'):.1f} / {middle(theirs, 'choose_added_mib'):,.1f}",
        f"{share:.3f}",
        f"{middle(ours, 'process_mib'):,.0f} / {middle(theirs, 'process_mib'):,.0f}",
    ]


def bound_row(size: Size, quantile: float, runs: dict[str, list[Cell]]) -> list[str]:
    """Return one row of the table of bounds."""
    greedy, lp, milp = runs["ours"][0], runs["lp"][0], runs["milp"][0]
    return [
        str(size),
        f"{quantile:g}",
        f"{greedy['objective']:.3f}",
        f"{lp['objective']:.3f} ({lp['lower_bound']:.3f}, {number(lp['seconds'])} s)",
        f"{milp['objective']:.3f} ({milp['lower_bound']:.3f}, {number(milp['seconds'])} s)",
        f"{100 * (greedy['objective'] / milp['lower_bound'] - 1):.1f} %",
    ]


def verdicts(found: list[tuple[Size, dict[str, list[Cell]]]]) -> list[str]:
    """Return the aims and whether they hold."""
    pairs = [(size, runs["ours"], runs["alibi"]) for size, runs in found]
    large = [(ours, theirs) for size, ours, theirs in pairs if size.rows >= 1_800]
    worst = max(ours[0]["objective"] - theirs[0]["objective"] for _, ours, theirs in pairs)
    most = max((middle(a, "added_mib") / middle(b, "choose_added_mib") for a, b in large), default=float("nan"))
    slowest = max(middle(ours, "seconds") / middle(theirs, "seconds") for _, ours, theirs in pairs)
    words = {True: "holds", False: "**does not hold**"}
    return table(
        ["aim", "measured", "verdict"],
        [
            ["objective equal or better", f"{worst:+.3f} at most", words[worst <= 1e-9]],
            [
                "at 1,800 x 3 and above: a tenth of the memory that summarise adds",
                f"at most {most:.3f} of it",
                words[most <= SHARE_OF_MEMORY],
            ],
            ["not slower", f"at most {slowest:.3f} of its time", words[slowest <= 1.0]],
        ],
    )


def section(cells: Cells) -> list[str]:
    """Lines of the document."""
    every = [(size, quantile, compared(cells, size, quantile)) for size in SIZES for quantile in QUANTILES]
    both = [entry for entry in every if entry[2]["ours"] and entry[2]["alibi"]]
    bounded = [entry for entry in every if all(entry[2][way] for way in ("ours", *BOUND_BY))]
    lines = ["## Prototype vector machine beside ProtoSelect of alibi", ""]
    lines += [f"Machine: {sentence(cells.machine)}. Ours / theirs; medians over {len(both[0][2]['ours'])} runs.", ""]
    head = ["rows x classes", "radius (quantile)", "prototypes", "objective", "seconds", "times as fast"]
    head += ["MiB added", "share of memory", "MiB of the process"]
    lines += table(head, (problem_row(*entry) for entry in both))
    lines += ["", *verdicts([(size, runs) for size, _, runs in both]), ""]
    lines += [
        "Seconds and memory of ours are those of everything from the rows on, distances included; seconds of theirs"
        " too, but its memory is what `summarise` alone adds, after the distances are there. Greedy and better:",
        "",
    ]
    head = ["rows x classes", "radius (quantile)", "greedy", "linear program (bound, time)"]
    head += [f"integer program (bound, time; stopped after {LIMIT:g} s)", "greedy above the bound"]
    return [*lines, *table(head, (bound_row(*entry) for entry in bounded))]


def main() -> None:
    """Measure what is missing and write the tables."""
    options = arguments(__doc__, tuple(str(size.rows) for size in SIZES), repeats=REPEATS)
    cells = Cells("pvm_speed", fresh=options.fresh)
    print(f"Prototype vector machine on {sentence(cells.machine)}")
    for size in (size for size in SIZES if str(size.rows) in options.only):
        for quantile in QUANTILES:
            for repeat in range(options.repeats):
                for way in WAYS:
                    key = f"{size.rows}/{quantile:g}/{way}/{repeat}"
                    cells.fill(key, partial(measure, size, quantile, way))
            for way in BOUND_BY:
                cells.fill(f"{size.rows}/{quantile:g}/{way}/0", partial(measure, size, quantile, way))
    write_published("pvm_speed", section(cells))
    print("\n".join(section(cells)))


if __name__ == "__main__":
    main()
