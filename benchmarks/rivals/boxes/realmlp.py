"""RealMLP with its tuned defaults, five networks bagged: a network for tables, by pytabkit."""

# mypy: ignore-errors
# Runs in an environment of its own.

from __future__ import annotations

import numpy as np
import torch
from fitted import Fitted, all_classes
from pytabkit import RealMLP_TD_Classifier

PACKAGES = ("pytabkit", "torch", "scikit-learn", "numpy")
FOLDS = 5


def realmlp(X: np.ndarray, y: np.ndarray, n_classes: int) -> Fitted:
    """Fit one network per fold and average what they say.

    The networks of the best epoch by log-loss, without label smoothing, are what its authors advise where
    probabilities count; all else is as it comes.
    """
    model = RealMLP_TD_Classifier(
        device="cuda" if torch.cuda.is_available() else "cpu",
        n_cv=FOLDS,
        n_threads=1,
        random_state=0,
        val_metric_name="cross_entropy",
        use_ls=False,
    ).fit(X.astype(np.float32), y)

    def estimates(rows: np.ndarray) -> np.ndarray:
        return all_classes(model.predict_proba(rows.astype(np.float32)), model.classes_, n_classes)

    return Fitted(estimates, lambda: {"features": X.shape[1], "size": FOLDS})


CONTESTANTS = {"realmlp": realmlp}
