"""The search as a scikit-learn estimator: the model that algorithm 2.2 finds, fitted by ``fit``."""

from __future__ import annotations

import warnings
from dataclasses import replace
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import check_consistent_length, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from proset.common.allowed import SEED, check_values
from proset.common.errors import StudyError
from proset.engine.model import ClassifierModel
from proset.engine.set_manager import FloatArray
from proset.engine.training_checks import check_features_and_labels, refuse_missing_labels
from proset.selection.either import ClassPlan, ClassRecord
from proset.selection.joint_plan import JointPlan
from proset.selection.matrices import CHOOSE, named_as, take_over_columns
from proset.selection.plan import Penalty, Rule, SearchPlan
from proset.selection.rare_classes import ClassesSetAside, RareClassWarning
from proset.selection.search_progress import ProgressCallback
from proset.selection.select import SearchResult, select_hyperparameters

METHODS = ("joint", "quick", "report")
_OF_JOINT = ("lambda_v", "lambda_w", "n_folds", "max_batches", "rule", "cv_factr", "alpha_v", "max_fraction",
             "n_joined", "take_joined")  # fmt: skip
_OF_REPORT = ("lambda_v", "lambda_w", "n_trials", "n_folds", "max_batches", "rule", "cv_factr")
_OF_MODEL = ("alpha_v", "alpha_w", "num_candidates", "max_fraction", "max_samples", "solver_factr", "backend",
             "max_prototypes")  # fmt: skip


class ProsetClassifierCV(ClassifierMixin, BaseEstimator):
    """Prototype set classifier that chooses its penalties and number of batches by cross-validation.

    Parameters
    ----------
    method : {"joint", "quick", "report"}, default="joint"
        How to search: all at once (:class:`JointPlan`), the same with a few settings (:meth:`JointPlan.quick`), or by
        algorithm 2.2 as the report has it, 50 random pairs of penalties first (:meth:`SearchPlan.report`).
    lambda_v, lambda_w : (float, float), float or None, default=None
        Range of each penalty, searched on a logarithmic scale; a number keeps it fixed.
    n_folds, max_batches, rule, cv_factr, n_trials
        How to search, see the plans; `n_trials` is for "report" only. `rule` is "sd", "se" or "best".
    n_joined, take_joined
        Whether to try the joined votes of several fits, and to take them unless they are clearly worse, see
        :class:`JointPlan`; not for "report".
    transformer : transformer, "choose", "scale", "squashed", "quantile", "evidence" or None, default="choose"
        What features go through before the model; fitted anew on the training part of each fold. "scale" is a
        ``StandardScaler``, the others are those of :class:`proset.selection.ColumnScaler`, None leaves features as
        they are. "choose" lets a joint search compare the scales of its plan on folds; other methods take "scale".
    alpha_v, max_fraction, alpha_w, num_candidates, max_samples, solver_factr, backend, max_prototypes
        What is not searched, see :class:`proset.ClassifierModel`; a joint search has usual values of its own for the
        first two.
    n_jobs : int or None, default=None
        Processes. None uses this one for small problems, else one per core. The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
        Draws pairs of penalties, folds and candidates. An int gives the same model at every call.

    Attributes
    ----------
    record_ : JointRecord or SearchRecord
        What was tried, log-loss by fold, choice. To be printed with :func:`proset.selection.search_report`.
    model_ : ClassifierModel
        Fitted to all rows with what was chosen; takes features that went through `transformer_`.
    transformer_ : transformer or None
        Fitted to all rows.
    lambda_v_, lambda_w_ : float
        Penalties chosen.
    weight_factor_ : float
        Factor of all prototype weights chosen.
    n_batches_ : int
        Number of batches chosen, of each fit if several are joined; with 0 the model predicts the marginal
        probabilities.
    n_joined_ : int
        Fits whose votes are joined in the model.
    classes_ : ndarray of shape (K,)
        Class labels, sorted.
    n_features_in_ : int
        Number of features in front of `transformer`.
    feature_names_in_ : ndarray of str, shape (D,)
        Their names, if `X` had string column names.

    See Also
    --------
    proset.select_hyperparameters : The same as a function, which can also go on with a search that was stopped.

    Notes
    -----
    ``score`` is the mean log-likelihood, as that of ``ClassifierModel``, so that nested cross-validation and
    ``GridSearchCV`` compare what the search itself compares. None stands for the usual value of the method.

    Samples of a class that cannot satisfy condition (2.14) take no part in the search. The model has the class all the
    same, with its marginal probability (2.2) and without prototypes, so that ``predict_proba`` has a column for it.
    :func:`proset.select_hyperparameters` and :class:`proset.ClassifierModel` refuse such a class.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> X, y = load_iris(return_X_y=True)
    >>> search = ProsetClassifierCV(method="quick", random_state=0)
    >>> search.fit(X, y).predict(X[[0, 60, 120]])
    array([0, 1, 2])
    >>> (search.lambda_v_, search.lambda_w_) in search.record_.plan.pairs()
    True
    >>> bool(cross_val_score(search, X, y, cv=2).mean() > -0.4)
    True
    """

    record_: ClassRecord
    model_: ClassifierModel
    transformer_: Any
    lambda_v_: float
    lambda_w_: float
    weight_factor_: float
    n_batches_: int
    n_joined_: int
    classes_: NDArray[Any]
    n_features_in_: int
    feature_names_in_: NDArray[Any]

    def __init__(
        self,
        *,
        method: str = "joint",
        lambda_v: Penalty | None = None,
        lambda_w: Penalty | None = None,
        n_trials: int | None = None,
        n_folds: int | None = None,
        max_batches: int | None = None,
        rule: Rule | str | None = None,
        cv_factr: float | None = None,
        n_joined: int | None = None,
        take_joined: bool | None = None,
        transformer: Any = CHOOSE,
        alpha_v: float | None = None,
        alpha_w: float = 0.95,
        num_candidates: int = 1000,
        max_fraction: float | None = None,
        max_samples: int | None = None,
        solver_factr: float = 1e7,
        backend: str = "compiled",
        max_prototypes: int | None = None,
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.method = method
        self.lambda_v = lambda_v
        self.lambda_w = lambda_w
        self.n_trials = n_trials
        self.n_folds = n_folds
        self.max_batches = max_batches
        self.rule = rule
        self.cv_factr = cv_factr
        self.n_joined = n_joined
        self.take_joined = take_joined
        self.transformer = transformer
        self.alpha_v = alpha_v
        self.alpha_w = alpha_w
        self.num_candidates = num_candidates
        self.max_fraction = max_fraction
        self.max_samples = max_samples
        self.solver_factr = solver_factr
        self.backend = backend
        self.max_prototypes = max_prototypes
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        *,
        times: ArrayLike | None = None,
        progress: ProgressCallback | None = None,
    ) -> Self:
        """Search, then fit a model to all rows with what was chosen.

        Parameters
        ----------
        X : array-like of shape (n, D)
            Features, finite; whatever `transformer` takes if that is a transformer of the caller's.
        y : array-like of shape (n,)
            Class labels. A class of fewer than three rows (with the default `max_fraction`) supplies no prototypes: it
            is known by its share alone, and a warning names it.
        sample_weight : array-like of shape (n,) or None
            Multiplicity of each sample, not negative; samples of weight 0 are left out.
        groups : array-like of shape (n,) or None
            Rows with the same value stay in the same fold.
        times : array-like of shape (n,) or None
            When each row was, as numbers: folds learn from rows before those that they leave out.
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

        Warns
        -----
        RareClassWarning
            If classes were set aside, naming them.
        """
        seen = clone(self)  # what is learnt about the columns; taken over once the fit is done
        X, y = seen._check_training_data(X, y)
        seed = self._draw_seed()
        plan, model = self._plan(seed), ClassifierModel(random_state=seed, **self._stated(_OF_MODEL))
        fraction = plan.fraction(np.shape(y)[0]) if isinstance(plan, JointPlan) else model.max_fraction
        rare = ClassesSetAside.of(y, sample_weight, fraction)
        if rare:
            check_consistent_length(X, y, groups, times)  # what is too long would be cut in silence
            warnings.warn(rare.words(y, fraction), RareClassWarning, stacklevel=2)
            X, y, sample_weight, groups, times = map(rare.rest, (X, y, sample_weight, groups, times))
        result = select_hyperparameters(
            model,
            X,
            y,
            sample_weight=sample_weight,
            cv_groups=groups,
            cv_times=times,
            transform=self.transformer,
            plan=plan,
            n_jobs=self.n_jobs,
            progress=progress,
        )
        take_over_columns(self, seen)
        self.record_, self.transformer_ = result.record, result.transform
        self.model_ = rare.back_in(result.model)
        self.lambda_v_, self.lambda_w_ = result.record.chosen_penalties
        self.n_batches_, self.weight_factor_ = result.record.chosen_batches, result.model.weight_factor
        self.n_joined_ = result.model.n_joined
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the class with the highest estimated probability, shape (n,)."""
        ready = self._ready(X)
        return self.model_.predict(ready)

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Estimate class probabilities (2.4), shape (n, K), columns as in `classes_`."""
        ready = self._ready(X)
        return self.model_.predict_proba(ready)

    def predict_log_proba(self, X: ArrayLike) -> FloatArray:
        """Return the logarithm of :meth:`predict_proba`, shape (n, K)."""
        ready = self._ready(X)
        return self.model_.predict_log_proba(ready)

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
            refuse_missing_labels(y)
            validate_data(self, X, y, skip_check_array=True)
            return X, y
        matrix, labels = check_features_and_labels(self, X, y, dtype=[np.float64, np.float32])
        return named_as(self, matrix), labels

    def _ready(self, X: ArrayLike) -> Any:
        """Return rows as the model takes them."""
        check_is_fitted(self, "model_")
        if self._transforms_itself:
            validate_data(self, X, reset=False, skip_check_array=True)
        else:
            X = named_as(self, validate_data(self, X, reset=False, dtype=[np.float64, np.float32]))
        return SearchResult(self.record_, self.model_, self.transformer_).ready(X)

    @property
    def _transforms_itself(self) -> bool:
        """True if the caller gave a transformer, which may take anything, such as a frame of texts."""
        return not (self.transformer is None or isinstance(self.transformer, str))

    def _stated(self, names: tuple[str, ...]) -> dict[str, Any]:
        """Return the parameters among `names` that were stated."""
        return {name: value for name in names if (value := getattr(self, name)) is not None}

    def _plan(self, seed: int) -> ClassPlan:
        """Return what to try."""
        if self.method not in METHODS:
            raise StudyError(f"method is {self.method!r}; it has to be one of {', '.join(METHODS)}.")
        if self.method == "report":
            for name in ("n_joined", "take_joined"):
                if getattr(self, name) is not None:
                    raise StudyError(f"{name} is a parameter of a joint search.", hint="Leave it out.")
            return SearchPlan.report(seed, **self._stated(_OF_REPORT))
        if self.n_trials is not None:
            raise StudyError("n_trials is a parameter of method='report'.", hint="Leave it out.")
        plan = JointPlan.quick(seed) if self.method == "quick" else JointPlan(random_state=seed)
        return replace(plan, **_with_counts(plan, self._stated(_OF_JOINT)))

    def _draw_seed(self) -> int:
        """Return the seed of plan and model."""
        check_values({"random_state": self.random_state}, {"random_state": SEED}, StudyError)
        if isinstance(self.random_state, Integral):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))


def _with_counts(plan: JointPlan, stated: dict[str, Any]) -> dict[str, Any]:
    """Add to what was stated what has to go with it: numbers of values and of first folds."""
    for name, usual in (("lambda_v", 4), ("lambda_w", 2)):
        if isinstance(stated.get(name), (tuple, list)) and name not in plan.searched:
            stated[f"n_{name}"] = usual
    folds = stated.get("n_folds")
    if isinstance(folds, Integral):
        stated["first_folds"] = min(plan.first_folds, int(folds)) if plan.first_folds < plan.n_folds else int(folds)
    return stated
