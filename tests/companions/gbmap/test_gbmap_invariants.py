"""What the specification says always holds."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import log_loss
from sklearn.preprocessing import scale

from proset.companions.gbmap import GBMapClassifier, GBMapRegressor


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
