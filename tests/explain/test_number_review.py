"""Wrong numbers that were planted come first, and the queue of a number lists what a person should look at."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score

from proset import explain, fit_number_study
from proset.common.errors import StudyError
from proset.data.samples import load_sample, sample_roles
from proset.data.table import read_table
from proset.explain.review.listed import ReviewQueue
from proset.explain.review.orders import ReviewOrder
from proset.study import NumberStudy
from proset.study.guidance import Guidance, GuidanceItem, GuidanceKind
from proset.study.number_unseen import NumberUnseen, judge_numbers_unseen
from proset.study.unseen import untouched_rows

pytestmark = pytest.mark.slow

MPG = "fuel economy (miles per gallon)"
Planted = tuple[NumberStudy, NumberUnseen, pd.Series]


@pytest.fixture(scope="module")
def planted() -> Planted:
    """The cars with ten numbers of other cars."""
    return _plant(1)


def _plant(seed: int) -> Planted:
    """Draw the cars whose numbers are changed, and learn from them."""
    frame = load_sample("cars").frame.copy()
    rng = np.random.default_rng(seed)
    rows = rng.choice(frame.index[frame[MPG].notna()].to_numpy(), 10, replace=False)
    true = frame[MPG].copy()
    frame.loc[rows, MPG] = np.where(true.loc[rows] > true.median(), true.quantile(0.05), true.quantile(0.95))
    table = read_table(frame.to_csv(index=False).encode(), name="cars.csv")
    study = fit_number_study(table, sample_roles("cars"))
    wrong = pd.Series(~np.isclose(table.frame[MPG], true.to_numpy()), index=table.frame.index)
    return study, judge_numbers_unseen(study, n_folds=3), wrong


@pytest.fixture(scope="module")
def queue(planted: Planted) -> ReviewQueue:
    return explain.number_review_queue(planted[0], planted[1], mixed=0.3)


def test_planted_numbers_come_first(planted: Planted) -> None:
    study, unseen, _ = planted
    frame = explain.wrong_numbers(study, unseen).frame
    assert set(frame.index) == set(unseen.rows)
    assert frame["suspicion"].between(0.0, 1.0).all()
    assert frame["suspicion"].is_monotonic_decreasing
    assert (frame["suspicion"] >= 0.5).sum() < 0.1 * len(frame)
    # Of one draw either may be better, by what a processor makes of last digits; seven numbers are few.
    ours, errors, first = zip(*(_found(*each) for each in (planted, _plant(2), _plant(3))), strict=True)
    assert np.mean(ours) > np.mean(errors)
    assert np.mean(first) >= 0.5


def _found(study: NumberStudy, unseen: NumberUnseen, wrong: pd.Series) -> tuple[float, float, float]:
    """Average precision of our order and of that by the error; planted among as many of our first as were planted."""
    frame = explain.wrong_numbers(study, unseen).frame
    hit, error = wrong.loc[frame.index], unseen.predictions.loc[frame.index, "error"].abs()
    first = hit.iloc[: int(hit.sum())].mean()
    return average_precision_score(hit, frame["suspicion"]), average_precision_score(hit, error), float(first)


def test_reasons_say_what_speaks_against_the_number(planted: Planted) -> None:
    study, unseen, _ = planted
    frame = explain.wrong_numbers(study, unseen).frame
    assert ((frame["suspicion"] >= 0.5) == (frame["reason"] != "")).all()
    listed = frame[frame["suspicion"] >= 0.5]
    outside = ~listed["actual"].between(listed["lower"], listed["upper"])
    assert outside.any()
    assert (listed["reason"].str.startswith("The model says") == outside).all()
    for name, place in (("model", "in the columns that the model uses"), ("all", "in all columns")):
        far = listed[f"apart_{name}"].abs() > 2.0
        assert far.any()
        assert (listed["reason"].str.contains(f"nearest known cases {place} have", regex=False) == far).all()
    kept = set(study.prototypes["row"]).union(*(own.prototypes["row"] for own in unseen.studies))
    assert (frame["prototype"] == frame.index.isin(kept)).all()


def test_a_number_that_was_learned_anew_vouches_for_its_neighbours(planted: Planted) -> None:
    study, unseen, _ = planted
    frame = explain.wrong_numbers(study, unseen).frame
    row = int(frame.index[frame["prototype"]][0]) if frame["prototype"].any() else int(frame.index[0])
    said = Guidance((GuidanceItem(GuidanceKind.RELABEL, row=row, label="20"),))
    told = fit_number_study(study.table, study.roles, split=study.split.settings, guidance=said)
    again = explain.wrong_numbers(told, judge_numbers_unseen(told, n_folds=3)).frame
    assert again.loc[row, "actual"] == study.table_targets.loc[row]  # of the table, whatever the model has learned


def test_every_row_outside_is_listed_and_no_untouched_one(planted: Planted, queue: ReviewQueue) -> None:
    study, unseen, _ = planted
    untouched = set(untouched_rows(study))
    assert 0.4 < len(untouched) / len(study.split.held_out) < 0.6
    each = pd.concat([unseen.predictions, study.predictions.loc[study.split.held_out]])
    outside = each.index[each["actual"].notna() & ~each["inside"].fillna(True).astype(bool)]
    assert set(queue.frame.index[queue.frame["wrong"]]) == set(outside) - untouched
    assert not set(queue.frame.index) & untouched
    assert queue.frame["unseen"].all()
    assert queue.frame["actual"].notna().all()


def test_each_case_is_told_by_the_model_that_has_not_seen_it(planted: Planted, queue: ReviewQueue) -> None:
    study, unseen, _ = planted
    for row, line in queue.frame.iloc[::4].iterrows():
        own = unseen.study_of_row(int(row)) if row in unseen.rows else study
        answer = explain.number_answer(own, int(row))
        assert (line["said"], line["lower"], line["upper"]) == pytest.approx(
            (answer.median, answer.lower, answer.upper)
        )
        assert line["error"] == pytest.approx(answer.median - float(answer.stated or 0.0))
        leading = answer.prototypes["sample"].iloc[0]
        of_row = answer.prototypes.groupby("sample")["share"].max()
        assert of_row.loc[line["prototype"]] == pytest.approx(of_row.loc[leading])
        assert line["part"] == ("train" if row in study.split.train else "held_out")


def test_neighbours_contradict_as_far_as_their_numbers_do(planted: Planted, queue: ReviewQueue) -> None:
    study, unseen, _ = planted
    for row, line in queue.frame.iloc[::9].iterrows():
        own = unseen.study_of_row(int(row)) if row in unseen.rows else study
        known = explain.number_neighbours(own, int(row), n_cases=20).frame["target"].to_numpy()
        expected = abs(line["said"] - known.mean()) / max(known.std(), 1e-9)
        assert line["neighbours"] == pytest.approx(expected, rel=0.35, abs=0.1)  # as far cases count as well


@pytest.mark.parametrize("order", ReviewOrder.of(number=True))
def test_an_order_lists_every_case_once_and_always_alike(queue: ReviewQueue, order: ReviewOrder) -> None:
    rows = queue.ordered(order)
    assert sorted(rows) == queue.frame.index.tolist()
    assert queue.ordered(order) == rows


def test_orders_put_first_what_they_say(queue: ReviewQueue) -> None:
    listed = queue.frame[queue.frame["why"] != "drawn"]

    def first(order: ReviewOrder) -> pd.Series:
        return listed.loc[next(row for row in queue.ordered(order) if row in listed.index)]

    assert abs(first(ReviewOrder.ERROR)["error"]) == listed["error"].abs().max()
    assert first(ReviewOrder.LABEL)["suspicion"] == listed["suspicion"].max()
    assert first(ReviewOrder.FAR)["familiarity"] == listed["familiarity"].min()
    widths = listed["upper"] - listed["lower"]
    wide = first(ReviewOrder.WIDE)
    assert wide["upper"] - wide["lower"] == widths.max()
    assert first(ReviewOrder.DEEP)["wrong"]


@pytest.mark.parametrize("order", ["cut", "columns"])
def test_orders_of_classes_are_refused(queue: ReviewQueue, order: str) -> None:
    with pytest.raises(StudyError, match=f"no order '{order}' for a number"):
        queue.ordered(order)


def test_only_what_is_asked_for_is_listed(planted: Planted) -> None:
    study, unseen, _ = planted
    asked = study.split.train[:5].tolist()
    found = explain.number_review_queue(study, unseen, cases=asked)
    assert found.frame.index.tolist() == sorted(asked)
    assert set(found.frame["why"]) <= {"asked", "wrong", "suspicious", "prototype"}
    assert explain.number_review_queue(study, unseen, cases=[]).frame.empty
    with pytest.raises(StudyError):
        explain.number_review_queue(study, unseen, cases=[10**9])
    with pytest.raises(StudyError, match="share of cases"):
        explain.number_review_queue(study, unseen, mixed=0.95)


def test_a_model_that_says_what_everybody_says_has_a_queue(planted: Planted) -> None:
    study, *_ = planted
    flat = fit_number_study(
        study.table,
        study.roles,
        settings=study.settings.__class__(n_iter=0),
    )
    found = explain.number_review_queue(flat)
    assert (found.frame["prototype"] == -1).all()
    assert (found.frame["neighbours"] == 0.0).all()
    assert len(found.ordered("prototype")) == len(found.frame)
    assert not found.frame.loc[found.frame["part"] == "train", "unseen"].any()
