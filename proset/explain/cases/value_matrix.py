"""Values of one feature as the model sees them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.explain.cases.value_range import ValueKind, ValueRange
from proset.explain.subject import Subject


def value_matrix(
    subject: Subject, scope: ValueRange, values: Sequence[Any] | NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the matrix columns of a feature for some of its values.

    Parameters
    ----------
    subject : Subject
        Whose feature it is.
    scope : ValueRange
        Names the feature and says of what kind it is.
    values : sequence
        Numbers; dates in days since 1970; levels as words.

    Returns
    -------
    float64 array of shape (n, g)
        In single precision as scoring has it, so that a value at a border falls on the same side.

    Examples
    --------
    >>> from proset.explain.cases.value_range import value_ranges
    >>> from proset.explain.subject import subject_of
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> scope = value_ranges(study)["sepal length (cm)"]
    >>> value_matrix(subject_of(study), scope, [5.1]).tolist() == study.encode([1]).X[:, [0]].tolist()
    True
    """
    study = subject.study
    if study is None:
        return np.asarray(values, dtype=np.float64)[:, None]
    encoder = study.design.encoder(scope.column)
    if scope.kind is ValueKind.LEVEL:
        return study.design.beside(scope.column, encoder.encode(pd.Series(values, dtype="str")).values)
    (column,) = encoder.columns
    return study.design.beside(scope.column, column.to_matrix(np.asarray(values, dtype=np.float64))[:, None])
