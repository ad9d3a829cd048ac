"""The published package as an engine, through its public interface. Runs in its own environment.

Its ``alpha_v`` and ``alpha_w`` are shares of the L1 term, ours are shares of the L2 term. Evaluations and values of the
objective are what scipy's solver, which it names in its documentation, reports at the end of each batch.
"""

# mypy: ignore-errors
# The proset imported here is not the one in this working tree.

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.optimize

SOLVER_REPORTS: list[tuple[float, dict[str, Any]]] = []
_solver = scipy.optimize.fmin_l_bfgs_b


def _reporting_solver(*args: Any, **kwargs: Any) -> Any:
    """Call scipy's solver and keep how it ended."""
    outcome = _solver(*args, **kwargs)
    SOLVER_REPORTS.append((float(outcome[1]), outcome[2]))
    return outcome


scipy.optimize.fmin_l_bfgs_b = _reporting_solver  # before the package imports it

from sklearn.preprocessing import StandardScaler  # noqa: E402

from proset import ClassifierModel  # noqa: E402
from proset.utility import select_hyperparameters  # noqa: E402

PACKAGES = ("proset", "numpy", "scipy", "scikit-learn")


def make_model(*, alpha_v: float = 0.95, alpha_w: float = 0.95, **parameters: Any) -> ClassifierModel:
    """Make a model from parameters in the report's sense."""
    return ClassifierModel(alpha_v=1.0 - alpha_v, alpha_w=1.0 - alpha_w, **parameters)


def account(model: ClassifierModel) -> dict[str, Any]:
    """Say what the last fit did, batch by batch."""
    reports = SOLVER_REPORTS[-model.n_iter :] if model.n_iter else []
    return {
        "evaluations": [int(report["funcalls"]) for _, report in reports],
        "objective": [value for value, _ in reports],
        "stops": [str(report["task"]) for _, report in reports],
        "n_prototypes": sum(len(batch["sample_index"]) for batch in model.set_manager_.get_batches() if batch),
        "n_features": len(model.set_manager_.get_active_features()),
    }


def add_batch(model: ClassifierModel, batch: dict[str, np.ndarray]) -> None:
    """Add prototypes to a model: prototypes, target, feature_weights, prototype_weights, sample_index."""
    model.set_manager_.add_batch({name: np.asfortranarray(array) for name, array in batch.items()})


def search(X: np.ndarray, y: np.ndarray, *, seed: int, max_batches: int, n_folds: int, jobs: int | None) -> Any:
    """Choose hyperparameters as its defaults say: 11 values of lambda_v from 1e-6 to 1e-1."""
    return select_hyperparameters(
        ClassifierModel(lambda_w=1e-8, random_state=seed),
        X,
        y,
        transform=StandardScaler(),
        max_batches=max_batches,
        num_folds=n_folds,
        num_jobs=jobs,
        random_state=seed,
    )


def searched(found: Any) -> dict[str, Any]:
    """Say what a search chose; scores are mean log-likelihoods, so signs change."""
    chosen, table = found["search"]["selected_ix"], found["search"]["cv_results"]
    model = found["model"][-1]
    return {
        "chosen": {
            "lambda_v": float(table["lambda_v"][chosen]),
            "lambda_w": 1e-8,
            "n_batches": int(table["num_batches"][chosen]),
        },
        "threshold": -float(found["search"]["threshold"]),
        "best": -float(table["mean_score"].max()),
        "n_prototypes": sum(len(batch["sample_index"]) for batch in model.set_manager_.get_batches() if batch),
        "n_features": len(model.set_manager_.get_active_features()),
    }


def first_batch(model: ClassifierModel) -> dict[str, np.ndarray]:
    """Return what is stored of the first batch: active features, weights, rows of the prototypes."""
    batch = model.set_manager_.get_batches()[0]
    names = ("active_features", "feature_weights", "sample_index", "prototype_weights")
    return {name: batch[name] for name in names}
