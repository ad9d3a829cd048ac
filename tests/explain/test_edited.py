"""A case with other values: the same as scoring the changed row, and what a person should know about it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from proset import explain
from proset.common.errors import ProsetError, StudyError
from proset.data.issues import Role
from proset.data.roles import Roles
from proset.data.table import read_table
from proset.explain.cases.value_range import ValueKind, value_ranges
from proset.study import DecisionRule, fit_study
from proset.study.fit import FitSettings


def test_it_says_what_scoring_the_changed_row_says(study):
    row = int(study.split.held_out[0])
    changes = {"age": 33, "ward": "east", "smoker": "yes"}
    found = explain.what_if(study, row, changes)
    scores = study.score(study.table.frame.loc[[row]].assign(**changes)).iloc[0]
    for name in study.classes:
        assert found.after.probabilities[name] == pytest.approx(scores[f"probability_{name}"])
    assert found.after.quantile == scores["quantile"]
    assert found.before.probabilities.to_numpy() == pytest.approx(study.probabilities.loc[row].to_numpy())
    assert found.before.quantile == study.predictions.loc[row, "quantile"]
    assert found.frame["age"].tolist() == [33]
    assert set(found.changes) <= set(changes)
    assert found.to_dict()["after"]["predicted"] == found.after.predicted
    assert found.to_frame()["after"].sum() == pytest.approx(1.0)


def test_without_a_change_nothing_changes(study):
    row = int(study.split.held_out[0])
    cell = study.table.frame.loc[row, "weight"]
    found = explain.what_if(study, row, {"weight": cell})
    assert found.changes == {}
    assert found.after.probabilities.equals(found.before.probabilities)


def test_a_missing_value_is_filled_in_and_said(study):
    found = explain.what_if(study, int(study.split.held_out[0]), {"weight": None})
    assert "weight missing" in found.after.note
    assert found.before.note == "" or "weight" not in found.before.note


def test_a_column_that_the_model_does_not_use_changes_nothing_and_is_named(study):
    row = int(study.split.held_out[0])
    found = explain.what_if(study, row, {"remark": "hello"})
    assert found.unused == ("remark",)
    assert found.after.probabilities.equals(found.before.probabilities)


@pytest.mark.parametrize("changes", [{"hight": 3.0}, {"weight": "heavy"}])
def test_what_does_not_fit_is_named_with_the_way_out(study, changes):
    with pytest.raises(ProsetError) as caught:
        explain.what_if(study, int(study.split.held_out[0]), changes)
    assert next(iter(changes)) in str(caught.value)
    assert caught.value.hint


def test_the_rule_decides_both(study):
    careful = explain.what_if(study, int(study.split.held_out[0]), {}, rule=DecisionRule(leave_below=1.0))
    assert careful.after.left is (careful.after.quantile < 1.0)


def test_an_edited_frame_can_be_edited_again(study):
    row = int(study.split.held_out[0])
    once = explain.what_if(study, row, {"age": 33}).frame
    twice = explain.what_if(study, once, {"weight": 90.0})
    assert twice.frame[["age", "weight"]].iloc[0].tolist() == [33, 90.0]
    assert twice.after.probabilities.equals(
        explain.what_if(study, row, {"age": 33, "weight": 90.0}).after.probabilities
    )
    with pytest.raises(StudyError, match="One row"):
        explain.what_if(study, study.table.frame.iloc[:2], {})


@pytest.fixture(scope="module")
def stays():
    """A study of stays in a hospital, of which the days from arrival to leaving decide."""
    random = np.random.default_rng(1)
    arrived = pd.Timestamp("2024-01-01") + pd.to_timedelta(random.integers(0, 300, 120), unit="D")
    days = random.integers(1, 40, 120)
    frame = pd.DataFrame(
        {
            "arrived": arrived.strftime("%d.%m.%Y"),
            "left": (arrived + pd.to_timedelta(days, unit="D")).strftime("%d.%m.%Y"),
            "dose": random.normal(5.0, 1.0, 120).round(1),
            "kind": np.where(days > 20, "long", "short"),
        }
    )
    table = read_table(frame.to_csv(index=False).encode(), name="stays.csv")
    from proset.data.derived_columns import add_difference

    table = add_difference(table, "arrived", "left")
    name = table.derived[0].name
    roles = Roles(
        {"arrived": Role.EXTRA, "left": Role.EXTRA, "dose": Role.NUMERIC, "kind": Role.TARGET, name: Role.NUMERIC}
    )
    return fit_study(table, roles, settings=FitSettings())


def test_the_second_date_moves_with_the_days_between_two(stays):
    name = stays.table.derived[0].name
    row = int(stays.table.frame.index[stays.table.frame[name] < 10][0])
    found = explain.what_if(stays, row, {name: 35})
    assert found.frame[name].iloc[0] == 35
    assert found.after.predicted == "long"
    moved = explain.what_if(stays, row, {"left": found.frame["left"].iloc[0]})
    assert moved.after.probabilities.equals(found.after.probabilities)
    assert moved.unused == ()


def test_ranges_are_those_of_the_table_at_each_columns_precision(study):
    found = value_ranges(study)
    assert list(found) == [name for name in found if name in study.used_columns]
    for name, scope in found.items():
        cells = study.table.frame[name].dropna()
        if scope.kind is ValueKind.LEVEL:
            assert set(scope.levels) == set(cells.astype(str))
        else:
            assert scope.cell(scope.low) == cells.min()
            assert scope.cell(scope.high) == cells.max()
            assert scope.cell(scope.values(np.array([scope.count - 1]))[0]) == cells.max()
            assert all(scope.text(cell) for cell in cells)


@pytest.mark.parametrize(("scale", "count"), [(1e-9, 1), (1e14, 1), (1.0, 1)])
def test_ranges_of_any_scale_can_be_counted(scale, count):
    from proset.explain.cases.value_range import number_range

    scope = number_range(pd.Series(np.random.default_rng(0).normal(size=50) * scale, name="x"))
    assert scope.count > count
    last = scope.values(np.array([scope.count - 1]))[0]
    assert scope.low <= last <= scope.high * (1 + 1e-9) if scope.high > 0 else True
