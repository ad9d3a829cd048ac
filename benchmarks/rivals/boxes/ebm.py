"""The explainable boosting machine of interpret-core, with its defaults."""

# mypy: ignore-errors
# Runs in an environment of its own.

from __future__ import annotations

import numpy as np
from fitted import Fitted, all_classes
from interpret.glassbox import ExplainableBoostingClassifier

PACKAGES = ("interpret-core", "scikit-learn", "numpy")


def ebm(X: np.ndarray, y: np.ndarray, n_classes: int) -> Fitted:
    """Fit terms of one feature and of pairs."""
    model = ExplainableBoostingClassifier(n_jobs=1, random_state=0).fit(X, y)
    return Fitted(
        lambda rows: all_classes(model.predict_proba(rows), model.classes_, n_classes), lambda: account(model)
    )


def account(model: ExplainableBoostingClassifier) -> dict[str, int]:
    """Count the terms that say anything, and the features in them."""
    speaking = [
        features
        for features, scores in zip(model.term_features_, model.term_scores_, strict=True)
        if np.any(np.asarray(scores) != 0.0)
    ]
    return {"features": len({feature for term in speaking for feature in term}), "size": len(speaking)}


CONTESTANTS = {"ebm": ebm}
