"""Data of any scale: fits see what double precision sees, and what is scored is what was fitted."""

import json
import pickle

import numpy as np
import pytest
from any_scale import TABLES, TOLERANCE, N, allowed, make_table, points, problem_on
from engine import oracle
from sklearn.exceptions import ConvergenceWarning
from variants import main_cases

from proset import ClassifierModel
from proset.engine import fitting, saved_form
from proset.engine.fitting import BatchSettings, TrainingData, draw_batch, keep_prototypes, solve_batch
from proset.engine.kernels.units import bounded, nearest_to_zero
from proset.engine.no_features import NoActiveFeatureWarning
from proset.engine.objective.blocks_backend import BlocksObjective
from proset.engine.objective.compiled_backend import CompiledObjective
from proset.engine.set_manager import SetManager
from proset.engine.solver import StopReason

SETTINGS = BatchSettings(1e-3, 1e-8, 0.95, 0.95, 40, 0.5, None, 1e7)


@pytest.mark.parametrize("form", [BlocksObjective, CompiledObjective], ids=["blocks", "compiled"])
@pytest.mark.parametrize("name", main_cases(TABLES, every=3))
def test_value_and_gradient_are_those_of_double_precision(name, form):
    for seed in range(2):
        problem = problem_on(name, seed)
        objective = form(problem)
        for point in points(problem):
            v, w = problem.split(point)
            value, gradient = objective(point)
            with np.errstate(over="ignore"):
                exact = np.concatenate(oracle.gradient(problem, v, w))
                assert value == pytest.approx(oracle.value(problem, v, w), rel=TOLERANCE)
            assert (np.abs(gradient - exact) <= allowed(problem, point, exact)).all()


@pytest.mark.parametrize("form", [BlocksObjective, CompiledObjective], ids=["blocks", "compiled"])
@pytest.mark.parametrize("name", ["scaled", "prices", "cauchy", "offset 1e8"])
def test_gradient_meets_finite_differences(name, form):
    problem = problem_on(name)
    *_, point = points(problem)
    point = point * 1.01 + 0.01 * (point > 0.0)
    point[: problem.n_features] = point[: problem.n_features] / 1.01
    objective = form(problem)
    _, gradient = objective(point)
    for i in np.flatnonzero(point)[:12]:
        step = 1e-2 * point[i]
        shift = np.where(np.arange(point.shape[0]) == i, step, 0.0)
        slope = (objective(point + shift)[0] - objective(point - shift)[0]) / (2 * step)
        assert gradient[i] * point[i] == pytest.approx(slope * point[i], rel=5e-3, abs=2e-5)


def first_batch(X, target, settings=SETTINGS):
    """Draw and solve the first batch; also the model of it."""
    data = TrainingData(X, target, np.ones(X.shape[0]), np.arange(X.shape[0]))
    manager = SetManager(np.bincount(target) / X.shape[0], X.shape[1])
    draw = draw_batch(manager, data, settings, np.random.default_rng(0))
    result = solve_batch(draw.problem, settings)
    return draw, result, manager.add_batch(keep_prototypes(draw, result, data)[0])


@pytest.mark.parametrize("name", main_cases(TABLES, every=3))
def test_what_is_scored_is_what_was_fitted(name):
    """The objective that the solver reports is that of the stored model's own probabilities."""
    X, target = make_table(name, 3)
    draw, result, manager = first_batch(X, target)
    problem, (v, w) = draw.problem, draw.problem.split(result.x)
    rows = np.setdiff1d(np.arange(N), problem.candidate_index)
    rows = rows[np.argsort(target[rows], kind="stable")]
    probability = manager.probabilities(X[rows])[np.arange(rows.shape[0]), target[rows]]
    scored = problem.penalty_v.value(v) + problem.penalty_w.value(w) - float(problem.importance @ np.log(probability))
    assert np.isfinite(result.report.objective)
    assert result.report.reason is not StopReason.NOT_FINITE
    assert result.report.objective == pytest.approx(scored, rel=TOLERANCE)
    assert (result.x >= 0.0).all()


@pytest.mark.parametrize("name", main_cases(TABLES, every=3))
def test_random_labels_never_end_above_the_model_without_prototypes(name):
    X, target = make_table(name, 4)
    draw, result, _ = first_batch(X, target)
    nothing = oracle.value(draw.problem, *draw.problem.split(np.zeros_like(result.x)))
    assert result.report.objective <= nothing * (1.0 + 1e-6)


@pytest.mark.parametrize("seed", range(8))
def test_prices_in_thousands_are_fitted_and_not_nan(seed):
    X = np.random.default_rng(seed).integers(200, 2000, (400, 1)) * 100.0
    model = ClassifierModel(random_state=0).fit(X, X[:, 0] > 9e4)
    report = model.batch_results_[0].solver
    assert np.isfinite(report.objective)
    assert report.converged
    assert np.isfinite(model.predict_proba(X)).all()


@pytest.mark.parametrize("seed", [0, 4, 15, 45])
def test_noise_beside_prices_is_fitted_as_far_as_rounding_goes(seed):
    """A gradient per unit of money is large where the weight is a thousandth; what is left to gain is not."""
    X, target = make_table("prices", seed)
    (result,) = ClassifierModel(random_state=0, n_iter=1).fit(X.astype(np.float32), target).batch_results_
    assert result.solver.converged


@pytest.mark.parametrize("offset", [0.0, 1.0, 1e4, 1e8, -1e8])
def test_an_offset_changes_no_score(offset):
    rng = np.random.default_rng(0)
    Z, y = rng.standard_normal((200, 2)), np.arange(200) % 2
    Z[:, 0] += 2.5 * y
    Z = (Z + offset) - offset  # what is left of it, so that both fits see the same data
    # Of a seed whose fits end in one minimum: last bits, which an offset takes, decide between two that are near.
    plain, moved = (ClassifierModel(random_state=1).fit(X, y) for X in (Z, Z + offset))
    assert moved.score(Z + offset, y) == pytest.approx(plain.score(Z, y), abs=2e-3)
    assert plain.score(Z, y) > -0.4


@pytest.mark.parametrize("name", ["scaled", "prices", "counts", "repeated rows of any scale"])
def test_single_and_double_precision_input_are_one_model(name):
    X, target = make_table(name, 6)
    short = X.astype(np.float32)
    one, other = (ClassifierModel(random_state=0).fit(part, target) for part in (short, short.astype(np.float64)))
    np.testing.assert_array_equal(one.predict_proba(short), other.predict_proba(short.astype(np.float64)))
    np.testing.assert_array_equal(one.predict_proba(short), one.predict_proba(short.astype(np.float64)))


def test_a_model_is_as_large_after_a_prediction():
    X, target = make_table("scaled", 7)
    model = ClassifierModel(random_state=0).fit(X, target)
    before = pickle.dumps(model)
    probabilities = model.predict_proba(X)
    after = pickle.dumps(model)
    assert len(after) == len(before)
    np.testing.assert_array_equal(pickle.loads(after).predict_proba(X), probabilities)


def test_near_duplicates_stay_apart_where_the_kernel_tells_them_apart():
    X = np.array([0.0, 1e-9, 1.0, 2e-9, 2.0, 3.0])[:, None] + 0.0
    target = np.array([0, 0, 0, 1, 1, 1])
    data = TrainingData(X, target, np.ones(6), np.arange(6))
    draw = draw_batch(SetManager([0.5, 0.5], 1), data, SETTINGS, np.random.default_rng(0))
    for v, merged in ((1.0, True), (1e12, False)):
        result = solve_batch(draw.problem, SETTINGS)
        result.x[:] = np.concatenate([[v], np.ones(draw.problem.n_candidates)])
        batch, n_merged = keep_prototypes(draw, result, data)
        assert len(batch) + n_merged == draw.problem.n_candidates
        assert merged or n_merged == 0


@pytest.mark.parametrize(("offset", "kept"), [(0.0, np.float32), (1e8 + 0.3, np.float64)])
def test_a_saved_model_scores_as_it_did(offset, kept):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 2)).astype(np.float32).astype(float) + offset
    model = ClassifierModel(random_state=0).fit(X, np.where(X[:, 0] > offset, "yes", "no"))
    meta, arrays = saved_form.write(model)
    assert arrays["batch_1_prototypes"].dtype == kept
    np.testing.assert_array_equal(saved_form.read(meta, arrays).predict_proba(X), model.predict_proba(X))


def test_weights_whose_sum_no_number_holds_are_refused():
    X, y = np.arange(40.0)[:, None], np.arange(40) % 2
    with pytest.raises(ValueError, match="sample weights add up to more than a number can hold"):
        ClassifierModel(random_state=0).fit(X, y, sample_weight=np.full(40, 1e308))


def test_a_start_that_is_not_finite_is_said_and_leaves_the_marginals(monkeypatch):
    def broken(_problem, **_options):
        return lambda point: (np.nan, np.zeros_like(point))

    monkeypatch.setattr(fitting, "make_objective", broken)
    X, y = np.arange(40.0)[:, None], np.arange(40) % 2
    with pytest.warns(ConvergenceWarning, match="not finite"), pytest.warns(NoActiveFeatureWarning):
        model = ClassifierModel(random_state=0).fit(X, np.where(y, "yes", "no"))
    report = model.batch_results_[0].solver
    assert report.reason is StopReason.NOT_FINITE
    assert not report.converged
    assert model.set_manager_.batches == (None,)
    meta, arrays = saved_form.write(model)
    again = saved_form.read(json.loads(json.dumps(meta, allow_nan=False)), arrays)
    assert again.batch_results_[0].solver.reason is StopReason.NOT_FINITE


def test_drawing_together_keeps_order_and_equality():
    z = np.concatenate([-np.geomspace(1.0, 1.7e308, 500)[::-1], [0.0], np.geomspace(1.0, 1.7e308, 500)])
    drawn = bounded(z)
    assert (np.diff(drawn) > 0.0).all()
    assert np.abs(drawn).max() < 2.0**61
    assert drawn[np.abs(z) <= 2.0**60].tolist() == z[np.abs(z) <= 2.0**60].tolist()


def test_an_origin_costs_no_digits():
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.standard_normal(50) + 1e8, np.where(np.arange(50) < 40, 1e30, rng.uniform(1, 2, 50))])
    moved = X - nearest_to_zero(X)
    for column, original in zip(moved.T, X.T, strict=True):
        assert len(np.unique(column)) == len(np.unique(original))
    assert np.abs(moved[:, 0]).max() < 10.0
