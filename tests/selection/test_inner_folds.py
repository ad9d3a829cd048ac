"""Folds within the rows of a fit."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import StratifiedKFold

from proset.common.errors import StudyError
from proset.selection.inner_folds import GroupsAndTimes, NoFoldsError, inner_folds


def test_without_groups_and_times_they_are_those_of_scikit_learn():
    target = np.random.default_rng(0).integers(0, 3, 70)
    for known in (None, GroupsAndTimes()):
        folds = inner_folds(target, 5, 3, known)
        wanted = StratifiedKFold(5, shuffle=True, random_state=3).split(np.zeros(70), target)
        for fold, (train, test) in zip(folds, wanted, strict=True):
            assert np.array_equal(fold.train, train)
            assert np.array_equal(fold.test, test)


def test_a_small_class_makes_do_with_fewer_folds_and_a_single_row_with_none():
    assert len(inner_folds(np.repeat([0, 1], [20, 3]), 5, 0)) == 3
    assert inner_folds(np.repeat([0, 1], [20, 1]), 5, 0) == ()


def test_as_many_folds_as_groups_and_times_allow():
    target = np.tile([0, 1], 20)
    few = GroupsAndTimes.of(np.repeat(["a", "b", "c", "d"], 10), None, 40)
    folds = inner_folds(target, 10, 0, few)
    assert len(folds) == 4
    for fold in folds:
        assert not set(few.groups[fold.train]) & set(few.groups[fold.test])
    assert len(inner_folds(target, 10, 0, GroupsAndTimes.of(None, np.repeat(np.arange(4.0), 10), 40))) == 3
    both = GroupsAndTimes(few.groups, np.repeat(np.arange(4.0), 10))
    for fold in inner_folds(target, 10, 0, both):
        assert both.times[fold.train].max() < both.times[fold.test].min()


def test_a_class_in_one_group_leaves_no_folds_and_that_is_known_at_once(monkeypatch):
    target, groups = np.repeat([0, 1], 6), np.array([0, 1, 2] * 2 + [5] * 6)
    two = np.array([0, 1, 2] * 2 + [5, 6] * 3)
    assert len(inner_folds(target, 3, 0, GroupsAndTimes(groups=two), smallest=3)) == 3
    with pytest.raises(NoFoldsError, match=r"The groups of these rows leave no two folds"):
        inner_folds(target, 3, 0, GroupsAndTimes(groups=two), smallest=4)  # three are left without either
    monkeypatch.setattr("proset.selection.inner_folds.make_folds", None)
    with pytest.raises(NoFoldsError, match=r"Pass more rows, or fix the settings\.$"):
        inner_folds(target, 3, 0, GroupsAndTimes(groups=groups))


def test_what_is_no_group_or_time_is_refused():
    with pytest.raises(StudyError, match="rows without a group"):
        GroupsAndTimes.of(["a", None], None, 2)
    with pytest.raises(StudyError, match="rows without a time"):
        GroupsAndTimes.of(None, [1.0, np.nan], 2)
    with pytest.raises(StudyError, match="times holds no numbers"):
        GroupsAndTimes.of(None, pd.to_datetime(["2020-01-01", "2020-01-02"]), 2)
    assert not GroupsAndTimes.of(None, None, 2)


def test_parts_keep_their_groups_and_times():
    known = GroupsAndTimes.of([3, 3, 4], [0.0, 1.0, 2.0], 3).at(np.array([1, 2]))
    assert known.groups.tolist() == [0, 1]
    assert known.times.tolist() == [1.0, 2.0]
    assert not GroupsAndTimes().at(np.array([1, 2]))


def test_very_many_groups_are_thrown_together_where_that_harms_nothing():
    groups = np.random.default_rng(0).integers(0, 3_000, 9_000)
    known = GroupsAndTimes(groups=groups)
    pooled = known.pooled(1)
    pairs = pd.DataFrame({"group": groups, "pool": pooled.groups}).drop_duplicates()
    assert pairs["group"].is_unique  # no group is in two pools
    assert pairs["pool"].nunique() == 500
    assert np.array_equal(pooled.groups, known.pooled(1).groups)
    few = GroupsAndTimes(groups=groups % 500)
    assert few.pooled(1) is few
    timed = GroupsAndTimes(groups, np.arange(9_000.0))  # rows that share a pool with a later one would be left out
    assert timed.pooled(1) is timed
    assert GroupsAndTimes().pooled(1).groups is None
