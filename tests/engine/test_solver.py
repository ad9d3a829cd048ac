"""Every stop has its reason in words."""

import numpy as np
import pytest

from proset.engine.solver import MAX_RESTARTS, StopReason, minimize_nonnegative


def bowl(x):
    return float(((x - 2.0) ** 2).sum()), 2.0 * (x - 2.0)


def rosenbrock(x):
    a, b = 1.0 - x[0], x[1] - x[0] ** 2
    return float(a**2 + 100 * b**2), np.array([-2 * a - 400 * x[0] * b, 200 * b])


def test_minimum_inside_the_orthant():
    result = minimize_nonnegative(bowl, np.zeros(3))
    np.testing.assert_allclose(result.x, 2.0, atol=1e-6)
    assert result.report.reason is StopReason.GRADIENT
    assert result.report.converged


def test_minimum_on_the_border():
    result = minimize_nonnegative(lambda x: (float(((x + 1) ** 2).sum()), 2 * (x + 1)), np.array([0.5, 3.0]))
    assert result.x.tolist() == [0.0, 0.0]
    assert result.report.gradient_norm == 0.0


def test_loose_tolerance_stops_on_the_value():
    assert minimize_nonnegative(rosenbrock, np.zeros(2), factr=1e13).report.reason is StopReason.VALUE


def test_iteration_limit_is_not_convergence():
    report = minimize_nonnegative(rosenbrock, np.zeros(2), max_iterations=3).report
    assert report.reason is StopReason.ITERATIONS
    assert not report.converged
    assert report.message.startswith("Stopped early after 3 iterations")


def test_a_gradient_that_lies_is_a_failed_line_search():
    report = minimize_nonnegative(lambda x: (bowl(x)[0], -bowl(x)[1]), np.ones(2)).report
    assert report.reason is StopReason.LINE_SEARCH
    assert not report.converged


def test_noise_of_single_precision_near_the_minimum_is_convergence():
    rng = np.random.default_rng(0)

    def noisy(x):
        value, gradient = bowl(x)
        return value + 1e-7 * rng.standard_normal(), gradient + 3e-5

    report = minimize_nonnegative(noisy, np.array([2.0001, 1.9999]), factr=1e-3).report
    assert report.reason in {StopReason.PRECISION, StopReason.VALUE, StopReason.GRADIENT}
    assert report.converged


@pytest.mark.parametrize("size", [1, 7])
def test_result_never_leaves_the_orthant(size):
    result = minimize_nonnegative(lambda x: (float(x.sum()), np.ones_like(x)), np.full(size, 1e-12))
    assert (result.x >= 0.0).all()


def test_restarts_that_run_out_are_not_convergence():
    report = minimize_nonnegative(bowl, np.array([1.0]), settle=lambda x: False).report
    assert report.reason is StopReason.RESTARTS
    assert not report.converged
    assert "limit on them was reached" in report.message


def test_restarts_end_where_a_candidate_left_out_settles():
    asked = []
    report = minimize_nonnegative(
        bowl, np.array([1.0]), settle=lambda x: asked.append(x) or len(asked) == MAX_RESTARTS
    ).report
    assert report.reason is StopReason.GRADIENT
    assert report.converged


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("where", ["value", "gradient"])
def test_a_start_that_is_not_finite_stops_at_once(bad, where):
    def function(x):
        value, gradient = bowl(x)
        return (bad, gradient) if where == "value" else (value, np.where(np.arange(3) == 1, bad, gradient))

    result = minimize_nonnegative(function, np.ones(3))
    assert result.x.tolist() == [1.0] * 3
    assert result.report.reason is StopReason.NOT_FINITE
    assert not result.report.converged
    assert not np.isfinite(result.report.objective)
    assert result.report.message.endswith("1 evaluation: the objective or its gradient is not finite.")


def test_the_lowest_point_is_kept_where_the_way_on_is_not_finite():
    def cliff(x):
        value, gradient = bowl(x)
        return (np.nan if (x > 1.5).any() else value), gradient

    result = minimize_nonnegative(cliff, np.zeros(2))
    assert result.report.reason is StopReason.NOT_FINITE
    assert result.report.objective == cliff(result.x)[0] < np.inf
    assert result.report.evaluations >= 2
