"""A fitted model with its classes in another order says the same."""

import numpy as np
import pytest

from proset.engine import saved_form
from proset.engine.class_order import in_class_order
from proset.engine.model import ClassifierModel

RNG = np.random.default_rng(2)
X = RNG.normal(size=(90, 3))
Y = np.array(["high", "low", "middle"])[np.digitize(X[:, 0], [-0.4, 0.4])]
ORDER = ("low", "middle", "high")


@pytest.fixture(scope="module")
def model():
    return ClassifierModel(n_iter=2, lambda_v=1e-3, num_candidates=40, random_state=0).fit(X, Y)


def test_estimates_only_change_their_columns(model):
    ordered = in_class_order(model, ORDER)
    assert ordered.classes_.tolist() == list(ORDER)
    taken = [model.classes_.tolist().index(name) for name in ORDER]
    np.testing.assert_allclose(ordered.predict_proba(X), model.predict_proba(X)[:, taken], rtol=1e-12)
    assert (ordered.predict(X) == model.predict(X)).all()
    np.testing.assert_allclose(ordered.familiarity(X), model.familiarity(X), rtol=1e-12)
    assert ordered.score(X, Y) == pytest.approx(model.score(X, Y))
    assert model.classes_.tolist() == sorted(ORDER)


def test_explanations_know_the_order(model):
    report = in_class_order(model, ORDER).explain(X[:1], "low")
    columns = [name for name in report.columns if str(name).startswith("p class")]
    assert columns == [f"p class {name}" for name in ORDER]


def test_saved_and_read_back(model):
    ordered = in_class_order(model, ORDER)
    again = saved_form.read(*saved_form.write(ordered))
    assert again.classes_.tolist() == list(ORDER)
    np.testing.assert_array_equal(again.predict_proba(X), ordered.predict_proba(X))


def test_the_same_order_is_the_same_model(model):
    assert in_class_order(model, sorted(ORDER)) is model


@pytest.mark.parametrize("wrong", [("low", "high"), ("low", "low", "high"), ("a", "b", "c")])
def test_other_classes_are_refused(model, wrong):
    with pytest.raises(ValueError, match="classes of the model"):
        in_class_order(model, wrong)
