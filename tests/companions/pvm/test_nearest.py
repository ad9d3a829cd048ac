"""The rule, its ties, and probabilities whose largest is that of the class that is predicted."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import log_loss

from proset.companions.pvm import PVMClassifier
from proset.companions.pvm.distances import HeldDistances, RankDistances
from proset.companions.pvm.nearest import NearestPrototypes, choose_temperature, nearest_prototypes, probabilities


@settings(max_examples=150)
@given(seed=st.integers(0, 10**6), temperature=st.sampled_from([1e-9, 0.3, 1.0, 1e9]), n_rows=st.sampled_from([1, 50]))
def test_scores_and_probabilities_agree_with_the_rule_in_every_tie(seed, temperature, n_rows):
    rng = np.random.default_rng(seed)
    k, n_classes = rng.integers(1, 6), rng.integers(1, 4)
    D, labels = rng.integers(0, 3, size=(8, k)).astype(np.float64), rng.integers(0, n_classes, k)
    near = nearest_prototypes(HeldDistances.of(D), labels, n_classes)
    assert near.winner.tolist() == D.argmin(axis=1).tolist()  # the first of the nearest
    assert near.scores().argmax(axis=1).tolist() == near.label.tolist()
    shares = rng.dirichlet(np.ones(n_classes))
    estimates = probabilities(near, temperature, shares, n_rows)
    assert estimates.argmax(axis=1).tolist() == near.label.tolist()
    assert np.allclose(estimates.sum(axis=1), 1.0)
    assert (estimates > 0.0).all()


def test_class_shares_as_doubt_would_contradict_the_rule():
    # The specification's (1 - 1 / (n + 1)) p + share / (n + 1) turns near ties round: so doubt is shared equally.
    p, shares, n = np.array([0.5001, 0.4999]), np.array([0.1, 0.9]), 50
    assert ((1 - 1 / (n + 1)) * p + shares / (n + 1)).argmax() == 1


def test_without_prototypes_estimates_are_class_shares():
    near = nearest_prototypes(HeldDistances.of(np.empty((2, 0))), np.empty(0, dtype=np.int64), 2)
    assert probabilities(near, 1.0, np.array([0.3, 0.7]), 10).tolist() == [[0.3, 0.7], [0.3, 0.7]]
    assert choose_temperature(near, np.array([0, 1]), np.array([0.3, 0.7]), 10) == 1.0


def test_the_temperature_has_the_lowest_log_loss():
    rng = np.random.default_rng(0)
    D = rng.random((300, 6))
    near = nearest_prototypes(HeldDistances.of(D), np.array([0, 0, 1, 1, 2, 2]), 3)
    truth = np.where(rng.random(300) < 0.7, near.label, rng.integers(0, 3, 300))
    shares = np.full(3, 1 / 3)

    def loss(temperature):
        return -np.log(probabilities(near, temperature, shares, 300)[np.arange(300), truth]).mean()

    chosen = choose_temperature(near, truth, shares, 300)
    assert all(loss(chosen) <= loss(other) + 1e-9 for other in chosen * np.exp(np.linspace(-3, 3, 61)))


def test_standings_count_training_points_and_tell_ties_by_distance():
    usual = HeldDistances.of(np.array([[0.0], [1.0], [1.0], [4.0]]))
    tested = HeldDistances.of(np.array([[0.5], [1.0], [9.0], [10.0]]))
    found = RankDistances.among(tested, usual).block(np.array([0]))[0]
    assert np.floor(found).tolist() == [1.0, 3.0, 4.0, 4.0]
    assert found[3] > found[2]
    assert found == pytest.approx(np.floor(found) + np.array([0.5, 1.0, 9.0, 10.0]) / np.array([1.5, 2.0, 10.0, 11.0]))


def test_a_class_without_prototypes_keeps_its_share():
    """Distances say nothing about it: one row's worth of doubt made every row of it an error of many nats."""
    by_class = np.array([[0.0, 5.0, np.inf], [5.0, 0.0, np.inf], [1.0, 1.0, np.inf]])
    near = NearestPrototypes(by_class, np.array([0, 1, 0]), np.array([0, 1, 0]))
    estimates = probabilities(near, 0.1, np.array([0.5, 0.3, 0.2]), n_rows=10**9)
    np.testing.assert_allclose(estimates[:2], [[0.8, 0.0, 0.2], [0.0, 0.8, 0.2]], atol=1e-6)
    np.testing.assert_allclose(estimates[2], [4 / 9, 4 / 9, 1 / 9], atol=1e-6)  # between two, neither is sure
    assert estimates.argmax(axis=1).tolist() == near.label.tolist()


def test_the_class_that_is_predicted_stays_the_likeliest_beside_a_large_one_without_prototypes():
    near = NearestPrototypes(np.array([[0.0, np.inf]]), np.array([0]), np.array([0]))
    (estimates,) = probabilities(near, 1.0, np.array([0.1, 0.9]), n_rows=20)
    assert estimates[0] > estimates[1] > 0.49


@pytest.mark.parametrize("seed", range(4))
def test_three_classes_in_a_row_are_no_worse_than_their_shares(seed):
    """Often nobody covers the class in the middle; its rows were errors of six nats, and the log-loss was 2.3."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 440)
    X = rng.normal(size=(440, 3)) + np.outer(y, [1.0, -0.7, 0.0])
    model = PVMClassifier(cv=5, random_state=0).fit(X[:140], y[:140])
    assert log_loss(y[140:], model.predict_proba(X[140:])) < 1.0 < np.log(3.0)
    if seed == 0:
        assert set(model.prototype_labels_) == {0, 2}
