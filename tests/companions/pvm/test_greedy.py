"""The fast greedy cover against the plain one, its path, and what pruning may leave out."""

import numpy as np
import pytest
from companions.pvm.made import balls_of, distances_of, mixture
from companions.pvm.plain_cover import naive_greedy, objective
from hypothesis import given, settings
from hypothesis import strategies as st

from proset.companions.pvm import distances as distances_module
from proset.companions.pvm.balls import class_bounds, find_balls
from proset.companions.pvm.distances import ComputedDistances, HeldDistances, held
from proset.companions.pvm.greedy import greedy_path
from proset.companions.pvm.metrics import Euclidean
from proset.companions.pvm.solving import pruned


def pairs(path):
    return list(zip(path.candidate.tolist(), path.label.tolist(), strict=True))


@st.composite
def problems(draw):
    """Any dissimilarities, with many ties, and candidates that need not be the points."""
    n, m, k = draw(st.integers(1, 14)), draw(st.integers(1, 10)), draw(st.integers(1, 3))
    numbers = st.integers(0, 4)
    D = np.array(draw(st.lists(st.lists(numbers, min_size=m, max_size=m), min_size=n, max_size=n)), dtype=np.float64)
    target = np.sort(np.array(draw(st.lists(st.integers(0, k - 1), min_size=n, max_size=n)), dtype=np.int64))
    return D, target, k, draw(st.sampled_from([0.5, 1.0, 2.5, 4.0]))


@settings(max_examples=150)
@given(problem=problems(), lam=st.sampled_from([0.0, 0.05, 1.0, 1.5]))
def test_the_incremental_cover_is_the_naive_one(problem, lam):
    D, target, n_classes, eps = problem
    path = greedy_path(balls_of(D, target, n_classes, eps))
    naive = naive_greedy(D, target, n_classes, eps, lam)
    assert pairs(path.at(lam)) == naive
    assert path.at(lam).objective(lam) == pytest.approx(objective(D, target, naive, eps, lam))


@settings(max_examples=60)
@given(problem=problems())
def test_balls_that_are_left_out_would_never_be_taken(problem):
    D, target, n_classes, eps = problem
    few, every = balls_of(D, target, n_classes, eps), balls_of(D, target, n_classes, eps, keep_all=True)
    assert all(len(a) <= len(b) for a, b in zip(few, every, strict=True))
    assert pairs(greedy_path(few)) == pairs(greedy_path(every))


@settings(max_examples=60)
@given(problem=problems(), lam=st.sampled_from([0.05, 1.0]))
def test_dropping_superfluous_prototypes_only_lowers_the_objective(problem, lam):
    D, target, n_classes, eps = problem
    balls = balls_of(D, target, n_classes, eps)
    whole = greedy_path(balls).at(lam)
    fewer = pruned(balls, whole, lam)
    assert set(pairs(fewer)) <= set(pairs(whole))
    assert fewer.objective(lam) <= whole.objective(lam) + 1e-9
    assert fewer.objective(lam) == pytest.approx(objective(D, target, pairs(fewer), eps, lam))


def test_an_early_prototype_that_later_ones_replace_is_dropped():
    # a covers 1-4, then b covers 1, 2, 5, 6, 7 and c 3, 4, 8, 9, 10 in the end: a has nothing of its own.
    inside = np.zeros((10, 3), dtype=bool)
    inside[[0, 1, 2, 3], 0] = inside[[0, 1, 4, 5, 6], 1] = inside[[2, 3, 7, 8, 9], 2] = True
    balls = balls_of(np.where(inside, 0.0, 9.0)[:, [0, 1, 2]], np.zeros(10, dtype=np.int64), 1, 1.0)
    path = greedy_path(balls)
    assert len(path) == 2  # the greedy cover sees it by itself here: b and c are larger
    forced = greedy_path([balls[0].take(np.array([0]))])
    assert forced.covered.tolist() == [4]


def test_scores_never_rise_and_every_cost_is_a_beginning_of_the_path():
    X, target = mixture(150)
    D = distances_of(X)
    path = greedy_path(balls_of(D, target, 3, 0.8))
    assert (np.diff(path.score) <= 0).all()
    assert (path.score == path.covered - path.miscovered).all()
    assert (path.own >= path.covered).all()
    for lam in (0.0, 1 / 150, 0.999, 1.0, 2.0, 4.5, 1e9):
        assert pairs(path.at(lam)) == naive_greedy(D, target, 3, np.float32(0.8), lam)


def test_above_one_no_prototype_covers_a_single_point():
    X, target = mixture(150)
    path = greedy_path(balls_of(distances_of(X), target, 3, 0.5))
    assert (path.covered == 1).any()
    assert (path.at(1.01).covered > 1).all()


def test_copies_of_a_point_in_different_classes_cancel_each_other():
    D = np.zeros((4, 4))
    assert len(greedy_path(balls_of(D, np.array([0, 0, 1, 1]), 2, 1.0))) == 0
    assert pairs(greedy_path(balls_of(np.zeros((5, 5)), np.array([0, 0, 0, 1, 1]), 2, 1.0))) == [(0, 0)]


def test_a_candidate_may_serve_two_classes_only_if_it_pays_for_both():
    inside = np.array([[1, 0, 0]] * 3 + [[0, 1, 0]] * 3, dtype=float)
    path = greedy_path(balls_of(1.0 - inside, np.array([0] * 3 + [1] * 3), 2, 0.5))
    assert pairs(path) == [(0, 0), (1, 1)]


def test_one_class_is_a_plain_cover():
    X, _ = mixture(80)
    path = greedy_path(balls_of(distances_of(X), np.zeros(80, dtype=np.int64), 1, 0.8))
    assert path.covered.sum() == 80
    assert not path.miscovered.any()


def test_a_point_on_the_edge_is_outside_in_either_precision():
    for dtype in (np.float64, np.float32):
        D = np.array([[0.0, 0.7], [0.7, 0.0]], dtype=dtype)
        assert [balls.own.tolist() for balls in balls_of(D, np.array([0, 1]), 2, 0.7)] == [[1], [1]]


def test_blocks_and_what_is_held_do_not_change_what_is_inside(monkeypatch):
    X, target = mixture(120, n_features=7)
    metric = Euclidean.around(X)
    computed = ComputedDistances(metric, metric.prepare(X), metric.prepare(X), (120, 120))
    whole = find_balls(held(computed), class_bounds(target, 3), 1.5)
    monkeypatch.setattr(distances_module, "BLOCK_BYTES", 4 * 120 * 7)
    parts = find_balls(computed, class_bounds(target, 3), 1.5)
    for a, b in zip(whole, parts, strict=True):
        for name in ("candidates", "starts", "members", "cost"):
            assert np.array_equal(getattr(a, name), getattr(b, name))


def test_only_balls_worth_taking_are_kept_in_memory():
    X, target = mixture(600)
    D = distances_of(X)
    eps = float(np.quantile(D, 0.2))
    few, every = balls_of(D, target, 3, eps), balls_of(D, target, 3, eps, keep_all=True)
    assert sum(len(own.members) for own in every) == (eps > D).sum()
    assert sum(len(own.members) for own in few) < 0.4 * (eps > D).sum()


def test_subsets_of_held_distances():
    D = np.arange(12.0).reshape(3, 4)
    part = HeldDistances.of(D).subset(np.array([2, 0]), np.array([3, 1]))
    assert part.shape == (2, 2)
    assert part.block(np.array([0, 1])).tolist() == [[11.0, 3.0], [9.0, 1.0]]
