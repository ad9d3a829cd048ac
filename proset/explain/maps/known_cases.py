"""Cases with what is known of them: the rows of a study, or rows that a caller has for a model."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from proset.common.errors import ProsetError
from proset.common.words import count_words
from proset.explain.plain_values import class_names
from proset.explain.subject import Cases, Explained, Matrix, matrix_of, subject_of
from proset.study import Study

POINT_COLUMNS = ("part", "actual", "predicted", "correct", "confidence", "quantile")


@dataclass(frozen=True, eq=False)
class MappedCases:
    """Cases and what a model says of them.

    Attributes
    ----------
    facts : DataFrame
        Index ``row``; columns part, actual, predicted, correct, confidence, quantile as in
        :attr:`proset.study.Study.predictions`. A model's own cases count as held out and have no quantile.
    X : float array of shape (n, D)
        Their rows of the matrix.
    """

    facts: pd.DataFrame
    X: NDArray[np.floating]


def known_cases(explained: Explained, cases: Cases | None, y: ArrayLike | None = None) -> MappedCases:
    """Return cases with what is known of them.

    Parameters
    ----------
    cases : array-like of shape (n, D), iterable of int, or None
        A matrix beside a model, row ids beside a study; None for every row of a study, and for none of a model.
    y : array-like of shape (n,) or None
        Classes of a model's cases, if they are known; a study knows those of its rows.

    Raises
    ------
    ProsetError
        If there are not as many labels as cases.

    Examples
    --------
    >>> from proset import ClassifierModel
    >>> model = ClassifierModel().fit([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]], list("aaabbb"))
    >>> known_cases(model, [[0.05]], ["b"]).facts[["actual", "predicted", "correct"]].values.tolist()
    [['b', 'a', False]]
    """
    if isinstance(explained, Study):
        encoded = explained.encode(cast("Iterable[int] | None", cases))
        return MappedCases(explained.predictions.loc[encoded.rows, list(POINT_COLUMNS)], encoded.X)
    subject = subject_of(explained)
    if cases is None:
        matrix = Matrix(np.zeros((0, subject.manager.num_features)), pd.Index([], dtype="int64"))
    else:
        matrix = matrix_of(explained, cases)
    names = None if y is None else class_names(y, explained.classes_)
    said = said_of(subject.manager.probabilities(matrix.X), matrix.index, subject.classes, names)
    return MappedCases(said, matrix.X)


def said_of(
    probabilities: NDArray[np.float64], index: pd.Index, classes: tuple[str, ...], y: ArrayLike | None
) -> pd.DataFrame:
    """Return what estimates say of cases, with the columns that a study has for its rows.

    Parameters
    ----------
    probabilities : float array of shape (n, K)
        Estimates.
    index : Index of length n
        Names of the cases.
    y : array-like of shape (n,) or None
        Actual classes, if they are known.

    Returns
    -------
    DataFrame
        Index ``row``.

    Examples
    --------
    >>> said_of(np.array([[0.75, 0.25]]), pd.Index([3]), ("a", "b"), ["a"])["predicted"].tolist()
    ['a']
    """
    names = np.asarray(classes, dtype=object)[probabilities.argmax(axis=1)]
    actual = [None] * len(index) if y is None else [str(label) for label in np.asarray(y)]
    if len(actual) != len(index):
        raise ProsetError(
            f"There are {count_words(len(actual), 'label')} for {count_words(len(index), 'case')}.",
            hint="Pass one label per case.",
        )
    correct = [None if label is None else label == name for label, name in zip(actual, names, strict=True)]
    return pd.DataFrame(
        {
            "part": pd.array(["held_out"] * len(index), dtype="str"),
            "actual": pd.array(actual, dtype="str"),
            "predicted": pd.array(names, dtype="str"),
            "correct": pd.array(correct, dtype="boolean"),
            "confidence": probabilities.max(axis=1, initial=0.0),
            "quantile": np.full(len(index), np.nan),
        },
        index=index.rename("row"),
    )
