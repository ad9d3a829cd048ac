"""Dominant sets and impacts of many rows against those of one."""

from __future__ import annotations

import numpy as np
import pytest

from proset.engine.evidence.contributions import contributions
from proset.engine.evidence.dominant_set import dominant_set
from proset.engine.evidence.dominant_sets import dominant_sets
from proset.engine.evidence.impacts import impacts
from proset.engine.set_manager import Batch, SetManager


@pytest.mark.parametrize("kind", ["distinct", "ties", "small", "zeros"])
@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_every_line_is_what_one_row_gets(kind, n_classes):
    rng = np.random.default_rng(n_classes)
    n, p = 200, 23
    impact = rng.exponential(1.0, (n, p))
    if kind == "ties":
        impact = rng.integers(0, 4, (n, p)).astype(float)
    elif kind == "small":
        impact *= 10.0 ** -rng.integers(0, 18, (n, 1))
    elif kind == "zeros":
        impact *= rng.random((n, p)) < 0.1
    target = rng.integers(0, n_classes, p)
    marginals = np.full(n_classes, 1.0 / n_classes) if kind != "distinct" else rng.dirichlet(np.ones(n_classes))
    expected = [dominant_set(line, target, marginals) for line in impact]
    np.testing.assert_array_equal(dominant_sets(impact, target, marginals), expected)


def test_a_model_without_prototypes_has_empty_sets():
    assert dominant_sets(np.zeros((3, 0)), np.zeros(0, dtype=np.int64), np.array([0.5, 0.5])).shape == (3, 0)


def test_impacts_are_those_of_the_breakdown_of_each_row():
    rng = np.random.default_rng(0)
    batches = tuple(
        Batch(
            np.array([0, 2]),
            np.array([1.0, 0.5], np.float32),
            rng.normal(size=(size, 2)),
            rng.integers(0, 3, size),
            rng.exponential(1.0, size).astype(np.float32),
            np.arange(size) + 10 * size,
        )
        for size in (4, 6)
    )
    manager = SetManager([0.2, 0.3, 0.5], 3, (batches[0], None, batches[1]))
    X = rng.normal(size=(5, 3))
    found = impacts(manager, X)
    assert found.batch.tolist() == [1] * 4 + [3] * 6
    np.testing.assert_allclose(found.impact.sum(axis=1), manager.familiarity(X))
    for x, line, members in zip(
        X, found.impact, dominant_sets(found.impact, found.target, manager.marginals), strict=True
    ):
        parts = contributions(manager, x)
        order = np.lexsort((parts.position, parts.batch))
        np.testing.assert_allclose(parts.impact[order], line)
        np.testing.assert_array_equal(parts.dominant[order], members)
        np.testing.assert_array_equal(parts.sample_index[order], found.sample_index)
