"""What balls around prototypes cover, for any list of prototypes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from proset.common.errors import ProsetError
from proset.companions.adapters import KnnPrototypes, ProsetPrototypes, XgbPrototypes
from proset.companions.covering import cover_of, cover_report, typical_eps
from proset.companions.protocol import NotOfferedError
from proset.companions.pvm import PVMClassifier


def blobs(n=60):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 2
    return rng.normal(size=(n, 2)) + 3.0 * y[:, None], np.array(["a", "b"])[y]


@settings(max_examples=60)
@given(
    apart=npst.arrays(np.float64, st.tuples(st.integers(0, 9), st.integers(0, 5)), elements=st.floats(0.0, 4.0)),
    seed=st.integers(0, 99),
    eps=st.floats(0.1, 4.0),
)
def test_counts_are_those_of_plain_loops(apart, seed, eps):
    rng = np.random.default_rng(seed)
    n, k = apart.shape
    y, labels = rng.integers(0, 3, n), rng.integers(0, 3, k)
    found = cover_report(apart, y, labels, eps)
    seen = set()
    for j in range(k):
        inside = [i for i in range(n) if apart[i, j] < eps]
        own = {i for i in inside if y[i] == labels[j]}
        assert found.own[j] == len(own)
        assert found.other[j] == len(inside) - len(own)
        assert found.new[j] == len(own - seen)
        seen |= own
    assert found.n_uncovered == n - len(seen)
    assert found.objective == n - len(seen) + found.other.sum()
    assert found.wrong.sum() == found.other.sum()


def test_the_edge_of_a_ball_is_outside():
    assert cover_report([[1.0]], ["a"], ["a"], 1.0).own.tolist() == [0]


def test_words():
    apart = np.zeros((990, 1))
    found = cover_report(apart, ["a"] * 986 + ["b"] * 4, ["a"], 0.5)
    assert found.words(0) == "covers 986 of its class, 4 of others"


def test_a_prototype_vector_machine_is_counted_as_it_counts_itself():
    X, y = blobs()
    model = PVMClassifier(eps=1.0, temperature=1.0).fit(X, y)
    found = cover_of(model, X, y)
    assert found.eps == 1.0
    assert found.new.tolist() == model.covered_.tolist()
    assert found.other.tolist() == model.miscovered_.tolist()
    assert found.objective + model.lam_ * len(model.prototypes()) == pytest.approx(model.objective_)


def test_prototypes_of_other_systems_have_balls_too():
    X, y = blobs()
    found = cover_of(ProsetPrototypes(random_state=0).fit(X, y), X, y, eps=1.0)
    assert (found.own >= 1).all()  # itself
    neighbours = cover_of(KnnPrototypes().fit(X, y), X, y)
    assert neighbours.n_uncovered == 0
    with pytest.raises(NotOfferedError, match="has no prototypes"):
        cover_of(XgbPrototypes(n_rounds=2).fit(X, y), X, y)


def test_the_typical_radius_leaves_a_prototype_itself_out():
    X, y = blobs()
    model = KnnPrototypes(standardize=False).fit(X, y)
    eps = typical_eps(model.distance(X), y, y)
    apart = np.linalg.norm(X[:, None] - X[None], axis=2) + np.where(np.eye(len(y)), np.inf, 0.0)
    apart[y[:, None] != y[None]] = np.inf
    assert eps == pytest.approx(np.median(apart.min(axis=1)))
    assert typical_eps(np.zeros((2, 1)), np.array(["a", "a"]), np.array(["a"])) == 1.0


def test_no_prototypes_cover_nothing():
    X, y = blobs()
    found = cover_of(ProsetPrototypes(n_iter=0).fit(X, y), X, y)
    assert found.n_uncovered == len(y)
    assert found.to_frame().empty


@pytest.mark.parametrize("eps", [0.0, -1.0, float("nan")])
def test_impossible_radius(eps):
    with pytest.raises(ProsetError, match="eps is"):
        cover_report([[1.0]], ["a"], ["a"], eps)


def test_shapes_and_holes_are_refused():
    with pytest.raises(ProsetError, match="1 rows and 2 prototypes"):
        cover_report([[1.0]], ["a"], ["a", "b"], 1.0)
    with pytest.raises(ProsetError, match="missing"):
        cover_report([[np.nan]], ["a"], ["a"], 1.0)
