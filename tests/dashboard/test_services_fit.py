"""The verdict on a fit, in words and a colour that fit the figures."""

from dataclasses import replace

import numpy as np
import pytest

from dashboard.services.fit.verdict import batch_table, measures, notice, prototypes_words, solver_lines
from proset.common.words import percent
from proset.data.issues import Role
from proset.data.role_guess import guess_roles
from proset.data.samples import load_sample, sample_roles
from proset.data.table import read_table
from proset.study import DecisionRule, FitSettings, fit_study
from proset.study.judging import judge_model
from proset.study.repeats import with_repeats
from proset.study.verdict import VerdictKind
from proset.study.verdict_words import verdict_sentences


@pytest.mark.parametrize(
    ("kind", "colour"),
    [
        (VerdictKind.GOOD, "success"),
        (VerdictKind.UNEVEN, "warning"),
        (VerdictKind.LITTLE, "warning"),
        (VerdictKind.NOTHING, "warning"),
        (VerdictKind.UNSURE, "warning"),
        (VerdictKind.WORSE, "error"),
    ],
)
def test_only_a_good_model_is_green_and_a_harmful_one_red(iris_study, kind, colour):
    many = replace(judge_model(iris_study), kind=kind, n_rows=400)
    assert notice(iris_study, many).kind == colour


def test_few_held_out_rows_are_no_tick_unless_cross_validation_says_the_same(iris_study):
    alone, checked = judge_model(iris_study), judge_model(with_repeats(iris_study))
    assert (alone.kind, notice(iris_study, alone).kind) == (VerdictKind.GOOD, "info")
    assert "held-out rows only" in notice(iris_study, alone).text
    assert notice(iris_study, checked).kind == ("success" if checked.firm else "info")
    assert "cross-validations with these settings" in notice(iris_study, checked).text


def test_what_is_too_good_is_not_green(iris_study):
    found = notice(iris_study, replace(judge_model(iris_study), kind=VerdictKind.GOOD, suspicious=True))
    assert found.kind == "warning"
    assert "no column gives the answer away" in found.text


def test_the_advice_of_a_quick_fit_is_a_search_and_never_to_look_at_held_out_rows_again(iris_study):
    for kind in set(VerdictKind) - {VerdictKind.GOOD}:
        said = notice(iris_study, replace(judge_model(iris_study), kind=kind)).advice
        assert said
        assert "penalty" not in said
        assert "keep the fit" not in said
    assert "Run a search" in notice(iris_study, replace(judge_model(iris_study), kind=VerdictKind.LITTLE)).advice
    assert notice(iris_study, replace(judge_model(iris_study), kind=VerdictKind.GOOD)).advice == ""


def test_the_measures_beside_the_naive_model_count_the_same_rows(iris_study):
    rule = DecisionRule(leave_below=0.2)
    verdict = judge_model(iris_study, rule)
    shown = {entry.label: entry for entry in measures(iris_study, verdict)}
    judged = iris_study.judged(rule).loc[iris_study.split.held_out]
    decided = judged[~judged["left"]]
    assert shown["Accuracy"].value == percent((decided["actual"] == decided["predicted"]).mean())
    assert shown["Accuracy"].naive == percent((decided["actual"] == verdict.naive_class).mean())


def test_a_batch_without_prototypes_is_said_to_change_nothing(patients, patient_roles):
    # So large a penalty that a second batch has nothing to add (tests/conftest.py has the smaller one).
    study = fit_study(patients, patient_roles, settings=FitSettings(n_iter=2, lambda_v=1e-1))
    assert [result.n_prototypes > 0 for result in study.model.batch_results_] == [True, False]
    (_, first), (_, second) = solver_lines(study)
    assert "no prototypes" not in first
    assert second.endswith("It kept no prototypes, so the model is the same without it.")


def test_counts_of_a_thinned_model_are_those_that_are_left_and_the_price_is_stated(patients, patient_roles):
    asked = FitSettings(n_iter=2, lambda_v=1e-3, max_prototypes=6)
    study = fit_study(patients, patient_roles, settings=asked)
    frame = batch_table(study)
    assert frame["prototypes"].sum() == len(study.prototypes) <= 6
    assert 0 < frame["columns in use"].max() <= len(study.used_columns)  # of the table, however many levels they have
    assert (frame.filter(like="prototypes: ").sum(axis=1) == frame["prototypes"]).all()
    converged, text = solver_lines(study)[-1]
    assert converged
    assert f"{len(study.prototypes)} of {study.model.refinement_.n_before} prototypes are left, which costs" in text


def test_the_headline_has_the_counts_and_the_notice_goes_on_from_there(iris_study):
    for study in (iris_study, with_repeats(iris_study)):
        verdict = judge_model(study)
        said = notice(study, verdict).text
        assert f"ight for {verdict.n_right} of {verdict.n_decided} held-out rows" in " ".join(
            verdict_sentences(verdict)
        )
        assert f"ight for {verdict.n_right} of {verdict.n_decided}" not in said
        assert said.startswith(verdict_sentences(verdict)[0])


def test_what_the_verdict_rests_on_can_stand_apart_and_nothing_is_lost(iris_study):
    for study in (iris_study, with_repeats(iris_study)):
        found = notice(study, judge_model(study))
        assert bool(found.basis) is (study.left_out is not None)
        assert found.basis in found.text
        assert sorted(found.text.split()) == sorted(f"{found.finding} {found.basis}".split())
        assert "cross-validations" not in found.finding


def test_equal_numbers_of_prototypes_are_no_range():
    table = load_sample("digits")
    study = fit_study(table, sample_roles("digits"), settings=FitSettings(n_iter=1, num_candidates=60))
    said = prototypes_words(study)
    counts = study.prototypes["class"].value_counts()
    assert len(counts) == 10
    study.__dict__["prototypes"] = study.prototypes.groupby("class").head(1)
    assert said == f"{counts.sum()} prototypes, {counts.min()} to {counts.max()} for each class"
    assert prototypes_words(study) == "10 prototypes, 1 for each class"


def test_a_model_that_adds_nothing_names_the_numbers_that_words_keep_out():
    rng = np.random.default_rng(2)
    lines = [f"{value:.1f},{value + noise:.1f},{'ab'[int(value > 5)]}" for value, noise in rng.uniform(0, 10, (120, 2))]
    lines[7:9] = ["<0.5,3.1,a", "<0.5,2.2,a"]
    table = read_table("\n".join(["crp,noise,kind", *lines]).encode())
    roles = guess_roles(table, target="kind").roles
    assert roles.by_column["crp"] is Role.TEXT
    study = fit_study(table, roles, settings=FitSettings(n_iter=0))
    assert notice(study, judge_model(study)).advice.startswith(
        "'crp' is not used. It holds numbers, but some words make it text: the Data page has ways out. Run a search"
    )
