"""Tables with a bend, two classes and three, and a model of each."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.preprocessing import scale

from proset.companions.gbmap import GBMapClassifier, GBMapRegressor


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
