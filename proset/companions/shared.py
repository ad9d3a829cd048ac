"""What follows from a model's similarities, distances and contributions, the same for every system."""

from __future__ import annotations

import json
from collections.abc import Mapping
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from proset.common.errors import StorageError
from proset.companions.protocol import (
    Complexity,
    Contributions,
    Explanation,
    Familiarity,
    FloatArray,
    IntArray,
    NotOfferedError,
    Offer,
    PrototypeTable,
)

STATE_FORMAT = 1


class PrototypeModelMixin:
    """The part of :class:`~proset.companions.protocol.PrototypeModel` that is derived from the rest.

    A system writes `scores` and what it has of `prototypes`, `feature_weights`, `similarity`, `distance`,
    `contributions` and `_raw_familiarity`, sets `fit_seconds_` in its fit, and names the attributes that a fitted model
    consists of in `_state`.
    """

    lacks: ClassVar[frozenset[Offer]] = frozenset()
    _state: ClassVar[tuple[str, ...]] = ()
    fit_seconds_: float

    if TYPE_CHECKING:
        classes_: NDArray[Any]
        n_features_in_: int

        def get_params(self, deep: bool = True) -> dict[str, Any]: ...  # noqa: D102
        def predict_proba(self, X: ArrayLike) -> FloatArray: ...  # noqa: D102
        def scores(self, X: ArrayLike) -> FloatArray: ...  # noqa: D102

    def prototypes(self) -> PrototypeTable:
        """Return the cases that the model rests on."""
        raise NotOfferedError(type(self).__name__, Offer.PROTOTYPES)

    def feature_weights(self) -> FloatArray:
        """Return weights by group of prototypes, shape (groups, D)."""
        raise NotOfferedError(type(self).__name__, Offer.FEATURE_WEIGHTS)

    def similarity(self, X: ArrayLike) -> FloatArray:
        """Return the impact of each prototype on each row, shape (n, k)."""
        raise NotOfferedError(type(self).__name__, Offer.SIMILARITY)

    def distance(self, A: ArrayLike, B: ArrayLike | None = None) -> FloatArray:
        """Return the model's own distance between rows, shape (n, m)."""
        raise NotOfferedError(type(self).__name__, Offer.DISTANCE)

    def contributions(self, X: ArrayLike) -> Contributions:
        """Return what each prototype adds to the scores of each row."""
        raise NotOfferedError(type(self).__name__, Offer.CONTRIBUTIONS)

    def _raw_familiarity(self, X: ArrayLike) -> FloatArray:
        """Return familiarity in the model's own units, shape (n,), high = familiar."""
        raise NotOfferedError(type(self).__name__, Offer.FAMILIARITY)

    def active_features(self, tol: float = 0.0) -> IntArray:
        """Return the columns whose weight is above `tol` in some group, ascending."""
        return np.flatnonzero((self.feature_weights() > tol).any(axis=0)).astype(np.int64)

    def familiarity(self, X: ArrayLike, reference: ArrayLike | None = None) -> Familiarity:
        """Say how familiar rows are, with quantiles among reference rows.

        Parameters
        ----------
        X : array-like of shape (n, D)
            Rows.
        reference : array-like of shape (m, D) or None
            Rows that count as usual, best such that were not fitted to.

        Returns
        -------
        Familiarity
            High = familiar.
        """
        raw = self._raw_familiarity(X)
        if reference is None:
            return Familiarity(raw, None)
        usual = np.sort(self._raw_familiarity(reference))
        return Familiarity(raw, np.searchsorted(usual, raw, side="right") / max(len(usual), 1))

    def explain(self, x: ArrayLike, *, top: int = 5, reference: ArrayLike | None = None) -> Explanation:
        """Explain one row by the prototypes that matter most for its predicted class.

        Parameters
        ----------
        x : array-like of shape (D,)
            The case.
        top : int, default=5
            Prototypes to name, at most.
        reference : array-like of shape (m, D) or None
            As in :meth:`familiarity`.

        Returns
        -------
        Explanation
            With NaN for what the system lacks.
        """
        row = np.asarray(x, dtype=np.float64).reshape(1, -1)
        scores = self.scores(row)[0]
        n_classes = len(scores)
        chosen, parts = self._that_matter(row, int(scores.argmax()), top)
        at = self.prototypes().X[chosen] if len(chosen) else np.empty((0, row.shape[1]))
        missing = np.full(len(chosen), np.nan)
        familiar = self.familiarity(row, reference) if Offer.FAMILIARITY not in self.lacks else None
        return Explanation(
            classes=self.classes_,
            scores=scores,
            probabilities=self.predict_proba(row)[0],
            base=np.full(n_classes, np.nan) if parts is None else parts.base[0],
            prototypes=chosen,
            similarity=missing if Offer.SIMILARITY in self.lacks else self.similarity(row)[0, chosen],
            distance=missing if Offer.DISTANCE in self.lacks or not len(at) else self.distance(row, at)[0],
            contribution=np.full((len(chosen), n_classes), np.nan) if parts is None else parts.added[0, chosen],
            delta=row - at,
            familiarity=np.nan if familiar is None else float(familiar.raw[0]),
            quantile=np.nan if familiar is None or familiar.quantile is None else float(familiar.quantile[0]),
        )

    def _that_matter(self, row: FloatArray, predicted: int, top: int) -> tuple[IntArray, Contributions | None]:
        """Return the most important prototypes for one row, most important first, and the contributions if known."""
        if Offer.PROTOTYPES in self.lacks:
            return np.empty(0, dtype=np.int64), None
        if Offer.CONTRIBUTIONS not in self.lacks:
            parts = self.contributions(row)
            importance = np.abs(parts.added[0, :, predicted])
        elif Offer.SIMILARITY not in self.lacks:
            parts, importance = None, self.similarity(row)[0]
        else:
            parts, importance = None, -self.distance(row, self.prototypes().X)[0]
        order = np.argsort(-importance, kind="stable")[:top]
        return order.astype(np.int64), parts

    def complexity(self, X: ArrayLike | None = None) -> Complexity:
        """Measure size and, on the rows given, speed.

        Parameters
        ----------
        X : array-like of shape (n, D) or None
            Rows to predict once to measure the time.

        Returns
        -------
        Complexity
            Counts, bytes and times.
        """
        weights = np.empty((0, self.n_features_in_))
        if Offer.FEATURE_WEIGHTS not in self.lacks:
            weights = self.feature_weights()
        predict_us = np.nan
        if X is not None and len(np.asarray(X)):
            start = perf_counter()
            self.predict_proba(X)
            predict_us = (perf_counter() - start) / len(np.asarray(X)) * 1e6
        return Complexity(
            n_prototypes=0 if Offer.PROTOTYPES in self.lacks else len(self.prototypes()),
            n_active_features=int((weights > 0.0).any(axis=0).sum()) if len(weights) else 0,
            nnz=int(np.count_nonzero(weights)),
            bytes=sum(array.nbytes for array in self.to_dict()["arrays"].values()),
            fit_s=self.fit_seconds_,
            predict_us=predict_us,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return JSON values under "meta" and arrays under "arrays".

        Raises
        ------
        StorageError
            If a parameter is nothing that can be written, such as a function.
        """
        arrays: dict[str, NDArray[Any]] = {}
        values: dict[str, Any] = {}
        for name in (*self._state, "fit_seconds_"):
            value = getattr(self, name)
            if isinstance(value, np.ndarray):
                arrays[name] = value.astype(str) if value.dtype == object else value
            else:
                values[name] = value.item() if isinstance(value, np.generic) else value
        meta = {"system": type(self).__name__, "format": STATE_FORMAT, "params": self.get_params(), "state": values}
        try:
            json.dumps(meta)
        except TypeError as error:
            message = f"This {type(self).__name__} cannot be written: {error}."
            raise StorageError(message, hint="Use parameters that are numbers, words or None.") from error
        return {"meta": meta, "arrays": arrays}

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> Self:
        """Make a model again from what :meth:`to_dict` returned.

        Raises
        ------
        StorageError
            If the content is of another system or format, or something is missing.
        """
        meta, arrays = state["meta"], state["arrays"]
        if meta.get("system") != cls.__name__ or meta.get("format") != STATE_FORMAT:
            raise StorageError(f"This is not a saved {cls.__name__}, or one of another format.")
        names = (*cls._state, "fit_seconds_")
        missing = [name for name in names if name not in arrays and name not in meta["state"]]
        if missing:
            raise StorageError(f"The saved {cls.__name__} lacks {', '.join(missing)}.")
        model = cls(**meta["params"])
        for name in names:
            setattr(model, name, arrays[name] if name in arrays else meta["state"][name])
        return model
