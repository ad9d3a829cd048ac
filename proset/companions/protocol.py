"""What the classifiers that stand beside each other have in common: proset, PVM, SMP, gbmap, kNN, XGBoost.

A :class:`PrototypeModel` is a scikit-learn classifier that can also say which cases it rests on, how it measures
distance and what it finds familiar, each in one form for all. What a system has no notion of stands in its `lacks`;
asking for it raises :class:`NotOfferedError`. All of it is in matrix terms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from proset.common.errors import ProsetError

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


class Offer(StrEnum):
    """What a model may have beyond predictions."""

    PROTOTYPES = "prototypes"
    FEATURE_WEIGHTS = "feature weights"
    SIMILARITY = "similarity"
    DISTANCE = "distance"
    CONTRIBUTIONS = "contributions"
    FAMILIARITY = "familiarity"
    PATH = "path"


class NotOfferedError(ProsetError):
    """A method has no notion of what was asked for; `offer` names it."""

    def __init__(self, system: str, offer: Offer) -> None:
        self.offer = offer
        super().__init__(f"{system} has no {offer.value}.", hint="See its attribute 'lacks' for what to leave out.")


@dataclass(frozen=True, eq=False)
class PrototypeTable:
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
        proset batch (0 = first), SMP slot within the class, gbmap stage; 0 where there are no groups.
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
        >>> table = PrototypeTable.of_samples(np.eye(2), [3, -1], np.array(["a", "b"]))
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
class Contributions:
    """What each prototype adds to the scores of some rows.

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
class Familiarity:
    """How familiar some rows are to a model; high means familiar.

    Attributes
    ----------
    raw : ndarray of shape (n,)
        In the model's own units; comparable among rows, not among models.
    quantile : ndarray of shape (n,) or None
        Share of reference rows that are at most as familiar, in [0, 1]; None without reference rows.
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
        Share of reference rows that are at most as familiar; NaN without reference rows.
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
        """Return plain Python values, ready for JSON (NaN becomes None)."""
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}


@dataclass(frozen=True)
class Complexity:
    """How large a model is and what it costs.

    Attributes
    ----------
    n_prototypes, n_active_features, nnz : int
        Prototypes, features that play a part, and numbers that are not zero among the weights.
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


@runtime_checkable
class PrototypeModel(Protocol):
    """A classifier that shows what it rests on; see the module.

    `X` is array-like of shape (n, D) throughout, K classes stand in the order of `classes_`, k prototypes in that of
    :meth:`prototypes`. What is in `lacks` raises :class:`NotOfferedError`.
    """

    lacks: ClassVar[frozenset[Offer]]
    classes_: NDArray[Any]
    n_features_in_: int

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit to matrix and labels; some systems take `sample_weight` as well."""
        ...

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the class with the highest score, shape (n,)."""
        ...

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Estimate class probabilities, shape (n, K)."""
        ...

    def scores(self, X: ArrayLike) -> FloatArray:
        """Return what contributions add up to, shape (n, K) for two classes as well; the highest is predicted."""
        ...

    def prototypes(self) -> PrototypeTable:
        """Return the cases that the model rests on."""
        ...

    def feature_weights(self) -> FloatArray:
        """Return weights by group of prototypes, shape (groups, D), at least 0; 0 = no part in it."""
        ...

    def active_features(self, tol: float = 0.0) -> IntArray:
        """Return the columns whose weight is above `tol` in some group, ascending."""
        ...

    def similarity(self, X: ArrayLike) -> FloatArray:
        """Return the impact of each prototype on each row, shape (n, k), weights included."""
        ...

    def distance(self, A: ArrayLike, B: ArrayLike | None = None) -> FloatArray:
        """Return the model's own distance between rows, shape (n, m); among the rows of `A` without `B`."""
        ...

    def contributions(self, X: ArrayLike) -> Contributions:
        """Return what each prototype adds to the scores of each row; of size n k K, so for some rows at a time."""
        ...

    def familiarity(self, X: ArrayLike, reference: ArrayLike | None = None) -> Familiarity:
        """Say how familiar rows are, with quantiles among reference rows (held out, if possible)."""
        ...

    def explain(self, x: ArrayLike, *, top: int = 5, reference: ArrayLike | None = None) -> Explanation:
        """Explain one row, shape (D,)."""
        ...

    def complexity(self, X: ArrayLike | None = None) -> Complexity:
        """Measure size and, on the rows given, speed."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return JSON values under "meta" and arrays under "arrays"."""
        ...

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> Self:
        """Make the model again from :meth:`to_dict`."""
        ...


def _plain(value: Any) -> Any:
    """Turn arrays and numpy numbers into what JSON knows; a number that is not finite becomes None."""
    if isinstance(value, np.ndarray):
        return [_plain(entry) for entry in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value
