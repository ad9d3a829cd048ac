"""A typical row, and what prototypes have in answers: shared by explanations of a number."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from proset.engine.density_sets import DensityManager
from proset.explain.maps.feature_axes import feature_scale
from proset.explain.number_subject import NumberSubject

FloatArray = NDArray[np.float64]
_ROWS_AT_ONCE = 1_000


def middle(subject: NumberSubject) -> FloatArray:
    """Return medians and most frequent levels of the training rows, as a row of the matrix, shape (D,)."""
    rows = subject.study.encode(subject.study.split.train).X
    found = np.zeros(rows.shape[1])
    for i, group in enumerate(subject.groups):
        if len(group):
            scale = feature_scale(subject, i)
            found[scale.columns] = scale.middle(rows)
    return found


def typical_row(subject: NumberSubject) -> int:
    """Return the training row that is most like the middle of all, in the columns that the model uses.

    The middle itself need not be like any real case; equal ones go by row id.

    Examples
    --------
    >>> from proset.explain.number_subject import number_subject
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> row = study.table.frame.loc[typical_row(number_subject(study))]
    >>> row["built in"], int(row["cylinders"])
    ('USA', 4)
    """
    train = np.sort(np.asarray(subject.study.split.train))
    away = (subject.study.encode(train).X - middle(subject)) * subject.weights
    return int(train[np.einsum("nd,nd->n", away, away).argmin()])


def shares(manager: DensityManager, X: NDArray[np.floating]) -> Iterator[tuple[slice, FloatArray]]:
    """Return which share each prototype has in the answers for rows, batch after batch, some rows at a time.

    The rest of a row is what everybody says.
    """
    batches = manager.density_batches
    for start in range(0, len(X), _ROWS_AT_ONCE):
        rows = slice(start, min(start + _ROWS_AT_ONCE, len(X)))
        impacts = [batch.similarity(X[rows]) * batch.weights.astype(np.float64) for batch in batches]
        impact = np.concatenate([np.zeros((rows.stop - start, 0)), *impacts], axis=1)
        yield rows, impact / (1.0 + impact.sum(axis=1, keepdims=True))
