"""The density objective against plain loops, and its gradient against finite differences."""

from dataclasses import replace

import numpy as np
import pytest
from engine import density_oracle
from scipy.optimize import approx_fprime

from proset.engine.kernels import threads
from proset.engine.objective import compiled_backend, make_objective
from proset.engine.objective.density_blocks import BlocksDensityObjective
from proset.engine.objective.density_compiled import CompiledDensityObjective
from proset.engine.objective.density_problem import make_density_problem
from proset.engine.objective.penalty import ElasticNet
from proset.engine.solver import minimize_nonnegative
from proset.engine.working_set import WorkingSet

PENALTIES = {
    "penalty_v": ElasticNet(1e-2, 0.7),
    "penalty_w": ElasticNet(1e-3, 0.4),
    "penalty_beta": ElasticNet(2e-2, 0.6),
    "penalty_h": ElasticNet(3e-2, 1.0),
}


@pytest.fixture(params=[BlocksDensityObjective, CompiledDensityObjective], ids=["blocks", "compiled"])
def fast(request):
    """Each fast form of the objective."""
    return request.param


def random_problem(seed, *, n=60, d=4, own=False, offset=0.0, far=False):
    """A batch problem as the second batch of a fit would see it."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) + offset
    if far:
        X[::7] *= 30.0
    values = X[:, 0] - offset + 0.3 * rng.standard_normal(n)
    values[-1] = 40.0
    chosen = rng.permutation(n)
    problem = make_density_problem(
        X, np.arange(n) % 3, values, rng.uniform(0.2, 3.0, n), rng.uniform(0.1, 2.0, (n, 2)),
        candidates=np.sort(chosen[: n // 3]), reference=np.sort(chosen[n // 3 :]), penalties=PENALTIES,
        least_spread=0.05, first=False,
    )  # fmt: skip
    return replace(problem, own_spreads=own)


def random_point(problem, seed, *, zeros=False):
    rng = np.random.default_rng(seed)
    point = rng.uniform(0.1, 2.0, problem.n_variables)
    if zeros:
        point[rng.random(problem.n_variables) < 0.4] = 0.0
    return point


def by_differences(problem, point):
    return approx_fprime(point, lambda x: density_oracle.value(problem, x), 1e-6)


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_fast_form_equals_plain_loops_and_finite_differences(fast, seed, own):
    problem = random_problem(seed, n=36, own=own, far=seed == 1)
    point = random_point(problem, seed)
    value, gradient = fast(problem)(point)
    assert value == pytest.approx(density_oracle.value(problem, point), rel=1e-6)
    np.testing.assert_allclose(gradient, by_differences(problem, point), rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("own", [False, True])
def test_what_is_zero_is_left_out_but_slopes_come_back(fast, own):
    problem = random_problem(2, n=36, own=own)
    point = random_point(problem, 2, zeros=True)
    d = problem.n_features
    point[[0, d, 2 * d]] = 0.0  # a feature that is not in the kernel
    value, gradient = fast(problem)(point)
    assert value == pytest.approx(density_oracle.value(problem, point), rel=1e-6)
    expected = by_differences(problem, point)
    np.testing.assert_allclose(gradient, expected, rtol=2e-4, atol=3e-5)
    assert gradient[0] == pytest.approx(PENALTIES["penalty_v"].strength * 0.3)
    assert gradient[d] != pytest.approx(PENALTIES["penalty_beta"].strength * 0.4)


def test_forms_agree_in_many_rows_and_features():
    problem = random_problem(4, n=900, d=9, own=True, far=True)
    point = random_point(problem, 4, zeros=True)
    value, gradient = CompiledDensityObjective(problem)(point)
    expected, slope = BlocksDensityObjective(problem)(point)
    assert value == pytest.approx(expected, rel=1e-6)
    np.testing.assert_allclose(gradient, slope, rtol=1e-3, atol=1e-5)


def test_distance_from_the_origin_does_not_cost_precision(fast):
    near, far = random_problem(3), random_problem(3, offset=1000.0)
    point = random_point(near, 3)
    (value, gradient), (far_value, far_gradient) = fast(near)(point), fast(far)(point)
    assert value == pytest.approx(far_value, rel=1e-5)
    np.testing.assert_allclose(gradient, far_gradient, rtol=1e-3, atol=1e-5)


def test_the_number_of_threads_does_not_change_a_bit(monkeypatch):
    monkeypatch.setattr(compiled_backend, "WORK_PER_PART", 5_000)
    problem = random_problem(0, n=400)
    point, results = random_point(problem, 2), []
    for count in (1, 3):
        threads._pool.cache_clear()
        monkeypatch.setattr(threads, "n_threads", lambda count=count: count)
        results.append(CompiledDensityObjective(problem)(point))
    threads._pool.cache_clear()
    assert results[0][0] == results[1][0]
    assert results[0][1].tolist() == results[1][1].tolist()


def test_candidates_set_aside_change_neither_value_nor_what_is_free():
    problem = random_problem(5, n=300)
    objective, plain = WorkingSet(problem, make_objective), CompiledDensityObjective(problem)
    found = minimize_nonnegative(objective, problem.start(), settle=objective.settle)
    value, gradient = plain(found.x)
    assert found.report.objective == pytest.approx(value, rel=1e-6)
    assert (found.x[problem.n_shared :] == 0.0).sum() > 50
    assert (gradient[found.x == 0.0] > -1e-3).all()


def test_prototypes_that_are_kept_get_spreads_of_their_own_in_a_second_stage():
    problem = random_problem(6, n=120)
    first = minimize_nonnegative(CompiledDensityObjective(problem), problem.start())
    later, start = problem.next_stage(first.x)
    assert later.n_candidates == (first.x[problem.n_shared :] > 0.0).sum()
    objective = CompiledDensityObjective(later)
    assert objective(start)[0] == pytest.approx(first.report.objective, rel=1e-5)
    second = minimize_nonnegative(objective, start)
    assert second.report.objective < first.report.objective
    spreads = later.at(second.x).spreads
    assert np.ptp(spreads) > 0.0
    assert (spreads >= later.least_spread).all()
    assert later.next_stage(second.x) is None
