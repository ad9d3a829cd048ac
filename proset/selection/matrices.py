"""A matrix or frame as a search takes it: checked once, cut into folds, transformed as the training rows ask for."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from proset.common.errors import StudyError
from proset.data.scales import Scale
from proset.engine.set_manager import FloatArray, IntArray
from proset.engine.training_checks import refuse_missing_labels
from proset.engine.weights import check_sample_weight
from proset.selection.column_scaler import ColumnScaler
from proset.selection.inner_folds import GroupsAndTimes
from proset.selection.tasks import SearchData

SCALE, CHOOSE = "scale", "choose"
_BENT = tuple(str(scale) for scale in Scale if scale is not Scale.STANDARD)


@dataclass(frozen=True, eq=False)
class MatrixPreparer:
    """Takes rows and transforms them as the training rows ask for.

    Attributes
    ----------
    X : ndarray or DataFrame of shape (n, D)
        All rows.
    transform : transformer or None
        Cloned and fitted on the training rows of each fold; None leaves the matrix as it is.
    y : ndarray of shape (n,) or None
        Classes, for a transformer that looks at them.
    """

    X: Any
    transform: Any = None
    y: NDArray[Any] | None = None

    def on_scale(self, scale: Scale) -> MatrixPreparer:
        """Return the same for another scale."""
        return replace(self, transform=on_scale(self.transform, scale))

    def __call__(self, train: IntArray, test: IntArray, /) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Return the feature matrices of the training rows and of the rows left out."""
        rows = take_rows(self.X, train)
        fitted = fitted_copy(self.transform, rows, None if self.y is None else self.y[train])
        return as_matrix(fitted, rows), as_matrix(fitted, take_rows(self.X, test))


@dataclass(frozen=True, eq=False)
class LabelledRows:
    """Rows to learn from, those of weight zero left out.

    Attributes
    ----------
    X : ndarray or DataFrame of shape (n, D)
        Features as the transformer takes them.
    y : ndarray of shape (n,)
        Class labels, of two classes or more.
    weight : ndarray of float64, shape (n,)
        Sample weights, positive.
    known : GroupsAndTimes
        What folds have to respect.
    places : ndarray of int64, shape (n,)
        Their positions among the rows that the caller passed.
    """

    X: Any
    y: NDArray[Any]
    weight: FloatArray
    known: GroupsAndTimes
    places: IntArray

    def search_data(self, transform: Any, *, chooses: bool = False) -> SearchData:
        """Return the rows as a search takes them; with `chooses` it may take a scale in the transformer's place."""
        prepare = MatrixPreparer(self.X, transform, self.y)
        classes, target = np.unique(self.y, return_inverse=True)
        return SearchData(
            target=target.astype(np.int64),
            weight=self.weight,
            groups=self.known.groups,
            times=self.known.times,
            prepare=prepare,
            classes=tuple(str(name) for name in classes),
            scaled=prepare.on_scale if chooses else None,
        )


def check_labelled_rows(
    X: Any,
    y: ArrayLike,
    sample_weight: ArrayLike | None,
    groups: ArrayLike | None,
    times: ArrayLike | None = None,
) -> LabelledRows:
    """Check what a caller passed, once.

    Raises
    ------
    ValueError
        If X is sparse, the lengths differ, a weight, group or time is missing, all weights are zero, or all rows are of
        one class. The features are checked behind the transformer, before the first fit.
    """
    if issparse(X):
        raise StudyError("X is a sparse matrix, which a search cannot take.", hint="Pass X.toarray().")
    features = X if hasattr(X, "iloc") else np.asarray(X)
    refuse_missing_labels(y)
    labels = column_or_1d(y, warn=True)
    check_consistent_length(features, labels, groups)
    check_classification_targets(labels)
    weight = check_sample_weight(sample_weight, labels.shape[0])
    known = GroupsAndTimes.of(groups, times, labels.shape[0])
    counts = np.flatnonzero(weight > 0.0)
    if counts.shape[0] == 0:
        raise StudyError("All sample weights are zero: there is nothing to learn from.")
    if counts.shape[0] < weight.shape[0]:
        features, labels, weight = take_rows(features, counts), labels[counts], weight[counts]
        known = known.at(counts)
    if (labels == labels[0]).all():
        raise StudyError(
            f"There is only one class among the rows, {str(labels[0])!r}.",
            hint="Classification needs rows of two classes or more.",
        )
    return LabelledRows(features, labels, weight, known, counts)


def check_transform(transform: Any) -> Any:
    """Return a transformer or None.

    "scale" stands for a ``StandardScaler``, as "choose" does where nothing else is chosen, and the name of another
    scale for a :class:`ColumnScaler`.
    """
    if isinstance(transform, str) and transform in (SCALE, CHOOSE):
        return StandardScaler()
    if isinstance(transform, str) and transform in _BENT:
        return ColumnScaler(transform)
    if transform is None:
        return None
    if isinstance(transform, type) or not (hasattr(transform, "fit") and hasattr(transform, "transform")):
        raise StudyError(
            f"The transformer is {transform!r}; it has to be a scikit-learn transformer, None, or one of"
            f" {', '.join(map(repr, (CHOOSE, SCALE, *_BENT)))}.",
            hint="Pass an object such as MinMaxScaler(), not yet fitted; a Pipeline of transformers is one, too.",
        )
    return transform


def on_scale(standard: Any, scale: Scale | None) -> Any:
    """Return the transformer of a scale, not fitted; `standard` for the standard one, or where none was chosen."""
    return standard if scale in (None, Scale.STANDARD) else ColumnScaler(str(scale))


def fitted_copy(transform: Any, rows: Any, y: NDArray[Any] | None) -> Any:
    """Return a copy of a transformer that is fitted to rows and their classes; None stays None."""
    return None if transform is None else clone(transform).fit(rows, y)


def as_matrix(transform: Any, rows: Any) -> NDArray[np.floating]:
    """Return rows as the model takes them: transformed, two-dimensional, finite."""
    transformed = rows if transform is None else transform.transform(rows)
    checked: NDArray[np.floating] = check_array(transformed, dtype=[np.float64, np.float32])
    return checked


def named_as(estimator: Any, matrix: Any) -> Any:
    """Return a matrix as a frame whose columns have the names that an estimator has seen, if it has seen any."""
    names = getattr(estimator, "feature_names_in_", None)
    return matrix if names is None else pd.DataFrame(matrix, columns=names)


def keep_names(transform: Any, rows: Any) -> None:
    """Have a transformer return frames if the rows it was fitted to have names, as the model behind it asks for."""
    if _has_names(rows):
        transform.set_output(transform="pandas")


def _has_names(rows: Any) -> bool:
    """Tell whether all columns have names that scikit-learn takes for names."""
    return hasattr(rows, "columns") and all(isinstance(name, str) for name in rows.columns)


def as_named_matrix(transform: Any, rows: Any) -> Any:
    """Return rows as the model takes them, a DataFrame if the columns have names."""
    matrix = as_matrix(transform, rows)
    if not _has_names(rows):
        return matrix
    if transform is None:
        return pd.DataFrame(matrix, columns=rows.columns)
    if not hasattr(transform, "get_feature_names_out"):
        return matrix
    return pd.DataFrame(matrix, columns=transform.get_feature_names_out())


def numbered_among(model: Any, places: IntArray) -> Any:
    """Return a fitted model whose prototypes name their samples among more than those that it was fitted to.

    Parameters
    ----------
    model : ClassifierModel or RegressorModel
        Stays as it is.
    places : ndarray of int64, shape (n,)
        Positions of the samples that it was fitted to.
    """
    again, manager = copy.copy(model), model.set_manager_
    again.set_manager_ = manager.with_batches(
        tuple(batch and replace(batch, sample_index=places[batch.sample_index]) for batch in manager.batches)
    )
    return again


def take_over_columns(estimator: Any, seen: Any) -> None:
    """Have an estimator know the number and names of columns that a copy of it has seen, and no others."""
    for name in ("n_features_in_", "feature_names_in_"):
        estimator.__dict__.pop(name, None)
        if hasattr(seen, name):
            setattr(estimator, name, getattr(seen, name))


def take_rows(X: Any, rows: IntArray) -> Any:
    """Return the rows of an array or frame at these positions."""
    return X.iloc[rows] if hasattr(X, "iloc") else X[rows]
