"""Columns in which cases and a prototype agree, as far as these count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from proset.common.errors import StudyError
from proset.common.notebook import Displayed
from proset.explain.cases.known_rows import known_rows
from proset.explain.plain_values import plain_fields
from proset.explain.subject import Cases, Explained, Subject, matrix_of, subject_of
from proset.study.case import Case

if TYPE_CHECKING:
    from proset.engine.set_manager import Batch

ALIKE, USUAL = 0.9, 0.75
"""Share of the similarity that a column leaves at least where two agree, and on average at most where that counts."""

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Alike(Displayed):
    """Similarity of cases and one prototype, taken apart by column.

    Attributes
    ----------
    batch, row : int
        The prototype: its batch from 1, and its row id (row of the training data beside a model).
    factors : float64 array of shape (n, A)
        Factors (2.3) of the similarity, in (0, 1]: 1 where both have the same values. Their product is the similarity.
    usual : float64 array of shape (A,)
        Mean of each factor over the training rows: near 1 where any value would do.
    features : tuple of str
        The A features that the batch uses.
    index : Index of length n
        The cases.
    """

    batch: int
    row: int
    factors: FloatArray
    usual: FloatArray
    features: tuple[str, ...]
    index: pd.Index

    @property
    def alike(self) -> NDArray[np.bool_]:
        """True where they agree in a column that counts, shape (n, A).

        The column leaves at least 0.9 of the similarity, and at most 0.75 on average over the training rows.
        """
        return (self.factors >= ALIKE) & (self.usual <= USUAL)

    def columns(self) -> list[tuple[str, ...]]:
        """Return, for each case, the columns in which it is alike where it counts, first those where few are."""
        order, alike = np.argsort(self.usual, kind="stable"), self.alike
        return [tuple(self.features[j] for j in order if own[j]) for own in alike]

    def to_frame(self) -> pd.DataFrame:
        """Return one line per case and feature: ``feature``, ``factor``, ``usual`` and ``alike``; index the cases."""
        n, count = self.factors.shape
        return pd.DataFrame(
            {
                "feature": pd.array(list(self.features) * n, dtype="str"),
                "factor": self.factors.ravel(),
                "usual": np.tile(self.usual, n),
                "alike": self.alike.ravel(),
            },
            index=self.index.repeat(count),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values."""
        return plain_fields(self, "batch", "row", "features", "index", "usual", "factors", "alike")


def where_alike(
    explained: Explained, batch: int, row: int, cases: Cases | None = None, *, known: ArrayLike | None = None
) -> Alike:
    """Say in which columns cases and a prototype agree, as far as these columns count.

    Parameters
    ----------
    batch : int
        Batch of the prototype, from 1.
    row : int
        Its row id; beside a model, its row in the training data.
    cases : array-like of shape (n, D), iterable of int, Case, or None
        A matrix beside a model; row ids beside a study, None for its training rows.
    known : array-like of shape (m, D) or None
        Beside a model: what it was fitted to.

    Raises
    ------
    StudyError
        If the model has no such prototype.
    ValueError
        If a model gets no cases, or does not get what it was fitted to.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> row = int(study.prototypes["row"].iloc[0])
    >>> found = where_alike(study, 1, row, [row])
    >>> found.factors.tolist(), found.columns()
    ([[1.0, 1.0]], [('sepal width (cm)', 'sepal length (cm)')])
    """
    subject = subject_of(explained)
    batches = subject.manager.batches
    own = batches[batch - 1] if 1 <= batch <= len(batches) else None
    rows = np.zeros(0) if own is None else own.sample_index
    if subject.study is not None and own is not None:
        rows = subject.study.split.train[own.sample_index]
    here = np.flatnonzero(rows == row)
    if own is None or not len(here):
        raise StudyError(
            f"Batch {batch} has no prototype from row {row}.",
            hint="The table of all prototypes lists what there is.",
        )
    matrix, learned = matrix_of(explained, cases), _training(explained, subject, cases, known)
    names, groups = _groups(subject, own)
    return Alike(
        batch=batch,
        row=row,
        factors=_factors(own, int(here[0]), groups, matrix.X),
        usual=_factors(own, int(here[0]), groups, learned).mean(axis=0),
        features=names,
        index=matrix.index,
    )


def _training(explained: Explained, subject: Subject, cases: Cases | None, known: ArrayLike | None) -> FloatArray:
    """Return the training rows as rows of the matrix."""
    if subject.study is not None:
        return matrix_of(explained).X
    if known is None and isinstance(cases, Case):
        known = known_rows(subject, cases).X
    if known is None:
        raise ValueError("A model alone knows no cases: pass the training matrix as 'known'.")
    return matrix_of(explained, known).X


def _groups(subject: Subject, batch: Batch) -> tuple[tuple[str, ...], list[NDArray[np.int64]]]:
    """Return the features that a batch uses, and the places of the columns of each in it."""
    found = {
        name: np.flatnonzero(np.isin(batch.active_features, group))
        for name, group in zip(subject.features, subject.groups, strict=True)
    }
    found = {name: places for name, places in found.items() if len(places)}
    return tuple(found), list(found.values())


def _factors(batch: Batch, position: int, groups: list[NDArray[np.int64]], X: FloatArray) -> FloatArray:
    """Return the factors of rows and one prototype by group, shape (n, A)."""
    apart = (X[:, batch.active_features] - batch.prototypes[position]) * batch.feature_weights.astype(np.float64)
    apart *= apart
    sums = [apart[:, places].sum(axis=1) for places in groups]
    return np.exp(-0.5 * np.column_stack(sums)) if sums else np.ones((len(X), 0))
