"""The objective against plain loops, its gradient against finite differences, and candidates left out of it."""

import numpy as np
import pytest
from engine import oracle
from scipy.optimize import approx_fprime

from proset.engine import working_set
from proset.engine.fitting import BatchSettings, TrainingData, draw_batch
from proset.engine.kernels import threads
from proset.engine.objective import compiled_backend, make_objective
from proset.engine.objective.blocks_backend import BLOCK_ROWS, BlocksObjective
from proset.engine.objective.compiled_backend import CompiledObjective
from proset.engine.objective.penalty import ElasticNet
from proset.engine.objective.problem import make_problem
from proset.engine.scaling import solver_units
from proset.engine.set_manager import Batch, SetManager
from proset.engine.solver import minimize_nonnegative
from proset.engine.working_set import WorkingSet

PENALTIES = {"penalty_v": ElasticNet(1e-2, 0.7), "penalty_w": ElasticNet(1e-3, 0.4), "first": False}


@pytest.fixture(params=[BlocksObjective, CompiledObjective], ids=["blocks", "compiled"])
def fast(request):
    """Each fast form of the objective."""
    return request.param


def random_problem(seed, *, n=60, d=4, k=3, weighted=True, offset=0.0):
    """A batch problem as the second batch of a fit would see it."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) + offset
    target = np.arange(n) % k
    weight = rng.uniform(0.2, 3.0, n) if weighted else np.ones(n)
    prior = rng.uniform(0.1, 2.0, (n, k))
    chosen = rng.permutation(n)
    return make_problem(
        X, target, weight, prior, candidates=np.sort(chosen[: n // 3]), reference=np.sort(chosen[n // 3 :]), **PENALTIES
    )


def random_point(problem, seed, *, zeros=False):
    rng = np.random.default_rng(seed)
    v = rng.uniform(0.1, 2.0, problem.n_features)
    w = rng.uniform(0.0, 3.0, problem.n_candidates)
    if zeros:
        v[1:] *= rng.random(problem.n_features - 1) < 0.5
        w *= rng.random(problem.n_candidates) < 0.5
    return np.concatenate([v, w])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("zeros", [False, True])
def test_fast_form_equals_plain_loops(fast, seed, zeros):
    problem = random_problem(seed)
    point = random_point(problem, seed, zeros=zeros)
    value, gradient = fast(problem)(point)
    v, w = problem.split(point)
    assert value == pytest.approx(oracle.value(problem, v, w), rel=1e-6)
    np.testing.assert_allclose(gradient, np.concatenate(oracle.gradient(problem, v, w)), rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("seed", range(3))
def test_plain_gradient_meets_finite_differences(seed):
    problem = random_problem(seed, n=24, d=3, k=2)
    point = random_point(problem, seed)

    def value(x):
        return oracle.value(problem, *problem.split(x))

    expected = approx_fprime(point, value, 1e-6)
    actual = np.concatenate(oracle.gradient(problem, *problem.split(point)))
    np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_fast_gradient_meets_finite_differences(fast, seed):
    """Central differences wide enough for a value in single precision."""
    problem = random_problem(seed, n=90, d=3, k=3)
    point = random_point(problem, seed) + 0.2
    objective = fast(problem)
    _, gradient = objective(point)
    step = 2e-2
    for i in range(point.shape[0]):
        shift = np.zeros_like(point)
        shift[i] = step
        slope = (objective(point + shift)[0] - objective(point - shift)[0]) / (2 * step)
        assert gradient[i] == pytest.approx(slope, rel=2e-3, abs=2e-5)


def test_penalty_gradient_meets_finite_differences():
    net = ElasticNet(0.3, 0.8)
    x = np.array([0.5, 1.5, 2.0])
    np.testing.assert_allclose(net.gradient(x), approx_fprime(x, net.value, 1e-7), rtol=1e-5)


def test_more_rows_than_one_block_and_a_class_without_candidates(fast):
    n = 3 * BLOCK_ROWS + 5
    rng = np.random.default_rng(0)
    X, target = rng.standard_normal((n, 2)), np.sort(rng.integers(0, 3, n))
    candidates = np.flatnonzero(target < 2)[::9]
    rest = np.setdiff1d(np.arange(n), candidates)
    prior = np.full((n, 3), 1 / 3)
    problem = make_problem(X, target, np.ones(n), prior, candidates=candidates, reference=rest, **PENALTIES)
    point = random_point(problem, 1)
    value, gradient = fast(problem)(point)
    v, w = problem.split(point)
    assert value == pytest.approx(oracle.value(problem, v, w), rel=1e-6)
    np.testing.assert_allclose(gradient, np.concatenate(oracle.gradient(problem, v, w)), rtol=5e-5, atol=2e-6)


def test_distance_from_the_origin_does_not_cost_precision(fast):
    near, far = random_problem(3), random_problem(3, offset=1000.0)
    point = random_point(near, 3)
    assert fast(near)(point)[0] == pytest.approx(fast(far)(point)[0], rel=1e-5)


def test_feature_weight_zero_is_absorbing(fast):
    problem = random_problem(5)
    point = random_point(problem, 5)
    point[1] = 0.0
    _, gradient = fast(problem)(point)
    assert gradient[1] == pytest.approx(problem.penalty_v.strength * (1 - problem.penalty_v.alpha))


def test_far_apart_rows_leave_priors_alone_and_make_no_subnormal_numbers(fast):
    X = np.array([[0.0], [1e4], [2e4], [3e4]])
    prior = np.array([[0.25, 0.75]] * 4)
    problem = make_problem(
        X, np.array([0, 1, 0, 1]), np.ones(4), prior, candidates=np.array([0, 1]), reference=np.array([2, 3]),
        penalty_v=ElasticNet(0.0, 0.5), penalty_w=ElasticNet(0.0, 0.5), first=False,
    )  # fmt: skip
    value, gradient = fast(problem)(problem.start())
    assert value == pytest.approx(-0.5 * np.log(0.25) - 0.5 * np.log(0.75))
    assert gradient.tolist() == [0.0, 0.0, 0.0]


def test_classes_weigh_as_much_as_in_all_samples():
    """The factor N_k / (N_k - J_k) of (2.8), with sample weights as multiplicities (remark 2.2)."""
    weight = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    target = np.array([0, 0, 0, 1, 1, 1])
    problem = make_problem(
        np.arange(6.0)[:, None], target, weight, np.full((6, 2), 0.5),
        candidates=np.array([0, 5]), reference=np.array([1, 2, 3, 4]), **PENALTIES,
    )  # fmt: skip
    expected = np.array([2 * 6 / 5, 3 * 6 / 5, 4 * 15 / 9, 5 * 15 / 9]) / 21
    np.testing.assert_allclose(problem.importance, expected)
    assert problem.importance.sum() == pytest.approx(1.0)


def test_an_integer_weight_equals_repeated_reference_rows(fast):
    rng = np.random.default_rng(7)
    X, target = rng.standard_normal((12, 2)), np.arange(12) % 2
    weight = np.ones(12)
    weight[[6, 9]] = [2.0, 3.0]
    repeated = np.repeat(np.arange(12), weight.astype(int))
    prior = rng.uniform(0.2, 1.0, (12, 2))
    weighted = make_problem(X, target, weight, prior, candidates=np.arange(4), reference=np.arange(4, 12), **PENALTIES)
    plain = make_problem(
        X[repeated], target[repeated], np.ones(15), prior[repeated],
        candidates=np.arange(4), reference=np.arange(4, 15), **PENALTIES,
    )  # fmt: skip
    point = random_point(weighted, 7)
    value, gradient = fast(weighted)(point)
    repeated_value, repeated_gradient = fast(plain)(point)
    assert value == pytest.approx(repeated_value, rel=1e-6)
    np.testing.assert_allclose(gradient, repeated_gradient, rtol=1e-5, atol=1e-7)


def test_starting_point_is_the_reports():
    problem = random_problem(0, d=5)
    v, w = problem.split(problem.start())
    assert v.tolist() == [2.0] * 5
    assert set(w) == {1.0}


def many_candidates(seed=0):
    """A problem whose solution needs few of its candidates."""
    rng = np.random.default_rng(seed)
    X, target = rng.standard_normal((300, 3)), rng.integers(0, 2, 300)
    X[:, 0] += 2.0 * target
    return make_problem(
        X, target, np.ones(300), np.full((300, 2), 0.5), candidates=np.arange(100), reference=np.arange(100, 300),
        penalty_v=ElasticNet(1e-2, 0.95), penalty_w=ElasticNet(1e-4, 0.95), first=True,
    )  # fmt: skip


def test_candidates_set_aside_change_neither_value_nor_what_is_free():
    problem = many_candidates()
    objective, plain = WorkingSet(problem, make_objective), BlocksObjective(problem)
    point = minimize_nonnegative(plain, problem.start()).x
    for _ in range(working_set.FIRST_LOOK):
        objective(point)
    assert objective._aside.sum() > 20
    value, gradient = objective(point)
    expected, full = plain(point)
    aside = np.concatenate([np.zeros(problem.n_features, dtype=bool), objective._aside])
    assert value == pytest.approx(expected, rel=1e-6)
    assert not (point[aside] > 0.0).any()
    np.testing.assert_allclose(gradient[~aside], full[~aside], rtol=1e-4, atol=1e-6)
    assert (gradient[aside] >= 0.0).all()
    assert (full[aside] >= 0.0).all()
    assert objective.settle(point)


def test_a_candidate_set_aside_comes_back_when_it_would_help():
    problem = many_candidates()
    objective, plain = WorkingSet(problem, make_objective), BlocksObjective(problem)
    best = minimize_nonnegative(plain, problem.start()).x
    for _ in range(working_set.FIRST_LOOK):
        objective(best)
    worse = best.copy()
    worse[np.flatnonzero(worse[: problem.n_features])] *= 4.0
    worse[problem.n_features :] *= 0.05
    wanted = (worse == 0.0) & (plain(worse)[1] < 0.0)
    assert wanted.any()
    assert not objective.settle(worse)
    np.testing.assert_allclose(objective(worse)[1][wanted], plain(worse)[1][wanted], rtol=1e-4, atol=1e-6)


def test_setting_candidates_aside_ends_at_the_same_minimum():
    problem = many_candidates(1)
    objective = WorkingSet(problem, make_objective)
    ours = minimize_nonnegative(objective, problem.start(), settle=objective.settle)
    plain = minimize_nonnegative(BlocksObjective(problem), problem.start())
    assert ours.report.objective == pytest.approx(plain.report.objective, rel=1e-3)


def test_the_number_of_threads_does_not_change_a_bit(monkeypatch):
    monkeypatch.setattr(compiled_backend, "WORK_PER_PART", 5_000)
    problem = many_candidates()
    point = random_point(problem, 2)
    results = []
    for count in (1, 2, 3):
        threads._pool.cache_clear()
        monkeypatch.setattr(threads, "n_threads", lambda count=count: count)
        results.append(CompiledObjective(problem)(point))
    threads._pool.cache_clear()
    for value, gradient in results[1:]:
        assert value == results[0][0]
        assert gradient.tolist() == results[0][1].tolist()


def test_a_batch_is_the_first_if_no_earlier_one_holds_a_prototype():
    """Told by the model, not guessed from what it says about the rows at hand: far away, nothing is heard of it."""
    rng = np.random.default_rng(0)
    X, target = rng.standard_normal((30, 2)), np.arange(30) % 2
    data = TrainingData(X, target, np.ones(30), np.arange(30))
    options = BatchSettings(1e-3, 1e-8, 0.95, 0.95, 10, 0.5, None, 1e7)
    one = np.ones(1, np.float32)
    far_away = Batch(np.array([0]), one, np.full((1, 1), 1e6), np.array([1]), one, np.array([0]))
    empty = SetManager([0.5, 0.5], 2)
    for manager, first in ((empty, True), (empty.add_batch(None), True), (empty.add_batch(far_away), False)):
        problem = draw_batch(manager, data, options, np.random.default_rng(1)).problem
        assert problem.first is first
        assert solver_units(problem).tolist() == [1.0, 1.0] + [5.0] * 10
        assert solver_units(problem.with_candidates(np.arange(4)))[2:].tolist() == [2.0 if first else 5.0] * 4


def test_the_compiled_form_is_a_pure_function_of_the_point(fast):
    problem = many_candidates()
    points = [random_point(problem, seed, zeros=True) for seed in range(3)]
    objective = fast(problem)
    first = [objective(point) for point in points]
    for (value, gradient), point in zip(first[::-1], points[::-1], strict=True):
        again = objective(point)
        fresh = fast(problem)(point)
        assert value == again[0] == fresh[0]
        assert gradient.tolist() == again[1].tolist() == fresh[1].tolist()


def test_fewer_candidates_are_the_same_problem_where_the_others_weigh_nothing(fast):
    problem = many_candidates()
    point = random_point(problem, 3)
    kept = np.flatnonzero(point[problem.n_features :] > 1.0)
    taken = np.concatenate([np.arange(problem.n_features), problem.n_features + kept])
    point[np.setdiff1d(np.arange(point.shape[0]), taken)] = 0.0
    value, gradient = fast(problem)(point)
    part, slope = fast(problem.with_candidates(kept))(point[taken])
    assert part == pytest.approx(value, rel=1e-6)
    np.testing.assert_allclose(slope, gradient[taken], rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("n_candidates", [5, 9_000])
def test_what_candidates_alone_add_to_the_moment_is_its_formula(n_candidates):
    rng = np.random.default_rng(0)
    scaled, columns, moment = rng.normal(size=(4, n_candidates)), rng.normal(size=n_candidates), rng.normal(size=4)
    w, before = rng.uniform(size=n_candidates).astype(np.float32), moment.copy()
    compiled_backend.compiled.add_squares(scaled, 3, columns, w, moment)
    np.testing.assert_array_equal(moment[:3], before[:3])
    np.testing.assert_allclose(moment[3] - before[3], (scaled[3] ** 2 * columns * w).sum(), rtol=1e-9)
