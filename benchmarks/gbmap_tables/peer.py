"""Our gbmap beside a stand-in for the authors' program, on the same rows and one core each, in turn."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.cells import Cell, Cells, sentence
from benchmarks.gbmap_tables.columns import half
from benchmarks.gbmap_tables.sets import cosines, load
from benchmarks.gbmap_tables.splits import Part
from benchmarks.peers import processes
from benchmarks.peers.environment import GBMAP, ROOT
from benchmarks.peers.processes import Engine
from benchmarks.tables import number, table

RUNNER = Path(processes.__file__).with_name("gbmap_runner.py")
SETTINGS = {"n_boosts": 10, "beta": 1.0, "ridge": 1e-3, "max_iter": 200}
TOLERANCE = {"ours": {}, "standin": {"tol": 1e-3}}  # ours has its default, of a gradient without the constant
MADE = "made, 20,000 x 50"
SETS = ("autompg", "abalone", "cpu-small", "concrete", "california", "diabetes", "eeg-eye-state", MADE)
SEEDS = tuple(range(20))
ROUNDS = 3
LOSS_BAR, FIRST_BAR, LATER_BAR = 1.01, 3.0, 1.0


def ours(n_cores: int) -> Engine:
    """Return our estimators on so many threads."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"), str(n_cores))
    return Engine("gbmap_ours", Path(sys.executable), {"PYTHONPATH": str(ROOT), **threads}, RUNNER)


def standin() -> Engine:
    """Return the stand-in, with its environment made."""
    return Engine("gbmap_standin", GBMAP.python(), {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}, RUNNER)


def part_of(name: str) -> Part:
    """Training rows of a set: the first of its halves."""
    return half(cosines("regression", 40_000, 50, 0) if name == MADE else load(name), 0)


def measure_peer(name: str) -> Cell:
    """Let both fit from twenty starts in a fresh process, three times in turn."""
    part = part_of(name)
    arrays = {"X": part.X, "y": part.y}
    options = {"kind": part.kind, "seeds": list(SEEDS), "n_cores": 1}
    engines = {"ours": ours(1), "standin": standin()}
    found: Cell = {"rows": len(part.y), "columns": part.X.shape[1], "ours": [], "standin": []}
    for turn in range(ROUNDS):
        for side in list(engines)[:: 1 if turn % 2 == 0 else -1]:
            settings = {**SETTINGS, **TOLERANCE[side]}
            answer = processes.run(engines[side], "fits", arrays, timeout=1_800.0, settings=settings, **options)
            found[side].append(answer)
    return found


@dataclass(frozen=True)
class Duel:
    """What both did on one set; losses are means over the starts.

    Seconds are processor time, medians over the rounds: on one core the same as the clock's, and other work on the
    machine disturbs them less.

    Attributes
    ----------
    first, later : tuple of float
        Seconds of the first fit of a process and mean of the others: ours, the stand-in's.
    loss : tuple of float
        Mean training loss.
    iterations : tuple of float
        Mean number of iterations over all stages and both signs.
    """

    first: tuple[float, float]
    later: tuple[float, float]
    loss: tuple[float, float]
    iterations: tuple[float, float]

    @classmethod
    def of(cls, cell: Cell) -> Duel:
        """Read a cell."""
        sides = [cell["ours"], cell["standin"]]
        first = [float(np.median([run["each"][0]["cpu_seconds"] for run in runs])) for runs in sides]
        later = [float(np.median([_later(run["each"]) for run in runs])) for runs in sides]
        loss, iterations = (
            [float(np.mean([one[key] for one in runs[0]["each"]])) for runs in sides] for key in ("loss", "iterations")
        )
        return cls(_pair(first), _pair(later), _pair(loss), _pair(iterations))

    @property
    def ratios(self) -> tuple[float, float, float]:
        """Loss of ours by theirs, times faster with compilation, times faster without."""
        return self.loss[0] / self.loss[1], self.first[1] / self.first[0], self.later[1] / self.later[0]

    @property
    def holds(self) -> bool:
        """Whether the bars hold: loss within 1 %, three times faster at first, not slower later."""
        loss, first, later = self.ratios
        return loss <= LOSS_BAR and first >= FIRST_BAR and later >= LATER_BAR


def _pair(values: Sequence[float]) -> tuple[float, float]:
    """Ours and theirs."""
    ours, theirs = values
    return ours, theirs


def _later(each: Sequence[Cell]) -> float:
    """Mean seconds of all fits but the first."""
    return float(np.mean([one["cpu_seconds"] for one in each[1:]]))


def lines(cells: Cells) -> list[str]:
    """Write the table."""
    done = {name: cells[f"peer/{name}"] for name in SETS if f"peer/{name}" in cells}
    if not done:
        return []
    head = ["set", "rows x columns", "loss, stand-in", "loss, ours", "ours / theirs", "first fit, s: stand-in", "ours"]
    head += ["times faster", "later fits, s: stand-in", "ours", "times faster", "iterations: stand-in", "ours", "bars"]
    rows = []
    for name, cell in done.items():
        duel = Duel.of(cell)
        loss, first, later = duel.ratios
        rows.append(
            [
                name,
                f"{cell['rows']:,} x {cell['columns']}",
                f"{duel.loss[1]:.4f}",
                f"**{duel.loss[0]:.4f}**",
                f"{loss:.3f}",
                number(duel.first[1]),
                f"**{number(duel.first[0])}**",
                number(first),
                number(duel.later[1]),
                f"**{number(duel.later[0])}**",
                number(later),
                f"{duel.iterations[1]:.0f}",
                f"{duel.iterations[0]:.0f}",
                "hold" if duel.holds else "**DO NOT HOLD**",
            ]
        )
    last = done[next(iter(done))]
    versions = "; ".join(f"{side}: {sentence(last[side][0]['versions'])}" for side in ("standin", "ours"))
    return [*table(head, rows), "", f"Versions: {versions.replace('standin', 'stand-in')}."]
