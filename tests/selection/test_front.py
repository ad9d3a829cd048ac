"""The points of a joint search in words: what each is, and what it gives away."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from proset.selection import JointRecord, Rule, SearchPlan, has_begun, is_quick, landmarks, search_report
from proset.selection.front import (
    FrontPoint,
    above_words,
    counts_as_good,
    front_point,
    is_unfinished,
    mean_count,
    penalty_words,
)
from proset.selection.joint_plan import JointPlan
from proset.study import Study

POINT = FrontPoint(
    label=3, point=(1, 2), lambda_v=1e-3, lambda_w=1e-5, folds=5, log_loss=0.312, sd=0.05, above=0.004, error=0.006,
    n_features=9.0, n_prototypes=41.4, on_front=True,
)  # fmt: skip


@pytest.mark.parametrize(
    ("above", "error", "words"),
    [
        (0.004, 0.006, "higher by 0.004 ± 0.006, not more than chance"),
        (0.040, 0.006, "higher by 0.040 ± 0.006, more than one standard error"),
        (-0.004, 0.006, "not higher: lower by 0.004 ± 0.006"),
        (0.0001, 0.006, "the same within ± 0.006"),
        (0.020, math.nan, "higher by 0.020 on the one fold that both have"),
        (math.nan, math.nan, "not compared with the best on a fold that both have"),
    ],
)
def test_what_a_point_gives_away(above: float, error: float, words: str) -> None:
    assert above_words(replace(POINT, above=above, error=error)) == words


def test_a_point_that_counts_as_good_is_not_said_to_be_worse() -> None:
    words = above_words(replace(POINT, above=0.0043, error=0.0036), as_good=True)
    assert "more than one standard error" not in words
    assert words == (
        "higher by 0.004 ± 0.004, not more than chance when judged with its neighbours, one batch fewer and one more"
    )


def test_the_rule_counts_what_it_took_and_the_smallest_as_good(jointly: Study) -> None:
    record = record_of(jointly)
    named = landmarks(record)
    assert counts_as_good(record, named.sparsest)
    assert counts_as_good(record, named.rule)
    wider = replace(record, plan=replace(record.plan, rule=Rule.SD))
    taken = landmarks(wider).rule
    assert counts_as_good(wider, taken) == (taken.point == wider.found.sparsest)


def test_sizes_are_whole_numbers_with_the_word_that_fits() -> None:
    assert POINT.size == "9 features and 41 prototypes"
    assert [mean_count(mean, "feature") for mean in (0.0, 0.2, 1.0, 1.6)] == [
        "0 features", "under 1 feature", "1 feature", "2 features",
    ]  # fmt: skip


def test_penalties_do_not_matter_without_batches() -> None:
    assert penalty_words(POINT) == "feature penalty 1e-3, prototype penalty 1e-5"
    assert penalty_words(replace(POINT, point=(0, 0))) == ""


def record_of(study: Study) -> JointRecord:
    assert isinstance(study.search, JointRecord)
    return study.search


def test_the_landmarks_are_what_the_record_found(jointly: Study) -> None:
    record = record_of(jointly)
    named = landmarks(record)
    assert (named.best.point, named.chosen.point, named.sparsest.point) == (
        record.found.best, record.found.chosen, record.found.sparsest,
    )  # fmt: skip
    other = next(
        front_point(record, label)
        for label in record.points.index
        if front_point(record, label).point != record.found.chosen
    )
    by_hand = landmarks(record.with_point(*other.point))
    assert by_hand.chosen.label == other.label
    assert by_hand.rule.point == named.chosen.point


def test_the_report_of_a_joint_search_names_the_three_points(jointly: Study) -> None:
    record = record_of(jointly)
    text = search_report(record)
    assert max(len(line) for line in text.splitlines()) <= 80
    assert "Joint search, 3 folds: 3 pairs of penalties, up to 3 batches" in text
    assert f"{landmarks(record).chosen.log_loss:.4f}" in text
    for name in ("chosen", "best", "smallest as good"):
        assert any(line.startswith(f"  {name} ") for line in text.splitlines())
    assert "not finished" not in text
    assert "a choice by hand" in search_report(record.with_point(0, 0))


def test_the_report_of_a_search_that_was_stopped_says_so(stopped_search: JointRecord) -> None:
    taken = stopped_search.take_best_so_far()
    assert is_unfinished(taken)
    assert "The search was not finished: " in search_report(taken)


def test_a_search_has_begun_once_something_is_scored(stopped_search: JointRecord) -> None:
    assert has_begun(stopped_search)
    assert not has_begun(JointRecord(stopped_search.plan, stopped_search.fingerprint, stopped_search.n_rows))


def test_only_the_plan_of_a_quick_fit_is_quick() -> None:
    assert is_quick(JointPlan.quick(7))
    assert not is_quick(replace(JointPlan.quick(), rule=Rule.BEST))
    assert not is_quick(SearchPlan())
