"""Problems that several tests of the sparse multi-prototype classifier share."""

import numpy as np

from proset.companions.smp.fitting import CheckedRows, fit_rows, make_ground
from proset.companions.smp.model import SMPClassifier


def made_rows(n=60, n_features=4, n_classes=3, seed=0, weighted=False):
    """Blobs, two to a class, of mean zero and unit scale."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(0.0, 1.5, (2 * n_classes, n_features))
    blob = rng.integers(0, 2 * n_classes, n)
    blob[: 2 * n_classes] = np.arange(2 * n_classes)
    X = centres[blob] + rng.normal(size=(n, n_features))
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    weight = rng.uniform(0.2, 3.0, n) if weighted else np.ones(n)
    return CheckedRows(np.ascontiguousarray(X), (blob % n_classes).astype(np.int64), weight)


def fitted_rows(rows, **parameters):
    """Fit with the classifier's parameters, and return problem, steps and solution."""
    settings = SMPClassifier(**parameters).get_params()
    return fit_rows(rows, settings, make_ground(rows, settings))


def loss_gradient(problem, W):
    """Loss and its gradient, shape (N, D); a subgradient where only the strongest rival counts."""
    loss, shares = problem.shares(W)
    return loss, shares.T @ problem.X
