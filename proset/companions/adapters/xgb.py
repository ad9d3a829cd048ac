"""XGBoost behind the interface of the companions, as far as trees have it."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from proset.common.allowed import JOBS, SHARE, SWITCH, WHOLE_SEED, Allowed, OneOf, Rules, check_values
from proset.common.errors import ProsetError, StorageError
from proset.common.words import shown
from proset.companions.adapters.xgb_trees import check_trees, n_nodes
from proset.companions.paths import with_own
from proset.companions.protocol import Complexity, FloatArray, Offer, PathPoint
from proset.companions.shared import PrototypeModelMixin, fitted_at_once
from proset.engine.training_checks import check_features_and_labels, check_several_classes, counted_weight
from proset.reference_models.boosting import Trees, load_xgboost
from proset.reference_models.training import TrainingRows
from proset.reference_models.xgb import fit_trees, fit_xgb_classifier
from proset.reference_models.xgb_plan import XgbPlan
from proset.selection.inner_folds import GroupsAndTimes, inner_folds
from proset.selection.plan import Rule
from proset.selection.search_progress import SearchProgress

SIZES = (1, 3, 10, 30, 100, 300, 1_000)
_COUNT = Allowed(1, whole=True)
RULES: Rules = MappingProxyType(
    {
        "search": SWITCH,
        "n_rounds": _COUNT,
        "max_depth": _COUNT,
        "colsample": SHARE,
        "subsample": SHARE,
        "learning_rate": SHARE,
        "n_trials": _COUNT,
        "max_rounds": _COUNT,
        "patience": Allowed(1, whole=True, none=True),
        "final_rate": SHARE,
        "n_folds": Allowed(2, whole=True),
        "rule": OneOf(tuple(rule.value for rule in Rule)),
        "random_state": WHOLE_SEED,
        "n_jobs": JOBS,
    }
)


class XgbPrototypes(PrototypeModelMixin, ClassifierMixin, BaseEstimator):
    """XGBoost beside the prototype methods: it has feature weights and no prototypes, distance or familiarity.

    Parameters
    ----------
    search : bool, default=False
        Choose trees and number of rounds by the report's strategy, see
        :func:`proset.reference_models.fit_xgb_classifier`; classes with fewer rows than folds make do with fewer folds.
    n_rounds : int, default=100
        Boosting iterations without a search, at least 1.
    max_depth, colsample, subsample, learning_rate
        Trees without a search: largest depth, at least 1; share of the features per split, share of the rows per tree,
        and weight of each tree, above 0 and at most 1.
    n_trials, max_rounds, patience, final_rate, n_folds
        Of the search: settings of the trees, most boosting iterations, iterations without a gain until it stops (None:
        never), all at least 1; weight of each tree once the trees are chosen, above 0 and at most 1; folds, at least 2.
    rule : {"sd", "se", "best"}, default="sd"
        How far above the best mean loss over the folds a smaller model may lie: one standard deviation as in the
        report, one standard error, nothing.
    random_state : int, default=0
        Draws settings, folds, features and rows.
    n_jobs : int or None, default=None
        Threads of the search over folds and settings.

    Attributes
    ----------
    model_ : xgboost.XGBClassifier or None
        The trees; None if the search found that class shares alone are as good.
    shares_ : ndarray of shape (K,)
        Class shares of the training rows.
    n_rounds_ : int
        Boosting iterations; 0 for class shares alone.
    max_depth_ : int
        Largest depth of a tree.
    classes_ : ndarray of shape (K,)
        Class labels, sorted.
    n_features_in_ : int
        Number of columns D.

    Examples
    --------
    >>> X, y = np.array([[0.0], [0.1], [1.0], [1.1]] * 5), ["a", "a", "b", "b"] * 5
    >>> model = XgbPrototypes(n_rounds=20).fit(X, y)
    >>> model.predict([[0.0], [1.0]]).tolist(), model.offers(Offer.PROTOTYPES)
    (['a', 'b'], False)
    """

    lacks: ClassVar[frozenset[Offer]] = frozenset(
        {Offer.PROTOTYPES, Offer.SIMILARITY, Offer.DISTANCE, Offer.CONTRIBUTIONS, Offer.FAMILIARITY}
    )
    _state: ClassVar[tuple[str, ...]] = (
        "classes_",
        "n_features_in_",
        "shares_",
        "n_rounds_",
        "max_depth_",
        "colsample_",
        "subsample_",
        "learning_rate_",
        "seed_",
        "booster_",
    )
    classes_: NDArray[Any]
    shares_: FloatArray
    n_rounds_: int
    max_depth_: int

    def __init__(
        self,
        search: bool = False,
        n_rounds: int = 100,
        max_depth: int = 4,
        colsample: float = 0.8,
        subsample: float = 0.8,
        learning_rate: float = 0.1,
        n_trials: int = 100,
        max_rounds: int = 10_000,
        patience: int | None = None,
        final_rate: float = 0.01,
        n_folds: int = 5,
        rule: str = "sd",
        random_state: int = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.search = search
        self.n_rounds = n_rounds
        self.max_depth = max_depth
        self.colsample = colsample
        self.subsample = subsample
        self.learning_rate = learning_rate
        self.n_trials = n_trials
        self.max_rounds = max_rounds
        self.patience = patience
        self.final_rate = final_rate
        self.n_folds = n_folds
        self.rule = rule
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        times: ArrayLike | None = None,
        progress: Callable[[SearchProgress], None] | None = None,
    ) -> Self:
        """Fit trees, after a search if there is to be one.

        Parameters
        ----------
        X : array-like of shape (n, D)
            Features, finite.
        y : array-like of shape (n,)
            Class labels, of two classes or more.
        sample_weight : array-like of shape (n,) or None
            Weight of each row, not negative.
        groups, times : array-like of shape (n,) or None
            As for :class:`~proset.companions.adapters.proset_model.ProsetPrototypes`.
        progress : callable or None
            Called during the search; raising from it ends the fit.

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
        progress: Callable[[SearchProgress], None] | None,
    ) -> None:
        """Check what was passed, fit, and keep what was found."""
        check_values(vars(self), RULES)
        load_xgboost()
        features, labels = check_features_and_labels(self, X, y, dtype=np.float64)
        weight = counted_weight(sample_weight, len(labels))
        kept = weight > 0.0
        classes, target = np.unique(labels[kept], return_inverse=True)
        check_several_classes(classes)
        rows = TrainingRows(features[kept], target.astype(np.int64), weight[kept], classes)
        known = GroupsAndTimes.of(groups, times, len(labels)).at(np.flatnonzero(kept))
        trees, rounds = self._settings(rows, known, progress)
        self.classes_, self.shares_ = classes, rows.shares(np.arange(len(target)))
        self._keep(trees, rounds)
        self.model_ = fit_trees(rows, trees, rounds) if rounds else None
        self.booster_ = self._raw()

    def _settings(
        self, rows: TrainingRows, known: GroupsAndTimes, progress: Callable[[SearchProgress], None] | None
    ) -> tuple[Trees, int]:
        """Return the settings of the trees and the number of rounds, 0 for class shares alone."""
        given = Trees(self.max_depth, self.colsample, self.subsample, self.learning_rate, int(self.random_state))
        folds = inner_folds(rows.target, self.n_folds, int(self.random_state), known) if self.search else ()
        if not folds:
            return given, int(self.n_rounds)
        plan = XgbPlan(
            n_trials=self.n_trials,
            max_iterations=self.max_rounds,
            patience=self.patience,
            learning_rates=(XgbPlan.learning_rates[0], self.final_rate),
            n_folds=len(folds),
            rule=Rule(self.rule),
            random_state=int(self.random_state),
        )
        found = fit_xgb_classifier(
            rows.X,
            rows.target,
            sample_weight=rows.weight,
            plan=plan,
            n_jobs=self.n_jobs,
            folds=folds,
            progress=progress,
        )
        line = found.stage_1.iloc[found.choice_1.chosen]
        trees = Trees(
            max_depth=int(line["max_depth"]),
            colsample=float(line["colsample"]),
            subsample=float(line["subsample"]),
            learning_rate=plan.learning_rates[1],
            seed=plan.trials()[found.choice_1.chosen].seed,
        )
        rounds = int(found.stage_2["iterations"].to_numpy()[found.choice_2.chosen])
        return trees, rounds if trees.max_depth else 0

    def _keep(self, trees: Trees, rounds: int) -> None:
        """Remember what was used."""
        self.n_rounds_, self.max_depth_, self.seed_ = rounds, trees.max_depth, trees.seed
        self.colsample_, self.subsample_, self.learning_rate_ = trees.colsample, trees.subsample, trees.learning_rate

    def _raw(self) -> NDArray[np.uint8]:
        """Return the trees in XGBoost's own JSON form, as bytes."""
        raw = b"" if self.model_ is None else bytes(self.model_.get_booster().save_raw("json"))
        return np.frombuffer(raw, dtype=np.uint8).copy()

    def _check_state(self) -> None:
        """Refuse saved parts that do not fit each other, and give the trees back to XGBoost."""
        shares, raw = self.shares_, self.booster_
        if not isinstance(shares, np.ndarray) or shares.shape != self.classes_.shape or not np.isfinite(shares).all():
            raise StorageError("The saved class shares do not fit the classes.")
        if not isinstance(raw, np.ndarray) or raw.dtype != np.uint8 or raw.ndim != 1:
            raise StorageError("The saved trees are not bytes.")
        self.model_ = None
        if not len(raw):
            return
        check_trees(raw.tobytes(), len(self.classes_), self.n_features_in_)
        try:
            self.model_ = load_xgboost().XGBClassifier(n_jobs=1)
            self.model_.load_model(bytearray(raw.tobytes()))
        except ProsetError:
            raise
        except Exception as error:  # XGBoost's own errors are of no common kind
            raise StorageError(f"The saved trees cannot be read: {shown(error, 200)}.") from error

    def _ready(self, X: ArrayLike) -> FloatArray:
        """Check rows."""
        check_is_fitted(self, "shares_")
        rows: FloatArray = validate_data(self, X, dtype=np.float64, reset=False)
        return rows

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Estimate class probabilities, shape (n, K)."""
        return self._estimates(self._ready(X), self.n_rounds_)

    def _estimates(self, rows: FloatArray, rounds: int) -> FloatArray:
        """Return the estimates after some rounds."""
        if self.model_ is None or rounds == 0:
            return np.tile(self.shares_, (len(rows), 1))
        estimates = self.model_.predict_proba(rows, iteration_range=(0, rounds)).astype(np.float64)
        normed: FloatArray = estimates / estimates.sum(axis=1, keepdims=True)  # single precision sums to nearly one
        return normed

    def feature_weights(self) -> FloatArray:
        """Return the share of each column in the gain of all splits, shape (1, D); 0 without trees."""
        check_is_fitted(self, "shares_")
        if self.model_ is None:
            return np.zeros((1, self.n_features_in_))
        # XGBoost's own importances are means per split: a column split once counts there like one split everywhere.
        found = self.model_.get_booster().get_score(importance_type="total_gain")
        gains: FloatArray = np.array([found.get(f"f{j}", 0.0) for j in range(self.n_features_in_)], dtype=np.float64)
        return gains[None, :] / max(gains.sum(), np.finfo(np.float64).tiny)

    def complexity(self, X: ArrayLike | None = None) -> Complexity:
        """Measure size and, on the rows given, speed; `nnz` counts the splits and leaves of all trees."""
        plain = super().complexity(X)
        nodes = 0 if self.model_ is None else n_nodes(self.booster_.tobytes())
        return Complexity(0, plain.n_active_features, nodes, plain.bytes, plain.fit_s, plain.predict_us)

    def path(
        self, X: ArrayLike, y: ArrayLike, X_test: ArrayLike, *, sample_weight: ArrayLike | None = None
    ) -> tuple[PathPoint, ...]:
        """Estimate rows after several numbers of rounds of one fit; see PrototypeModelMixin.path."""
        check_is_fitted(self, "shares_")
        values = [int(rounds) for rounds in with_own(SIZES, self.n_rounds_) if rounds <= max(100, self.n_rounds_)]
        fitted = XgbPrototypes(
            n_rounds=max(values),
            max_depth=max(1, self.max_depth_),
            colsample=self.colsample_,
            subsample=self.subsample_,
            learning_rate=self.learning_rate_,
            random_state=self.seed_,
        ).fit(X, y, sample_weight)
        rows, points = fitted._ready(X_test), []
        for rounds in values:
            used = fitted.features_after(rounds)
            points.append(
                PathPoint(
                    "rounds", float(rounds), None, used, fitted._estimates(rows, rounds), rounds == self.n_rounds_
                )
            )
        return tuple(points)

    def features_after(self, rounds: int) -> int:
        """Count the columns that the first rounds split."""
        if self.model_ is None or rounds == 0:
            return 0
        return len(self.model_.get_booster()[:rounds].get_score(importance_type="weight"))
