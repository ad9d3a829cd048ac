"""A fitted model taken apart and put together; refusals of damaged files are in tests/storage."""

import json

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.preprocessing import scale

from proset.common.errors import StorageError
from proset.engine import saved_form
from proset.engine.model import ClassifierModel


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return scale(X), np.array(["setosa", "versicolor", "virginica"])[y]


@pytest.fixture(scope="module")
def fitted(iris):
    return ClassifierModel(n_iter=2, random_state=3, n_jobs=1).fit(*iris)


def test_a_model_comes_back_as_it_was_and_goes_on_as_it_would_have(iris, fitted):
    meta, arrays = saved_form.write(fitted)
    again = saved_form.read(json.loads(json.dumps(meta)), arrays)
    np.testing.assert_array_equal(again.predict_proba(iris[0]), fitted.predict_proba(iris[0]))
    assert again.get_params() == fitted.get_params() | {"n_jobs": None}  # threads are no part of a model
    assert again.batch_results_ == fitted.batch_results_
    again.set_params(n_iter=1).fit(*iris, warm_start=True)
    whole = ClassifierModel(n_iter=3, random_state=3).fit(*iris)
    np.testing.assert_array_equal(again.predict_proba(iris[0]), whole.predict_proba(iris[0]))


def test_what_would_not_come_back_is_refused(iris):
    X, y = iris
    with pytest.raises(NotFittedError):
        saved_form.write(ClassifierModel())
    with pytest.raises(ValueError, match="labels that are texts"):  # 0 would come back as "0"
        saved_form.write(ClassifierModel(n_iter=0).fit(X, load_iris().target))
    with pytest.raises(ValueError, match="shrunk"):
        saved_form.write(ClassifierModel(lambda_v=3e-2, random_state=0).fit(X, y).shrink())
    with pytest.raises(ValueError, match="RandomState"):
        saved_form.write(ClassifierModel(n_iter=0, random_state=np.random.RandomState(0)).fit(X, y))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("n_iter", -1, "n_iter is -1"),
        ("lambda_v", "much", "lambda_v is 'much'"),
        ("backend", ["numpy"], "backend"),
        ("random_state", 2**40, "random_state"),
        ("no_such", 1, "no_such"),
        ("alpha_v", "x" * 100_000, "alpha_v is 'xxx"),
        ("x" * 100_000, 1, "bad parameters"),
    ],
)
def test_impossible_parameters_are_named(fitted, name, value, message):
    meta, arrays = saved_form.write(fitted)
    meta["parameters"][name] = value
    with pytest.raises(StorageError, match=message) as caught:
        saved_form.read(meta, arrays)
    assert len(str(caught.value)) < 500
