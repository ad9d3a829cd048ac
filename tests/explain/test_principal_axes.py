import numpy as np
import pytest
from numpy.testing import assert_allclose

from proset.explain.maps.principal_axes import weighted_axes


def plain_loops(scaled, weights):
    """(4.2) to (4.4) as they stand in the report, one index at a time."""
    n, d = scaled.shape
    total = sum(weights)
    mean = [sum(weights[j] * scaled[j, k] for j in range(n)) / total for k in range(d)]
    scatter = np.zeros((d, d))
    for a in range(d):
        for b in range(d):
            for j in range(n):
                scatter[a, b] += weights[j] * (scaled[j, a] - mean[a]) * (scaled[j, b] - mean[b])
    return np.array(mean), scatter


@pytest.fixture
def example():
    random = np.random.default_rng(3)
    return random.normal(size=(7, 4)) * [3.0, 2.0, 1.0, 0.5] + 10.0, random.uniform(0.1, 5.0, size=7)


def test_matches_the_formulas_and_numpy_eigenvalues(example):
    scaled, weights = example
    axes = weighted_axes(scaled, weights)
    mean, scatter = plain_loops(scaled, weights)
    assert_allclose(axes.center, mean, rtol=1e-12)
    assert_allclose(axes.eigenvalues, np.linalg.eigvalsh(scatter)[::-1], rtol=1e-9)
    assert_allclose(axes.vectors @ np.diag(axes.eigenvalues) @ axes.vectors.T, scatter, atol=1e-9)
    assert_allclose(axes.vectors.T @ axes.vectors, np.eye(4), atol=1e-12)


def test_known_answer_by_hand():
    # Weighted mean (1, 0); scatter diag(2*1 + 2*1, 1*9 + 1*9) = diag(4, 18): the second feature is the first axis.
    scaled = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 3.0], [1.0, -3.0]])
    axes = weighted_axes(scaled, [2.0, 2.0, 1.0, 1.0])
    assert_allclose(axes.center, [1.0, 0.0], atol=1e-15)
    assert_allclose(axes.eigenvalues, [18.0, 4.0])
    assert_allclose(axes.shares, [18 / 22, 4 / 22])
    assert_allclose(axes.project(np.array([[5.0, 7.0]])), [[7.0, 4.0]])


def test_a_weight_counts_like_repeated_rows(example):
    scaled, _ = example
    counts = np.array([1, 2, 3, 1, 1, 4, 2])
    weighted = weighted_axes(scaled, counts)
    repeated = weighted_axes(np.repeat(scaled, counts, axis=0), np.ones(counts.sum()))
    assert_allclose(weighted.vectors, repeated.vectors, atol=1e-9)
    assert_allclose(weighted.eigenvalues, repeated.eigenvalues)


def test_signs_do_not_depend_on_row_order_or_mirrored_svd(example):
    scaled, weights = example
    axes = weighted_axes(scaled, weights)
    order = np.array([6, 2, 0, 5, 1, 4, 3])
    assert_allclose(weighted_axes(scaled[order], weights[order]).vectors, axes.vectors, atol=1e-9)
    for column in axes.vectors.T:
        assert column[np.argmax(np.abs(column))] > 0


@pytest.mark.parametrize(
    ("scaled", "rank"),
    [
        ([[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]], 0),
        ([[1.0, 2.0]], 0),
        ([[0.0, 0.0], [1.0, 2.0], [2.0, 4.0]], 1),
        ([[0.0], [1.0], [5.0]], 1),
        ([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], 2),
        ([[1e6, 1e6], [1e6, 1e6]], 0),
        ([[0.0, 0.0], [0.0, 0.0]], 0),
    ],
)
def test_rank_counts_directions_in_which_prototypes_differ(scaled, rank):
    axes = weighted_axes(scaled, np.ones(len(scaled)))
    assert axes.rank == rank
    assert axes.vectors.shape == (len(scaled[0]), rank)
    assert len(axes.shares) == rank


def test_rounding_of_float32_is_no_direction():
    third = np.float32(1) / np.float32(3)
    line = np.array([[i * third, i * third * 3] for i in range(9)], dtype=np.float32)
    assert weighted_axes(line, np.ones(9)).rank == 1


def test_second_coordinate_is_zero_on_a_line():
    axes = weighted_axes([[0.0, 0.0], [1.0, 2.0]], [1.0, 1.0])
    projected = axes.project(np.array([[3.0, -1.0], [0.0, 0.0]]))
    assert projected.shape == (2, 2)
    assert (projected[:, 1] == 0).all()
