"""A search and the scoring of files on one and two Dask workers: ``python -m benchmarks.distributed``.

A scheduler and workers of one thread each are started on this machine. The search is that of ``benchmarks.search`` on
digits, the scoring one of 16 Parquet files. Two measured points give the part of each stage that does not get faster;
with it and with the number of tasks there are, the time with more workers is calculated, not measured.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

import numpy as np
import pandas as pd

from benchmarks.cells import Cell, Cells, arguments, sentence
from benchmarks.speed import problem_named
from benchmarks.tables import number, table, write_section
from proset import ClassifierModel, Study, fit_study
from proset.bulk import connected, score_partitions
from proset.data.samples import load_sample, sample_roles
from proset.selection import SearchPlan, SearchProgress, select_hyperparameters

NAMES = ("search", "scoring")
MEASURED, CALCULATED = (1, 2), (4, 8, 16, 55)
PLAN = SearchPlan(second_look=False)  # as much work whatever the folds say
FILES, ROWS_PER_FILE = 16, 20_000


@dataclass(frozen=True)
class Stage:
    """A stage and how it may be divided.

    Attributes
    ----------
    name : str
        Key of its seconds in a cell.
    pieces : int
        Equal pieces that different workers can do; the rest of the time is theirs together.
    """

    name: str
    pieces: int

    def speed_up(self, workers: int) -> float:
        """How many times faster it is at best: somebody does the largest share of the pieces."""
        return self.pieces / -(-self.pieces // workers)

    def serial_part(self, one: float, two: float) -> float:
        """Share of the time with one worker that a second does not shorten (Amdahl), from both times."""
        if self.speed_up(2) == 1.0:
            return 1.0
        best = 1.0 / self.speed_up(2)
        return float(np.clip((two / one - best) / (1.0 - best), 0.0, 1.0))

    def seconds(self, workers: int, one: float, two: float) -> float:
        """Time with any number of workers."""
        serial = self.serial_part(one, two)
        return one * (serial + (1.0 - serial) / self.speed_up(workers))


STAGES = {
    "search": (
        Stage("stage 1", PLAN.n_pairs * PLAN.n_folds),
        Stage("stage 2", PLAN.n_folds),
        Stage("refit", 1),
    ),
    "scoring": (Stage("scoring", FILES),),
}


@contextmanager
def started(workers: int) -> Iterator[str]:
    """Yield the address of a scheduler with workers that have loaded the engine."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=workers, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0"
    ) as cluster:
        with connected(cluster.scheduler_address, timeout=60.0) as client:
            client.run(_fit_a_little)
        yield cluster.scheduler_address


def _fit_a_little() -> None:
    """Load, or at the first time compile, what a fit needs."""
    X = np.random.default_rng(0).normal(size=(100, 2))
    ClassifierModel().fit(X, X[:, 0] > 0)


def search(workers: int, seed: int) -> Cell:
    """Search on digits."""
    X, y = problem_named("digits").load(seed)
    reached: dict[int, float] = {}

    def note(progress: SearchProgress) -> None:
        reached[progress.stage] = time.perf_counter() - start

    with started(workers) as address, connected(address):
        start = time.perf_counter()
        found = select_hyperparameters(ClassifierModel(), X, y, plan=PLAN, progress=note)
        whole = time.perf_counter() - start
    return {
        "workers": workers,
        "seconds": whole,
        "stage 1": reached[1],
        "stage 2": reached[2] - reached[1],
        "refit": whole - reached[2],
        "chosen": [*found.record.chosen_penalties, found.record.chosen_batches],
    }


def scoring(workers: int, seed: int) -> Cell:
    """Score Parquet files with the digits sample's model."""
    study = fit_study(load_sample("digits"), sample_roles("digits"))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(study, folder / "in", seed)
        with started(workers) as address:
            start = time.perf_counter()
            results = score_partitions(study, folder / "in", folder / "out", scheduler=address)
            seconds = time.perf_counter() - start
    return {
        "workers": workers,
        "seconds": seconds,
        "scoring": seconds,
        "rows": sum(result.rows for result in results),
        "failed": sum(result.error is not None for result in results),
    }


def write_files(study: Study, folder: Path, seed: int) -> None:
    """Write rows drawn from those of a study."""
    rng = np.random.default_rng(seed)
    folder.mkdir()
    frame: pd.DataFrame = study.table.frame
    for part in range(FILES):
        frame.iloc[rng.integers(len(frame), size=ROWS_PER_FILE)].to_parquet(folder / f"{part:02}.parquet")


def lines_of(task: str, cells: Cells) -> list[str]:
    """Measured and calculated times of one task as a table, and the arithmetic."""
    times = {
        workers: {
            stage.name: median(cell[stage.name] for cell in cells.matching(f"{task}/{workers}/"))
            for stage in STAGES[task]
        }
        for workers in MEASURED
    }
    one, two = times[1], times[2]
    for workers in CALCULATED:
        times[workers] = {
            stage.name: stage.seconds(workers, one[stage.name], two[stage.name]) for stage in STAGES[task]
        }
    whole = {workers: sum(stages.values()) for workers, stages in times.items()}
    names = [stage.name for stage in STAGES[task]]
    rows = [
        (
            workers,
            "measured" if workers in MEASURED else "calculated",
            *(f"{number(seconds)} s" for seconds in times[workers].values()),
            f"{number(whole[workers])} s",
            f"{whole[1] / whole[workers]:.2f}",
        )
        for workers in times
    ]
    serial = [
        f"{stage.name}: {stage.pieces} pieces, serial part {stage.serial_part(one[stage.name], two[stage.name]):.0%}"
        for stage in STAGES[task]
    ]
    return [
        "",
        f"**{task.capitalize()}.** {'; '.join(serial)}.",
        "",
        *table(("workers", "", *names, "whole", "times faster than one"), rows),
    ]


def main() -> None:
    """Measure what is missing and write the tables."""
    args = arguments(__doc__ or "", NAMES, repeats=3)
    cells = Cells("distributed", fresh=args.fresh)
    measures: dict[str, Callable[[int, int], Cell]] = {"search": search, "scoring": scoring}
    for seed in range(args.repeats):
        for name in args.only:
            for workers in MEASURED:
                cells.fill(f"{name}/{workers}/{seed}", partial(measures[name], workers, seed))
    done = [name for name in NAMES if all(cells.matching(f"{name}/{workers}/") for workers in MEASURED)]
    lines = [f"Measured on {sentence(cells.machine)}.", *(line for name in done for line in lines_of(name, cells))]
    write_section("distributed", lines)


if __name__ == "__main__":
    main()
