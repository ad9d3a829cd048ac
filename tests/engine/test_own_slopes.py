"""Slopes of single prototypes: the algorithm against plain references, and what models gain by it."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from scipy.optimize import minimize

from proset import RegressorModel
from proset.engine import own_slopes
from proset.engine.own_slopes import effective, heaviest, slope_problem, solved, with_own_slopes
from proset.engine.saved_number import read_number, write_number


def twisted(n: int, seed: int):
    """Return rows whose slope in one column hangs on another."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, X[:, 0] * (1.0 + X[:, 1]) + 0.2 * rng.normal(size=n)


def grown(n: int = 150, **settings):
    """Return a model without own slopes, and its training data as a fit sees them."""
    X, y = twisted(n, 0)
    model = RegressorModel(**{"n_iter": 2, "random_state": 0, "own_slopes": 0.0, **settings}).fit(X, y)
    return model, copy.copy(model)._check_training_data(X, y, None)


@pytest.fixture(scope="module")
def problem():
    model, data = grown()
    return slope_problem(model.set_manager_, data, 0.4, np.random.default_rng(0))


@pytest.fixture
def every_row(monkeypatch):
    """Let rows count that hardly speak of a prototype."""
    monkeypatch.setattr(own_slopes, "_HEARD", 0.0)


def flat(gammas):
    return np.concatenate([gamma.ravel() for gamma in gammas])


def deep(values, problem):
    parts = np.split(values, np.cumsum([one.prototypes.size for one in problem.batches])[:-1])
    return [part.reshape(one.prototypes.shape) for part, one in zip(parts, problem.batches, strict=True)]


def test_each_step_raises_the_likelihood_with_its_prior(problem):
    gammas, values = problem.start(), []
    for _ in range(12):
        values.append(problem.objective(gammas))
        gammas = problem.step(gammas)
    assert (np.diff(values) < 0.0).all()
    assert values[0] - values[6] > 0.8 * (values[0] - values[-1])


@pytest.mark.slow
@pytest.mark.usefixtures("every_row")
def test_where_the_steps_end_no_derivative_is_left(problem):
    gammas = problem.start()
    for _ in range(300):
        gammas = problem.step(gammas)
    at, step = flat(gammas), 1e-5
    rng = np.random.default_rng(1)
    for place in rng.choice(len(at), 25, replace=False):
        moved = np.zeros(len(at))
        moved[place] = step
        ends = [problem.objective(deep(at + sign * moved, problem)) for sign in (1.0, -1.0)]
        assert abs(ends[0] - ends[1]) / (2.0 * step) < 1e-4


@pytest.mark.usefixtures("every_row")
def test_they_end_where_another_solver_does(problem):
    gammas = problem.start()
    for _ in range(300):
        gammas = problem.step(gammas)
    found = minimize(lambda values: problem.objective(deep(values, problem)), flat(gammas), method="L-BFGS-B")
    assert problem.objective(gammas) - found.fun < 1e-3
    assert np.abs(flat(gammas) - found.x).max() < 0.01


@pytest.mark.usefixtures("every_row")
def test_one_prototype_learns_the_slope_of_a_weighted_regression(problem):
    one = problem.batches[0]
    rng = np.random.default_rng(2)
    shares = rng.uniform(size=one.impacts.shape)
    found = one.step(shares)
    for j in range(0, len(found), 7):
        apart = one.rows - one.prototypes[j]
        weight = shares[:, j] / one.spreads[j] ** 2
        matrix = apart.T @ (apart * weight[:, None]) + np.diag(one.freedom**-2)
        expected = np.linalg.solve(matrix, apart.T @ (weight * one.missed[:, j]))
        assert found[j] == pytest.approx(expected, rel=1e-8, abs=1e-10)


def test_the_solver_agrees_with_a_library():
    rng = np.random.default_rng(0)
    roots = rng.normal(size=(5, 9, 6))
    matrices, goals = np.einsum("jka,jkb->jab", roots, roots), rng.normal(size=(5, 6))
    expected = np.linalg.solve(matrices + np.eye(6), goals[:, :, None])[:, :, 0]
    assert solved(matrices, goals) == pytest.approx(expected, rel=1e-10)
    assert solved(np.zeros((0, 2, 2)), np.zeros((0, 2))).shape == (0, 2)


def test_weights_count_as_rows_and_their_unit_does_not():
    importance = np.array([1.0, 2.0, 3.0])
    assert effective(importance) == pytest.approx(effective(10.0 * importance))
    assert effective(np.full(7, 0.3)).sum() == pytest.approx(7.0)
    assert effective(importance).sum() < 3.0


def test_no_prototype_learns_from_its_own_row():
    model, data = grown()
    problem = slope_problem(model.set_manager_, data, 0.4, np.random.default_rng(0))
    for one, batch in zip(problem.batches, model.set_manager_.density_batches, strict=True):
        assert (one.impacts[batch.sample_index, np.arange(len(batch))] == 0.0).all()
    # What it misses of itself, which is nothing, would draw its slopes to those of the batch.
    assert all((one.missed[batch.sample_index, np.arange(len(batch))] < 1e-12).all() for one, batch in zip(
        problem.batches, model.set_manager_.density_batches, strict=True))  # fmt: skip


def test_all_else_of_the_model_stays():
    model, data = grown()
    found = with_own_slopes(model.set_manager_, data, 0.4, np.random.default_rng(0))
    for own, other in zip(model.set_manager_.density_batches, found.density_batches, strict=True):
        for name in ("prototypes", "weights", "values", "slopes", "spreads", "feature_weights"):
            assert np.array_equal(getattr(own, name), getattr(other, name))
        assert other.own_slopes.any()
        assert not own.own_slopes.any()
    X = data.X[:9]
    assert np.array_equal(found.familiarity(X), model.set_manager_.familiarity(X))
    same = with_own_slopes(found, data, 0.0, np.random.default_rng(0))
    assert np.array_equal(same.mixture(X).means, model.set_manager_.mixture(X).means)


@pytest.mark.slow
def test_unseen_rows_are_told_better_where_slopes_differ():
    X, y = twisted(600, 1)
    fresh, true = twisted(2_000, 2)
    plain, own = (RegressorModel(random_state=0, own_slopes=value).fit(X, y) for value in (0.0, 0.4))
    assert own.score(fresh, true) > plain.score(fresh, true) + 0.05
    off = [np.sqrt(np.mean(np.square(model.predict(fresh) - true))) for model in (own, plain)]
    assert off[0] < off[1]  # .955 to .986 times over sixteen draws, sizes and backends


@pytest.mark.slow
def test_a_warm_start_goes_on_from_what_was_grown():
    X, y = twisted(200, 3)
    whole = RegressorModel(n_iter=3, random_state=0).fit(X, y)
    parts = RegressorModel(n_iter=2, random_state=0).fit(X, y)
    parts.n_iter = 1
    parts.fit(X, y, warm_start=True)
    assert np.array_equal(parts.predict(X), whole.predict(X))


def test_it_is_saved_and_a_model_without_is_saved_as_before_there_was_any():
    X, y = twisted(120, 4)
    model = RegressorModel(n_iter=2, random_state=0).fit(X, y)
    meta, arrays = write_number(model)
    assert any(name.endswith("own_slopes") for name in arrays)
    assert np.array_equal(read_number(meta, arrays).predict(X), model.predict(X))
    meta, arrays = write_number(RegressorModel(n_iter=2, random_state=0, own_slopes=0.0).fit(X, y))
    assert not any("own_slopes" in name for name in (*arrays, *meta["parameters"]))
    again = read_number(meta, arrays)
    assert again.own_slopes == 0.0
    assert not any(batch.own_slopes.any() for batch in again.set_manager_.density_batches)


@pytest.mark.slow
def test_of_many_features_the_heaviest_have_own_slopes(monkeypatch):
    monkeypatch.setattr(own_slopes, "MOST_FEATURES", 2)
    model, data = grown()
    found = with_own_slopes(model.set_manager_, data, 0.4, np.random.default_rng(0))
    for batch in found.density_batches:
        chosen = heaviest(batch)
        assert len(chosen) == min(2, len(batch.active_features))
        others = np.setdiff1d(np.arange(len(batch.active_features)), chosen)
        assert not batch.own_slopes[:, others].any()
        if len(others):
            assert batch.feature_weights[chosen].min() >= batch.feature_weights[others].max()


@pytest.mark.slow
def test_of_many_rows_some_are_enough(monkeypatch):
    monkeypatch.setattr(own_slopes, "MOST_ENTRIES", 1)
    monkeypatch.setattr(own_slopes, "FEWEST_ROWS", 60)
    model, data = grown()
    assert len(slope_problem(model.set_manager_, data, 0.4, np.random.default_rng(0)).importance) == 60


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("unit", [1e-320, 1e-300, 1e300])
def test_weights_may_have_any_unit_that_a_number_can_hold(unit):
    assert effective(np.array([2.0, 1.0, 0.0]) * unit) == pytest.approx(effective(np.array([2.0, 1.0, 0.0])), rel=1e-3)
