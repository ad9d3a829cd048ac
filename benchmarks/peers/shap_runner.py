"""Explains rows in a process of its own: ``python shap_runner.py REQUEST.json ANSWER.json``.

Either engine gets the same prototypes. The published package is asked by the shap package, which sees nothing but its
``predict_proba``; ours computes the values itself. What either needs once, libraries and compiled code, is there before
the clock starts.
"""

# mypy: ignore-errors
# Runs in the environment of either engine; shap is in one of them.

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

REQUEST = json.loads(Path(sys.argv[1]).read_text()) if __name__ == "__main__" else {}
if REQUEST and hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, REQUEST["cores"])  # before numpy counts the cores

import numpy as np  # noqa: E402
from measuring import measure, versions  # noqa: E402

NAMES = ("prototypes", "target", "feature_weights", "prototype_weights", "sample_index")


def model_of(engine: ModuleType, arrays: Any) -> Any:
    """Put the given batches into a model without any."""
    model = engine.make_model(n_iter=0, random_state=0)
    model.fit(arrays["X"], arrays["y"])
    for number in range(int(arrays["n_batches"])):
        engine.add_batch(model, {name: arrays[f"{name}_{number}"] for name in NAMES})
    return model


def by_shap(model: Any, rows: np.ndarray, reference: np.ndarray, *, method: str, evaluations: int) -> Any:
    """Explain rows with the shap package; return the values and how many masked rows were scored."""
    import shap

    scored = [0]

    def predict(X: np.ndarray) -> np.ndarray:
        scored[0] += len(X)
        return model.predict_proba(X)

    masker = shap.maskers.Independent(reference[None], max_samples=1)
    if method == "exact":
        values = shap.explainers.Exact(predict, masker)(rows, max_evals=1 << 20, silent=True).values
    else:
        explainer = shap.explainers.Permutation(predict, masker, seed=0)
        values = explainer(rows, max_evals=evaluations, silent=True).values
    return values, scored[0]


def by_structure(model: Any, rows: np.ndarray, reference: np.ndarray, *, method: str, evaluations: int) -> Any:
    """Explain rows with our engine."""
    from proset import explain

    exact_up_to = 20 if method == "exact" else 0
    found = explain.shap_values(model, rows, reference, exact_up_to=exact_up_to, max_evaluations=evaluations)
    return found.values, int(found.evaluations.sum())


def main() -> None:
    """Answer one request."""
    engine = importlib.import_module(REQUEST["engine"])
    with np.load(REQUEST["arrays"]) as stored:
        arrays = {name: stored[name] for name in stored.files}
    options = REQUEST["options"]
    output, repeats = options.pop("output"), options.pop("repeats")
    model, rows, reference = model_of(engine, arrays), arrays["rows"], arrays["reference"]
    work = by_shap if REQUEST["engine"] == "published" else by_structure
    work(model, rows[:1], reference, **options)
    found: list[Any] = []
    each = [measure(lambda: found.append(work(model, rows, reference, **options))) for _ in range(repeats)]
    values, scored = found[-1]
    np.savez(output, values=values, probabilities=model.predict_proba(rows))
    seconds = sorted(one["seconds"] for one in each)  # the fastest: other work on the machine only makes it slower
    packages = (*engine.PACKAGES, "shap") if REQUEST["engine"] == "published" else engine.PACKAGES
    answer = {"seconds": seconds[0], "each": seconds, "evaluations": scored}
    Path(sys.argv[2]).write_text(json.dumps({**answer, "versions": versions(packages)}))


if __name__ == "__main__":
    main()
