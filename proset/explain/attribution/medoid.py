"""The most central case of one class: a reference that answers "compared with a typical case of this class"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from proset.common.notebook import Displayed
from proset.common.words import listed, shown
from proset.explain.attribution.reference import MAX_CASES, TIE, mean_distances, measured, some
from proset.explain.plain_values import class_names, plain_label
from proset.explain.subject import Cases, Explained, matrix_of, subject_of
from proset.study import Study


@dataclass(frozen=True, eq=False)
class ClassMedoid(Displayed):
    """The case of a class with the least mean distance to all other cases of that class.

    Attributes
    ----------
    label : str
        The class.
    index : int or object
        Row id in a study's table; else the label in the index of a DataFrame, or the position in the matrix.
    position, x, probabilities, familiarity
        As of a :class:`~proset.explain.attribution.reference.ReferencePoint`; the class need not be the most probable.
    distances : Series
        Mean distance to the others, of every case of the class that took part; index as `index`.
    n_cases : int
        Number of cases of the class to choose from; if there are more than in `distances`, these were drawn from them.
    """

    label: str
    index: Any
    position: int
    x: NDArray[np.float64]
    probabilities: NDArray[np.float64]
    familiarity: float
    classes: tuple[str, ...]
    distances: pd.Series
    n_cases: int

    def to_frame(self) -> pd.DataFrame:
        """Return the cases of the class by ascending mean distance."""
        return self.distances.sort_values(kind="stable").to_frame()

    def to_dict(self) -> dict[str, Any]:
        """Return the point, without the distances, as plain Python values."""
        return {
            "class": self.label,
            "index": plain_label(self.index),
            "position": self.position,
            "x": self.x.tolist(),
            "probabilities": dict(zip(self.classes, self.probabilities.tolist(), strict=True)),
            "familiarity": self.familiarity,
            "cases": self.n_cases,
            "cases_ranked": len(self.distances),
        }


def class_medoid(
    explained: Explained,
    cases: Cases | None = None,
    y: ArrayLike | None = None,
    *,
    class_name: object,
    max_cases: int = MAX_CASES,
    random_state: int = 0,
) -> ClassMedoid:
    """Find the most central case of a class.

    Parameters
    ----------
    cases : array-like of shape (n, D), iterable of int, or None
        Training rows: a matrix beside a model; row ids beside a study, None for its training rows.
    y : array-like of shape (n,) or None
        Classes of the cases; a study knows them itself.
    class_name : object
        The class, as text or as the model knows it.
    max_cases : int, default 2,000
        Of more cases of the class, that many are drawn.
    random_state : int, default 0
        Draws them.

    Returns
    -------
    ClassMedoid
        Rows that take part, and distances, are those of
        :func:`~proset.explain.attribution.reference.choose_reference_point`; ties go to the first case.

    Raises
    ------
    ValueError
        If no case has this class, or `y` does not fit.

    Examples
    --------
    >>> from proset import ClassifierModel
    >>> X, y = [[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]], list("aaabbb")
    >>> class_medoid(ClassifierModel().fit(X, y), X, y, class_name="b").index
    4
    """
    subject, matrix = subject_of(explained), matrix_of(explained, cases)
    if isinstance(explained, Study):
        known = explained.labels.reindex(matrix.index)
    elif y is None:
        raise ValueError("A model alone does not know the classes of cases: pass y.")
    else:
        known = pd.Series(class_names(y, explained.classes_), dtype="str")
        class_name = class_names(np.array([class_name], dtype=object), explained.classes_)[0]
    if len(known) != len(matrix.X):
        raise ValueError(f"{len(matrix.X)} cases need as many classes in y; these are {len(known)}.")
    own = np.flatnonzero((known == str(class_name)).to_numpy(dtype=bool, na_value=False))
    if not len(own):
        raise ValueError(f"No case has the class '{shown(class_name)}'; the classes are {listed(subject.classes)}.")
    own = measured(explained, matrix.index, own)
    n_cases, own = len(own), own[some(len(own), max_cases, random_state)]
    X = matrix.X[own]
    distances = mean_distances(X[:, subject.manager.get_active_features()])
    nearest = int(np.argmax(distances <= distances.min() + TIE * distances.max()))
    probabilities, familiarity = subject.manager.evaluate(X[[nearest]])
    return ClassMedoid(
        label=str(class_name),
        index=matrix.index[own[nearest]],
        position=int(own[nearest]),
        x=X[nearest],
        probabilities=probabilities[0],
        familiarity=float(familiarity[0]),
        classes=subject.classes,
        distances=pd.Series(distances, index=matrix.index[own], name="mean distance"),
        n_cases=n_cases,
    )
