"""Protocol of the classifiers that stand beside each other: proset, PVM, SMP, gbmap, kNN, XGBoost.

A :class:`PrototypeModel` is a scikit-learn classifier that can also say which cases it rests on, how it measures
distance and what it finds familiar, each in one form for all. What a system has no notion of stands in its `lacks`;
asking for it raises :class:`NotOfferedError`. All of it is in matrix terms.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, ClassVar, Protocol, Self, runtime_checkable

from numpy.typing import ArrayLike, NDArray

from proset.common.errors import ProsetError
from proset.companions.answers import (
    BoolArray,
    Complexity,
    Explanation,
    FloatArray,
    IntArray,
    PathPoint,
    RowFamiliarity,
    ScoreContributions,
    SystemPrototypes,
)

__all__ = [
    "BoolArray",
    "Complexity",
    "Explanation",
    "FloatArray",
    "IntArray",
    "NoPrototypeWarning",
    "NotOfferedError",
    "Offer",
    "PathPoint",
    "PrototypeModel",
    "RowFamiliarity",
    "ScoreContributions",
    "SystemPrototypes",
]


class NoPrototypeWarning(UserWarning):
    """Nothing is worth its cost or penalty: the model has no prototype and estimates the same for every row."""


class Offer(StrEnum):
    """Answers that a model may give beyond predictions."""

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
        self.system = system
        super().__init__(f"{system} has no {offer.value}.", hint="See its attribute 'lacks' for what to leave out.")

    def __reduce__(self) -> tuple[Any, ...]:
        """Let the error travel between processes, which make it again from its two parts."""
        return type(self), (self.system, self.offer)


@runtime_checkable
class PrototypeModel(Protocol):
    """A classifier that shows what it rests on; see the module.

    `X` is array-like of shape (n, D) throughout, K classes stand in the order of `classes_`, k prototypes in that of
    :meth:`prototypes`. What is in `lacks` raises :class:`NotOfferedError`.
    """

    lacks: ClassVar[frozenset[Offer]]
    classes_: NDArray[Any]
    n_features_in_: int

    def offers(self, offer: Offer) -> bool:
        """Tell whether the model has a notion of something."""
        ...

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Fit to matrix and labels.

        Some systems take `sample_weight` as well; those that may choose settings by folds take `groups` and `times`.
        """
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

    def prototypes(self) -> SystemPrototypes:
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

    def contributions(self, X: ArrayLike) -> ScoreContributions:
        """Return what each prototype adds to the scores of each row; of size n k K, so for some rows at a time."""
        ...

    def familiarity(self, X: ArrayLike, held_out: ArrayLike | None = None) -> RowFamiliarity:
        """Say how familiar rows are, with quantiles among held-out rows."""
        ...

    def explain(self, x: ArrayLike, *, n_prototypes: int = 5, held_out: ArrayLike | None = None) -> Explanation:
        """Explain one row, shape (D,)."""
        ...

    def complexity(self, X: ArrayLike | None = None) -> Complexity:
        """Measure size and, on the rows given, speed."""
        ...

    def path(
        self, X: ArrayLike, y: ArrayLike, X_test: ArrayLike, *, sample_weight: ArrayLike | None = None
    ) -> tuple[PathPoint, ...]:
        """Fit models of other sizes to X and y, by this model's settings, and estimate other rows with each."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """Return JSON values under "meta" and arrays of plain numbers under "arrays"."""
        ...

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> Self:
        """Make the model again from :meth:`to_dict`."""
        ...
