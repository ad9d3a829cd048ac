"""Hyperparameter selection with the manners of scikit-learn: a matrix in, a fitted model out."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from proset.common.errors import ProsetError, StudyError
from proset.engine.fitting import BatchSettings
from proset.engine.model import ClassifierModel
from proset.engine.set_manager import FloatArray
from proset.selection.either import ClassPlan, ClassRecord, check_kind, settings_found
from proset.selection.joint_plan import JointPlan
from proset.selection.joint_record import JointRecord
from proset.selection.matrices import (
    CHOOSE,
    LabelledRows,
    as_matrix,
    as_named_matrix,
    check_labelled_rows,
    check_transform,
    fitted_copy,
    keep_names,
    named_as,
    numbered_among,
    on_scale,
)
from proset.selection.plan import SearchPlan
from proset.selection.record import SearchRecord
from proset.selection.search import search
from proset.selection.search_progress import ProgressCallback, keeping, refit_progress
from proset.selection.words import search_report


@dataclass(frozen=True, eq=False)
class SearchResult:
    """Result of :func:`select_hyperparameters`; its methods take rows as they were passed to the search.

    Attributes
    ----------
    record : JointRecord or SearchRecord
        What was measured, and what was chosen.
    model : ClassifierModel
        Fitted to all rows with the chosen penalties and number of batches; its prototypes name their samples among
        all that were passed, those of weight 0 included.
    transform : transformer or None
        Fitted to all rows; what the model's features have to go through.
    """

    record: ClassRecord
    model: ClassifierModel
    transform: Any

    def __repr__(self) -> str:
        """Say what was chosen; :meth:`report` says more."""
        lambda_v, lambda_w = self.record.chosen_penalties
        return f"SearchResult(lambda_v={lambda_v:.3g}, lambda_w={lambda_w:.3g}, n_batches={self.record.chosen_batches})"

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Estimate class probabilities, shape (n, K)."""
        return self.model.predict_proba(self.ready(X))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the class with the highest estimated probability, shape (n,)."""
        return self.model.predict(self.ready(X))

    def report(self) -> str:
        """Return the report of the search for printing."""
        return search_report(self.record)

    def ready(self, X: ArrayLike) -> Any:
        """Return rows as `model` takes them, with the names of its columns if it knows them."""
        if self.transform is None:
            return X
        return named_as(self.model, as_matrix(self.transform, X))


def select_hyperparameters(
    model: ClassifierModel,
    X: ArrayLike,
    y: ArrayLike,
    *,
    sample_weight: ArrayLike | None = None,
    cv_groups: ArrayLike | None = None,
    cv_times: ArrayLike | None = None,
    transform: Any = CHOOSE,
    plan: ClassPlan | None = None,
    n_jobs: int | None = None,
    progress: ProgressCallback | None = None,
    record: ClassRecord | None = None,
) -> SearchResult:
    """Choose penalties and number of batches by cross-validation and fit the model to all rows.

    What cannot be fitted is refused before the first fit. :class:`proset.selection.ProsetClassifierCV` is the same as
    an estimator.

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
    cv_times : array-like of shape (n,) or None
        When each row was, as numbers: folds learn from rows before those that they leave out.
    transform : transformer, "choose", "scale", "squashed", "quantile", "evidence" or None, default="choose"
        Fitted anew on the training part of each fold, and on all rows for the refit. "choose" takes a scale of
        ``plan.scales``, "scale" (a ``StandardScaler``) where the plan has none; the others are those of
        :class:`proset.selection.ColumnScaler`. None: the features are ready.
    plan : JointPlan, SearchPlan or None
        What to try: a JointPlan searches all at once, a SearchPlan by algorithm 2.2. None takes that of `record`, or
        else ``JointPlan()``.
    n_jobs : int or None, default=None
        Processes, see :func:`proset.selection.run_search`. The result does not depend on it.
    progress : callable or None
        Called with a :class:`SearchProgress` after every fit; may raise :class:`Cancelled`.
    record : JointRecord, SearchRecord or None
        A record to go on from, such as that of a search that was cancelled.

    Raises
    ------
    StudyError
        A ValueError that says why the model, the data or the plan cannot be used.
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
    _check_kinds(model, plan, record)
    asked, transform = transform, check_transform(transform)
    plan = plan or (record.plan if record is not None else JointPlan())
    rows = check_labelled_rows(X, y, sample_weight, cv_groups, cv_times)
    check_model(model, rows)
    begin = time.perf_counter()
    chooses = isinstance(asked, str) and asked == CHOOSE and isinstance(plan, JointPlan) and bool(plan.scales)
    data = rows.search_data(transform, chooses=chooses)
    found = search(data, BatchSettings.of(model), plan, n_jobs=n_jobs, progress=progress, record=record)
    settings = settings_found(found)
    transform = on_scale(transform, settings.pop("scale", None))
    fitted = clone(model).set_params(**settings)
    scaler = fitted_copy(transform, rows.X, rows.y)
    if isinstance(asked, str):
        keep_names(scaler, rows.X)
    report = refit_progress(progress, time.perf_counter() - begin, found)
    with keeping(lambda: found):
        fitted.fit(as_named_matrix(scaler, rows.X), rows.y, sample_weight=rows.weight, progress=report)
    return SearchResult(found, numbered_among(fitted, rows.places), scaler)


def check_model(model: ClassifierModel, rows: LabelledRows) -> None:
    """Refuse settings that a fit to the rows would refuse, by a fit of no batches.

    The penalties and the number of batches do not count: the search sets them.

    Raises
    ------
    StudyError
        Naming the setting, or the class with too few rows.
    """
    trial = clone(model).set_params(n_iter=0, lambda_v=0.0, lambda_w=0.0)
    try:
        trial.fit(np.zeros((rows.y.shape[0], 1), dtype=np.float32), rows.y, sample_weight=rows.weight)
    except ProsetError:
        raise
    except ValueError as error:
        raise StudyError(f"The model cannot be fitted: {error}", hint="Change the setting, then search.") from error


def _check_kinds(model: object, plan: object, record: object) -> None:
    """Refuse arguments that are something else altogether, by name."""
    if not isinstance(model, ClassifierModel):
        name = f"the class {model.__name__}" if isinstance(model, type) else f"a {type(model).__name__}"
        raise StudyError(
            f"model is {name}; the search is made for a ClassifierModel.",
            hint="Pass one such as ClassifierModel(random_state=0); steps before it go into transform.",
        )
    check_kind("plan", plan, (JointPlan, SearchPlan))
    check_kind("record", record, (JointRecord, SearchRecord))
