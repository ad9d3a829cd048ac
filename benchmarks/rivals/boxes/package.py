"""The published package with its defaults, through its public interface."""

# mypy: ignore-errors
# Runs in an environment of its own: the proset imported here is not the one in this working tree.

from __future__ import annotations

import numpy as np
from fitted import Fitted, all_classes

from proset import ClassifierModel

PACKAGES = ("proset", "scikit-learn", "numpy")


def default(X: np.ndarray, y: np.ndarray, n_classes: int) -> Fitted:
    """Fit as it comes."""
    model = ClassifierModel(random_state=0).fit(X, y)
    manager = model.set_manager_

    def account() -> dict[str, int]:
        prototypes = sum(len(batch["sample_index"]) for batch in manager.get_batches() if batch)
        return {"features": len(manager.get_active_features()), "size": prototypes}

    return Fitted(lambda rows: all_classes(model.predict_proba(rows), model.classes_, n_classes), account)


CONTESTANTS = {"package": default}
