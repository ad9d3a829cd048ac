"""Embedding, neighbours, drift and local coefficients."""

import numpy as np
import pandas as pd
import pytest

from proset.common.errors import ProsetError
from proset.companions.gbmap import GBMapRegressor


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
