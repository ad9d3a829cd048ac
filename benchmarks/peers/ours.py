"""Our engine, through its public interface."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from proset import ClassifierModel
from proset.engine.fitting import BatchSettings, TrainingData, draw_batch
from proset.engine.objective import make_objective
from proset.engine.set_manager import Batch, SetManager

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")

warnings.simplefilter("ignore", ConvergenceWarning)  # how each batch ended is part of the account


def make_model(**parameters: Any) -> ClassifierModel:
    """Make a model."""
    return ClassifierModel(**parameters)


def account(model: ClassifierModel) -> dict[str, Any]:
    """Say what the last fit did, batch by batch."""
    reports = [result.solver for result in model.batch_results_]
    return {
        "evaluations": [report.evaluations for report in reports],
        "objective": [report.objective for report in reports],
        "stops": [str(report.reason) for report in reports],
        "n_prototypes": model.set_manager_.get_num_prototypes(),
        "n_features": len(model.set_manager_.get_active_features()),
    }


def add_batch(model: ClassifierModel, batch: dict[str, np.ndarray]) -> None:
    """Add prototypes to a model: prototypes, target, feature_weights, prototype_weights, sample_index."""
    active = np.flatnonzero(batch["feature_weights"] > 0.0)
    model.set_manager_ = model.set_manager_.add_batch(
        Batch(
            active_features=active,
            feature_weights=batch["feature_weights"][active],
            prototypes=np.ascontiguousarray(batch["prototypes"][:, active]),
            target=batch["target"],
            weights=batch["prototype_weights"],
            sample_index=batch["sample_index"],
        )
    )


def time_evaluations(X: np.ndarray, y: np.ndarray, *, repeats: int, **parameters: Any) -> list[float]:
    """Time the objective of a first batch at the starting point, after one evaluation that is not counted."""
    model = make_model(**parameters)
    settings = BatchSettings.of(model)
    data = TrainingData(X, y, np.ones(y.shape[0]), np.arange(y.shape[0]))
    manager = SetManager(np.bincount(y) / y.shape[0], X.shape[1])
    problem = draw_batch(manager, data, settings, np.random.default_rng(model.random_state)).problem
    objective, start = make_objective(problem, model.backend), problem.start()
    clocks = [time.perf_counter()]
    for _ in range(repeats + 1):
        objective(start)
        clocks.append(time.perf_counter())
    return np.diff(clocks)[1:].tolist()


def search(X: np.ndarray, y: np.ndarray, *, seed: int, max_batches: int, n_folds: int, jobs: int | None) -> Any:
    """Choose hyperparameters: 11 values of lambda_v from 1e-6 to 1e-1, lambda_w fixed, as the package does."""
    from proset.selection import SearchPlan, select_hyperparameters  # a fit should not hold what only a search needs

    plan = SearchPlan(lambda_v=(1e-6, 1e-1), lambda_w=1e-8, n_folds=n_folds, max_batches=max_batches, random_state=seed)
    return select_hyperparameters(ClassifierModel(random_state=seed), X, y, plan=plan, n_jobs=jobs)


def searched(found: Any) -> dict[str, Any]:
    """Say what a search chose."""
    record, model = found.record, found.model
    lambda_v, lambda_w = record.chosen_penalties
    best = record.stage_2["mean"].min()
    return {
        "chosen": {"lambda_v": lambda_v, "lambda_w": lambda_w, "n_batches": int(record.chosen_batches)},
        "threshold": float(record.threshold(2)),
        "best": float(best),
        "n_prototypes": model.set_manager_.get_num_prototypes(),
        "n_features": len(model.set_manager_.get_active_features()),
    }
