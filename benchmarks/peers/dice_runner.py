"""Asks dice-ml for counterfactuals in a process of its own: ``python dice_runner.py REQUEST.json ANSWER.json``.

The model is ours, handed over as arrays and scored here by plain sums over its prototypes; dice-ml sees nothing but
``predict_proba``. It gets the columns that the model uses, and no others.
"""

# mypy: ignore-errors
# Runs in an environment that has dice-ml and not our package.

from __future__ import annotations

import json
import signal
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

TARGET = "outcome"
SEED = 0


class TooLongError(Exception):
    """A case that took longer than allowed."""


class PrototypeModel:
    """Our model as others see one: ``predict`` and ``predict_proba`` on the user's columns."""

    def __init__(self, features: list[dict[str, Any]], arrays: Any) -> None:
        self.features, self.arrays = features, arrays

    def matrix(self, frame: pd.DataFrame) -> np.ndarray:
        """Turn columns into the matrix."""
        X = np.zeros((len(frame), int(self.arrays["width"])), dtype=np.float32)
        for feature in self.features:
            cells, columns = frame[feature["name"]], feature["columns"]
            if feature["kind"] == "number":
                X[:, columns[0]] = (cells.to_numpy(dtype=float) - feature["offset"]) / feature["scale"]
                continue
            codes = pd.Index(feature["slots"]).get_indexer(pd.Index(cells.astype(str)))
            if len(columns) == 1:
                X[:, columns[0]] = codes
            else:
                X[np.arange(len(X)), np.array(columns)[codes]] = 1.0
        return X

    def impacts(self, frame: pd.DataFrame) -> np.ndarray:
        """Sum the kernels of each class."""
        X = self.matrix(frame).astype(np.float64)
        total = np.zeros((len(X), len(self.arrays["marginals"])))
        for n in range(int(self.arrays["n_batches"])):
            active, weights = self.arrays[f"active_{n}"], self.arrays[f"feature_weights_{n}"]
            points = self.arrays[f"prototypes_{n}"] * weights
            rows = X[:, active] * weights
            square = np.square(rows[:, None, :] - points[None]).sum(axis=2)
            kernel = np.exp(-0.5 * square) * self.arrays[f"weights_{n}"]
            np.add.at(total.T, self.arrays[f"target_{n}"], kernel.T)
        return total

    def predict_proba(self, frame: pd.DataFrame) -> np.ndarray:
        """Return the probabilities of the classes."""
        total = self.impacts(frame) + self.arrays["marginals"]
        return total / total.sum(axis=1, keepdims=True)

    def predict(self, frame: pd.DataFrame) -> np.ndarray:
        """Return the places of the most probable classes."""
        return self.predict_proba(frame).argmax(axis=1)


def ask(explainer: Any, query: pd.DataFrame, wish: int, method: str, n_answers: int) -> pd.DataFrame | None:
    """Return what one method finds for a case."""
    more = {"random_seed": SEED} if method == "random" else {}
    found = explainer.generate_counterfactuals(
        query, total_CFs=n_answers, desired_class=wish, verbose=False, **more
    ).cf_examples_list[0]
    return found.final_cfs_df


def answer(model: PrototypeModel, query: pd.DataFrame, found: pd.DataFrame | None, wish: int) -> dict[str, Any]:
    """Say how many columns the valid answers change, and how familiar they are."""
    if found is None or not len(found):
        return {"changed": None}
    names = [feature["name"] for feature in model.features]
    frame = found[names].reset_index(drop=True)
    own = query.iloc[0]
    changed = np.zeros(len(frame), dtype=int)
    for feature in model.features:
        cells = frame[feature["name"]]
        if feature["kind"] == "number":
            frame[feature["name"]] = cells = cells.astype(float)
            step = 0.5 * 10.0 ** -feature["decimals"]
            changed += (np.abs(cells - float(own[feature["name"]])) > step).to_numpy().astype(int)
        else:
            changed += (cells.astype(str) != str(own[feature["name"]])).to_numpy().astype(int)
    valid = (model.predict(frame) == wish) & (changed > 0)
    familiarity = model.impacts(frame).sum(axis=1)
    pairs = [[int(count), float(total)] for count, total in zip(changed[valid], familiarity[valid], strict=True)]
    return {"changed": min((count for count, _ in pairs), default=None), "answers": pairs}


def stop(*_: Any) -> None:
    """End a case that takes too long."""
    raise TooLongError


def main() -> None:
    """Answer one request."""
    import dice_ml

    request = json.loads(Path(sys.argv[1]).read_text())
    options = request["options"]
    with np.load(request["arrays"]) as stored:
        arrays = {name: stored[name] for name in stored.files}
    model = PrototypeModel(options["features"], arrays)
    frame = pd.read_json(Path(options["table"]), orient="split", dtype=False)
    for feature in options["features"]:
        kind = float if feature["kind"] == "number" else str
        frame[feature["name"]] = frame[feature["name"]].astype(kind).astype(kind if kind is float else object)
    cases = frame.loc[options["rows"]].drop(columns=TARGET)
    train = frame.drop(index=options["rows"])
    numbers = [feature["name"] for feature in options["features"] if feature["kind"] == "number"]
    precision = {feature["name"]: feature["decimals"] for feature in options["features"] if feature["name"] in numbers}
    data = dice_ml.Data(
        dataframe=train, continuous_features=numbers, outcome_name=TARGET, continuous_features_precision=precision
    )
    wrapped = dice_ml.Model(model=model, backend="sklearn", model_type="classifier")
    signal.signal(signal.SIGPROF, stop)
    gap = float(np.abs(model.predict_proba(cases) - np.array(options["probabilities"])).max())
    answers: dict[str, list[dict[str, Any]]] = {}
    for method in options["methods"]:
        answers[method] = []
        explainer = None
        for row, wish in zip(options["rows"], options["wishes"], strict=True):
            query, start = cases.loc[[row]], time.process_time()
            np.random.seed(SEED)  # noqa: NPY002 - genetic takes no seed
            try:
                signal.setitimer(signal.ITIMER_PROF, options["limit"])
                explainer = explainer or dice_ml.Dice(data, wrapped, method=method)
                one = answer(model, query, ask(explainer, query, wish, method, options["n_answers"]), wish)
            except TooLongError:
                one = {"changed": None, "failed": "time"}
            except Exception as error:  # another's package: whatever it raises is an answer that is missing
                one = {"changed": None, "failed": f"{type(error).__name__}: {error}"[:200]}
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0.0)
            answers[method].append({**one, "seconds": time.process_time() - start})
    version = __import__("importlib.metadata").metadata.version("dice-ml")
    Path(sys.argv[2]).write_text(json.dumps({"gap": gap, "answers": answers, "version": version}))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
