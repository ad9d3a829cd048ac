"""Our gbmap, through its public interface."""

from __future__ import annotations

from typing import Any

import numpy as np

from proset.companions.gbmap import GBMapClassifier, GBMapRegressor

PACKAGES = ("numpy", "scipy", "scikit-learn", "numba")


def fit(X: np.ndarray, y: np.ndarray, *, kind: str, seed: int, **settings: Any) -> dict[str, Any]:
    """Fit m stages; return the predictions of the training rows and the iterations."""
    estimator = GBMapRegressor if kind == "regression" else GBMapClassifier
    model = estimator(standardize=False, random_state=seed, **settings).fit(X, y)
    return {"predicted": model.transform(X).sum(axis=1), "iterations": int(np.sum(model.n_iter_))}
