"""What every contestant hands back, and how those that choose settings choose them."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold

FOLDS = 5

Predict = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Fitted:
    """A fitted contestant.

    Attributes
    ----------
    predict : callable
        Features to probabilities, one column per class of the table.
    account : callable
        Returns ``features`` (how many the model looks at) and ``size`` (how many prototypes, trees, ... it has).
    chosen : dict
        The settings it chose, if it chooses any.
    """

    predict: Predict
    account: Callable[[], dict[str, int]]
    chosen: dict[str, Any] = field(default_factory=dict)


def all_classes(probabilities: np.ndarray, classes: np.ndarray, n_classes: int) -> np.ndarray:
    """Give classes that were not among the training rows the probability 0."""
    full = np.zeros((probabilities.shape[0], n_classes))
    full[:, np.asarray(classes, dtype=int)] = probabilities
    return full


def choose(
    X: np.ndarray,
    y: np.ndarray,
    n_classes: int,
    estimates: Callable[[np.ndarray, np.ndarray, np.ndarray], Iterable[tuple[Hashable, np.ndarray]]],
) -> Any:
    """Return the setting with the lowest mean log-loss over five stratified, shuffled folds.

    Parameters
    ----------
    X : ndarray of shape (n, D)
        Features.
    y : ndarray of shape (n,)
        Classes, 0 to K - 1.
    n_classes : int
        K.
    estimates : callable
        Takes features and classes of four folds and features of the fifth; yields settings and their probabilities.

    Returns
    -------
    object
        The first of the best among the settings that every fold could try.
    """
    losses: dict[Any, list[float]] = {}
    for learn, test in StratifiedKFold(FOLDS, shuffle=True, random_state=0).split(X, y):
        for setting, probabilities in estimates(X[learn], y[learn], X[test]):
            losses.setdefault(setting, []).append(log_loss(y[test], probabilities, labels=range(n_classes)))
    means = {setting: float(np.mean(found)) for setting, found in losses.items() if len(found) == FOLDS}
    return min(means, key=lambda setting: means[setting] if math.isfinite(means[setting]) else math.inf)
