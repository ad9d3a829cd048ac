"""The classifier."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, log_expit, logsumexp
from sklearn.base import ClassifierMixin, clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from proset.common.errors import StorageError
from proset.companions.gbmap.base import FITTED, GBMapBase
from proset.companions.gbmap.compiled import LOGISTIC
from proset.companions.protocol import FloatArray, Offer, PathPoint
from proset.companions.shared import PrototypeModelMixin
from proset.engine.training_checks import check_several_classes, refuse_missing_labels

LARGEST_SCORE = 36.0
"""Beyond it, a probability in double precision would be 0 or 1."""
_ONE_MORE = 1e-9  # by which the class with the highest score is ahead in a tie
PATH_STAGES = (0, 1, 2, 3, 5, 10, 20)
"""Stages that a path looks at, beside the model's own."""


class GBMapClassifier(ClassifierMixin, GBMapBase, PrototypeModelMixin):
    """Classification on a few learned directions, each bent once; these are an embedding with a distance of its own.

    Parameters
    ----------
    n_boosts : int, default=10
        Stages m. Each adds one unit; with more than two classes, one for each class against the others.
    beta : float, default=1.0
        How sharply a unit is bent, above 0; useful from 1 to 20.
    ridge : float, default=1e-3
        Penalty ridge |w|^2 / p on the coefficients of a unit; p counts the one of the constant feature, if there is
        one, and so does |w|^2.
    lasso : float, default=0.0
        Penalty lasso |w|_1 / p on the coefficients of the features alone: larger means fewer features.
    max_iter : int, default=200
        Steps of L-BFGS for each unit, at most.
    tol : float, default=5e-4
        It stops where the gradient is shorter than that.
    n_init : int, default=1
        Random starts.
    refit : {"depth", "width"}, default="depth"
        With several starts: the best of whole fits, or the best unit in every stage.
    init_score : estimator or None, default=None
        A model to start from: cloned, fitted, and its log-odds added. Put a fitted one into scikit-learn's
        ``FrozenEstimator``. None starts from 0.
    fit_intercept : bool, default=True
        Whether there is a constant feature.
    standardize : bool, default=True
        Whether to fit to features of mean zero and unit scale, which starts and penalties assume. The fitted model is
        stated for the features as they are; one that is constant plays no part. Without a constant feature, the mean is
        not subtracted.
    early_stopping : bool, default=False
        Set rows aside and stop when their loss has not become smaller for `n_iter_no_change` stages; stages after the
        best one are dropped.
    validation_fraction : float, default=0.1
        Share of the rows that are set aside.
    n_iter_no_change : int, default=5
        See `early_stopping`.
    min_gain : float, default=1e-6
        A unit that does not lower the training loss by that share of the first loss is dropped and another start is
        drawn; after ten in a row, boosting ends.
    max_reference : int or None, default=100000
        Training rows that are kept as possible neighbours, at most; drawn at random if there are more. None keeps all.
    precision : {"double", "single"}, default="double"
        Of the fit. Single takes less time where there are many rows, and ends at nearly the same loss.
    random_state : int, RandomState instance or None, default=None
        Draws the starts. An int gives the same model at every call.
    n_jobs : int or None, default=None
        Threads of the compiled code, at most, as scikit-learn counts. The results do not depend on it.

    Attributes
    ----------
    weights_ : ndarray of shape (U, D)
        Coefficients w of each unit, for the features as they are.
    feature_scale_ : ndarray of shape (D,)
        Standard deviations of the features, or 1.
    biases_, intercepts_, signs_ : ndarray of shape (U,)
        Coefficient c of the constant feature, constant a, and sign b.
    stages_, outputs_ : ndarray of int64, shape (U,)
        Stage of each unit, and which score it belongs to.
    target_mean_, target_scale_ : float
        0 and 1.
    losses_ : ndarray of shape (stages + 1,)
        Mean logistic loss without units, then after each stage; with more than two classes, the mean over classes.
    validation_losses_ : ndarray of shape (stages + 1,) or (0,)
        The same for rows set aside.
    unit_steps_ : ndarray of int64, shape (U,)
        Steps of L-BFGS for each unit.
    n_iter_ : int
        Their sum.
    reference_embedding_, reference_index_ : ndarray of shape (r, U) and (r,)
        Training rows that may be neighbours: their embedding, and their positions.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    f(x) = f_0(x) + sum_j f_j(x), f_j(x) = a_j + b_j g(w_j x + c_j), g(z) = log(1 + exp(beta z)) / beta. Each f_j is
    learned with those before it fixed, for both signs from the same random start (Patron and others, "Gradient boosting
    mapping for dimensionality reduction and feature extraction").

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

    def _fit(self, X: ArrayLike, y: ArrayLike, *others: Any) -> None:
        refuse_missing_labels(y)
        super()._fit(X, y, *others)

    def _checked_target(self, y: NDArray[Any]) -> NDArray[Any]:
        # The check takes as long as a tenth of a small fit; labels of these kinds always pass it.
        if y.dtype.kind not in "biuU" and not (y.dtype.kind == "f" and (y == np.floor(y)).all()):
            check_classification_targets(y)
        return y

    def _targets(self, y: NDArray[Any], weight: FloatArray) -> FloatArray:
        self.classes_, code = np.unique(y, return_inverse=True)
        check_several_classes(self.classes_)
        self.target_mean_, self.target_scale_ = 0.0, 1.0
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

    def path(
        self, X: ArrayLike, y: ArrayLike, X_test: ArrayLike, *, sample_weight: ArrayLike | None = None
    ) -> tuple[PathPoint, ...]:
        """Estimate rows with fewer and with more stages, from one fit; see PrototypeModelMixin.path."""
        check_is_fitted(self, "weights_")
        most = max(*PATH_STAGES, self.n_boosts)
        fitted = clone(self).set_params(n_boosts=most).fit(X, y, sample_weight)
        reached = int(fitted.stages_.max(initial=-1)) + 1
        own = min(self.n_boosts, reached)
        return tuple(
            PathPoint(
                knob="stages",
                value=float(stages),
                n_prototypes=None,
                n_features=int(fitted.weights_[fitted.stages_ < stages].any(axis=0).sum()),
                probabilities=fitted.predict_proba(X_test, n_boosts=stages),
                own=stages == own,
            )
            for stages in sorted({*(k for k in PATH_STAGES if k <= reached), own, reached})
        )

    def _check_state(self) -> None:
        """Refuse saved arrays that do not fit each other."""
        n_units, width, n_rows = len(self.signs_), self.n_features_in_, len(self.reference_index_)
        n_classes = len(self.classes_)
        n_outputs = 1 if n_classes == 2 else n_classes
        shapes = {
            "n_outputs_": ((int(self.n_outputs_),), (n_outputs,)),
            "weights_": (self.weights_.shape, (n_units, width)),
            "feature_scale_": (self.feature_scale_.shape, (width,)),
            "reference_embedding_": (self.reference_embedding_.shape, (n_rows, n_units)),
            "reference_values_": (self.reference_values_.shape, (n_rows, n_outputs)),
        }
        per_unit = ("biases_", "intercepts_", "signs_", "stages_", "outputs_", "unit_steps_")
        shapes |= {name: (getattr(self, name).shape, (n_units,)) for name in per_unit}
        wrong = [name for name, (found, expected) in shapes.items() if found != expected]
        if "outputs_" not in wrong and not np.isin(self.outputs_, np.arange(n_outputs)).all():
            wrong.append("outputs_")
        numbers = ("weights_", "biases_", "intercepts_", "signs_", "feature_scale_", "reference_embedding_")
        wrong += [name for name in numbers if not np.isfinite(getattr(self, name)).all()]
        if wrong:
            raise StorageError(f"The saved GBMapClassifier does not fit together: {', '.join(dict.fromkeys(wrong))}.")

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
    # Far from the training rows several scores are so high that their probabilities round to the same number.
    rows, first = np.arange(len(scores)), scores.argmax(axis=1)
    tied = shares.argmax(axis=1) != first
    shares[rows[tied], first[tied]] = (1.0 + _ONE_MORE) * shares[tied].max(axis=1)
    normalised: FloatArray = shares / shares.sum(axis=1, keepdims=True)
    return normalised
