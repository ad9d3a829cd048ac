"""How far the iteration comes with different steps, on one set."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from time import process_time
from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler

from benchmarks.tables import table
from proset.companions.smp import SMPClassifier

SET = "prnn_synth"
ITERATIONS = (1, 50, 200, 1000, 5000)
WAYS: Mapping[str, dict[str, Any]] = {
    "Chambolle and Pock, the paper's steps": {"solver": "chambolle-pock", "step": "paper"},
    "Chambolle and Pock, tight steps": {"solver": "chambolle-pock"},
    "steps with momentum": {},
}


def measure_steps(X: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """Return the objective after some numbers of iterations, by way, the bounds of the gradient's change, the time."""
    begun, X = process_time(), StandardScaler().fit_transform(X)
    found: dict[str, Any] = {"objective": {}, "smoothness": {}}
    for name, parameters in WAYS.items():
        values = []
        for n in ITERATIONS:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # the limit of iterations is the point
                model = SMPClassifier(max_iter=n, tol=0.0, **parameters).fit(X, y)
            values.append(float(model.objective_history_[-1]))
        found["objective"][name], found["smoothness"][name] = values, model.L_f_
    return {**found, "seconds": process_time() - begun}


def lines(cell: Mapping[str, Any]) -> Sequence[str]:
    """Return the table, and what the bounds are."""
    names = list(WAYS)
    paper, tight = (cell["smoothness"][name] for name in names[:2])
    rows = [[name, *(_digits(value) for value in cell["objective"][name])] for name in names]
    return [
        f"Objective on `{SET}` (all rows, two prototypes per class, lambda 0.01, mu 0.001, the smoothed loss) after so "
        f"many iterations. The paper bounds the change of the gradient by {paper:.1f}, ours by {tight:.3f}.",
        "",
        *table(["", *(f"{n:,}" for n in ITERATIONS)], rows),
    ]


def _digits(value: float) -> str:
    """Write an objective with five decimals."""
    return "–" if math.isnan(value) else f"{value:.5f}"
