"""Every stop has its reason in words."""

import importlib.util
import sys

import numpy as np
import pytest

from benchmarks.problems import PROBLEMS
from benchmarks.solver import ScipyDescent, batches, solved
from proset.engine import quadratic_model, solver
from proset.engine.line_search import Trial, find_step
from proset.engine.quadratic_model import QuadraticModel
from proset.engine.solver import EAGER_RESTARTS, MAX_RESTARTS, StopReason, minimize_nonnegative


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


def test_what_overflows_is_a_reason_to_stop_and_no_warning():
    result = minimize_nonnegative(lambda x: (float(np.exp(1e4 * x).sum()), np.exp(1e4 * x)), np.ones(2))
    assert result.report.reason is StopReason.NOT_FINITE


def test_the_lowest_point_is_kept_where_the_way_on_is_not_finite():
    def cliff(x):
        value, gradient = bowl(x)
        return (np.nan if (x > 1.5).any() else value), gradient

    result = minimize_nonnegative(cliff, np.zeros(2))
    assert result.report.reason is StopReason.NOT_FINITE
    assert result.report.objective == cliff(result.x)[0] < np.inf
    assert result.report.evaluations >= 2


def quadratic(size, seed):
    """A convex function whose minimum lies on some bounds."""
    rng = np.random.default_rng(seed)
    root, target = rng.normal(size=(size, size)), rng.normal(size=size)

    def function(x):
        gradient = root.T @ (root @ (x - target)) + 0.1 * (x - target)
        return float(0.5 * (x - target) @ gradient), gradient

    return function


@pytest.mark.parametrize("seed", range(5))
def test_the_optimum_is_that_of_scipy(seed, monkeypatch):
    function = quadratic(30, seed)
    ours = minimize_nonnegative(function, np.ones(30), factr=1.0)
    monkeypatch.setattr(solver, "_Descent", ScipyDescent)
    theirs = minimize_nonnegative(function, np.ones(30), factr=1.0)
    assert ours.report.converged
    assert ours.report.objective == pytest.approx(theirs.report.objective, rel=1e-9)
    np.testing.assert_allclose(ours.x, theirs.x, atol=1e-4)
    assert ((ours.x == 0.0) == (theirs.x == 0.0)).all()


class Steps:
    """A descent whose runs lower the value by what is said, each in one iteration."""

    gradient_norm = 1e-3

    def __init__(self, gains):
        self.gains, self.iterations, self.evaluations, self.value, self.x = list(gains), 0, 0, 1.0, np.ones(1)
        self.scale = 1.0

    def __call__(self, *_):
        return self

    def run(self):
        self.iterations += 1
        self.value -= self.gains.pop(0)
        return StopReason.VALUE


SMALL = 2 * solver.RESTART_GAIN


@pytest.mark.parametrize(
    ("gains", "reason"),
    [
        ([0.1, *[SMALL] * 3, 0.0], StopReason.VALUE),
        ([0.1, *[SMALL] * MAX_RESTARTS], StopReason.RESTARTS),
        # A late start that leads far down is counted as a first one: there is no reason yet to doubt what comes.
        ([0.1, *[SMALL] * (MAX_RESTARTS - 1), 0.05, SMALL, 0.0], StopReason.VALUE),
        ([0.1, *[SMALL] * (MAX_RESTARTS - 1), 0.05, *[SMALL] * MAX_RESTARTS], StopReason.RESTARTS),
    ],
)
def test_fresh_starts_are_counted_from_the_last_one_that_led_far_down(monkeypatch, gains, reason):
    steps = Steps(gains)
    monkeypatch.setattr(solver, "_Descent", steps)
    assert minimize_nonnegative(None, np.ones(1)).report.reason is reason
    assert steps.gains == []


def test_late_fresh_starts_look_for_what_is_asked_for_only(monkeypatch):
    """Where much is asked for they go on as long as there is something to gain; where little is, ten are enough."""
    for factr, left in ((1e9, 0), (1e12, 5)):
        steps = Steps([0.1, *[SMALL] * (EAGER_RESTARTS + 4), 0.0])
        monkeypatch.setattr(solver, "_Descent", steps)
        assert minimize_nonnegative(None, np.ones(1), factr=factr).report.reason is StopReason.VALUE
        assert len(steps.gains) == left


@pytest.mark.slow
def test_fits_take_no_more_evaluations_than_with_scipy():
    pytest.importorskip("numba")  # a promise of compiled code
    # One problem takes a third more or a third less, as the last bits of a processor have it; many level that out.
    every = [batch for problem in PROBLEMS[:3] for seed in range(8) for batch in batches(problem, seed)]
    ours = [solved(*batch, solver._Descent).report for batch in every]
    theirs = [solved(*batch, ScipyDescent).report for batch in every]
    assert all(report.converged for report in ours)
    assert sum(report.evaluations for report in ours) <= 1.1 * sum(report.evaluations for report in theirs)
    assert sum(report.objective for report in ours) <= sum(report.objective for report in theirs) + 4e-3


def test_the_model_is_the_same_without_numba(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    spec = importlib.util.spec_from_file_location("plain_model", quadratic_model.__file__)
    plain = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(plain)
    rng, n = np.random.default_rng(1), 60
    root = rng.normal(size=(n, n))
    compiled, plainly = QuadraticModel(n), plain.QuadraticModel(n)
    assert not hasattr(plain._minimum, "py_func")
    for _ in range(quadratic_model.MEMORY + 5):
        step = rng.normal(size=n)
        change = root.T @ (root @ step) + step
        x, gradient = np.maximum(rng.normal(size=n), 0.0), rng.normal(size=n)
        for model in (compiled, plainly):
            model.update(step, change)
        np.testing.assert_allclose(compiled.minimum(x, gradient), plainly.minimum(x, gradient), rtol=1e-6, atol=1e-9)


def test_the_model_is_exact_where_its_pairs_span_the_space():
    # Then it is the quadratic function itself, and its minimum on the free variables a Newton step.
    rng, n = np.random.default_rng(0), 4
    root = rng.normal(size=(n, n))
    hessian, model = root.T @ root + np.eye(n), QuadraticModel(n)
    x = np.full(n, 100.0)
    for vector in np.linalg.eigh(hessian)[1].T:  # conjugate steps
        model.update(vector, hessian @ vector)
    gradient = rng.normal(size=n)
    np.testing.assert_allclose(model.minimum(x, gradient), x - np.linalg.solve(hessian, gradient), rtol=1e-9)


@pytest.mark.parametrize("first", [0.01, 1.0, 30.0])
def test_a_step_keeps_the_wolfe_conditions(first):
    def line(a):
        return Trial(a, (a - 2.0) ** 4 + 0.1 * a, 4.0 * (a - 2.0) ** 3 + 0.1, np.zeros(1), np.zeros(1))

    start = line(0.0)
    found = find_step(line, start, first, lambda: 1e3, 0.0)
    assert found.value <= start.value + 1e-3 * found.step * start.slope
    assert abs(found.slope) <= 0.9 * abs(start.slope)


def test_a_line_that_only_rises_ends_without_a_step():
    asked = []

    def line(a):
        asked.append(a)
        return Trial(a, a, -1.0, np.zeros(1), np.zeros(1))

    assert find_step(line, Trial(0.0, 0.0, -1.0, np.zeros(1), np.zeros(1)), 1.0, lambda: 10.0, 1e-4) is None
    assert len(asked) < 10  # no trial for a gain of less than 1e-4
