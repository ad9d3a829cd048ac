"""The sentence on how proset stands: better, worse, or not to be told from the best other system."""

from dataclasses import fields
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import t as student

from proset.common.words import plus_minus
from proset.compare.numbers.number_result import NumberComparison
from proset.compare.verdict import beside_rule, half_width, verdict
from proset.selection.folds import left_out_ratio, make_folds
from proset.selection.inner_folds import FoldCount


def compared(ratio=None, **losses):
    systems = [
        SimpleNamespace(key=key, title=key.upper(), fold_scores=np.array([[loss, 0.9, 0.9, 0.1] for loss in values]))
        for key, values in losses.items()
    ]
    return SimpleNamespace(systems=systems, left_out_ratio=ratio)


def test_the_sentence_follows_the_difference_on_the_same_folds():
    hard = np.array([0.1, 0.5, 0.9, 0.3, 0.2])  # folds differ far more than systems do on one of them
    tiny = np.array([0.001, -0.001, 0.0, 0.002, -0.002])
    said = verdict(compared(proset=hard, knn=hard + 0.05 + tiny, xgboost=hard + 0.5))
    assert said.startswith("proset is better than the best other system, KNN: log-loss 0.400 against 0.450")
    assert verdict(compared(proset=hard, knn=hard - 0.05 + tiny)).startswith("proset is worse than")
    assert verdict(compared(proset=hard, knn=hard[::-1])).startswith("5 folds cannot tell proset from")


def test_the_best_is_said_to_be_the_best_of_those_measured_where_another_failed_on_a_fold():
    level = np.array([0.30, 0.31, 0.29, 0.30, 0.31])
    said = verdict(compared(proset=level, knn=level + 0.5, smp=[0.1, np.nan, 0.1, 0.1, 0.1]))
    assert said.startswith("proset is better than the only other system that was measured on every fold, KNN: ")


def test_the_interval_allows_for_folds_that_share_their_rows():
    rng = np.random.default_rng(0)
    apart = rng.normal(0.02, 0.02, 5)
    said = verdict(compared(proset=0.3 + apart, knn=np.full(5, 0.3)))
    wide = student.ppf(0.975, 4) * apart.std(ddof=1) * np.sqrt(1 / 5 + 1 / 4)
    assert half_width(apart.std(ddof=1), 5) == pytest.approx(wide)
    assert f"between {plus_minus(apart.mean() - wide, 3)} and {plus_minus(apart.mean() + wide, 3)} with" in said


def test_folds_in_time_learn_from_fewer_rows_and_their_interval_is_wider():
    """Five folds in time leave out .46 rows for each that they learn from, others .25."""
    losses = {"proset": np.array([0.1, 0.5, 0.9, 0.3, 0.2]), "knn": np.array([0.2, 0.4, 0.9, 0.2, 0.5])}
    apart = losses["proset"] - losses["knn"]
    folds = make_folds(np.tile([0, 1], 300), FoldCount(5, 0), times=np.arange(600.0))
    ratio = left_out_ratio(folds)
    assert ratio == pytest.approx(np.mean([1 / i for i in range(1, 6)]), abs=0.01)
    wide = student.ppf(0.975, 4) * apart.std(ddof=1) * np.sqrt(1 / 5 + ratio)
    said = verdict(compared(ratio, **losses))
    assert f"between {plus_minus(apart.mean() - wide, 3)} and {plus_minus(apart.mean() + wide, 3)} with" in said
    assert wide > half_width(apart.std(ddof=1), 5)


def test_the_best_of_several_is_picked_by_the_same_folds_and_the_interval_allows_for_it():
    """Six equally good systems: worse than the best other is said in at most one run of 40, not in one of 13."""
    rng, worse = np.random.default_rng(0), 0
    shared = 0.2 / 0.8  # variance of what all folds share, which the interval's formula assumes, beside that of each
    for _ in range(2_000):
        losses = 0.4 + rng.normal(0.0, 0.02, (6, 5)) + rng.normal(0.0, 0.02 * np.sqrt(shared), (6, 1))
        names = ("proset", "knn", "xgboost", "pvm", "smp", "gbmap")
        worse += "is worse than" in verdict(compared(**dict(zip(names, losses, strict=True))))
    assert worse / 2_000 < 0.03


def test_where_the_mark_of_equivalent_systems_says_something_else_it_is_said_why():
    hard = np.array([0.1, 0.5, 0.9, 0.3, 0.2])
    better = compared(proset=hard, knn=hard + 0.05 + np.array([0.001, -0.001, 0.0, 0.002, -0.002]))
    assert verdict(better).startswith("proset is better")
    assert beside_rule(better).startswith("The table calls both equivalent: its mark is a rule of thumb")
    level = np.array([0.30, 0.31, 0.29, 0.30, 0.31])
    unsure = compared(proset=level, knn=level + np.array([0.2, -0.1, 0.3, -0.15, 0.05]))
    assert verdict(unsure).startswith("5 folds cannot tell")
    assert beside_rule(unsure).startswith("The table calls only one of the two equivalent")
    assert beside_rule(compared(proset=level, knn=level + 0.5)) == ""
    assert beside_rule(compared(proset=hard, knn=hard[::-1])) == ""
    assert beside_rule(compared(proset=hard)) == ""


def test_numbers_are_compared_by_crps_in_their_own_size():
    hard = np.array([1_000.0, 5_000.0, 9_000.0])
    systems = [
        SimpleNamespace(key=key, title=key.upper(), fold_scores=scores[:, None])
        for key, scores in {"proset": hard + 500.0 + np.array([0.0, 1.0, -1.0]), "knn": hard}.items()
    ]
    parts = dict.fromkeys((field.name for field in fields(NumberComparison)), None)
    said = verdict(NumberComparison(**parts | {"systems": systems}))
    assert said == (
        "proset is worse than the other system, KNN: CRPS 5500 against 5000, a difference between +496 and +504"
        " with 95 % confidence."
    )


def test_nothing_is_said_without_proset_or_another_system_on_every_fold():
    known = np.array([0.1, 0.2])
    assert not verdict(compared(knn=known, xgboost=known))
    assert not verdict(compared(proset=known))
    assert not verdict(compared(proset=np.array([0.1, np.nan]), knn=known))
