"""Answers that follow from a model's similarities, distances and contributions, the same for every system."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, cast

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from proset.common.errors import StorageError
from proset.common.words import listed
from proset.companions.paths import HasParameters, refit_path
from proset.companions.protocol import (
    Complexity,
    Explanation,
    FloatArray,
    IntArray,
    NotOfferedError,
    Offer,
    PathPoint,
    RowFamiliarity,
    ScoreContributions,
    SystemPrototypes,
)
from proset.companions.saved import read_state, write_state
from proset.engine.evidence.familiarity import familiarity_quantile

ModelT = TypeVar("ModelT")


def fitted_at_once(model: ModelT, fit: Callable[[ModelT], None]) -> ModelT:
    """Fit a copy and take it over in one step: a fit that is refused or stopped leaves the model as it was.

    The copy knows nothing of earlier fits: what ends with an underscore is dropped, as in scikit-learn.

    Parameters
    ----------
    model : object
        What is to be fitted.
    fit : callable
        Takes the copy and sets its fitted attributes.

    Returns
    -------
    object
        `model` itself.

    Examples
    --------
    >>> class Model: ...
    >>> fitted_at_once(Model(), lambda draft: setattr(draft, "k_", 2)).k_
    2
    """
    draft = copy.copy(model)
    for name in [name for name in vars(draft) if name.endswith("_") and not name.startswith("__")]:
        del draft.__dict__[name]
    begun = perf_counter()
    fit(draft)
    draft.__dict__["fit_seconds_"] = perf_counter() - begun
    model.__dict__ = draft.__dict__
    return model


class PrototypeModelMixin:
    """The part of :class:`~proset.companions.protocol.PrototypeModel` that is derived from the rest.

    A system writes `predict_proba`, what else does not follow from that, and what it has of `prototypes`,
    `feature_weights`, `similarity`, `distance`, `contributions` and `_raw_familiarity`, sets `fit_seconds_` in its fit,
    and names the attributes that a fitted model consists of in `_state`, `classes_` and `n_features_in_` among them.
    `_knob` is the parameter along which its size changes, with the values that :meth:`path` tries.
    """

    lacks: ClassVar[frozenset[Offer]] = frozenset()
    _state: ClassVar[tuple[str, ...]] = ()
    _knob: ClassVar[tuple[str, Sequence[float]] | None] = None
    fit_seconds_: float

    if TYPE_CHECKING:
        classes_: NDArray[Any]
        n_features_in_: int

        def get_params(self, deep: bool = True) -> dict[str, Any]: ...  # noqa: D102
        def predict_proba(self, X: ArrayLike) -> FloatArray: ...  # noqa: D102

    def offers(self, offer: Offer) -> bool:
        """Tell whether the model has a notion of something; what it lacks raises NotOfferedError."""
        return offer not in self.lacks

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the class with the highest estimate, shape (n,); the first of `classes_` wins a tie."""
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def scores(self, X: ArrayLike) -> FloatArray:
        """Return what contributions add up to, shape (n, K): the estimates, unless a system has others."""
        return self.predict_proba(X)

    def prototypes(self) -> SystemPrototypes:
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

    def contributions(self, X: ArrayLike) -> ScoreContributions:
        """Return what each prototype adds to the scores of each row."""
        raise NotOfferedError(type(self).__name__, Offer.CONTRIBUTIONS)

    def _raw_familiarity(self, X: ArrayLike) -> FloatArray:
        """Return familiarity in the model's own units, shape (n,), high = familiar."""
        raise NotOfferedError(type(self).__name__, Offer.FAMILIARITY)

    def active_features(self, tol: float = 0.0) -> IntArray:
        """Return the columns whose weight is above `tol` in some group, ascending.

        Raises
        ------
        NotOfferedError
            If the model has no weights of features.
        """
        return np.flatnonzero((self.feature_weights() > tol).any(axis=0)).astype(np.int64)

    def familiarity(self, X: ArrayLike, held_out: ArrayLike | None = None) -> RowFamiliarity:
        """Say how familiar rows are, with quantiles among held-out rows.

        Parameters
        ----------
        X : array-like of shape (n, D)
            Rows.
        held_out : array-like of shape (m, D) or None
            Rows that count as usual, best such that were not fitted to.

        Raises
        ------
        NotOfferedError
            If the model cannot say what is familiar.
        """
        raw = self._raw_familiarity(X)
        if held_out is None:
            return RowFamiliarity(raw, None)
        return RowFamiliarity(raw, familiarity_quantile(raw, self._raw_familiarity(held_out)))

    def explain(self, x: ArrayLike, *, n_prototypes: int = 5, held_out: ArrayLike | None = None) -> Explanation:
        """Explain one row by the prototypes that matter most for its predicted class.

        Parameters
        ----------
        x : array-like of shape (D,) or (1, D)
            The case; a Series or a frame goes by its names, in any order, if the model knows names.
        n_prototypes : int, default=5
            Number of prototypes to name; fewer if there are fewer.
        held_out : array-like of shape (m, D) or None
            As in :meth:`familiarity`.

        Returns
        -------
        Explanation
            With NaN for what the system lacks.

        Raises
        ------
        ValueError
            If it is not one row, or has other names than the rows of the fit.
        """
        row = self._one_row(x)
        scores = self.scores(row)[0]
        chosen, parts, apart = self._that_matter(row, int(scores.argmax()), n_prototypes)
        at = self.prototypes().X[chosen] if len(chosen) else np.empty((0, self.n_features_in_))
        missing = np.full(len(chosen), np.nan)
        familiar = self.familiarity(row, held_out) if self.offers(Offer.FAMILIARITY) else None
        return Explanation(
            classes=self.classes_,
            scores=scores,
            probabilities=self.predict_proba(row)[0],
            base=np.full(len(scores), np.nan) if parts is None else parts.base[0],
            prototypes=chosen,
            similarity=self.similarity(row)[0, chosen] if self.offers(Offer.SIMILARITY) else missing,
            distance=missing if apart is None else apart[chosen],
            contribution=np.full((len(chosen), len(scores)), np.nan) if parts is None else parts.added[0, chosen],
            delta=np.asarray(row, dtype=np.float64) - at,
            familiarity=np.nan if familiar is None else float(familiar.raw[0]),
            quantile=np.nan if familiar is None or familiar.quantile is None else float(familiar.quantile[0]),
        )

    def _that_matter(
        self, row: Any, predicted: int, n_prototypes: int
    ) -> tuple[IntArray, ScoreContributions | None, FloatArray | None]:
        """Return the most important prototypes for one row, most important first, contributions and distances."""
        if not self.offers(Offer.PROTOTYPES):
            return np.empty(0, dtype=np.int64), None, None
        table = self.prototypes()
        importance, parts, apart = np.zeros(len(table)), None, None
        if self.offers(Offer.CONTRIBUTIONS):
            parts = self.contributions(row)
            importance = np.abs(parts.added[0, :, predicted])
        elif self.offers(Offer.SIMILARITY):
            importance = self.similarity(row)[0]
        if self.offers(Offer.DISTANCE) and len(table):
            apart = self.distance(row, self._named(table.X))[0]
        # Where one prototype decides all others contribute nothing: the next that matter are the nearest.
        order = np.lexsort((np.zeros(len(table)) if apart is None else apart, -importance))[: max(0, n_prototypes)]
        return order.astype(np.int64), parts, apart

    def _one_row(self, x: Any) -> Any:
        """Return one case as a row, its values where the model has their names."""
        names = getattr(self, "feature_names_in_", None)
        if names is not None and isinstance(x, (pd.Series, pd.DataFrame)):
            x = x.to_frame().T if isinstance(x, pd.Series) else x
            if all(isinstance(name, str) for name in x.columns):
                if sorted(x.columns) != sorted(names):
                    has, known = listed(x.columns, most=5), listed(names, most=5)
                    raise ValueError(f"The model was fitted to the columns {known}; the case has {has}.")
                x = x[list(names)]
        row = np.atleast_2d(np.asarray(x, dtype=np.float64))
        if len(row) != 1:
            raise ValueError(f"One case is explained at a time, but {len(row):,} rows were given.")
        return self._named(row) if row.shape[1] == self.n_features_in_ else row  # else the model says what is wrong

    def _named(self, rows: Any) -> Any:
        """Give rows the names of the columns that the model was fitted to, if they had any."""
        names = getattr(self, "feature_names_in_", None)
        return rows if names is None or hasattr(rows, "columns") else pd.DataFrame(rows, columns=names)

    def path(
        self, X: ArrayLike, y: ArrayLike, X_test: ArrayLike, *, sample_weight: ArrayLike | None = None
    ) -> tuple[PathPoint, ...]:
        """Fit models of other sizes by the settings of this fitted one, and estimate other rows with each.

        Parameters
        ----------
        X, y : array-like of shape (n, D) and (n,)
            What to fit to, often a part of the rows that this model was fitted to; all classes have to be there.
        X_test : array-like of shape (m, D)
            What to estimate.
        sample_weight : array-like of shape (n,) or None
            Weights of the rows that are fitted to, for systems that take them.

        Returns
        -------
        tuple of PathPoint
            Ascending by value; the value of this model is among them.

        Raises
        ------
        NotOfferedError
            If the model has no such path.
        """
        if self._knob is None:
            raise NotOfferedError(type(self).__name__, Offer.PATH)
        return refit_path(cast(HasParameters, self), *self._knob, X, y, X_test, sample_weight)

    def complexity(self, X: ArrayLike | None = None) -> Complexity:
        """Measure size and, on the rows given, speed.

        Parameters
        ----------
        X : array-like of shape (n, D) or None
            Rows to predict once to measure the time.
        """
        known = self.offers(Offer.FEATURE_WEIGHTS)
        weights = self.feature_weights() if known else np.empty((0, self.n_features_in_))
        predict_us = np.nan
        if X is not None and len(np.asarray(X)):
            start = perf_counter()
            self.predict_proba(X)
            predict_us = (perf_counter() - start) / len(np.asarray(X)) * 1e6
        return Complexity(
            n_prototypes=len(self.prototypes()) if self.offers(Offer.PROTOTYPES) else 0,
            n_active_features=int((weights > 0.0).any(axis=0).sum()),
            nnz=int(np.count_nonzero(weights)),
            bytes=sum(array.nbytes for array in self.to_dict()["arrays"].values()),
            fit_s=self.fit_seconds_,
            predict_us=predict_us,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return JSON values under "meta" and arrays of plain numbers under "arrays".

        Raises
        ------
        StorageError
            If a parameter or a label is nothing that can be written, such as a function.
        """
        kept = ("feature_names_in_",) if hasattr(self, "feature_names_in_") else ()
        state = {name: getattr(self, name) for name in (*self._state, "fit_seconds_", *kept)}
        meta, arrays = write_state(type(self).__name__, self.get_params(deep=False), state)
        return {"meta": meta, "arrays": arrays}

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> Self:
        """Make a model again from what :meth:`to_dict` returned.

        Raises
        ------
        StorageError
            If the content is of another system or format, or something is missing, unknown or does not fit.
        """
        labels = state.get("meta", {}).get("labels", {}) if isinstance(state, Mapping) else {}
        kept = ("feature_names_in_",) if "feature_names_in_" in labels else ()
        params, found = read_state(cls.__name__, state, (*cls._state, "fit_seconds_", *kept))
        unknown = set(params) - set(cls().get_params(deep=False))
        if unknown:
            raise StorageError(
                f"The saved {cls.__name__} has parameters that are not known: {listed(sorted(unknown))}."
            )
        model = cls(**params)
        vars(model).update(found)
        model._check_state()
        return model

    def _check_state(self) -> None:
        """Refuse saved attributes that do not fit each other, and make what is not saved."""
