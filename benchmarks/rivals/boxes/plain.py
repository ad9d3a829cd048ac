"""What every comparison needs at its lower end: logistic regression, nearest neighbours, the shares of the classes."""

# mypy: ignore-errors
# Runs in an environment of its own.

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from fitted import Fitted, all_classes, choose
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier

PACKAGES = ("scikit-learn", "numpy")
INVERSE_PENALTIES = tuple(np.logspace(-4.0, 4.0, 10).tolist())  # those of LogisticRegressionCV
NEIGHBOURS, WEIGHTS = (1, 3, 5, 10, 20, 40), ("uniform", "distance")


def logistic(X: np.ndarray, y: np.ndarray, n_classes: int) -> Fitted:
    """Choose the penalty by log-loss over folds.

    As LogisticRegressionCV does, which refuses folds in which a rare class is missing.
    """

    def estimates(X_learn: np.ndarray, y_learn: np.ndarray, X_test: np.ndarray) -> Iterator[tuple]:
        model = LogisticRegression(max_iter=1_000, warm_start=True)
        for penalty in INVERSE_PENALTIES:
            model.set_params(C=penalty).fit(X_learn, y_learn)
            yield penalty, all_classes(model.predict_proba(X_test), model.classes_, n_classes)

    chosen = choose(X, y, n_classes, estimates)
    model = LogisticRegression(C=chosen, max_iter=1_000).fit(X, y)

    def account() -> dict[str, int]:
        return {"features": int(np.any(model.coef_ != 0.0, axis=0).sum()), "size": int(np.count_nonzero(model.coef_))}

    return Fitted(model.predict_proba, account, {"C": chosen})


def neighbours(X: np.ndarray, y: np.ndarray, n_classes: int) -> Fitted:
    """Choose the number of neighbours and their weights by log-loss over folds."""

    def estimates(X_learn: np.ndarray, y_learn: np.ndarray, X_test: np.ndarray) -> Iterator[tuple]:
        for k in NEIGHBOURS:
            for weights in WEIGHTS if k <= y_learn.shape[0] else ():
                yield (k, weights), vote(X_learn, y_learn, X_test, n_classes, k, weights)

    k, weights = choose(X, y, n_classes, estimates)

    def account() -> dict[str, int]:
        return {"features": X.shape[1], "size": X.shape[0]}

    return Fitted(lambda rows: vote(X, y, rows, n_classes, k, weights), account, {"k": k, "weights": weights})


def vote(X: np.ndarray, y: np.ndarray, rows: np.ndarray, n_classes: int, k: int, weights: str) -> np.ndarray:
    """Let neighbours vote, smoothed by Laplace's rule: one vote more for each class.

    Without it the log-loss of a class that none of the neighbours has is infinite.
    """
    model = KNeighborsClassifier(k, weights=weights, n_jobs=1).fit(X, y)
    votes = k * all_classes(model.predict_proba(rows), model.classes_, n_classes)
    return (votes + 1.0) / (k + n_classes)


def shares(X: np.ndarray, y: np.ndarray, n_classes: int) -> Fitted:
    """Say the same of every row: how frequent each class is."""
    frequency = np.bincount(y, minlength=n_classes) / y.shape[0]
    return Fitted(lambda rows: np.tile(frequency, (rows.shape[0], 1)), lambda: {"features": 0, "size": 0})


CONTESTANTS = {"logistic": logistic, "knn": neighbours, "shares": shares}
