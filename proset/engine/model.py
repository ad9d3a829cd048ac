"""The prototype set classifier with scikit-learn manners."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import LabelEncoder
from sklearn.utils import check_consistent_length, check_random_state, column_or_1d

from proset.common.words import listed
from proset.engine.fit_progress import FitProgress
from proset.engine.fitting import BatchSettings, TrainingData
from proset.engine.growth import marginal_model
from proset.engine.kernels.threads import limited
from proset.engine.model_tables import ReportsMixin
from proset.engine.set_manager import FloatArray, IntArray
from proset.engine.training_checks import (
    check_class_sizes,
    check_features_and_labels,
    check_joined,
    check_marginals,
    counted_weight,
)


class ClassifierModel(ReportsMixin, ClassifierMixin, BaseEstimator):
    """Classifier made of a few weighted training samples and a few weighted features.

    Parameters
    ----------
    n_iter : int, default=1
        Number of batches B added by :meth:`fit`, at least 0. With 0 the model predicts the marginal probabilities.
    lambda_v : float, default=1e-3
        Penalty on the feature weights; larger means smoother and fewer features. Useful range 1e-6 to 1e-1.
    lambda_w : float, default=1e-8
        Penalty on the prototype weights. Useful range 1e-9 to 1e-4.
    alpha_v, alpha_w : float, default=0.95
        Share of each penalty that is the **L2** term, in [0, 1] (the reverse of glmnet's alpha).
    num_candidates : int, default=1000
        Candidates M for prototypes drawn per batch, at least twice the number of classes.
    max_fraction : float, default=0.5
        Largest share eta of the samples of one bin that may become candidates, in (0, 1).
    max_samples : int or None, default=None
        Use at most that many samples per batch, drawn without replacement and stratified by class; each class keeps the
        overall weight that it has among all samples. None uses all.
    solver_factr : float, default=1e7
        Tolerance (2.16) of L-BFGS-B in units of the machine precision; 1e10 is faster and nearly as good.
    backend : {"compiled", "numpy", "tensorflow"}, default="compiled"
        What evaluates the objective: code that numba compiles, matrix products of numpy (these also, with a
        warning, where "compiled" is asked for without numba), or TensorFlow, on a GPU if it finds one.
    random_state : int, RandomState instance or None, default=None
        Draws the candidates. An int gives the same model at every call.
    weight_factor : float, default=1.0
        What all prototype weights are multiplied with after the last batch, in (0, 1]. Less than one draws estimates
        toward the marginal probabilities, the more the fewer prototypes are near: on small noisy tables they are too
        sure of themselves otherwise. Not in the report.
    correction : float, default=0.0
        With more than 0, the prototype weights of all batches are solved for at once after the last batch: share of the
        classes of the samples in what estimates are drawn to, in [0, 1]; the rest are the estimates so far. Small noisy
        tables bear little of it. Not in the report.
    thinning : float, default=0.0
        Share of what the model knows that may be given up for fewer prototypes after the last batch, in [0, 1). Not in
        the report.
    max_prototypes : int or None, default=None
        Most prototypes that are left after the last batch, whatever that costs; None does not bind. Not in the report.
    n_joined : int, default=1
        Fits M whose votes are averaged, each on candidates of its own: one model of M times `n_iter` batches, all
        prototype weights divided by M. It is less a matter of chance than one fit, and larger unless it is corrected or
        thinned. Not in the report.
    n_jobs : int or None, default=None
        Threads of the compiled code, at most; -1 and None take all that this process may use, -2 all but one. The
        results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Class labels, sorted.
    label_encoder_ : LabelEncoder
        Maps labels to 0, ..., K - 1.
    set_manager_ : SetManager
        The fitted batches; where fits are joined, the first batch of each, then the second of each, and so on.
    batch_results_ : tuple of BatchResult
        What happened in each batch, why the solver stopped included.
    weight_factor_ : float
        The `weight_factor` of the last fit; a warm start takes it back before it goes on.
    n_joined_ : int
        The `n_joined` of the model; a warm start can only go on with the same.
    refinement_ : Refinement
        What `correction`, `thinning` and `max_prototypes` did, if they asked for anything in the last fit.
    seed_ : int
        Seed of the fit, drawn from `random_state`; a warm start goes on with it.
    n_features_in_ : int
        Number of features D.
    feature_names_in_ : ndarray of str, shape (D,)
        Names of the features, if `X` had string column names.
    active_features_ : ndarray of int64
        After :meth:`shrink`, until the next fit from the start: the original columns the model still takes, ascending.

    Notes
    -----
    The model is (2.4) of the report, the fit section 2.1. Features should have unit scale (remark 2.4): put a
    ``StandardScaler`` in front. ``score`` is the mean log-likelihood, not accuracy.

    Every method takes a feature matrix `X` of finite numbers, array-like of shape (n, D), with the columns of the fit;
    columns of estimates are ordered as `classes_`. A fit that is refused, aborted or fails leaves the object as it was.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import scale
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ClassifierModel(lambda_v=1e-2, random_state=0).fit(scale(X), y)
    >>> model.predict(scale(X)[[0, 60, 120]])
    array([0, 1, 2])
    >>> model.predict_proba(scale(X)[:1]).round(1)
    array([[1., 0., 0.]])
    """

    label_encoder_: LabelEncoder

    def __init__(
        self,
        n_iter: int = 1,
        lambda_v: float = 1e-3,
        lambda_w: float = 1e-8,
        alpha_v: float = 0.95,
        alpha_w: float = 0.95,
        num_candidates: int = 1000,
        max_fraction: float = 0.5,
        max_samples: int | None = None,
        solver_factr: float = 1e7,
        backend: str = "compiled",
        random_state: int | np.random.RandomState | None = None,
        n_jobs: int | None = None,
        weight_factor: float = 1.0,
        correction: float = 0.0,
        thinning: float = 0.0,
        max_prototypes: int | None = None,
        n_joined: int = 1,
    ) -> None:
        self.n_iter = n_iter
        self.lambda_v = lambda_v
        self.lambda_w = lambda_w
        self.alpha_v = alpha_v
        self.alpha_w = alpha_w
        self.num_candidates = num_candidates
        self.max_fraction = max_fraction
        self.max_samples = max_samples
        self.solver_factr = solver_factr
        self.backend = backend
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.weight_factor = weight_factor
        self.correction = correction
        self.thinning = thinning
        self.max_prototypes = max_prototypes
        self.n_joined = n_joined

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        warm_start: bool = False,
        *,
        progress: Callable[[FitProgress], None] | None = None,
        candidate_mask: ArrayLike | None = None,
        required_candidates: ArrayLike | None = None,
        feature_penalty: ArrayLike | None = None,
        sample_places: ArrayLike | None = None,
    ) -> Self:
        """Fit `n_iter` batches to training data.

        The last four arguments are an extension of the report; without them nothing changes. They hold for the batches
        that this call adds. In algorithm 2.1 the limit of a bin becomes min(eta * g_i, number of its samples that may
        be candidates); the feature penalty of (2.8) becomes lambda_v * sum over d of phi_d * (alpha_v / 2 * v_d^2 +
        (1 - alpha_v) * v_d), where phi_d is `feature_penalty`, and its part of (2.11) is multiplied with phi_d.

        Parameters
        ----------
        X : array-like of shape (n, D)
            Features of unit scale.
        y : array-like of shape (n,)
            Class labels; at least three samples per class with the default `max_fraction`.
        sample_weight : array-like of shape (n,) or None
            Multiplicity of each sample (remark 2.2), not negative; samples of weight 0 are left out.
        warm_start : bool, default=False
            Add `n_iter` batches to the model fitted before, on the same classes, features and marginal probabilities.
            Fitting twice one batch gives the same model as fitting two at once, unless it was corrected or thinned: it
            goes on from there. Where fits are joined, each of them goes on.
        progress : callable or None
            Called with a :class:`~proset.engine.fit_progress.FitProgress` after every evaluation, or now and then
            where joined fits run side by side; raising from it ends the fit.
        candidate_mask : array-like of bool, shape (n,), or None
            Samples that may be candidates, and so prototypes; None for all. The others still score the candidates. A
            sample with the same features and class may take the place of one that may not.
        required_candidates : array-like of int or None
            Positions of samples that are always among the candidates of the first batch of each fit, unless their
            weight is 0; whether they become prototypes is for the fit to find. More than the share `max_fraction` of a
            class may be named; if all are, the last one scores the others.
        feature_penalty : array-like of shape (D,) or None
            Factor of each feature on its penalty, at least 0: with 0 the penalty is lifted, with infinity the feature
            is not used, as if it were not there. None for 1.
        sample_places : array-like of int, shape (n,), or None
            Positions of the samples among those there were before others were left out, none twice and below 1e8. The
            others are then drawn as if these were still there, so that the models differ by what was left out and not
            by another draw. None where none were: 0 to n - 1.

        Returns
        -------
        ClassifierModel
            Itself.

        Raises
        ------
        ValueError
            For an impossible parameter or argument, missing or infinite values, fewer than two classes, a class with
            too few samples (2.14), or a warm start where classes have other shares than in the model, or other fits are
            joined.

        Warns
        -----
        ConvergenceWarning
            If the solver stopped before it converged, saying why.
        NoActiveFeatureWarning
            If no feature has a weight in the end, naming the columns that are not of unit scale.
        """
        asked = (candidate_mask, required_candidates, feature_penalty, sample_places)
        self._fit_model(X, y, sample_weight, warm_start, progress, asked)
        return self

    def _check_training_data(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> TrainingData:
        """Check everything that enters `fit`, and set what a model without batches has, unless there is a model."""
        continued = hasattr(self, "set_manager_")
        features, labels = check_features_and_labels(self, X, y, dtype=[np.float64, np.float32], reset=not continued)
        weight = counted_weight(sample_weight, features.shape[0])
        index = np.flatnonzero(weight > 0.0)
        if index.shape[0] < weight.shape[0]:
            features, labels, weight = features[index], labels[index], weight[index]
        if continued:
            target = self._encode(labels)
        else:
            self.label_encoder_ = LabelEncoder()
            target = self.label_encoder_.fit_transform(labels).astype(np.int64)
            self.classes_ = self.label_encoder_.classes_
        data = TrainingData(features, target, weight, index)
        check_class_sizes(data.target, self.classes_, BatchSettings.of(self))
        start = marginal_model(data)
        if not continued:
            self.seed_ = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
            self.set_manager_, self.batch_results_ = start, ()
        check_marginals(self.set_manager_.marginals, start.marginals, self.classes_)
        if continued and self.set_manager_.num_batches:
            check_joined(self.n_joined, getattr(self, "n_joined_", 1))
        self.n_joined_ = self.n_joined
        return data

    def _settings(self) -> BatchSettings:
        return BatchSettings.of(self)

    def _encode(self, y: ArrayLike) -> IntArray:
        """Map labels to 0, ..., K - 1, and refuse those that the model does not know."""
        labels = column_or_1d(y).tolist()
        places = {label: k for k, label in enumerate(self.classes_.tolist())}  # the encoder would take 1.7 for 1
        unknown = dict.fromkeys(str(label) for label in labels if label not in places)
        if unknown:
            raise ValueError(
                f"y contains labels that the model does not know: {listed(unknown, most=5)}. "
                f"It knows {listed(places, most=5)}."
            )
        return np.array([places[label] for label in labels], dtype=np.int64)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the class with the highest estimated probability (the naive rule).

        Returns
        -------
        ndarray of shape (n,)
            Class labels; the first in `classes_` wins a tie.

        Notes
        -----
        For real decisions, apply a rule that knows the costs to :meth:`predict_proba` (section 4.3.2).
        """
        best = np.argmax(self.predict_proba(X), axis=1)
        return self.classes_[best]

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Estimate class probabilities (2.4).

        Returns
        -------
        ndarray of shape (n, K)
            Probabilities in (0, 1), rows summing to one.
        """
        return self.predict_with_familiarity(X)[0]

    def predict_log_proba(self, X: ArrayLike) -> FloatArray:
        """Return the logarithm of :meth:`predict_proba`, shape (n, K)."""
        logarithms: FloatArray = np.log(self.predict_proba(X))
        return logarithms

    def staged_predict_proba(self, X: ArrayLike) -> Iterator[FloatArray]:
        """Estimate class probabilities (2.7) with 0, 1, ..., B batches.

        Yields
        ------
        ndarray of shape (n, K)
            The last one equals :meth:`predict_proba`.
        """
        features = self._check_features(X)
        stages = self.set_manager_.staged_probabilities(features)
        for _ in range(self.set_manager_.num_batches + 1):
            with limited(self.n_jobs):
                stage = next(stages)
            yield stage

    def familiarity(self, X: ArrayLike) -> FloatArray:
        """Measure how much the prototypes have to say about each sample (4.5).

        Returns
        -------
        ndarray of shape (n,)
            Total impact of all prototypes, at least 0; 0 far away from the training data.
        """
        return self.predict_with_familiarity(X)[1]

    def predict_with_familiarity(self, X: ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Return :meth:`predict_proba` and :meth:`familiarity` from one pass, which takes half the time of two."""
        features = self._check_features(X)
        with limited(self.n_jobs):
            return self.set_manager_.evaluate(features)

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the mean log-likelihood of the true classes.

        Parameters
        ----------
        X, y, sample_weight
            As for :meth:`fit`; `y` may hold no class that is not among `classes_`.

        Returns
        -------
        float
            Not positive; larger is better. Its negative is the log-loss.
        """
        probabilities = self.predict_proba(X)
        check_consistent_length(probabilities, y)
        target = self._encode(y)
        weight = counted_weight(sample_weight, probabilities.shape[0])
        return float(np.average(np.log(probabilities[np.arange(target.shape[0]), target]), weights=weight))
