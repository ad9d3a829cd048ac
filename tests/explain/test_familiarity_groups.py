"""Familiarity by group, of the more and the less familiar half, and what remains when doubtful cases are left out."""

import re

import numpy as np
import pandas as pd
import pytest

from proset import explain
from proset.common.errors import StudyError
from proset.data.role_guess import guess_roles
from proset.data.samples import load_sample, sample_roles
from proset.data.table import read_table
from proset.explain.familiar.familiar_groups import named_groups
from proset.explain.value_bins import value_bins
from proset.plots.abstention import plot_abstention
from proset.plots.familiarity import plot_familiarity
from proset.study import DecisionRule, FitSettings, fit_study


@pytest.fixture(scope="module")
def study():
    return fit_study(load_sample("penguins"), sample_roles("penguins"), settings=FitSettings(random_state=2))


def test_groups_are_classes_results_parts_or_values_of_a_column(study):
    judged = study.judged().loc[study.split.held_out]
    by_class = explain.familiarity(study)
    assert by_class.groups == study.classes
    assert by_class.to_frame()["group"].tolist() == judged["actual"].tolist()
    assert by_class.values.tolist() == judged["familiarity"].tolist()
    assert by_class.quantile.tolist() == judged["quantile"].tolist()
    right = explain.familiarity(study, groups="correct")
    assert right.summary()["cases"].to_dict() == {
        "correct": int(judged["correct"].sum()),
        "wrong": int(judged["wrong"].sum()),
    }
    parts = explain.familiarity(study, groups="part")
    assert len(parts.values) == len(study.table.frame)
    assert set(parts.groups) <= {"training", "held out", "without a target"}
    islands = explain.familiarity(study, groups="island")
    assert set(islands.groups) == set(study.table.frame["island"].dropna())
    assert explain.familiarity(study, groups=None).groups == ("all cases",)


def test_a_column_of_many_numbers_or_dates_comes_in_ranges_in_their_order(study):
    rows = study.table.frame.loc[study.split.held_out, "body mass (g)"]
    found = explain.familiarity(study, groups="body mass (g)")
    expected = value_bins(rows)
    assert found.groups == expected.names
    assert found.to_frame()["group"].tolist() == [expected.names[code] for code in expected.codes]
    assert 4 <= len(found.groups) <= 7
    assert found.summary()["cases"].sum() == len(study.split.held_out)
    days = [f"2024-{1 + i % 12:02d}-{1 + i % 28:02d}" for i in range(120)]
    frame = pd.DataFrame({"day": days, "x": np.arange(120) % 7, "y": ["a", "b"] * 60})
    table = read_table(frame.to_csv(index=False).encode())
    dated = fit_study(table, guess_roles(table, target="y").roles)
    by_day = explain.familiarity(dated, groups="day").groups
    assert all(re.fullmatch(r"2024-..-.. to 2024-..-..", name) for name in by_day)
    assert list(by_day) == sorted(by_day)


def test_the_smallest_of_too_many_groups_are_taken_together(study):
    labels = [f"g{i % 20}" for i in range(len(study.split.held_out))]
    many = explain.familiarity(study, groups=labels)
    assert len(many.groups) == 8
    assert many.groups[-1] == "(other)"


def test_a_value_that_is_called_like_a_group_of_ours_stays_apart():
    names, groups = named_groups(pd.Series(["(missing)", None, "a", "(missing)"]))
    assert names.tolist() == ["(missing) (value)", "(missing)", "a", "(missing) (value)"]
    assert groups[0] == "(missing) (value)"


def test_a_column_that_is_not_there_is_named(study):
    with pytest.raises(StudyError, match="no column 'islands'"):
        explain.familiarity(study, groups="islands")


def test_densities_are_those_of_the_values(study):
    found = explain.familiarity(study, groups=None)
    curve = found.density()
    area = np.trapezoid(curve["density"], curve["familiarity"])
    assert 0.9 < area <= 1.001  # the rest is the tail
    assert len(plot_familiarity(explain.familiarity(study), classes=study.classes).data) == 3


def test_groups_of_one_or_of_equal_cases_have_a_density(study):
    rows = [int(row) for row in study.split.held_out[:5]]
    found = explain.familiarity(study, rows, groups=["a", "b", "b", "b", "b"])
    assert np.isfinite(found.density()["density"]).all()


def test_halves_are_the_table_of_the_report(study):
    halves = explain.familiarity_halves(study)
    frame, metrics = halves.to_frame(), study.metrics
    assert frame.loc["overall", ["log_loss", "roc_auc", "balanced_accuracy", "accuracy"]].tolist() == pytest.approx(
        [metrics.log_loss, metrics.roc_auc, metrics.balanced_accuracy, metrics.accuracy]
    )
    n = len(study.split.held_out)
    assert frame["cases"].tolist() == [n, n // 2, n - n // 2]
    judged = study.judged().loc[study.split.held_out].sort_values("familiarity")
    assert frame.loc["low", "accuracy"] == pytest.approx(judged["correct"].iloc[: n - n // 2].mean())
    assert halves.border == pytest.approx(judged["familiarity"].iloc[n - n // 2])
    further = explain.familiarity_halves(study, groups=judged.sort_index()["actual"]).to_frame()
    assert set(further.index[3:]) == set(study.classes)
    assert np.isnan(further.loc["Gentoo", "roc_auc"])


@pytest.mark.parametrize("by", ["familiarity", "confidence", "novelty", "novelty_all"])
def test_abstention_answers_the_surest_cases_first(study, by):
    curve = explain.abstention(study, by=by)
    judged = study.judged().loc[study.split.held_out].join(explain.novelty(study, study.split.held_out).to_frame())
    column = {"novelty": "similarity", "novelty_all": "similarity_all"}.get(by, by)
    for share in (0.3, 0.8, 1.0):
        line = curve.at(share)
        kept = judged[judged[column] >= line["threshold"]]
        assert len(kept) == line["cases"] >= share * len(judged)
        assert line["accuracy"] == pytest.approx(kept["correct"].mean())
        assert line["errors"] == kept["wrong"].sum()
    assert curve.at(1.0)["log_loss"] == pytest.approx(study.metrics.log_loss)
    assert len(plot_abstention([curve], measure="log_loss").data) == 1
    # ".0%" would write 97.5 % and 98 % alike where the range is small.
    assert plot_abstention([curve]).layout.yaxis.tickformat == "~%"


def test_another_rule_makes_other_errors():
    random = np.random.default_rng(1)
    frame = pd.DataFrame({"x": random.normal(size=200).round(2)})
    frame["kind"] = np.where(frame["x"] + random.normal(size=200) > 0, "up", "down")
    from proset.data.role_guess import guess_roles
    from proset.data.table import read_table

    table = read_table(frame.to_csv(index=False).encode(), name="x.csv")
    study = fit_study(table, guess_roles(table, target="kind").roles)
    always = DecisionRule(cutoff=0.0)
    line = explain.abstention(study, rule=always).at(1.0)
    assert line["accuracy"] == pytest.approx((study.labels.loc[study.split.held_out] == "up").mean())
    assert explain.familiarity_halves(study, rule=always).to_frame().loc["overall", "balanced_accuracy"] == 0.5


def test_a_model_alone_takes_labels_and_known_cases(study):
    held_out, train = study.split.held_out, study.split.train
    X, labels = study.encode(held_out).X, study.labels.loc[held_out]
    assert explain.familiarity(study.model, X, groups=labels).values == pytest.approx(explain.familiarity(study).values)
    halves = explain.familiarity_halves(study.model, X, labels).to_frame()
    pd.testing.assert_frame_equal(halves, explain.familiarity_halves(study).to_frame())
    curve = explain.abstention(study.model, X, labels, by="novelty", known=study.encode(train).X)
    pd.testing.assert_frame_equal(curve.frame, explain.abstention(study, by="novelty").frame)
    with pytest.raises(ValueError, match="one of familiarity"):
        explain.abstention(study, by="luck")
    with pytest.raises(ValueError, match="does not know"):
        explain.familiarity_halves(study.model, X, ["dodo"] * len(X))


def test_rows_without_a_class_are_left_out(mixed_study):
    row = int(mixed_study.split.unlabelled[0])
    found = explain.familiarity_halves(mixed_study, [row, *mixed_study.split.held_out[:3].tolist()])
    assert found.to_frame()["cases"].tolist() == [3, 1, 2]
    assert explain.abstention(mixed_study, [row]).frame.empty
