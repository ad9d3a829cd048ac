"""Nearest known cases against plain loops, and how near others are as a quantile."""

import numpy as np
import pytest

from proset.common.spread import spread_out
from proset.engine.evidence.known_cases import Kernel, KnownCases
from proset.engine.evidence.nearness import Nearness, nearness_quantile, typical_distance

RANDOM = np.random.default_rng(4)


def squared(kernel, x, known):
    return np.square((known - x)[:, kernel.columns] * kernel.weights).sum(axis=1)


@pytest.mark.parametrize("offset", [0.0, 1e7])
def test_similarity_is_the_mean_of_the_kernels_by_their_shares(offset):
    known, rows = RANDOM.normal(size=(40, 3)) + offset, RANDOM.normal(size=(25, 3)) + offset
    kernels = [Kernel(np.array([0, 2]), np.array([1.0, 0.5]), 0.25), Kernel(np.array([1]), np.array([3.0]), 0.75)]
    cases = KnownCases(known, kernels)
    found = cases.nearest(rows, 4)
    for i, x in enumerate(rows):
        parts = np.array([kernel.share * np.exp(-0.5 * squared(kernel, x, known)) for kernel in kernels])
        expected = parts.sum(axis=0)
        order = np.argsort(-expected, kind="stable")[:4]
        assert found.position[i].tolist() == order.tolist()
        np.testing.assert_allclose(found.similarity[i], expected[order], rtol=1e-6)
        distance, kernel = cases.distances(x)
        np.testing.assert_allclose(np.exp(-0.5 * distance), expected, rtol=1e-6)
        assert kernel.tolist() == parts.argmax(axis=0).tolist()


def test_cases_too_far_to_have_a_similarity_are_still_told_apart():
    kernels = [Kernel(np.array([0]), np.array([2.0]), 0.5), Kernel(np.array([1]), np.array([1.0]), 0.5)]
    near = KnownCases(np.array([[0.0, 0.0], [50.0, 0.0]]), kernels)
    found = near.nearest(np.array([[900.0, 900.0], [800.0, 800.0]]))
    assert found.similarity.max() == 0.0
    assert found.distance[0, 0] > found.distance[1, 0] > 1e5


def test_a_row_alone_and_in_a_table_finds_the_same():
    known, rows = RANDOM.normal(size=(300, 12)), RANDOM.normal(size=(200, 12))
    near = KnownCases(known, [Kernel(np.arange(12), np.full(12, 2.0))])
    together = near.nearest(rows, 2)
    for i in (0, 77, 199):
        alone = near.nearest(rows[[i]], 2)
        assert alone.position.tolist() == together.position[[i]].tolist()
        np.testing.assert_allclose(alone.distance, together.distance[[i]], rtol=1e-12)


def test_known_cases_leave_themselves_out_even_among_many_equal_ones():
    known = np.repeat([[0.0], [1.0]], [10, 1], axis=0)
    near = KnownCases(known, [Kernel(np.array([0]), np.ones(1))])
    found = near.nearest(known, own=np.arange(11))
    assert (found.position[:, 0] != np.arange(11)).all()
    assert found.distance[:10].max() == 0.0
    assert found.distance[10, 0] == 1.0


def test_fewer_known_cases_than_asked_for_are_said_to_be_missing():
    found = KnownCases(np.zeros((2, 1)), [Kernel(np.array([0]), np.ones(1))]).nearest(np.ones((1, 1)), 3)
    assert found.position.tolist() == [[0, 1, -1]]
    assert found.similarity[0, 2] == 0.0


def test_without_a_kernel_all_known_cases_are_equally_near():
    found = KnownCases(np.arange(3.0)[:, None], []).nearest(np.array([[9.0], [1.0]]), 2, own=np.array([0, -1]))
    assert found.position.tolist() == [[1, 2], [0, 1]]
    assert (found.similarity == 1.0).all()


def test_values_that_a_square_cannot_hold_are_far_and_finite():
    near = KnownCases(np.array([[0.0], [1.0]]), [Kernel(np.array([0]), np.ones(1))])
    found = near.nearest(np.array([[1e200], [-1e308]]))
    assert found.similarity.max() == 0.0
    assert np.isfinite(found.distance).all()


def test_quantiles_are_shares_of_rows_no_nearer():
    reference = RANDOM.exponential(size=50)
    values = RANDOM.exponential(size=20)
    expected = [(reference >= value).mean() for value in values]
    np.testing.assert_allclose(nearness_quantile(values, reference), expected)
    np.testing.assert_allclose(nearness_quantile(np.sort(reference)[::-1], reference), np.arange(1, 51) / 50)


def test_rows_without_held_out_ones_refer_to_the_known_cases_without_themselves():
    known = RANDOM.normal(size=(30, 2))
    near = Nearness(known, known[:0], [Kernel(np.array([0, 1]), np.ones(2))], np.ones(2))
    _, quantile = near.by_model.place(known, np.arange(30))
    assert sorted(quantile.tolist()) == pytest.approx((np.arange(30) + 1) / 30, abs=1 / 30 + 1e-9)  # pairs may tie


def test_typical_distance_of_equal_rows_is_a_usable_scale():
    assert typical_distance(np.zeros((5, 2))) == 1.0
    assert typical_distance(np.repeat([[0.0], [4.0]], [9, 1], axis=0)) == pytest.approx(0.4)


def test_many_reference_rows_are_thinned_evenly():
    near = Nearness(RANDOM.normal(size=(10, 1)), RANDOM.normal(size=(5_000, 1)), [], np.ones(1))
    assert near.n_reference == 2_000
    assert spread_out(np.arange(100), 3).tolist() == [0, 50, 99]


def test_of_very_large_tables_the_metric_of_columns_takes_a_part(monkeypatch):
    monkeypatch.setattr("proset.engine.evidence.nearness.MOST_CELLS", 40)
    known = RANDOM.normal(size=(60, 2))
    near = Nearness(known, None, [Kernel(np.array([0]), np.ones(1))], np.ones(2))
    metric = near.by_columns(np.arange(2))
    assert len(metric.known) == 20
    found, quantile = metric.place(known, np.arange(60))
    assert set(found.position[:, 0]) <= set(metric.rows.tolist())
    assert (found.position[:, 0] != np.arange(60)).all()
    assert quantile.max() == 1.0
    assert len(near.by_model.known) == 60  # in which "no known case is near" is said
    one = near.similarities(known[3], np.array([3, 4]), np.arange(2))
    assert one[0] == 1.0
    assert one[1] < 1.0


@pytest.mark.parametrize("n_kernels", [0, 1, 2])
def test_votes_are_those_of_the_nearest_with_all_that_are_as_far_as_the_last(n_kernels):
    rng = np.random.default_rng(4)
    known_rows = rng.integers(0, 4, size=(60, 3)).astype(float)  # many as far as others
    rows, own = np.vstack([known_rows[:20], rng.normal(size=(10, 3))]), np.r_[np.arange(20), np.full(10, -1)]
    kernels = [Kernel(np.array([0, 1]), np.array([0.7, 1.3]), 0.6), Kernel(np.array([2]), np.ones(1), 0.4)][:n_kernels]
    if n_kernels == 1:
        kernels = [Kernel(kernels[0].columns, kernels[0].weights)]
    known, weights = KnownCases(known_rows, kernels), rng.random((60, 2))
    found = known.votes(rows, weights, 7, own=own)
    for i, row in enumerate(rows):
        distance = np.where(np.arange(60) == own[i], np.inf, known.distances(row)[0])
        last = np.sort(distance)[6]
        near = (distance <= last * (1.0 + 1e-9)) & np.isfinite(distance)
        np.testing.assert_allclose(found[i], weights[near].sum(axis=0) if kernels else 0.0)
