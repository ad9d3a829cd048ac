"""What a model adds to the class shares: made-up cases whose verdict is known."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t

from proset.data.issues import Role
from proset.data.role_guess import guess_roles
from proset.data.samples import load_sample, sample_roles
from proset.data.split import SplitSettings
from proset.data.table import read_table
from proset.engine.metrics import log_loss
from proset.engine.model import ClassifierModel
from proset.study import DecisionRule, FitSettings, fit_study, repeats
from proset.study.judging import judge_model, weigh
from proset.study.repeats import with_repeats
from proset.study.row_folds import folds_of
from proset.study.search import FoldDesign
from proset.study.verdict import VerdictKind
from proset.study.verdict_words import advice, shares_apart, verdict_sentences

TWO = ("no", "yes")


def weighed(actual, yes, *, shares=None, classes=TWO, **more):
    """Weigh the estimates for the second of two classes; the most probable class is said."""
    actual, yes = np.asarray(actual), np.asarray(yes, dtype=float)
    estimates = np.column_stack([1 - yes, yes])
    if shares is None:
        shares = np.bincount(actual, minlength=2) / len(actual)
    return weigh(actual, estimates, estimates.argmax(axis=1), classes=classes, marginals=np.asarray(shares), **more)


def words(verdict):
    """Return the verdict as one text."""
    return " ".join(verdict_sentences(verdict))


def mostly_missed():
    """Return 1,000 rows of which 117 are yes: 39 found, 20 false alarms."""
    yes = np.full(1000, 0.08)
    yes[:39], yes[39:117], yes[117:137] = 0.6, 0.3, 0.55
    return weighed([1] * 117 + [0] * 883, yes)


def test_two_thirds_of_the_yes_missed_is_not_good():
    verdict = mostly_missed()
    assert (verdict.accuracy, verdict.naive_accuracy) == (0.902, 0.883)
    assert verdict.kind is VerdictKind.UNEVEN
    assert verdict.weak_classes == (verdict.classes[1],)
    said = words(verdict)
    assert "does not work for every class" in said
    assert "902 of 1,000 held-out rows (90.2 %)" in said
    assert "883 (88.3 %), 19 rows fewer." in said
    assert "misses 78 of the 117 rows of 'yes' (66.7 %)" in said


def test_a_class_that_is_never_said_is_named():
    actual = np.repeat([0, 1, 2], [100, 60, 20])
    estimates = np.full((180, 3), 0.1)
    estimates[np.arange(180), actual] = 0.8
    estimates[actual == 2] = [0.5, 0.3, 0.2]
    verdict = weigh(
        actual, estimates, estimates.argmax(axis=1), classes=("a", "b", "c"), marginals=np.array([100, 60, 20]) / 180
    )
    assert verdict.kind is VerdictKind.UNEVEN
    assert "It never says 'c' (20 held-out rows)." in words(verdict)
    assert verdict.table().loc["c", ["rows", "found", "said"]].tolist() == [20, 0, 0]
    assert verdict.table().loc[["c"], "right when said"].isna().all()


def test_classes_that_are_never_said_or_absent_are_joined_by_or():
    actual = np.repeat([0, 1, 2], [100, 30, 20])
    estimates = np.tile([0.5, 0.2, 0.1, 0.1, 0.1], (150, 1))
    verdict = weigh(
        actual,
        estimates,
        estimates.argmax(axis=1),
        classes=tuple("abcde"),
        marginals=np.array([0.6, 0.2, 0.1, 0.05, 0.05]),
    )
    said = words(verdict)
    assert "It never says 'b' or 'c' (50 held-out rows)." in said
    assert "No held-out row is 'd' or 'e', so nothing can be said about them." in said


def test_next_to_nothing_is_said_to_be_so():
    # 602 right where 597 are by saying no; estimates hardly leave the share of 40.3 %.
    actual = np.array([0] * 597 + [1] * 403)
    yes = np.full(1000, 0.4)
    yes[597:800] = 0.43
    yes[800:830], yes[:25] = 0.52, 0.52
    verdict = weighed(actual, yes)
    assert (verdict.n_right, verdict.naive_right) == (602, 597)
    assert verdict.more_right_by_luck
    assert verdict.kind is VerdictKind.LITTLE
    assert "adds next to nothing" in words(verdict)
    assert "597 (59.7 %), 5 rows fewer; that may be luck." in words(verdict)


def test_a_model_that_is_more_often_right_does_not_add_nothing():
    # 450 of 800 right where 400 are by always saying no; where it is wrong, it is rather sure.
    actual = np.repeat([0, 1], 400)
    yes = np.repeat([0.4, 0.606, 0.6, 0.394], [225, 175, 225, 175])
    verdict = weighed(actual, yes)
    assert verdict.kind is VerdictKind.NOTHING
    assert not verdict.more_right_by_luck
    begin = "The model is right more often than always saying 'no', but its probabilities add nothing"
    assert words(verdict).startswith(begin)
    assert "50 rows fewer." in words(verdict)


def test_probabilities_that_are_too_sure_are_told_from_useless_ones():
    random = np.random.default_rng(0)
    signal = random.normal(size=400)
    actual = (signal + 1.2 * random.normal(size=400) > 0).astype(int)
    verdict = weighed(actual, 1 / (1 + np.exp(-12 * signal)))
    assert verdict.log_loss > verdict.naive_log_loss
    assert verdict.roc_auc > 0.75
    assert verdict.kind is VerdictKind.WORSE
    assert "too sure of themselves" in words(verdict)
    useless = weighed(actual, 1 / (1 + np.exp(-3 * random.normal(size=400))))
    assert useless.kind is VerdictKind.WORSE
    assert not useless.too_sure
    assert "worse than stating the class shares" in words(useless)


def test_a_difference_on_few_rows_may_be_luck():
    yes = np.where(np.array([0, 1] * 6) == 1, 0.6, 0.4)
    yes[:3] = 0.75
    verdict = weighed([0, 1] * 6, yes)
    assert verdict.gain > 0 > verdict.low
    assert verdict.kind is VerdictKind.UNSURE
    assert "may be luck" in words(verdict)
    assert "With 12 held-out rows" in words(verdict)
    one = weighed([1], [0.9], shares=[0.5, 0.5])
    assert one.kind is VerdictKind.UNSURE
    assert "There is only 1 held-out row." in words(one)


def test_perfect_is_good_and_suspicious():
    actual = np.array([0, 1] * 30)
    verdict = weighed(actual, np.where(actual == 1, 0.99, 0.01))
    assert verdict.kind is VerdictKind.GOOD
    assert verdict.suspicious
    assert "no column gives the answer away" in words(verdict)
    assert not weighed(actual[:10], np.where(actual[:10] == 1, 0.99, 0.01)).suspicious


def test_good_holds_for_every_class_and_beyond_luck():
    actual = np.array([0, 1] * 50)
    yes = np.where(actual == 1, 0.8, 0.2)
    yes[:4] = 0.5 + (0.2 - 0.4 * actual[:4])
    verdict = weighed(actual, yes)
    assert verdict.kind is VerdictKind.GOOD
    assert not verdict.suspicious
    assert not verdict.weak_classes
    assert "for every class" in words(verdict)
    assert advice(verdict, searched=False) == ""


def test_a_class_found_less_often_than_by_chance_is_named():
    actual = np.repeat([0, 1, 2], [100, 100, 40])
    said = np.repeat([0, 2, 1, 0, 2], [85, 15, 100, 38, 2])
    estimates = np.full((240, 3), 0.1)
    estimates[np.arange(240), said] = 0.8
    verdict = weigh(actual, estimates, said, classes=("a", "b", "c"), marginals=np.array([100, 100, 40]) / 240)
    assert verdict.classes[2].below_chance
    assert "It finds 'c' less often than chance would." in words(verdict)


def test_a_class_without_held_out_rows_keeps_the_verdict_from_being_good():
    actual = np.array([0, 1] * 50)
    estimates = np.column_stack([np.where(actual == 0, 0.8, 0.1), np.where(actual == 1, 0.8, 0.1), np.full(100, 0.1)])
    verdict = weigh(actual, estimates, actual, classes=("a", "b", "c"), marginals=np.array([0.45, 0.45, 0.1]))
    assert verdict.kind is VerdictKind.UNEVEN
    assert "No held-out row is 'c', so nothing can be said about it." in words(verdict)


def test_the_interval_is_that_of_the_paired_differences():
    random = np.random.default_rng(1)
    actual = random.integers(0, 2, 200)
    yes = np.clip(0.5 + 0.3 * (actual - 0.5) + random.normal(0, 0.15, 200), 0.05, 0.95)
    verdict = weighed(actual, yes, shares=[0.5, 0.5])
    of_actual = np.where(actual == 1, yes, 1 - yes)
    # With equal shares every row has the same naive loss, so the interval is that of the mean of the differences.
    differences = (np.log(2) + np.log(of_actual)) / np.log(2)
    half = t.ppf(0.975, 199) * differences.std(ddof=1) / np.sqrt(200)
    assert verdict.gain == pytest.approx(differences.mean())
    assert (verdict.low, verdict.high) == pytest.approx((verdict.gain - half, verdict.gain + half))


def test_rows_left_to_a_person_do_not_count_as_right_or_wrong():
    actual = np.array([0, 1] * 20)
    estimates = np.where(actual[:, None] == [0, 1], 0.8, 0.2)
    said = np.where(np.arange(40) < 10, -1, actual)
    verdict = weigh(actual, estimates, said, classes=TWO, marginals=np.array([0.5, 0.5]))
    assert (verdict.n_rows, verdict.n_decided, verdict.n_right) == (40, 30, 30)
    assert "30 of 30 held-out rows that are not left to a person" in words(verdict)


def test_a_rule_that_minds_costs_is_not_blamed_for_false_alarms():
    actual = np.array([1] * 30 + [0] * 170)
    yes = np.where(actual == 1, 0.45, 0.05)
    yes[30:90] = 0.3
    estimates = np.column_stack([1 - yes, yes])
    said = (yes > 0.2).astype(int)
    common = {"classes": TWO, "marginals": np.array([0.85, 0.15])}
    assert weigh(actual, estimates, said, **common).kind is VerdictKind.UNEVEN
    costs = weigh(actual, estimates, said, own_rule=True, **common)
    assert costs.kind is VerdictKind.GOOD
    assert "wrong more often than right" not in words(costs)


def test_the_verdict_on_a_study_has_the_figures_of_its_metrics(iris_study):
    verdict, metrics = judge_model(iris_study), iris_study.metrics
    assert verdict.log_loss == pytest.approx(metrics.log_loss, abs=1e-9)
    assert verdict.naive_log_loss == pytest.approx(metrics.naive_log_loss, abs=1e-9)
    assert (verdict.accuracy, verdict.naive_accuracy) == pytest.approx((metrics.accuracy, metrics.naive_accuracy))
    assert verdict.balanced_accuracy == pytest.approx(metrics.balanced_accuracy)
    assert verdict.roc_auc == pytest.approx(metrics.roc_auc)
    assert log_loss(np.array([1.0])) == 0.0


def test_a_study_is_judged_by_the_rule_of_the_session(iris_study):
    left = judge_model(iris_study, DecisionRule(leave_below=0.3))
    assert left.n_decided < left.n_rows
    assert left.own_rule


def test_nothing_held_out_and_no_feature_say_so(patients, patient_roles):
    study = fit_study(patients, patient_roles)
    every = np.sort(np.concatenate([study.split.train, study.split.held_out]))
    none = judge_model(replace(study, split=replace(study.split, train=every, held_out=every[:0])))
    assert none.kind is VerdictKind.UNSURE
    assert verdict_sentences(none) == ("No row was held out, so there is nothing to judge the model by.",)
    assert "Hold out some rows" in advice(none, searched=True)
    empty = judge_model(fit_study(patients, patient_roles, settings=FitSettings(n_iter=0)))
    assert empty.kind is VerdictKind.NOTHING
    assert "only states how common each class is" in words(empty)


def test_advice_never_is_to_vary_a_setting():
    for kind in VerdictKind:
        for searched in (False, True):
            said = advice(replace(mostly_missed(), kind=kind), searched=searched)
            assert "penalt" not in said
            assert ("Run a search" in said) <= (not searched)


# --- few held-out rows ------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def checked(iris_study):
    return with_repeats(iris_study)


def test_a_dozen_held_out_rows_that_are_all_right_are_no_tick():
    actual = np.array([0, 1] * 6)
    verdict = weighed(actual, np.where(actual == 1, 0.97, 0.03))
    assert (verdict.kind, verdict.n_right, verdict.firm) == (VerdictKind.GOOD, 12, False)
    assert "This rests on 12 held-out rows only" in words(verdict)
    many = weighed(np.tile(actual, 25), np.tile(np.where(actual == 1, 0.97, 0.03), 25))
    assert many.firm
    assert "only" not in words(many)


def test_few_held_out_rows_are_judged_by_repeated_cross_validation(iris_study, checked):
    assert iris_study.left_out is None
    assert not judge_model(iris_study).firm
    left_out, verdict = checked.left_out, judge_model(checked)
    assert (left_out.probabilities.shape, left_out.quantile.shape) == ((10, 150, 3), (10, 150))
    assert left_out.rows.tolist() == list(range(1, 151))
    found = verdict.repeated
    assert len(found.kinds) == 10
    assert verdict.kind is found.middle.kind is max(set(found.kinds), key=found.kinds.count)
    # Counted by hand: each repetition on all rows with a class.
    actual = pd.Index(checked.classes).get_indexer(pd.Index(checked.labels))
    right = (left_out.probabilities.argmax(axis=2) == actual).sum(axis=1)
    assert found.middle.n_right in right
    said = words(verdict)
    assert f"So say {found.n_same} of 10 cross-validations with these settings: each of 150 rows was left out" in said
    assert "because only 45 rows were held out" in said
    assert "The counts are those of the middle one." in said
    assert f"This model itself is right for {judge_model(iris_study).n_right} of 45 held-out rows." in said
    assert (verdict.n_rows, verdict.n_right) == (45, judge_model(iris_study).n_right)


def test_no_model_has_seen_the_rows_that_it_is_judged_by(checked):
    """The estimates are those of a fit to the other folds."""
    problem, target = repeats._rows(checked)
    fold = folds_of(checked, problem, n_folds=repeats.N_FOLDS, random_state=3)[1]
    train, test = FoldDesign(problem.training_rows[list(checked.roles.features)], checked.roles)(fold.train, fold.test)
    settings = replace(checked.settings, solver_factr=1e11, random_state=3).for_model
    model = ClassifierModel(**settings).fit(train, target[fold.train])
    np.testing.assert_array_equal(checked.left_out.probabilities[3, fold.test], model.predict_proba(test))


def test_along_time_there_is_one_way_to_cut_rows_so_one_cross_validation_and_no_tick():
    mixed = np.random.default_rng(0).permutation(150) + 1
    table = load_sample("iris_2f")
    rows = table.frame.loc[mixed].set_axis(pd.RangeIndex(1, 151, name="row"), axis=0)
    study = fit_study(replace(table, frame=rows), sample_roles("iris_2f"), split=SplitSettings(file_order=True))
    checked = with_repeats(study)
    assert len(checked.left_out) == 1
    verdict = judge_model(checked)
    assert not verdict.firm
    assert f"So says a cross-validation along time with these settings: {len(checked.left_out.rows)} rows" in words(
        verdict
    )
    assert "The counts are those of the middle one." not in words(verdict)


def test_a_verdict_that_changes_with_the_folds_is_no_tick(checked):
    verdict = judge_model(checked)
    kinds = (VerdictKind.GOOD,) * 8 + (VerdictKind.UNEVEN,) * 2
    good = replace(verdict.repeated.middle, kind=VerdictKind.GOOD)
    shaky = replace(verdict, kind=VerdictKind.GOOD, repeated=replace(verdict.repeated, kinds=kinds, middle=good))
    assert not shaky.firm
    assert "So say 8 of 10" in words(shaky)
    assert "the others say 'it adds to them, not for every class' (2)." in words(shaky)
    steady = replace(shaky, repeated=replace(shaky.repeated, kinds=(VerdictKind.GOOD,) * 9 + (VerdictKind.LITTLE,)))
    assert steady.firm
    assert not replace(steady, repeated=replace(steady.repeated, middle=replace(good, n_rows=40))).firm


def test_other_rules_are_judged_on_the_same_estimates(checked):
    rule = DecisionRule(leave_below=0.3)
    middle = judge_model(checked, rule).repeated.middle
    assert 0 < middle.n_decided < middle.n_rows == 150


def test_folds_keep_groups_together():
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(40), 4)
    frame = pd.DataFrame({"who": who, "x": rng.normal(size=160), "kind": np.where(rng.random(160) < 0.5, "a", "b")})
    table = read_table(frame.to_csv(index=False).encode(), name="visits.csv")
    roles = guess_roles(table, target="kind").roles.with_role("who", Role.EXTRA)
    study = fit_study(table, roles, split=SplitSettings(groups="who"))
    problem, _ = repeats._rows(study)
    for fold in folds_of(study, problem, n_folds=repeats.N_FOLDS, random_state=0):
        assert not set(who[fold.train]) & set(who[fold.test])


def test_too_few_groups_for_the_folds_leave_the_study_as_it_was():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"who": np.arange(80) % 4, "x": rng.normal(size=80), "kind": np.where(np.arange(80) % 3, "a", "b")}
    )
    table = read_table(frame.to_csv(index=False).encode(), name="visits.csv")
    roles = guess_roles(table, target="kind").roles.with_role("who", Role.EXTRA)
    study = fit_study(table, roles, split=SplitSettings(groups="who"))
    assert with_repeats(study) is study
    assert "held-out rows only" in words(judge_model(study))


def test_a_fit_that_fails_is_named_and_what_is_no_refusal_of_a_fit_is_not_swallowed(iris_study, monkeypatch):
    def refused(*_, **__):
        raise ValueError("num_candidates is too small.")

    monkeypatch.setattr(repeats.ClassifierModel, "fit", refused)
    with pytest.warns(
        UserWarning, match=r"rests on the held-out rows alone: fit 1 of 50 .* num_candidates is too small"
    ):
        assert with_repeats(iris_study) is iris_study
    monkeypatch.undo()
    monkeypatch.setattr(repeats, "familiarity_quantile", refused)
    with pytest.raises(ValueError, match="num_candidates"):
        with_repeats(iris_study)


def test_enough_held_out_rows_are_judged_as_they_are(iris_study):
    split = iris_study.split
    many = replace(iris_study, split=replace(split, held_out=np.tile(split.held_out, 7)))
    assert with_repeats(many) is many


def test_a_class_that_is_far_more_common_in_later_rows_is_named():
    rng = np.random.default_rng(0)
    red = rng.uniform(size=400) < np.where(np.arange(400) < 280, 0.03, 0.3)
    lines = ["x,state", *(f"{x + 2 * is_red:.3f},{'red' if is_red else 'green'}" for x, is_red in zip(
        rng.normal(size=400), red, strict=True
    ))]  # fmt: skip
    table = read_table("\n".join(lines).encode(), name="air.csv")
    roles = guess_roles(table, target="state").roles
    later = fit_study(table, roles, settings=FitSettings(num_candidates=40), split=SplitSettings(file_order=True))
    assert re.match(r"'red' is [23]\d\.\d % of the held-out rows and \d\.\d % of those", shares_apart(later))
    assert "later rows differ" in shares_apart(later)
    assert shares_apart(fit_study(table, roles, settings=FitSettings(num_candidates=40))) == ""


def test_a_class_of_one_group_may_be_found_by_luck():
    groups = np.repeat(np.arange(20), 20)
    actual = np.where(groups < 10, 0, 1)
    yes = np.where(actual == 1, 0.9, 0.1)
    actual[groups == 0], yes[groups == 0] = 2, 0.0  # of the third class are the rows of one person alone
    estimates = np.column_stack([1 - yes, yes, np.zeros(400)]) * 0.9 + 0.1 / 3
    estimates[groups == 0] = [0.1, 0.1, 0.8]
    said = estimates.argmax(axis=1)
    three = ("no", "yes", "perhaps")
    shares = np.array([0.45, 0.5, 0.05])
    alone = weigh(actual, estimates, said, classes=three, marginals=shares)
    in_groups = weigh(actual, estimates, said, classes=three, marginals=shares, groups=groups)
    assert [entry.beyond_chance for entry in alone.classes] == [True, True, True]
    assert [entry.beyond_chance for entry in in_groups.classes] == [True, True, False]
    assert in_groups.kind is VerdictKind.UNEVEN
    assert "That it finds 'perhaps' may be luck." in words(in_groups)


def test_ranks_of_a_few_groups_are_not_better_than_chance():
    groups = np.repeat(np.arange(4), 50)
    actual, yes = np.repeat([1, 0, 1, 0], 50), np.repeat([0.9999, 0.9, 0.95, 0.99], 50)
    assert weighed(actual, yes).too_sure
    assert not weighed(actual, yes, groups=groups).too_sure
