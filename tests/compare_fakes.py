"""Small systems for tests of the comparison: easy to check by hand, able to do little, and failing."""

from __future__ import annotations

import warnings

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin

from proset.common.errors import ProsetError
from proset.companions.protocol import Offer, SystemPrototypes
from proset.companions.shared import PrototypeModelMixin
from proset.compare.contenders import Contender
from proset.data.role_guess import guess_roles
from proset.data.split import SplitSettings
from proset.data.table import read_table
from proset.study import FitSettings, fit_study


class Centres(PrototypeModelMixin, ClassifierMixin, BaseEstimator):
    """States a softmax of minus the squared distances to the means of the classes, which are its made prototypes."""

    lacks = frozenset({Offer.CONTRIBUTIONS, Offer.PATH})
    _state = ("classes_", "n_features_in_", "centres_")

    def fit(self, X, y, sample_weight=None):
        self.classes_ = np.unique(y)
        weight = np.ones(len(X)) if sample_weight is None else sample_weight
        self.centres_ = np.stack([np.average(X[y == c], axis=0, weights=weight[y == c]) for c in self.classes_])
        self.n_features_in_, self.fit_seconds_ = X.shape[1], 0.0
        return self

    def scores(self, X):
        return -np.square(cdist(X, self.centres_))

    def predict_proba(self, X):
        return softmax(self.scores(X), axis=1)

    def predict(self, X):
        return self.classes_[self.scores(X).argmax(axis=1)]

    def prototypes(self):
        return SystemPrototypes.of_samples(self.centres_, np.full(len(self.centres_), -1), self.classes_)

    def feature_weights(self):
        return np.ones((1, self.n_features_in_))

    def similarity(self, X):
        return np.exp(self.scores(X))

    def distance(self, A, B=None):
        return cdist(A, A if B is None else B)

    def _raw_familiarity(self, X):
        return -cdist(X, self.centres_).min(axis=1)


class Shares(PrototypeModelMixin, ClassifierMixin, BaseEstimator):
    """States the class shares of what it learned from, in an order of its own; has nothing beyond that."""

    lacks = frozenset(Offer)
    _state = ("classes_", "n_features_in_", "shares_")

    def fit(self, X, y):
        names, counts = np.unique(y, return_counts=True)
        self.classes_, self.shares_ = names[::-1], (counts / counts.sum())[::-1]
        self.n_features_in_, self.fit_seconds_ = X.shape[1], 0.0
        return self

    def scores(self, X):
        return np.tile(self.shares_, (len(X), 1))

    def predict_proba(self, X):
        return self.scores(X)

    def predict(self, X):
        return self.classes_[self.scores(X).argmax(axis=1)]


class Failing(Shares):
    """Fails on the n-th of its fits, counted over all objects, and warns on every other."""

    calls: list[int]

    def fit(self, X, y):
        self.calls.append(len(X))
        if len(self.calls) == 2:
            raise ProsetError("A class is too small.", hint="Leave it out.")
        warnings.warn("It is not sure of itself.", UserWarning, stacklevel=1)
        return super().fit(X, y)


def failing():
    """Return a class of systems that counts its fits from 0."""
    return type("Failing", (Failing,), {"calls": []})


def contender(key, kind, **changes):
    """Return one of these as a comparison takes it."""
    words = {
        "key": key,
        "title": key.upper(),
        "about": "A system.",
        "make": kind,
        "settings_words": lambda model: "none",
    }
    return Contender(**words | changes)


def visits_study(**split):
    """Fit visits of 20 patients on 40 days."""
    rng = np.random.default_rng(0)
    lines = ["patient,day,size,kind"]
    for i in range(160):
        size = rng.normal()
        lines.append(f"p{i % 20},{i // 4},{size:.3f},{'a' if size + rng.normal() > 0 else 'b'}")
    table = read_table("\n".join(lines).encode(), name="visits.csv")
    return fit_study(
        table,
        guess_roles(table, target="kind").roles,
        split=SplitSettings(**split),
        settings=FitSettings(lambda_v=1e-3),
    )
