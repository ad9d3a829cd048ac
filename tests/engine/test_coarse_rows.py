"""Batches of very many rows begin with some of them, and end where all of them say."""

from collections import Counter

import numpy as np
import pytest

from proset.engine import coarse_rows, fitting, growth
from proset.engine.model import ClassifierModel
from proset.engine.objective import make_objective
from proset.engine.objective.penalty import ElasticNet
from proset.engine.objective.problem import make_problem
from proset.engine.regressor import RegressorModel

PENALTIES = {"penalty_v": ElasticNet(1e-3, 0.95), "penalty_w": ElasticNet(1e-6, 0.95)}


def data(n=6_000, seed=0):
    """Two classes that three of eight features tell apart."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 8))
    return X, (np.sin(2.0 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n) > 0.0).astype(np.int64)


def problem(target, weight=None):
    n = target.shape[0]
    X = np.random.default_rng(1).normal(size=(n, 2))
    prior = np.full((n, int(target.max()) + 1), 1.0 / (target.max() + 1))
    last = np.concatenate([np.flatnonzero(target == k)[-1:] for k in np.unique(target)])
    return make_problem(
        X, target, np.ones(n) if weight is None else weight, prior, candidates=last,
        reference=np.setdiff1d(np.arange(n), last), first=True, **PENALTIES,
    )  # fmt: skip


@pytest.fixture
def many(monkeypatch):
    """Let a thousand rows be many, and count the candidates that such numbers of rows were compared with."""
    monkeypatch.setattr(coarse_rows, "MANY_ROWS", 1_000)
    return counted(monkeypatch)


def counted(monkeypatch):
    looked_at = Counter()

    def make(problem, backend="compiled"):
        objective = make_objective(problem, backend)

        def evaluate(point):
            looked_at[problem.reference.shape[0]] += problem.n_candidates
            return objective(point)

        return evaluate

    monkeypatch.setattr(fitting, "make_objective", make)
    return looked_at


def test_a_batch_of_few_rows_is_solved_as_it_is():
    one = problem(np.arange(5_000) % 3)
    assert coarse_rows.coarse_to_fine(one) == [one]


@pytest.mark.usefixtures("many")
def test_each_class_is_there_and_weighs_what_it_did():
    target = np.repeat([0, 1, 2], [40_000, 20_000, 5])
    weight = np.random.default_rng(2).uniform(0.5, 2.0, target.shape[0])
    *coarse, whole = coarse_rows.coarse_to_fine(problem(target, weight))
    assert [each.reference.shape[0] for each in coarse] == [939, 7_501]
    shares = np.bincount(whole.reference_target, weights=whole.importance)
    rows = {row.tobytes(): k for row, k in zip(whole.reference, whole.reference_target, strict=True)}
    for each in coarse:
        np.testing.assert_allclose(np.bincount(each.reference_target, weights=each.importance), shares, rtol=1e-12)
        assert (np.diff(each.reference_target) >= 0).all()
        assert all(rows[row.tobytes()] == k for row, k in zip(each.reference, each.reference_target, strict=True))
        assert each.candidates is whole.candidates


def test_rows_are_no_series_of_their_own():
    # Were every eighth row taken, a table of eight machines in turn would be one of a single machine.
    target = np.zeros(160_008, np.int64)
    kept = coarse_rows._some(target)
    assert len(set(kept % 8)) == 8
    np.testing.assert_allclose(np.bincount(kept % 8), kept.shape[0] / 8, rtol=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_minimum_of_all_rows_is_reached_with_fewer_looks_at_them(monkeypatch, seed):
    X, y = data(seed=seed)
    fit = ClassifierModel(n_iter=1, num_candidates=100, lambda_w=1e-6, random_state=seed)
    everything = counted(monkeypatch)
    plain = fit.fit(X, y).batch_results_[0]
    monkeypatch.setattr(coarse_rows, "MANY_ROWS", 1_000)
    coarse = counted(monkeypatch)
    ours = fit.fit(X, y).batch_results_[0]
    assert max(coarse) == 5_900
    assert min(coarse) == pytest.approx(5_900 / 8, abs=2)
    assert coarse[5_900] < 0.75 * everything[5_900]
    assert ours.solver.converged
    assert ours.solver.objective == pytest.approx(plain.solver.objective, rel=1e-4)
    assert ours.n_reference == plain.n_reference == 5_900


@pytest.mark.slow
def test_a_number_begins_with_some_rows_in_both_stages(many):
    X, _ = data(3_000)
    model = RegressorModel(n_iter=1, num_candidates=60, random_state=0).fit(X, X[:, 0] + 0.1 * X[:, 1])
    assert set(many) == {368, 2_940}
    assert model.batch_results_[0].solver.converged


def test_all_rows_begin_as_usual_where_fewer_leave_nothing(many, monkeypatch):
    X, y = data(3_000)
    solved = []

    def solve(problem, settings, *, start=None, on_evaluation=None):
        result = fitting.solve_batch(problem, settings, start=start, on_evaluation=on_evaluation)
        solved.append((problem.reference.shape[0], start))
        if problem.reference.shape[0] < 1_000:
            result.x[problem.n_shared :] = 0.0
        return result

    monkeypatch.setattr(growth, "solve_batch", solve)
    model = ClassifierModel(n_iter=1, num_candidates=60, random_state=0).fit(X, y)
    assert solved == [(368, None), (2_940, None)]
    assert model.batch_results_[0].n_prototypes > 0


@pytest.mark.usefixtures("many")
def test_evaluations_are_told_one_after_the_other():
    X, y = data(3_000)
    told = []
    settings = fitting.BatchSettings.of(ClassifierModel(num_candidates=60))
    training = fitting.TrainingData(X, y, np.ones(3_000), np.arange(3_000))
    (grown,) = growth.grow(
        growth.marginal_model(training), training, settings, growth.Streams(0), 1,
        on_evaluation=lambda count, _: told.append(count),
    )  # fmt: skip
    assert told == list(range(1, grown.result.solver.evaluations + 1))
