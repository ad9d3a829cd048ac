"""Made problems for the prototype vector machine."""

from __future__ import annotations

import numpy as np

from proset.companions.pvm.balls import class_bounds, find_balls
from proset.companions.pvm.distances import HeldDistances
from proset.companions.pvm.metrics import Euclidean


def mixture(n: int, seed: int = 0, n_classes: int = 3, n_features: int = 2):
    """Rows of overlapping classes, each of some clusters; sorted by class."""
    rng = np.random.default_rng(seed)
    centres = 2.0 * rng.normal(size=(n_classes, 4, n_features))
    target = np.sort(np.append(np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)))
    return centres[target, rng.integers(0, 4, n)] + 0.7 * rng.normal(size=(n, n_features)), target


def distances_of(X):
    """The matrix in single precision, as the classifier sees it."""
    return np.asarray(Euclidean.around(X)(X, X))


def balls_of(D, target, n_classes, eps, **options):
    return find_balls(HeldDistances.of(D), class_bounds(target, n_classes), eps, **options)
