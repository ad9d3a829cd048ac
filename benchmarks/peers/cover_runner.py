"""Covers classes with balls in a process of its own: ``python cover_runner.py REQUEST.json ANSWER.json``.

Both engines get an untimed cover of a tiny problem first: libraries, threads and compiled code are there before the
clock starts and the memory is looked at.
"""

# mypy: ignore-errors
# Runs in every engine's environment.

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
from pathlib import Path
from types import ModuleType

REQUEST = json.loads(Path(sys.argv[1]).read_text())
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, REQUEST["cores"][:1])  # before numpy counts the cores

import numpy as np  # noqa: E402
from measuring import measure, memory_mib, versions  # noqa: E402


def forget_peak() -> None:
    """Let the peak begin anew, so that it is that of the work and not of loading libraries."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")


def warm_up(engine: ModuleType) -> None:
    """Cover a tiny problem."""
    X = np.arange(12.0).reshape(6, 2)
    engine.Cover(X, np.array([0, 0, 0, 1, 1, 1]), 3.0, **REQUEST["options"].get("cover", {})).choose()


def main() -> None:
    """Answer one request: distances and choice, each with its seconds and what it adds to the memory."""
    engine = importlib.import_module(REQUEST["engine"])
    warm_up(engine)
    with np.load(REQUEST["arrays"]) as stored:
        X, y = stored["X"], stored["y"]
    cover = engine.Cover(X, y, REQUEST["options"]["eps"], **REQUEST["options"].get("cover", {}))
    forget_peak()
    start = memory_mib()[0]
    prepared = measure(cover.prepare)
    middle = memory_mib()[0]
    forget_peak()
    found = []
    chosen = measure(lambda: found.append(cover.choose()))
    answer = {
        "prepare_seconds": prepared["seconds"],
        "choose_seconds": chosen["seconds"],
        "seconds": prepared["seconds"] + chosen["seconds"],
        "choose_added_mib": chosen["peak_mib"] - middle,
        "added_mib": max(prepared["peak_mib"], chosen["peak_mib"]) - start,
        "process_mib": max(prepared["peak_mib"], chosen["peak_mib"]),
        "chosen": found[0],
        "lower_bound": getattr(cover, "lower_bound", None),
        "versions": versions(engine.PACKAGES),
    }
    Path(sys.argv[2]).write_text(json.dumps(answer))


if __name__ == "__main__":
    main()
