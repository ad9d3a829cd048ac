"""Measurements kept in ``results/``, one cell at a time, so that a run can be stopped and resumed; and the machine."""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from benchmarks.peers.processes import two_cores
from proset.common.files import replacing

RESULTS = Path(__file__).parent / "results"
GIB = 1 << 30

Cell = dict[str, Any]


def machine() -> dict[str, str]:
    """Describe the machine, so that numbers can be read: processor, cores used, memory, system, Python."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / GIB if hasattr(os, "sysconf") else 0.0
    return {
        "processor": _processor(),
        "cores": f"{len(two_cores())} used of {os.cpu_count()}",
        "memory": f"{memory:.0f} GiB",
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def _processor() -> str:
    """Name of the processor, as far as the system tells."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


class Cells:
    """The finished cells of one benchmark, in ``results/<name>.json``.

    Parameters
    ----------
    name : str
        Name of the benchmark.
    fresh : bool
        Forget what is there.

    Raises
    ------
    SystemExit
        If the cells that are there were measured on another machine or Python: they cannot stand in one table.
    """

    def __init__(self, name: str, *, fresh: bool = False) -> None:
        self.path = RESULTS / f"{name}.json"
        self.machine = machine()
        self._cells: dict[str, Cell] = {}
        if fresh or not self.path.exists():
            return
        stored = json.loads(self.path.read_text())
        if stored["machine"] != self.machine:
            raise SystemExit(
                f"results/{self.path.name} was measured on another machine: {sentence(stored['machine'])}. "
                "Add --fresh to measure everything again on this one."
            )
        self._cells = stored["cells"]

    def __contains__(self, key: str) -> bool:
        return key in self._cells

    def __getitem__(self, key: str) -> Cell:
        return self._cells[key]

    def __iter__(self) -> Iterator[str]:
        """Keys of the finished cells, in the order they were measured."""
        return iter(self._cells)

    def fill(self, key: str, measure: Callable[[], Cell]) -> Cell:
        """Return a cell, measuring and storing it first if it is missing."""
        if key not in self._cells:
            print(f"  {key} ...", end=" ", flush=True)
            self._cells[key] = measure()
            RESULTS.mkdir(exist_ok=True)
            content = json.dumps({"machine": self.machine, "cells": self._cells}, indent=1) + "\n"
            with replacing(self.path) as draft:
                draft.write_text(content)
            seconds = self._cells[key].get("seconds")
            print("done" if seconds is None else f"{seconds:.3g} s", flush=True)
        return self._cells[key]

    def forget(self, keys: Iterable[str]) -> None:
        """Have these cells measured again; what is stored of them stays until the next cell is."""
        for key in keys:
            self._cells.pop(key, None)

    def matching(self, prefix: str) -> list[Cell]:
        """Return the finished cells whose key begins with a prefix, in the order they were measured."""
        return [cell for key, cell in self._cells.items() if key.startswith(prefix)]


def sentence(facts: Mapping[str, str]) -> str:
    """Write facts such as versions as one line: "numpy 2.4.6, scipy 1.17.1"."""
    return ", ".join(f"{name} {value}" for name, value in facts.items())


def arguments(doc: str, names: tuple[str, ...], *, repeats: int) -> argparse.Namespace:
    """Read the command line that all benchmarks share.

    Parameters
    ----------
    doc : str
        Docstring of the benchmark; its first line is shown.
    names : tuple of str
        What ``--only`` may choose from.
    repeats : int
        Default of ``--repeats``.

    Returns
    -------
    Namespace
        fresh, only (tuple of names, all of them by default), repeats.
    """
    parser = argparse.ArgumentParser(description=doc.splitlines()[0])
    parser.add_argument("--fresh", action="store_true", help="measure everything again")
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME", help=", ".join(names))
    parser.add_argument("--repeats", type=int, default=repeats, help=f"seeds per cell (default {repeats})")
    return parser.parse_args()
