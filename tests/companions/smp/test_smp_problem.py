"""The objective, its gradient and its bounds, against plain loops and finite differences."""

import numpy as np
import pytest
from companions.smp.made import fitted_rows, loss_gradient, made_rows
from companions.smp.plain_objective import loss, objective
from scipy.optimize import approx_fprime

RNG = np.random.default_rng(1)
VARIANTS = [{"loss": "softmax"}, {"loss": "max"}, {"fit_intercept": True}, {"n_prototypes": 3, "lam": 0.3}]


def problem_of(**parameters):
    return fitted_rows(made_rows(weighted=True), max_iter=1, **parameters).problem


@pytest.mark.parametrize("parameters", VARIANTS)
def test_compiled_objective_equals_plain_loops(parameters):
    problem = problem_of(**parameters)
    for scale in (0.0, 0.1, 3.0):
        W = scale * RNG.normal(size=(int(problem.bounds[-1]), problem.X.shape[1]))
        assert problem.value(W) == pytest.approx(objective(problem, W), rel=1e-12)


@pytest.mark.parametrize("parameters", VARIANTS)
def test_gradient_equals_finite_differences(parameters):
    problem = problem_of(**parameters)
    W = RNG.normal(size=(int(problem.bounds[-1]), problem.X.shape[1]))
    value, gradient = loss_gradient(problem, W)
    numeric = approx_fprime(W.ravel(), lambda w: loss(problem, w.reshape(W.shape)), 1e-7)
    assert value == pytest.approx(loss(problem, W), rel=1e-12)
    np.testing.assert_allclose(gradient.ravel(), numeric, atol=1e-6)


def test_smoothed_loss_is_above_the_sharp_one():
    W = RNG.normal(size=(6, 4))
    assert loss(problem_of(loss="softmax"), W) >= loss(problem_of(loss="max"), W)


@pytest.mark.parametrize("name", ["softmax", "max"])
def test_large_scores_stay_finite(name):
    problem = problem_of(loss=name)
    value, gradient = loss_gradient(problem, 1e4 * RNG.normal(size=(6, 4)))
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()


@pytest.mark.parametrize("eta", [0.0, 1.0])
@pytest.mark.parametrize("name", ["softmax", "max"])
def test_gap_bounds_the_distance_to_the_optimum(name, eta):
    rows, parameters = made_rows(), {"lam": 0.05, "mu": 0.01, "eta": eta, "loss": name}
    best = fitted_rows(rows, max_iter=20_000, tol=1e-10, **parameters)
    problem, V = best.problem, best.solution.V
    for W in (RNG.normal(size=(6, 4)), np.zeros((6, 4)), best.solution.W):
        for dual in (V, np.zeros_like(V)):
            assert problem.look(W, dual)[1] >= problem.value(W) - problem.value(best.solution.W) - 1e-12
    if name == "softmax":
        assert best.solution.gap < (1e-6 if eta else 1e-4)


def test_no_gap_is_claimed_where_there_is_none():
    assert np.isnan(fitted_rows(made_rows(), mu=0.0, max_iter=5).solution.gap)
    assert np.isnan(fitted_rows(made_rows(), fit_intercept=True, max_iter=5).solution.gap)
