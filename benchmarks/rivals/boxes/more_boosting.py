"""CatBoost and LightGBM, with their defaults."""

# mypy: ignore-errors
# Runs in an environment of its own.

from __future__ import annotations

import numpy as np
from catboost import CatBoostClassifier
from fitted import Fitted, all_classes
from lightgbm import LGBMClassifier

PACKAGES = ("catboost", "lightgbm", "scikit-learn", "numpy")


def catboost(X: np.ndarray, y: np.ndarray, n_classes: int) -> Fitted:
    """Fit CatBoostClassifier as it comes; only quiet, and without files."""
    model = CatBoostClassifier(thread_count=1, random_seed=0, verbose=False, allow_writing_files=False).fit(X, y)

    def account() -> dict[str, int]:
        return {"features": int(np.count_nonzero(model.get_feature_importance())), "size": int(model.tree_count_)}

    return Fitted(lambda rows: all_classes(model.predict_proba(rows), np.ravel(model.classes_), n_classes), account)


def lightgbm(X: np.ndarray, y: np.ndarray, n_classes: int) -> Fitted:
    """Fit LGBMClassifier as it comes."""
    model = LGBMClassifier(n_jobs=1, random_state=0, verbose=-1).fit(X, y)

    def account() -> dict[str, int]:
        return {"features": int(np.count_nonzero(model.feature_importances_)), "size": model.booster_.num_trees()}

    return Fitted(lambda rows: all_classes(model.predict_proba(rows), model.classes_, n_classes), account)


CONTESTANTS = {"catboost": catboost, "lightgbm": lightgbm}
