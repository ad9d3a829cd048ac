"""One cell of the study: split, search, refit, and scores on the rows left out."""

from __future__ import annotations

import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from benchmarks.report_tables.cells import Cell
from proset import ClassifierModel
from proset.engine.metrics import evaluate
from proset.reference_models import XgbPlan, fit_knn_classifier, fit_xgb_classifier
from proset.selection import SearchPlan, SearchResult, select_hyperparameters
from proset.selection.rules import SettingChoice

Values = dict[str, float]
FloatArray = NDArray[np.float64]
BOTH = {"lambda_v": (1e-6, 1e-1), "lambda_w": (1e-9, 1e-4)}
PENALTIES: dict[str, dict[str, Any]] = {
    "pairs": BOTH,
    "grid": {"lambda_v": (1e-6, 1e-1), "lambda_w": 1e-8},
    "fixed": {"lambda_v": 1e-3, "lambda_w": 1e-8},
}
"""Ranges or values of the penalties, as the report has them."""


@dataclass(frozen=True, eq=False)
class Parts:
    """A problem's rows, 70 % to train and 30 % to test, stratified by class."""

    X_train: FloatArray
    X_test: FloatArray
    y_train: NDArray[np.int64]
    y_test: NDArray[np.int64]

    @classmethod
    def of(cls, cell: Cell) -> Parts:
        """Load and split the cell's problem."""
        X, y = cell.problem.load(cell.seed)
        return cls(*train_test_split(X, y, test_size=0.3, stratify=y, random_state=cell.seed))

    def facts(self) -> Values:
        """Return the sizes, in the report's words."""
        n_train, n_test = len(self.y_train), len(self.y_test)
        return {
            "data.classes": len(np.unique(self.y_train)),
            "data.features": self.X_train.shape[1],
            "data.samples": n_train + n_test,
            "data.train_samples": n_train,
            "data.test_samples": n_test,
        }

    def scores(self, estimates: FloatArray) -> Values:
        """Return the scores of estimates for the test rows, and the log-loss of the class shares for comparison."""
        shares = np.bincount(self.y_train) / len(self.y_train)
        names = [str(label) for label in range(len(shares))]
        metrics = evaluate(self.y_test, estimates, classes=names, marginals=shares)
        return {
            "test.log_loss": metrics.log_loss,
            "test.roc_auc": metrics.roc_auc,
            "test.balanced_accuracy": metrics.balanced_accuracy,
            "test.naive_log_loss": metrics.naive_log_loss,
        }


def run_cell(cell: Cell, *, n_jobs: int, optimal: dict[str, Any] | None = None) -> dict[str, Any]:
    """Run one cell.

    Parameters
    ----------
    cell : Cell
        What to run.
    n_jobs : int
        Threads or processes of the search.
    optimal : dict or None
        Values of the finished cell of E3 with the same problem and seed; needed for E4 only.

    Returns
    -------
    dict
        ``values`` by key, ``seconds`` of the search with the final fit, and ``warnings`` that the solver gave.
    """
    parts = Parts.of(cell)
    begun = time.perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        if cell.experiment.method == "knn":
            found = _knn(cell, parts)
        elif cell.experiment.method == "xgb":
            found = _xgb(cell, parts, n_jobs)
        elif optimal is not None:
            found = _optimal(cell, parts, optimal)
        else:
            found = _proset(cell, parts, n_jobs)
    return {
        "values": {key: _plain(value) for key, value in (parts.facts() | found).items()},
        "seconds": round(time.perf_counter() - begun, 2),
        "warnings": sorted({str(entry.message) for entry in caught}),
    }


def _plain(value: float) -> float:
    """Return a number as JSON has it, rounded to what is worth keeping."""
    return int(value) if isinstance(value, int | np.integer) else float(f"{value:.6g}")


def _knn(cell: Cell, parts: Parts) -> Values:
    """Values of a nearest-neighbour cell."""
    result = fit_knn_classifier(parts.X_train, parts.y_train, random_state=cell.seed)
    values = _stage("stage_1", result.table, result.choice, {"k": "k"})
    return values | {"test.active_features": parts.X_train.shape[1]} | parts.scores(result.predict_proba(parts.X_test))


def _stage(stage: str, table: pd.DataFrame, choice: SettingChoice, settings: Mapping[str, str]) -> Values:
    """Values of one stage of a search; `settings` maps our names to columns."""
    values = {f"{stage}.threshold": choice.threshold}
    for name, column in {**settings, "log_loss": "mean"}.items():
        tried = table[column].to_numpy()
        values |= {f"{stage}.optimal_{name}": tried[choice.optimal], f"{stage}.selected_{name}": tried[choice.chosen]}
    return values


def _xgb(cell: Cell, parts: Parts, n_jobs: int) -> Values:
    """Values of an XGBoost cell."""
    plan = XgbPlan(max_depth=cell.max_depth, random_state=cell.seed)
    result = fit_xgb_classifier(parts.X_train, parts.y_train, plan=plan, n_jobs=n_jobs)
    trees = {"max_depth": "max_depth", "colsample": "colsample", "subsample": "subsample"}
    values = _stage("stage_1", result.stage_1, result.choice_1, trees)
    values |= _stage("stage_2", result.stage_2, result.choice_2, {"iterations": "iterations"})
    values["test.active_features"] = len(result.active_features)
    return values | parts.scores(result.predict_proba(parts.X_test))


def _proset(cell: Cell, parts: Parts, n_jobs: int) -> Values:
    """Values of a cell that searches for penalties or batches."""
    plan = SearchPlan(**PENALTIES[cell.experiment.method], random_state=cell.seed, second_look=False)
    model = ClassifierModel(alpha_v=cell.experiment.alpha, alpha_w=cell.experiment.alpha, random_state=cell.seed)
    result = select_hyperparameters(model, parts.X_train, parts.y_train, plan=plan, n_jobs=n_jobs)
    estimates = result.predict_proba(parts.X_test)
    return _search_values(result) | _model_values(result.model) | parts.scores(estimates)


def _search_values(result: SearchResult) -> Values:
    """Values of both stages of a search."""
    record = result.record
    first, second = (
        SettingChoice(record.optimal(stage), record.chosen(stage), record.threshold(stage)) for stage in (1, 2)
    )
    values = _stage("stage_1", record.stage_1, first, {"lambda_v": "lambda_v", "lambda_w": "lambda_w"})
    assert record.stage_2 is not None, "a search that returned is complete"
    return values | _stage("stage_2", record.stage_2, second, {"batches": "n_batches"})


def _model_values(model: ClassifierModel) -> Values:
    """Size of the final model."""
    return {
        "data.candidates": max((batch.n_candidates for batch in model.batch_results_), default=0),
        "test.active_features": len(model.set_manager_.get_active_features()),
        "test.prototypes": model.set_manager_.get_num_prototypes(),
    }


def _optimal(cell: Cell, parts: Parts, of_e3: dict[str, Any]) -> Values:
    """Values of the model with the settings that were best in E3's search, where E3 takes sparser ones."""
    model = ClassifierModel(
        n_iter=of_e3["stage_2.optimal_batches"],
        lambda_v=of_e3["stage_1.optimal_lambda_v"],
        lambda_w=of_e3["stage_1.optimal_lambda_w"],
        alpha_v=cell.experiment.alpha,
        alpha_w=cell.experiment.alpha,
        random_state=cell.seed,
    )
    scaler = StandardScaler().fit(parts.X_train)
    model.fit(scaler.transform(parts.X_train), parts.y_train)
    search = {key: value for key, value in of_e3.items() if key.startswith("stage_") and "selected" not in key}
    return search | _model_values(model) | parts.scores(model.predict_proba(scaler.transform(parts.X_test)))
