"""Cases beside a reference: what every attribution to features starts from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.words import listed, shown
from proset.engine.evidence.factors import Games, KernelFactors, games, kernel_factors
from proset.engine.kernels.similarity import row_blocks
from proset.explain.attribution.reference import choose_reference_point
from proset.explain.plain_values import plain_label
from proset.explain.subject import Cases, Explained, Matrix, Subject, matrix_of, point_of, subject_of
from proset.study import Study

_FACTORS_AT_ONCE = 1 << 20


@dataclass(frozen=True, eq=False)
class ReferenceComparison:
    """Cases, a reference, and the similarities of both to all prototypes, feature by feature.

    Attributes
    ----------
    subject : Subject
        The model.
    matrix : Matrix
        The cases.
    point : float64 array of shape (D,)
        The reference as a row of the matrix.
    name : object
        What the reference is called: a row id, a label or a position; None for a point given by its values.
    factors : KernelFactors
        The prototypes; their players are the active features.
    """

    subject: Subject
    matrix: Matrix
    point: NDArray[np.float64]
    name: Any
    factors: KernelFactors

    @property
    def cells(self) -> pd.DataFrame | None:
        """Values of the features in the cases: of the table beside a study, None for cases that are not in it."""
        features, study, index = list(self.subject.features), self.subject.study, self.matrix.index
        if study is None:
            return pd.DataFrame(self.matrix.X, index=index, columns=features)
        return study.table.frame.loc[index, features] if index.name == study.table.frame.index.name else None

    def games(self) -> Iterator[Games]:
        """Yield the cases against the reference, those together that differ in the same features.

        ``rows`` are positions among the cases; ``players`` are positions among the features of the subject.
        """
        active = self.subject.active
        at_reference = self.factors.at(self.point[None])[0]
        for block in row_blocks(len(self.matrix.X), at_reference.size, max_elements=_FACTORS_AT_ONCE):
            for game in games(self.factors.weights, self.factors.at(self.matrix.X[block]), at_reference):
                yield replace(game, rows=game.rows + block.start, players=active[game.players])


def compare(explained: Explained, cases: Cases | None, reference: Any) -> ReferenceComparison:
    """Put cases beside a reference.

    Parameters
    ----------
    cases : array-like of shape (n, D), iterable of int, or None
        A matrix beside a model; row ids beside a study, None for its training rows. Cases that are not in the table of
        a study may also come as an array of two dimensions, rows of its matrix.
    reference : ReferencePoint, ClassMedoid, array-like of shape (D,), int, or None
        A point, its row of the matrix, a row id beside a study, or None for the chosen point of a study.

    Raises
    ------
    ValueError
        If a model gets no reference, or something does not fit.

    Examples
    --------
    >>> from proset import ClassifierModel
    >>> model = ClassifierModel().fit([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]], list("aaabbb"))
    >>> compare(model, [[0.5]], [0.0]).point.tolist()
    [0.0]
    """
    subject = subject_of(explained)
    if reference is None:
        if not isinstance(explained, Study):
            raise ValueError("A model alone has no rows to choose a reference from: pass a reference.")
        reference = choose_reference_point(explained)
    point = point_of(explained, reference)
    if subject.study is not None and isinstance(cases, np.ndarray) and cases.ndim == 2:
        rows = [point_of(explained, row) for row in cases]
        matrix = Matrix(np.array(rows).reshape(-1, len(point)), pd.RangeIndex(len(rows)))
    else:
        matrix = matrix_of(explained, cases)
    factors = kernel_factors(subject.manager, [subject.groups[i] for i in subject.active])
    return ReferenceComparison(subject, matrix, point, name_of(reference), factors)


def place_of(classes: Sequence[str], label: object) -> int:
    """Return the position of a class, or raise a ValueError that names them all.

    Examples
    --------
    >>> place_of(("a", "b"), "b")
    1
    """
    if str(label) not in classes:
        raise ValueError(f"There is no class '{shown(label)}'; the classes are {listed(classes)}.")
    return classes.index(str(label))


def name_of(point: Any) -> Any:
    """Return what a point is called: its row id or its index as a plain value; None for bare values.

    Examples
    --------
    >>> name_of(17), name_of([0.5, 1.0])
    (17, None)
    """
    label = point if isinstance(point, (int, np.integer)) else getattr(point, "index", None)
    if callable(label) or isinstance(label, pd.Index):  # a list's method, a Series' labels
        return None
    return plain_label(label)
