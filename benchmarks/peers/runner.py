"""Does one task with one engine in a process of its own: ``python runner.py REQUEST.json ANSWER.json``.

Started by :mod:`benchmarks.peers.processes` with the interpreter of the engine's environment. The process keeps to the
cores it is given, and both engines get an untimed fit of a tiny problem first: libraries, threads and compiled code
are there before the clock starts. What that took is part of the answer.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

REQUEST = json.loads(Path(sys.argv[1]).read_text()) if __name__ == "__main__" else {}
if REQUEST and hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, REQUEST["cores"])  # before numpy counts the cores

import numpy as np  # noqa: E402
from measuring import measure, versions  # type: ignore[import-not-found]  # noqa: E402

Answer = dict[str, Any]
STOP_AT_ONCE = 1e30


def warm_up(engine: ModuleType) -> float:
    """Fit and score a tiny problem; return the seconds it took."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), np.repeat([0, 1], 30)
    start = time.perf_counter()
    model = engine.make_model(n_iter=1, random_state=0)
    model.fit(X, y)
    model.predict_proba(X)
    return time.perf_counter() - start


def log_loss(probabilities: np.ndarray, y: np.ndarray) -> float:
    """Mean negative log-likelihood of the true classes, which are 0 to K - 1."""
    true = np.asarray(probabilities, dtype=np.float64)[np.arange(y.shape[0]), y]
    return float(-np.log(np.maximum(true, np.finfo(np.float32).tiny)).mean())


def fit(engine: ModuleType, arrays: Any, *, parameters: Answer) -> Answer:
    """Fit training data and score test data; only the fit is measured."""
    X, y, X_test, y_test = (arrays[name] for name in ("X", "y", "X_test", "y_test"))
    model = engine.make_model(**parameters)
    measured = measure(lambda: model.fit(X, y))
    return {**measured, **engine.account(model), "log_loss": log_loss(model.predict_proba(X_test), y_test)}


class TimeIsUpError(Exception):
    """Ends a fit that has had its time."""


def long_fit(engine: ModuleType, arrays: Any, *, parameters: Answer, minutes: float) -> Answer:
    """Fit for at most that many minutes and score test data; for engines that report progress."""
    X, y = arrays["X"], arrays["y"]
    model = engine.make_model(**parameters)
    seen: list[float] = []
    limit = time.perf_counter() + 60.0 * minutes

    def watch(progress: Any) -> None:
        seen.append(progress.objective)
        if time.perf_counter() > limit:
            raise TimeIsUpError

    def work() -> None:
        with contextlib.suppress(TimeIsUpError):
            model.fit(X, y, progress=watch)

    measured = measure(work)
    finished = hasattr(model, "set_manager_")
    ended = engine.account(model) if finished else None
    return {
        **measured,
        "evaluations": len(seen),
        "first_objective": seen[0],
        # Of very many rows some come first, whose objective is another one.
        "objective": ended["objective"][0] if ended else min(seen),
        "stop": ended["stops"][0] if ended else f"ended after {minutes:g} minutes",
        "log_loss": log_loss(model.predict_proba(arrays["X_test"]), arrays["y_test"]) if finished else None,
    }


def evaluate(engine: ModuleType, arrays: Any, *, parameters: Answer, repeats: int) -> Answer:
    """Time single evaluations of the objective; for engines that offer it."""
    seconds = engine.time_evaluations(arrays["X"], arrays["y"], repeats=repeats, **parameters)
    return {"median_seconds": float(np.median(seconds)), "each": seconds}


def score(engine: ModuleType, arrays: Any) -> Answer:
    """Score rows with given prototypes; the answer holds the first rows' probabilities for comparison."""
    names = ("prototypes", "target", "feature_weights", "prototype_weights", "sample_index")
    batch, X = {name: arrays[name] for name in names}, arrays["X"]
    model = engine.make_model(n_iter=0, random_state=0)
    model.fit(batch["prototypes"], batch["target"])
    engine.add_batch(model, batch)
    first = np.asarray(model.predict_proba(X[:100]), dtype=np.float64)
    measured = measure(lambda: model.predict_proba(X))
    return {**measured, "probabilities": first.tolist()}


def search(engine: ModuleType, arrays: Any, *, parameters: Answer) -> Answer:
    """Choose hyperparameters by cross-validation, refit, and score test data; search and refit are measured."""
    X, y, X_test, y_test = (arrays[name] for name in ("X", "y", "X_test", "y_test"))
    found: list[Any] = []
    measured = measure(lambda: found.append(engine.search(X, y, **parameters)))
    result = found[0]
    predict = result["model"].predict_proba if isinstance(result, dict) else result.predict_proba
    return {**measured, **engine.searched(result), "log_loss": log_loss(predict(X_test), y_test)}


def candidates(engine: ModuleType, arrays: Any, *, parameters: Answer, output: str) -> Answer:
    """Find the candidates of the first batch and where its solver ends, and store both.

    A solver tolerance beyond all bounds ends a fit after one step, when every candidate still has a positive weight and
    is therefore stored as a prototype. The same seed draws the same candidates in a proper fit.
    """
    X, y = arrays["X"], arrays["y"]
    early = engine.make_model(**{**parameters, "solver_factr": STOP_AT_ONCE})
    early.fit(X, y)
    drawn = engine.first_batch(early)["sample_index"]
    model = engine.make_model(**parameters)
    measured = measure(lambda: model.fit(X, y))
    np.savez(output, candidates=drawn, **engine.first_batch(model))
    return {**measured, **engine.account(model)}


TASKS: dict[str, Callable[..., Answer]] = {
    "fit": fit,
    "long_fit": long_fit,
    "evaluate": evaluate,
    "score": score,
    "search": search,
    "candidates": candidates,
}


def main() -> None:
    """Answer one request."""
    start = time.perf_counter()
    engine = importlib.import_module(REQUEST["engine"])
    answer: Answer = {"import_seconds": time.perf_counter() - start, "warm_up_seconds": warm_up(engine)}
    with np.load(REQUEST["arrays"]) as stored:
        arrays = {name: stored[name] for name in stored.files}
    answer |= TASKS[REQUEST["task"]](engine, arrays, **REQUEST["options"])
    answer["versions"] = versions(engine.PACKAGES)
    Path(sys.argv[2]).write_text(json.dumps(answer))


if __name__ == "__main__":
    main()
