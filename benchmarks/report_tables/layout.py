"""Which tables the study prints, with the rows of the report."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.report_tables.cells import FIRST_SIX, NEW_FIVE


@dataclass(frozen=True)
class Row:
    """A line of a table.

    Attributes
    ----------
    label : str
        As in the report.
    key : str
        Of the value, such as "stage_1.optimal_k"; "threshold" stands for that of the last stage.
    form : str
        "loss", "score", "count" or "penalty": how the value is printed.
    """

    label: str
    key: str
    form: str


@dataclass(frozen=True)
class Table:
    """A table of the report.

    Attributes
    ----------
    number, title : str
        As in the report.
    experiments : tuple of str
        One for a table of results, several for a comparison.
    problems : tuple of str
        The columns.
    rows : tuple of Row
        The lines; a comparison has them once for each experiment.
    """

    number: str
    title: str
    experiments: tuple[str, ...]
    problems: tuple[str, ...]
    rows: tuple[Row, ...]


def _losses(stage: str, name: str) -> tuple[Row, ...]:
    """Lines with the log-loss of a stage."""
    return (
        Row(f"{name}: optimal log-loss", f"{stage}.optimal_log_loss", "loss"),
        Row(f"{name}: threshold", f"{stage}.threshold", "loss"),
        Row(f"{name}: selected log-loss", f"{stage}.selected_log_loss", "loss"),
    )


def _pair(stage: str, name: str, label: str, key: str, form: str) -> tuple[Row, Row]:
    """Lines with the optimal and the selected value of a setting."""
    return (
        Row(f"{name}: optimal {label}", f"{stage}.optimal_{key}", form),
        Row(f"{name}: selected {label}", f"{stage}.selected_{key}", form),
    )


FEATURES = Row("Active features", "test.active_features", "count")
PROTOTYPES = Row("Prototypes", "test.prototypes", "count")
LOSS = Row("Log-loss", "test.log_loss", "loss")
SCORES = (Row("ROC-AUC", "test.roc_auc", "score"), Row("Balanced acc.", "test.balanced_accuracy", "score"))
CANDIDATES = Row("Candidates", "data.candidates", "count")
COMPARED = (FEATURES, LOSS, Row("Threshold", "threshold", "loss"), *SCORES)
COMPARED_PROSET = (FEATURES, PROTOTYPES, *COMPARED[1:])

STAGE_1 = (
    *_pair("stage_1", "Stage 1", "λ_v", "lambda_v", "penalty"),
    *_pair("stage_1", "Stage 1", "λ_w", "lambda_w", "penalty"),
    *_losses("stage_1", "Stage 1"),
)
STAGE_2 = (*_pair("stage_2", "Stage 2", "batches", "batches", "count"), *_losses("stage_2", "Stage 2"))
FINAL = (FEATURES, PROTOTYPES, LOSS, *SCORES)
SEARCH = (CANDIDATES, *STAGE_1, *STAGE_2, *FINAL)
OPTIMAL = tuple(row for row in SEARCH if "selected" not in row.key)
GRID = tuple(row for row in SEARCH if not row.key.endswith("lambda_w"))
FIXED = (CANDIDATES, *STAGE_2, *FINAL)
KNN = (
    *_pair("stage_1", "CV", "k", "k", "count"),
    *_losses("stage_1", "CV"),
    LOSS,
    *SCORES,
)
XGB = (
    *_pair("stage_1", "Stage 1", "max. depth", "max_depth", "count"),
    *_pair("stage_1", "Stage 1", "colsample", "colsample", "score"),
    *_pair("stage_1", "Stage 1", "subsample", "subsample", "score"),
    *_losses("stage_1", "Stage 1"),
    *_pair("stage_2", "Stage 2", "iterations", "iterations", "count"),
    *_losses("stage_2", "Stage 2"),
    FEATURES,
    LOSS,
    *SCORES,
)

TABLES = (
    Table("2.3", "Randomized search for λ_v and λ_w (α_v = α_w = 0.95)", ("e3",), FIRST_SIX, SEARCH),
    Table("2.4", "Use optimal hyperparameters (α_v = α_w = 0.95)", ("e4",), FIRST_SIX, OPTIMAL),
    Table("2.5", "Grid search for λ_v (λ_w = 1e-8 and α_v = α_w = 0.95)", ("e5",), FIRST_SIX, GRID),
    Table("2.6", "Stage 2 only (λ_v = 1e-3, λ_w = 1e-8 and α_v = α_w = 0.95)", ("e6",), FIRST_SIX, FIXED),
    Table("2.7", "Comparison of searches", ("e1", "e2", "e3", "e4", "e5", "e6"), FIRST_SIX, COMPARED_PROSET),
    Table("2.9", "k-nearest neighbour classifier with grid search for k", ("e8",), FIRST_SIX, KNN),
    Table("2.10", "XGBoost classifier with randomized parameter search", ("e9",), FIRST_SIX, XGB),
    Table("2.11", "Comparison of classifiers", ("e3", "e8", "e9"), FIRST_SIX, COMPARED),
    Table("2.12", "New examples, proset classifier", ("e10",), NEW_FIVE, SEARCH),
    Table("2.13", "New examples, k-nearest neighbour classifier", ("e11",), NEW_FIVE, KNN),
    Table("2.14", "New examples, XGBoost classifier", ("e12",), NEW_FIVE, XGB),
    Table("2.15", "New examples, comparison of classifiers", ("e10", "e11", "e12"), NEW_FIVE, COMPARED),
)
EXPERIMENT_TITLES = {
    "e1": "Proset, randomized search (α_v = α_w = 0.05)",
    "e2": "Proset, randomized search (α_v = α_w = 0.50)",
    "e3": "Proset, randomized search (α_v = α_w = 0.95)",
    "e4": "Proset, optimal hyperparameters of E3",
    "e5": "Proset, grid search for λ_v",
    "e6": "Proset, stage 2 only",
    "e8": "k-nearest neighbours",
    "e9": "XGBoost",
    "e10": "Proset, randomized search (α_v = α_w = 0.95)",
    "e11": "k-nearest neighbours",
    "e12": "XGBoost",
}
