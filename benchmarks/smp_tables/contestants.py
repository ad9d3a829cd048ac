"""Who takes part: sparse multi-prototype classifiers as published and as ours are used, and logistic regression."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold

from benchmarks.smp_tables.sets import halves
from proset.companions.smp import NoPrototypeWarning, SMPClassifierCV, UnscaledFeaturesWarning

N_FOLDS = 5
LAM, MU = (0.0, 0.01, 0.1), (0.1, 0.03, 0.01, 0.003, 0.001, 0.0001)
CS, RATIOS = tuple(10.0 ** np.arange(-2, 3)), (0.1, 0.5, 0.9)


@dataclass(frozen=True)
class Contestant:
    """One way from a training half to a classifier.

    Attributes
    ----------
    name : str
        In the results.
    title : str
        In the tables.
    make : callable
        Returns an estimator that finds its settings in its fit, given a seed for its folds.
    """

    name: str
    title: str
    make: Callable[[int], Any]


def _smp(**parameters: Any) -> Callable[[int], Any]:
    """Return what makes a search by accuracy, as the paper does, with two prototypes per class unless stated."""
    defaults = {"n_prototypes": (2,), "lam": LAM, "mu": MU, "cv": N_FOLDS, "criterion": "accuracy"}
    return lambda seed: SMPClassifierCV(**{**defaults, **parameters}, random_state=seed)


def _elastic_net(seed: int) -> Any:
    """Make a search over the strength and the mix of the penalty of a logistic regression."""
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
    model = LogisticRegression(solver="saga", l1_ratio=0.5, max_iter=500, tol=1e-3, random_state=0)
    return GridSearchCV(model, {"C": CS, "l1_ratio": RATIOS}, cv=folds, scoring="accuracy")


LETTER = Contestant(
    "letter", "SMP to the letter", _smp(loss="max", solver="chambolle-pock", max_iter=200, stopping="change")
)
SMOOTH = Contestant("smooth", "SMP, smoothed loss", _smp())
OURS = Contestant(
    "ours", "SMP, as ours are used", _smp(n_prototypes=(1, 2, 5), fit_intercept=True, criterion="log_loss")
)
ELASTIC_NET = Contestant("elastic-net", "elastic net", _elastic_net)
CONTESTANTS = (LETTER, SMOOTH, OURS, ELASTIC_NET)


def measure(contestant: Contestant, X: np.ndarray, y: np.ndarray, seeds: range) -> dict[str, Any]:
    """Fit to the first half of every split and count hits in the second.

    Returns
    -------
    dict
        ``accuracy``, a list; ``chosen``, the settings as lists, and ``nnz``, for searches of ours; ``seconds``,
        processor time of all fits.
    """
    found: dict[str, Any] = {"accuracy": [], "chosen": [], "nnz": []}
    begun = process_time()
    for seed in seeds:
        train, target, test, actual = halves(X, y, seed)
        with warnings.catch_warnings():
            for category in (ConvergenceWarning, NoPrototypeWarning, UnscaledFeaturesWarning):
                warnings.simplefilter("ignore", category)  # small halves may be lopsided, and a penalty too large
            model = contestant.make(seed).fit(train, target)
        found["accuracy"].append(float(np.mean(model.predict(test) == actual)))
        if hasattr(model, "nnz_"):
            found["chosen"].append(list(model.best_params_.values()))
            found["nnz"].append(model.nnz_)
    return {**found, "seconds": process_time() - begun}
