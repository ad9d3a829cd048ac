"""Classes too rare to supply prototypes are set aside by the estimator, and are classes of its model all the same."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import ShuffleSplit, cross_val_score

from proset import ClassifierModel, ProsetClassifierCV, select_hyperparameters
from proset.selection.rare_classes import ClassesSetAside, RareClassWarning

RNG = np.random.default_rng(5)
X = RNG.normal(size=(90, 3))
Y = np.where(X[:, 0] > 0.0, "yes", "no").astype(object)
RARE = [4, 50]
Y[RARE] = "maybe"  # before and between the others in the alphabet
FEW = {"method": "quick", "max_batches": 1, "random_state": 0}


def fitted(y=Y, **options):
    return ProsetClassifierCV(**FEW).fit(X, y, **options)


@pytest.fixture(scope="module")
def model():
    with pytest.warns(RareClassWarning, match="3 samples to supply prototypes, and there are too few of 'maybe'"):
        return fitted()


def test_the_class_is_one_of_the_model(model):
    assert model.classes_.tolist() == ["maybe", "no", "yes"] == model.model_.classes_.tolist()
    found = model.predict_proba(X)
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    far = model.predict_proba(np.full((1, 3), 1e6))[0]
    np.testing.assert_allclose(far, [2 / 90, (Y == "no").mean(), (Y == "yes").mean()])
    np.testing.assert_allclose(found[:, 0], (2 / 90) / (1.0 + model.familiarity(X)))
    assert np.isfinite(model.score(X, Y))


def test_the_others_are_what_they_are_without_it(model):
    kept = np.setdiff1d(np.arange(90), RARE)
    alone = ProsetClassifierCV(**FEW).fit(X[kept], Y[kept])
    assert alone.record_.fingerprint == model.record_.fingerprint
    batch, own = (one.model_.set_manager_.batches[0] for one in (model, alone))
    assert (batch.sample_index == kept[own.sample_index]).all()
    assert (Y[batch.sample_index] == model.classes_[batch.target]).all()
    np.testing.assert_allclose(batch.prototypes, own.prototypes)
    np.testing.assert_allclose(model.familiarity(X), alone.familiarity(X))


@pytest.mark.slow
def test_groups_times_and_weights_go_with_the_rows():
    weight = np.where(np.arange(90) % 7 == 0, 0.0, 2.0)
    groups = np.arange(90) // 2
    with pytest.warns(RareClassWarning):
        found = ProsetClassifierCV(**FEW).fit(X, Y, weight, groups)
    shares = [weight[name == Y].sum() / weight.sum() for name in found.classes_]
    np.testing.assert_allclose(found.predict_proba(np.full((1, 3), 1e6))[0], shares)
    batch = found.model_.set_manager_.batches[0]
    assert (weight[batch.sample_index] > 0.0).all()
    assert (Y[batch.sample_index] == found.classes_[batch.target]).all()
    with pytest.warns(RareClassWarning):
        by_time = ProsetClassifierCV(**FEW).fit(pd.DataFrame(X, columns=list("abc")), list(Y), times=np.arange(90))
    assert by_time.feature_names_in_.tolist() == ["a", "b", "c"]
    assert by_time.predict_proba(pd.DataFrame(X, columns=list("abc"))).shape == (90, 3)


@pytest.mark.parametrize("n", [89, 91])
@pytest.mark.parametrize("which", ["groups", "times"])
def test_groups_and_times_of_another_length_are_refused(n, which):
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        ProsetClassifierCV(**FEW).fit(X, Y, **{which: np.arange(n)})


def test_a_class_that_weighs_nothing_is_no_class():
    weight = np.ones(90)
    weight[RARE] = 0.0
    with warnings.catch_warnings():
        warnings.simplefilter("error", RareClassWarning)
        assert fitted(sample_weight=weight).classes_.tolist() == ["no", "yes"]


def test_it_can_be_pickled(model):
    again = pickle.loads(pickle.dumps(model))
    assert (again.predict_proba(X) == model.predict_proba(X)).all()


@pytest.mark.slow
def test_it_can_be_cross_validated():
    folds = ShuffleSplit(2, test_size=0.3, random_state=0)
    with pytest.warns(RareClassWarning):
        scores = cross_val_score(ProsetClassifierCV(**FEW), X, Y, cv=folds)
    assert np.isfinite(scores).all()


def test_numbers_are_named_as_numbers():
    y = np.repeat([0, 1, 2], [45, 44, 1])
    with pytest.warns(RareClassWarning, match="too few of '2'"):
        assert fitted(y).classes_.tolist() == [0, 1, 2]


@pytest.mark.parametrize("counts", [(89, 1), (88, 1, 1), (2, 2, 2)])
def test_nothing_is_set_aside_where_one_class_would_be_left(counts):
    rare = ClassesSetAside.of(np.repeat(np.arange(len(counts)), counts), None, 0.5)
    assert not rare
    if sum(counts) == 90:
        with pytest.raises(ValueError, match="Every class needs at least 3 samples"):
            fitted(np.repeat(np.arange(len(counts)), counts))


def test_whoever_fits_the_model_itself_is_told_and_decides():
    for fit in (lambda: ClassifierModel().fit(X, Y), lambda: select_hyperparameters(ClassifierModel(), X, Y)):
        with pytest.raises(ValueError, match=r"Too few samples in: maybe \(2\)"):
            fit()
