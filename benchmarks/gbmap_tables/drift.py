"""The drift columns of table 4: how well gbmap's indicator, and a Euclidean distance, warn of large losses.

For each column of the table the rows are sorted by it and halved; the model learns one half of the first half without
that column, and the column counts with which the loss grows most from the rest of the first half to the second. What
is to be warned of are losses above the 95 % quantile of those on the rest of the first half.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import StandardScaler

from benchmarks.cells import Cell
from benchmarks.gbmap_tables.mapping import fitted
from benchmarks.gbmap_tables.sets import Kind, TableSet
from benchmarks.gbmap_tables.splits import Part

STAGES, NEIGHBOURS = 20, 5
PARAMETERS = {"beta": 5.0, "ridge": 1e-3, "max_iter": 200}
QUANTILE = 0.95
REPEATS = 5
# The first is what stands beside the published areas.
LOSSES: dict[Kind, tuple[str, ...]] = {
    "regression": ("squared error",),
    "classification": ("logistic loss", "squared distance to a logistic regression"),
}


@dataclass(frozen=True)
class Shift:
    """A model of the low half of one column, and the rows that it is asked about.

    Attributes
    ----------
    column : int
        The column that was sorted by and left out.
    part : Part
        Training rows; the test rows are the rest of the low half, then the high half.
    n_same : int
        How many of the test rows are of the low half.
    model : object
        Fitted.
    losses : dict of str to ndarray
        Losses of the test rows, by the name of the loss.
    """

    column: int
    part: Part
    n_same: int
    model: Any
    losses: dict[str, np.ndarray]

    def growth(self, loss: str) -> float:
        """How much larger the loss is in the high half."""
        values = self.losses[loss]
        return float(values[self.n_same :].mean() - values[: self.n_same].mean())


def measure_drift(table: TableSet, seed: int) -> Cell:
    """Take the column with the largest drift, for each loss, and judge both numbers that could warn of it."""
    worst: dict[str, Shift] = {}
    for shift in shifts(table, seed):
        for loss in LOSSES[table.kind]:
            if loss not in worst or shift.growth(loss) > worst[loss].growth(loss):
                worst[loss] = shift
    return {loss: _judged(shift, loss) for loss, shift in worst.items()}


def shifts(table: TableSet, seed: int) -> Iterator[Shift]:
    """Yield a model for each column."""
    guide = _logistic_scores(table) if table.kind == "classification" else None
    rng = np.random.default_rng([seed, 3])
    for column in range(len(table.columns)):
        low, high = halves_by(table.order[:, column], rng)
        low = rng.permutation(low)
        train, same = low[: len(low) // 2], low[len(low) // 2 :]
        kept = np.setdiff1d(np.arange(table.X.shape[1]), table.columns[column])
        test = np.concatenate([same, high])
        part = Part.of(table, train, test, kept)
        model = fitted(part, STAGES, seed, **PARAMETERS)
        f = model.transform(part.X_test).sum(axis=1)
        yield Shift(column, part, len(same), model, _losses(part, f, None if guide is None else guide[test]))


def halves_by(values: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows with low values and those with high ones; equal values fall by chance.

    Examples
    --------
    >>> halves_by(np.array([3.0, 1.0, 2.0, 4.0]), np.random.default_rng(0))
    (array([1, 2]), array([0, 3]))
    """
    order = np.lexsort((rng.random(len(values)), values))
    return order[: len(values) // 2], order[len(values) // 2 :]


def _logistic_scores(table: TableSet) -> np.ndarray:
    """Scores of a logistic regression fitted to all rows and columns."""
    X = StandardScaler().fit_transform(table.X)
    scores: np.ndarray = LogisticRegression(max_iter=1_000).fit(X, table.y).decision_function(X)
    return scores


def _losses(part: Part, f: np.ndarray, guide: np.ndarray | None) -> dict[str, np.ndarray]:
    """Losses of the test rows, by name."""
    if guide is None:
        return {"squared error": (part.y_test - f) ** 2}
    first, second = LOSSES["classification"]
    return {first: np.logaddexp(0.0, -part.y_test * f), second: (guide - f) ** 2}


def _judged(shift: Shift, loss: str) -> Cell:
    """Area under the ROC curve of both numbers."""
    values, part = shift.losses[loss], shift.part
    large = values > np.quantile(values[: shift.n_same], QUANTILE)
    search = NearestNeighbors(n_neighbors=NEIGHBOURS).fit(part.X)
    far = search.kneighbors(part.X_test)[0][:, -1]
    warns = shift.model.drift_indicator(part.X_test, n_neighbors=NEIGHBOURS)
    return {
        "column": shift.column,
        "growth": shift.growth(loss),
        "large": float(large.mean()),
        "gbmap": float(roc_auc_score(large, warns)),
        "euclid": float(roc_auc_score(large, far)),
    }
