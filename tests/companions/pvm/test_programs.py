"""Linear and integer programs: bounds in the right order, nothing lost by reducing, the best of several ways."""

import itertools

import numpy as np
import pytest
from companions.pvm.made import balls_of, distances_of, mixture
from companions.pvm.plain_cover import objective
from hypothesis import given, settings
from hypothesis import strategies as st

from proset.companions.pvm.programs import choose_exactly, draw_roundings, polished, relax
from proset.companions.pvm.reduced import reduce_cover
from proset.companions.pvm.solving import places_of, solve_by_programs, solve_greedily


def best_of_all(D, target, n_classes, eps, lam):
    """Try every set of prototypes."""
    every = list(itertools.product(range(D.shape[1]), range(n_classes)))
    sets = itertools.chain.from_iterable(itertools.combinations(every, size) for size in range(len(every) + 1))
    return min(objective(D, target, chosen, eps, lam) for chosen in sets)


@settings(max_examples=40)
@given(seed=st.integers(0, 10**6), lam=st.sampled_from([0.0, 0.1, 0.9, 1.2]))
def test_the_integer_program_finds_the_best_of_all_sets(seed, lam):
    rng = np.random.default_rng(seed)
    D, target = rng.integers(0, 3, size=(7, 4)).astype(np.float64), np.sort(rng.integers(0, 2, 7))
    balls = balls_of(D, target, 2, 1.0)
    exact = solve_by_programs(balls, lam, exact=True, rng=np.random.RandomState(0))
    assert exact.taken.objective(lam) == pytest.approx(best_of_all(D, target, 2, 1.0, lam))
    assert exact.lower_bound == pytest.approx(exact.taken.objective(lam))


@pytest.mark.parametrize("eps", [0.2, 0.5, 1.0, 2.0])
def test_bounds_stand_in_the_right_order(eps):
    X, target = mixture(200, seed=3)
    balls, lam = balls_of(distances_of(X), target, 3, eps), 1 / 200
    greedy = solve_greedily(balls, lam)
    rounded = solve_by_programs(balls, lam, exact=False, rng=np.random.RandomState(0))
    exact = solve_by_programs(balls, lam, exact=True, rng=np.random.RandomState(0))
    best = exact.taken.objective(lam)
    assert rounded.lower_bound <= best + 1e-6
    assert best <= rounded.taken.objective(lam) + 1e-9 <= greedy.taken.objective(lam) + 2e-9
    assert exact.lower_bound == pytest.approx(best)
    assert exact.ended
    assert exact.found_by == "milp"
    assert np.isnan(greedy.lower_bound)
    for solution in (rounded, exact):
        taken = solution.taken
        chosen = list(zip(taken.candidate.tolist(), taken.label.tolist(), strict=True))
        assert taken.objective(lam) == pytest.approx(objective(distances_of(X), target, chosen, np.float32(eps), lam))
        assert (np.diff(taken.score) <= 0).all()


def test_reducing_changes_neither_optimum():
    X, target = mixture(120, seed=1)
    every, lam = balls_of(distances_of(X), target, 3, 0.8, keep_all=True), 1 / 120
    few = balls_of(distances_of(X), target, 3, 0.8)
    none = np.empty(0, dtype=np.int64)
    for large, small in zip(every, few, strict=True):
        assert reduce_cover(large, lam).inside.shape[1] <= len(small)
        whole = reduce_cover(large, -1e9)  # a bonus so large that no ball is left out
        unreduced = type(whole)(whole.balls, whole.inside, whole.weight, large.cost[whole.balls] + lam, whole.never)
        assert relax(reduce_cover(small, lam)).value == pytest.approx(relax(unreduced).value)
        exact = [choose_exactly(cover, none, None).lower_bound for cover in (reduce_cover(small, lam), unreduced)]
        assert exact[0] == pytest.approx(exact[1])


def test_roundings_keep_to_their_bound_on_average():
    X, target = mixture(300, seed=4)
    for own in balls_of(distances_of(X), target, 3, 0.6):
        cover = reduce_cover(own, 1 / 300)
        relaxation = relax(cover)
        drawn = draw_roundings(cover, relaxation.share, 400, np.random.RandomState(0))
        values = cover.objectives(drawn)
        slack = 4 * values.std() / np.sqrt(len(values)) + 1e-9
        assert values.mean() <= relaxation.expected_bound(cover) + slack
        assert relaxation.expected_bound(cover) <= own.n_points / np.e + relaxation.value + 1e-6
        assert (values >= relaxation.value - 1e-6).all()


def test_the_objective_of_a_choice_is_that_of_its_path():
    X, target = mixture(150, seed=5)
    balls, lam = balls_of(distances_of(X), target, 3, 0.7), 0.4
    path = solve_greedily(balls, lam).taken
    covers = [reduce_cover(own, lam) for own in balls]
    places = places_of(balls, path)
    values = [
        cover.objectives(np.isin(own.candidates[cover.balls], own.candidates[place]).astype(float)[:, None])[0]
        for cover, own, place in zip(covers, balls, places, strict=True)
    ]
    assert sum(values) >= path.objective(lam) - 1e-9  # copies of a ball that was left out count less


def test_polishing_never_makes_a_choice_worse_and_ends_where_no_step_helps():
    X, target = mixture(200, seed=8)
    for own in balls_of(distances_of(X), target, 3, 0.6):
        cover = reduce_cover(own, 0.1)
        for drawn in draw_roundings(cover, np.full(len(cover.balls), 0.2), 5, np.random.RandomState(1)).T:
            found = polished(cover, drawn)
            value = cover.objectives(found[:, None])[0]
            assert value <= cover.objectives(drawn[:, None])[0]
            steps = np.abs(found[:, None] - np.eye(len(found)))
            assert (cover.objectives(steps) >= value - 1e-6).all()


def test_rounding_comes_close_to_the_best_where_greedy_does_not():
    X, target = mixture(300, seed=7, n_features=6)
    balls, lam = balls_of(distances_of(X), target, 3, 3.0), 1 / 300
    greedy = solve_greedily(balls, lam).taken.objective(lam)
    rounded = solve_by_programs(balls, lam, exact=False, rng=np.random.RandomState(0))
    exact = solve_by_programs(balls, lam, exact=True, rng=np.random.RandomState(0)).taken.objective(lam)
    assert rounded.taken.objective(lam) <= exact + 0.25 * (greedy - exact) + 1e-9


def test_without_time_the_greedy_cover_is_kept_with_a_bound_below_it():
    X, target = mixture(400, seed=6)
    balls, lam = balls_of(distances_of(X), target, 3, 0.5), 1 / 400
    hurried = solve_by_programs(balls, lam, exact=True, time_limit=1e-9, rng=np.random.RandomState(0))
    greedy = solve_greedily(balls, lam).taken.objective(lam)
    assert 0.0 <= hurried.lower_bound <= hurried.taken.objective(lam) <= greedy + 1e-9


def test_classes_without_balls_are_left_uncovered():
    D = np.zeros((4, 4))
    for exact in (True, False):
        found = solve_by_programs(
            balls_of(D, np.array([0, 0, 1, 1]), 2, 1.0), 0.1, exact=exact, rng=np.random.RandomState(0)
        )
        assert len(found.taken) == 0
        assert found.lower_bound == 4.0
