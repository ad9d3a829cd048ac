"""Restarts, stopping, weights, penalties, scales, and another model to start from."""

import tracemalloc

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression

from proset.common.errors import ProsetError
from proset.companions.gbmap import GBMapClassifier, GBMapRegressor


def test_restarts_of_a_stage_and_of_the_fit(bend):
    X, y = bend
    one = GBMapRegressor(n_boosts=3, random_state=0).fit(X, y)
    width = GBMapRegressor(n_boosts=3, n_init=6, refit="width", random_state=0).fit(X, y)
    assert width.losses_[1] <= one.losses_[1] * (1 + 1e-9)  # the first start is among them
    depth = GBMapRegressor(n_boosts=3, n_init=6, refit="depth", random_state=0).fit(X, y)
    assert depth.losses_[-1] <= one.losses_[-1] * (1 + 1e-9)
    assert len(depth.signs_) == 3


def test_boosting_ends_where_nothing_can_be_gained():
    X = np.random.default_rng(0).normal(size=(200, 2))
    model = GBMapRegressor(n_boosts=50, random_state=0, ridge=1.0, min_gain=1e-3).fit(X, X[:, 0])
    assert 1 <= len(model.signs_) < 50
    assert len(model.losses_) == len(model.signs_) + 1


def test_a_constant_target_needs_no_unit():
    X = np.random.default_rng(0).normal(size=(20, 2))
    model = GBMapRegressor(random_state=0).fit(X, np.full(20, 0.1))
    assert model.transform(X).shape == (20, 0)
    np.testing.assert_allclose(model.predict(X), 0.1)
    np.testing.assert_allclose(model.drift_indicator(X), 0.0, atol=1e-12)
    np.testing.assert_array_equal(model.path_distance(X), 0.0)


def test_early_stopping_keeps_the_stages_that_helped_rows_it_did_not_see():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 10))
    y = rng.random(400) < 1 / (1 + np.exp(-2 * X[:, 0]))
    stopped = GBMapClassifier(n_boosts=40, early_stopping=True, random_state=0).fit(X, y)
    assert 0 < len(stopped.signs_) < 40
    assert stopped.validation_losses_.argmin() == len(stopped.signs_)
    assert stopped.losses_[-1] > GBMapClassifier(n_boosts=40, random_state=0).fit(X, y).losses_[-1]


def test_too_few_rows_to_set_some_aside_are_told():
    X = np.arange(12.0).reshape(6, 2)
    with pytest.raises(ProsetError, match=r"too few rows to set some aside.*Fit without early_stopping"):
        GBMapClassifier(early_stopping=True).fit(X, ["a", "a", "a", "a", "a", "b"])


def test_weights_count_like_repeated_rows(cancer):
    X, y = cancer
    count = np.random.default_rng(0).integers(0, 3, len(X))
    weighted = GBMapClassifier(n_boosts=2, random_state=0).fit(X, y, count)
    repeated = GBMapClassifier(n_boosts=2, random_state=0).fit(np.repeat(X, count, axis=0), np.repeat(y, count))
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), rtol=1e-5, atol=1e-6)
    assert set(weighted.reference_index_) == set(np.flatnonzero(count))


def test_scale_and_origin_of_the_target_make_no_difference(bend, regressor):
    X, y = bend
    other = GBMapRegressor(n_boosts=8, random_state=1).fit(X, 1e-7 * y - 5.0)
    np.testing.assert_allclose(other.predict(X), 1e-7 * regressor.predict(X) - 5.0, rtol=1e-9)
    np.testing.assert_allclose(other.embedding_distance(X[:9]), 1e-7 * regressor.embedding_distance(X[:9]), rtol=1e-4)


def test_the_lasso_leaves_out_what_does_not_matter():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 20))
    y = np.abs(X[:, 3]) + X[:, 7] + 0.1 * rng.normal(size=500)
    sparse = GBMapRegressor(n_boosts=4, lasso=1.0, random_state=0, max_iter=400).fit(X, y)
    active = np.flatnonzero(sparse.feature_weights().any(axis=0))
    assert {3, 7} <= set(active)
    assert len(active) < 10
    assert sparse.score(X, y) > 0.9
    assert np.count_nonzero(GBMapRegressor(n_boosts=4, random_state=0).fit(X, y).weights_) == 80


@pytest.mark.parametrize(("unit", "origin"), [(1e-6, 0.0), (1e3, 1e5), (1e150, -1e152), (1e300, 0.0)])
def test_scale_and_origin_of_the_features_make_no_difference(cancer, classifier, unit, origin):
    X, y = cancer
    other = GBMapClassifier(n_boosts=6, random_state=1).fit(unit * X + origin, y)
    expected = classifier.predict_proba(X)
    np.testing.assert_allclose(other.predict_proba(unit * X + origin), expected, atol=0.02)
    np.testing.assert_allclose(other.feature_weights(), classifier.feature_weights(), rtol=0.02, atol=0.02)


def test_scales_can_be_left_alone(bend):
    X, y = bend
    wide = X * [1.0, 1.0, 1.0, 1.0, 30.0]
    left, done = (GBMapRegressor(standardize=s, ridge=0.1, random_state=0).fit(wide, y) for s in (False, True))
    np.testing.assert_array_equal(left.feature_scale_, 1.0)
    np.testing.assert_allclose(done.feature_scale_, wide.std(axis=0))
    assert abs(left.losses_[-1] - done.losses_[-1]) > 1e-6


def test_a_feature_that_never_varied_plays_no_part(bend):
    X, y = bend
    model = GBMapRegressor(n_boosts=2, random_state=0).fit(np.c_[X, np.full(len(X), 3.7)], y)
    np.testing.assert_array_equal(model.weights_[:, 5], 0.0)
    rows = np.c_[X[:4], np.full(4, 1e6)]
    np.testing.assert_array_equal(model.predict(rows), model.predict(np.c_[X[:4], np.full(4, 3.7)]))


def test_constant_and_repeated_features_do_no_harm(bend):
    X, y = bend
    wide = np.c_[X, np.ones(len(X)), X[:, 0], np.zeros(len(X))]
    assert GBMapRegressor(random_state=0).fit(wide, y).score(wide, y) > 0.9


@pytest.mark.exhaustive  # compiles everything for another precision
def test_single_precision_is_as_good(bend):
    X, y = bend
    double, single = (GBMapRegressor(precision=p, random_state=0).fit(X, y) for p in ("double", "single"))
    assert single.score(X, y) == pytest.approx(double.score(X, y), abs=0.01)


@pytest.mark.slow
def test_a_fit_needs_little_more_room_than_its_features():
    X = np.random.default_rng(0).normal(size=(40_000, 30))
    y = X[:, 0] > 0.3 * X[:, 1] ** 2
    model = GBMapClassifier(n_boosts=3, max_iter=10, random_state=0).fit(X, y)  # compiled by now
    tracemalloc.start()
    try:
        model.fit(X, y)
        model.predict_proba(X)
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 2.0 * X.nbytes  # one copy in blocks, and vectors


def test_it_can_go_without_an_intercept(bend):
    model = GBMapRegressor(fit_intercept=False, random_state=0).fit(*bend)
    np.testing.assert_array_equal(model.biases_, 0.0)


def test_a_model_to_start_from_is_added(bend):
    X, y = bend
    linear = LinearRegression().fit(X, y)
    inside = GBMapRegressor(n_boosts=4, init_score=LinearRegression(), random_state=0).fit(X, y)
    ready = GBMapRegressor(n_boosts=4, init_score=FrozenEstimator(linear), random_state=0).fit(X, y)
    given = GBMapRegressor(n_boosts=4, random_state=0).fit(X, y, f0=linear.predict(X))
    assert inside.losses_[0] == pytest.approx(1 - linear.score(X, y))
    np.testing.assert_allclose(inside.predict(X), linear.predict(X) + inside.transform(X).sum(axis=1))
    np.testing.assert_allclose(ready.predict(X), inside.predict(X))
    np.testing.assert_allclose(given.predict(X, f0=linear.predict(X)), inside.predict(X))
    with pytest.raises(ProsetError, match="fitted with f0"):
        given.predict(X)
    with pytest.raises(ProsetError, match=r"f0 has shape \(3,\)"):
        given.predict(X, f0=[1.0, 2.0, 3.0])


def test_what_another_model_says_goes_with_its_rows_when_some_weigh_nothing(bend):
    X, y = bend
    weight = np.r_[np.zeros(50), np.ones(350)]
    f0 = LinearRegression().fit(X, y).predict(X)
    model = GBMapRegressor(n_boosts=2, random_state=0).fit(X, y, weight, f0=f0)
    without = GBMapRegressor(n_boosts=2, random_state=0).fit(X[50:], y[50:], f0=f0[50:])
    np.testing.assert_array_equal(model.weights_, without.weights_)
    with pytest.raises(ProsetError, match=r"f0 has shape \(350,\)"):
        model.fit(X, y, weight, f0=f0[50:])


@pytest.mark.parametrize("name", ["cancer", "iris"])
def test_a_classifier_to_start_from_is_added(request, name):
    X, y = request.getfixturevalue(name)
    start = LogisticRegression(C=0.1)
    model = GBMapClassifier(n_boosts=2, init_score=start, random_state=0).fit(X, y)
    plain = clone(start).fit(X, y).decision_function(X)
    np.testing.assert_allclose(model.decision_function(X, n_boosts=0), plain)
    assert model.losses_[-1] < model.losses_[0]
