import json

import numpy as np
import pytest

from proset.common.errors import StorageError, StudyError
from proset.selection import Rule, SearchPlan


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
