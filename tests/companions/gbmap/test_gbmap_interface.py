"""scikit-learn's manners, the interface that all systems share, and what is refused."""

import pickle

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.utils.estimator_checks import parametrize_with_checks

from proset.common.errors import StorageError
from proset.companions.gbmap import GBMapClassifier, GBMapRegressor
from proset.companions.protocol import NotOfferedError, PrototypeModel

EXPECTED_FAILURES = {"check_array_api_input": "The model computes with numpy only."}


@parametrize_with_checks([GBMapRegressor(), GBMapClassifier()], expected_failed_checks=lambda _: EXPECTED_FAILURES)
def test_scikit_learn_manners(estimator, check):
    check(estimator)


def test_far_from_all_rows_too_the_largest_probability_is_that_of_the_class_predicted(three):
    X = np.random.default_rng(0).normal(size=(400, three.n_features_in_)) * 1e6
    estimates = three.predict_proba(X)
    np.testing.assert_array_equal(three.classes_[estimates.argmax(axis=1)], three.predict(X))
    np.testing.assert_allclose(estimates.sum(axis=1), 1.0, rtol=1e-12)


def test_it_is_a_prototype_model_that_says_what_it_lacks(classifier, cancer):
    X, _ = cancer
    assert isinstance(classifier, PrototypeModel)
    with pytest.raises(NotOfferedError, match="GBMapClassifier has no prototypes"):
        classifier.prototypes()
    explained = classifier.explain(X[0], held_out=X)
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


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("weights_", lambda a: a[:, :-1]),
        ("signs_", lambda a: a[:-1]),
        ("outputs_", lambda a: a + 5),
        ("biases_", lambda a: a * np.nan),
        ("reference_values_", lambda a: a[:-1]),
    ],
)
def test_saved_arrays_that_do_not_fit_each_other_are_refused(classifier, name, change):
    state = classifier.to_dict()
    arrays = {**state["arrays"], name: change(state["arrays"][name])}
    with pytest.raises(StorageError, match="does not fit together"):
        GBMapClassifier.from_dict({"meta": state["meta"], "arrays": arrays})


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
