"""Radii to try, and the choice among them."""

import numpy as np
import pytest
from companions.pvm.made import distances_of, mixture
from companions.pvm.plain_cover import naive_greedy

from proset.companions.pvm.balls import balls_by_radius, class_bounds, find_balls
from proset.companions.pvm.distances import HeldDistances
from proset.companions.pvm.preparing import cut_folds
from proset.companions.pvm.radius import RadiusProblem, choose_radius, radius_grid, search_radius


def problem_of(D, target, **options):
    return RadiusProblem(HeldDistances.of(D), target, int(target.max()) + 1, own_rows=True, **options)


def test_the_grid_goes_from_the_smallest_distance_to_the_median():
    X, target = mixture(80)
    D = distances_of(X).astype(np.float64)
    pairs = D[~np.eye(80, dtype=bool)]
    grid = radius_grid(problem_of(D, target), 25, np.random.RandomState(0))
    assert len(grid) == 25
    assert grid[0] == pairs.min()
    assert grid == pytest.approx(np.quantile(pairs, np.linspace(0, 0.5, 25)))


def test_copies_do_not_make_a_radius_of_zero():
    X = np.array([[0.0], [0.0], [1.0], [1.0], [3.0]])
    grid = radius_grid(problem_of(distances_of(X), np.zeros(5, dtype=int)), 4, np.random.RandomState(0))
    assert grid[0] == 1.0
    assert len(radius_grid(problem_of(np.zeros((3, 3)), np.zeros(3, dtype=int)), 9, np.random.RandomState(0))) == 1


def test_many_rows_are_drawn_from_but_the_smallest_distance_is_that_of_all(monkeypatch):
    X, target = mixture(300)
    D = distances_of(X)
    monkeypatch.setattr("proset.companions.pvm.radius.LOOKED_AT", 100)
    grid = radius_grid(problem_of(D, target), 25, np.random.RandomState(0))
    pairs = D[~np.eye(300, dtype=bool)]
    assert grid[0] == pairs.min()
    assert grid[-1] == pytest.approx(np.median(pairs), rel=0.2)


def test_ranks_grow_with_the_number_of_rows():
    X, target = mixture(100)
    grid = radius_grid(problem_of(distances_of(X), target, rank=True), 25, np.random.RandomState(0))
    assert grid[0] == 2.0  # a ball that holds its centre only
    assert grid[-1] == pytest.approx(51, abs=2)


def test_errors_and_sizes_are_those_of_plain_loops():
    X, target = mixture(60, seed=2)
    D = distances_of(X)
    folds = cut_folds(target, 5, np.random.RandomState(0))
    radii = np.array([0.3, 0.9, 1.8])
    found = search_radius(problem_of(D, target), radii, folds, one_se=True)
    for e, eps in enumerate(radii):
        for f, fold in enumerate(folds):
            train = fold.train[np.argsort(target[fold.train], kind="stable")]
            chosen = naive_greedy(D[np.ix_(train, train)], target[train], 3, np.float32(eps), 1 / len(train))
            assert found.n_prototypes[e, f] == len(chosen)
            nearest = D[np.ix_(fold.test, train[[j for j, _ in chosen]])].argmin(axis=1)
            said = np.array([label for _, label in chosen])[nearest]
            assert found.errors[e, f] == pytest.approx((said != target[fold.test]).mean())
    assert sorted(found.rows.tolist()) == list(range(60))
    assert found.left_out.by_class.shape == (60, 3)


def test_what_is_left_out_is_no_candidate_and_extra_columns_always_are():
    problem = RadiusProblem(HeldDistances.of(np.zeros((3, 5))), np.zeros(3, dtype=int), 1, own_rows=True)
    assert problem.candidates_for(np.array([2, 0])).tolist() == [2, 0, 3, 4]
    other = RadiusProblem(HeldDistances.of(np.zeros((3, 2))), np.zeros(3, dtype=int), 1, own_rows=False)
    assert other.candidates_for(np.array([2, 0])).tolist() == [0, 1]
    assert problem.cost(4) == 0.25


def test_the_rule_takes_the_fewest_prototypes_within_one_standard_error():
    errors = np.array([[0.10, 0.20, 0.15], [0.12, 0.22, 0.17], [0.12, 0.22, 0.17], [0.4, 0.4, 0.4]])
    sizes = np.array([[30, 30, 30], [9, 9, 9], [9, 9, 9], [2, 2, 2]])
    assert choose_radius(errors, sizes, one_se=True) == 2  # 0.15 + 0.05 / sqrt(3); of two alike the larger radius
    assert choose_radius(errors, sizes, one_se=False) == 0


def test_a_radius_without_prototypes_is_the_last_resort():
    errors, sizes = np.array([[0.2, 0.2], [0.1, 0.1]]), np.array([[5, 5], [1, 0]])
    assert choose_radius(errors, sizes, one_se=True) == 0
    assert choose_radius(errors, 0 * sizes, one_se=True) == 1


def test_folds_keep_a_class_of_one_row_in_training():
    target = np.array([0] * 12 + [1])
    folds = cut_folds(target, 10, np.random.RandomState(0))
    assert len(folds) == 10
    assert all(12 in fold.train for fold in folds)
    assert cut_folds(np.arange(4), 10, np.random.RandomState(0)) == ()


def test_folds_beside_each_other_say_the_same(monkeypatch):
    X, target = mixture(90, seed=3)
    problem, folds = problem_of(distances_of(X), target), cut_folds(target, 4, np.random.RandomState(0))
    alone = search_radius(problem, np.array([0.4, 0.9]), folds, one_se=True)
    monkeypatch.setattr("proset.companions.pvm.radius.MANY_ROWS", 1)
    together = search_radius(problem, np.array([0.4, 0.9]), folds, one_se=True)
    monkeypatch.setattr("proset.companions.pvm.distances.HELD_BYTES", 0)
    unheld = search_radius(problem, np.array([0.4, 0.9]), folds, one_se=True)
    for other in (together, unheld):
        assert np.array_equal(alone.errors, other.errors)
        assert np.array_equal(alone.n_prototypes, other.n_prototypes)
        assert np.array_equal(alone.left_out.by_class, other.left_out.by_class)


def test_more_radii_than_a_byte_can_tell():
    X, target = mixture(40, seed=3)
    problem, folds = problem_of(distances_of(X), target), cut_folds(target, 2, np.random.RandomState(0))
    radii = np.linspace(0.05, 3.0, 300)
    found = search_radius(problem, radii, folds, one_se=True)
    for place in (0, 150, 254, 255, 299):
        alone = search_radius(problem, radii[[place]], folds, one_se=True)
        assert np.array_equal(alone.errors[0], found.errors[place])
        assert np.array_equal(alone.n_prototypes[0], found.n_prototypes[place])


class Computed:
    """Distances that count the candidates that they are asked for."""

    def __init__(self, inner, asked):
        self.inner, self.asked, self.shape = inner, asked, inner.shape

    def block(self, candidates):
        self.asked.append(len(candidates))
        return self.inner.block(candidates)

    def subset(self, points, candidates):
        return Computed(self.inner.subset(points, candidates), self.asked)


@pytest.mark.parametrize(("room", "passes"), [(10**9, 2), (15_000, 8)])  # one is of the candidates that are sampled
def test_distances_that_are_not_kept_are_looked_at_once_for_many_radii(room, passes, monkeypatch):
    X, target = mixture(120, seed=5)
    folds, radii = cut_folds(target, 3, np.random.RandomState(0)), np.linspace(0.2, 2.5, 12)
    D = distances_of(X)
    kept = search_radius(problem_of(D, target), radii, folds, one_se=True)
    asked: list[int] = []
    monkeypatch.setattr("proset.companions.pvm.distances.HELD_BYTES", 0)
    monkeypatch.setattr("proset.companions.pvm.radius.HELD_BYTES", room)
    computed = RadiusProblem(Computed(HeldDistances.of(D), asked), target, 3, own_rows=True)
    found = search_radius(computed, radii, folds, one_se=True)
    assert found.chosen == kept.chosen
    for name in ("errors", "n_prototypes"):
        assert np.array_equal(getattr(found, name), getattr(kept, name))
    assert np.array_equal(found.left_out.by_class, kept.left_out.by_class)
    prototypes = kept.n_prototypes.sum()  # which the rows left out are compared with
    assert sum(asked) - prototypes <= passes * sum(len(fold.train) for fold in folds)


def test_balls_by_radius_are_those_of_each_radius_alone():
    X, target = mixture(60, seed=2)
    bounds, radii, held = class_bounds(target, 3), [0.3, 0.8, 0.8, 2.0], HeldDistances.of(distances_of(X))
    for distances in (held, Computed(held, [])):
        for room in (0, 2_000, 10**9):
            for radius, found in zip(radii, balls_by_radius(distances, bounds, radii, room=room), strict=True):
                for one, other in zip(found, find_balls(held, bounds, radius), strict=True):
                    for name in ("candidates", "starts", "members", "cost"):
                        assert np.array_equal(getattr(one, name), getattr(other, name))
