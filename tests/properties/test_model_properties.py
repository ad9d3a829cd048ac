"""What must hold for any prototype set model, on models made up at random."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from proset.engine.evidence.contributions import contributions
from proset.engine.fitting import BatchSettings, TrainingData
from proset.engine.growth import Streams, grow, marginal_model
from proset.engine.merging import merge_equivalent
from proset.engine.objective.blocks_backend import BlocksObjective
from proset.engine.objective.penalty import ElasticNet
from proset.engine.objective.problem import make_problem
from proset.engine.set_manager import Batch, SetManager


@st.composite
def managers(draw, max_features=5):
    """A model with up to three batches, some empty, some without active features."""
    k, d = draw(st.integers(2, 4)), draw(st.integers(1, max_features))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    batches = []
    for _ in range(draw(st.integers(0, 3))):
        j, used = draw(st.integers(0, 12)), np.flatnonzero(rng.random(d) < 0.7)
        prototypes = rng.standard_normal((j, used.size)).astype(np.float32) * draw(st.sampled_from([0.1, 1.0, 100.0]))
        batch = Batch(
            used, rng.uniform(0.01, 20, used.size).astype(np.float32), prototypes, rng.integers(0, k, j),
            rng.exponential(draw(st.sampled_from([1e-3, 1.0, 1e3])), j).astype(np.float32) + np.float32(1e-6),
            np.arange(j),
        )  # fmt: skip
        batches.append(batch if j else None)
    return SetManager(rng.dirichlet(np.full(k, 5.0)), d, tuple(batches))


@settings(max_examples=60)
@given(managers(), st.integers(0, 10**6))
def test_probabilities_sum_to_one_and_contributions_to_probabilities(manager, seed):
    X = np.random.default_rng(seed).standard_normal((4, manager.num_features)) * 3
    probabilities = manager.probabilities(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0, rtol=1e-12)
    assert (probabilities > 0).all()
    for x, expected in zip(X, probabilities, strict=True):
        parts = contributions(manager, x)
        np.testing.assert_allclose(parts.probabilities, expected, rtol=1e-7)
        np.testing.assert_allclose(parts.probabilities.sum(), 1.0, rtol=1e-12)
        assert (np.diff(parts.impact) <= 0).all()


@settings(max_examples=60)
@given(managers(), st.floats(1e5, 1e12))
def test_far_away_only_the_marginals_are_left(manager, distance):
    used = [batch for batch in manager.batches if batch is not None]
    if any(batch.active_features.size == 0 for batch in used):
        return  # such a batch shifts the marginals everywhere
    X = np.full((1, manager.num_features), distance)
    np.testing.assert_allclose(manager.probabilities(X)[0], manager.marginals, rtol=1e-12)
    assert manager.familiarity(X)[0] == 0.0


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(2, 4))
def test_merging_equivalent_prototypes_never_changes_a_probability(seed, k):
    rng = np.random.default_rng(seed)
    j, d = 40, 3
    distinct = rng.standard_normal((6, d)).astype(np.float32)
    prototypes = distinct[rng.integers(0, 6, j)] + rng.uniform(-4e-9, 4e-9, (j, d))  # some equal, some within tolerance
    target, weights = rng.integers(0, k, j), rng.exponential(10.0, j)
    merged = merge_equivalent(prototypes, target, weights)
    assert merged.first.size <= 6 * k
    v = rng.uniform(0.1, 30, d).astype(np.float32)

    def estimate(rows, w):
        batch = Batch(np.arange(d), v, prototypes[rows], target[rows], w, rows)
        return SetManager(np.full(k, 1 / k), d, (batch,)).probabilities(X)

    X = np.vstack([distinct, distinct + rng.standard_normal((6, d)) / v, rng.standard_normal((20, d))])
    np.testing.assert_allclose(estimate(merged.first, merged.weights), estimate(np.arange(j), weights), atol=1e-5)


@settings(max_examples=25)
@given(st.integers(0, 10**6))
def test_permuting_columns_permutes_the_objective(seed):
    rng = np.random.default_rng(seed)
    X, target, prior = rng.standard_normal((40, 4)), np.arange(40) % 2, rng.uniform(0.2, 1, (40, 2))
    order = rng.permutation(4)

    def objective(features):
        return make_problem(
            features, target, np.ones(40), prior, candidates=np.arange(12), reference=np.arange(12, 40),
            penalty_v=ElasticNet(1e-2, 0.9), penalty_w=ElasticNet(1e-6, 0.9), first=False,
        )  # fmt: skip

    plain, permuted = objective(X), objective(X[:, order])
    v, w = rng.uniform(0.1, 2, 4), rng.uniform(0, 2, 12)
    value, gradient = BlocksObjective(plain)(np.concatenate([v, w]))
    other_value, other_gradient = BlocksObjective(permuted)(np.concatenate([v[order], w]))
    np.testing.assert_allclose(value, other_value, rtol=1e-6)
    np.testing.assert_allclose(gradient[:4][order], other_gradient[:4], rtol=1e-4, atol=1e-6)


@settings(max_examples=8, derandomize=True)
@given(st.integers(0, 10**6))
def test_permuting_columns_permutes_the_solution(seed):
    """Up to rounding, which sends the solver along a slightly different path through a flat valley."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((160, 3))
    target = (X[:, 0] + 0.3 * rng.standard_normal(160) > 0).astype(np.int64)
    order = rng.permutation(3)
    options = BatchSettings(1e-2, 1e-5, 0.95, 0.95, 100, 0.5, None, 1e7)
    objectives, weights = [], []
    for columns in (np.arange(3), order):
        data = TrainingData(X[:, columns], target, np.ones(160), np.arange(160))
        (growth,) = grow(marginal_model(data), data, options, Streams(1), n_batches=1)
        batch = growth.batch
        restored = np.zeros(3)
        restored[columns[batch.active_features]] = batch.feature_weights
        weights.append(restored)
        objectives.append(growth.result.solver.objective)
    np.testing.assert_allclose(objectives[0], objectives[1], rtol=2e-3)
    np.testing.assert_allclose(weights[0], weights[1], atol=0.05)
