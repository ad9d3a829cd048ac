"""Measures, curves and calibration against the project's metrics, scikit-learn and plain counting."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score
from variants import main_cases

from proset import explain
from proset.data.issues import Role
from proset.data.role_guess import guess_roles
from proset.data.split import SplitSettings
from proset.data.table import read_table
from proset.engine.set_manager import SetManager
from proset.explain.judged.calibration_bins import calibration_of
from proset.explain.judged.judged_cases import JudgedCases
from proset.explain.subject import Matrix, Subject
from proset.study import DecisionRule, fit_study
from proset.study.decision import confusion
from proset.study.judging import judge_model

CAREFUL = DecisionRule(costs=((0, 1), (5, 0)), leave_below=0.2)


@pytest.fixture(scope="module")
def found(mixed_study):
    return explain.quality(mixed_study)


def stated(probabilities, own):
    """Judged cases of two classes whose first has these probabilities; `own` says which cases are of it."""

    p = np.asarray(probabilities, dtype=float)
    subject = Subject(SetManager([0.5, 0.5], 1), ("x",), (np.array([0]),), ("x",), ("yes", "no"))
    both = np.column_stack([p, 1 - p])
    actual = np.where(own, 0, 1)
    return JudgedCases(
        subject,
        Matrix(np.zeros((len(p), 1)), pd.RangeIndex(len(p))),
        "given rows",
        actual,
        both.argmax(axis=1),
        np.zeros(len(p), dtype=bool),
        both,
        np.ones(len(p)),
    )


def test_its_measures_are_those_of_the_study(mixed_study, found):
    metrics = mixed_study.metrics
    assert found.log_loss.value == pytest.approx(metrics.log_loss)
    assert found.log_loss.low < metrics.log_loss < found.log_loss.high
    assert found.accuracy.value == pytest.approx(metrics.accuracy)
    assert found.roc_auc.value == pytest.approx(metrics.roc_auc)
    assert found.balanced_accuracy.value == pytest.approx(metrics.balanced_accuracy)
    assert found.confusion.equals(metrics.confusion)
    verdict = judge_model(mixed_study)
    assert found.verdict.kind is verdict.kind
    assert found.verdict.gain == pytest.approx(verdict.gain, rel=1e-6)
    assert (found.which, found.n_rows, found.n_left) == ("held-out rows", metrics.n_rows, 0)


def test_the_rule_decides_what_is_right(mixed_study):
    careful = explain.quality(mixed_study, rule=CAREFUL)
    judged = mixed_study.judged(CAREFUL).loc[mixed_study.split.held_out]
    assert careful.confusion.equals(confusion(judged, mixed_study.classes))
    assert careful.n_left == judged["left"].sum() > 0
    assert careful.accuracy.value == pytest.approx(judged["correct"].dropna().astype(float).mean())
    assert careful.log_loss == explain.quality(mixed_study).log_loss


def test_a_model_alone_gives_the_same_numbers(mixed_study, found):
    held_out = mixed_study.split.held_out
    X, y = mixed_study.encode(held_out).X, mixed_study.labels.loc[held_out].to_numpy()
    alone = explain.quality(mixed_study.model, X, y)
    assert alone.which == "given rows"
    np.testing.assert_allclose(alone.to_frame(), found.to_frame(), rtol=1e-6)
    assert alone.confusion.equals(found.confusion)
    np.testing.assert_allclose(alone.calibration.bins, found.calibration.bins, rtol=1e-5)
    text = json.dumps(found.to_dict(), allow_nan=False)
    assert json.loads(text)["n_rows"] == len(held_out)


def test_rows_without_a_class_do_not_count(mixed_study):
    unlabelled = mixed_study.table.frame.index[mixed_study.table.frame["kind"].isna()]
    none = explain.quality(mixed_study, unlabelled)
    assert (none.n_rows, none.calibration.n_rows, none.curves.n_rows) == (0, 0, 0)
    assert none.curves.curves == ()
    assert np.isnan(none.calibration.error)
    assert none.calibration.words == "There are no given rows with a known class."
    assert none.to_frame()["value"].isna().all()


def test_curves_are_scikit_learns_and_end_where_they_have_to(mixed_study, found):
    held_out = mixed_study.split.held_out
    for curve in found.curves.curves:
        own = (mixed_study.labels.loc[held_out] == curve.name).to_numpy()
        estimate = mixed_study.probabilities.loc[held_out, curve.name]
        assert curve.roc_auc == pytest.approx(roc_auc_score(own, estimate))
        assert curve.average_precision == pytest.approx(average_precision_score(own, estimate))
        assert curve.roc.iloc[[0, -1], :2].to_numpy().tolist() == [[0.0, 0.0], [1.0, 1.0]]
        taken = curve.precision_recall.iloc[[0, -1]]
        assert taken["recall"].tolist() == [0.0, 1.0]
        assert taken["precision"].tolist() == [1.0, pytest.approx(curve.share)]
        assert curve.n_rows == own.sum()


def test_a_class_that_no_or_every_case_is_of_has_no_curve(mixed_study):
    big = [row for row in mixed_study.split.held_out if mixed_study.labels[row] == "big"]
    curves = explain.ranking_curves(mixed_study, big)
    assert curves.curves == ()
    assert curves.absent == mixed_study.classes
    assert curves.points().empty


@pytest.mark.parametrize("n", [1, 5, 39, 40, 200, 1000])
def test_bins_hold_about_equally_many_cases(n):
    rng = np.random.default_rng(n)
    p = rng.random(n)
    found = calibration_of(stated(p, rng.random(n) < p), class_name="yes")
    bins = found.bins
    assert bins["rows"].sum() == n
    assert len(bins) == min(10, max(1, n // 20))
    assert bins["rows"].max() - bins["rows"].min() <= 1
    assert bins["smallest"].iloc[1:].gt(bins["largest"].iloc[:-1].to_numpy()).all()
    assert bins["low"].le(bins["observed"]).all()
    assert bins["high"].ge(bins["observed"]).all()


def test_equal_probabilities_stay_together():
    found = calibration_of(
        stated([0.25] * 150 + [0.75] * 50, [True] * 40 + [False] * 120 + [True] * 40), class_name="yes"
    )
    assert found.bins["rows"].tolist() == [150, 50]
    assert found.bins["stated"].tolist() == [0.25, 0.75]
    assert found.error == pytest.approx((150 * abs(40 / 150 - 0.25) + 50 * abs(40 / 50 - 0.75)) / 200)


@pytest.mark.exhaustive
def test_what_chance_alone_shows_is_what_a_simulation_shows():
    rng = np.random.default_rng(0)
    p = rng.beta(0.5, 0.5, 300)
    errors = [calibration_of(stated(p, rng.random(300) < p), class_name="yes") for _ in range(300)]
    shown = np.array([found.error for found in errors])
    # As many of the class with 2 % as with 98 % in one bin would make three times as much of the noise.
    assert abs(errors[0].by_chance - shown.mean()) < 4 * shown.std() / np.sqrt(300)
    assert errors[0].by_chance == errors[1].by_chance
    assert np.mean([found.low > 0.0 for found in errors]) <= 0.06  # where nothing is off, 0 lies within
    overconfident = calibration_of(stated(np.where(p > 0.5, 0.99, 0.01), rng.random(300) < 0.5), class_name="yes")
    assert overconfident.error > 4 * overconfident.by_chance


def test_what_chance_shows_in_one_bin_of_many_probabilities():
    """The count of a bin is that of its own probabilities, not of as many rows at their mean."""
    p = np.repeat([0.02, 0.98], 100)
    one = calibration_of(stated(p, np.repeat([False, True], 100)), class_name="yes", n_bins=1)
    rng = np.random.default_rng(0)
    plain = np.abs((rng.random((20_000, 200)) < p).mean(axis=1) - p.mean()).mean()
    assert one.by_chance == pytest.approx(plain, rel=0.02)
    at_its_mean = np.abs((rng.random((20_000, 200)) < p.mean()).mean(axis=1) - p.mean()).mean()
    assert at_its_mean > 3 * one.by_chance


@pytest.mark.slow
@pytest.mark.parametrize("share", main_cases([1.0, 0.7, 0.4], only=[0.7]))
def test_the_interval_of_the_calibration_error_holds_the_true_one(share):
    """The truth is that all probabilities are drawn towards a half."""
    rng, held = np.random.default_rng(int(10 * share)), []
    for _ in range(200):
        p = rng.beta(0.5, 0.5, 300)
        true = 0.5 + (p - 0.5) * share
        found = calibration_of(stated(p, rng.random(300) < true), class_name="yes")
        order = np.argsort(p)
        parts = np.split(order, np.cumsum(found.bins["rows"])[:-1])
        error = sum(abs((p - true)[part].sum()) for part in parts) / 300
        assert found.low <= found.error <= found.high
        held.append(found.low <= error <= found.high)
    assert np.mean(held) >= 0.91


def test_intervals_are_by_whole_groups_where_the_split_has_groups():
    """Twenty customers of fifteen rows each, every one of which is wholly right or wholly wrong."""
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(80), 15)
    kind = np.array(["a", "b"])[who % 2]
    seen = np.where(rng.random(80)[who] < 0.25, 1 - who % 2, who % 2)
    frame = pd.DataFrame({"customer": who, "x": seen * 4.0 + rng.normal(size=1200) * 0.5, "kind": kind})
    table = read_table(frame.to_csv(index=False).encode(), name="visits.csv")
    roles = guess_roles(table, target="kind").roles.with_role("customer", Role.EXTRA)
    study = fit_study(table, roles, split=SplitSettings(groups="customer"))
    found, rows = explain.quality(study), explain.quality(replaced_split(study))
    assert found.n_groups == len(set(who[study.split.held_out - 1]))
    assert rows.n_groups is None
    for name in ("log_loss", "accuracy", "roc_auc", "balanced_accuracy"):
        by_group, by_row = getattr(found, name), getattr(rows, name)
        assert by_group.value == by_row.value
        assert by_group.high - by_group.low > 1.8 * (by_row.high - by_row.low), name
    verdict, by_row = judge_model(study), judge_model(replaced_split(study))
    assert verdict.high - verdict.low > 1.8 * (by_row.high - by_row.low)


def replaced_split(study):
    """The same study, as if nobody had said that rows come in groups."""
    split = study.split
    return replace(study, split=replace(split, settings=replace(split.settings, groups=None)))


def test_calibration_of_a_class_that_there_is_not_is_refused(mixed_study):
    with pytest.raises(ValueError, match="knows no class 'moon'"):
        explain.calibration(mixed_study, class_name="moon")


def test_few_rows_say_that_they_are_few(mixed_study):
    assert "So few rows can only show large errors." in explain.calibration(mixed_study).words


def test_fewer_cases_than_bins_have_a_bin_each(mixed_study):
    found = explain.calibration(mixed_study, mixed_study.split.held_out[:3], n_bins=10)
    assert found.bins["rows"].sum() == 3
    with pytest.raises(ValueError, match="n_bins is 0"):
        explain.calibration(mixed_study, n_bins=0)
