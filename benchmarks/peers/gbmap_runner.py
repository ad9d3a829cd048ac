"""Fits gbmap in a process of its own, by either engine: ``python gbmap_runner.py REQUEST.json ANSWER.json``.

The first fit of a process holds what is compiled or loaded when it is first needed, the others do not; libraries are
imported before the clock starts.
"""

# mypy: ignore-errors
# Runs in the environment of either engine.

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

REQUEST = json.loads(Path(sys.argv[1]).read_text()) if __name__ == "__main__" else {}
if REQUEST and hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, REQUEST["cores"][: REQUEST["options"]["n_cores"]])  # before anything counts the cores

import numpy as np  # noqa: E402
from measuring import measure, versions  # noqa: E402


def mean_loss(kind: str, y: np.ndarray, f: np.ndarray) -> float:
    """Mean loss of the training rows in double precision, without the penalty."""
    each = (y - f) ** 2 if kind == "regression" else np.logaddexp(0.0, -y * f)
    return float(each.mean())


def made_data(n: int, p: int, seed: int) -> dict[str, np.ndarray]:
    """Draw the paper's made data, rotated, for a measurement of time."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    u = rng.normal(size=p)
    y = 5.0 * np.cos(X) @ (u / np.linalg.norm(u))
    X = X @ np.linalg.qr(rng.normal(size=(p, p)))[0]
    return {"X": X, "y": (y - y.mean()) / y.std()}


def one_fit(engine: Any, data: dict[str, np.ndarray], kind: str, seed: int, settings: dict[str, Any]) -> dict[str, Any]:
    """Measure one fit."""
    found = []
    spent = measure(lambda: found.append(engine.fit(data["X"], data["y"], kind=kind, seed=seed, **settings)))
    loss = mean_loss(kind, data["y"], found[0]["predicted"])
    return {**spent, "loss": loss, "iterations": found[0]["iterations"]}


def main() -> None:
    """Answer one request."""
    start = time.perf_counter()
    engine = importlib.import_module(REQUEST["engine"])
    imported = time.perf_counter() - start
    options = REQUEST["options"]
    if REQUEST["task"] == "made":
        data = made_data(options["n"], options["p"], 0)
    else:
        with np.load(REQUEST["arrays"]) as stored:
            data = {name: stored[name] for name in stored.files}
    each = [one_fit(engine, data, options["kind"], seed, options["settings"]) for seed in options["seeds"]]
    answer = {"import_seconds": imported, "each": each, "versions": versions(engine.PACKAGES)}
    Path(sys.argv[2]).write_text(json.dumps(answer))


if __name__ == "__main__":
    main()
