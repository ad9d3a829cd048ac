"""The radius of the balls: candidates for it, and the choice among them by cross-validation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proset.companions.protocol import FloatArray, IntArray
from proset.companions.pvm.balls import balls_by_radius, class_bounds
from proset.companions.pvm.distances import (
    HELD_BYTES,
    Distances,
    HeldDistances,
    Levels,
    RankDistances,
    RankedDistances,
    candidate_blocks,
    held,
    is_compiled,
)
from proset.companions.pvm.greedy import GreedyPath, greedy_path
from proset.companions.pvm.nearest import NearestPrototypes, nearest_prototypes
from proset.engine.kernels.threads import n_threads, run_parts
from proset.selection.folds import Fold

MANY_ROWS = 2_000  # from which folds are worth a thread each
LOOKED_AT = 2_000  # rows whose distances the quantiles are taken from; the smallest distance is taken from all


@dataclass(frozen=True, eq=False)
class RadiusProblem:
    """Distances and classes before a radius is chosen.

    Attributes
    ----------
    distances : Distances
        Of n points to m candidates.
    target : ndarray of int64, shape (n,)
        Class of each point, 0 to K - 1.
    n_classes : int
        Number of classes K.
    own_rows : bool
        Whether the first n candidates are the points.
    lam : float or None
        Cost of a prototype; None is 1 / n, of the points at hand.
    rank : bool
        Whether the radius counts points instead of measuring a distance.
    """

    distances: Distances
    target: IntArray
    n_classes: int
    own_rows: bool
    lam: float | None = None
    rank: bool = False

    def balls_of(self, distances: Distances) -> Distances:
        """Return what the radius is compared with: the distances, or ranks by them."""
        return RankedDistances(distances) if self.rank else distances

    def cost(self, n_points: int) -> float:
        """Return the cost of a prototype where there are so many points."""
        return 1.0 / n_points if self.lam is None else self.lam

    def candidates_for(self, rows: IntArray) -> IntArray:
        """Return the candidates there are if only some of the rows are known."""
        n_points, n_candidates = self.distances.shape
        if not self.own_rows:
            return np.arange(n_candidates)
        return np.concatenate([rows, np.arange(n_points, n_candidates)])


@dataclass(frozen=True, eq=False)
class RadiusSearch:
    """Result of cross-validation over some radii.

    Attributes
    ----------
    eps : ndarray of shape (E,)
        Radii, ascending.
    errors : ndarray of shape (E, F)
        Share of the rows left out by each fold that are predicted wrongly.
    n_prototypes : ndarray of shape (E, F)
        Prototypes in each fold.
    chosen : int
        Position of the radius that the rule chose.
    left_out : NearestPrototypes
        What the folds say at that radius about the rows that they leave out.
    rows : ndarray of int64
        Those rows.
    """

    eps: FloatArray
    errors: FloatArray
    n_prototypes: FloatArray
    chosen: int
    left_out: NearestPrototypes
    rows: IntArray


def radius_grid(problem: RadiusProblem, n_radii: int, rng: np.random.RandomState) -> FloatArray:
    """Return equally spaced quantiles of the distances between different points, from the smallest to the median.

    At the smallest distance above zero each ball holds nothing but copies of its centre, so the rule is that of the
    nearest neighbour there.

    Parameters
    ----------
    problem : RadiusProblem
        Points and candidates.
    n_radii : int
        Quantiles to take, at least 1.
    rng : RandomState
        Draws 2,000 candidates and as many points to take quantiles from, where there are more.

    Returns
    -------
    ndarray
        Ascending, all above zero, without repetitions; 1 if no two points differ.
    """
    n_points, n_candidates = problem.distances.shape
    nothing = 1.0 if problem.rank else 0.0  # of a point and itself
    smallest = np.inf
    for _, block in candidate_blocks(problem.balls_of(problem.distances)):
        smallest = min(smallest, float(block[block > nothing].min(initial=np.inf)))
    if not np.isfinite(smallest):
        return np.array([nothing + 1.0])
    rows = np.sort(rng.permutation(n_points)[:LOOKED_AT])
    drawn = rows if problem.own_rows else np.sort(rng.permutation(n_candidates)[:LOOKED_AT])
    values = problem.balls_of(problem.distances.subset(rows, drawn)).block(np.arange(len(drawn)))
    values = values[values > nothing].astype(np.float64)
    if problem.rank:
        values *= n_points / len(rows)
    found = np.quantile(values, np.linspace(0.0, 0.5, n_radii)) if values.size else np.empty(0)
    return np.unique(np.concatenate([[smallest], found[found > smallest][: n_radii - 1]]).astype(np.float64))


def search_radius(problem: RadiusProblem, radii: FloatArray, folds: tuple[Fold, ...], *, one_se: bool) -> RadiusSearch:
    """Measure each radius on rows left out, with the greedy cover, and choose one.

    Parameters
    ----------
    problem : RadiusProblem
        Points and candidates; what is left out is no candidate either.
    radii : ndarray of shape (E,)
        Radii to try, ascending.
    folds : tuple of Fold
        Rows to learn from and rows left out.
    one_se : bool
        Choose the fewest prototypes on average whose mean error is at most one standard error above the lowest, of
        those the largest radius. Otherwise the lowest mean error, of those the fewest prototypes.
    """
    whole = held(problem.distances)
    levels = None if problem.rank else held(Levels(whole, radii), bytes_each=1)

    # A metric that is called may use the same threads itself, except ours.
    apart = isinstance(whole, HeldDistances) or is_compiled(whole)
    side_by_side = apart and len(problem.target) >= MANY_ROWS
    room = HELD_BYTES // (2 * n_threads() if side_by_side else 2)  # the balls of a class are held twice for a moment

    def one(place: int) -> list[_Measured]:
        return _measure(problem, whole, levels, folds[place], radii, room)

    found = run_parts(one, len(folds)) if side_by_side else [one(place) for place in range(len(folds))]
    errors = np.array([[measured.error for measured in fold] for fold in found]).T
    sizes = np.array([[measured.n_prototypes for measured in fold] for fold in found], dtype=np.float64).T
    chosen = choose_radius(errors, sizes, one_se=one_se)
    rows = np.concatenate([fold.test for fold in folds])
    return RadiusSearch(radii, errors, sizes, chosen, _together([fold[chosen].left_out for fold in found]), rows)


@dataclass(frozen=True, eq=False)
class _Measured:
    """Result of one fold for one radius."""

    error: float
    n_prototypes: int
    left_out: NearestPrototypes


def _measure(
    problem: RadiusProblem, whole: Distances, levels: Distances | None, fold: Fold, radii: FloatArray, room: int
) -> list[_Measured]:
    """Cover the rows that a fold learns from, and look at those it leaves out."""
    train = fold.train[np.argsort(problem.target[fold.train], kind="stable")]
    candidates = problem.candidates_for(train)
    learned, tested = whole.subset(train, candidates), held(whole.subset(fold.test, candidates))
    limits = radii.tolist()
    if levels is None:  # ranks among the rows that are learned from
        compared = held(problem.balls_of(learned))
    else:
        compared = held(levels.subset(train, candidates), bytes_each=1)
        if isinstance(compared, HeldDistances):
            limits = [place + 1.0 for place in range(len(radii))]
        else:  # working a level out takes longer than comparing a distance with each radius
            compared = learned
    bounds = class_bounds(problem.target[train], problem.n_classes)
    majority = int(np.diff(bounds).argmax())
    found = []
    for balls in balls_by_radius(compared, bounds, limits, room=room):
        path = greedy_path(balls).at(problem.cost(len(train)))
        near = _left_out(problem, learned, tested, path)
        said = np.where(near.label < 0, majority, near.label)
        found.append(_Measured(float((said != problem.target[fold.test]).mean()), len(path), near))
    return found


def _left_out(problem: RadiusProblem, learned: Distances, tested: Distances, path: GreedyPath) -> NearestPrototypes:
    """Look for the nearest prototypes of the rows that a fold leaves out."""
    to_prototypes = tested.subset(np.arange(tested.shape[0]), path.candidate)
    if problem.rank:
        to_prototypes = RankDistances.among(to_prototypes, learned.subset(np.arange(learned.shape[0]), path.candidate))
    return nearest_prototypes(to_prototypes, path.label, problem.n_classes)


def _together(parts: list[NearestPrototypes]) -> NearestPrototypes:
    """Put the folds under each other; winners count within each fold."""
    return NearestPrototypes(
        np.concatenate([part.by_class for part in parts]),
        np.concatenate([part.winner for part in parts]),
        np.concatenate([part.label for part in parts]),
    )


def choose_radius(errors: FloatArray, sizes: FloatArray, *, one_se: bool) -> int:
    """Return the position of the radius that the rule chooses; see :func:`search_radius`.

    A radius at which a fold has no prototype at all is chosen only if there is no other: such a model shows nothing.

    Examples
    --------
    >>> errors = np.array([[0.1, 0.28], [0.2, 0.2], [0.3, 0.3], [0.5, 0.7]])
    >>> sizes = np.array([[9, 9], [5, 5], [5, 5], [1, 1]])
    >>> choose_radius(errors, sizes, one_se=True), choose_radius(errors, sizes, one_se=False)
    (1, 0)
    """
    mean, n_folds = errors.mean(axis=1), errors.shape[1]
    empty = (sizes == 0).any(axis=1)
    if not empty.all():
        mean = np.where(empty, np.inf, mean)
    best = int(np.lexsort((sizes.mean(axis=1), mean))[0])
    if not one_se:
        return best
    spread = errors[best].std(ddof=1) / np.sqrt(n_folds) if n_folds > 1 else 0.0
    near = np.flatnonzero(mean <= mean[best] + spread + 1e-12)
    return int(near[np.lexsort((-near, sizes[near].mean(axis=1)))[0]])
