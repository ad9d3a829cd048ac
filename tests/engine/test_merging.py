"""Equivalent prototypes become one."""

import numpy as np
import pytest
from scipy.spatial import KDTree

from proset.engine import merging
from proset.engine.merging import merge_equivalent


def test_chains_of_neighbours_are_one_component():
    x = np.array([[0.0], [3e-9], [6e-9], [1.0]])
    merged = merge_equivalent(x, np.zeros(4, dtype=int), np.array([1.0, 2.0, 4.0, 8.0]), tolerance=4e-9)
    assert merged.first.tolist() == [0, 3]
    assert merged.weights.tolist() == [7.0, 8.0]


def test_same_features_but_another_class_stay_apart():
    merged = merge_equivalent(np.zeros((3, 2), np.float32), np.array([1, 0, 1]), np.array([1.0, 2.0, 3.0]))
    assert merged.first.tolist() == [0, 1]
    assert merged.weights.tolist() == [4.0, 2.0]


def test_without_active_features_one_prototype_per_class_is_left():
    merged = merge_equivalent(np.zeros((5, 0), np.float32), np.array([2, 0, 2, 1, 0]), np.ones(5))
    assert merged.first.tolist() == [0, 1, 3]
    assert merged.weights.tolist() == [2.0, 2.0, 1.0]


def test_thousands_of_copies_do_not_list_every_pair():
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, (20_000, 3)).astype(np.float32)
    merged = merge_equivalent(x, np.zeros(20_000, dtype=int), np.ones(20_000))
    assert merged.first.shape == (8,)
    assert merged.weights.sum() == pytest.approx(20_000)
    assert np.array_equal(np.sort(merged.first), merged.first)


def test_rows_that_one_column_sets_apart_are_not_searched(monkeypatch):
    searched = []

    def tree(points):
        searched.append(points.shape)
        return KDTree(points)

    monkeypatch.setattr(merging, "KDTree", tree)
    x = np.random.default_rng(0).normal(size=(3_000, 40))
    x[10], x[20] = x[5], x[6] + 5e-9
    merged = merge_equivalent(x, np.zeros(3_000, dtype=int), np.ones(3_000))
    assert np.setdiff1d(np.arange(3_000), merged.first).tolist() == [10, 20]
    assert searched == [(3, 41)]  # the copy is one point with its original


@pytest.mark.parametrize("seed", range(8))
def test_groups_are_those_of_all_pairs_compared(seed):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 3, (60, 3)) * (1.0 if seed % 2 else 7e-9) + rng.choice([0.0, 3e-9, 6e-9], (60, 3))
    target = rng.integers(0, 2, 60)
    near = (np.abs(x[:, None] - x).max(axis=2) <= 4e-9) & (target[:, None] == target)
    while not np.array_equal(wider := near @ near, near):
        near = wider
    merged = merge_equivalent(x, target, np.arange(60.0), tolerance=4e-9)
    assert merged.first.tolist() == np.unique(near.argmax(axis=1)).tolist()
    assert merged.weights.tolist() == [np.flatnonzero(near[row]).sum() for row in merged.first]
