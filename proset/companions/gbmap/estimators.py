"""Gradient boosting mapping with scikit-learn manners."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, log_expit, logsumexp
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.preprocessing import LabelEncoder
from sklearn.utils.multiclass import check_classification_targets

from proset.companions.gbmap.base import FITTED, GBMapBase
from proset.companions.gbmap.compiled import LOGISTIC
from proset.companions.protocol import FloatArray, Offer
from proset.companions.shared import PrototypeModelMixin

LARGEST_SCORE = 36.0
"""Beyond it, a probability in double precision would be 0 or 1."""
SMALLEST_DEVIATION = 1e-12
"""Of a target, relative to its size; what varies less is constant but for rounding."""


class GBMapRegressor(RegressorMixin, GBMapBase):
    """Regression on a few learned directions, each bent once; these are an embedding with a distance of its own.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = GBMapRegressor(n_boosts=3, random_state=0).fit(scale(X), y)
    >>> model.transform(scale(X)).shape
    (442, 3)
    """

    def _checked_target(self, y: NDArray[Any]) -> NDArray[Any]:
        target: FloatArray = np.asarray(y, dtype=np.float64)
        return target

    def _targets(self, y: NDArray[Any], weight: FloatArray) -> FloatArray:
        mean = float(np.average(y, weights=weight))
        deviation = float(np.sqrt(np.average((y - mean) ** 2, weights=weight)))
        varies = deviation > SMALLEST_DEVIATION * max(abs(mean), np.finfo(float).tiny)
        self.target_mean_, self.target_scale_ = mean, deviation if varies else 1.0
        return ((y - mean) / self.target_scale_)[None] if varies else np.zeros((1, len(y)))

    def _init_scores(self, X: NDArray[Any]) -> FloatArray:
        scores: FloatArray = np.asarray(self.init_.predict(X), dtype=np.float64)
        return scores

    def _neighbour_values(self, y: NDArray[Any], start: FloatArray) -> FloatArray:
        return np.asarray(y, dtype=np.float64)[:, None]

    def predict(self, X: ArrayLike, *, f0: ArrayLike | None = None, n_boosts: int | None = None) -> FloatArray:
        """Predict the target.

        Parameters
        ----------
        X : array-like of shape (n, D)
            Rows.
        f0 : array-like of shape (n,) or None
            As in :meth:`fit`.
        n_boosts : int or None
            Use the first stages only.

        Returns
        -------
        ndarray of shape (n,)
            f(x).
        """
        return self._outputs(X, f0, n_boosts)[:, 0]

    def staged_predict(self, X: ArrayLike, *, f0: ArrayLike | None = None) -> Iterator[FloatArray]:
        """Yield :meth:`predict` after each stage."""
        for scores in self._staged(X, f0):
            yield scores[:, 0]


class GBMapClassifier(ClassifierMixin, GBMapBase, PrototypeModelMixin):
    """Classification on a few learned directions, each bent once; these are an embedding with a distance of its own.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_iris(return_X_y=True)
    >>> model = GBMapClassifier(n_boosts=3, random_state=0).fit(scale(X), y)
    >>> model.predict(scale(X)[[0, 60, 120]])
    array([0, 1, 2])
    """

    _loss: ClassVar[int] = LOGISTIC
    lacks: ClassVar[frozenset[Offer]] = frozenset({Offer.PROTOTYPES, Offer.SIMILARITY, Offer.CONTRIBUTIONS})
    _state: ClassVar[tuple[str, ...]] = ("classes_", *FITTED)
    classes_: NDArray[Any]

    def _checked_target(self, y: NDArray[Any]) -> NDArray[Any]:
        check_classification_targets(y)
        return y

    def _targets(self, y: NDArray[Any], weight: FloatArray) -> FloatArray:
        encoder = LabelEncoder().fit(y)
        self.classes_ = encoder.classes_
        if len(self.classes_) < 2:
            raise ValueError(f"Classifier can't train when only one class is present: '{self.classes_[0]}'.")
        self.target_mean_, self.target_scale_ = 0.0, 1.0
        code = encoder.transform(y)
        if len(self.classes_) == 2:
            return np.where(code == 1, 1.0, -1.0)[None]
        return np.where(code == np.arange(len(self.classes_))[:, None], 1.0, -1.0)

    def _init_scores(self, X: NDArray[Any]) -> FloatArray:
        if hasattr(self.init_, "decision_function"):
            return np.asarray(self.init_.decision_function(X), dtype=np.float64)
        tiny = np.finfo(float).tiny
        log: FloatArray = np.log(np.clip(self.init_.predict_proba(X), tiny, 1.0))
        return log[:, 1] - log[:, 0] if log.shape[1] == 2 else log

    def decision_function(
        self, X: ArrayLike, *, f0: ArrayLike | None = None, n_boosts: int | None = None
    ) -> FloatArray:
        """Return the scores f(x): log-odds of the second class, or of each class against the others.

        Parameters
        ----------
        X : array-like of shape (n, D)
            Rows.
        f0 : array-like of shape (n,) or (n, K) or None
            As in :meth:`fit`.
        n_boosts : int or None
            Use the first stages only.

        Returns
        -------
        ndarray of shape (n,), or (n, K) with more than two classes
            Not normalised.
        """
        scores = self._outputs(X, f0, n_boosts)
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def scores(self, X: ArrayLike) -> FloatArray:
        """Return the scores of all classes, shape (n, K); with two, minus and plus half the log-odds."""
        scores = self._outputs(X, None, None)
        return np.hstack([-0.5 * scores, 0.5 * scores]) if scores.shape[1] == 1 else scores

    def predict(self, X: ArrayLike, *, f0: ArrayLike | None = None, n_boosts: int | None = None) -> NDArray[Any]:
        """Predict the class with the highest score; parameters as for :meth:`decision_function`."""
        return self._decide(self._outputs(X, f0, n_boosts))

    def predict_proba(self, X: ArrayLike, *, f0: ArrayLike | None = None, n_boosts: int | None = None) -> FloatArray:
        """Estimate class probabilities, above 0 and below 1; parameters as for :meth:`decision_function`.

        Returns
        -------
        ndarray of shape (n, K)
            With more than two classes, the probabilities of each against the others, divided by their sum.
        """
        return _probabilities(self._outputs(X, f0, n_boosts))

    def _decide(self, scores: FloatArray) -> NDArray[Any]:
        """Return the class with the highest score."""
        best = (scores[:, 0] > 0.0).astype(int) if scores.shape[1] == 1 else scores.argmax(axis=1)
        decided: NDArray[Any] = self.classes_[best]
        return decided

    def staged_decision_function(self, X: ArrayLike, *, f0: ArrayLike | None = None) -> Iterator[FloatArray]:
        """Yield :meth:`decision_function` after each stage."""
        for scores in self._staged(X, f0):
            yield scores[:, 0] if scores.shape[1] == 1 else scores

    def staged_predict(self, X: ArrayLike, *, f0: ArrayLike | None = None) -> Iterator[NDArray[Any]]:
        """Yield :meth:`predict` after each stage."""
        for scores in self._staged(X, f0):
            yield self._decide(scores)

    def staged_predict_proba(self, X: ArrayLike, *, f0: ArrayLike | None = None) -> Iterator[FloatArray]:
        """Yield :meth:`predict_proba` after each stage."""
        for scores in self._staged(X, f0):
            yield _probabilities(scores)

    def _raw_familiarity(self, X: ArrayLike) -> FloatArray:
        """Return minus the drift indicator."""
        return -self.drift_indicator(X, min(5, len(self.reference_index_)))


def _probabilities(scores: FloatArray) -> FloatArray:
    """Turn scores (n, P) into probabilities (n, K)."""
    if scores.shape[1] == 1:
        second = expit(np.clip(scores, -LARGEST_SCORE, LARGEST_SCORE))
        return np.hstack([1.0 - second, second])
    log = log_expit(scores)
    log -= logsumexp(log, axis=1, keepdims=True)
    shares = np.exp(np.maximum(log, -LARGEST_SCORE))
    normalised: FloatArray = shares / shares.sum(axis=1, keepdims=True)
    return normalised
