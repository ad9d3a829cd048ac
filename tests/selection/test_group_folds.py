"""Dealing groups out to folds: the same folds as scikit-learn's, which take seconds where groups are many."""

import warnings

import numpy as np
import pytest
from sklearn.model_selection import StratifiedGroupKFold

from proset.selection import SearchPlan, folds, make_folds
from proset.selection.group_folds import deal_groups


def reference(target, groups, n_folds, seed):
    """The rows that each fold leaves out, as scikit-learn deals them."""
    splitter = StratifiedGroupKFold(n_folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [test.tolist() for _, test in splitter.split(np.zeros((len(target), 1)), target, groups)]


def dealt(target, groups, n_folds, seed):
    """The same by ours."""
    found = deal_groups(target, groups, n_folds, seed)
    return [np.flatnonzero(found == fold).tolist() for fold in range(n_folds)]


@pytest.mark.parametrize("seed", range(40))
def test_folds_are_those_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    n_folds, n_classes = int(rng.integers(2, 13)), int(rng.integers(1, 21))
    n_groups = n_folds + int(rng.integers(0, 100))
    sizes = rng.geometric(rng.uniform(0.1, 0.9), n_groups)  # many small groups and a few large ones
    groups = rng.permutation(np.repeat(rng.permutation(10 * n_groups)[:n_groups], sizes))
    target = rng.integers(0, n_classes, len(groups))
    if rng.random() < 0.5:  # rare classes, and some that are missing
        target = np.minimum(rng.geometric(0.4, len(groups)), n_classes) - 1
    target[:n_folds] = target[0]  # no class with as many rows as folds is refused
    assert dealt(target, groups, n_folds, seed) == reference(target, groups, n_folds, seed)


def test_ties_fall_the_same_way():
    groups, target = np.repeat(np.arange(60), 4), np.tile([0, 0, 1, 1], 60)
    for seed in range(5):
        assert dealt(target, groups, 7, seed) == reference(target, groups, 7, seed)


def test_many_classes_are_summed_in_the_same_order():
    rng = np.random.default_rng(0)
    groups, target = rng.integers(0, 60, 900), rng.integers(0, 200, 900)
    assert dealt(target, groups, 4, 0) == reference(target, groups, 4, 0)


def test_folds_are_made_of_it(monkeypatch):
    rng = np.random.default_rng(1)
    groups, target = rng.integers(0, 30, 200), rng.integers(0, 3, 200)
    asked = []
    monkeypatch.setattr(folds, "deal_groups", lambda *given: asked.append(given) or deal_groups(*given))
    made = make_folds(target, SearchPlan(n_folds=4, random_state=3), groups)
    assert len(asked) == 1
    assert [fold.test.tolist() for fold in made] == reference(target, groups, 4, 3)
    for fold in made:
        assert np.array_equal(np.sort(np.concatenate([fold.train, fold.test])), np.arange(200))
        assert fold.train.dtype == fold.test.dtype == np.int64
