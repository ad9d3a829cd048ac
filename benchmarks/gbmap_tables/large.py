"""The paper's large made data, 200,000 x 200: one split, one setting, its length by a held-out fifth."""

from __future__ import annotations

from typing import Any

import numpy as np
import xgboost
from sklearn.linear_model import LinearRegression, LogisticRegression

from benchmarks.cells import Cell
from benchmarks.gbmap_tables.columns import half
from benchmarks.gbmap_tables.mapping import at, fitted, stages
from benchmarks.gbmap_tables.sets import Kind, TableSet, cosines
from benchmarks.gbmap_tables.splits import Part, losses, score

ROWS, COLUMNS = 200_000, 200
KNN_ROWS, KNN_COLUMNS = 10_000, 20
KINDS: dict[str, Kind] = {"synth-cos-r": "regression", "synth-cos-c": "classification"}
SETTING: dict[str, Any] = {"beta": 5.0, "ridge": 1e-2, "max_iter": 200, "precision": "single"}
MOST = 60  # the paper's range goes to 150
TREES = {"max_depth": 6, "learning_rate": 0.1, "nthread": 1, "seed": 0}
N_TREES = 100


def drawn(name: str, seed: int) -> TableSet:
    """Draw the small set, which the columns of nearest neighbours are made of."""
    return cosines(KINDS[name], KNN_ROWS, KNN_COLUMNS, seed)


def measure_large(name: str) -> Cell:
    """Judge gbmap, a straight line and XGBoost on the large set."""
    part = half(cosines(KINDS[name], ROWS, COLUMNS, 0), 0)
    shape = {"rows": ROWS, "columns": COLUMNS}
    return {**shape, "gbmap": _mapping(part), "linear": _line(part), "xgboost": _trees(part)}


def _mapping(part: Part) -> dict[str, Any]:
    """Fit four fifths of the training rows; the rest chooses the length."""
    n = len(part.y) * 4 // 5
    inner = part.inner(np.arange(n), np.arange(n, len(part.y)))
    model = fitted(inner, MOST, 0, **SETTING)
    path = stages(model, inner.X_test)
    best = min(range(1, MOST + 1), key=lambda m: float(losses(part.kind, inner.y_test, at(path, m)).mean()))
    scaled = Part(part.kind, part.X[:n], part.y[:n], part.X_test, part.y_test).scaled()
    return {"score": score(part.kind, scaled.y_test, at(stages(model, scaled.X_test), best)), "m": best}


def _line(part: Part) -> dict[str, Any]:
    """Least squares or logistic regression."""
    if part.kind == "regression":
        f = LinearRegression().fit(part.X, part.y).predict(part.X_test)
    else:
        f = LogisticRegression(max_iter=200).fit(part.X, part.y).decision_function(part.X_test)
    return {"score": score(part.kind, part.y_test, f)}


def _trees(part: Part) -> dict[str, Any]:
    """XGBoost with one setting."""
    classes = part.kind == "classification"
    label = (part.y + 1.0) / 2.0 if classes else part.y
    task = {"objective": "binary:logistic" if classes else "reg:squarederror"}
    model = xgboost.train({**TREES, **task}, xgboost.DMatrix(part.X, label=label), N_TREES)
    return {"score": score(part.kind, part.y_test, model.predict(xgboost.DMatrix(part.X_test), output_margin=True))}
