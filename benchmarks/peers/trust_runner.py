"""Explains one model three ways and measures how far each can be trusted: ``python trust_runner.py REQUEST ANSWER``.

Runs in the environment of LIME and KernelSHAP. All three see the same model; what each needs once, libraries and
compiled code, is there before the clock starts.
"""

# mypy: ignore-errors
# shap and lime are not in our environment.

from __future__ import annotations

import json
import os
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

REQUEST = json.loads(Path(sys.argv[1]).read_text()) if __name__ == "__main__" else {}
if REQUEST and hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, REQUEST["cores"])  # before numpy counts the cores

import numpy as np  # noqa: E402
from measuring import versions  # noqa: E402

PACKAGES = ("numpy", "scikit-learn", "shap", "lime")
NOISE = 0.5  # of the values that are changed, in standard deviations of a column
DRAWS = 200
NEARBY = 0.05  # how far a second case is that should be explained alike, in the same unit
N_NEARBY = 5

Explain = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""Rows and a class for each -> for each row a number for each column."""


def ours(model: Any, reference: np.ndarray) -> Explain:
    """Shapley values from the structure of the model, exact where that is cheaper."""
    from proset import explain

    return lambda rows, k: explain.shap_values(model, rows, reference).values[np.arange(len(rows)), :, k]


def kernel_shap(model: Any, reference: np.ndarray) -> Explain:
    """Shapley values by KernelSHAP with its own defaults, against the same reference."""
    import shap

    explainer = shap.KernelExplainer(model.predict_proba, reference[None])
    return lambda rows, k: np.asarray(explainer.shap_values(rows, silent=True))[np.arange(len(rows)), :, k]


def lime(model: Any, X: np.ndarray) -> Explain:
    """Weights of LIME with its own defaults, but for all columns."""
    from lime.lime_tabular import LimeTabularExplainer

    explainer = LimeTabularExplainer(X, mode="classification", discretize_continuous=False, random_state=0)

    def weights(x: np.ndarray, k: int) -> list[float]:
        found = explainer.explain_instance(x, model.predict_proba, labels=(k,), num_features=X.shape[1])
        of_column = dict(found.as_map()[k])
        return [of_column.get(d, 0.0) for d in range(X.shape[1])]

    return lambda rows, classes: np.array([weights(x, k) for x, k in zip(rows, classes.tolist(), strict=True)])


def judged(explain: Explain, model: Any, rows: np.ndarray, n_top: int, relevant: list[int] | None) -> dict[str, Any]:
    """Explain each row and rows beside it.

    Returns
    -------
    dict
        ``seconds`` per row where all are explained in one call; ``found``, the share of rows whose `relevant` columns,
        all of them, stand on top; ``gap_top``, ``gap_rest``: the mean change of the estimate when the `n_top` columns
        that the explanation calls most important, or all others, are changed by chance; ``unstable``, the median over
        rows of the largest relative change of the explanation beside a relative change of the row.
    """
    rng = np.random.default_rng(0)
    classes = model.predict_proba(rows).argmax(axis=1)
    explain(rows[:1], classes[:1])
    begun = time.perf_counter()
    explained = explain(rows, classes)
    seconds = (time.perf_counter() - begun) / len(rows)
    found, top_gaps, rest_gaps, unstable = [], [], [], []
    for x, k, values in zip(rows, classes.tolist(), explained, strict=True):
        order = np.argsort(-np.abs(values), kind="stable")
        if relevant is not None:
            found.append(set(order[: len(relevant)].tolist()) == set(relevant))
        top_gaps.append(_gap(model, x, k, order[:n_top], rng))
        rest_gaps.append(_gap(model, x, k, order[n_top:], rng))
        unstable.append(_instability(explain, model, x, k, values, rng))
    return {
        "seconds": seconds,
        "found": float(np.mean(found)) if found else None,
        "gap_top": float(np.mean(top_gaps)),
        "gap_rest": float(np.mean(rest_gaps)),
        "unstable": float(np.median(unstable)),
    }


def _gap(model: Any, x: np.ndarray, k: int, columns: np.ndarray, rng: np.random.Generator) -> float:
    """Mean change of the estimate when some columns are changed by chance."""
    changed = np.repeat(x[None], DRAWS, axis=0)
    changed[:, columns] += rng.normal(0.0, NOISE, (DRAWS, len(columns)))
    return float(np.abs(model.predict_proba(changed)[:, k] - model.predict_proba(x[None])[0, k]).mean())


def _instability(
    explain: Explain, model: Any, x: np.ndarray, k: int, values: np.ndarray, rng: np.random.Generator
) -> float:
    """Largest relative change of the explanation beside that of the case, over cases nearby of the same answer."""
    beside = x + rng.normal(0.0, NEARBY, (N_NEARBY, len(x)))
    beside = beside[model.predict_proba(beside).argmax(axis=1) == k]
    size, length = max(float(np.linalg.norm(values)), 1e-12), float(np.linalg.norm(x))
    if not len(beside):
        return 0.0
    changes = np.linalg.norm(explain(beside, np.full(len(beside), k)) - values, axis=1) / size
    return float((changes * length / np.linalg.norm(beside - x, axis=1)).max())


def foreseen(model: Any, X: np.ndarray, y: np.ndarray, rows: np.ndarray) -> dict[str, Any]:
    """Let readers who know only what reports show foresee the answers of the model.

    Returns
    -------
    dict
        Shares of cases in which the answer is foreseen: ``own`` by the five members of the case's own dominant set that
        are most alike, one voice each; ``neighbours`` and ``rules`` by five neighbours and by a tree of depth three,
        learned from the prototypes in the dominant sets of one half of the cases, asked for the other half;
        ``random`` by five neighbours among as many training rows drawn by chance; ``majority`` by the most frequent
        answer. ``n_shown`` prototypes are what the readers learn from, ``n_own`` what one report shows (median).
    """
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    from proset.engine.evidence.dominant_sets import dominant_sets
    from proset.engine.evidence.impacts import impacts

    manager = model.set_manager_
    parts, answers = impacts(manager, rows), model.predict_proba(rows).argmax(axis=1)
    shown = dominant_sets(parts.impact, parts.target, manager.marginals)
    own = [_five_voices(parts.similarity[i], parts.target, shown[i], manager.marginals) for i in range(len(rows))]
    first, second = np.arange(0, len(rows), 2), np.arange(1, len(rows), 2)
    seen = np.flatnonzero(shown[first].any(axis=0))
    used = manager.get_active_features()
    prototypes, classes = X[parts.sample_index[seen]][:, used], parts.target[seen]
    drawn = np.random.default_rng(0).choice(len(X), min(len(seen), len(X)), replace=False)

    def share(reader: Any, samples: np.ndarray, labels: np.ndarray, columns: Any) -> float:
        return float((reader.fit(samples, labels).predict(rows[second][:, columns]) == answers[second]).mean())

    five = min(5, len(seen))
    return {
        "own": float((np.array(own) == answers).mean()),
        "neighbours": share(KNeighborsClassifier(five), prototypes, classes, used),
        "rules": share(DecisionTreeClassifier(max_depth=3, random_state=0), prototypes, classes, used),
        "random": share(KNeighborsClassifier(five), X[drawn], y[drawn], slice(None)),
        "majority": float(np.bincount(answers[second]).max() / len(second)),
        "n_shown": len(seen),
        "n_own": float(np.median(shown.sum(axis=1))),
    }


def _five_voices(similarity: np.ndarray, target: np.ndarray, shown: np.ndarray, marginals: np.ndarray) -> int:
    """Class of most of the five most similar prototypes that are shown; of a tie, the one of the most similar."""
    nearest = np.flatnonzero(shown)[np.argsort(-similarity[shown], kind="stable")][:5]
    if not len(nearest):
        return int(np.argmax(marginals))
    counts = np.bincount(target[nearest])
    return int(next(k for k in target[nearest] if counts[k] == counts.max()))


def main() -> None:
    """Answer one request."""
    from proset import ClassifierModel, explain

    warnings.simplefilter("ignore")  # of libraries, about each other
    with np.load(REQUEST["arrays"]) as stored:
        X, y, rows = stored["X"], stored["y"], stored["rows"]
    options = REQUEST["options"]
    model = ClassifierModel(**options["settings"], random_state=0).fit(X, y)
    reference = explain.choose_reference_point(model, X).x
    ways = {"ours": ours(model, reference), "KernelSHAP": kernel_shap(model, reference), "LIME": lime(model, X)}
    some = rows[: options["n_explained"]]
    n_top = max(1, int(np.ceil(options["share_top"] * X.shape[1])))
    begun = time.perf_counter()
    answer = {
        "n_columns": X.shape[1],
        "n_used": len(model.set_manager_.get_active_features()),
        "n_prototypes": sum(len(batch) for batch in model.set_manager_.batches if batch is not None),
        "ways": {name: judged(way, model, some, n_top, options["relevant"]) for name, way in ways.items()},
        "foreseen": foreseen(model, X, y, rows),
    }
    answer |= {"seconds": time.perf_counter() - begun, "versions": versions(PACKAGES)}
    Path(sys.argv[2]).write_text(json.dumps(answer))


if __name__ == "__main__":
    main()
