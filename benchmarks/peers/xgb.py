"""XGBoost by the strategy of section 2.4 of the report, as an engine for searches."""

from __future__ import annotations

from typing import Any

import numpy as np
from xgboost import XGBClassifier

from proset.reference_models import XgbPlan, XgbResult, fit_xgb_classifier

PACKAGES = ("numpy", "scikit-learn", "xgboost")


def make_model(*, n_iter: int, random_state: int) -> XGBClassifier:
    """Make a model of a few trees."""
    return XGBClassifier(n_estimators=n_iter, random_state=random_state, n_jobs=1)


def search(X: np.ndarray, y: np.ndarray, *, seed: int, max_batches: int, n_folds: int, jobs: int | None) -> XgbResult:
    """Choose trees and iterations in two stages of cross-validation; batches are not its business."""
    return fit_xgb_classifier(X, y, plan=XgbPlan(n_folds=n_folds, random_state=seed), n_jobs=jobs)


def searched(found: XgbResult) -> dict[str, Any]:
    """Say what a search chose."""
    stage_1, stage_2, choice = found.stage_1, found.stage_2, found.choice_2
    names = ("max_depth", "colsample", "subsample")
    trees = {name: float(stage_1[name].to_numpy()[found.choice_1.chosen]) for name in names}
    return {
        "chosen": {**trees, "iterations": int(stage_2["iterations"].to_numpy()[choice.chosen])},
        "threshold": choice.threshold,
        "best": float(stage_2["mean"].to_numpy()[choice.optimal]),
        "n_features": len(found.active_features),
    }
