"""Who takes part: sparse multi-prototype classifiers as published and as ours are used, and others."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from time import process_time
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from benchmarks.smp_tables.sets import halves
from proset.companions.smp import NoPrototypeWarning, SMPClassifierCV, UnscaledFeaturesWarning

N_FOLDS = 5
LAM, MU = (0.0, 0.01, 0.1, 1.0), (0.1, 0.03, 0.01, 0.001)
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
    whole, shares : bool
        How the halves are made, see :func:`benchmarks.smp_tables.sets.halves`.
    """

    name: str
    title: str
    make: Callable[[int], Any]
    whole: bool = False
    shares: bool = True


def smp(**parameters: Any) -> Callable[[int], Any]:
    """Return what makes a search by accuracy, as the paper does, with two prototypes per class unless stated."""
    defaults = {"n_prototypes": (2,), "lam": LAM, "mu": MU, "cv": N_FOLDS, "criterion": "accuracy"}
    return lambda seed: SMPClassifierCV(**{**defaults, **parameters}, random_state=seed)


def _searched(model: Any, grid: Mapping[str, Any]) -> Callable[[int], Any]:
    """Return what makes a search of scikit-learn by accuracy, over the same folds."""

    def make(seed: int) -> Any:
        folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=seed)
        return GridSearchCV(model, dict(grid), cv=folds, scoring="accuracy")

    return make


_NET = LogisticRegression(solver="saga", l1_ratio=0.5, max_iter=500, tol=1e-3, random_state=0)
LETTER = Contestant(
    "letter", "SMP to the letter", smp(loss="max", solver="chambolle-pock", max_iter=200, stopping="change")
)
SMOOTH = Contestant("smooth", "SMP, smoothed loss", smp())
STEADY = Contestant("steady", "SMP, folds drawn ten times", smp(n_repeats=10))
OURS = Contestant(
    "ours", "SMP, as ours are used", smp(n_prototypes=(1, 2, 5), fit_intercept=True, criterion="log_loss")
)
ELASTIC_NET = Contestant("elastic-net", "elastic net", _searched(_NET, {"C": CS, "l1_ratio": RATIOS}))
CONTESTANTS = (LETTER, SMOOTH, STEADY, OURS, ELASTIC_NET)
FURTHER = (LETTER, SMOOTH, STEADY)
"""Those that other splits are tried with: what is to be explained are the published figures."""

_ON_HALF, _ON_ALL = "features standardised on the first half", "features standardised on the whole table"
WAYS = (
    replace(SMOOTH, title=f"same class shares, {_ON_HALF}"),
    Contestant("smooth-whole", f"same class shares, {_ON_ALL}", SMOOTH.make, whole=True),
    Contestant("smooth-random", f"any rows, {_ON_HALF}", SMOOTH.make, shares=False),
    Contestant("smooth-random-whole", f"any rows, {_ON_ALL}", SMOOTH.make, whole=True, shares=False),
)
"""The smoothed loss with the halves made in four ways: the paper standardises first, and does not speak of shares."""

OTHERS: Mapping[str, Callable[[int], Any]] = MappingProxyType(
    {
        "LR": _searched(LogisticRegression(), {"C": CS}),
        "LSVM": _searched(SVC(kernel="linear"), {"C": CS}),
        "RSVM": _searched(SVC(), {"C": CS[1:], "gamma": (0.01, 0.1, 1.0)}),
        "QDA": lambda seed: QuadraticDiscriminantAnalysis(reg_param=0.01),
        "GP": lambda seed: GaussianProcessClassifier(random_state=seed),
        "RF": lambda seed: RandomForestClassifier(100, random_state=seed),
        "DT": _searched(DecisionTreeClassifier(random_state=0), {"max_depth": (1, 2, 3, 5)}),
    }
)
"""Most of the paper's other classifiers, to see whether they reach their published figures in our splits."""


def measure(contestant: Contestant, X: np.ndarray, y: np.ndarray, seeds: range) -> dict[str, Any]:
    """Fit to the first half of every split and count hits in the second.

    Returns
    -------
    dict
        ``accuracy``, a list; for searches of ours ``chosen``, the settings as lists, and ``nnz``; ``seconds``,
        processor time of all fits.
    """
    found: dict[str, Any] = {"accuracy": [], "chosen": [], "nnz": []}
    begun = process_time()
    for seed in seeds:
        train, target, test, actual = halves(X, y, seed, whole=contestant.whole, shares=contestant.shares)
        model = _fitted(contestant.make(seed), train, target)
        found["accuracy"].append(float(np.mean(model.predict(test) == actual)))
        if hasattr(model, "nnz_"):
            found["chosen"].append(list(model.best_params_.values()))
            found["nnz"].append(model.nnz_)
    return {**found, "seconds": process_time() - begun}


def measure_every(X: np.ndarray, y: np.ndarray, seeds: range) -> dict[str, Any]:
    """Count hits of every setting that the search of the smoothed loss compares, as if the test half were known.

    Returns
    -------
    dict
        ``accuracy``, one list per split; ``seconds``.
    """
    begun, accuracy = process_time(), []
    for seed in seeds:
        train, target, test, actual = halves(X, y, seed)
        rows = np.arange(len(train))
        # One fold that fits to the first half and leaves the second out.
        both, folds = np.vstack([train, test]), [(rows, np.arange(len(train), len(train) + len(test)))]
        model = SMOOTH.make(seed).set_params(cv=folds)
        accuracy.append(_fitted(model, both, np.append(target, actual)).cv_table_["accuracy"].tolist())
    return {"accuracy": accuracy, "seconds": process_time() - begun}


def measure_others(X: np.ndarray, y: np.ndarray, seeds: range) -> dict[str, Any]:
    """Fit the paper's other classifiers.

    Returns
    -------
    dict
        ``accuracy``, a list by name; those that refuse a split, as QDA does with fewer rows than features, are left
        out; ``seconds``.
    """
    begun, accuracy = process_time(), {}
    for name, make in OTHERS.items():
        try:
            found = []
            for seed in seeds:
                train, target, test, actual = halves(X, y, seed)
                found.append(float(np.mean(_fitted(make(seed), train, target).predict(test) == actual)))
        except np.linalg.LinAlgError:
            continue
        accuracy[name] = found
    return {"accuracy": accuracy, "seconds": process_time() - begun}


def _fitted(model: Any, X: np.ndarray, y: np.ndarray) -> Any:
    """Fit without the warnings that small halves give: lopsided features, a penalty too large, a limit reached."""
    with warnings.catch_warnings():
        for category in (ConvergenceWarning, NoPrototypeWarning, UnscaledFeaturesWarning, UserWarning):
            warnings.simplefilter("ignore", category)
        return model.fit(X, y)
