"""The search as a scikit-learn estimator: the model that algorithm 2.2 finds, fitted by ``fit``."""

from __future__ import annotations

from numbers import Integral
from typing import Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from proset.engine.model import ClassifierModel
from proset.engine.set_manager import FloatArray
from proset.selection.either import AnyRecord
from proset.selection.matrices import SCALE
from proset.selection.plan import Penalty, Rule, SearchPlan
from proset.selection.search_progress import ProgressCallback
from proset.selection.select import SearchResult, select_hyperparameters

_OF_PLAN = (
    "lambda_v",
    "lambda_w",
    "n_trials",
    "n_folds",
    "max_batches",
    "rule",
    "cv_factr",
    "second_look",
)
_OF_MODEL = ("alpha_v", "alpha_w", "num_candidates", "max_fraction", "max_samples", "solver_factr", "backend")


class ProsetClassifierCV(ClassifierMixin, BaseEstimator):
    """Prototype set classifier that chooses its penalties and number of batches by cross-validation (algorithm 2.2).

    Parameters
    ----------
    lambda_v, lambda_w : (float, float) or float, default=(1e-6, 1e-1) and 1e-8
        Range of each penalty, searched on a logarithmic scale; a number keeps it fixed.
    n_trials, n_folds, max_batches, rule, second_look, cv_factr
        How to search, with the defaults of :class:`SearchPlan`. `rule` is "sd", "se" or "best".
    transformer : transformer, "scale" or None, default="scale"
        What features go through before the model; fitted anew on the training part of each fold. "scale" is a
        ``StandardScaler``, None leaves them as they are.
    alpha_v, alpha_w, num_candidates, max_fraction, max_samples, solver_factr, backend
        What is not searched, with the defaults of :class:`proset.ClassifierModel`.
    n_jobs : int or None, default=None
        Processes. None uses this one for small problems, else one per core. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws pairs of penalties, folds and candidates. An int gives the same model at every call.

    Attributes
    ----------
    record_ : SearchRecord
        Both stages of the search: what was tried, log-loss by fold, thresholds, choice. To be printed with
        :func:`proset.selection.search_report`.
    model_ : ClassifierModel
        Fitted to all rows with what was chosen; takes features that went through `transformer_`.
    transformer_ : transformer or None
        Fitted to all rows.
    lambda_v_, lambda_w_ : float
        Penalties chosen.
    n_batches_ : int
        Number of batches chosen; with 0 the model predicts the marginal probabilities.
    classes_ : ndarray of shape (K,)
        Class labels, sorted.
    n_features_in_ : int
        Number of features in front of `transformer`.
    feature_names_in_ : ndarray of str
        Their names, if `X` had string column names.

    See Also
    --------
    proset.select_hyperparameters : The same as a function, which can also go on with a search that was stopped.

    Notes
    -----
    ``score`` is the mean log-likelihood, as that of ``ClassifierModel``, so that nested cross-validation and
    ``GridSearchCV`` compare what the search itself compares.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> X, y = load_iris(return_X_y=True)
    >>> search = ProsetClassifierCV(n_trials=3, n_folds=3, max_batches=1, random_state=0)
    >>> search.fit(X, y).predict(X[[0, 60, 120]])
    array([0, 1, 2])
    >>> search.lambda_v_ in set(search.record_.stage_1["lambda_v"])
    True
    >>> bool(cross_val_score(search, X, y, cv=2).mean() > -0.4)
    True
    """

    record_: AnyRecord
    model_: ClassifierModel
    transformer_: Any
    lambda_v_: float
    lambda_w_: float
    n_batches_: int
    classes_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]

    def __init__(
        self,
        *,
        lambda_v: Penalty = (1e-6, 1e-1),
        lambda_w: Penalty = 1e-8,
        n_trials: int | None = None,
        n_folds: int = 5,
        max_batches: int = 10,
        rule: Rule | str = "sd",
        second_look: bool = True,
        cv_factr: float = 1e11,
        transformer: Any = SCALE,
        alpha_v: float = 0.95,
        alpha_w: float = 0.95,
        num_candidates: int = 1000,
        max_fraction: float = 0.5,
        max_samples: int | None = None,
        solver_factr: float = 1e7,
        backend: str = "numpy",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.lambda_v = lambda_v
        self.lambda_w = lambda_w
        self.n_trials = n_trials
        self.n_folds = n_folds
        self.max_batches = max_batches
        self.rule = rule
        self.second_look = second_look
        self.cv_factr = cv_factr
        self.transformer = transformer
        self.alpha_v = alpha_v
        self.alpha_w = alpha_w
        self.num_candidates = num_candidates
        self.max_fraction = max_fraction
        self.max_samples = max_samples
        self.solver_factr = solver_factr
        self.backend = backend
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        *,
        progress: ProgressCallback | None = None,
    ) -> Self:
        """Search, then fit a model to all rows with what was chosen.

        Parameters
        ----------
        X : array-like of shape (n, D)
            Features, finite; whatever `transformer` takes if that is a transformer of the caller's.
        y : array-like of shape (n,)
            Class labels. With the default `max_fraction` every class needs four rows, so that three are left to learn
            from in each fold.
        sample_weight : array-like of shape (n,) or None
            Multiplicity of each sample, not negative; samples of weight 0 are left out.
        groups : array-like of shape (n,) or None
            Rows with the same value stay in the same fold.
        progress : callable or None
            Called with a :class:`SearchProgress` after every fit; raising :class:`Cancelled` from it ends the search.

        Returns
        -------
        ProsetClassifierCV
            Itself; as it was if the fit is refused or stopped.

        Raises
        ------
        ValueError
            Saying which parameter or what about the data cannot be used, before the first fit.
        """
        seen = clone(self)  # what is learnt about the columns; taken over once the fit is done
        X, y = seen._check_training_data(X, y)
        seed = self._draw_seed()
        result = select_hyperparameters(
            ClassifierModel(random_state=seed, **{name: getattr(self, name) for name in _OF_MODEL}),
            X,
            y,
            sample_weight=sample_weight,
            cv_groups=groups,
            transform=self.transformer,
            plan=SearchPlan(random_state=seed, **{name: getattr(self, name) for name in _OF_PLAN}),
            n_jobs=self.n_jobs,
            progress=progress,
        )
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(seen, name):
                setattr(self, name, getattr(seen, name))
        self.record_, self.model_, self.transformer_ = result.record, result.model, result.transform
        self.lambda_v_, self.lambda_w_ = result.record.chosen_penalties
        self.n_batches_ = result.record.chosen_batches
        self.classes_ = result.model.classes_
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the class with the highest estimated probability, shape (n,)."""
        ready = self._ready(X)
        return self.model_.predict(ready)

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Estimate class probabilities (2.4), shape (n, K), columns as in `classes_`."""
        ready = self._ready(X)
        return self.model_.predict_proba(ready)

    def familiarity(self, X: ArrayLike) -> FloatArray:
        """Measure how much the prototypes have to say about each sample (4.5), shape (n,), at least 0."""
        ready = self._ready(X)
        return self.model_.familiarity(ready)

    def score(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Return the mean log-likelihood of the true classes: not positive, the larger the better.

        Parameters
        ----------
        X : array-like of shape (n, D)
            Features as for `fit`.
        y : array-like of shape (n,)
            True classes, all among `classes_`.
        sample_weight : array-like of shape (n,) or None
            Weights of the samples.
        """
        ready = self._ready(X)
        return self.model_.score(ready, y, sample_weight)

    def _check_training_data(self, X: ArrayLike, y: ArrayLike) -> tuple[Any, Any]:
        """Check features and labels, and take over what the columns are; a caller's transformer checks its own."""
        if self._transforms_itself:
            validate_data(self, X, y, skip_check_array=True)
            return X, y
        matrix, labels = validate_data(self, X, y, dtype=[np.float64, np.float32])
        return self._name(matrix), labels

    def _ready(self, X: ArrayLike) -> Any:
        """Return rows as the model takes them."""
        check_is_fitted(self, "model_")
        if self._transforms_itself:
            validate_data(self, X, reset=False, skip_check_array=True)
        else:
            X = self._name(validate_data(self, X, reset=False, dtype=[np.float64, np.float32]))
        return SearchResult(self.record_, self.model_, self.transformer_).ready(X)

    @property
    def _transforms_itself(self) -> bool:
        """Whether the caller gave a transformer, which may take anything, such as a frame of texts."""
        return not (self.transformer is None or isinstance(self.transformer, str))

    def _name(self, matrix: Any) -> Any:
        """Give the columns the names that they had when the search began, if they had any."""
        names = getattr(self, "feature_names_in_", None)
        return matrix if names is None else pd.DataFrame(matrix, columns=names)

    def _draw_seed(self) -> int:
        """Return the seed of plan and model."""
        if isinstance(self.random_state, Integral):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
