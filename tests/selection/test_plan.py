import json

import numpy as np
import pytest

from proset.common.errors import StorageError, StudyError
from proset.selection import Rule, SearchPlan, make_folds


def test_default_is_the_grid_of_eleven():
    pairs = np.array(SearchPlan().pairs())
    assert pairs.shape == (11, 2)
    np.testing.assert_allclose(pairs[:, 0], np.logspace(-6, -1, 11))
    assert set(pairs[:, 1]) == {1e-8}


def test_two_ranges_give_fifty_random_pairs_ascending_in_lambda_v():
    plan = SearchPlan(lambda_w=(1e-9, 1e-4))
    pairs = np.array(plan.pairs())
    assert pairs.shape == (50, 2)
    assert (np.diff(pairs[:, 0]) > 0).all()
    assert ((pairs > [1e-6, 1e-9]) & (pairs < [1e-1, 1e-4])).all()
    # uniform on the logarithmic scale: about half below the middle of each range, and no order in lambda_w
    below = (np.log10(pairs) < [-3.5, -6.5]).mean(axis=0)
    assert ((below > 0.3) & (below < 0.7)).all()
    assert abs(np.corrcoef(np.log(pairs).T)[0, 1]) < 0.4


def test_pairs_follow_the_seed():
    plan = SearchPlan(lambda_w=(1e-9, 1e-4), random_state=3)
    assert plan.pairs() == SearchPlan(lambda_w=(1e-9, 1e-4), random_state=3).pairs()
    assert plan.pairs() != SearchPlan(lambda_w=(1e-9, 1e-4), random_state=4).pairs()


def test_sparseness_is_the_geometric_mean_of_what_is_searched():
    both = SearchPlan(lambda_w=(1e-9, 1e-4), n_trials=7)
    np.testing.assert_allclose(both.sparseness(), np.sqrt(np.prod(both.pairs(), axis=1)))
    only_w = SearchPlan(lambda_v=0.0, lambda_w=(1e-9, 1e-4), n_trials=3)
    np.testing.assert_allclose(only_w.sparseness(), [w for _, w in only_w.pairs()])
    assert SearchPlan(lambda_v=1e-3).pairs() == ((1e-3, 1e-8),)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("lambda_v", (1e-1, 1e-6)),
        ("lambda_v", (0.0, 1e-1)),
        ("lambda_v", -1.0),
        ("lambda_v", "much"),
        ("lambda_w", (1e-9, float("nan"))),
        ("lambda_w", (1e-9, 1e-8, 1e-7)),
        ("lambda_w", True),
        ("n_trials", 0),
        ("n_folds", 1),
        ("n_folds", 2.5),
        ("max_batches", 0),
        ("rule", "median"),
        ("cv_factr", 0.0),
        ("random_state", -1),
    ],
)
def test_bad_fields_are_named(field, value):
    with pytest.raises(ValueError, match=f"^{field} is "):
        SearchPlan(**{field: value})


def test_trials_without_a_range_are_refused():
    with pytest.raises(StudyError, match="n_trials is 5, but lambda_v and lambda_w are both fixed"):
        SearchPlan(lambda_v=1e-3, n_trials=5)


def test_state_comes_back():
    plan = SearchPlan(lambda_v=1e-3, lambda_w=(1e-9, 1e-4), n_trials=4, rule=Rule.SE)
    state = json.loads(json.dumps(plan.to_state()))
    assert SearchPlan.from_state(state) == plan
    for broken, field in (
        ({"n_folds": 1}, "n_folds"),
        ({"rule": "worst"}, "rule"),
        ({"lambda_v": [1, 0]}, "lambda_v"),
        ({"rule": []}, "rule"),
    ):
        with pytest.raises(StorageError, match=f"search.plan.{field}"):
            SearchPlan.from_state(state | broken)
    with pytest.raises(StorageError, match=r"search\.plan\.extra"):
        SearchPlan.from_state(state | {"extra": 1})


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
