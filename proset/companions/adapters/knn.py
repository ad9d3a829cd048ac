"""Nearest neighbours behind the interface of the companions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.validation import check_is_fitted, validate_data

from proset.common.allowed import SWITCH, WHOLE_SEED, Allowed, OneOf, Rules, check_values
from proset.common.errors import StorageError
from proset.companions.adapters.scaling import column_scaling
from proset.companions.paths import with_own
from proset.companions.protocol import FloatArray, IntArray, Offer, PathPoint, ScoreContributions, SystemPrototypes
from proset.companions.room import check_room
from proset.companions.shared import PrototypeModelMixin, fitted_at_once
from proset.engine.training_checks import check_features_and_labels, check_several_classes
from proset.reference_models.knn import choose_neighbours
from proset.reference_models.training import check_training_rows
from proset.selection.inner_folds import GroupsAndTimes, inner_folds
from proset.selection.plan import Rule
from proset.selection.search_progress import SearchProgress

SIZES = (1, 3, 5, 10, 20, 50, 100)
USUAL = 10
PRIORS = (0.1, 0.3, 1.0)
"""Votes of the class shares that are tried."""
RULES: Rules = MappingProxyType(
    {
        "n_neighbors": Allowed(1, whole=True, named=("sqrt", "cv")),
        "standardize": SWITCH,
        "prior": Allowed(0.0, named=("cv",)),
        "n_folds": Allowed(2, whole=True),
        "rule": OneOf(tuple(rule.value for rule in Rule)),
        "random_state": WHOLE_SEED,
    }
)


class KnnPrototypes(PrototypeModelMixin, ClassifierMixin, BaseEstimator):
    """Nearest-neighbour classifier that says what it rests on: every training row is a prototype of weight 1.

    Parameters
    ----------
    n_neighbors : int, "sqrt" or "cv", default=10
        Neighbours that vote; at most the number of rows. "sqrt" is the root of that number, rounded; "cv" chooses it by
        the report's strategy, see :func:`proset.reference_models.fit_knn_classifier`, with fewer folds where a class
        has fewer rows.
    standardize : bool, default=True
        Centre and scale the columns first.
    prior : float or "cv", default=0.0
        The class shares of all rows vote too, like so many further neighbours, at least 0. With 0 a class without a
        vote has probability 0, and one such row can decide about the log-loss of a table. "cv" chooses 0.1, 0.3 or 1 by
        the log-loss over folds, together with the neighbours if these are chosen.
    n_folds : int, default=5
        Folds of the choice.
    rule : {"sd", "se", "best"}, default="sd"
        How far above the best mean loss over the folds a smoother model may lie: one standard deviation as in the
        report, one standard error, nothing.
    random_state : int, default=0
        Draws the folds.

    Attributes
    ----------
    n_neighbors_ : int
        Neighbours that vote.
    prior_ : float
        Votes of the class shares.
    rows_ : ndarray of shape (k, D)
        Training rows, in the units of the matrix fitted to.
    target_ : ndarray of int64, shape (k,)
        Their classes, as positions in `classes_`.
    center_, scale_ : ndarray of shape (D,)
        What is taken off each column, and what it is divided by.
    classes_ : ndarray of shape (K,)
        Class labels, sorted.
    n_features_in_ : int
        Number of columns D.

    Notes
    -----
    Scores are the shares of the classes among the votes; each neighbour adds one over their number. Familiarity is
    minus the distance to the farthest of them, in standard deviations of the columns. Sample weights are not known to
    the method.

    Examples
    --------
    >>> X, y = np.array([[0.0], [0.1], [1.0], [1.1]]), ["a", "a", "b", "b"]
    >>> model = KnnPrototypes(n_neighbors=3).fit(X, y)
    >>> model.predict_proba([[0.0]]).round(2).tolist(), len(model.prototypes())
    ([[0.67, 0.33]], 4)
    """

    lacks: ClassVar[frozenset[Offer]] = frozenset()
    _state: ClassVar[tuple[str, ...]] = (
        "classes_",
        "n_features_in_",
        "n_neighbors_",
        "prior_",
        "rows_",
        "target_",
        "center_",
        "scale_",
    )
    classes_: NDArray[Any]
    n_neighbors_: int
    prior_: float
    rows_: FloatArray
    target_: IntArray
    center_: FloatArray
    scale_: FloatArray

    def __init__(
        self,
        n_neighbors: int | str = 10,
        standardize: bool = True,
        prior: float | str = 0.0,
        n_folds: int = 5,
        rule: str = "sd",
        random_state: int = 0,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.standardize = standardize
        self.prior = prior
        self.n_folds = n_folds
        self.rule = rule
        self.random_state = random_state

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        groups: ArrayLike | None = None,
        times: ArrayLike | None = None,
        progress: Callable[[SearchProgress], None] | None = None,
    ) -> Self:
        """Keep the rows, after choosing how many neighbours vote if that is asked for.

        Parameters
        ----------
        X : array-like of shape (n, D)
            Features, finite.
        y : array-like of shape (n,)
            Class labels, of two classes or more.
        groups, times : array-like of shape (n,) or None
            As for :class:`~proset.companions.adapters.proset_model.ProsetPrototypes`, when neighbours are chosen.
        progress : callable or None
            Called while neighbours are chosen; raising from it ends the fit.

        Raises
        ------
        NoFoldsError
            If groups or times leave fewer than two folds to choose by.
        """
        return fitted_at_once(self, lambda draft: draft._fit(X, y, groups, times, progress))

    def _fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        groups: ArrayLike | None,
        times: ArrayLike | None,
        progress: Callable[[SearchProgress], None] | None,
    ) -> None:
        """Check what was passed, choose, and keep the rows."""
        check_values(vars(self), RULES)
        features, labels = check_features_and_labels(self, X, y, dtype=np.float64)
        classes, target = np.unique(labels, return_inverse=True)
        check_several_classes(classes)
        k, self.prior_ = self._votes(features, target, GroupsAndTimes.of(groups, times, len(target)), progress)
        self.center_, self.scale_ = column_scaling(features, None, self.standardize)
        self.classes_, self.target_, self.rows_ = classes, target.astype(np.int64), features
        self.n_neighbors_ = min(k, len(features))
        self._index()

    def _votes(
        self,
        X: FloatArray,
        target: IntArray,
        known: GroupsAndTimes,
        progress: Callable[[SearchProgress], None] | None,
    ) -> tuple[int, float]:
        """Return how many neighbours are to vote, and what the class shares count."""
        if "cv" in (self.n_neighbors, self.prior):
            return self._by_folds(X, target, known, progress)
        return self._count(len(X)), float(self.prior)

    def _count(self, n_rows: int) -> int:
        """Return how many neighbours are to vote if that is not chosen."""
        return round(n_rows**0.5) if self.n_neighbors == "sqrt" else int(self.n_neighbors)

    def _by_folds(
        self,
        X: FloatArray,
        target: IntArray,
        known: GroupsAndTimes,
        progress: Callable[[SearchProgress], None] | None,
    ) -> tuple[int, float]:
        """Choose by the report's strategy, if every class has two rows for it, among the very estimates that are made.

        Chosen without the votes of the class shares, k would be large wherever one row in a hundred has no neighbour of
        its class, and then too large with them.
        """
        k = USUAL if self.n_neighbors == "cv" else self._count(len(X))
        priors = PRIORS if self.prior == "cv" else (float(self.prior),)
        folds = inner_folds(target, self.n_folds, self.random_state, known)
        if not folds:
            return k, priors[-1]
        fewest = min(len(fold.train) for fold in folds)
        found = choose_neighbours(
            check_training_rows(X, target, None, 1),
            folds,
            neighbours=None if self.n_neighbors == "cv" else [min(k, fewest)],
            priors=priors,
            scale=self.standardize,
            rule=Rule(self.rule),
            progress=progress,
        )
        return found.k if self.n_neighbors == "cv" else k, found.prior

    def _index(self) -> None:
        """Prepare the search for neighbours."""
        self._search = NearestNeighbors().fit((self.rows_ - self.center_) / self.scale_)

    def _check_state(self) -> None:
        """Refuse saved parts that do not fit each other, and prepare the search."""
        shape = (len(self.target_), self.n_features_in_)
        plain = all(isinstance(getattr(self, name), np.ndarray) for name in ("rows_", "target_", "center_", "scale_"))
        if not plain or self.rows_.shape != shape or self.center_.shape != shape[1:] or self.scale_.shape != shape[1:]:
            raise StorageError("The saved rows, classes and columns do not fit each other.")
        finite = all(np.isfinite(array).all() for array in (self.rows_, self.center_, self.scale_))
        known = bool(((self.target_ >= 0) & (self.target_ < len(self.classes_))).all())
        counted = isinstance(self.n_neighbors_, int) and 1 <= self.n_neighbors_ <= shape[0]
        if not (finite and known and counted and self.target_.dtype.kind == "i" and (self.scale_ > 0.0).all()):
            raise StorageError("The saved rows, classes or number of neighbours are out of range.")
        if not (isinstance(self.prior_, float) and 0.0 <= self.prior_ < np.inf):
            raise StorageError("The saved votes of the class shares are out of range.")
        self._index()

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> Self:
        """Make a model again from what :meth:`to_dict` returned, by an older version too, which stated `prior` only."""
        meta = state.get("meta") if isinstance(state, Mapping) else None
        if isinstance(meta, Mapping) and isinstance(meta.get("state"), Mapping) and "prior_" not in meta["state"]:
            params = meta.get("params")
            prior = params.get("prior", 0.0) if isinstance(params, Mapping) else 0.0
            if isinstance(prior, (int, float)):
                state = {**state, "meta": {**meta, "state": {**meta["state"], "prior_": float(prior)}}}
        return super().from_dict(state)

    def _ready(self, X: ArrayLike) -> FloatArray:
        """Check rows and bring them to standard units."""
        check_is_fitted(self, "rows_")
        checked = validate_data(self, X, dtype=np.float64, reset=False)
        scaled: FloatArray = (checked - self.center_) / self.scale_
        return scaled

    def _neighbours(self, X: ArrayLike, k: int | None = None) -> tuple[FloatArray, IntArray]:
        """Return distances and positions of the nearest rows, nearest first."""
        rows = self._ready(X)
        found: tuple[FloatArray, IntArray] = self._search.kneighbors(rows, n_neighbors=k or self.n_neighbors_)
        return found

    def predict_proba(self, X: ArrayLike) -> FloatArray:
        """Estimate class probabilities: the shares among the votes, shape (n, K)."""
        return self._shares(self._neighbours(X)[1])

    def _shares(self, nearest: IntArray) -> FloatArray:
        """Return the shares of the classes among the votes of neighbours and prior."""
        n, k = nearest.shape
        cells = np.arange(n)[:, None] * len(self.classes_) + self.target_[nearest]
        counts = np.bincount(cells.ravel(), minlength=n * len(self.classes_))
        shares: FloatArray = counts.reshape(n, len(self.classes_)) / (k + self.prior_) + self._prior_votes(k)
        return shares

    def _prior_votes(self, k: int) -> FloatArray:
        """Return what the class shares of all rows add beside k neighbours, shape (K,)."""
        shares = np.bincount(self.target_, minlength=len(self.classes_)) / len(self.target_)
        votes: FloatArray = self.prior_ / (k + self.prior_) * shares
        return votes

    def prototypes(self) -> SystemPrototypes:
        """Return all training rows."""
        check_is_fitted(self, "rows_")
        return SystemPrototypes.of_samples(self.rows_, np.arange(len(self.rows_)), self.classes_[self.target_])

    def feature_weights(self) -> FloatArray:
        """Return the weight of each column, shape (1, D): 1, for all count alike once they are standardised."""
        check_is_fitted(self, "rows_")
        return np.ones((1, self.n_features_in_))

    def similarity(self, X: ArrayLike) -> FloatArray:
        """Return the share that each training row has in the vote on each row, shape (n, k): 0 but for neighbours."""
        nearest = self._neighbours(X)[1]
        check_room(len(nearest), len(self.rows_))
        votes = np.zeros((len(nearest), len(self.rows_)))
        np.put_along_axis(votes, nearest, 1.0 / (nearest.shape[1] + self.prior_), axis=1)
        return votes

    def distance(self, A: ArrayLike, B: ArrayLike | None = None) -> FloatArray:
        """Return the Euclidean distance in standard deviations of the columns, shape (n, m)."""
        first = self._ready(A)
        second = first if B is None else self._ready(B)
        check_room(len(first), len(second))
        apart: FloatArray = cdist(first, second)
        return apart

    def contributions(self, X: ArrayLike) -> ScoreContributions:
        """Return what each training row adds to the estimates of each row, shape (n, k, K); the base is the prior's."""
        votes = self.similarity(X)
        check_room(*votes.shape, len(self.classes_))
        added = np.zeros((*votes.shape, len(self.classes_)))
        added[:, np.arange(votes.shape[1]), self.target_] = votes
        base = np.broadcast_to(self._prior_votes(self.n_neighbors_), (len(votes), len(self.classes_)))
        return ScoreContributions(base.copy(), added)

    def _raw_familiarity(self, X: ArrayLike) -> FloatArray:
        """Return minus the distance to the farthest neighbour that votes, shape (n,)."""
        return -self._neighbours(X)[0][:, -1]

    def path(
        self, X: ArrayLike, y: ArrayLike, X_test: ArrayLike, *, sample_weight: ArrayLike | None = None
    ) -> tuple[PathPoint, ...]:
        """Estimate rows with several numbers of neighbours, from one search; see PrototypeModelMixin.path."""
        check_is_fitted(self, "rows_")
        fitted = KnnPrototypes(standardize=self.standardize, prior=self.prior_).fit(X, y)
        n_rows = len(fitted.rows_)
        values = [int(k) for k in with_own(SIZES, self.n_neighbors_) if k <= n_rows]
        nearest = fitted._neighbours(X_test, max(values))[1]
        return tuple(
            PathPoint(
                knob="neighbours",
                value=float(k),
                n_prototypes=n_rows,
                n_features=self.n_features_in_,
                probabilities=fitted._shares(nearest[:, :k]),
                own=k == self.n_neighbors_,
            )
            for k in values
        )
