import json
from dataclasses import replace

import numpy as np
import pytest

from proset.errors import StorageError, StudyError
from proset.selection import Rule, SearchPlan, SearchRecord, search_report
from proset.selection.result import FoldScores

PLAN = SearchPlan(lambda_v=(1e-4, 1e-1), n_trials=4, n_folds=2, max_batches=3)


def scores(means, spread):
    log_loss = np.array([[mean - spread, mean + spread] for mean in means])
    return FoldScores(log_loss, np.full_like(log_loss, 2.0), np.full_like(log_loss, 7.0))


def record(**changes):
    fields = {
        "plan": PLAN,
        "fingerprint": "abc",
        "scores_1": scores([0.50, 0.40, 0.44, 0.60], 0.05),
        "scores_2": scores([0.69, 0.47, 0.42, 0.41], 0.02),
    }
    return SearchRecord(**(fields | changes))


def test_marks_follow_the_rule():
    found = record()
    sd = 0.05 * np.sqrt(2)
    assert found.threshold(1) == pytest.approx(0.40 + sd)
    assert (found.optimal(1), found.chosen(1)) == (1, 2)
    assert found.chosen_penalties == PLAN.pairs()[2]
    assert (found.optimal(2), found.chosen(2), found.chosen_batches) == (3, 2, 2)
    assert found.complete


@pytest.mark.parametrize(("rule", "chosen"), [(Rule.SD, 2), (Rule.SE, 2), (Rule.BEST, 1)])
def test_each_rule(rule, chosen):
    assert record(plan=replace(PLAN, rule=rule)).chosen(1) == chosen


def test_a_person_may_choose_otherwise():
    found = record().with_batches(1)
    assert (found.chosen_batches, found.optimal(2)) == (1, 3)
    kept = found.with_choice(lambda_v=PLAN.pairs()[2][0], lambda_w=1e-8)
    assert kept.stage_2 is not None  # the pair that stage 2 was done for
    other = found.with_choice(lambda_v=PLAN.pairs()[0][0], lambda_w=1e-8)
    assert (other.stage_2, other.batches, other.complete) == (None, None, False)
    assert other.chosen_penalties == PLAN.pairs()[0]
    for bad in (-1, 4, 1.5, True):
        with pytest.raises(StudyError, match="has to be a whole number from 0 to 3"):
            found.with_batches(bad)


def test_an_unfinished_record_says_what_is_missing():
    partial = record(scores_2=None)
    assert not partial.complete
    assert partial.stage_2 is None
    with pytest.raises(ValueError, match="Stage 2 has not begun"):
        partial.chosen(2)
    nothing = record(scores_1=FoldScores.empty(4, 2), scores_2=None)
    assert nothing.stage_1["mean"].isna().all()
    with pytest.raises(ValueError, match="none to choose from"):
        nothing.chosen(1)


def test_a_row_without_every_fold_has_no_mean():
    half = scores([0.50, 0.40, 0.44, 0.60], 0.05)
    half.log_loss[1, 1] = np.nan
    table = record(scores_1=half, scores_2=None).stage_1
    assert np.isnan(table.loc[1, "mean"])
    assert record(scores_1=half, scores_2=None).optimal(1) == 2


def test_state_comes_back_bit_for_bit():
    half = scores([0.1 + 0.2, 1 / 3, 0.44, 0.60], 0.05)
    for values in (half.log_loss, half.n_features, half.n_prototypes):
        values[3, 1] = np.nan
    for original in (record(), record(scores_1=half, scores_2=None), record().with_batches(1)):
        again = SearchRecord.from_state(json.loads(json.dumps(original.to_state())))
        assert again.to_state() == original.to_state()
        np.testing.assert_array_equal(again.stage_1, original.stage_1)


def damaged(path, value):
    state = json.loads(json.dumps(record().to_state()))
    place = state
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return state


@pytest.mark.parametrize(
    ("path", "value", "named"),
    [
        (("plan",), None, "search.plan"),
        (("fingerprint",), 3, "search.fingerprint"),
        (("stage_1", "log_loss"), [], "search.stage_1.log_loss"),
        (("stage_1", "log_loss", 0), [1.0], "search.stage_1.log_loss"),
        (("stage_1", "log_loss", 0, 0), "low", "search.stage_1.log_loss"),
        (("stage_1", "log_loss", 0, 0), -1.0, "search.stage_1.log_loss"),
        (("stage_1", "log_loss", 0, 0), float("inf"), "search.stage_1.log_loss"),
        (("stage_1", "n_features", 0, 0), None, "search.stage_1.n_features"),
        (("stage_1", "extra"), 1, "search.stage_1.extra"),
        (("stage_2", "n_prototypes"), {}, "search.stage_2.n_prototypes"),
        (("choice",), [0.5, 1e-8], "search.choice"),
        (("choice",), "first", "search.choice"),
        (("batches",), 4, "search.batches"),
        (("more",), 1, "search.more"),
    ],
)
def test_damage_is_named(path, value, named):
    with pytest.raises(StorageError, match=f"Field '{named}'"):
        SearchRecord.from_state(damaged(path, value))


def test_stage_2_before_stage_1_is_refused():
    state = record().to_state()
    for values in ("log_loss", "n_features", "n_prototypes"):
        state["stage_1"][values][0][0] = None
    with pytest.raises(StorageError, match="cannot be there before stage 1"):
        SearchRecord.from_state(state)


def test_report_names_best_chosen_and_threshold():
    text = search_report(record())
    assert all(len(line) <= 80 for line in text.splitlines())
    lines = [line.split() for line in text.splitlines() if line.split()[:1] in (["best"], ["chosen"])]
    assert [line[0] for line in lines] == ["best", "chosen", "best", "chosen"]
    assert [float(line[1]) for line in lines] == [1e-3, 1e-2, 3.0, 2.0]
    assert "threshold 0.4707" in text
    assert "by hand" not in text
    assert "by hand" in search_report(record().with_batches(1))
    assert "Stage 2 has not begun" in search_report(record(scores_2=None))
