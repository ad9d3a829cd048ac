"""Gradient boosting mapping that chooses its settings inside the fit, by cross-validation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from proset.common.allowed import WHOLE_SEED, Allowed, Each, Rules, check_values
from proset.companions.gbmap import GBMapClassifier
from proset.companions.gbmap.parameters import RULES as GBMAP_RULES
from proset.companions.protocol import FloatArray, IntArray, Offer
from proset.companions.shared import fitted_at_once
from proset.engine.metrics import log_loss
from proset.engine.training_checks import check_features_and_labels, counted_weight
from proset.selection.inner_folds import GroupsAndTimes, inner_folds

RULES: Rules = MappingProxyType(
    {
        "betas": Each(GBMAP_RULES["beta"]),
        "ridges": Each(GBMAP_RULES["ridge"]),
        "most_boosts": Allowed(1, whole=True),
        "n_folds": Allowed(2, whole=True),
        "random_state": WHOLE_SEED,
    }
)
PASSED_ON = frozenset(
    {
        "active_features",
        "complexity",
        "contributions",
        "distance",
        "explain",
        "familiarity",
        "feature_weights",
        "path",
        "prototypes",
        "scores",
        "similarity",
        "to_dict",
    }
)
"""Names that the model found answers for the search: all of the protocol beyond predictions."""


class GBMapSearched(ClassifierMixin, BaseEstimator):
    """Gradient boosting mapping that chooses beta, ridge and the number of stages by their log-loss.

    Parameters
    ----------
    betas, ridges : sequence of float
        What is tried, each with each.
    most_boosts : int, default=30
        Stages of each trial; all numbers of stages up to it are measured on the way.
    n_folds : int, default=5
        Folds, fewer where a class has fewer rows.
    random_state : int, default=0
        Draws folds and starts.

    Attributes
    ----------
    model_ : GBMapClassifier
        The model found, fitted to all rows.
    table_ : DataFrame
        What was tried: beta, ridge, best number of stages, mean log-loss over the folds.

    Notes
    -----
    The model found answers for the search: all methods of the protocol are passed on to it, and what is saved is the
    model found.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> GBMapSearched(betas=(1.0,), most_boosts=5).fit(X, y).score(X, y) > 0.9
    True
    """

    lacks: ClassVar[frozenset[Offer]] = GBMapClassifier.lacks
    model_: GBMapClassifier
    table_: pd.DataFrame

    def __init__(
        self,
        betas: Sequence[float] = (1.0, 5.0),
        ridges: Sequence[float] = (1e-3, 1e-2, 1e-1),
        most_boosts: int = 30,
        n_folds: int = 5,
        random_state: int = 0,
    ) -> None:
        self.betas = betas
        self.ridges = ridges
        self.most_boosts = most_boosts
        self.n_folds = n_folds
        self.random_state = random_state

    def offers(self, offer: Offer) -> bool:
        """Tell whether the model has a notion of something."""
        return offer not in self.lacks

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        times: ArrayLike | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Self:
        """Choose settings by cross-validation and fit to all rows.

        Parameters
        ----------
        X : array-like of shape (n, D)
            Features, finite.
        y : array-like of shape (n,)
            Class labels, of two classes or more; where a class has a single row, nothing can be left out, and the
            model is fitted by its usual settings.
        sample_weight : array-like of shape (n,) or None
            Weights of the rows in fits and losses, not negative; rows of weight 0 are left out.
        groups, times : array-like of shape (n,) or None
            As for :class:`~proset.companions.adapters.proset_model.ProsetPrototypes`.
        progress : callable or None
            Called with the share that is done; raising from it ends the fit.

        Raises
        ------
        NoFoldsError
            If groups or times leave fewer than two folds to choose by.
        """
        tell = progress or _tell_nobody
        return fitted_at_once(self, lambda draft: draft._fit(X, y, sample_weight, groups, times, tell))

    def _fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        groups: ArrayLike | None,
        times: ArrayLike | None,
        tell: Callable[[float], None],
    ) -> None:
        """Check what was passed, search, and keep the model found."""
        check_values(vars(self), RULES)
        begun = perf_counter()
        features, labels = check_features_and_labels(self, X, y, dtype=np.float64)
        weight = None if sample_weight is None else counted_weight(sample_weight, len(labels))
        kept = np.arange(len(labels)) if weight is None else np.flatnonzero(weight > 0.0)
        known = GroupsAndTimes.of(groups, times, len(labels)).at(kept)
        target = np.unique(labels[kept], return_inverse=True)[1].astype(np.int64)
        cut = inner_folds(target, self.n_folds, self.random_state, known)
        folds = [(kept[fold.train], kept[fold.test]) for fold in cut]
        self.model_ = self._search(features, labels, weight, folds, tell)
        if hasattr(self, "feature_names_in_"):
            self.model_.feature_names_in_ = self.feature_names_in_
        self.classes_ = self.model_.classes_
        # The whole of it is what a fit costs; the model found knows its own part only.
        self.model_.fit_seconds_ = perf_counter() - begun

    def __getattr__(self, name: str) -> Any:
        """Pass on to the model found what it answers."""
        if name in PASSED_ON and "model_" in vars(self):
            return getattr(self.model_, name)
        if name in PASSED_ON:
            check_is_fitted(self, "model_")
        raise AttributeError(f"{type(self).__name__} has no attribute '{name}'.")

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the class with the highest score, shape (n,)."""
        check_is_fitted(self, "model_")
        found: NDArray[Any] = self.model_.predict(X)
        return found

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Estimate class probabilities, shape (n, K)."""
        check_is_fitted(self, "model_")
        found: FloatArray = self.model_.predict_proba(X)
        return found

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> GBMapClassifier:
        """Return the model found that ``to_dict`` has written."""
        return GBMapClassifier.from_dict(state)

    def _search(
        self,
        X: FloatArray,
        y: NDArray[Any],
        weight: FloatArray | None,
        folds: Sequence[tuple[IntArray, IntArray]],
        tell: Callable[[float], None],
    ) -> GBMapClassifier:
        """Measure all numbers of stages of every setting, then fit the best."""
        start = GBMapClassifier(n_boosts=self.most_boosts, random_state=self.random_state)
        if not folds:
            return start.set_params(n_boosts=min(10, self.most_boosts)).fit(X, y, weight)
        settings = [{"beta": beta, "ridge": ridge} for beta in self.betas for ridge in self.ridges]
        lines, done = [], 0
        for setting in settings:
            losses = np.empty((len(folds), self.most_boosts))
            for fold, (train, test) in enumerate(folds):
                model = clone(start).set_params(**setting)
                model.fit(X[train], y[train], None if weight is None else weight[train])
                losses[fold] = self._stage_losses(model, X[test], y[test], None if weight is None else weight[test])
                done += 1
                tell(done / (len(settings) * len(folds) + 1))
            best = int(losses.mean(axis=0).argmin())
            lines.append({**setting, "n_boosts": best + 1, "log_loss": float(losses.mean(axis=0)[best])})
        self.table_ = pd.DataFrame(lines)
        chosen = min(lines, key=lambda line: line["log_loss"])
        del chosen["log_loss"]
        return start.set_params(**chosen).fit(X, y, weight)

    def _stage_losses(
        self, model: GBMapClassifier, X: FloatArray, y: NDArray[Any], weight: FloatArray | None
    ) -> FloatArray:
        """Return the log-loss after 1, 2, ... stages; where boosting has ended early, the last goes on."""
        target, staged = np.searchsorted(model.classes_, y), list(model.staged_predict_proba(X))
        # Where no stage is a gain, as with constant columns alone, the start is what goes on.
        found = [
            float(log_loss(estimates[np.arange(len(y)), target], weight))
            for estimates in (staged or [model.predict_proba(X)])[: self.most_boosts]
        ]
        return np.array(found + [found[-1]] * (self.most_boosts - len(found)))


def _tell_nobody(share: float) -> None:
    """Stand in for a report of progress that nobody asked for."""
