"""Gradient boosting mapping as its users meet it, and what the specification says always holds."""

import pickle
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import log_loss
from sklearn.preprocessing import scale
from sklearn.utils.estimator_checks import parametrize_with_checks

from proset.common.errors import ProsetError, StorageError
from proset.companions.gbmap import GBMapClassifier, GBMapRegressor
from proset.companions.protocol import NotOfferedError, PrototypeModel

EXPECTED_FAILURES = {"check_array_api_input": "The model computes with numpy only."}


@parametrize_with_checks([GBMapRegressor(), GBMapClassifier()], expected_failed_checks=lambda _: EXPECTED_FAILURES)
def test_scikit_learn_manners(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def bend():
    """A regression with a bend, its target far from zero and of another scale."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 5))
    return X, 1000.0 + 50.0 * (np.abs(X[:, 0]) - X[:, 1] + 0.1 * rng.normal(size=400))


@pytest.fixture(scope="module")
def regressor(bend):
    return GBMapRegressor(n_boosts=8, random_state=1).fit(*bend)


@pytest.fixture(scope="module")
def cancer():
    X, y = load_breast_cancer(return_X_y=True)
    return scale(X), np.array(["malignant", "benign"])[y]


@pytest.fixture(scope="module")
def classifier(cancer):
    return GBMapClassifier(n_boosts=6, random_state=1).fit(*cancer)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return scale(X), np.array(["setosa", "versicolor", "virginica"])[y]


@pytest.fixture(scope="module")
def three(iris):
    return GBMapClassifier(n_boosts=4, random_state=1).fit(*iris)


# What always holds


@pytest.mark.parametrize("seed", range(3))
def test_losses_never_rise_and_are_those_of_the_predictions(bend, cancer, seed):
    X, y = bend
    model = GBMapRegressor(random_state=seed).fit(X, y)
    assert (np.diff(model.losses_) < 0.0).all()
    assert model.losses_[0] == pytest.approx(1.0)
    staged = [np.mean((y - f) ** 2) / np.var(y) for f in model.staged_predict(X)]
    np.testing.assert_allclose(model.losses_[1:], staged, rtol=1e-6)
    X, y = cancer
    model = GBMapClassifier(random_state=seed).fit(X, y)
    assert (np.diff(model.losses_) < 0.0).all()
    assert model.losses_[0] == pytest.approx(np.log(2.0))
    staged = [log_loss(y, p) for p in model.staged_predict_proba(X)]
    np.testing.assert_allclose(model.losses_[1:], staged, rtol=1e-6)


def test_without_a_bend_the_first_unit_is_least_squares_and_nothing_is_left():
    X, y = load_diabetes(return_X_y=True)
    X = scale(X)[:, :4]
    model = GBMapRegressor(n_boosts=3, beta=1e-4, ridge=0.0, tol=1e-9, max_iter=1000, random_state=0).fit(X, y)
    exact = LinearRegression().fit(X, y)
    first = next(model.staged_predict(X))
    np.testing.assert_allclose(first, exact.predict(X), atol=1e-3 * np.std(y))
    np.testing.assert_allclose(model.local_coefficients(X)[0], exact.coef_, atol=1e-2 * np.abs(exact.coef_).max())
    assert model.losses_[1] - model.losses_[-1] < 1e-4


def test_without_a_bend_the_first_unit_is_logistic_regression(cancer):
    X, y = cancer[0][:, :3], cancer[1]
    model = GBMapClassifier(n_boosts=3, beta=1e-4, ridge=0.0, tol=1e-9, max_iter=2000, random_state=0).fit(X, y)
    exact = LogisticRegression(C=np.inf, tol=1e-10, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(next(model.staged_predict_proba(X)), exact.predict_proba(X), atol=2e-3)
    assert model.losses_[1] - model.losses_[-1] < 1e-4


@pytest.mark.parametrize("name", ["regressor", "classifier", "three"])
def test_predictions_differ_by_at_most_the_path_and_that_by_at_most_the_embedding(request, name):
    model = request.getfixturevalue(name)
    rng = np.random.default_rng(2)
    A, B = 2.0 * rng.normal(size=(2, 12, model.n_features_in_))
    f = model.predict if name == "regressor" else model.decision_function
    a, b = (f(Z).reshape(12, -1) for Z in (A, B))
    apart = np.abs(a[:, None] - b[None]).sum(axis=2)
    path, embedded = model.path_distance(A, B), model.embedding_distance(A, B)
    slack = 1e-9 * embedded.max()
    assert (apart <= path + slack).all()
    assert (path <= embedded + slack).all()
    finer = model.path_distance(A, B, n_steps=1000)
    assert (finer >= path - 1e-3 * embedded).all()
    np.testing.assert_allclose(finer, path, rtol=2e-2)
    np.testing.assert_allclose(model.embedding_distance(A), model.distance(A, A), atol=slack)
    np.testing.assert_array_equal(np.diag(model.path_distance(A)), 0.0)


def test_the_length_of_a_path_is_the_integral_of_the_slope(regressor):
    rng = np.random.default_rng(3)
    a, b = 2.0 * rng.normal(size=(2, 5))
    t = (np.arange(20000) + 0.5) / 20000
    slopes = regressor.local_coefficients(a + t[:, None] * (b - a)) @ (b - a)
    assert regressor.path_distance([a], [b], n_steps=4000)[0, 0] == pytest.approx(np.abs(slopes).mean(), rel=1e-4)


def test_far_out_everything_stays_finite_and_probabilities_inside(cancer, classifier, three):
    for model in (classifier, three):
        far = 1e3 * np.random.default_rng(0).normal(size=(20, model.n_features_in_))
        p = model.predict_proba(far)
        assert ((p > 0.0) & (p < 1.0)).all()
        np.testing.assert_allclose(p.sum(axis=1), 1.0)
        np.testing.assert_array_equal(model.predict(far), model.classes_[model.scores(far).argmax(axis=1)])
    sharp = GBMapClassifier(n_boosts=2, beta=1e3, random_state=0).fit(*cancer)
    assert np.isfinite(sharp.losses_).all()


def test_the_same_seed_gives_the_same_model_numpys_integers_too(bend):
    X, y = bend
    models = [GBMapRegressor(n_boosts=3, random_state=s).fit(X, y) for s in (4, np.int64(4), np.uint8(5))]
    np.testing.assert_array_equal(models[0].weights_, models[1].weights_)
    assert not np.array_equal(models[0].weights_, models[2].weights_)


def test_more_stages_go_on_from_fewer(iris):
    few, many = (GBMapClassifier(n_boosts=m, random_state=3).fit(*iris) for m in (2, 4))
    np.testing.assert_allclose(few.decision_function(iris[0]), many.decision_function(iris[0], n_boosts=2))
    np.testing.assert_allclose(list(many.staged_decision_function(iris[0]))[1], few.decision_function(iris[0]))


def test_a_class_against_the_others_does_not_depend_on_its_companions(iris, three):
    X, y = iris
    same_start = np.random.RandomState(1).randint(2**31 - 1, size=3)

    class First(np.random.RandomState):
        def randint(self, *args, **kwargs):
            return int(same_start[2])

    alone = GBMapClassifier(n_boosts=4, random_state=First()).fit(X, np.where(y == "virginica", "z", "a"))
    np.testing.assert_allclose(alone.decision_function(X), three.decision_function(X)[:, 2], atol=1e-6)


# Restarts, stopping, weights, penalties


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


def test_single_precision_is_as_good(bend):
    X, y = bend
    double, single = (GBMapRegressor(precision=p, random_state=0).fit(X, y) for p in ("double", "single"))
    assert single.score(X, y) == pytest.approx(double.score(X, y), abs=0.01)


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


# Another model to start from


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


# Embedding, neighbours, drift, coefficients


@pytest.mark.parametrize("name", ["regressor", "classifier", "three"])
def test_the_embedding_adds_up_to_the_score(request, name):
    model = request.getfixturevalue(name)
    X = np.random.default_rng(0).normal(size=(9, model.n_features_in_))
    embedded = model.transform(X)
    assert embedded.shape == (9, len(model.signs_))
    if name == "three":
        assert embedded.shape[1] == 4 * 3
        added = np.stack([embedded[:, model.outputs_ == k].sum(axis=1) for k in range(3)], axis=1)
        np.testing.assert_allclose(added, model.decision_function(X))
    elif name == "regressor":
        np.testing.assert_allclose(embedded.sum(axis=1) + model.target_mean_, model.predict(X))
    else:
        np.testing.assert_allclose(embedded.sum(axis=1), model.decision_function(X))


def test_the_embedding_can_be_a_table_with_names(bend):
    X, y = bend
    frame = pd.DataFrame(X, columns=list("abcde"))
    model = GBMapRegressor(n_boosts=2, random_state=0).set_output(transform="pandas").fit(frame, y)
    assert model.transform(frame).columns.tolist() == ["gbmapregressor0", "gbmapregressor1"]
    assert model.embedding_distance(frame.iloc[:3]).shape == (3, 3)


def test_drift_is_the_gap_to_the_mean_of_neighbours(bend, cancer, regressor, classifier):
    (X, y), (Xc, _) = bend, cancer
    rows = 3.0 * X[:5]
    near = np.argsort(regressor.embedding_distance(rows, X), axis=1, kind="stable")[:, :5]
    np.testing.assert_allclose(regressor.drift_indicator(rows), np.abs(regressor.predict(rows) - y[near].mean(axis=1)))
    np.testing.assert_array_equal(np.sort(regressor.neighbors(rows)[1]), np.sort(near))
    rows = 3.0 * Xc[:5]
    near = np.argsort(classifier.embedding_distance(rows, Xc), axis=1, kind="stable")[:, :5]
    scores = classifier.decision_function(Xc)
    gap = np.abs(classifier.decision_function(rows) - scores[near].mean(axis=1))
    np.testing.assert_allclose(classifier.drift_indicator(rows), gap)
    np.testing.assert_allclose(classifier.familiarity(rows).raw, -gap)


def test_far_from_the_data_there_is_drift_unless_the_direction_does_not_matter():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 4))
    model = GBMapRegressor(lasso=0.3, random_state=0).fit(X, X[:, 0] + 0.01 * rng.normal(size=500))
    usual = np.quantile(model.drift_indicator(X), 0.95)
    ahead = 20.0 * np.array([[1.0, 0, 0, 0], [-1.0, 0, 0, 0]])  # a single unit is flat on one side
    assert model.drift_indicator(ahead).max() > 50 * usual
    assert model.drift_indicator(np.array([[0.0, 0, 20.0, 0]]))[0] < 2 * usual


def test_too_few_rows_to_be_neighbours_are_told(bend):
    X, y = bend
    model = GBMapRegressor(n_boosts=1, max_reference=3, random_state=0).fit(X, y)
    assert len(model.reference_index_) == 3
    with pytest.raises(ProsetError, match=r"There are 3 rows to be neighbours, and k=5"):
        model.drift_indicator(X)


@pytest.mark.parametrize("name", ["regressor", "classifier", "three"])
def test_soft_coefficients_are_slopes_and_hard_ones_belong_to_regions(request, name):
    model = request.getfixturevalue(name)
    X = np.random.default_rng(0).normal(size=(4, model.n_features_in_))
    f = model.predict if name == "regressor" else model.decision_function
    slopes = np.stack([(f(X + h) - f(X - h)) / 2e-5 for h in 1e-5 * np.eye(model.n_features_in_)], axis=-1)
    np.testing.assert_allclose(model.local_coefficients(X), slopes, rtol=1e-4, atol=1e-4 * np.abs(slopes).max())
    hard, active = model.local_coefficients(X, "hard"), model.regions(X)
    height = model.signs_ * model.target_scale_
    k = model.outputs_ == 0
    first = hard[:, 0] if name == "three" else hard
    np.testing.assert_allclose(first, (active * height)[:, k] @ model.weights_[k])
    with pytest.raises(ValueError, match="mode is 'both'"):
        model.local_coefficients(X, "both")


# The interface that all systems share, and what is refused


def test_it_is_a_prototype_model_that_says_what_it_lacks(classifier, cancer):
    X, _ = cancer
    assert isinstance(classifier, PrototypeModel)
    with pytest.raises(NotOfferedError, match="GBMapClassifier has no prototypes"):
        classifier.prototypes()
    explained = classifier.explain(X[0], reference=X)
    assert len(explained.prototypes) == 0
    assert 0.0 <= explained.quantile <= 1.0
    size = classifier.complexity(X)
    assert (size.n_prototypes, size.n_active_features, size.nnz) == (0, 30, 180)
    assert size.predict_us > 0.0


def test_a_path_is_staged_and_holds_the_models_own_size(cancer, classifier):
    X, y = cancer
    points = classifier.path(X, y, X[:20])
    assert [p.value for p in points] == [0, 1, 2, 3, 5, 6, 10, 20]
    assert [p.value for p in points if p.own] == [6]
    assert points[0].n_features == 0
    np.testing.assert_array_equal(points[5].probabilities, classifier.predict_proba(X[:20]))


@pytest.mark.parametrize("name", ["classifier", "three"])
def test_it_can_be_written_and_read(request, name):
    model = request.getfixturevalue(name)
    X = np.random.default_rng(0).normal(size=(6, model.n_features_in_))
    for again in (GBMapClassifier.from_dict(model.to_dict()), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
        np.testing.assert_array_equal(again.drift_indicator(X), model.drift_indicator(X))


def test_a_model_with_another_one_inside_cannot_be_written(cancer):
    model = GBMapClassifier(n_boosts=1, init_score=LogisticRegression(), random_state=0).fit(*cancer)
    with pytest.raises(StorageError, match="cannot be written"):
        model.to_dict()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"beta": 0.0}, "beta is 0.0; it has to be a number above 0"),
        ({"n_boosts": 1.5}, "n_boosts is 1.5; it has to be a whole number of at least 0"),
        ({"refit": "both"}, "refit is 'both'; it has to be one of 'depth', 'width'"),
        ({"precision": "half"}, "precision is 'half'"),
        ({"random_state": "x"}, "random_state is 'x'"),
        ({"validation_fraction": 1.0}, "validation_fraction is 1.0"),
        ({"n_jobs": 0}, "n_jobs"),
    ],
)
def test_impossible_parameters_are_refused(bend, parameters, words):
    with pytest.raises(ValueError, match=words):
        GBMapRegressor(**parameters).fit(*bend)


def test_impossible_data_are_refused_and_the_model_stays(cancer, bend):
    X, y = cancer
    model = GBMapClassifier(n_boosts=1, random_state=0).fit(X, y)
    before = model.predict_proba(X)
    with pytest.raises(ValueError, match="one class"):
        model.fit(X, np.full(len(X), "benign"))
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full_like(X, np.nan), y)
    with pytest.raises(ValueError, match="All sample weights are zero"):
        model.fit(X, y, np.zeros(len(X)))
    with pytest.raises(ValueError, match="Unknown label type"):
        model.fit(X, X[:, 0])
    np.testing.assert_array_equal(model.predict_proba(X), before)

    class StopError(Exception):
        pass

    def stop(done, out_of):
        if done:
            raise StopError

    with pytest.raises(StopError):
        model.fit(X, y, progress=stop)
    np.testing.assert_array_equal(model.predict_proba(X), before)


def test_progress_is_told_stage_by_stage(bend):
    told = []
    GBMapRegressor(n_boosts=3, random_state=0).fit(*bend, progress=lambda done, out_of: told.append((done, out_of)))
    assert told == [(0, 3), (1, 3), (2, 3), (3, 3)]
