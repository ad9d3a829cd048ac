"""Hyperparameter selection with the manners of scikit-learn: a matrix in, a fitted model out."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler
from sklearn.utils import _safe_indexing, check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

from proset.common.errors import StudyError
from proset.engine.fitting import BatchSettings
from proset.engine.model import ClassifierModel
from proset.engine.set_manager import FloatArray, IntArray
from proset.selection.plan import SearchPlan
from proset.selection.record import SearchRecord
from proset.selection.run import run_search
from proset.selection.search_progress import ProgressCallback, keeping, refit_progress
from proset.selection.tasks import SearchData
from proset.selection.words import search_report

_SCALE: Any = StandardScaler()  # cloned before every use


@dataclass(frozen=True, eq=False)
class MatrixPreparer:
    """Takes rows and scales them as the training rows ask for.

    Attributes
    ----------
    X : ndarray or DataFrame of shape (n, D)
        All rows.
    transform : transformer or None
        Cloned and fitted on the training rows of each fold; None leaves the matrix as it is.
    """

    X: Any
    transform: Any = None

    def __call__(self, train: IntArray, test: IntArray, /) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Feature matrices of the training rows and of the rows left out."""
        rows = _safe_indexing(self.X, train)
        fitted = _fit_transform(self.transform, rows)
        return _matrix(fitted, rows), _matrix(fitted, _safe_indexing(self.X, test))


@dataclass(frozen=True, eq=False)
class SearchResult:
    """What :func:`select_hyperparameters` found.

    Attributes
    ----------
    record : SearchRecord
        Both stages, thresholds, optimal and chosen rows.
    model : ClassifierModel
        Fitted to all rows with the chosen penalties and number of batches.
    transform : transformer or None
        Fitted to all rows; what the model's features have to go through.
    """

    record: SearchRecord
    model: ClassifierModel
    transform: Any

    def __repr__(self) -> str:
        """Say what was chosen; :meth:`report` says more."""
        lambda_v, lambda_w = self.record.chosen_penalties
        return f"SearchResult(lambda_v={lambda_v:.3g}, lambda_w={lambda_w:.3g}, n_batches={self.record.chosen_batches})"

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Estimate class probabilities of rows as they were passed to the search, shape (n, K)."""
        return self.model.predict_proba(self._ready(X))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the class with the highest estimated probability, shape (n,)."""
        return self.model.predict(self._ready(X))

    def report(self) -> str:
        """Return the report of the search for printing."""
        return search_report(self.record)

    def _ready(self, X: ArrayLike) -> Any:
        """Rows as the model takes them, with the names of its columns if it knows them."""
        if self.transform is None:
            return X
        names = getattr(self.model, "feature_names_in_", None)
        matrix = _matrix(self.transform, X)
        return matrix if names is None else pd.DataFrame(matrix, columns=names)


def select_hyperparameters(
    model: ClassifierModel,
    X: ArrayLike,
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    cv_groups: ArrayLike | None = None,
    transform: Any = _SCALE,
    plan: SearchPlan | None = None,
    n_jobs: int | None = None,
    progress: ProgressCallback | None = None,
    record: SearchRecord | None = None,
) -> SearchResult:
    """Choose penalties and number of batches by cross-validation and fit the model to all rows (algorithm 2.2).

    Parameters
    ----------
    model : ClassifierModel
        Sets everything that is not searched, the tolerance of the refit included. Left as it is.
    X : array-like or DataFrame of shape (n, D)
        Features as `transform` takes them; finite numbers behind it.
    y : array-like of shape (n,)
        Class labels.
    sample_weight : array-like of shape (n,) or None
        Multiplicity of each sample in fits and in the log-loss; samples of weight 0 are left out.
    cv_groups : array-like of shape (n,) or None
        Rows with the same value stay in the same fold.
    transform : transformer or None, default=StandardScaler()
        Fitted anew on the training part of each fold, and on all rows for the refit. None: the features are ready.
    plan : SearchPlan or None
        What to try; None takes the defaults.
    n_jobs : int or None, default=None
        Processes, see :func:`proset.selection.run_search`. The result does not depend on it.
    progress : callable or None
        Called with a :class:`SearchProgress` after every fit; may raise :class:`Cancelled`.
    record : SearchRecord or None
        A record to go on from, such as that of a search that was cancelled.

    Returns
    -------
    SearchResult

    Raises
    ------
    ValueError
        If the data or the plan cannot be used; the message says why.
    Cancelled, Interrupted
        If `progress` raised the former, or at Ctrl-C; ``record`` is what was finished.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> plan = SearchPlan(n_trials=3, n_folds=3, max_batches=2)
    >>> result = select_hyperparameters(ClassifierModel(random_state=0), X, y, plan=plan)
    >>> result.predict(X[[0, 60, 120]])
    array([0, 1, 2])
    """
    plan = plan or SearchPlan()
    rows, labels, weight, groups = _checked(X, y, sample_weight, cv_groups)
    classes, target = np.unique(labels, return_inverse=True)
    if classes.shape[0] < 2:
        raise StudyError(
            f"All rows are of class {str(classes[0])!r}.", hint="Classification needs two classes or more."
        )
    data = SearchData(
        target=target.astype(np.int64),
        weight=weight,
        groups=groups,
        prepare=MatrixPreparer(rows, transform),
        classes=tuple(str(name) for name in classes),
    )
    begin = time.perf_counter()
    found = run_search(data, BatchSettings.of(model), plan, n_jobs=n_jobs, progress=progress, record=record)
    lambda_v, lambda_w = found.chosen_penalties
    fitted = clone(model).set_params(lambda_v=lambda_v, lambda_w=lambda_w, n_iter=found.chosen_batches)
    scaler = _fit_transform(transform, rows)
    report = refit_progress(progress, time.perf_counter() - begin, found)
    with keeping(lambda: found):
        fitted.fit(_named(scaler, rows), labels, sample_weight=weight, progress=report)
    return SearchResult(found, fitted, scaler)


def _fit_transform(transform: Any, rows: Any) -> Any:
    """A fitted copy of a transformer; None stays None."""
    return None if transform is None else clone(transform).fit(rows)


def _matrix(transform: Any, rows: Any) -> NDArray[np.floating]:
    """Rows as the model takes them: transformed, two-dimensional, finite."""
    transformed = rows if transform is None else transform.transform(rows)
    checked: NDArray[np.floating] = check_array(transformed, dtype=[np.float64, np.float32])
    return checked


def _named(transform: Any, rows: Any) -> Any:
    """Rows as the model takes them, a DataFrame if the columns have names."""
    matrix = _matrix(transform, rows)
    if not hasattr(rows, "columns") or not all(isinstance(name, str) for name in rows.columns):
        return matrix
    if transform is None:
        return pd.DataFrame(matrix, columns=rows.columns)
    if not hasattr(transform, "get_feature_names_out"):
        return matrix
    return pd.DataFrame(matrix, columns=transform.get_feature_names_out())


def _checked(
    X: Any, y: ArrayLike, sample_weight: ArrayLike | None, cv_groups: ArrayLike | None
) -> tuple[Any, NDArray[Any], FloatArray, IntArray | None]:
    """Features, labels, weights and group numbers of the rows that count."""
    features = X if hasattr(X, "iloc") else np.asarray(X)
    labels = column_or_1d(y, warn=True)
    check_consistent_length(features, labels, cv_groups)
    check_classification_targets(labels)
    weight = _check_sample_weight(sample_weight, labels[:, None], dtype=np.float64, ensure_non_negative=True)
    if cv_groups is not None and pd.isna(np.asarray(cv_groups, dtype=object)).any():
        raise StudyError("cv_groups has rows without a group.", hint="Give every row one, if need be one of its own.")
    groups = None if cv_groups is None else np.unique(np.asarray(cv_groups), return_inverse=True)[1].astype(np.int64)
    counts = np.flatnonzero(weight > 0.0)
    if counts.shape[0] == 0:
        raise StudyError("All sample weights are zero: there is nothing to learn from.")
    if counts.shape[0] < weight.shape[0]:
        features, labels, weight = _safe_indexing(features, counts), labels[counts], weight[counts]
        groups = None if groups is None else groups[counts]
    return features, labels, weight, groups
