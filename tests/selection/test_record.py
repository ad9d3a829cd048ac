import copy
import json
import pickle
from dataclasses import replace

import numpy as np
import pytest

from proset.common.errors import StorageError, StudyError
from proset.selection import Rule, SearchPlan, SearchRecord, search_report, unconverged_words
from proset.selection.scores import QUANTITIES, FoldScores
from proset.selection.tasks import Score

PLAN = SearchPlan(lambda_v=(1e-4, 1e-1), n_trials=4, n_folds=2, max_batches=3, second_look=False)


def scores(means, spread):
    log_loss = np.array([[mean - spread, mean + spread] for mean in means])
    return FoldScores(log_loss, np.full_like(log_loss, 2.0), np.full_like(log_loss, 7.0), np.ones_like(log_loss))


def changed(found, at, **values):
    """The scores with other numbers at one place; by default a fit that is still to be done."""
    tables = {name: getattr(found, name).copy() for name in QUANTITIES}
    for name, table in tables.items():
        table[at] = values.get(name, table[at]) if values else np.nan
    return FoldScores(**tables)


def record(**changes):
    fields = {
        "plan": PLAN,
        "fingerprint": "abc",
        "scores_1": scores([0.50, 0.40, 0.44, 0.60], 0.05),
        "curves": {2: scores([0.69, 0.47, 0.42, 0.41], 0.02)},
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
    partial = record(curves={})
    assert not partial.complete
    assert partial.stage_2 is None
    with pytest.raises(ValueError, match="Stage 2 has not begun"):
        partial.chosen(2)
    nothing = record(scores_1=FoldScores.empty(4, 2), curves={})
    assert nothing.stage_1["mean"].isna().all()
    with pytest.raises(ValueError, match="none to choose from"):
        nothing.chosen(1)


def test_a_row_without_every_fold_has_no_mean():
    half = changed(scores([0.50, 0.40, 0.44, 0.60], 0.05), (1, 1))
    table = record(scores_1=half, curves={}).stage_1
    assert np.isnan(table.loc[1, "mean"])
    assert record(scores_1=half, curves={}).optimal(1) == 2


def test_state_comes_back_bit_for_bit():
    half = changed(scores([0.1 + 0.2, 1 / 3, 0.44, 0.60], 0.05), (3, 1))
    for original in (record(), record(scores_1=half, curves={}), record().with_batches(1)):
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
        (("stage_1", "log_loss", 0, 0), 2e154, "search.stage_1.log_loss"),
        (("stage_1", "n_features", 0, 0), None, "search.stage_1.n_features"),
        (("stage_1", "extra"), 1, "search.stage_1.extra"),
        (("stage_1", "converged", 0, 0), 0.5, "search.stage_1.converged"),
        (("stage_1", "converged", 0), [1.0], "search.stage_1.converged"),
        (("stage_2", "2", "n_prototypes"), {}, "search.stage_2.2.n_prototypes"),
        (("stage_2", "4"), {}, "search.stage_2"),
        (("stage_2", "02"), {}, "search.stage_2"),
        (("stage_2",), [], "search.stage_2"),
        (("plan", "second_look"), 1, "search.plan.second_look"),
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
    for values in QUANTITIES:
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
    assert "Stage 2 has not begun" in search_report(record(curves={}))


# The second look: stage 2 for smaller penalties, too

LOOK = replace(PLAN, second_look=True)


def looking(curves, first=(0.42, 0.40, 0.44, 0.60), **changes):
    """A search whose stage 1 finds rows 2, 1 and 0 equivalent."""
    return record(**({"plan": LOOK, "scores_1": scores(first, 0.05), "curves": curves} | changes))


SPARSE = scores([0.69, 0.45, 0.43, 0.43], 0.02)
BETTER = scores([0.69, 0.41, 0.30, 0.29], 0.02)
BEST = scores([0.69, 0.42, 0.31, 0.25], 0.02)


def test_stage_2_goes_on_while_smaller_penalties_do_better():
    assert looking({}).to_do() == 2
    assert looking({2: SPARSE}).to_do() == 1
    assert looking({2: SPARSE, 1: BETTER}).to_do() == 0
    done = looking({2: SPARSE, 1: BETTER, 0: BEST})
    assert done.to_do() is None
    assert done.complete
    assert done.looked_at == (2, 1, 0)
    worse = looking({2: BETTER, 1: SPARSE})
    assert worse.to_do() is None
    assert worse.complete
    assert not looking({2: SPARSE, 1: BETTER}).complete


@pytest.mark.parametrize(("noise", "goes_on"), [(0.05, True), (0.2, False)])
def test_a_gain_that_may_be_chance_ends_it(noise, goes_on):
    noisy = changed(BETTER, 3, log_loss=BETTER.log_loss[3] + [noise, -noise])  # mean 0.29: lower than 0.43 by 0.14
    assert looking({2: SPARSE, 1: noisy}).complete != goes_on


def test_what_is_under_way_is_finished_first_and_has_no_say():
    half = changed(BETTER, (1, 1))
    found = looking({2: SPARSE, 1: half})
    assert found.to_do() == 1
    assert (found.chosen(1), found.looked_at) == (2, (2,))
    assert found.reached() == (2, 15, 16)


def test_the_rule_applies_to_all_that_was_looked_at():
    sd = 0.02 * np.sqrt(2)
    found = looking({2: SPARSE, 1: BETTER, 0: scores([0.69, 0.42, 0.31, 0.30], 0.02)})
    assert found.threshold(2) == pytest.approx(0.29 + sd)
    assert (found.chosen(1), found.chosen_batches) == (1, 2)  # 0.30: fewer batches than the best of this pair
    assert found.chosen_penalties == PLAN.pairs()[1]
    assert found.stage_2["mean"].tolist() == pytest.approx([0.69, 0.41, 0.30, 0.29])
    assert found.threshold(1) == looking({}).threshold(1)  # stage 1 is what it was


def test_a_sparse_pair_that_is_as_good_is_kept_even_with_more_batches():
    near = scores([0.69, 0.42, 0.415, 0.41], 0.02)
    found = looking({2: SPARSE, 1: near, 0: SPARSE})
    assert (found.chosen(1), found.chosen_batches) == (2, 2)
    assert found.threshold(2) == pytest.approx(0.41 + 0.02 * np.sqrt(2))


@pytest.mark.parametrize("first", [(0.48, 0.40, 0.44, 0.60), (0.42, 0.40, 0.44, 0.60)])
def test_only_pairs_equivalent_in_stage_1_are_looked_at(first):
    assert looking({2: SPARSE, 1: BETTER}, first).complete == (first[0] == 0.48)


def test_pairs_close_to_each_other_are_not_both_looked_at():
    plan = SearchPlan(
        lambda_v=(1e-2, 1e-1), n_trials=9, n_folds=2, max_batches=3, second_look=True
    )  # eight steps to a decade
    found = record(plan=plan, scores_1=scores([0.4] * 9, 0.05), curves={8: SPARSE})
    assert found.to_do() == 4
    assert record(plan=plan, scores_1=scores([0.4] * 9, 0.05), curves={8: SPARSE, 4: BETTER}).to_do() == 0


def test_the_letter_of_the_report_and_the_best_look_once():
    for plan, row in ((PLAN, 2), (replace(LOOK, rule=Rule.BEST), 1)):
        found = looking({row: SPARSE}, plan=plan)
        assert found.complete
        assert found.chosen(1) == row


def test_a_person_may_choose_what_was_passed_over():
    found = looking({2: SPARSE, 1: BETTER, 0: SPARSE})
    back = found.with_choice(lambda_v=PLAN.pairs()[2][0], lambda_w=1e-8)
    assert back.complete  # nothing has to be done again
    assert (back.chosen(1), back.chosen_batches) == (2, 1)  # by the rule over its own curve: 0.45 <= 0.43 + sd
    assert back.threshold(2) == pytest.approx(0.43 + 0.02 * np.sqrt(2))
    assert not found.with_choice(lambda_v=PLAN.pairs()[3][0], lambda_w=1e-8).complete


def test_a_second_look_comes_back_from_its_state_and_is_reported():
    found = looking({2: SPARSE, 1: BETTER, 0: BEST})
    again = SearchRecord.from_state(json.loads(json.dumps(found.to_state())))
    assert again.to_state() == found.to_state()
    assert again.chosen_penalties == found.chosen_penalties
    text = search_report(found)
    assert all(len(line) <= 80 for line in text.splitlines())
    assert "compared over 3 pairs of penalties" in text
    assert text.index("lambda_v 1.00e-02, lambda_w 1.00e-08: lowest log-loss 0.4300 with 2") < text.index(
        "0.2500 with 3"
    )
    assert "compared over" not in search_report(record())


def test_a_record_from_before_the_second_look_is_read():
    for found in (record(), record(curves={}), record().with_choice(lambda_v=PLAN.pairs()[2][0], lambda_w=1e-8)):
        state = found.to_state()
        del state["plan"]["second_look"]
        state["stage_2"] = state["stage_2"].get("2")
        assert SearchRecord.from_state(state).to_state() == found.to_state()


# Scores do not change, and say which fits converged


def test_scores_cannot_be_changed_behind_the_back_of_a_record():
    values = np.array([[0.4, 0.5]])
    found = FoldScores(values, np.ones((1, 2)), np.ones((1, 2)))
    values[0, 0] = 9.0  # the caller's own array
    assert found.log_loss.tolist() == [[0.4, 0.5]]
    for copied in (found, copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        for name in QUANTITIES:
            with pytest.raises(ValueError, match="read-only"):
                getattr(copied, name)[0, 0] = 9.0


def test_a_score_more_gives_new_scores():
    empty = FoldScores.empty(2, 3)
    one = empty.with_score(Score(1, 2, 0.5, 3, 8, converged=True, reason=""))
    assert not empty.done.any()
    assert np.argwhere(one.done).tolist() == [[1, 2]]
    assert [getattr(one, name)[1, 2] for name in QUANTITIES] == [0.5, 3.0, 8.0, 1.0]


@pytest.mark.parametrize("loss", [np.nan, np.inf])
def test_a_log_loss_that_is_no_number_is_refused(loss):
    # Taken over, the fit would count as still to be done, and the search would do it again and again.
    with pytest.raises(StudyError, match="without fold 3 gives a log-loss of"):
        FoldScores.empty(2, 3).with_score(Score(1, 2, loss, 3, 8, converged=True, reason=""))


def test_tables_say_how_many_fits_converged():
    first = changed(scores([0.50, 0.40, 0.44, 0.60], 0.05), (1, 0), converged=0.0)
    half = changed(first, (3, 1))
    table = record(scores_1=half, curves={}).stage_1
    assert table["converged"].tolist()[:3] == [1.0, 0.5, 1.0]
    assert np.isnan(table.loc[3, "converged"])
    state = json.loads(json.dumps(record(scores_1=first).to_state()))
    assert state["stage_1"]["converged"][1] == [0.0, 1.0]
    assert SearchRecord.from_state(state).stage_1["converged"].tolist() == [1.0, 0.5, 1.0, 1.0]


def test_a_fit_that_is_not_done_cannot_have_converged():
    state = record(scores_1=changed(scores([0.50, 0.40, 0.44, 0.60], 0.05), (3, 1)), curves={}).to_state()
    state["stage_1"]["converged"][3][1] = 1.0
    with pytest.raises(StorageError, match=r"Field 'search\.stage_1\.converged'"):
        SearchRecord.from_state(state)


def test_a_record_from_before_convergence_was_written_down_is_read():
    state = record().to_state()
    for scored in (state["stage_1"], *state["stage_2"].values()):
        del scored["converged"]
    again = SearchRecord.from_state(state)
    assert again.stage_1["converged"].isna().all()  # not known, so nothing is claimed
    assert again.stage_1.drop(columns="converged").equals(record().stage_1.drop(columns="converged"))
    assert (again.chosen(1), again.chosen(2), again.complete) == (2, 2, True)
    assert unconverged_words(again) == ""
    assert search_report(again) == search_report(record())


def test_the_report_says_how_many_fits_did_not_converge_and_where():
    first = changed(scores([0.50, 0.40, 0.44, 0.60], 0.05), (1, 0), converged=0.0)
    first = changed(first, 0, converged=0.0)
    second = changed(scores([0.69, 0.47, 0.42, 0.41], 0.02), (3, 1), converged=0.0)
    text = search_report(record(scores_1=first, curves={2: second}))
    assert all(len(line) <= 80 for line in text.splitlines())
    assert "3 of 8 fits did not converge:\n    lambda_v 1.00e-04, lambda_w 1.00e-08: 2 of 2 folds" in text
    assert "lambda_v 1.00e-03, lambda_w 1.00e-08: 1 of 2 folds" in text
    assert "1 of 6 fits did not converge:\n    lambda_v 1.00e-02, lambda_w 1.00e-08: 1, first in batch 3" in text
    words = unconverged_words(record(scores_1=first, curves={2: second}))
    assert words == "4 of the 14 fits of the search did not converge."
    assert "did not converge" not in search_report(record())
    assert unconverged_words(record()) == ""


def test_a_long_list_of_what_did_not_converge_is_cut_short():
    plan = replace(PLAN, lambda_w=(1e-9, 1e-4), n_trials=40)
    none = replace(scores(np.linspace(0.4, 0.6, 40), 0.01), converged=np.zeros((40, 2)))
    text = search_report(record(plan=plan, scores_1=none, curves={}))
    assert "80 of 80 fits did not converge:" in text
    assert "and 37 more pairs of penalties" in text
    assert len(text.splitlines()) < 20
