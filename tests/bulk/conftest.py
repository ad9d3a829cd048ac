"""A real scheduler and its workers, each a process of its own on this machine, ended by its process id."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from patience import wait_until

import proset

ROOT = Path(proset.__file__).parents[1]
LOCAL = ("--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0")
COLUMNS = ["sepal length (cm)", "sepal width (cm)"]


class Cluster:
    """A scheduler that starts at once, and workers when they are asked for."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.workers: list[subprocess.Popen[bytes]] = []
        contact = folder / "scheduler.json"
        self._file = ("--scheduler-file", str(contact))
        self.scheduler = self._start("scheduler", *self._file, *LOCAL, "--port", "0")
        wait_until(lambda: contact.exists() and contact.read_text().endswith("}"))
        self.address: str = json.loads(contact.read_text())["address"]

    @property
    def log(self) -> str:
        """What all processes have written so far."""
        return "".join(path.read_text() for path in sorted(self.folder.glob("*.log")))

    @property
    def pids(self) -> set[int]:
        """Process ids of the workers."""
        return {worker.pid for worker in self.workers}

    def need_workers(self, count: int, **environment: str) -> None:
        """Start workers until that many are alive."""
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        while len(self.workers) < count:
            options = ("--nthreads", "1", "--no-nanny", "--memory-limit", "0", "--local-directory", str(self.folder))
            self.workers.append(self._start("worker", *self._file, *LOCAL, *options, **environment))
        wait_until(lambda: all("Registered to" in self._log(worker).read_text() for worker in self.workers))

    def kill_worker(self) -> None:
        """End one worker without warning, as a machine that loses power."""
        self.workers[0].kill()
        self.workers[0].wait()

    def end(self) -> None:
        """End everything."""
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()

    def _start(self, kind: str, *options: str, **environment: str) -> subprocess.Popen[bytes]:
        """Start 'dask scheduler' or 'dask worker' with this checkout of proset."""
        command = [sys.executable, "-m", "dask", kind, *options]
        with (self.folder / "unnamed").open("wb") as log:
            process = subprocess.Popen(
                command, cwd=ROOT, env=os.environ | {"OMP_NUM_THREADS": "1"} | environment, stdout=log, stderr=log
            )
        (self.folder / "unnamed").rename(self._log(process))
        return process

    def _log(self, process: subprocess.Popen[bytes]) -> Path:
        """What a process writes."""
        return self.folder / f"{process.pid}.log"


@pytest.fixture(scope="session")
def _cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    cluster = Cluster(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.end()


@pytest.fixture
def cluster(_cluster: Cluster) -> Cluster:
    """The cluster with two workers; a test may kill them."""
    _cluster.need_workers(2)
    return _cluster


@pytest.fixture
def bare(tmp_path: Path) -> Iterator[Cluster]:
    """A scheduler without workers."""
    cluster = Cluster(tmp_path)
    yield cluster
    cluster.end()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Four good files of several kinds in two folders, one that lacks a column, and two that are set aside."""
    rows = np.random.default_rng(0).uniform(3.0, 7.0, (400, 2)).round(2)
    base = tmp_path / "in"
    for number, part in enumerate(np.split(rows, 4)):
        place = base / f"site={number % 2}"
        place.mkdir(parents=True, exist_ok=True)
        frame = pd.DataFrame(part, columns=COLUMNS)
        if number < 2:
            frame.to_parquet(place / f"{number}.parquet")
        else:
            frame.to_csv(place / f"{number}.csv", index=False)
    (base / "bad.csv").write_text("width\n3\n")
    (base / "_SUCCESS").write_text("")
    (base / ".hidden.csv").write_text("x\n1\n")
    return base
