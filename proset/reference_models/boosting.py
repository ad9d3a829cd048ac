"""Gradient boosting over folds: many settings for a few iterations, and one setting for many."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed

from proset.common.errors import ProsetError
from proset.engine.kernels.similarity import FloatArray, IntArray
from proset.engine.metrics import log_loss
from proset.reference_models.training import TrainingRows

if TYPE_CHECKING:
    import xgboost

ROUNDS_PER_CHUNK = 250
TREES_PER_TASK = 1_000  # settings are dealt out so that a task takes a fraction of a second for a small problem


@dataclass(frozen=True)
class Trees:
    """Settings of the trees of one boosted model.

    Attributes
    ----------
    max_depth : int
        Largest depth of a tree. 0 stands for a constant model, the class shares; XGBoost itself would take it for
        "no limit".
    colsample : float
        Share of the features, drawn anew for each split.
    subsample : float
        Share of the rows, drawn anew for each tree.
    learning_rate : float
        Weight of each tree.
    seed : int
        Draws features and rows.
    """

    max_depth: int
    colsample: float
    subsample: float
    learning_rate: float
    seed: int


def load_xgboost() -> Any:
    """Import XGBoost, or say how to get it."""
    try:
        import xgboost
    except ImportError as error:
        hint = 'Install it with: pip install "proset-dashboard[reference]"'
        raise ProsetError("XGBoost is not installed.", hint=hint) from error
    return xgboost


def trial_losses(
    rows: TrainingRows,
    folds: Sequence[tuple[IntArray, IntArray]],
    trials: Sequence[Trees],
    *,
    n_rounds: int,
    n_jobs: int | None,
) -> Iterator[tuple[int, int, FloatArray]]:
    """Fit every setting on every fold.

    Parameters
    ----------
    rows, trials
        All training data, and the settings.
    folds : sequence of pairs of int arrays
        Rows to fit to and rows left out, of each fold.
    n_rounds : int
        Boosting iterations of every fit.
    n_jobs : int or None
        Threads; None for joblib's default. Every fit runs in one thread, and results do not depend on their number.

    Yields
    ------
    fold, first : int
        The fold, and the first of the settings concerned.
    losses : ndarray of shape (settings of this task,)
        Log-loss on the rows left out.
    """
    size = max(1, TREES_PER_TASK // n_rounds)
    tasks = [(fold, first) for first in range(0, len(trials), size) for fold in range(len(folds))]
    results = Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(
        delayed(_losses_of)(rows, *folds[fold], trials[first : first + size], n_rounds) for fold, first in tasks
    )
    for (fold, first), losses in zip(tasks, results, strict=True):
        yield fold, first, losses


def iteration_losses(
    rows: TrainingRows,
    folds: Sequence[tuple[IntArray, IntArray]],
    trees: Trees,
    *,
    max_rounds: int,
    n_jobs: int | None,
) -> Iterator[FloatArray]:
    """Boost one setting on every fold at the same pace and report the loss after every iteration.

    Trees that are done live on only as the margins they gave each row, so that memory does not grow with the number of
    iterations; the estimates are the same, since boosting adds trees and never looks back at one.

    Parameters
    ----------
    rows, folds, n_jobs
        As in :func:`trial_losses`.
    trees : Trees
        With a depth of at least 1.
    max_rounds : int
        Boosting iterations in all.

    Yields
    ------
    ndarray of shape (iterations of this chunk, folds)
        Log-loss on the rows left out; the caller may stop at any time.
    """
    states = [_Boosted.start(rows, train, test) for train, test in folds]
    with Parallel(n_jobs=n_jobs, prefer="threads") as parallel:
        for done in range(0, max_rounds, ROUNDS_PER_CHUNK):
            # A new seed for every chunk: the same would draw the same rows and features again.
            chunk = replace(trees, seed=trees.seed + done)
            n_rounds = min(ROUNDS_PER_CHUNK, max_rounds - done)
            curves = parallel(delayed(state.advance)(chunk, n_rounds) for state in states)
            yield np.column_stack(list(curves))


def _parameters(trees: Trees, n_classes: int) -> dict[str, Any]:
    """Return the settings in XGBoost's names; one thread, because for small data more are slower."""
    objective: dict[str, Any] = {"objective": "binary:logistic", "eval_metric": "logloss"}
    if n_classes > 2:
        objective = {"objective": "multi:softprob", "eval_metric": "mlogloss", "num_class": n_classes}
    return objective | {
        "eta": trees.learning_rate,
        "max_depth": trees.max_depth,
        "colsample_bynode": trees.colsample,
        "subsample": trees.subsample,
        "seed": trees.seed,
        "nthread": 1,
    }


def _matrix(rows: TrainingRows, part: IntArray) -> xgboost.DMatrix:
    """Put some rows in XGBoost's form."""
    return load_xgboost().DMatrix(rows.X[part], rows.target[part], weight=rows.weight[part], nthread=1)


def _losses_of(
    rows: TrainingRows, train: IntArray, test: IntArray, trials: Sequence[Trees], n_rounds: int
) -> FloatArray:
    """Measure the log-loss of some settings on the rows that one fold leaves out."""
    fitted, left_out = _matrix(rows, train), _matrix(rows, test)
    losses = []
    for trees in trials:
        if trees.max_depth == 0:
            losses.append(constant_loss(rows, train, test))
            continue
        booster = load_xgboost().train(_parameters(trees, len(rows.classes)), fitted, n_rounds)
        estimates = booster.predict(left_out).astype(np.float64)
        target = rows.target[test]
        if estimates.ndim == 1:
            of_actual = np.where(target == 1, estimates, 1.0 - estimates)
        else:
            of_actual = estimates[np.arange(len(target)), target]
        losses.append(float(log_loss(of_actual, rows.weight[test])))
    return np.array(losses)


def constant_loss(rows: TrainingRows, train: IntArray, test: IntArray) -> float:
    """Measure the log-loss of the model that states the class shares of some rows for all others."""
    return float(log_loss(rows.shares(train)[rows.target[test]], rows.weight[test]))


@dataclass(frozen=True, eq=False)
class _Boosted:
    """A fold between two chunks of iterations: its rows carry the margins reached so far."""

    train: xgboost.DMatrix
    test: xgboost.DMatrix
    n_classes: int

    @classmethod
    def start(cls, rows: TrainingRows, train: IntArray, test: IntArray) -> _Boosted:
        """Return a fold before the first iteration."""
        return cls(_matrix(rows, train), _matrix(rows, test), len(rows.classes))

    def advance(self, trees: Trees, n_rounds: int) -> FloatArray:
        """Boost on, keep the margins, return the loss after each iteration."""
        log: dict[str, dict[str, list[float]]] = {}
        booster = load_xgboost().train(
            _parameters(trees, self.n_classes),
            self.train,
            n_rounds,
            evals=[(self.test, "test")],
            evals_result=log,
            verbose_eval=False,
        )
        for part in (self.train, self.test):
            part.set_base_margin(booster.predict(part, output_margin=True))
        (losses,) = log["test"].values()
        return np.array(losses)
