"""Fits that are steered: samples that may or have to be candidates, factors on the feature penalty; (2.8) extended."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from engine import oracle
from scipy.optimize import approx_fprime
from sklearn.datasets import load_iris
from sklearn.preprocessing import scale

from proset.engine.candidates import bin_allocation, split_candidates, with_required
from proset.engine.fitting import BatchSettings, TrainingData, draw_batch, keep_prototypes, solve_batch
from proset.engine.growth import Streams, grow, marginal_model
from proset.engine.model import ClassifierModel
from proset.engine.objective import make_objective
from proset.engine.objective.penalty import ElasticNet
from proset.engine.objective.problem import BatchProblem, make_problem
from proset.engine.set_manager import SetManager
from proset.engine.steering import NOT_STEERED, Steering

SETTINGS = BatchSettings(1e-3, 1e-8, 0.95, 0.95, 40, 0.5, None, 1e7)
FACTORS = np.array([0.0, 1.0, 2.5, 0.3])
X, Y = load_iris(return_X_y=True)
X = scale(X)


def arrays_of(manager: SetManager) -> list[bytes]:
    """Every array of a model, to be compared bit for bit."""
    found = [manager.marginals.tobytes()]
    for batch in manager.batches:
        parts = () if batch is None else vars(batch).values()
        found += [np.asarray(part).tobytes() for part in parts if isinstance(part, np.ndarray)]
    return found


def problem_with(factors: np.ndarray | None, *, n: int = 60, seed: int = 0) -> BatchProblem:
    rng = np.random.default_rng(seed)
    chosen = rng.permutation(n)
    return make_problem(
        rng.standard_normal((n, 4)),
        np.arange(n) % 3,
        rng.uniform(0.2, 3.0, n),
        rng.uniform(0.1, 2.0, (n, 3)),
        candidates=np.sort(chosen[: n // 3]),
        reference=np.sort(chosen[n // 3 :]),
        penalty_v=ElasticNet(0.3, 0.7, factors),
        penalty_w=ElasticNet(1e-3, 0.4),
        first=False,
    )


def point_of(problem: BatchProblem, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.uniform(0.3, 2.0, problem.n_features), rng.uniform(0.2, 3.0, problem.n_candidates)])


# the extended objective


def test_the_penalty_with_factors_is_its_formula() -> None:
    x = np.array([0.5, 1.5, 0.0, 2.0])
    net = ElasticNet(0.3, 0.8, FACTORS)
    expected = 0.3 * sum(f * (0.8 / 2 * x_d**2 + 0.2 * x_d) for f, x_d in zip(FACTORS, x, strict=True))
    assert net.value(x) == pytest.approx(expected)
    inside = x + 0.1
    np.testing.assert_allclose(net.gradient(inside), approx_fprime(inside, net.value, 1e-7), rtol=1e-5, atol=1e-8)


def test_factors_of_one_change_no_bit_of_the_penalty() -> None:
    x = np.random.default_rng(0).uniform(0.0, 3.0, 37)
    plain, same = ElasticNet(0.3, 0.8), ElasticNet(0.3, 0.8, np.ones(37))
    assert plain.value(x) == same.value(x)
    assert plain.gradient(x).tobytes() == same.gradient(x).tobytes()


def fast_form(problem: BatchProblem, backend: str):
    """The objective as a backend computes it."""
    if backend == "compiled":
        pytest.importorskip("numba")
    return make_objective(problem, backend)


@pytest.mark.parametrize("backend", ["numpy", "compiled"])
@pytest.mark.parametrize("seed", range(3))
def test_fast_forms_meet_the_plain_one(backend: str, seed: int) -> None:
    problem = problem_with(FACTORS, seed=seed)
    point = point_of(problem, seed)
    value, gradient = fast_form(problem, backend)(point)
    v, w = problem.split(point)
    assert value == pytest.approx(oracle.value(problem, v, w), rel=1e-6)
    np.testing.assert_allclose(gradient, np.concatenate(oracle.gradient(problem, v, w)), rtol=2e-5, atol=2e-6)
    assert value != pytest.approx(oracle.value(problem_with(None, seed=seed), v, w), rel=1e-3)


@pytest.mark.exhaustive
def test_tensorflow_meets_the_plain_one() -> None:
    pytest.importorskip("tensorflow")
    problem = problem_with(FACTORS)
    point = point_of(problem, 1)
    value, gradient = make_objective(problem, "tensorflow")(point)
    v, w = problem.split(point)
    assert value == pytest.approx(oracle.value(problem, v, w), rel=1e-6)
    np.testing.assert_allclose(gradient, np.concatenate(oracle.gradient(problem, v, w)), rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("seed", range(3))
def test_the_plain_gradient_meets_finite_differences(seed: int) -> None:
    problem = problem_with(FACTORS, n=24, seed=seed)
    point = point_of(problem, seed)
    expected = approx_fprime(point, lambda x: oracle.value(problem, *problem.split(x)), 1e-6)
    actual = np.concatenate(oracle.gradient(problem, *problem.split(point)))
    np.testing.assert_allclose(actual, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("backend", ["numpy", "compiled"])
def test_the_fast_gradient_meets_finite_differences(backend: str) -> None:
    problem = problem_with(FACTORS, n=90)
    point, objective, step = point_of(problem, 0), fast_form(problem, backend), 2e-2
    _, gradient = objective(point)
    for i in range(point.shape[0]):
        shift = np.zeros_like(point)
        shift[i] = step
        slope = (objective(point + shift)[0] - objective(point - shift)[0]) / (2 * step)
        assert gradient[i] == pytest.approx(slope, rel=2e-3, abs=2e-5)


# defaults


def test_what_asks_for_nothing_changes_no_bit() -> None:
    plain = ClassifierModel(n_iter=2, lambda_v=1e-2, random_state=0).fit(X, Y)
    asked = ClassifierModel(n_iter=2, lambda_v=1e-2, random_state=0).fit(
        X, Y, candidate_mask=np.ones(150, dtype=bool), required_candidates=[], feature_penalty=np.ones(4)
    )
    assert arrays_of(plain.set_manager_) == arrays_of(asked.set_manager_)


def test_an_open_mask_allocates_as_algorithm_2_1_does() -> None:
    rng = np.random.default_rng(0)
    for _ in range(200):
        counts = rng.integers(0, 60, 8)
        fraction, wanted = float(rng.uniform(0.05, 0.95)), int(rng.integers(1, 300))
        plain = bin_allocation(counts, wanted, fraction)
        assert bin_allocation(counts, wanted, fraction, allowed=counts).tolist() == plain.tolist()


# candidates


def test_never_more_candidates_than_allowed_and_others_take_their_place() -> None:
    rng = np.random.default_rng(1)
    for _ in range(200):
        counts = rng.integers(0, 60, 6)
        allowed = rng.integers(0, counts + 1)
        fraction, wanted = float(rng.uniform(0.05, 0.95)), int(rng.integers(1, 150))
        drawn = bin_allocation(counts, wanted, fraction, allowed=allowed)
        most = np.minimum(fraction * counts, allowed)
        assert (drawn <= allowed).all()
        if most.sum() <= wanted:
            assert drawn.tolist() == np.floor(most + 0.5).tolist()
        else:
            assert abs(int(drawn.sum()) - wanted) <= 3  # six bins, each rounded by half a sample at most


def test_a_forbidden_sample_is_never_a_prototype_but_scores() -> None:
    plain = ClassifierModel(n_iter=3, lambda_v=1e-3, random_state=0).fit(X, Y)
    used = {int(i) for batch in plain.set_manager_.batches if batch for i in batch.sample_index}
    mask = np.ones(150, dtype=bool)
    mask[sorted(used)] = False
    model = ClassifierModel(n_iter=3, lambda_v=1e-3, random_state=0).fit(X, Y, candidate_mask=mask)
    again = {int(i) for batch in model.set_manager_.batches if batch for i in batch.sample_index}
    assert used
    assert again
    assert not used & again
    data = TrainingData(X, Y.astype(np.int64), np.ones(150), np.arange(150), Steering(allowed=mask))
    draw = draw_batch(marginal_model(data), data, SETTINGS, np.random.default_rng(0))
    assert mask[draw.rows[draw.problem.candidate_index]].all()
    assert draw.problem.reference.shape[0] + draw.problem.n_candidates == 150


@pytest.mark.parametrize("most", [None, 30])
def test_a_required_sample_is_among_the_candidates_of_the_first_batch(most: int | None) -> None:
    wanted = np.array([3, 4, 60, 140])
    required = np.zeros(150, dtype=bool)
    required[wanted] = True
    settings = replace(SETTINGS, num_candidates=8, max_samples=most)
    data = TrainingData(X, Y.astype(np.int64), np.ones(150), np.arange(150), Steering(required=required))
    start = marginal_model(data)
    for seed in range(20):
        draw = draw_batch(start, data, settings, np.random.default_rng(seed))
        assert set(wanted) <= set(draw.rows[draw.problem.candidate_index].tolist())
        assert draw.rows.shape[0] == (most or 150)
        assert draw.problem.n_candidates <= 10  # as many as without, but for rounding
    grown = list(grow(start, data, settings, Streams(0), n_batches=2))
    later = [
        set(draw_batch(grown[0].manager, data, settings, np.random.default_rng(seed)).problem.candidate_index.tolist())
        for seed in range(5)
    ]
    assert any(not set(wanted) <= one for one in later)


def test_many_required_samples_leave_one_to_score_the_others() -> None:
    target = np.array([0] * 5 + [1] * 5)
    correct = np.array([True] * 4 + [False] + [True, False] * 2 + [True])
    required = np.array([True] * 5 + [True, True, True, True, False])
    for seed in range(10):
        split = split_candidates(
            target,
            correct,
            num_candidates=100,
            max_fraction=0.9,
            keys=np.random.default_rng(seed).random(10),
            steering=Steering(required=required),
        )
        assert split.reference.tolist() == [4, 9]


def test_samples_swapped_in_keep_the_size_of_the_class() -> None:
    target = np.repeat([0, 1], [20, 6])
    required = np.zeros(26, dtype=bool)
    required[[15, 16, 22]] = True
    rows, keys = np.array([0, 1, 2, 3, 20, 21]), np.random.default_rng(0).random(26)
    found = with_required(rows, target, required, keys)
    assert set(np.flatnonzero(required)) <= set(found)
    assert np.bincount(target[found]).tolist() == [4, 2]
    same = with_required(np.arange(26), target, required, keys)
    assert same.tolist() == list(range(26))


def test_a_class_without_possible_candidates_still_has_estimates() -> None:
    model = ClassifierModel(lambda_v=1e-2, random_state=0).fit(X, Y, candidate_mask=Y != 2)
    assert all(not (batch.target == 2).any() for batch in model.set_manager_.batches if batch)
    assert np.isfinite(model.predict_proba(X)).all()


# features


@pytest.mark.slow
def test_a_forbidden_feature_is_as_if_it_were_not_there() -> None:
    penalty = [1.0, np.inf, 1.0, np.inf]
    for backend in ("compiled", "numpy"):
        own = ClassifierModel(n_iter=3, lambda_v=1e-3, random_state=0, backend=backend)
        model = own.fit(X, Y, feature_penalty=penalty)
        other = ClassifierModel(n_iter=3, lambda_v=1e-3, random_state=0, backend=backend).fit(X[:, [0, 2]], Y)
        assert model.n_features_in_ == 4
        assert set(model.set_manager_.get_active_features().tolist()) <= {0, 2}
        np.testing.assert_array_equal(model.predict_proba(X), other.predict_proba(X[:, [0, 2]]))


def test_a_feature_without_penalty_is_used_where_it_says_something() -> None:
    rng = np.random.default_rng(0)
    strong = rng.standard_normal(300)
    weak = strong + rng.standard_normal(300)
    features = scale(np.column_stack([strong, weak]))
    target = (strong + 0.5 * weak + 0.3 * rng.standard_normal(300) > 0).astype(int)
    heavy = ClassifierModel(lambda_v=0.08, alpha_v=0.05, random_state=4).fit(features, target)
    lifted = ClassifierModel(lambda_v=0.08, alpha_v=0.05, random_state=4).fit(
        features, target, feature_penalty=[1.0, 0.0]
    )
    assert 1 not in heavy.set_manager_.get_active_features()
    assert 1 in lifted.set_manager_.get_active_features()


def test_a_larger_factor_is_a_larger_penalty_on_that_feature() -> None:
    weights = []
    for factor in (0.0, 1.0, 30.0):
        data = TrainingData(
            X, Y.astype(np.int64), np.ones(150), np.arange(150), Steering(penalty=np.array([1.0, 1.0, factor, 1.0]))
        )
        draw = draw_batch(marginal_model(data), data, SETTINGS, np.random.default_rng(0))
        result = solve_batch(draw.problem, SETTINGS)
        weights.append(float(result.x[2]))
        assert keep_prototypes(draw, result, data)[0] is not None
    assert weights[0] > weights[1] > weights[2]


def test_penalties_change_and_factors_stay_in_a_draw() -> None:
    data = TrainingData(
        X, Y.astype(np.int64), np.ones(150), np.arange(150), Steering(penalty=np.array([np.inf, 0.0, 1.0, 2.0]))
    )
    draw = draw_batch(marginal_model(data), data, SETTINGS, np.random.default_rng(0))
    other = draw.with_penalties(replace(SETTINGS, lambda_v=0.5))
    assert other.problem.penalty_v.strength == 0.5
    assert other.problem.penalty_v.factors.tolist() == [0.0, 1.0, 2.0]
    assert other.columns.tolist() == [1, 2, 3]


# what is refused


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"candidate_mask": np.ones(149, dtype=bool)}, "candidate_mask .* 150"),
        ({"candidate_mask": np.ones(150)}, "True or False"),
        ({"candidate_mask": np.zeros(150, dtype=bool)}, "False everywhere"),
        ({"required_candidates": [150]}, "sample 150"),
        ({"required_candidates": [-1]}, "sample -1"),
        ({"required_candidates": [0.5]}, "positions"),
        ({"required_candidates": [True, False]}, "positions"),
        ({"required_candidates": [[1]]}, "positions"),
        ({"sample_places": [0, 1]}, "each of the 150 samples"),
        ({"sample_places": np.arange(150.0)}, "whole number"),
        ({"sample_places": np.arange(150) - 1}, "between 0 and 99,999,999"),
        ({"sample_places": np.arange(150) + 100_000_000}, "between 0 and 99,999,999"),
        ({"sample_places": np.arange(150) // 2}, "twice"),
        ({"candidate_mask": np.arange(150) > 3, "required_candidates": [2]}, "sample 2, which candidate_mask forbids"),
        ({"feature_penalty": [1.0, 1.0]}, "4 features"),
        ({"feature_penalty": [1.0, -0.1, 1.0, 1.0]}, "-0.1 for feature 1"),
        ({"feature_penalty": [1.0, np.nan, 1.0, 1.0]}, "nan for feature 1"),
        ({"feature_penalty": [np.inf] * 4}, "infinite for every feature"),
        ({"feature_penalty": ["a", "b", "c", "d"]}, "a number for each"),
    ],
)
def test_impossible_arguments_are_refused_and_leave_the_model_alone(asked: dict, said: str) -> None:
    model = ClassifierModel(random_state=0)
    with pytest.raises(ValueError, match=said):
        model.fit(X, Y, **asked)
    assert not hasattr(model, "set_manager_")


def test_samples_of_weight_zero_take_what_is_asked_of_them_along() -> None:
    weight = np.ones(150)
    weight[:10] = 0.0
    mask = np.arange(150) % 2 == 0
    penalty = [1.0, 2.0, 1.0, 1.0]
    model = ClassifierModel(lambda_v=1e-3, random_state=0).fit(
        X, Y, weight, candidate_mask=mask, required_candidates=[12, 0], feature_penalty=penalty
    )
    short = ClassifierModel(lambda_v=1e-3, random_state=0).fit(
        X[10:], Y[10:], candidate_mask=mask[10:], required_candidates=[2], feature_penalty=penalty
    )
    np.testing.assert_array_equal(model.predict_proba(X), short.predict_proba(X))
    assert all(mask[batch.sample_index].all() for batch in model.set_manager_.batches if batch)


def test_a_sample_left_out_leaves_the_draw_of_all_others_as_it_was() -> None:
    kept = np.setdiff1d(np.arange(150), [3, 70, 71])
    settings, data = SETTINGS, TrainingData(X, Y.astype(np.int64), np.ones(150), np.arange(150))

    def drawn(data: TrainingData) -> set[int]:
        draw = draw_batch(marginal_model(data), data, settings, np.random.default_rng(0))
        return set(data.index[draw.problem.candidate_index].tolist())

    whole = drawn(data)
    without = replace(data, X=X[kept], target=data.target[kept], weight=data.weight[kept], index=kept)
    steered = replace(without, steering=Steering(places=kept))
    assert len(whole ^ drawn(steered)) <= 2 * 3
    assert len(whole ^ drawn(without)) > 2 * 3  # without places it is another draw


def test_places_as_they_are_change_no_bit() -> None:
    plain = ClassifierModel(lambda_v=1e-3, random_state=0).fit(X, Y).predict_proba(X)
    placed = ClassifierModel(lambda_v=1e-3, random_state=0).fit(X, Y, sample_places=np.arange(150)).predict_proba(X)
    np.testing.assert_array_equal(plain, placed)


def test_what_is_asked_comes_back_as_arguments() -> None:
    asked = Steering.of([True, False], [0], [1.0, np.inf], [3, 1], n_samples=2, n_features=2)
    same = Steering.of(**asked.arguments(), n_samples=2, n_features=2)
    for name in ("allowed", "required", "penalty", "places"):
        np.testing.assert_array_equal(getattr(asked, name), getattr(same, name))
    assert NOT_STEERED.arguments() == {}
