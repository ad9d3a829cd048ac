"""A cover as a prototype set model: its rule is the limit, its settings are chosen on rows left out."""

import numpy as np
import pytest
from companions.pvm.made import mixture
from sklearn.datasets import load_wine

from proset.common.errors import ProsetError
from proset.companions.pvm import PVMClassifier
from proset.companions.pvm.as_proset import as_proset


@pytest.fixture(scope="module")
def cover():
    X, y = load_wine(return_X_y=True)
    return PVMClassifier(eps=3.0, temperature=1.0).fit(X, y), X, y


def test_estimates_are_those_of_the_formula(cover):
    model, X, _ = cover
    made = model.to_proset(bandwidth=1.5, weight=2.0)
    impact = 2.0 * np.exp(-0.5 * (model.distance(X, model.prototypes_) / 1.5) ** 2)
    by_class = impact @ (model.label_codes_[:, None] == np.arange(3)[None, :])
    expected = (model.class_shares_ + by_class) / (1.0 + by_class.sum(axis=1, keepdims=True))
    assert np.allclose(made.predict_proba(X), expected, atol=1e-5)
    assert np.allclose(made.familiarity(X), impact.sum(axis=1), rtol=1e-4)


def test_the_rule_of_the_cover_is_the_limit(cover):
    model, X, _ = cover
    made = model.to_proset(bandwidth=0.5, weight=1e30)
    ordered = np.sort(model.scores(X), axis=1)[:, ::-1]
    near = (-ordered[:, 0] < 4.0) & (ordered[:, 0] - ordered[:, 1] > 0.3)
    assert near.sum() > 100
    assert np.array_equal(made.predict(X[near]), model.predict(X[near]))


def test_settings_are_chosen_by_log_loss(cover):
    model, X, y = cover
    chosen = model.to_proset(X, y)
    assert chosen.score(X, y) > model.to_proset(bandwidth=30.0).score(X, y)
    assert chosen.score(X, y) > -0.35
    assert model.to_proset(X, y).score(X, y) == chosen.score(X, y)


def test_what_a_prototype_set_model_cannot_be(cover):
    _, X, y = cover
    with pytest.raises(ProsetError, match="Euclidean distance only"):
        PVMClassifier(eps=3.0, temperature=1.0, metric="cityblock").fit(X, y).to_proset()
    with pytest.raises(ProsetError, match="are no rows"):
        PVMClassifier(eps=3.0, temperature=1.0, augment={"kmeans": 1}).fit(X, y).to_proset()
    with pytest.raises(ProsetError, match="bandwidth is 0"):
        cover[0].to_proset(bandwidth=0)
    with pytest.raises(ProsetError, match="classes that the cover does not know"):
        cover[0].to_proset(X, y + 1)


def test_a_cover_without_prototypes_predicts_class_shares():
    with pytest.warns(UserWarning, match="no prototypes"):
        model = PVMClassifier(eps=1.0, lam=9.0, temperature=1.0).fit(np.zeros((4, 2)), [0, 0, 0, 1])
    assert as_proset(model, 1.0, 1.0).predict_proba([[0.0, 0.0]]).tolist() == [[0.75, 0.25]]


def test_words_as_classes_and_rows_far_from_the_origin():
    X, target = mixture(120, seed=4)
    model = PVMClassifier(eps=1.0, temperature=1.0).fit(X + 1e6, np.array(["x", "y", "z"])[target])
    made = model.to_proset(X + 1e6, np.array(["x", "y", "z"])[target])
    assert (made.predict(X + 1e6) == model.predict(X + 1e6)).mean() > 0.9
