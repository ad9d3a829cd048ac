"""Projection, fusion graph, steps and start."""

import numpy as np
import pytest
from companions.smp.made import fitted_rows, loss_gradient, made_rows
from companions.smp.plain_objective import pair_matrix
from scipy.optimize import minimize

from proset.common.errors import ProsetError
from proset.companions.smp.compiled import project_row
from proset.companions.smp.fusion import complete_graph, knn_graph, same_groups
from proset.companions.smp.settings import LARGEST_GRAPH, check_graph_size
from proset.companions.smp.start import make_start
from proset.companions.smp.steps import squared_norm

RNG = np.random.default_rng(2)


def projected(v):
    row = np.array(v, dtype=np.float64)
    project_row(row)
    return row


def test_projection_is_the_nearest_point_of_the_ball():
    for v in RNG.normal(0.0, 1.0, (8, 3)):
        # Solved once more in signed parts, with the sum of them bounded.
        def distance(parts, v=v):
            return ((parts[:3] - parts[3:] - v) ** 2).sum()

        room = {"type": "ineq", "fun": lambda parts: 1.0 - parts.sum()}
        found = minimize(distance, np.zeros(6), bounds=[(0.0, None)] * 6, constraints=room, tol=1e-12).x
        np.testing.assert_allclose(projected(v), found[:3] - found[3:], atol=1e-5)


@pytest.mark.parametrize("row", [[0.0, 0.0], [1.0, 0.0], [1e6, -1e6], [1e-300, 0.0], [2.0, 2.0], [0.5, -0.5]])
def test_projection_ends_in_the_ball_and_keeps_what_is_in_it(row):
    found = projected(row)
    assert np.abs(found).sum() <= 1.0 + 1e-9
    if np.abs(row).sum() <= 1.0:
        np.testing.assert_array_equal(found, row)


def test_strength_is_the_norm_of_the_explicit_matrix():
    bounds = np.array([0, 1, 3, 8])
    assert complete_graph(bounds).strength == pytest.approx(np.linalg.norm(pair_matrix(5), 2) ** 2)
    graph = knn_graph(bounds, RNG.normal(size=(8, 2)), n_neighbours=2)
    B = np.zeros((len(graph.pairs), 8))
    B[np.arange(len(B)), graph.pairs[:, 0]], B[np.arange(len(B)), graph.pairs[:, 1]] = 1.0, -1.0
    assert graph.strength == pytest.approx(np.linalg.norm(B, 2) ** 2)


def test_neighbour_graph_connects_every_class():
    far = np.concatenate([RNG.normal(0.0, 0.1, (6, 2)), RNG.normal(50.0, 0.1, (6, 2)), np.zeros((3, 2))])
    graph = knn_graph(np.array([0, 12, 15]), far, n_neighbours=1)
    moved = np.zeros((15, 15))
    moved[graph.pairs[:, 0], graph.pairs[:, 1]] = 1.0
    linked = np.linalg.matrix_power(np.eye(15) + moved + moved.T, 15) > 0.0
    assert linked[:12, :12].all()
    assert linked[12:, 12:].all()
    assert not linked[:12, 12:].any()


def test_groups_reach_over_chains_but_not_over_classes():
    W = np.array([[0.0], [0.9], [1.8], [1.8]])
    assert same_groups(W, np.array([0, 3, 4]), 1.0).tolist() == [0, 0, 0, 1]


def test_too_many_pairs_are_refused_before_they_fill_the_memory():
    with pytest.raises(ProsetError, match="knn"):
        check_graph_size(LARGEST_GRAPH, 2)


def test_norm_of_a_wide_matrix():
    X = RNG.normal(size=(3, 40))
    assert squared_norm(X) == pytest.approx(np.linalg.norm(X, 2) ** 2)


@pytest.mark.parametrize("parameters", [{}, {"n_prototypes": 4, "lam": 0.5}, {"step": "paper"}, {"step": 0.1}])
def test_steps_satisfy_the_condition_for_convergence(parameters):
    fitted = fitted_rows(made_rows(weighted=True), max_iter=1, solver="chambolle-pock", **parameters)
    steps, strength = fitted.solution.steps, fitted.problem.strength
    assert (1.0 / steps.tau - steps.smoothness) / steps.sigma >= strength * (1.0 - 1e-9)


def test_bound_of_the_smoothness_holds_and_is_below_that_of_the_paper():
    rows = made_rows()
    tight, paper = (fitted_rows(rows, max_iter=1, step=step) for step in ("tight", "paper"))
    problem = tight.problem
    for _ in range(20):
        W = RNG.normal(size=(6, 4)) * RNG.uniform(0.0, 3.0)
        step = 1e-4 * RNG.normal(size=W.shape)
        change = loss_gradient(problem, W + step)[1] - loss_gradient(problem, W)[1]
        assert np.linalg.norm(change) <= tight.solution.steps.smoothness * np.linalg.norm(step) * (1.0 + 1e-6)
    assert tight.solution.steps.smoothness < paper.solution.steps.smoothness / 6


@pytest.mark.parametrize("solver", ["chambolle-pock", "accelerated"])
def test_a_step_that_is_too_long_is_refused(solver):
    with pytest.raises(ProsetError, match="too long"):
        fitted_rows(made_rows(), max_iter=1, step=1e3, solver=solver)


def test_start_does_not_hang_on_the_order_of_rows_and_counts_weights_like_copies():
    rows = made_rows(weighted=True)
    weight = np.ceil(rows.weight)
    order, copies = RNG.permutation(60), np.repeat(np.arange(60), weight.astype(int))
    start = make_start(rows.X, rows.target, weight, 3)
    for chosen, other in ((order, weight[order]), (copies, np.ones(len(copies)))):
        again = make_start(rows.X[chosen], rows.target[chosen], other, 3)
        np.testing.assert_allclose(again.centres, start.centres, atol=1e-9)
        np.testing.assert_array_equal(again.own, start.own[chosen])


def test_a_class_with_fewer_distinct_rows_has_fewer_prototypes():
    X = np.array([[0.0], [0.0], [0.0], [5.0], [6.0], [7.0]])
    start = make_start(X, np.array([0, 0, 0, 1, 1, 1]), np.ones(6), 4)
    assert np.diff(start.bounds).tolist() == [1, 3]
