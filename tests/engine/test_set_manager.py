"""Equations (2.4) to (2.7) and (4.5) against plain loops."""

import math

import numpy as np
import pytest

from proset.engine.set_manager import Batch, SetManager


def make_batch(seed, active, j=5, k=3):
    rng = np.random.default_rng(seed)
    d = len(active)
    return Batch(
        active_features=np.array(active, dtype=np.int64),
        feature_weights=rng.uniform(0.3, 2.0, d).astype(np.float32),
        prototypes=rng.standard_normal((j, d)).astype(np.float32),
        target=rng.integers(0, k, j),
        weights=rng.uniform(0.1, 4.0, j).astype(np.float32),
        sample_index=rng.permutation(100)[:j],
    )


@pytest.fixture
def manager():
    return SetManager([0.5, 0.3, 0.2], 4, (make_batch(0, [0, 2]), None, make_batch(1, [1, 2, 3], j=7)))


def plain_q(manager, x, c):
    """Equation (2.5), term by term."""
    q = manager.marginals.copy()
    for batch in manager.batches[:c]:
        for j in range(0 if batch is None else len(batch)):
            z = x[batch.active_features] - batch.prototypes[j]
            kernel = math.exp(-0.5 * float(np.sum((batch.feature_weights.astype(float) * z) ** 2)))
            q[batch.target[j]] += float(batch.weights[j]) * kernel
    return q


def test_probabilities_and_stages_equal_plain_loops(manager):
    X = np.random.default_rng(2).standard_normal((6, 4))
    stages = list(manager.staged_probabilities(X))
    assert len(stages) == 4
    for c, stage in enumerate(stages):
        expected = np.array([plain_q(manager, x, c) for x in X])
        np.testing.assert_allclose(stage, expected / expected.sum(axis=1, keepdims=True), rtol=1e-10)
    np.testing.assert_array_equal(stages[-1], manager.probabilities(X))


def test_familiarity_is_the_denominator_minus_one(manager):
    X = np.random.default_rng(3).standard_normal((6, 4))
    expected = [plain_q(manager, x, 3).sum() - 1.0 for x in X]
    np.testing.assert_allclose(manager.familiarity(X), expected, rtol=1e-10)
    np.testing.assert_allclose(manager.unnormalized(X).sum(axis=1) - 1.0, manager.familiarity(X), rtol=1e-10)


def test_feature_weights_are_sorted_by_the_first_batch(manager):
    weights, features = manager.get_feature_weights()
    assert weights.shape == (3, 4)
    assert set(features) == {0, 1, 2, 3}
    assert (np.diff(weights[0][weights[0] > 0]) <= 0).all()
    assert weights[1].tolist() == [0.0] * 4
    for row, batch in ((0, manager.batches[0]), (2, manager.batches[2])):
        by_feature = dict(zip(features, weights[row], strict=True))
        assert [by_feature[d] for d in batch.active_features] == pytest.approx(batch.feature_weights.tolist())


def test_shrinking_changes_nothing_but_the_columns():
    manager = SetManager([0.5, 0.3, 0.2], 9, (make_batch(0, [1, 6]), make_batch(1, [6, 8])))
    X = np.random.default_rng(4).standard_normal((5, 9))
    small = manager.shrink()
    assert small.num_features == 3
    np.testing.assert_array_equal(small.probabilities(X[:, [1, 6, 8]]), manager.probabilities(X))


def test_exported_batches_are_copies(manager):
    first, empty, _ = manager.get_batches()
    assert empty is None
    first["weights"][:] = 0.0
    assert (manager.batches[0].weights > 0).all()


def test_a_model_without_batches_has_no_active_features():
    manager = SetManager([0.4, 0.6], 3)
    weights, features = manager.get_feature_weights()
    assert weights.shape == (0, 0)
    assert features.shape == (0,)
    assert manager.get_num_prototypes() == 0
    assert manager.probabilities(np.zeros((2, 3))).tolist() == [[0.4, 0.6]] * 2


@pytest.mark.parametrize("value", [1e20, 1e160, 1e300])
def test_absurd_features_are_simply_unfamiliar(manager, value):
    X = np.full((1, 4), value)
    assert manager.familiarity(X).tolist() == [0.0]
    assert manager.probabilities(X)[0].tolist() == manager.marginals.tolist()


def test_scoring_one_row_or_many_gives_the_same(manager):
    X = np.random.default_rng(5).standard_normal((300, 4))
    together = manager.probabilities(X)
    alone = np.vstack([manager.probabilities(x[None, :]) for x in X])
    np.testing.assert_allclose(together, alone, rtol=1e-12)
