"""Ours, from this working tree: one small function per contestant."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
from fitted import Fitted

from proset import ClassifierModel
from proset.selection import SearchPlan, select_hyperparameters
from proset.study.settings import suggest_settings

PACKAGES = ("scikit-learn", "numpy", "scipy", "numba")
TRAINING_SHARE = 0.7  # suggestions are made for the table, of which these are the training rows


def quick(X: np.ndarray, y: np.ndarray, n_classes: int) -> Fitted:
    """Do what *Quick fit* does."""
    settings = suggest_settings(round(y.shape[0] / TRAINING_SHARE), X.shape[1])
    model = ClassifierModel(**asdict(settings))
    model.fit(X, y)
    return of_model(model, {"lambda_v": settings.lambda_v, "n_batches": settings.n_iter})


def search(X: np.ndarray, y: np.ndarray, n_classes: int) -> Fitted:
    """Do what a search does by default."""
    return searched(X, y, SearchPlan())


def algorithm(X: np.ndarray, y: np.ndarray, n_classes: int) -> Fitted:
    """Follow algorithm 2.2 to the letter."""
    return searched(X, y, SearchPlan(second_look=False))


def before(X: np.ndarray, y: np.ndarray, n_classes: int) -> Fitted:
    """Do what a search did by default before there was the joint one: algorithm 2.2 with a second look."""
    return searched(X, y, SearchPlan(second_look=True))


def searched(X: np.ndarray, y: np.ndarray, plan: SearchPlan) -> Fitted:
    """Search; the features are scaled already."""
    found = select_hyperparameters(ClassifierModel(random_state=0), X, y, plan=plan, n_jobs=1, transform=None)
    lambda_v, lambda_w = found.record.chosen_penalties
    chosen = {"lambda_v": lambda_v, "lambda_w": lambda_w, "n_batches": int(found.record.chosen_batches)}
    return of_model(found.model, chosen)


def of_model(model: ClassifierModel, chosen: dict[str, float]) -> Fitted:
    """Hand back a fitted model."""
    manager = model.set_manager_

    def account() -> dict[str, int]:
        return {"features": len(manager.get_active_features()), "size": manager.get_num_prototypes()}

    return Fitted(model.predict_proba, account, chosen)


CONTESTANTS = {"quick": quick, "search": search, "algorithm": algorithm, "before": before}
