"""The queue of cases to review: who judges each, what is listed, the facts of each, and the orders."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from proset import ClassifierModel, explain
from proset.common.errors import StudyError
from proset.data.issues import Role
from proset.data.roles import Roles
from proset.data.samples import load_sample, sample_roles
from proset.data.split import SplitSettings
from proset.data.table import read_table
from proset.explain.cases.case import explain_case
from proset.explain.review.listed import ReviewQueue
from proset.explain.review.orders import ReviewOrder
from proset.explain.review.row_facts import margins
from proset.study import DecisionRule, FitSettings, Study, fit_study
from proset.study.unseen import Unseen, judge_unseen, untouched_rows


@pytest.fixture(scope="module")
def study() -> Study:
    return fit_study(load_sample("cancer"), sample_roles("cancer"))


@pytest.fixture(scope="module")
def unseen(study: Study) -> Unseen:
    return judge_unseen(study, n_folds=3)


@pytest.fixture(scope="module")
def queue(study: Study, unseen: Unseen) -> ReviewQueue:
    return explain.review_queue(study, unseen, mixed=0.3)


def judge(study: Study, unseen: Unseen, row: int) -> Study:
    return unseen.study_of_row(row) if row in unseen.rows else study


def test_every_error_is_listed_and_no_untouched_row(study: Study, unseen: Unseen, queue: ReviewQueue) -> None:
    judged, untouched = unseen.judged(), set(untouched_rows(study))
    held_out = study.judged().loc[study.split.held_out]
    wrong = set(judged.index[judged["wrong"]]) | (set(held_out.index[held_out["wrong"]]) - untouched)
    assert set(queue.frame.index[queue.frame["wrong"]]) == wrong
    assert len(wrong) > 5
    assert not set(queue.frame.index) & untouched
    assert set(queue.frame.index) <= set(study.split.train) | set(study.split.held_out)
    assert queue.frame["unseen"].all()


def test_each_case_is_told_by_the_model_that_has_not_seen_it(study: Study, unseen: Unseen, queue: ReviewQueue) -> None:
    for row, line in queue.frame.iterrows():
        own = judge(study, unseen, int(row))
        said = own.judged().loc[row]
        assert (line["said"], line["actual"]) == (said["predicted"], said["actual"])
        assert line["confidence"] == pytest.approx(said["confidence"])
        assert line["stated"] == pytest.approx(own.probabilities.loc[row, line["actual"]])
        assert line["familiarity"] == said["quantile"]
        assert line["wrong"] == (line["said"] != line["actual"])
        assert line["part"] == ("train" if row in study.split.train else "held_out")


def test_facts_are_those_of_the_case(study: Study, unseen: Unseen, queue: ReviewQueue) -> None:
    for row in queue.frame.index[::3]:
        own, line = judge(study, unseen, int(row)), queue.frame.loc[row]
        found = explain.contradictions(own, int(row))
        assert line["columns"] == len(found.contradicting)
        assert line["unusual"] == found.unusual
        for name, metric in (("neighbours", "by_model"), ("neighbours_all", "by_columns")):
            votes = found.nearest[metric]
            assert line[name] == pytest.approx(1.0 - votes[line["said"]] / votes.sum())
        report = explain_case(own, int(row)).report
        of_class = report[report["batch"].notna() & (report["target"] == line["said"])]
        assert line["prototype"] == of_class.sort_values("impact", ascending=False)["sample"].iloc[0]


@pytest.mark.slow
def test_right_cases_are_drawn_from_all_others_by_a_seed(study: Study, unseen: Unseen, queue: ReviewQueue) -> None:
    drawn = queue.frame[queue.frame["why"] == "drawn"]
    assert not drawn["wrong"].any()
    assert (drawn["suspicion"] < 0.5).all()
    assert len(drawn) == np.ceil(0.3 / 0.7 * (len(queue.frame) - len(drawn)))
    again = explain.review_queue(study, unseen, mixed=0.3)
    assert again.frame.equals(queue.frame)
    other = explain.review_queue(study, unseen, mixed=0.3, random_state=1)
    assert set(other.frame.index[other.frame["why"] == "drawn"]) != set(drawn.index)
    none = explain.review_queue(study, unseen, mixed=0.0)
    assert "drawn" not in set(none.frame["why"])
    assert set(none.frame.index) == set(queue.frame.index) - set(drawn.index)


@pytest.mark.parametrize("order", ReviewOrder.of(number=False))
def test_an_order_lists_every_case_once_and_always_alike(queue: ReviewQueue, order: ReviewOrder) -> None:
    rows = queue.ordered(order)
    assert sorted(rows) == queue.frame.index.tolist()
    assert queue.ordered(str(order)) == rows
    shuffled = replace(queue, frame=queue.frame.sample(frac=1.0, random_state=1).sort_index())
    assert shuffled.ordered(order) == rows
    assert order.words


def test_drawn_cases_stand_among_the_others(queue: ReviewQueue) -> None:
    """Who goes through an order cannot tell by the place of a case that the model is right."""
    places = {}
    for order in set(ReviewOrder.of(number=False)) - {ReviewOrder.PROTOTYPE}:
        drawn = (queue.frame.loc[queue.ordered(order), "why"] == "drawn").to_numpy()
        assert np.flatnonzero(drawn).min() < (~drawn).sum()
        places[order] = tuple(np.flatnonzero(drawn))
    assert len(set(places.values())) > 1


def in_order(queue: ReviewQueue, order: ReviewOrder) -> pd.DataFrame:
    """Return the cases that were not drawn, in an order."""
    frame = queue.frame.loc[queue.ordered(order)]
    return frame[frame["why"] != "drawn"]


def test_deep_and_familiar_errors_come_first(queue: ReviewQueue) -> None:
    frame = in_order(queue, ReviewOrder.DEEP)
    n_wrong = int(frame["wrong"].sum())
    assert frame["wrong"].iloc[:n_wrong].all()
    errors = frame.iloc[:n_wrong]
    assert ((errors["confidence"] - errors["stated"]) * errors["familiarity"]).is_monotonic_decreasing


def test_what_each_order_puts_first(queue: ReviewQueue) -> None:
    near = in_order(queue, ReviewOrder.NEIGHBOURS)
    assert (near["neighbours"] + near["neighbours_all"]).is_monotonic_decreasing
    columns = in_order(queue, ReviewOrder.COLUMNS)
    assert (100 * columns["unusual"] + columns["columns"]).is_monotonic_decreasing
    assert in_order(queue, ReviewOrder.CUT)["margin"].is_monotonic_increasing
    assert in_order(queue, ReviewOrder.FAR)["familiarity"].is_monotonic_increasing
    assert in_order(queue, ReviewOrder.LABEL)["suspicion"].is_monotonic_decreasing


def test_cases_of_one_prototype_stand_beside_each_other_behind_it(queue: ReviewQueue) -> None:
    frame = queue.frame.loc[queue.ordered(ReviewOrder.PROTOTYPE)]
    errors = queue.frame[queue.frame["wrong"]].groupby("prototype").size()
    leaders = frame.index[frame["why"] == "prototype"]
    assert len(leaders)
    assert set(leaders) <= set(errors.index[errors >= 2])
    group = pd.Series(np.where(frame["why"] == "prototype", frame.index, frame["prototype"]), index=frame.index)
    runs = group[group != group.shift()]
    assert not runs.duplicated().any()
    assert errors.reindex(runs.to_numpy(), fill_value=0).is_monotonic_decreasing
    for row in leaders:
        assert group.index[group == row][0] == row


def test_without_folds_training_rows_are_judged_by_a_model_that_has_seen_them(study: Study) -> None:
    queue = explain.review_queue(study)
    seen = queue.frame["part"] == "train"
    assert (queue.frame["unseen"] == ~seen).all()
    assert seen.any()


@pytest.mark.slow
def test_rows_that_no_fold_left_out_are_judged_by_the_study() -> None:
    study = fit_study(load_sample("penguins"), sample_roles("penguins"), split=SplitSettings(file_order=False))
    unseen = judge_unseen(study, n_folds=3)
    first = Unseen(unseen.studies[:1])
    queue = explain.review_queue(study, first, mixed=0.9)
    train = queue.frame[queue.frame["part"] == "train"]
    assert set(train.index[train["unseen"]]) <= set(first.rows)
    assert not set(train.index[~train["unseen"]]) & set(first.rows)


def test_folds_of_another_model_are_refused(study: Study, unseen: Unseen) -> None:
    other = fit_study(study.table, study.roles, settings=FitSettings(n_iter=0))
    for call in (explain.review_queue, explain.label_errors):
        with pytest.raises(StudyError, match="folds of another model"):
            call(other, unseen)
    with pytest.raises(StudyError, match="mixed in is 1"):
        explain.review_queue(study, unseen, mixed=1.0)


def test_another_rule_says_other_errors(study: Study, unseen: Unseen, queue: ReviewQueue) -> None:
    rule = DecisionRule(cutoff=0.9)
    other = explain.review_queue(study, unseen, rule=rule)
    assert set(other.frame.index[other.frame["wrong"]]) != set(queue.frame.index[queue.frame["wrong"]])
    row = int(other.frame.index[other.frame["wrong"]][0])
    second = judge(study, unseen, row).probabilities.loc[row].iloc[1]
    assert other.frame.loc[row, "margin"] == pytest.approx(abs(second - 0.9))


def test_margins_of_costs() -> None:
    rule = DecisionRule(costs=((0.0, 1.0), (4.0, 0.0)))
    assert margins(rule, np.array([[0.8, 0.2], [1.0, 0.0]])).tolist() == pytest.approx([0.0, 0.125])


@pytest.mark.slow
def test_a_model_that_has_no_prototype_and_a_table_with_all_kinds_of_cells(mixed_study: Study) -> None:
    for study in (mixed_study, fit_study(mixed_study.table, mixed_study.roles, settings=FitSettings(n_iter=0))):
        unseen = judge_unseen(study, n_folds=3)
        queue = explain.review_queue(study, unseen)
        assert not set(queue.frame.index) & set(study.labels.index[study.labels.isna()])
        assert queue.frame["suspicion"].between(0.0, 1.0).all()
        assert sorted(queue.ordered("prototype")) == queue.frame.index.tolist()
        for row in queue.frame.index[:8]:
            found = explain.contradictions(judge(study, unseen, int(row)), int(row))
            assert queue.frame.loc[row, "columns"] == len(found.contradicting)
    assert (queue.frame["prototype"] == -1).all()


@pytest.mark.slow
def test_nothing_to_list_is_an_empty_queue() -> None:
    size = np.concatenate([np.linspace(0.0, 1.0, 40), np.linspace(9.0, 10.0, 40)])
    frame = pd.DataFrame({"size": size, "kind": ["a"] * 40 + ["b"] * 40})
    table = read_table(frame.to_csv(index=False).encode(), name="easy.csv")
    study = fit_study(table, Roles({"size": Role.NUMERIC, "kind": Role.TARGET}))
    queue = explain.review_queue(study, judge_unseen(study))
    assert queue.frame.empty
    orders = ReviewOrder.of(number=False)
    assert [queue.ordered(order) for order in orders] == [[]] * len(orders)
    assert queue.to_dict()["row"] == []


def test_plain_values(queue: ReviewQueue) -> None:
    plain = queue.to_dict()
    assert plain["row"] == queue.frame.index.tolist()
    assert plain["suspicion"] == queue.to_frame()["suspicion"].tolist()


def test_a_model_alone_is_refused() -> None:
    model = ClassifierModel().fit([[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]], list("aaabbb"))
    with pytest.raises(TypeError, match="needs a Study"):
        explain.review_queue(model)  # type: ignore[arg-type]
