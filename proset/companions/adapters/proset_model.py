"""The prototype set classifier behind the interface of the companions."""

from __future__ import annotations

from numbers import Integral
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from proset.common.allowed import SWITCH, OneOf, Rules, check_values
from proset.common.errors import ProsetError
from proset.companions.adapters.proset_answers import ProsetAnswersMixin
from proset.companions.adapters.scaling import column_scaling
from proset.companions.protocol import FloatArray, Offer
from proset.companions.shared import fitted_at_once
from proset.engine.candidates import smallest_class_size
from proset.engine.model import ClassifierModel
from proset.engine.training_checks import check_features_and_labels, check_several_classes, counted_weight
from proset.selection.either import AnyPlan
from proset.selection.estimator import ProsetClassifierCV
from proset.selection.inner_folds import GroupsAndTimes, inner_folds
from proset.selection.joint_plan import JointPlan
from proset.selection.plan import SearchPlan

RULES: Rules = MappingProxyType({"search": OneOf((None, "quick", "joint", "report")), "standardize": SWITCH})
_NOT_THE_MODELS = frozenset({"search", "standardize"})
_SEARCHED = frozenset(
    {"n_iter", "lambda_v", "lambda_w", "weight_factor", "alpha_v", "max_fraction", "correction", "thinning", "n_joined"}
)


class ProsetPrototypes(ProsetAnswersMixin, ClassifierMixin, BaseEstimator):
    """Prototype set classifier that says what it rests on in the same words as its companions.

    Parameters
    ----------
    search : {None, "quick", "joint", "report"}, default=None
        Whether to choose penalties and number of batches by cross-validation, and by which method of
        :class:`proset.ProsetClassifierCV`; None takes the parameters as they are.
    standardize : bool, default=True
        Centre and scale the columns first.
    n_iter, lambda_v, lambda_w, alpha_v, alpha_w, num_candidates, max_fraction, max_samples, solver_factr, backend, \
random_state, n_jobs, weight_factor, correction, thinning, max_prototypes, n_joined
        As for :class:`proset.ClassifierModel`; a search chooses some of them itself.

    Attributes
    ----------
    model_ : ClassifierModel
        The classifier, fitted to the numbers 0, 1, ... of the classes.
    prototype_rows_ : ndarray of shape (k, D)
        All columns of the rows that became prototypes, batch by batch, in the units of the matrix fitted to.
    center_, scale_ : ndarray of shape (D,)
        What is taken off each column, and what it is divided by.
    classes_ : ndarray of shape (K,)
        Class labels, sorted.
    n_features_in_ : int
        Number of columns D.

    Notes
    -----
    Scores are the estimated probabilities: the marginals and each prototype add to them, section 4.3.1 of the report.
    The distance combines the metrics of the batches as familiarity weighs them: with d_b the distance in the feature
    weights of batch b, and s_b its share of all prototype weights,
    ``d = sqrt(-2 log(sum_b s_b exp(-d_b ** 2 / 2)))``. With one batch that is d_b itself.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ProsetPrototypes(lambda_v=1e-2, random_state=0).fit(X, y)
    >>> parts = model.contributions(X[:2])
    >>> bool(np.allclose(parts.total(), model.predict_proba(X[:2])))
    True
    """

    lacks: ClassVar[frozenset[Offer]] = frozenset()
    model_: ClassifierModel
    prototype_rows_: FloatArray
    center_: FloatArray
    scale_: FloatArray
    classes_: NDArray[Any]

    def __init__(
        self,
        search: str | None = None,
        standardize: bool = True,
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
        self.search = search
        self.standardize = standardize
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

    @classmethod
    def of(cls, model: ClassifierModel, X: ArrayLike) -> Self:
        """Wrap a model that is fitted already.

        Parameters
        ----------
        model : ClassifierModel
            Fitted, not shrunk; left as it is.
        X : array-like of shape (n, D)
            The matrix that it was fitted to, from which the prototypes take the columns the model does not use.

        Returns
        -------
        ProsetPrototypes
            With the same estimates; columns are not standardised once more.

        Examples
        --------
        >>> X, y = np.array([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]]), ["a"] * 3 + ["b"] * 3
        >>> model = ClassifierModel(random_state=0).fit(X, y)
        >>> bool((ProsetPrototypes.of(model, X).predict(X) == model.predict(X)).all())
        True
        """
        check_is_fitted(model, "set_manager_")
        rows = np.asarray(X, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != model.n_features_in_ or hasattr(model, "active_features_"):
            raise ProsetError(
                "The matrix is not the one that the model was fitted to.", hint="Pass it before shrink()."
            )
        made = cls(standardize=False, **model.get_params())
        made._take(model, rows, np.zeros(rows.shape[1]), np.ones(rows.shape[1]))
        made.classes_, made.fit_seconds_ = model.classes_, float("nan")
        if hasattr(model, "feature_names_in_"):
            made.feature_names_in_ = model.feature_names_in_
        return made

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        times: ArrayLike | None = None,
        progress: Any = None,
    ) -> Self:
        """Fit batches, after a search if there is to be one.

        Parameters
        ----------
        X : array-like of shape (n, D)
            Features, finite.
        y : array-like of shape (n,)
            Class labels; at least three rows per class with the default `max_fraction`, four for a search.
        sample_weight : array-like of shape (n,) or None
            Multiplicity of each row, not negative.
        groups : array-like of shape (n,) or None
            Rows with the same value stay in the same fold of a search.
        times : array-like of shape (n,) or None
            When each row was, as numbers: folds learn from rows before those that they leave out.
        progress : callable or None
            Passed to the fit or the search; raising from it ends the fit.

        Raises
        ------
        NoFoldsError
            If groups or times leave fewer than two folds to choose by.
        """
        return fitted_at_once(self, lambda draft: draft._fit(X, y, sample_weight, groups, times, progress))

    def _fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        groups: ArrayLike | None,
        times: ArrayLike | None,
        progress: Any,
    ) -> None:
        """Check what was passed, fit, and keep what was found."""
        check_values(vars(self), RULES)
        features, labels = check_features_and_labels(self, X, y, dtype=[np.float64, np.float32])
        weight = None if sample_weight is None else counted_weight(sample_weight, len(labels))
        classes = np.unique(labels if weight is None else labels[weight > 0.0])
        # Rows of weight 0 may be of a class that does not count; they are left out by the model.
        target = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
        check_several_classes(classes)
        center, scale = column_scaling(features.astype(np.float64), weight, self.standardize)
        known = GroupsAndTimes.of(groups, times, len(labels))
        model = self._fitted(self._scaled(features, center, scale), target, weight, known, progress)
        self._take(model, features.astype(np.float64), center, scale)
        self.classes_ = classes

    def _fitted(
        self,
        X: NDArray[Any],
        target: NDArray[Any],
        weight: FloatArray | None,
        known: GroupsAndTimes,
        progress: Any,
    ) -> ClassifierModel:
        """Fit the model, or search for one."""
        given = {name: value for name, value in self.get_params().items() if name not in _NOT_THE_MODELS}
        if self.search is None:
            return ClassifierModel(**given).fit(X, target, weight, progress=progress)
        kept = {name: value for name, value in given.items() if name not in _SEARCHED}
        search = ProsetClassifierCV(method=self.search, transformer=None, **kept)
        if known:
            n_folds, seed = self._folds_and_seed(target, weight, known)
            search.set_params(n_folds=n_folds, random_state=seed)
        fitted = search.fit(X, target, weight, known.groups, times=known.times, progress=progress)
        return fitted.model_

    def _folds_and_seed(
        self, target: NDArray[Any], weight: FloatArray | None, known: GroupsAndTimes
    ) -> tuple[int, int]:
        """Return how many folds the groups and times allow to a search, and the seed that draws them."""
        seed = self.random_state
        if not isinstance(seed, Integral):
            seed = int(check_random_state(seed).randint(np.iinfo(np.int32).max))
        plans: dict[str | None, AnyPlan] = {"quick": JointPlan.quick(), "report": SearchPlan.report()}
        plan = plans.get(self.search, JointPlan())
        rows = np.arange(len(target)) if weight is None else np.flatnonzero(weight > 0.0)
        fraction = plan.fraction(len(rows)) if isinstance(plan, JointPlan) else ClassifierModel().max_fraction
        smallest = smallest_class_size(fraction)
        folds = inner_folds(target[rows].astype(np.int64), plan.n_folds, int(seed), known.at(rows), smallest=smallest)
        return len(folds), int(seed)

    def _take(self, model: ClassifierModel, X: FloatArray, center: FloatArray, scale: FloatArray) -> None:
        """Keep a fitted model and what belongs to it."""
        rows = [batch.sample_index for batch in self._batches_of(model)]
        index = np.concatenate(rows) if rows else np.zeros(0, dtype=np.int64)
        self.model_, self.center_, self.scale_ = model, center, scale
        self.prototype_rows_ = X[index]
        self.n_features_in_ = int(model.n_features_in_)

    @staticmethod
    def _scaled(X: NDArray[Any], center: FloatArray, scale: FloatArray) -> NDArray[Any]:
        """Bring rows to the units of the model; those that were not scaled keep their precision."""
        if not center.any() and (scale == 1.0).all():
            return X
        scaled: FloatArray = (X.astype(np.float64) - center) / scale
        return scaled

    def _ready(self, X: ArrayLike) -> NDArray[Any]:
        """Check rows and bring them to the units of the model."""
        check_is_fitted(self, "model_")
        checked = validate_data(self, X, dtype=[np.float64, np.float32], reset=False)
        return self._scaled(checked, self.center_, self.scale_)

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Estimate class probabilities (2.4), shape (n, K)."""
        rows = self._ready(X)
        return self.model_.predict_proba(rows)
