"""The artificial problems: what the class is made of, seeds, limits."""

import numpy as np
import pytest

from proset.common.errors import ProsetError
from proset.data.generators import create_checkerboard, create_continuous_xor


def test_checkerboard_neighbouring_squares_differ():
    X, y = create_checkerboard(20_000, n_squares=4, random_state=0)
    columns, rows = np.floor(4 * X).astype(int).T
    colour = np.full((4, 4), -1)
    for column, row, label in zip(columns, rows, y, strict=True):
        assert colour[row, column] in (-1, label), "one square, one colour"
        colour[row, column] = label
    assert colour.min() == 0
    assert colour[0, 0] == 0
    assert (colour[1:] != colour[:-1]).all()
    assert (colour[:, 1:] != colour[:, :-1]).all()


def test_checkerboard_default_is_that_of_the_report():
    X, y = create_checkerboard(random_state=0)
    assert X.shape == (6_400, 2)
    assert y.shape == (6_400,)
    assert X.min() >= 0.0
    assert X.max() <= 1.0
    assert abs(y.mean() - 0.5) < 0.02
    counts = np.histogram2d(*X.T, bins=8, range=[[0, 1], [0, 1]])[0]
    assert counts.mean() == 100
    assert counts.min() > 60


def test_turning_the_board_keeps_labels_and_distances():
    X, y = create_checkerboard(200, random_state=3)
    turned, same = create_checkerboard(200, rotation=45.0, random_state=3)
    np.testing.assert_array_equal(y, same)
    np.testing.assert_allclose(
        np.linalg.norm(turned[:, None] - turned[None], axis=2), np.linalg.norm(X[:, None] - X[None], axis=2), atol=1e-12
    )
    # A quarter turn moves the right side of the board to the top.
    quarter, _ = create_checkerboard(200, rotation=90.0, random_state=3)
    np.testing.assert_allclose(quarter, np.column_stack([1.0 - X[:, 1], X[:, 0]]), atol=1e-12)


@pytest.mark.parametrize("n_features", [1, 2, 3, 6])
def test_xor_is_the_sign_of_the_product_of_the_relevant_features(n_features):
    X, y = create_continuous_xor(n_features, 4, random_state=1)
    assert X.shape == (100 * 2**n_features, n_features + 4)
    assert np.abs(X).max() <= 1.0
    negative = (X[:, :n_features] < 0).sum(axis=1) % 2
    np.testing.assert_array_equal(y, 1 - negative)


def test_xor_leaves_the_irrelevant_features_out():
    X, y = create_continuous_xor(3, 3, n_samples=4_000, random_state=1)
    relevant = np.sign(X[:, :3]).prod(axis=1)
    irrelevant = np.sign(X[:, 3:]).prod(axis=1)
    assert (relevant > 0).astype(int).tolist() == y.tolist()
    assert abs(np.mean((irrelevant > 0) == y) - 0.5) < 0.03


@pytest.mark.parametrize("create", [create_checkerboard, create_continuous_xor])
def test_same_seed_same_points(create):
    X, y = create(random_state=5)
    again, labels = create(random_state=np.random.default_rng(5))
    other, _ = create(random_state=6)
    np.testing.assert_array_equal(X, again)
    np.testing.assert_array_equal(y, labels)
    assert not np.array_equal(X, other)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: create_checkerboard(0), "n_samples is 0"),
        (lambda: create_checkerboard(n_squares=1), "n_squares is 1"),
        (lambda: create_checkerboard(rotation=float("nan")), "rotation is nan"),
        (lambda: create_continuous_xor(0), "n_features is 0"),
        (lambda: create_continuous_xor(21), "20 at most"),
        (lambda: create_continuous_xor(2, -1), "n_irrelevant is -1"),
        (lambda: create_continuous_xor(2, n_samples=0), "n_samples is 0"),
    ],
)
def test_sizes_outside_their_limits_are_refused_by_name(call, words):
    with pytest.raises(ProsetError, match=words):
        call()
