"""The loop behind a fit and a search, against its steps taken one by one."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.preprocessing import scale

from proset.engine.fitting import BatchSettings, TrainingData, draw_batch, keep_prototypes, solve_batch
from proset.engine.growth import Streams, grow, marginal_model
from proset.engine.model import ClassifierModel

SETTINGS = BatchSettings(1e-3, 1e-8, 0.95, 0.95, 1000, 0.5, None, 1e7)


@pytest.fixture(scope="module")
def data():
    X, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 150)
    return TrainingData(scale(X), y.astype(np.int64), weight, np.arange(150))


def batches(manager):
    """The arrays of all batches, ready for comparison."""
    return [batch and {name: values.tolist() for name, values in batch.items()} for batch in manager.get_batches()]


def test_a_fit_is_drawing_solving_and_keeping_batch_by_batch(data):
    total = np.bincount(data.target, weights=data.weight)
    manager = marginal_model(data)
    np.testing.assert_array_equal(manager.marginals, total / total.sum())
    model = ClassifierModel(n_iter=2, random_state=5).fit(data.X, data.target, sample_weight=data.weight)
    seed = int(np.random.RandomState(5).randint(np.iinfo(np.int32).max))
    for number in range(2):
        rng = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(number,)))
        draw = draw_batch(manager, data, SETTINGS, rng)
        found = solve_batch(draw.problem, SETTINGS)
        batch, n_merged = keep_prototypes(draw, found, data)
        manager = manager.add_batch(batch)
        assert model.batch_results_[number].solver == found.report
        assert model.batch_results_[number].n_merged == n_merged
    assert batches(model.set_manager_) == batches(manager)


def test_growing_on_is_growing_at_once(data):
    at_once = list(grow(marginal_model(data), data, SETTINGS, Streams(1, (2, 3)), n_batches=3))
    begun = list(grow(marginal_model(data), data, SETTINGS, Streams(1, (2, 3)), n_batches=1))
    rest = list(grow(begun[-1].manager, data, SETTINGS, Streams(1, (2, 3)), n_batches=2))
    assert [step.result for step in begun + rest] == [step.result for step in at_once]
    assert batches(rest[-1].manager) == batches(at_once[-1].manager)


def test_one_draw_serves_several_penalties(data):
    start, streams = marginal_model(data), Streams(4)
    draw = draw_batch(start, data, replace(SETTINGS, lambda_v=0.5, alpha_w=0.1), streams.of_batch(0))
    for lambda_v in (1e-4, 1e-2):
        settings = replace(SETTINGS, lambda_v=lambda_v)
        (given,) = grow(start, data, settings, streams, 1, draw=draw)
        (drawn,) = grow(start, data, settings, streams, 1)
        assert given.result == drawn.result
        assert batches(given.manager) == batches(drawn.manager)


def test_nothing_is_fitted_before_it_is_asked_for(data):
    seen = []
    steps = grow(marginal_model(data), data, SETTINGS, Streams(0), 2, on_evaluation=lambda count, _: seen.append(count))
    assert not seen
    first = next(steps)
    assert len(seen) == first.result.solver.evaluations
    assert seen == sorted(seen)
