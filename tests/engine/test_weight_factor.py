"""All prototype weights times a factor, after the fit."""

import numpy as np
import pytest

from proset.engine import saved_form
from proset.engine.model import ClassifierModel

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
Y = np.where(X[:, 0] + 0.5 * RNG.normal(size=80) > 0, "yes", "no")


def fitted(factor, n_iter=2, **more):
    return ClassifierModel(n_iter=n_iter, lambda_v=1e-2, random_state=0, weight_factor=factor, **more).fit(X, Y)


def test_estimates_are_those_of_scaled_impacts():
    whole, half = fitted(1.0), fitted(0.5)
    marginals = whole.set_manager_.marginals
    impacts = whole.set_manager_.unnormalized(X) - marginals
    expected = 0.5 * impacts + marginals
    np.testing.assert_allclose(half.predict_proba(X), expected / expected.sum(axis=1, keepdims=True), rtol=1e-6)
    np.testing.assert_allclose(half.familiarity(X), 0.5 * whole.familiarity(X), rtol=1e-6)


def test_a_small_factor_draws_estimates_to_the_marginals():
    light = {"lambda_w": 1e-3}  # weights of a few units, so that a thousandth of them is next to nothing
    marginals = fitted(1.0, **light).set_manager_.marginals
    estimates = [fitted(factor, **light).predict_proba(X) for factor in (1.0, 0.5, 0.1, 1e-3)]
    distance = [np.abs(estimate - marginals).max() for estimate in estimates]
    assert distance == sorted(distance, reverse=True)
    assert distance[-1] < 0.1 * distance[0]


def test_one_changes_no_bit():
    assert fitted(1.0).set_manager_.scaled(1.0) is not None
    plain = ClassifierModel(n_iter=2, lambda_v=1e-2, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(plain.predict_proba(X), fitted(1.0).predict_proba(X))


@pytest.mark.parametrize("factor", [0.5, 0.25])
def test_a_warm_start_goes_on_from_the_model_before_the_factor(factor):
    twice = fitted(factor, n_iter=1).fit(X, Y, warm_start=True)
    np.testing.assert_array_equal(twice.predict_proba(X), fitted(factor, n_iter=2).predict_proba(X))


def test_a_warm_start_takes_another_factor_over():
    other = fitted(0.5, n_iter=1).set_params(weight_factor=0.25, n_iter=0).fit(X, Y, warm_start=True)
    np.testing.assert_array_equal(other.predict_proba(X), fitted(0.25, n_iter=1).predict_proba(X))


def test_a_saved_model_goes_on_in_the_same_way():
    model = fitted(0.5, n_iter=1)
    loaded = saved_form.read(*saved_form.write(model))
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(
        loaded.fit(X, Y, warm_start=True).predict_proba(X), fitted(0.5, n_iter=2).predict_proba(X)
    )


def test_models_saved_before_there_was_a_factor_have_none():
    meta, arrays = saved_form.write(fitted(1.0))
    del meta["parameters"]["weight_factor"]
    loaded = saved_form.read(meta, arrays)
    assert (loaded.weight_factor, loaded.weight_factor_) == (1.0, 1.0)


@pytest.mark.parametrize("factor", [0.0, 1.5, -1.0, np.nan, True, "1", None])
def test_other_values_are_refused_by_name(factor):
    with pytest.raises(ValueError, match="weight_factor is"):
        fitted(factor)
