"""Dissimilarities: exact from both ends, in any units; names, functions, kernels, and what is refused."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from proset.common.errors import ProsetError
from proset.companions.pvm import KernelDistance, PVMClassifier
from proset.companions.pvm.distances import ComputedDistances, check_dissimilarities
from proset.companions.pvm.metrics import NAMES, Euclidean, PreparedMetric, prepared_metric
from proset.companions.pvm.preparing import precomputed_ground


@pytest.mark.parametrize("n_features", [1, 3, 4, 7, 70])
@pytest.mark.parametrize(("offset", "unit"), [(0.0, 1.0), (1e9, 1.0), (0.0, 1e-150), (0.0, 1e30)])
def test_euclidean_distances(n_features, offset, unit):
    X = np.random.default_rng(0).normal(size=(1100, n_features)) * unit + offset
    metric = Euclidean.around(X)
    found = metric(X, X[:90])
    assert found.dtype == np.float32
    if unit == 1e-150:
        assert not found.any()  # below what single precision can tell: nothing is negative or missing
        return
    assert np.allclose(found, cdist(X, X[:90]), rtol=2e-6, atol=1e-6 * unit)
    assert np.array_equal(found[:90], metric(X[:90], X)[:, :90].T[:90])
    assert np.array_equal(found[:90], found[:90].T)
    assert not found[np.arange(90), np.arange(90)].any()
    assert np.array_equal(metric(X[500:503], X[7:8])[:, 0], found[500:503, 7])  # whatever stands beside it


def test_every_name_can_be_worked_out():
    X = np.random.default_rng(0).random((6, 3)) + 0.1
    for name in sorted(NAMES - {"precomputed"}):
        metric = prepared_metric(name, X)
        found = ComputedDistances(metric, metric.prepare(X), metric.prepare(X[:2]), (6, 2)).block(np.array([1]))
        assert found.shape == (1, 6)
        assert found[0, 1] == pytest.approx(0.0, abs=1e-6)


def test_the_distance_of_a_kernel():
    X = np.random.default_rng(0).normal(size=(9, 2))
    assert np.allclose(KernelDistance("linear")(X, X), cdist(X, X), atol=1e-7)
    similar = np.exp(-0.5 * cdist(X, X, "sqeuclidean"))
    assert np.allclose(KernelDistance("rbf", {"gamma": 0.5})(X, X) ** 2, 2.0 - 2.0 * similar, atol=1e-7)
    model = PVMClassifier(metric=KernelDistance("rbf", {"gamma": 0.5}), eps=0.8, temperature=1.0)
    assert model.fit(X, np.arange(9) % 2).score(X, np.arange(9) % 2) > 0.5
    with pytest.raises(ProsetError, match="There is no kernel 'rbg'"):
        KernelDistance("rbg")


@dataclass(frozen=True)
class Counted:
    """A metric that prepares its rows, and counts how often."""

    seen: list

    def __call__(self, A, B):
        return self.between(self.prepare(A), self.prepare(B))

    def prepare(self, X):
        self.seen.append(len(X))
        return 2.0 * X

    def between(self, A, B):
        return np.abs(A[:, None] - B[None]).sum(axis=2)


def test_a_metric_that_prepares_rows_does_so_once_per_matrix():
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = (X[:, 0] > 0).astype(int)
    metric = Counted([])
    assert isinstance(metric, PreparedMetric)
    model = PVMClassifier(metric=metric, random_state=0, standardize=False).fit(X, y)
    assert metric.seen == [40]
    plain = PVMClassifier(metric=lambda A, B: 2.0 * cdist(A, B, "cityblock"), random_state=0, standardize=False)
    assert np.array_equal(plain.fit(X, y).prototype_indices_, model.prototype_indices_)
    assert np.array_equal(plain.predict(X + 0.1), model.predict(X + 0.1))


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        (lambda A, B: np.zeros(3), "of shape"),
        (lambda A, B: np.full((len(A), len(B)), np.nan), "missing or infinite"),
        (lambda A, B: np.full((len(A), len(B)), np.inf), "missing or infinite"),
        (lambda A, B: np.full((len(A), len(B)), -1.0), "Negative values in data"),
        ("nearness", "metric is 'nearness'. Use 'precomputed', a function"),
        (None, "metric is None"),
    ],
)
def test_impossible_dissimilarities_are_refused_in_words(metric, message):
    with pytest.raises(ProsetError, match=message):
        PVMClassifier(metric=metric, eps=1.0, temperature=1.0).fit(np.eye(4), [0, 1, 0, 1])


def test_one_bad_number_among_many_is_seen():
    values = np.ones((50, 50), dtype=np.float32)
    values[33, 7] = np.nan
    with pytest.raises(ProsetError, match="missing"):
        check_dissimilarities(values)


def test_columns_that_do_not_belong_to_the_rows_are_refused():
    D = np.array([[0.0, 1.0], [1.0, 0.0]])
    assert precomputed_ground(D, None).own_rows
    assert not precomputed_ground(D[:, :1], None).own_rows
    with pytest.raises(ProsetError, match="Row 0 is farther from itself, column 0"):
        precomputed_ground(D[::-1], None)
