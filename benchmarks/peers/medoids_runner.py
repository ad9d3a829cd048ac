"""Finds medoids in a process of its own: ``python medoids_runner.py REQUEST.json ANSWER.json``.

The medoids of every class by FasterPAM (package kmedoids), for every number asked for and every fold: positions of the
rows, from which the caller makes a classifier.
"""

# mypy: ignore-errors
# Runs in an environment of its own.

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

REQUEST = json.loads(Path(sys.argv[1]).read_text())
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, REQUEST["cores"])

import kmedoids  # noqa: E402
import numpy as np  # noqa: E402
from measuring import versions  # noqa: E402


def medoids(D: np.ndarray, y: np.ndarray, rows: np.ndarray, size: int, seed: int) -> list[int]:
    """Return the rows that are medoids of their class; all rows of a class that has no more."""
    found = []
    for label in np.unique(y[rows]):
        own = rows[y[rows] == label]
        if len(own) > size:
            part = np.ascontiguousarray(D[np.ix_(own, own)])
            own = own[kmedoids.fasterpam(part, size, init="build", random_state=seed, n_cpu=1).medoids.astype(int)]
        found += own.tolist()
    return found


def main() -> None:
    """Answer one request: for each fold, and for all rows (-1), the medoids of every size."""
    with np.load(REQUEST["arrays"]) as stored:
        D, y, fold = (stored[name] for name in ("D", "y", "fold"))
    options = REQUEST["options"]
    answer = {}
    for number in (*range(int(fold.max()) + 1), -1):
        rows = np.flatnonzero(fold != number)
        answer[str(number)] = [medoids(D, y, rows, size, options["seed"]) for size in options["sizes"]]
    Path(sys.argv[2]).write_text(json.dumps({"medoids": answer, "versions": versions(("kmedoids", "numpy"))}))


if __name__ == "__main__":
    main()
