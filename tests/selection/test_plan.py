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


def test_the_report_s_plan_draws_fifty_pairs_over_both_ranges_from_its_seed():
    """Algorithm 2.2 and the ranges of the case study: uniform on the logarithmic scale."""
    pairs = np.log10([SearchPlan.report(seed).pairs() for seed in range(40)])
    assert pairs.shape == (40, 50, 2)
    flat = pairs.reshape(-1, 2)
    for column, (low, high) in zip(flat.T, ((-6, -1), (-9, -4)), strict=True):
        assert low <= column.min() < low + 0.05
        assert high - 0.05 < column.max() <= high
        np.testing.assert_allclose(np.histogram(column, bins=5, range=(low, high))[0] / len(column), 0.2, atol=0.04)
    assert abs(np.corrcoef(flat.T)[0, 1]) < 0.06
    assert SearchPlan.report(3).pairs() == SearchPlan.report(3).pairs()
    assert len(np.unique(flat[:, 0])) == len(flat)
    plan = SearchPlan.report(3)
    assert (plan.n_folds, plan.max_batches, str(plan.rule), plan.second_look) == (5, 10, "sd", False)
    # Sparsest is what has the largest geometric mean of both.
    np.testing.assert_allclose(plan.sparseness(), np.sqrt(np.prod(plan.pairs(), axis=1)))
    assert SearchPlan.report(3, lambda_w=1e-8).n_pairs == 11
