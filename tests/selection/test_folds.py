"""Cutting rows into folds: by class, in whole groups, by time."""

import numpy as np
import pytest

from proset.common.errors import StudyError
from proset.engine.model import ClassifierModel
from proset.selection import JointPlan, SearchPlan, make_folds, select_hyperparameters


def test_folds_are_stratified_and_cover_every_row_once():
    target = np.repeat([0, 1, 2], [50, 30, 20])
    folds = make_folds(target, SearchPlan())
    assert np.array_equal(np.sort(np.concatenate([fold.test for fold in folds])), np.arange(100))
    for fold in folds:
        assert np.bincount(target[fold.test]).tolist() == [10, 6, 4]
        assert np.array_equal(np.sort(np.concatenate([fold.train, fold.test])), np.arange(100))


def test_groups_are_never_divided():
    rng = np.random.default_rng(0)
    groups = rng.integers(0, 25, 200)
    target = rng.integers(0, 2, 200)
    plain = make_folds(target, SearchPlan())
    assert any(set(groups[fold.train]) & set(groups[fold.test]) for fold in plain)  # so that the test can fail
    for fold in make_folds(target, SearchPlan(), groups):
        assert not set(groups[fold.train]) & set(groups[fold.test])


def test_too_few_rows_groups_or_members_are_said_so():
    with pytest.raises(StudyError, match="n_folds is 5, but there are only 3 rows in the largest class"):
        make_folds(np.repeat([0, 1], 3), SearchPlan())
    with pytest.raises(StudyError, match="n_folds is 5, but there are only 2 different groups"):
        make_folds(np.repeat([0, 1], 10), SearchPlan(), np.tile([0, 1], 10))
    with pytest.raises(StudyError, match=r"Class 'rare' keeps only 2 rows for training when fold . is left out"):
        make_folds(np.repeat([0, 1], [20, 3]), SearchPlan(), smallest=3, classes=["common", "rare"])


def test_the_way_out_of_a_rare_class_leads_out():
    target = np.repeat([0, 1], [20, 4])
    with pytest.raises(StudyError, match=r"keeps only 2 rows .* Use more folds"):
        make_folds(target, SearchPlan(n_folds=2), smallest=3)
    assert len(make_folds(target, SearchPlan(n_folds=4), smallest=3)) == 4
    with pytest.raises(StudyError, match=r"keeps only 2 rows .* 3\. Leave the class out"):  # no folds would do
        make_folds(np.repeat([0, 1], [20, 3]), SearchPlan(n_folds=4), smallest=3)


def test_a_class_that_lives_in_one_group_is_named():
    target = np.repeat([0, 1], [40, 10])
    groups = np.concatenate([np.arange(40) // 8, np.full(10, 5)])
    with pytest.raises(StudyError, match=r"Class 'b' keeps only 0 rows.*groups stay together"):
        make_folds(target, SearchPlan(), groups, smallest=3, classes=["a", "b"])


def test_every_fold_learns_from_earlier_rows_only():
    rng = np.random.default_rng(0)
    times, target = rng.integers(0, 40, 300).astype(float), rng.integers(0, 2, 300)
    folds = make_folds(target, SearchPlan(), times=times, smallest=3)
    assert len(folds) == 5
    ends = []
    for fold in folds:
        assert times[fold.train].max() < times[fold.test].min()
        assert (np.diff(fold.train) > 0).all()
        assert (np.diff(fold.test) > 0).all()
        assert abs(len(fold.test) - 50) < 15
        ends.append(times[fold.test].max())
    assert ends == sorted(ends)
    assert ends[-1] == times.max()
    left_out = np.concatenate([fold.test for fold in folds])
    assert len(set(left_out)) == len(left_out) < 300  # the first rows are never left out


def test_folds_in_time_wait_until_every_class_is_known():
    target = np.array([0] * 60 + [1] * 3 + [0, 1] * 20)
    folds = make_folds(target, SearchPlan(), times=np.arange(103.0), smallest=3)
    assert folds[0].test[0] >= 63
    assert folds[-1].test[-1] == 102


def test_folds_in_time_keep_groups_whole():
    rng = np.random.default_rng(1)
    groups, target = np.arange(200) // 2, rng.integers(0, 2, 200)
    times = (np.arange(200) // 2 + 30 * (np.arange(200) % 2)).astype(float)  # each has a visit, and one much later
    folds = make_folds(target, SearchPlan(n_folds=3), groups, times, smallest=3)
    for fold in folds:
        assert not set(groups[fold.train]) & set(groups[fold.test])
        assert times[fold.train].max() < times[fold.test].min()


@pytest.mark.parametrize(
    ("times", "words"),
    [
        (np.ones(40), "only 0 times after the first"),
        (np.repeat([1.0, 2.0, 3.0, 4.0], 10), "only 3 times after the first"),
        (np.concatenate([np.arange(38.0), [99.0, 99.0]]), "fewer than 3 rows before the last time"),
        (np.arange(40.0), "only 2 times after every class"),
    ],
)
def test_folds_in_time_that_cannot_be_made(times, words):
    target = np.tile([0, 1], 20)
    if "last time" in words:
        target = np.array([0] * 36 + [1] * 4)
    elif "every class" in words:
        target = np.array([0] * 35 + [1] * 5)
    with pytest.raises(StudyError, match=words):
        make_folds(target, SearchPlan(), times=times, smallest=3)
    with pytest.raises(StudyError, match="Class 'late' has only 2 rows"):
        make_folds(np.array([0] * 38 + [1] * 2), SearchPlan(), times=np.arange(40.0), smallest=3,
                   classes=["early", "late"])  # fmt: skip


def test_a_class_whose_groups_reach_into_the_fold_is_named():
    target = np.tile([0, 0, 0, 1], 30)
    groups = np.where(target == 1, 0, np.arange(120) + 1)
    with pytest.raises(
        StudyError, match=r"Class 'b' has only 0 rows before fold 1 in groups that do not reach into it"
    ):
        make_folds(target, SearchPlan(), groups, np.arange(120.0), smallest=3, classes=["a", "b"])


def test_rows_of_a_rare_class_stay_in_training_where_too_few_would_be_left():
    target = np.repeat([0, 1, 2], [20, 12, 4])
    folds = make_folds(target, JointPlan.quick(), smallest=3, keep_rare=True)
    for fold in folds:
        assert np.bincount(target[fold.train], minlength=3).min() >= 3
        assert not set(fold.train) & set(fold.test)
        assert sorted([*fold.train, *fold.test]) == list(range(36))
    plain = make_folds(target, JointPlan.quick(), smallest=1)
    for fold, before in zip(folds, plain, strict=True):
        np.testing.assert_array_equal(fold.test[target[fold.test] < 2], before.test[target[before.test] < 2])
    with pytest.raises(StudyError, match="Class '2' keeps only"):
        make_folds(target, JointPlan.quick(), smallest=3)


def test_a_quick_fit_takes_every_table_that_a_single_fit_takes():
    rng = np.random.default_rng(0)
    target = np.repeat([0, 1, 2], [30, 20, 3])
    X = rng.normal(size=(53, 2)) + target[:, None]
    found = select_hyperparameters(ClassifierModel(random_state=0), X, target, plan=JointPlan.quick())
    assert found.model.classes_.tolist() == [0, 1, 2]
