"""Lets one contestant learn one split in a process of its own: ``python runner.py REQUEST.json ANSWER.json``.

Started by :mod:`benchmarks.peers.processes` with the interpreter of the contestant's environment. Nothing but the
fit, choice of settings included, is on the clock: libraries are loaded and compiled code is there before, by a fit of
a tiny table.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.append(str(Path(__file__).resolve().parents[2] / "peers"))  # last: both folders have an `ours`

from measuring import measure, versions  # type: ignore[import-not-found]

NICENESS = 10


def warm_up(fit: Any) -> float:
    """Fit and score a tiny table; return the seconds it took."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.repeat([0, 1], 30)
    start = time.perf_counter()
    fit(X, y, 2).predict(X)
    return time.perf_counter() - start


def learn(fit: Callable[..., Any], arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    """Learn the training rows and estimate the others; a ValueError is how a contestant refuses a table."""
    n_classes, found = int(arrays["y"].max()) + 1, []
    try:
        answer: dict[str, Any] = measure(lambda: found.append(fit(arrays["X"], arrays["y"], n_classes)))
    except ValueError as error:
        return {"refused": str(error)}
    probabilities = np.asarray(found[0].predict(arrays["X_test"]), dtype=np.float64)
    return {**answer, **found[0].account(), "chosen": found[0].chosen, "probabilities": probabilities.tolist()}


def main() -> None:
    """Answer one request."""
    request = json.loads(Path(sys.argv[1]).read_text())
    os.nice(max(0, NICENESS - os.nice(0)))  # niceness adds up
    warnings.simplefilter(
        "ignore"
    )  # of solvers that stop early and of classes too rare for a fold: their log-loss tells
    box = importlib.import_module(request["engine"])
    fit = box.CONTESTANTS[request["task"]]
    warm_up_seconds = warm_up(fit)
    with np.load(request["arrays"]) as stored:
        arrays = {name: stored[name] for name in stored.files}
    answer = {"warm_up_seconds": warm_up_seconds, "versions": versions(box.PACKAGES), **learn(fit, arrays)}
    Path(sys.argv[2]).write_text(json.dumps(answer))


if __name__ == "__main__":
    main()
