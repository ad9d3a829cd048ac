"""The k-nearest-neighbour classifier with k chosen by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from proset.common.errors import ProsetError
from proset.engine.kernels.similarity import FloatArray, IntArray
from proset.engine.metrics import log_loss
from proset.reference_models.training import TrainingRows, check_training_rows
from proset.reference_models.words import knn_report
from proset.selection.folds import Fold, make_folds
from proset.selection.plan import Rule, SearchPlan
from proset.selection.rules import SettingChoice, choose, stage_table
from proset.selection.search_progress import SearchProgress

LARGEST_K = 100


@dataclass(frozen=True, eq=False)
class KnnResult:
    """A fitted nearest-neighbour classifier and how it was chosen.

    Attributes
    ----------
    model : sklearn.pipeline.Pipeline
        Steps ``scale`` (unless switched off) and ``knn``; its classes are positions in `classes`.
    classes : ndarray of shape (K,)
        Class labels, sorted.
    table : DataFrame
        One row per k tried: k, log-loss fold_1 to fold_F on the rows left out, mean, sd.
    choice : SettingChoice
        Rows of `table`: the optimal, the chosen, and the threshold between them.
    seconds : float
        Time of the whole search.
    """

    model: Pipeline
    classes: NDArray[Any]
    table: pd.DataFrame
    choice: SettingChoice
    seconds: float

    @property
    def k(self) -> int:
        """Number of neighbours chosen."""
        return int(self.table["k"].to_numpy()[self.choice.chosen])

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Estimate class probabilities, shape (n, K), columns as in `classes`: the shares among the k neighbours."""
        estimates: FloatArray = self.model.predict_proba(X)
        return estimates

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the class with the highest estimate, shape (n,)."""
        return self.classes[self.predict_proba(X).argmax(axis=1)]

    def report(self) -> str:
        """Return the search as text to print."""
        return knn_report(self.table, self.choice, self.seconds)


def fit_knn_classifier(
    X: ArrayLike,
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    scale: bool = True,
    neighbours: Sequence[int] | None = None,
    n_folds: int = 5,
    rule: Rule = Rule.SD,
    random_state: int = 0,
    folds: Sequence[Fold] | None = None,
    progress: Callable[[SearchProgress], None] | None = None,
) -> KnnResult:
    """Fit a nearest-neighbour classifier, with k chosen as in section 2.4 of the report.

    Among all k whose mean log-loss over the folds is within the threshold of the best, the largest is chosen: it
    smooths most. Then the model is fitted to all rows.

    Parameters
    ----------
    X : array-like of shape (n, D)
        Features, finite.
    y : array-like of shape (n,)
        Class labels, each with at least `n_folds` rows.
    sample_weight : array-like of shape (n,) or None
        Weights for scaling and for the log-loss, not negative; rows of weight 0 are left out. The vote of a neighbour
        does not depend on its weight: the method knows no such thing.
    scale : bool, default=True
        Centre and scale the features, in each fold by the rows that are fitted to.
    neighbours : sequence of int or None
        Values of k to try. None tries 1 to 100, or as many as there are rows to fit to in the smallest fold.
    n_folds : int, default=5
        Number of folds, at least 2, stratified by class.
    rule : Rule, default=Rule.SD
        How far above the best mean the threshold lies: one standard deviation over folds as in the report, one
        standard error, or nothing.
    random_state : int, default=0
        Draws the folds: the same as those of a proset search with this seed.
    folds : sequence of Fold or None
        The folds instead of those, as positions among the rows of positive weight; every class has to be in each
        training part.
    progress : callable or None
        Called with a SearchProgress after every fold (stage 1) and the last fit (stage 3); raising from it stops.

    Raises
    ------
    ValueError
        For missing or infinite values, a single class, a class with fewer rows than folds, or a k out of range.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> result = fit_knn_classifier(X, y, neighbours=range(5, 31, 5))
    >>> result.k in range(5, 31, 5), result.predict(X[[0, 60, 120]])
    (True, array([0, 1, 2]))
    """
    begun = perf_counter()
    rows = check_training_rows(X, y, sample_weight, n_folds if folds is None else 1)
    if folds is None:
        folds = make_folds(rows.target, SearchPlan(n_folds=n_folds, random_state=random_state))
    found = choose_neighbours(rows, folds, neighbours=neighbours, scale=scale, rule=rule, progress=progress)
    model = Pipeline([*_scaling(scale), ("knn", KNeighborsClassifier(n_neighbors=found.k))])
    model.fit(rows.X, rows.target, **({"scale__sample_weight": rows.weight} if scale else {}))
    _tell(progress, 3, 1, 1, begun)
    return KnnResult(model, rows.classes, found.table.drop(columns="prior"), found.choice, perf_counter() - begun)


@dataclass(frozen=True, eq=False)
class NeighbourChoice:
    """Number of neighbours that vote, and the weight of the class shares beside them.

    Attributes
    ----------
    table : DataFrame
        One row per setting tried: k, prior, log-loss fold_1 to fold_F on the rows left out, mean, sd.
    choice : SettingChoice
        Rows of `table`.
    """

    table: pd.DataFrame
    choice: SettingChoice

    @property
    def k(self) -> int:
        """Number of neighbours chosen."""
        return int(self.table["k"].to_numpy()[self.choice.chosen])

    @property
    def prior(self) -> float:
        """Votes of the class shares chosen."""
        return float(self.table["prior"].to_numpy()[self.choice.chosen])


def choose_neighbours(
    rows: TrainingRows,
    folds: Sequence[Fold],
    *,
    neighbours: Sequence[int] | None = None,
    priors: Sequence[float] = (0.0,),
    scale: bool = True,
    rule: Rule = Rule.SD,
    progress: Callable[[SearchProgress], None] | None = None,
) -> NeighbourChoice:
    """Measure the log-loss of several numbers of neighbours on rows left out, and choose one of them.

    Parameters
    ----------
    rows : TrainingRows
        Checked rows.
    folds : sequence of Fold
        Positions among them.
    neighbours : sequence of int or None
        Values of k to try, see :func:`fit_knn_classifier`.
    priors : sequence of float
        Votes that the class shares may have beside those of the neighbours, at least 0: each is tried with each k.
    scale, rule, progress
        As for :func:`fit_knn_classifier`.

    Raises
    ------
    ProsetError
        If a k is out of range.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> rows = check_training_rows(*load_iris(return_X_y=True), None, 2)
    >>> folds = make_folds(rows.target, SearchPlan(n_folds=2))
    >>> found = choose_neighbours(rows, folds, neighbours=[5, 10], priors=(0.1, 1.0))
    >>> found.k, found.prior, len(found.table)
    (5, 0.1, 4)
    """
    begun = perf_counter()
    tried = _checked_neighbours(neighbours, min(len(fold.train) for fold in folds))
    losses = np.empty((len(priors), len(tried), len(folds)))
    for position, fold in enumerate(folds):
        losses[:, :, position] = _losses(rows, fold, tried, np.asarray(priors, dtype=np.float64), scale)
        _tell(progress, 1, position + 1, len(folds), begun)
    counts = np.tile(tried, len(priors))
    table = stage_table({"k": counts, "prior": np.repeat(priors, len(tried))}, losses.reshape(-1, len(folds)))
    choice = choose(table["mean"].to_numpy(), table["sd"].to_numpy(), len(folds), rule, counts.astype(np.float64))
    return NeighbourChoice(table, choice)


def _checked_neighbours(neighbours: Sequence[int] | None, limit: int) -> IntArray:
    """Return the values of k to try, ascending."""
    tried = np.unique(np.asarray(range(1, min(LARGEST_K, limit) + 1) if neighbours is None else neighbours))
    if tried.size == 0 or not np.issubdtype(tried.dtype, np.integer) or tried[0] < 1 or tried[-1] > limit:
        hint = f"Give whole numbers from 1 to {limit}, the rows to fit to in the smallest fold."
        raise ProsetError(f"neighbours is {neighbours!r}.", hint=hint)
    return tried.astype(np.int64)


def _scaling(scale: bool) -> list[tuple[str, StandardScaler]]:
    """Return the first step of the model, if there is one."""
    return [("scale", StandardScaler())] if scale else []


def _losses(rows: TrainingRows, fold: Fold, tried: IntArray, priors: FloatArray, scale: bool) -> FloatArray:
    """Measure the log-loss of every prior and k on the rows that a fold leaves out, from one search for neighbours."""
    train, test = fold.train, fold.test
    fitted, left_out = rows.X[train], rows.X[test]
    for _, scaler in _scaling(scale):
        scaler.fit(fitted, sample_weight=rows.weight[train])
        fitted, left_out = scaler.transform(fitted), scaler.transform(left_out)
    nearest = NearestNeighbors(n_neighbors=int(tried[-1])).fit(fitted).kneighbors(left_out, return_distance=False)
    votes = (rows.target[train][nearest] == rows.target[test][:, np.newaxis]).cumsum(axis=1)
    share = (np.bincount(rows.target[train], minlength=len(rows.classes)) / len(train))[rows.target[test]]
    estimates = (votes[:, tried - 1] + priors[:, np.newaxis, np.newaxis] * share[:, np.newaxis]) / (
        tried + priors[:, np.newaxis, np.newaxis]
    )
    return np.stack([log_loss(each, rows.weight[test]) for each in estimates])


def _tell(progress: Callable[[SearchProgress], None] | None, stage: int, done: int, total: int, begun: float) -> None:
    """Report progress to whoever asked for it."""
    if progress is None:
        return
    seconds = perf_counter() - begun
    share = done / (total + 1) if stage == 1 else 1.0
    progress(SearchProgress(stage, done, total, seconds, seconds * (1.0 - share) / share, share))
