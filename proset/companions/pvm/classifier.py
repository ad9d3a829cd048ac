"""The prototype vector machine with scikit-learn manners."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_is_fitted

from proset.companions.protocol import FloatArray, IntArray, NoPrototypeWarning, Offer
from proset.companions.pvm.balls import ClassBalls, class_bounds, find_balls
from proset.companions.pvm.candidates import Candidates, Standardisation
from proset.companions.pvm.checks import check_parameters
from proset.companions.pvm.fitted import FittedPVM
from proset.companions.pvm.metrics import Euclidean, Metric, prepared_metric
from proset.companions.pvm.nearest import choose_temperature
from proset.companions.pvm.preparing import CandidateDistances, computed_ground, cut_folds, precomputed_ground
from proset.companions.pvm.radius import RadiusProblem, RadiusSearch, radius_grid, search_radius
from proset.companions.pvm.solving import CoverSolution, pruned, solve_by_programs, solve_greedily
from proset.companions.shared import fitted_at_once
from proset.engine.model import ClassifierModel
from proset.engine.training_checks import check_features_and_labels
from proset.selection.inner_folds import GroupsAndTimes


class PVMClassifier(FittedPVM, ClassifierMixin, BaseEstimator):
    """Classifier that covers each class with balls around a few of its points.

    Points of a class that lie in no ball of their class, points of other classes inside a ball, and `lam` for every
    prototype are added up; prototypes are chosen so that the sum is small. A row belongs to the class of its nearest
    prototype. [1]_

    Parameters
    ----------
    eps : float or "cv", default="cv"
        Radius of the balls, in units of the metric: a point is inside if its distance is less. "cv" chooses it by
        cross-validation.
    lam : float or None, default=None
        Cost of a prototype, at least 0. None is 1 / n: between equally good covers the one with fewer prototypes. Above
        1, no prototype is taken for one point only.
    solver : {"greedy", "lp", "milp"}, default="greedy"
        How prototypes are chosen: one after the other; by linear programming and random rounding, with a bound on what
        is possible; or by integer programming, which ends at the optimum where `time_limit` allows.
    metric : str, callable or "precomputed", default="euclidean"
        Any dissimilarity: a name that scikit-learn knows, a function of two blocks of rows, points and candidates, that
        returns one number per pair, a :class:`~proset.companions.pvm.metrics.KernelDistance`, or "precomputed": then
        `X` has a row for every point and a column for every candidate. With as many columns as rows the points are
        the candidates; further columns are further candidates; with fewer columns no point is a candidate.
    rank : bool, default=False
        Replace a distance to a candidate by the number of training points that are at most as far from it: every ball
        holds about the same number of points.
    n_rounds : int, default=200
        Random roundings of ``solver="lp"``.
    eps_grid : int or array-like, default=25
        Radii to try: so many equally spaced quantiles of the distances, from the smallest to the median, or a list.
    cv : int, default=10
        Number of folds; fewer if no class has so many rows.
    one_se : bool, default=True
        Choose the radius with the fewest prototypes of those within one standard error of the lowest error, instead of
        that with the lowest error.
    augment : mapping or None, default=None
        ``{"kmeans": 10}`` makes centres of 10 clusters per class candidates as well, with ``"by": "all"`` those of all
        rows.
    standardize : bool, default=True
        Give features unit variance. Not with precomputed dissimilarities.
    prune : bool, default=False
        Drop prototypes that later ones have made superfluous.
    temperature : float or "cv", default="cv"
        T of the probabilities, which are proportional to exp(-distance / T). "cv" takes that with the lowest log-loss
        on rows left out, at the cost of `cv` more fits if `eps` is a number.
    time_limit : float or None, default=60.0
        Seconds that ``solver="milp"`` may take; the best choice and the bound found by then are kept.
    random_state : int, RandomState instance or None, default=None
        Cuts folds, starts clusters, draws roundings. An int gives the same model at every call.

    Attributes
    ----------
    classes_ : ndarray of shape (K,)
        Class labels, sorted.
    eps_, lam_, temperature_ : float
        Radius, cost of a prototype, and T.
    prototypes_ : ndarray of shape (k, D)
        Prototypes in the units of `X`, in the order of the greedy cover; empty for precomputed dissimilarities.
    prototype_labels_ : ndarray of shape (k,)
        Classes that they serve.
    prototype_indices_ : ndarray of int64, shape (k,)
        Candidates that they are: positions among the rows, then `Z`, then cluster centres; columns of a precomputed
        matrix.
    prototype_rows_ : ndarray of int64, shape (k,)
        Rows that they are, -1 for a point that is no row.
    covered_, miscovered_, own_ : ndarray of int64, shape (k,)
        Points of its class that a prototype is the first to cover, points of other classes in its ball, and all points
        of its class in its ball.
    objective_, lower_bound_, gap_ : float
        What was made small, a bound below which no choice of prototypes can lie, and their difference; the last two
        are NaN for the greedy cover, which knows no bound.
    found_by_ : str
        Which way led to the prototypes that were kept.
    path_ : GreedyPath
        The greedy cover at cost 0, of which the beginning is that at any other cost.
    cv_results_ : dict of str to ndarray
        Radii tried, their errors and numbers of prototypes by fold.
    n_features_in_ : int
        Number of columns of `X`.

    Notes
    -----
    Every method takes a feature matrix `X` of finite numbers, array-like of shape (n, D) with the columns of the fit;
    columns of scores and probabilities are ordered as `classes_`. With precomputed dissimilarities, `X` has a column
    for each candidate. A fit that is refused or fails leaves the object as it was.

    References
    ----------
    .. [1] Bien, J. and Tibshirani, R. (2011), "Prototype selection for interpretable classification", Annals of Applied
       Statistics 5(4).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = PVMClassifier(eps=1.0, random_state=0).fit(X, y)
    >>> model.predict(X[[0, 60, 120]]), len(model.prototypes_) < 30
    (array([0, 1, 2]), True)
    """

    lacks: ClassVar[frozenset[Offer]] = frozenset()

    def __init__(
        self,
        eps: float | str = "cv",
        lam: float | None = None,
        solver: str = "greedy",
        metric: str | Metric = "euclidean",
        rank: bool = False,
        n_rounds: int = 200,
        eps_grid: int | ArrayLike = 25,
        cv: int = 10,
        one_se: bool = True,
        augment: Mapping[str, Any] | None = None,
        standardize: bool = True,
        prune: bool = False,
        temperature: float | str = "cv",
        time_limit: float | None = 60.0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.eps = eps
        self.lam = lam
        self.solver = solver
        self.metric = metric
        self.rank = rank
        self.n_rounds = n_rounds
        self.eps_grid = eps_grid
        self.cv = cv
        self.one_se = one_se
        self.augment = augment
        self.standardize = standardize
        self.prune = prune
        self.temperature = temperature
        self.time_limit = time_limit
        self.random_state = random_state

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = tags.input_tags.positive_only = self._precomputed()
        return tags

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        Z: ArrayLike | None = None,
        *,
        groups: ArrayLike | None = None,
        times: ArrayLike | None = None,
    ) -> Self:
        """Choose prototypes.

        Parameters
        ----------
        X : array-like of shape (n, D)
            Rows; or dissimilarities of points and candidates, see `metric`.
        y : array-like of shape (n,)
            Class labels.
        Z : array-like of shape (q, D) or None
            More candidates, such as rows without a label. Not with precomputed dissimilarities.
        groups : array-like of shape (n,) or None
            Rows with the same value stay in the same fold when `eps` or `temperature` are chosen.
        times : array-like of shape (n,) or None
            When each row was, as numbers: folds learn from rows before those that they leave out.

        Returns
        -------
        PVMClassifier
            Itself.

        Raises
        ------
        ProsetError
            For an impossible parameter or dissimilarity, or if groups or times leave fewer than two folds to choose by.
        ValueError
            For missing or infinite values.

        Warns
        -----
        NoPrototypeWarning
            If no ball is worth its cost.
        """
        check_parameters(self.get_params(deep=False))
        rng = check_random_state(self.random_state)
        return fitted_at_once(self, lambda draft: draft._learn(X, y, Z, groups, times, rng))

    def _learn(
        self,
        X: ArrayLike,
        y: ArrayLike,
        Z: ArrayLike | None,
        groups: ArrayLike | None,
        times: ArrayLike | None,
        rng: np.random.RandomState,
    ) -> None:
        """Choose radius, prototypes and temperature."""
        rows, labels = check_features_and_labels(self, X, y, dtype=np.float64)
        self.classes_, target = np.unique(labels, return_inverse=True)
        target = target.astype(np.int64)
        ground = self._ground(rows, target, Z, rng)
        problem = RadiusProblem(ground.distances, target, len(self.classes_), ground.own_rows, self.lam, self.rank)
        self.class_shares_ = np.bincount(target) / len(target)
        self.n_rows_, self.lam_ = len(target), problem.cost(len(target))
        search = self._search(problem, GroupsAndTimes.of(groups, times, len(target)), rng)
        self._choose(problem, ground.candidates, rng)
        self._set_temperature(problem, search)

    def _ground(
        self, rows: FloatArray, target: IntArray, Z: ArrayLike | None, rng: np.random.RandomState
    ) -> CandidateDistances:
        """Set the units of features and of the metric; return candidates and distances."""
        precomputed = self._precomputed()
        scale = (
            Standardisation.of(rows) if self.standardize and not precomputed else Standardisation.none(rows.shape[1])
        )
        self.mean_, self.spread_ = scale.mean, scale.spread
        self.centre_, self.unit_ = np.empty(0), 1.0
        if precomputed:
            return precomputed_ground(rows, Z)
        metric = prepared_metric(self.metric, scale.apply(rows))
        if isinstance(metric, Euclidean):
            self.centre_, self.unit_ = metric.centre, metric.unit
        return computed_ground(rows, target, scale, metric, Z=Z, augment=self.augment, rng=rng)

    def _search(self, problem: RadiusProblem, known: GroupsAndTimes, rng: np.random.RandomState) -> RadiusSearch | None:
        """Set the radius; return what was measured on rows left out, if anything was."""
        chooses = "cv" in (self.eps, self.temperature)
        folds = cut_folds(problem.target, self.cv, rng, known if chooses else None)
        radii = np.array([self.eps], dtype=np.float64) if self.eps != "cv" else self._radii(problem, rng)
        self.eps_ = float(radii[0])
        wanted = len(radii) > 1 or self.temperature == "cv"
        search = search_radius(problem, radii, folds, one_se=self.one_se) if folds and wanted else None
        self.cv_eps_, self.cv_errors_, self.cv_sizes_ = np.empty(0), np.empty((0, 1)), np.empty((0, 1))
        if search is not None:
            self.eps_ = float(radii[search.chosen])
            self.cv_eps_, self.cv_errors_, self.cv_sizes_ = search.eps, search.errors, search.n_prototypes
        return search

    def _radii(self, problem: RadiusProblem, rng: np.random.RandomState) -> FloatArray:
        """Return the radii to try, ascending."""
        if isinstance(self.eps_grid, (int, np.integer)):
            return radius_grid(problem, int(self.eps_grid), rng)
        return np.unique(np.asarray(self.eps_grid, dtype=np.float64))

    def _choose(self, problem: RadiusProblem, candidates: Candidates, rng: np.random.RandomState) -> None:
        """Choose prototypes at the radius."""
        order = np.argsort(problem.target, kind="stable")
        ordered = problem.distances.subset(order, np.arange(problem.distances.shape[1]))
        bounds = class_bounds(problem.target, problem.n_classes)
        balls = find_balls(problem.balls_of(ordered), bounds, self.eps_)
        solution = self._solve(balls, rng)
        self._keep(solution, candidates)
        self.usual_ = np.empty((0, 0))
        if self.rank:
            chosen = ordered.subset(np.arange(len(order)), self.prototype_indices_)
            self.usual_ = np.sort(chosen.block(np.arange(chosen.shape[1])), axis=1)
        if not len(solution.taken):
            message = "No ball is worth its cost, so the model has no prototypes and predicts the most frequent class."
            warnings.warn(f"{message} Try another eps or a smaller lam.", NoPrototypeWarning, stacklevel=6)

    def _solve(self, balls: tuple[ClassBalls, ...], rng: np.random.RandomState) -> CoverSolution:
        """Choose balls in the way that was asked for."""
        if self.solver == "greedy":
            return solve_greedily(balls, self.lam_, prune=self.prune)
        exact, limit = self.solver == "milp", self.time_limit
        found = solve_by_programs(balls, self.lam_, exact=exact, n_rounds=self.n_rounds, time_limit=limit, rng=rng)
        if not found.ended:
            bounds = (
                f"its objective is {found.taken.objective(self.lam_):.6g}, and none is below {found.lower_bound:.6g}"
            )
            message = f"The integer program was stopped after {limit:g} s: {bounds}."
            warnings.warn(f"{message} Raise time_limit, or use solver='lp'.", ConvergenceWarning, stacklevel=7)
        return replace(found, taken=pruned(balls, found.taken, self.lam_)) if self.prune else found

    def _keep(self, solution: CoverSolution, candidates: Candidates) -> None:
        """Keep what was found."""
        taken, path = solution.taken, solution.path
        self.prototype_indices_, self.label_codes_ = taken.candidate, taken.label
        self.prototype_rows_, self.prototypes_ = candidates.row[taken.candidate], candidates.X[taken.candidate]
        self.prototype_labels_ = self.classes_[taken.label]
        self.covered_, self.miscovered_, self.own_ = taken.covered, taken.miscovered, taken.own
        self.objective_, self.lower_bound_ = taken.objective(self.lam_), solution.lower_bound
        self.gap_, self.found_by_ = float(np.maximum(0.0, self.objective_ - self.lower_bound_)), solution.found_by
        self.path_table_ = path.table()

    def _set_temperature(self, problem: RadiusProblem, search: RadiusSearch | None) -> None:
        """Set T, by the rows that the folds left out if it is to be chosen."""
        if self.temperature != "cv":
            self.temperature_ = float(self.temperature)
        elif search is None:
            self.temperature_ = 1.0
        else:
            # Rows of folds that lacked the same classes, if any: where one has no prototypes, another T is the best.
            here = np.isin(np.arange(len(self.classes_)), self.label_codes_)
            alike = np.flatnonzero((np.isfinite(search.left_out.by_class) == here).all(axis=1))
            some = alike if len(alike) else np.arange(len(search.rows))
            left_out, target = search.left_out.at(some), problem.target[search.rows[some]]
            self.temperature_ = choose_temperature(left_out, target, self.class_shares_, self.n_rows_)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the class of the nearest prototype; in a tie that of the one taken first."""
        check_is_fitted(self)
        return self.classes_[self.scores(X).argmax(axis=1)]

    def decision_function(self, X: ArrayLike) -> FloatArray:
        """Return minus the distance to the nearest prototype of each class, for two classes their difference.

        Returns
        -------
        ndarray of shape (n, K), for two classes (n,)
        """
        scores = self.scores(X)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def to_proset(
        self,
        X: ArrayLike | None = None,
        y: ArrayLike | None = None,
        *,
        bandwidth: float | None = None,
        weight: float = 1.0,
    ) -> ClassifierModel:
        """Return a prototype set model with these prototypes, all of one weight.

        Parameters
        ----------
        X, y : array-like of shape (n, D) and (n,), or None
            The rows that were fitted to: bandwidth and weight are then chosen by log-loss on rows left out.
        bandwidth : float or None, default=None
            Bandwidth of the kernel in the units of the metric; None is the radius of the balls.
        weight : float, default=1.0
            Weight of every prototype.

        Returns
        -------
        ClassifierModel
            Fitted; it takes rows in the units of this fit.

        Raises
        ------
        ProsetError
            If the metric is not Euclidean, ranks are compared, some prototypes are no rows, or a number is not above 0.
        """
        from proset.companions.pvm.as_proset import as_proset, tuned_as_proset

        check_is_fitted(self)
        if X is not None and y is not None:
            return tuned_as_proset(self, X, y)
        return as_proset(self, self.eps_ if bandwidth is None else bandwidth, weight)
