"""95 % intervals against plain simulations: of rows, and of whole groups."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest, norm, t

from proset.engine.metrics import pairwise_auc, pairwise_auc_parts
from proset.study.intervals import auc_interval, balanced_interval, mean_interval, share_interval

_REPEATED = 400
_FEWEST, _MOST = 0.92, 0.99  # of 400 intervals of 95 %, those that hold the truth


def made(rng, sizes, distance, *, groups=None, alike=0.0):
    """Return classes, estimates and what is right of rows whose classes are so far apart; groups are easy or hard."""
    actual = np.repeat([0, 1], sizes)
    error = rng.normal(size=len(actual)) * np.sqrt(1.0 - alike)
    if groups is not None:
        error += rng.normal(size=groups.max() + 1)[groups] * np.sqrt(alike)
    score = (2 * actual - 1) * (distance / 2 + error)
    yes = 1 / (1 + np.exp(-score))
    return actual, np.column_stack([1 - yes, yes]), (yes > 0.5) == (actual == 1)


def held(intervals, truth):
    """Return the share of intervals that hold the truth."""
    return np.mean([found.low <= truth <= found.high for found in intervals])


@pytest.mark.slow
@pytest.mark.parametrize(("sizes", "distance"), [((20, 40), 1.5), ((60, 110), 2.5), ((30, 300), 1.0), ((100, 70), 4.0)])
def test_they_hold_the_truth_about_19_times_of_20(sizes, distance):
    rng = np.random.default_rng(0)
    drawn = [made(rng, sizes, distance) for _ in range(_REPEATED)]
    # Near 1 an interval of rows without an error has to be wide.
    assert _FEWEST <= held([auc_interval(*one[:2]) for one in drawn], norm.cdf(distance / np.sqrt(2))) <= 1.0
    assert _FEWEST <= held([balanced_interval(one[0], one[2]) for one in drawn], norm.cdf(distance / 2)) <= _MOST


def many(rng, sizes, distance):
    """Return classes and estimates of rows of many classes, each so far from the others."""
    actual = np.repeat(np.arange(len(sizes)), sizes)
    places = rng.normal(size=(len(actual), len(sizes))) + distance * (actual[:, None] == np.arange(len(sizes)))
    odds = np.exp(distance * (places - places.max(axis=1, keepdims=True)))
    return actual, odds / odds.sum(axis=1, keepdims=True)


@pytest.mark.slow
@pytest.mark.parametrize("sizes", [[4] * 18, [1, 2, *[4] * 16], [3, 5] * 4], ids=["alike", "lone", "few"])
@pytest.mark.parametrize("distance", [0.8, 1.5])
def test_many_small_classes_tell_together_how_sure_an_area_is(sizes, distance):
    rng = np.random.default_rng(0)
    truth = np.mean([pairwise_auc(*many(rng, [150] * len(sizes), distance)) for _ in range(4)])
    found = [auc_interval(*many(rng, sizes, distance)) for _ in range(120)]
    assert held(found, truth) >= _FEWEST
    assert max(one.high - one.low for one in found) < (0.25 if len(sizes) > 10 else 0.5)


@pytest.mark.parametrize("sizes", [[3, 5] * 9, [1, 2, *[4] * 16]])
def test_many_small_classes_ranked_without_an_error_are_not_said_to_be_uncertain(sizes):
    found = auc_interval(*many(np.random.default_rng(1), sizes, 9.0))
    assert (found.value, found.high) == (1.0, 1.0)
    assert 0.85 < found.low < 0.97
    alone = auc_interval(*many(np.random.default_rng(1), [1] * 6, 1.0))  # of which no variance is known
    assert alone.high - alone.low > 0.3


def test_rows_of_groups_count_as_their_groups_do():
    rng = np.random.default_rng(1)
    groups = np.tile(np.arange(40), 10)
    drawn = [made(rng, (160, 240), 1.5, groups=groups, alike=0.5) for _ in range(_REPEATED)]
    truth = norm.cdf(0.75)
    rows = held([share_interval(one[2]) for one in drawn], truth)
    assert rows < 0.8, "groups should matter"
    assert held([share_interval(one[2], groups) for one in drawn], truth) >= _FEWEST
    assert held([balanced_interval(one[0], one[2], groups) for one in drawn], truth) >= _FEWEST
    assert held([auc_interval(*one[:2], groups) for one in drawn], norm.cdf(1.5 / np.sqrt(2))) >= _FEWEST
    means = [mean_interval(one[2].astype(float), groups) for one in drawn]
    assert np.mean([low <= truth <= high for low, high in means]) >= 0.9


def test_they_are_about_as_wide_as_a_bootstrap_of_whole_groups():
    rng = np.random.default_rng(2)
    groups = np.tile(np.arange(60), 8)
    actual, estimates, right = made(rng, (200, 280), 1.5, groups=groups, alike=0.5)
    members = [np.flatnonzero(groups == group) for group in range(60)]
    again = []
    for _ in range(500):
        rows = np.concatenate([members[group] for group in rng.integers(0, 60, 60)])
        found = [right[rows][actual[rows] == k].mean() for k in (0, 1)]
        again.append((right[rows].mean(), np.mean(found), pairwise_auc(actual[rows], estimates[rows])))
    widths = np.diff(np.quantile(again, [0.025, 0.975], axis=0), axis=0)[0]
    ours = (
        share_interval(right, groups),
        balanced_interval(actual, right, groups),
        auc_interval(actual, estimates, groups),
    )
    np.testing.assert_allclose([found.high - found.low for found in ours], widths, rtol=0.2)


def test_without_groups_they_are_the_usual_ones():
    right = np.repeat([True, False], [72, 18])
    usual = binomtest(72, 90).proportion_ci(0.95, method="wilson")
    found = share_interval(right)
    assert (found.value, found.low, found.high) == pytest.approx((0.8, usual.low, usual.high))
    values = np.random.default_rng(0).normal(size=30)
    half = t.ppf(0.975, 29) * values.std(ddof=1) / np.sqrt(30)
    assert mean_interval(values) == pytest.approx((values.mean() - half, values.mean() + half))
    alone = np.arange(30)
    assert mean_interval(values, alone) == pytest.approx(mean_interval(values))
    actual, estimates, right = made(np.random.default_rng(3), (40, 60), 2.0)
    narrow, by_rows = auc_interval(actual, estimates), auc_interval(actual, estimates, np.arange(100))
    assert by_rows.high - by_rows.low == pytest.approx(narrow.high - narrow.low, rel=0.05)  # t for 99, not for 39


def test_copies_of_rows_in_groups_say_nothing_new():
    actual, estimates, right = made(np.random.default_rng(4), (60, 60), 1.0)
    many, groups = np.repeat(np.arange(120), 5), np.repeat(np.arange(120), 5)
    for once, copied in (
        (share_interval(right), share_interval(right[many], groups)),
        (auc_interval(actual, estimates), auc_interval(actual[many], estimates[many], groups)),
        (balanced_interval(actual, right), balanced_interval(actual[many], right[many], groups)),
    ):
        assert copied.value == pytest.approx(once.value)
        assert copied.high - copied.low == pytest.approx(once.high - once.low, rel=0.1)
    assert mean_interval(right[many].astype(float), groups) == pytest.approx(mean_interval(right.astype(float)))


def test_the_variance_of_the_area_is_that_of_delong():
    actual, estimates, _ = made(np.random.default_rng(5), (13, 29), 1.2)
    yes, no = estimates[actual == 1, 1], estimates[actual == 0, 1]
    better = (yes[:, None] > no[None, :]) + 0.5 * (yes[:, None] == no[None, :])
    area, moves, _ = pairwise_auc_parts(actual, estimates)
    assert area == pytest.approx(better.mean())
    delong = better.mean(axis=1).var(ddof=1) / len(yes) + better.mean(axis=0).var(ddof=1) / len(no)
    assert moves @ moves == pytest.approx(delong)


@pytest.mark.parametrize("groups", [None, np.zeros(6, dtype=int)], ids=["rows", "one group"])
def test_nothing_wrong_among_few_rows_is_not_certain(groups):
    actual = np.array([0, 0, 0, 1, 1, 1])
    estimates = np.where(actual[:, None] == [0, 1], 0.9, 0.1)
    for found in (
        share_interval(np.ones(6, dtype=bool), groups),
        balanced_interval(actual, np.ones(6, dtype=bool), groups),
        auc_interval(actual, estimates, groups),
    ):
        assert (found.value, found.high) == (1.0, 1.0)
        assert found.low < (0.72 if groups is None else 0.3)


def test_no_row_has_no_interval():
    none = np.zeros(0, dtype=int)
    for found in (share_interval(none > 0), balanced_interval(none, none > 0), auc_interval(none, np.zeros((0, 2)))):
        assert np.isnan([found.value, found.low, found.high]).all()
    assert mean_interval(none.astype(float)) == (-np.inf, np.inf)
