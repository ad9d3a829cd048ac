"""XGBoost with trees and number of iterations chosen by cross-validation in two stages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.dummy import DummyClassifier

from proset.engine.kernels.similarity import FloatArray, IntArray
from proset.reference_models.boosting import Trees, constant_loss, iteration_losses, load_xgboost, trial_losses
from proset.reference_models.training import TrainingRows, check_training_rows
from proset.reference_models.words import xgb_report
from proset.reference_models.xgb_plan import XgbPlan
from proset.selection.folds import Fold, make_folds
from proset.selection.plan import SearchPlan
from proset.selection.rules import SettingChoice, choose, stage_table
from proset.selection.search_progress import SearchProgress

if TYPE_CHECKING:
    import xgboost

Folds = Sequence[tuple[IntArray, IntArray]]
Progress = Callable[[SearchProgress], None] | None
STAGE_1_SHARE = 0.4  # of the time of a search with the report's settings, over its problems: only for time left


@dataclass(frozen=True, eq=False)
class XgbResult:
    """A fitted XGBoost classifier and how it was chosen.

    Attributes
    ----------
    model : xgboost.XGBClassifier or sklearn.dummy.DummyClassifier
        The model; its classes are positions in `classes`. The second kind states the class shares: the chosen depth
        was 0.
    classes : ndarray of shape (K,)
        Class labels, sorted.
    plan : XgbPlan
        What was tried.
    stage_1 : DataFrame
        One row per setting of the trees: max_depth, colsample, subsample, log-loss fold_1 to fold_F on the rows left
        out, mean, sd.
    stage_2 : DataFrame
        One row per number of iterations, from 1: iterations, then as in stage 1.
    choice_1, choice_2 : SettingChoice
        Rows of the tables: the optimal, the chosen, and the threshold between them.
    seconds : float
        Time of the whole search.
    """

    model: xgboost.XGBClassifier | DummyClassifier
    classes: NDArray[Any]
    plan: XgbPlan
    stage_1: pd.DataFrame
    stage_2: pd.DataFrame
    choice_1: SettingChoice
    choice_2: SettingChoice
    seconds: float

    @property
    def active_features(self) -> IntArray:
        """Columns with a positive importance, ascending."""
        importances = getattr(self.model, "feature_importances_", np.zeros(0))
        return np.flatnonzero(importances > 0.0).astype(np.int64)

    @property
    def at_limit(self) -> bool:
        """True if the best depth is the largest tried; the report then tried deeper trees."""
        return bool(self.stage_1["max_depth"].to_numpy()[self.choice_1.optimal] == self.plan.max_depth)

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Estimate class probabilities, shape (n, K), columns as in `classes`."""
        estimates: FloatArray = np.asarray(self.model.predict_proba(X), dtype=np.float64)
        return estimates

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the class with the highest estimate, shape (n,)."""
        return self.classes[self.predict_proba(X).argmax(axis=1)]

    def report(self) -> str:
        """Return the search as text to print."""
        note = "The best trees have the largest depth tried: consider a larger max_depth." if self.at_limit else None
        tables = (self.stage_1, self.choice_1, self.stage_2, self.choice_2)
        return xgb_report(*tables, seconds=self.seconds, note=note)


def fit_xgb_classifier(
    X: ArrayLike,
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    plan: XgbPlan | None = None,
    n_jobs: int | None = None,
    folds: Sequence[Fold] | None = None,
    progress: Progress = None,
) -> XgbResult:
    """Fit an XGBoost classifier by the two stages of section 2.4 of the report.

    Stage 1 tries random settings of the trees at a high learning rate; among those whose mean log-loss over the folds
    is within the threshold of the best, the smallest depth wins, then the smallest share of features, then of rows.
    Stage 2 lowers the learning rate and counts iterations on models that are fitted once; the smallest number within
    the threshold wins. Then the model is fitted to all rows.

    Parameters
    ----------
    X : array-like of shape (n, D)
        Features, finite. Trees need no scaling.
    y : array-like of shape (n,)
        Class labels, each with at least as many rows as there are folds.
    sample_weight : array-like of shape (n,) or None
        Weights for fitting and for the log-loss, not negative; rows of weight 0 are left out.
    plan : XgbPlan or None
        What to try; None for the report's plan.
    n_jobs : int or None
        Threads over folds and settings; None for one, or what the surrounding ``joblib.parallel_config`` says. The
        result does not depend on it.
    folds : sequence of Fold or None
        The folds instead of those that the plan draws, as positions among the rows of positive weight; every class has
        to be in each training part.
    progress : callable or None
        Called with a SearchProgress for each stage; raising from it stops the search.

    Raises
    ------
    ProsetError
        If XGBoost is not installed.
    ValueError
        For missing or infinite values, a single class, or a class with fewer rows than folds.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> result = fit_xgb_classifier(X, y, plan=XgbPlan(n_trials=5, max_iterations=200))
    >>> len(result.stage_1), len(result.stage_2), result.predict_proba(X).shape
    (5, 200, (150, 3))
    """
    begun, plan = perf_counter(), plan or XgbPlan()
    load_xgboost()
    rows = check_training_rows(X, y, sample_weight, plan.n_folds if folds is None else 1)
    if folds is None:
        folds = make_folds(rows.target, SearchPlan(n_folds=plan.n_folds, random_state=plan.random_state))
    plan = replace(plan, n_folds=len(folds))
    cut = [(fold.train, fold.test) for fold in folds]
    tell = _Teller(progress, begun)
    trials = plan.trials()
    stage_1 = _stage_1(rows, cut, trials, plan, n_jobs=n_jobs, tell=tell)
    # Smallest depth first, then share of features, then of rows: the last in that order is the sparsest.
    order = np.lexsort([-stage_1[name].to_numpy() for name in ("subsample", "colsample", "max_depth")])
    choice_1 = _choose(stage_1, plan, np.argsort(order))
    trees = replace(trials[choice_1.chosen], learning_rate=plan.learning_rates[1])
    stage_2 = _stage_2(rows, cut, trees, plan, n_jobs=n_jobs, tell=tell)
    choice_2 = _choose(stage_2, plan, -stage_2["iterations"].to_numpy())
    model = fit_trees(rows, trees, int(stage_2["iterations"].to_numpy()[choice_2.chosen]))
    tell(3, 1, 1)
    return XgbResult(model, rows.classes, plan, stage_1, stage_2, choice_1, choice_2, perf_counter() - begun)


def _choose(table: pd.DataFrame, plan: XgbPlan, sparseness: NDArray[Any]) -> SettingChoice:
    """Apply the threshold rule to a stage."""
    means, deviations = table["mean"].to_numpy(), table["sd"].to_numpy()
    return choose(means, deviations, plan.n_folds, plan.rule, sparseness.astype(np.float64))


def _stage_1(
    rows: TrainingRows, folds: Folds, trials: Sequence[Trees], plan: XgbPlan, *, n_jobs: int | None, tell: _Teller
) -> pd.DataFrame:
    """Measure the losses of all settings of the trees."""
    losses = np.empty((len(trials), len(folds)))
    done = 0
    for fold, first, part in trial_losses(rows, folds, trials, n_rounds=plan.iterations, n_jobs=n_jobs):
        losses[first : first + len(part), fold] = part
        done += len(part)
        tell(1, done, losses.size)
    varied = {name: [getattr(trees, name) for trees in trials] for name in ("max_depth", "colsample", "subsample")}
    return stage_table(varied, losses)


def _stage_2(
    rows: TrainingRows, folds: Folds, trees: Trees, plan: XgbPlan, *, n_jobs: int | None, tell: _Teller
) -> pd.DataFrame:
    """Measure the losses after each iteration; stop early if the plan is patient only to a point."""
    if trees.max_depth == 0:  # more iterations change nothing
        losses = np.array([[constant_loss(rows, train, test) for train, test in folds]])
        return stage_table({"iterations": [1]}, losses)
    chunks: list[FloatArray] = []
    for chunk in iteration_losses(rows, folds, trees, max_rounds=plan.max_iterations, n_jobs=n_jobs):
        chunks.append(chunk)
        losses = np.concatenate(chunks)
        tell(2, len(losses), plan.max_iterations)
        if plan.patience is not None and len(losses) - 1 - losses.mean(axis=1).argmin() >= plan.patience:
            break
    return stage_table({"iterations": np.arange(1, len(losses) + 1)}, losses)


def fit_trees(rows: TrainingRows, trees: Trees, iterations: int) -> xgboost.XGBClassifier | DummyClassifier:
    """Fit one setting to all rows.

    Parameters
    ----------
    rows : TrainingRows
        Training data.
    trees : Trees
        Settings; a depth of 0 stands for the class shares.
    iterations : int
        Boosting iterations.

    Returns
    -------
    xgboost.XGBClassifier or sklearn.dummy.DummyClassifier
        Its classes are positions in those of `rows`.

    Examples
    --------
    >>> rows = TrainingRows(np.eye(2), np.array([0, 1]), np.ones(2), np.array(["a", "b"]))
    >>> fit_trees(rows, Trees(0, 1.0, 1.0, 0.1, seed=0), 1).predict_proba(rows.X[:1]).tolist()
    [[0.5, 0.5]]
    """
    if trees.max_depth == 0:
        return DummyClassifier(strategy="prior").fit(rows.X, rows.target, sample_weight=rows.weight)
    model = load_xgboost().XGBClassifier(
        n_estimators=iterations,
        learning_rate=trees.learning_rate,
        max_depth=trees.max_depth,
        colsample_bynode=trees.colsample,
        subsample=trees.subsample,
        random_state=trees.seed,
        n_jobs=1,
    )
    return model.fit(rows.X, rows.target, sample_weight=rows.weight)


@dataclass(frozen=True)
class _Teller:
    """Says how far the search is to whoever asked for it."""

    progress: Progress
    begun: float

    def __call__(self, stage: int, done: int, total: int) -> None:
        """Report how much of a stage is done."""
        if self.progress is None:
            return
        part = done / total
        share = {1: STAGE_1_SHARE * part, 2: STAGE_1_SHARE + (0.99 - STAGE_1_SHARE) * part, 3: 1.0}[stage]
        seconds = perf_counter() - self.begun
        self.progress(SearchProgress(stage, done, total, seconds, seconds * (1.0 - share) / share, share))
