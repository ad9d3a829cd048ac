"""Model with matrices or study with row ids, told apart once for all explanations."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted, validate_data

from proset.common.lazy import lazy_property
from proset.common.words import listed
from proset.data.design import Encoded
from proset.engine.model import ClassifierModel
from proset.engine.regressor import RegressorModel
from proset.explain.plain_values import class_names
from proset.selection.matrices import named_as
from proset.study import NumberStudy, Study
from proset.study.case import Case, KnownRows

if TYPE_CHECKING:
    from proset.engine.set_manager import SetManager

Explained = ClassifierModel | Study
"""First parameter of explanations."""
Cases = ArrayLike | Iterable[int] | Case
"""Second parameter: a matrix of shape (n, D) beside a model, row ids beside a study."""
_NEW = pd.RangeIndex(1)


@dataclass(frozen=True, eq=False)
class Subject:
    """A fitted model with names for what goes in and what comes out.

    A study's features are the columns of its table, each of which may stand in several matrix columns (one for each
    level of a category); a model's features are the columns of its matrix.

    Attributes
    ----------
    manager : SetManager
        Scores rows of the matrix.
    features : tuple of str
        Names of the F features.
    groups : tuple of int64 arrays
        Matrix columns of each feature, none in two of them; empty for a feature that did not vary in training.
    columns : tuple of str
        Names of the D matrix columns.
    classes : tuple of str
        Names of the K classes, in the order of the probabilities.
    study : Study or None
        Where the names come from; None for a model alone.
    """

    manager: SetManager
    features: tuple[str, ...]
    groups: tuple[NDArray[np.int64], ...]
    columns: tuple[str, ...]
    classes: tuple[str, ...]
    study: Study | None = None

    @lazy_property
    def own(self) -> tuple[NDArray[np.int64], ...]:
        """Matrix columns that hold the values of each feature: its group without the evidence behind them."""
        if self.study is None:
            return self.groups
        columns = self.study.design.columns
        return tuple(group[[columns[j].evidence_for is None for j in group.tolist()]] for group in self.groups)

    def values_of(self, features: Collection[str]) -> NDArray[np.int64]:
        """Return the matrix columns that hold values of some features, ascending."""
        return columns_of(self.features, self.own, features)

    @property
    def active(self) -> NDArray[np.int64]:
        """Positions of the features that estimates depend on, ascending, shape (A,)."""
        used = set(self.manager.get_active_features().tolist())
        return np.array([i for i, group in enumerate(self.groups) if used.intersection(group.tolist())], dtype=np.int64)

    @property
    def heaviest_columns(self) -> NDArray[np.int64]:
        """Matrix columns that any batch uses, by the largest weight that one gives them, descending."""
        weights, columns = self.manager.get_feature_weights()
        return columns[np.argsort(-weights.max(axis=0, initial=0.0), kind="stable")]

    @property
    def by_weight(self) -> dict[str, list[int]]:
        """The features that estimates depend on, by descending weight of their heaviest matrix column, and its places.

        That of the batch that gives it most. Matrix columns that no batch uses are left out.
        """
        feature = {int(j): name for name, group in zip(self.features, self.groups, strict=True) for j in group}
        result: dict[str, list[int]] = {}
        for j in self.heaviest_columns.tolist():
            result.setdefault(feature[j], []).append(j)
        return result


@dataclass(frozen=True, eq=False)
class Matrix:
    """Cases as rows of the matrix that the model sees.

    Attributes
    ----------
    X : float64 array of shape (n, D)
        Finite values.
    index : Index of length n
        Row ids of a study, the index of a DataFrame, or positions from 0.
    """

    X: NDArray[np.float64]
    index: pd.Index


def columns_of(
    named: Iterable[str], groups: Iterable[NDArray[np.int64]], features: Collection[str]
) -> NDArray[np.int64]:
    """Return the matrix columns of some of all features, which stand in a group each, ascending."""
    some = [group for name, group in zip(named, groups, strict=True) if name in features]
    return np.sort(np.concatenate([np.zeros(0, dtype=np.int64), *some]))


def subject_of(explained: Explained) -> Subject:
    """Return the names and the scoring of a fitted model or a study.

    Raises
    ------
    NotFittedError
        If the model is not fitted.
    TypeError
        If it is neither a model nor a study.

    Examples
    --------
    >>> from proset import ClassifierModel
    >>> model = ClassifierModel().fit([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]], list("aaabbb"))
    >>> subject_of(model).features, subject_of(model).classes
    (('x0',), ('a', 'b'))
    """
    if isinstance(explained, Study):
        return _subject_of_study(explained)
    if not isinstance(explained, ClassifierModel):
        raise TypeError(
            f"A ClassifierModel or a Study is explained, not a {type(explained).__name__}.{_inside(explained)}"
        )
    check_is_fitted(explained)
    manager = explained.set_manager_
    names = getattr(explained, "feature_names_in_", [f"x{j}" for j in range(manager.num_features)])
    columns = tuple(str(name) for name in names)
    groups = tuple(np.array([j]) for j in range(len(columns)))
    return Subject(manager, columns, groups, columns, tuple(str(name) for name in explained.classes_))


def _inside(explained: object) -> str:
    """Say where in a search or a pipeline the model is, and what its matrix has gone through."""
    if hasattr(explained, "model_") and hasattr(explained, "transformer_"):
        return " Take its .model_, with rows that went through its .transformer_."
    if isinstance(explained, (NumberStudy, RegressorModel)):
        return " Of a number, take explain.number_answer and what else begins with number_."
    if hasattr(explained, "named_steps"):
        return " Take its last step and rows that went through the others: pipeline[-1], pipeline[:-1].transform(X)."
    return ""


def study_of(explained: object, what: str) -> Study:
    """Return the study that `what` needs, or refuse a model and say the way out.

    Raises
    ------
    TypeError
        If it is no study.

    Examples
    --------
    >>> study_of(ClassifierModel(), "stability")
    Traceback (most recent call last):
        ...
    TypeError: stability needs a Study, which keeps its table: fit one with proset.fit_study(table, roles).
    """
    if not isinstance(explained, Study):
        raise TypeError(f"{what} needs a Study, which keeps its table: fit one with proset.fit_study(table, roles).")
    return explained


def _subject_of_study(study: Study) -> Subject:
    """Return a study's subject: the features are the table's columns."""
    features = study.roles.features
    sources = np.array(study.design.column_sources, dtype=object)
    return Subject(
        manager=study.model.set_manager_,
        features=features,
        groups=tuple(np.flatnonzero(sources == name).astype(np.int64) for name in features),
        columns=tuple(column.name for column in study.design.columns),
        classes=study.classes,
        study=study,
    )


def matrix_of(explained: Explained, cases: Cases | None = None) -> Matrix:
    """Return cases as rows of the matrix.

    Parameters
    ----------
    explained : ClassifierModel or Study
        Says how `cases` are meant.
    cases : array-like of shape (n, D), iterable of int, Case, or None
        Feature rows beside a model; row ids of the table beside a study, None for its training rows; or one case.

    Returns
    -------
    Matrix
        In the order of `cases`.

    Raises
    ------
    ValueError
        If a model gets no matrix, or one that does not fit it.
    StudyError
        If these are no row ids, or the table has no such row.

    Examples
    --------
    >>> from proset import ClassifierModel
    >>> model = ClassifierModel().fit([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]], list("aaabbb"))
    >>> matrix_of(model, [[0.5], [0.7]]).X.shape
    (2, 1)
    """
    if isinstance(cases, Case):
        own = pd.RangeIndex(1) if cases.row is None else pd.Index([cases.row], name="row")
        return Matrix(as_case(explained, cases).x[None], own)
    if isinstance(explained, Study):
        rows: Any = explained.split.train if cases is None else cases
        encoded = explained.encode(rows)
        return Matrix(encoded.X.astype(np.float64), pd.Index(encoded.rows, name="row"))
    if cases is None:
        raise ValueError("A model alone has no rows: pass a matrix of shape (n, D).")
    check_is_fitted(explained)
    values = validate_data(explained, cases, dtype=np.float64, reset=False)
    index = cases.index if isinstance(cases, pd.DataFrame) else pd.RangeIndex(len(values))
    return Matrix(values, index)


def point_of(explained: Explained, point: Any) -> NDArray[np.float64]:
    """Return one point of the feature space as a row of the matrix.

    Parameters
    ----------
    explained : ClassifierModel or Study
        Says how `point` is meant.
    point : ReferencePoint, array-like of shape (D,) or (1, D), or int
        Anything with an attribute ``x`` that holds the row; the row itself; or, beside a study, a row id.

    Returns
    -------
    float64 array of shape (D,)

    Raises
    ------
    ValueError
        If it is not one row that fits the model.
    StudyError
        If the table has no such row.

    Examples
    --------
    >>> from proset import ClassifierModel
    >>> model = ClassifierModel().fit([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]], list("aaabbb"))
    >>> point_of(model, [0.5]).tolist()
    [0.5]
    """
    if isinstance(explained, Study) and isinstance(point, (int, np.integer)):
        return matrix_of(explained, [int(point)]).X[0]
    subject = subject_of(explained)
    width = subject.manager.num_features
    # A Series or a DataFrame may have a column of that name.
    named = isinstance(point, (pd.Series, pd.DataFrame))
    bare = named or not hasattr(point, "x")
    if named and (isinstance(explained, Study) or hasattr(explained, "feature_names_in_")):
        point = in_order_of(point, subject.columns)
    values = np.asarray(point if bare else point.x, dtype=np.float64)
    row: NDArray[np.float64] = values.reshape(-1)
    if values.ndim not in (1, 2) or row.shape[0] != width:
        raise ValueError(f"A point is one row of {width} finite numbers; this has the shape {values.shape}.")
    if not np.isfinite(row).all():
        lacking = [name for name, finite in zip(subject.columns, np.isfinite(row), strict=True) if not finite]
        raise ValueError(f"A point is one row of {width} finite numbers; this has none for {listed(lacking, most=5)}.")
    return row


def in_order_of(values: pd.Series | pd.DataFrame, columns: Sequence[str]) -> pd.Series | pd.DataFrame:
    """Put a Series or a frame into the order of a model's columns; one without names comes back as it is.

    Raises
    ------
    ValueError
        If it has names, but not those of the model.

    Examples
    --------
    >>> in_order_of(pd.Series({"b": 2.0, "a": 1.0}), ["a", "b"]).tolist()
    [1.0, 2.0]
    """
    names = values.index if isinstance(values, pd.Series) else values.columns
    if not all(isinstance(name, str) for name in names):
        return values
    if sorted(names) != sorted(columns):
        raise ValueError(f"A point has the columns {listed(columns, most=5)}; this has {listed(names, most=5)}.")
    return values.reindex(list(columns)) if isinstance(values, pd.Series) else values[list(columns)]


def as_case(explained: Explained, case: Any, *, known: ArrayLike | None = None, y: ArrayLike | None = None) -> Case:
    """Return one case in the one shape that everything that explains it takes.

    Parameters
    ----------
    explained : ClassifierModel or Study
        Says how `case` is meant.
    case : Case, int, DataFrame, or array-like of shape (D,) or (1, D)
        A case as it is; a row id or a frame of one row beside a study; a row of the matrix beside a model.
    known : array-like of shape (n, D) or None
        Beside a model: what it was fitted to. A study knows its training rows.
    y : array-like of shape (n,) or None
        Beside a model: the classes of the known rows.

    Raises
    ------
    ValueError
        If something is not one row that fits the model, or the case belongs to another model.
    StudyError
        If the table has no such row, or the frame does not hold exactly one.
    DesignError
        If the frame lacks a column that the model uses, or a cell does not fit its column.

    Examples
    --------
    >>> from proset import ClassifierModel
    >>> model = ClassifierModel().fit([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]], list("aaabbb"))
    >>> as_case(model, [0.5]).cells, as_case(model, [0.5]).name
    ({'x0': 0.5}, 'new row')
    """
    if isinstance(case, Case):
        if case.source is not explained:
            raise ValueError("The case belongs to another model: make it anew for this one.")
        if known is None or isinstance(explained, Study):
            return case
        return replace(case, known=_known_rows(explained, known, y))
    if isinstance(explained, Study):
        return explained.case(case)
    features = subject_of(explained).features
    matrix = Matrix(point_of(explained, case)[None], _NEW) if not isinstance(case, pd.DataFrame) else None
    matrix = matrix or matrix_of(explained, case)
    if len(matrix.X) != 1:
        raise ValueError(f"One row can be explained at a time, but {len(matrix.X):,} were given.")
    frame = pd.DataFrame(matrix.X, index=matrix.index, columns=list(features))
    untouched = pd.DataFrame(False, index=frame.index, columns=frame.columns)
    encoded = Encoded(matrix.X, np.zeros(1, dtype=np.int64), untouched, untouched)  # type: ignore[arg-type]
    name = "new row" if matrix.index is _NEW else f"row {matrix.index[0]}"
    return Case(explained, None, frame, encoded, name, None if known is None else _known_rows(explained, known, y))


def _known_rows(explained: ClassifierModel, known: ArrayLike, y: ArrayLike | None) -> KnownRows:
    """Return what a model was fitted to, checked."""
    X = matrix_of(explained, known).X
    if y is not None and np.shape(y) != (len(X),):
        raise ValueError(f"There are {len(X):,} known rows, but 'y' has the shape {np.shape(y)}.")
    labels = None if y is None else class_names(y, explained.classes_)
    return KnownRows(named_as(explained, X), labels, np.arange(len(X)))
