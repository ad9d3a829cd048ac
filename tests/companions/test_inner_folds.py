"""Systems that choose their settings by folds: what groups and times of the rows do to the choice."""

import warnings
from functools import cache

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import has_fit_parameter

from proset.companions.adapters import KnnPrototypes, ProsetPrototypes, XgbPrototypes
from proset.companions.adapters.gbmap_search import GBMapSearched
from proset.companions.protocol import NoPrototypeWarning
from proset.companions.pvm import PVMClassifier
from proset.companions.smp import SMPClassifierCV
from proset.companions.systems import SYSTEMS
from proset.engine.metrics import log_loss
from proset.selection import ground, inner_folds

SEARCHED = {
    "proset": lambda: ProsetPrototypes(search="quick", random_state=0),
    "pvm": lambda: PVMClassifier(eps="cv", cv=5, one_se=False, random_state=0),
    "smp": lambda: SMPClassifierCV(n_prototypes=(5,), lam=(0.0,), mu=(1.0, 0.1, 0.001), fit_intercept=True),
    "gbmap": lambda: GBMapSearched(betas=(1.0,), ridges=(1e-3, 1.0), most_boosts=5, n_folds=3),
    "knn": lambda: KnnPrototypes("cv", rule="best", prior=1.0),
    "xgboost": lambda: XgbPrototypes(search=True, n_trials=8, max_rounds=40, final_rate=0.1, rule="best"),
}


class Made:
    """Groups of nearly the same row, whose classes are drawn: nothing can be learned but who is who."""

    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(24), 5)
    X = rng.normal(size=(24, 8))[groups] + 0.05 * rng.normal(size=(120, 8))
    y = rng.permutation(np.resize([0, 1], 24))[groups]
    new, actual = rng.normal(size=(400, 8)), rng.integers(0, 2, 400)


def fitted(key, X=Made.X, y=Made.y, **known):
    if key == "xgboost":
        pytest.importorskip("xgboost")
    with warnings.catch_warnings():
        for kind in (ConvergenceWarning, NoPrototypeWarning):
            warnings.simplefilter("ignore", kind)
        return SEARCHED[key]().fit(X, y, **known)


@cache
def plain_estimates(key):
    """What a system says of new rows that has chosen its settings without regard to groups or times."""
    return fitted(key).predict_proba(Made.new)


def loss(estimates):
    return float(log_loss(estimates[np.arange(len(Made.new)), Made.actual]))


@pytest.fixture
def cut(monkeypatch):
    """The folds that were made, each with the groups and times that they had to respect."""
    found = []

    def spy(make_folds):
        def spied(target, plan, groups=None, times=None, **rest):
            folds = make_folds(target, plan, groups, times, **rest)
            found.extend((fold, groups, times) for fold in folds)
            return folds

        return spied

    for module in (inner_folds, ground):
        monkeypatch.setattr(module, "make_folds", spy(module.make_folds))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("key", SEARCHED)
def test_no_fold_of_a_choice_splits_a_group_and_the_choice_is_not_misled(key, cut):
    grouped = fitted(key, groups=[f"patient {g}" for g in Made.groups])
    assert cut
    for fold, groups, _ in cut:
        assert not set(groups[fold.train]) & set(groups[fold.test])
    assert (
        loss(grouped.predict_proba(Made.new)) < loss(plain_estimates(key)) - 0.05
    )  # settings that know everybody by heart say nothing of others


@pytest.mark.slow
@pytest.mark.parametrize("key", SEARCHED)
def test_no_fold_of_a_choice_learns_from_later_rows(key, cut):
    times = Made.groups.max() - Made.groups + 0.5  # the last rows are the earliest
    timed = fitted(key, times=times)
    assert cut
    for fold, _, known in cut:
        assert known[fold.train].max() < known[fold.test].min()
    assert not np.array_equal(timed.predict_proba(Made.new), plain_estimates(key))


@pytest.mark.parametrize("key", SEARCHED)
def test_groups_that_leave_no_two_folds_are_refused_and_the_model_stays_as_it_was(key):
    if key == "xgboost":
        pytest.importorskip("xgboost")
    model = SEARCHED[key]()
    with pytest.raises(inner_folds.NoFoldsError, match=r"The groups of these rows leave no two folds"):
        model.fit(Made.X, Made.y, groups=Made.y)
    with pytest.raises(inner_folds.NoFoldsError, match=r"The times of these rows"):
        model.fit(Made.X, Made.y, times=Made.y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        model.fit(Made.X, Made.y, groups=Made.groups[1:])
    assert not hasattr(model, "classes_")


@pytest.mark.slow
@pytest.mark.parametrize("key", ["proset", "smp", "gbmap", "xgboost"])
def test_groups_of_rows_without_weight_do_not_count(key, cut):
    weight, groups = np.ones(120), Made.groups.copy()
    weight[::5], groups[::5] = 0.0, 99
    plain = fitted(key, Made.X[weight > 0.0], Made.y[weight > 0.0], groups=groups[weight > 0.0])
    n_plain = len(cut)
    weighted = fitted(key, sample_weight=weight, groups=groups)
    for (fold, known, _), (again, _, _) in zip(cut[:n_plain], cut[n_plain:], strict=True):
        assert np.array_equal(fold.test, again.test)
        assert 24 not in known  # the 99
    if key != "proset":  # whose candidates are drawn by position
        np.testing.assert_allclose(plain.predict_proba(Made.new), weighted.predict_proba(Made.new), rtol=1e-6)


def test_every_system_that_chooses_by_folds_takes_groups_and_times():
    for key, system in SYSTEMS.items():
        for tuned in (False, True):
            takes = [has_fit_parameter(system.make(tuned=tuned), name) for name in ("groups", "times")]
            assert takes == [(key, tuned) != ("smp", False)] * 2  # whose one setting is fixed


def test_a_class_without_weight_is_no_class_of_gbmaps_search():
    y, weight = Made.y.copy(), np.ones(120)
    y[:5], weight[:5] = 2, 0.0
    weighted, plain = fitted("gbmap", y=y, sample_weight=weight), fitted("gbmap", Made.X[5:], Made.y[5:])
    assert weighted.classes_.tolist() == [0, 1]
    assert weighted.table_.equals(plain.table_)


def test_given_folds_of_smp_count_rows_of_weight_zero_too():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 2)), np.tile([0, 1], 20)
    weight = np.where(np.arange(40) < 10, 0.0, 1.0)
    halves = [(np.arange(0, 25), np.arange(25, 40)), (np.arange(25, 40), np.arange(0, 25))]
    shifted = [(np.arange(15), np.arange(15, 30)), (np.arange(15, 30), np.arange(15))]
    settings = {"n_prototypes": (1,), "lam": (0.0,), "mu": (0.1, 0.01), "fit_intercept": True}
    whole = SMPClassifierCV(**settings, cv=halves).fit(X, y, weight)
    some = SMPClassifierCV(**settings, cv=shifted).fit(X[10:], y[10:])
    np.testing.assert_allclose(whole.cv_table_.to_numpy(), some.cv_table_.to_numpy())


def test_by_time_smp_draws_no_folds_again():
    times = np.arange(120.0)
    settings = {"n_prototypes": (1,), "lam": (0.0,), "mu": (0.001,), "cv": 3}
    once, thrice = (
        SMPClassifierCV(**settings, n_repeats=repeats).fit(Made.X, Made.y, times=times).cv_table_ for repeats in (1, 3)
    )
    assert once.equals(thrice)
