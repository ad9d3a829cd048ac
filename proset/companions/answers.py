"""Answers of the systems that stand beside each other to what they rest on."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class SystemPrototypes:
    """The prototypes of one model, one entry each, the same columns for every system.

    Attributes
    ----------
    id : ndarray of int64, shape (k,)
        0 to k - 1 in the order of the model's similarities and contributions.
    source : ndarray of str, shape (k,)
        "sample" for a training row, "synthetic" for a point that is none.
    sample_index : ndarray of int64, shape (k,)
        Position of the training row, -1 for a synthetic point.
    target : ndarray of shape (k,)
        Class it speaks for.
    weight : ndarray of shape (k,)
        proset w, PVM and kNN 1, SMP the l1 norm of the vector.
    group : ndarray of int64, shape (k,)
        proset batch (0 = first), SMP slot within the class; 0 where there are no groups.
    order : ndarray of int64, shape (k,)
        PVM step of the greedy; otherwise as `id`.
    X : ndarray of shape (k, D)
        Coordinates in the units of the matrix that was fitted to.
    active : ndarray of bool, shape (k, D)
        Features that the prototype looks at.
    covered, miscovered : ndarray of shape (k,)
        Training rows of its own class that it is the first to cover, and rows of other classes in its ball; NaN for
        systems without balls.
    """

    id: IntArray
    source: NDArray[np.str_]
    sample_index: IntArray
    target: NDArray[Any]
    weight: FloatArray
    group: IntArray
    order: IntArray
    X: FloatArray
    active: BoolArray
    covered: FloatArray
    miscovered: FloatArray

    def __post_init__(self) -> None:
        """Refuse columns of different lengths."""
        lengths = {field.name: len(getattr(self, field.name)) for field in fields(self)}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"The columns of a table of prototypes differ in length: {lengths}.")

    def __len__(self) -> int:
        return len(self.id)

    @classmethod
    def of_samples(
        cls,
        X: FloatArray,
        sample_index: ArrayLike,
        target: NDArray[Any],
        *,
        weight: ArrayLike | None = None,
        group: ArrayLike | None = None,
        order: ArrayLike | None = None,
        active: BoolArray | None = None,
        covered: ArrayLike | None = None,
        miscovered: ArrayLike | None = None,
    ) -> Self:
        """Make the table of some points and where they come from; -1 as `sample_index` marks a synthetic point.

        Examples
        --------
        >>> table = SystemPrototypes.of_samples(np.eye(2), [3, -1], np.array(["a", "b"]))
        >>> table.source.tolist(), table.weight.tolist()
        (['sample', 'synthetic'], [1.0, 1.0])
        """
        index = np.asarray(sample_index, dtype=np.int64)
        k = len(index)

        def column(values: ArrayLike | None, default: float, dtype: Any) -> NDArray[Any]:
            return np.full(k, default, dtype) if values is None else np.asarray(values, dtype=dtype)

        return cls(
            id=np.arange(k, dtype=np.int64),
            source=np.where(index >= 0, "sample", "synthetic"),
            sample_index=index,
            target=np.asarray(target),
            weight=column(weight, 1.0, np.float64),
            group=column(group, 0, np.int64),
            order=np.arange(k, dtype=np.int64) if order is None else np.asarray(order, dtype=np.int64),
            X=np.asarray(X, dtype=np.float64),
            active=np.ones(np.shape(X), dtype=bool) if active is None else active,
            covered=column(covered, np.nan, np.float64),
            miscovered=column(miscovered, np.nan, np.float64),
        )

    def to_frame(self) -> pd.DataFrame:
        """Return everything but coordinates, one row per prototype."""
        wide = {"X", "active"}
        return pd.DataFrame({field.name: getattr(self, field.name) for field in fields(self) if field.name not in wide})


@dataclass(frozen=True, eq=False)
class ScoreContributions:
    """Contributions of each prototype to the scores of some rows.

    Attributes
    ----------
    base : ndarray of shape (n, K)
        Scores without any prototype.
    added : ndarray of shape (n, k, K)
        What each prototype adds; ``base + added.sum(axis=1)`` equals ``scores(X)``.
    """

    base: FloatArray
    added: FloatArray

    def total(self) -> FloatArray:
        """Add up, shape (n, K)."""
        total: FloatArray = self.base + self.added.sum(axis=1)
        return total


@dataclass(frozen=True, eq=False)
class RowFamiliarity:
    """Familiarity of some rows to a model; high means familiar.

    Attributes
    ----------
    raw : ndarray of shape (n,)
        In the model's own units; comparable among rows, not among models.
    quantile : ndarray of shape (n,) or None
        Share of held-out rows that are at most as familiar, in [0, 1]; None without any.
    """

    raw: FloatArray
    quantile: FloatArray | None


@dataclass(frozen=True, eq=False)
class Explanation:
    """One case as one model sees it, in the same form for every model.

    Attributes
    ----------
    classes : ndarray of shape (K,)
        Class labels.
    scores, probabilities, base : ndarray of shape (K,)
        Scores, estimates, and the scores without any prototype (NaN without contributions).
    prototypes : ndarray of int64, shape (t,)
        The t prototypes that matter most for the predicted class, by their `id`, most important first.
    similarity, distance : ndarray of shape (t,)
        Of the case to each of them; NaN where the model has no such notion.
    contribution : ndarray of shape (t, K)
        What each adds to the scores; NaN without contributions.
    delta : ndarray of shape (t, D)
        Case minus prototype, by feature.
    familiarity : float
        Raw familiarity; NaN if the model has none.
    quantile : float
        Share of held-out rows that are at most as familiar; NaN without any.
    """

    classes: NDArray[Any]
    scores: FloatArray
    probabilities: FloatArray
    base: FloatArray
    prototypes: IntArray
    similarity: FloatArray
    distance: FloatArray
    contribution: FloatArray
    delta: FloatArray
    familiarity: float
    quantile: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, ready for JSON (what is not finite becomes None)."""
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}


@dataclass(frozen=True)
class Complexity:
    """Size and cost of a model.

    Attributes
    ----------
    n_prototypes, n_active_features, nnz : int
        Prototypes (those of a class that have become the same count once), features that play a part, and numbers
        that are not zero among the weights.
    bytes : int
        Size of the arrays that scoring needs.
    fit_s : float
        Seconds of the last fit.
    predict_us : float
        Microseconds per row of one call for all rows given; NaN if none were.
    """

    n_prototypes: int
    n_active_features: int
    nnz: int
    bytes: int
    fit_s: float
    predict_us: float


@dataclass(frozen=True, eq=False)
class PathPoint:
    """One model of a path along which the size of a system changes.

    Attributes
    ----------
    knob : str
        What was varied, such as "batches".
    value : float
        Its value.
    n_prototypes : int or None
        Prototypes of the model; None if the system has none.
    n_features : int
        Features that play a part.
    probabilities : ndarray of shape (m, K)
        Estimates for the rows that the path is measured on, columns as in `classes_`.
    own : bool
        Whether it is the value that the model itself has.
    """

    knob: str
    value: float
    n_prototypes: int | None
    n_features: int
    probabilities: FloatArray
    own: bool


def _plain(value: Any) -> Any:
    """Turn arrays and numpy numbers into what JSON knows; a number that is not finite becomes None."""
    if isinstance(value, np.ndarray):
        return [_plain(entry) for entry in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value
