"""The classifier as its users meet it."""

import json
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from companions.smp.made import made_rows
from scipy.sparse import issparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.preprocessing import scale
from sklearn.utils.estimator_checks import parametrize_with_checks

from proset.common.errors import ProsetError, StorageError
from proset.companions.protocol import PrototypeModel
from proset.companions.smp import NoPrototypeWarning, SMPClassifier, SMPClassifierCV, UnscaledFeaturesWarning

EXPECTED_FAILURES = {"check_array_api_input": "The model computes with numpy only."}
CHECKED = [SMPClassifier(), SMPClassifier(loss="max", fit_intercept=True, init="kmeans++", random_state=0)]


@parametrize_with_checks(CHECKED[:1], expected_failed_checks=lambda _: EXPECTED_FAILURES)
def test_scikit_learn_manners(estimator, check):
    mind_manners(estimator, check)


@pytest.mark.exhaustive
@parametrize_with_checks(CHECKED[1:], expected_failed_checks=lambda _: EXPECTED_FAILURES)
def test_scikit_learn_manners_of_the_other_loss(estimator, check):
    mind_manners(estimator, check)


def mind_manners(estimator, check):
    with warnings.catch_warnings():
        for category in (ConvergenceWarning, UnscaledFeaturesWarning, NoPrototypeWarning):
            warnings.simplefilter("ignore", category)  # some checks fit noise, or rows as they come
        check(estimator)


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return scale(X), np.array(["setosa", "versicolor", "virginica"])[y]


@pytest.fixture(scope="module")
def fitted(iris):
    return SMPClassifier(lam=0.1, mu=0.01, fit_intercept=True, max_iter=20_000).fit(*iris)


def test_it_offers_all_of_the_protocol(fitted):
    assert isinstance(fitted, PrototypeModel)
    assert fitted.lacks == frozenset()


def test_prediction_is_the_class_of_the_winning_prototype(iris, fitted):
    X, y = iris
    np.testing.assert_array_equal(fitted.predict(X), fitted.prototype_labels_[fitted.winning_prototype(X)])
    np.testing.assert_array_equal(fitted.predict(X), fitted.classes_[fitted.scores(X).argmax(axis=1)])
    np.testing.assert_allclose(fitted.predict_proba(X).sum(axis=1), 1.0)
    assert fitted.score(X, y) > 0.93


def test_scores_are_those_of_the_formula(iris, fitted):
    X = iris[0]
    for k, label in enumerate(fitted.classes_):
        own = fitted.prototype_labels_ == label
        expected = (X @ fitted.coef_[own].T + fitted.intercept_[own]).max(axis=1)
        np.testing.assert_allclose(fitted.scores(X)[:, k], expected)


def test_two_classes_have_two_scores_and_one_decision(iris):
    X, y = iris[0][50:], iris[1][50:]
    model = SMPClassifier(mu=0.1, max_iter=20_000).fit(scale(X), y)
    scores = model.scores(scale(X))
    assert scores.shape == (100, 2)
    np.testing.assert_allclose(model.decision_function(scale(X)), scores[:, 1] - scores[:, 0])


def test_contributions_add_up_to_scores(iris, fitted):
    parts = fitted.contributions(iris[0])
    np.testing.assert_allclose(parts.total(), fitted.scores(iris[0]), atol=1e-12)
    assert ((parts.added != 0.0).sum(axis=(1, 2)) <= 3).all()


def test_prototypes_as_a_table(fitted):
    table = fitted.prototypes()
    np.testing.assert_array_equal(table.X, fitted.coef_)
    assert set(table.source) == {"synthetic"}
    assert table.group.tolist() == [0, 1] * 3
    np.testing.assert_allclose(table.weight, fitted.feature_weights().sum(axis=1))
    assert int(table.active.sum()) == fitted.nnz_


def test_distance_is_blind_where_no_prototype_looks(iris):
    X = np.column_stack([iris[0], np.random.default_rng(0).normal(size=150)])
    model = SMPClassifier(1, lam=0.0, mu=0.05, max_iter=20_000).fit(X, iris[1])
    blind = np.setdiff1d(np.arange(5), model.active_features())
    assert blind.size
    moved = X[:1].copy()
    moved[0, blind] += 7.0
    assert model.distance(X[:1], moved)[0, 0] == pytest.approx(0.0, abs=1e-12)
    np.testing.assert_allclose(np.diag(model.distance(X)), 0.0, atol=1e-12)


def test_familiarity_is_the_best_cosine(fitted):
    direction = fitted.coef_[3]
    found = fitted.familiarity(np.stack([direction, 9.0 * direction, np.zeros(4)]), held_out=-fitted.coef_)
    np.testing.assert_allclose(found.raw, [1.0, 1.0, 0.0], atol=1e-12)
    assert found.quantile[0] == 1.0


def test_explanation_names_the_winner_first(iris, fitted):
    told = fitted.explain(iris[0][60], n_prototypes=2)
    assert told.prototypes[0] == fitted.winning_prototype(iris[0][60:61])[0]
    assert json.dumps(told.to_dict())


@pytest.mark.parametrize("copied", [lambda m: pickle.loads(pickle.dumps(m)), lambda m: m.from_dict(m.to_dict())])
def test_copies_say_the_same(iris, fitted, copied):
    again = copied(fitted)
    np.testing.assert_array_equal(again.predict_proba(iris[0]), fitted.predict_proba(iris[0]))
    np.testing.assert_array_equal(again.prototype_labels_, fitted.prototype_labels_)


def test_order_of_rows_and_columns_does_not_matter(iris):
    X, y = iris
    rows, columns = np.random.default_rng(1).permutation(150), [2, 0, 3, 1]
    model = SMPClassifier(mu=0.01, max_iter=20_000, tol=1e-7).fit(X, y)
    again = clone(model).fit(X[rows][:, columns], y[rows])
    np.testing.assert_allclose(again.predict_proba(X[:, columns]), model.predict_proba(X), atol=1e-4)


def test_merging_and_sparsifying_keep_the_predictions(iris):
    model = SMPClassifier(3, lam=10.0, mu=0.01, max_iter=20_000, tol=1e-7).fit(*iris)
    before = model.predict_proba(iris[0])
    assert model.n_distinct_ == 3
    assert model.complexity().n_prototypes == 3  # as along its path, where a fused pair counts once
    model.merge()
    assert model.coef_.shape == (3, 4)
    assert model.prototype_labels_.tolist() == ["setosa", "versicolor", "virginica"]
    assert set(model.assignment_) == {0, 1, 2}
    np.testing.assert_allclose(model.predict_proba(iris[0]), before, atol=1e-5)
    assert issparse(model.sparsify().coef_)
    np.testing.assert_allclose(model.predict_proba(iris[0]), before, atol=1e-5)
    assert len(model.prototypes()) == 3
    assert model.from_dict(model.to_dict()).coef_.shape == (3, 4)
    assert model.complexity(iris[0]).nnz == model.nnz_
    assert not issparse(model.densify().coef_)


def test_too_large_a_penalty_states_the_class_shares(iris):
    X, y = iris[0][:120], iris[1][:120]
    with pytest.warns(NoPrototypeWarning, match="mu=100"):
        model = SMPClassifier(mu=100.0).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X[:2]), [[50 / 120, 50 / 120, 20 / 120]] * 2)
    assert model.complexity().n_active_features == 0
    weighted = np.where(y == "virginica", 9.0, 1.0)
    with pytest.warns(NoPrototypeWarning):
        weighted = SMPClassifier(mu=100.0).fit(X, y, weighted)
    assert set(weighted.predict(X)) == {"virginica"}


def test_intercepts_stand_in_for_a_mean(iris):
    X, y = iris
    plain = SMPClassifier(1, lam=0.0, mu=0.01, fit_intercept=True, max_iter=50_000, tol=1e-7).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a mean is no reason to warn then
        moved = SMPClassifier(1, lam=0.0, mu=0.01, fit_intercept=True, max_iter=50_000, tol=1e-7).fit(X + 2.0, y)
    np.testing.assert_allclose(moved.predict_proba(X + 2.0), plain.predict_proba(X), atol=1e-3)


@pytest.mark.parametrize("make", [SMPClassifier, lambda **p: SMPClassifierCV((2,), (0.01,), (0.01,), cv=2, **p)])
def test_standardising_is_what_a_scaler_in_front_does(iris, make):
    X, y = load_iris().data * [1.0, 1e3, 1e-3, 1.0] + 5.0, iris[1]
    inside, outside = make(standardize=True, max_iter=20_000).fit(X, y), make(max_iter=20_000).fit(iris[0], y)
    np.testing.assert_allclose(inside.coef_, outside.coef_, atol=1e-9)
    np.testing.assert_allclose(inside.predict_proba(X), outside.predict_proba(iris[0]))
    np.testing.assert_allclose(scale(X).std(axis=0), 1.0)
    table = inside.prototypes()
    np.testing.assert_allclose((table.X - X.mean(axis=0)) / X.std(axis=0), inside.coef_, atol=1e-9)
    np.testing.assert_allclose(inside.distance(X[:3], table.X), outside.distance(iris[0][:3], outside.prototypes().X))
    again = type(inside).from_dict(inside.to_dict())
    np.testing.assert_array_equal(again.predict_proba(X), inside.predict_proba(X))


def test_unscaled_features_are_named():
    rows = made_rows()
    frame = pd.DataFrame(rows.X * [1.0, 1.0, 1e4, 1.0], columns=["a", "b", "in\ncome", "d"])
    with pytest.warns(UnscaledFeaturesWarning, match=r"in.{1,2}ncome' \(mean .*StandardScaler"):
        SMPClassifier(max_iter=50_000, tol=1.0).fit(frame, rows.target)


def test_constant_features_and_lone_rows_are_no_trouble():
    X = np.column_stack([[0.0, 0.1, 3.0, 3.1, -3.0], np.zeros(5)])
    model = SMPClassifier(5, mu=0.01, max_iter=20_000).fit(X - X.mean(axis=0), [0, 0, 1, 1, 2])
    assert np.bincount(model.prototype_labels_).tolist() == [2, 2, 1]
    assert not model.coef_[:, 1].any()


def test_rows_without_weight_are_left_out(iris):
    X, y = iris
    weight = np.r_[np.ones(100), np.zeros(50)]
    model = SMPClassifier(mu=0.01, max_iter=20_000).fit(X, y, weight)
    assert model.classes_.tolist() == ["setosa", "versicolor"]
    assert (model.assignment_[100:] == -1).all()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"n_prototypes": 0}, "n_prototypes is 0; it has to be a whole number of at least 1"),
        ({"lam": -1.0}, "lam is -1.0"),
        ({"loss": "hinge"}, "one of 'softmax', 'max'"),
        ({"step": "long"}, "one of 'tight', 'paper', or a number above 0"),
        ({"fit_intercept": 3}, "True or False"),
        ({"random_state": "x"}, "random_state is 'x'"),
        ({"loss": "max", "solver": "accelerated"}, "needs a smooth loss"),
        ({"stopping": None}, "one of 'gap', 'change'"),
    ],
)
def test_impossible_parameters_are_named(parameters, words, iris, fitted):
    model = clone(fitted).set_params(**parameters)
    with pytest.raises(ValueError, match=words):
        model.fit(*iris)
    with pytest.raises(NotFittedError):
        model.predict(iris[0])


def test_a_refused_fit_leaves_the_model_as_it_was(iris):
    model = SMPClassifier(mu=0.1, max_iter=20_000).fit(*iris)
    before = model.predict_proba(iris[0])
    with pytest.raises(ValueError, match="one class is present: 'setosa'"):
        model.fit(iris[0][:50], iris[1][:50])
    np.testing.assert_array_equal(model.predict_proba(iris[0]), before)


def test_the_limit_of_iterations_is_told(iris):
    with pytest.warns(ConvergenceWarning, match="Stopped after 3 iterations"):
        SMPClassifier(max_iter=3).fit(*iris)


@pytest.mark.parametrize(
    "damage", [{"intercept_": np.zeros(5)}, {"prototype_bounds_": np.array([0, 2, 2, 6])}, {"coef_": np.zeros((6, 3))}]
)
def test_damaged_saved_models_are_refused(fitted, damage):
    state = fitted.to_dict()
    state["arrays"].update(damage)
    with pytest.raises(StorageError, match="do not fit each other"):
        SMPClassifier.from_dict(state)


def test_answers_that_would_fill_the_memory_are_refused(iris, fitted, monkeypatch):
    monkeypatch.setattr("proset.companions.room.MOST_NUMBERS", 1_000)
    with pytest.raises(ProsetError, match="rows at a time"):
        fitted.contributions(iris[0])
    with pytest.raises(ProsetError, match="rows at a time"):
        fitted.distance(iris[0])
