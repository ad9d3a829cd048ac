"""XGBoost, with its defaults and tuned."""

# mypy: ignore-errors
# Runs in an environment of its own.

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import xgboost
from fitted import Fitted, choose

PACKAGES = ("xgboost", "xgboost-cpu", "scikit-learn", "numpy")
DEPTHS, TREES = (2, 4, 7), (50, 150, 400)
LEARNING_RATE = 0.1


def xgboost_default(X: np.ndarray, y: np.ndarray, n_classes: int) -> Fitted:
    """Fit XGBClassifier as it comes."""
    model = xgboost.XGBClassifier(n_jobs=1, random_state=0).fit(X, y)
    return Fitted(model.predict_proba, lambda: account(model.get_booster()))


def xgboost_tuned(X: np.ndarray, y: np.ndarray, n_classes: int) -> Fitted:
    """Choose depth and number of trees by log-loss over folds; the first trees of a long fit are a short one."""

    def estimates(X_learn: np.ndarray, y_learn: np.ndarray, X_test: np.ndarray) -> Iterator[tuple]:
        for depth in DEPTHS:
            booster = boost(X_learn, y_learn, n_classes, depth, max(TREES))
            for trees in TREES:
                yield (depth, trees), probabilities(booster, X_test, trees)

    depth, trees = choose(X, y, n_classes, estimates)
    booster = boost(X, y, n_classes, depth, trees)
    chosen = {"max_depth": depth, "trees": trees}
    return Fitted(lambda rows: probabilities(booster, rows, trees), lambda: account(booster), chosen)


def boost(X: np.ndarray, y: np.ndarray, n_classes: int, depth: int, trees: int) -> xgboost.Booster:
    """Fit trees; the learning interface takes folds in which a rare class is missing, the estimator refuses them."""
    task = {"objective": "binary:logistic"}
    if n_classes > 2:
        task = {"objective": "multi:softprob", "num_class": n_classes}
    parameters = {"max_depth": depth, "eta": LEARNING_RATE, "nthread": 1, "seed": 0, **task}
    return xgboost.train(parameters, xgboost.DMatrix(X, y, nthread=1), trees)


def probabilities(booster: xgboost.Booster, X: np.ndarray, trees: int) -> np.ndarray:
    """Estimate with the first trees only."""
    found = booster.predict(xgboost.DMatrix(X, nthread=1), iteration_range=(0, trees)).astype(float)
    return found if found.ndim == 2 else np.column_stack([1.0 - found, found])


def account(booster: xgboost.Booster) -> dict[str, int]:
    """Count the features that any tree splits by, and the trees (one per class and round)."""
    return {"features": len(booster.get_score(importance_type="weight")), "size": len(booster.get_dump())}


CONTESTANTS = {"xgboost": xgboost_default, "xgboost-tuned": xgboost_tuned}
