"""Table 5: a straight line on the first m coordinates of the embedding."""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import LinearRegression, LogisticRegression

from benchmarks.cells import Cell
from benchmarks.gbmap_tables.columns import half
from benchmarks.gbmap_tables.mapping import fitted
from benchmarks.gbmap_tables.sets import TableSet
from benchmarks.gbmap_tables.splits import score

SETS = ("concrete", "cpu-small", "higgs-10k", "eeg-eye-state", "eeg-eye-state, scaled as a whole")
LENGTHS = (2, 8, 12, 16, 32)
BETAS = (1.0, 5.0)  # the paper does not say which: its program's default, and that of its drift study
PARAMETERS = {"ridge": 1e-3, "max_iter": 400}


def measure_coordinates(table: TableSet, seed: int) -> Cell:
    """Fit once for each beta, then a line on the first coordinates."""
    part, answer = half(table, seed), {}
    for beta in BETAS:
        model = fitted(part, max(LENGTHS), seed, beta=beta, **PARAMETERS)
        phi, phi_test = model.transform(part.X), model.transform(part.X_test)
        for m in LENGTHS:
            if part.kind == "regression":
                f = LinearRegression().fit(phi[:, :m], part.y).predict(phi_test[:, :m])
            else:
                line = LogisticRegression(C=np.inf, max_iter=1_000).fit(phi[:, :m], part.y)
                f = line.decision_function(phi_test[:, :m])
            answer[f"{beta:g}/{m}"] = score(part.kind, part.y_test, f)
    return answer
