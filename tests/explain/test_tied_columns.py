"""Days between dates and hours of times hang together with these: each answer is what the changed case really gets."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import proset
from proset import explain
from proset.data.derived_columns import add_difference, add_hour, with_new_columns
from proset.data.issues import Role
from proset.data.role_guess import guess_roles
from proset.data.table import read_table
from proset.study import FitSettings, NumberSettings, fit_study

TIMES = ("start", "middle", "end", "clock")


def visits(n=150):
    """Three dates in a row, the second with times of the day, and a clock, which all say something."""
    random = np.random.default_rng(3)
    start = pd.Timestamp("2021-01-01") + pd.to_timedelta(random.integers(0, 300, n), unit="D")
    hours = 12 * random.integers(0, 2, n)
    first, second, clock = random.integers(1, 60, n), random.integers(1, 60, n), random.integers(0, 4, n)
    middle = start + pd.to_timedelta(24 * first + hours, unit="h")
    end = middle.normalize() + pd.to_timedelta(second, unit="D")
    late = (start - start.min()).days / 300.0
    dose = random.normal(size=n).round(1)
    said = first / 20 - second / 30 + late + hours / 24 + clock / 4 + dose / 2 + 0.1 * random.normal(size=n)
    frame = pd.DataFrame(
        {
            "start": start.strftime("%Y-%m-%d"),
            "middle": middle.strftime("%Y-%m-%d %H:%M"),
            "end": end.strftime("%Y-%m-%d"),
            "clock": [f"{6 * quarter:02d}:30" for quarter in clock],
            "dose": dose,
            "amount": said.round(3),
            "kind": np.where(said > np.median(said), "high", "low"),
        }
    )
    frame.loc[random.random(n) < 0.1, "end"] = None
    return frame


def table_of(target):
    """The table with the days and hours, and roles with the times in use."""
    other = "kind" if target == "amount" else "amount"
    lines = visits().drop(columns=other).to_csv(index=False)
    table = read_table(lines.encode(), name="visits.csv")
    roles = guess_roles(table, target=target).roles
    for pair in (("start", "middle"), ("middle", "end")):
        table = add_difference(table, *pair)
    for name in ("middle", "clock") if target == "kind" else ("middle",):
        table = add_hour(table, name)
    roles = with_new_columns(roles, table).with_role("clock", Role.CATEGORICAL)
    return table, roles


def without_times(roles):
    for name in TIMES:
        roles = roles.with_role(name, Role.EXTRA)
    return roles


@pytest.fixture(scope="module", params=["times are features", "times are none"])
def study(request):
    table, roles = table_of("kind")
    roles = without_times(roles) if request.param == "times are none" else roles
    return fit_study(table, roles, settings=FitSettings(n_iter=2, lambda_v=1e-4))


def rows_of(study, count=4):
    """Held-out rows, and one where a date is missing."""
    empty = study.table.frame.index[study.table.frame["end"].isna()]
    return [*study.split.held_out[:count].tolist(), int(empty[0])]


@pytest.mark.slow
def test_what_if_says_what_a_flip_has_claimed(study):
    ranges, seen = explain.value_ranges(study), set()
    for row in rows_of(study):
        for flip in explain.smallest_flip(study, row, ranges=ranges).flips:
            after = explain.what_if(study, row, {flip.feature: flip.after}).after
            assert (after.predicted, after.quantile) == (flip.predicted, flip.quantile), (row, flip.words)
            assert after.probabilities[flip.predicted] == pytest.approx(flip.probability, abs=1e-6)
            seen.add(flip.feature)
    assert {entry.name for entry in study.table.derived} & seen


@pytest.mark.slow
def test_what_if_says_what_a_counterfactual_has_claimed(study):
    ranges, seen = explain.value_ranges(study), set()
    for row in rows_of(study):
        for found in explain.counterfactuals(study, row, ranges=ranges).found:
            after = explain.what_if(study, row, found.values).after
            assert (after.predicted, after.quantile) == (found.predicted, found.quantile), (row, found.words)
            assert after.probabilities[found.predicted] == pytest.approx(found.probability, abs=1e-6)
            seen.update(found.values)
    assert seen


@pytest.mark.slow
@pytest.mark.parametrize("features", [True, False])
def test_number_what_if_says_what_a_move_has_claimed(features):
    table, roles = table_of("amount")
    roles = roles if features else without_times(roles)
    study = proset.fit_number_study(table, roles, settings=NumberSettings(n_iter=1))
    seen = set()
    for row in rows_of(study, 1):
        for line in explain.number_moves(study, row, 0.4).reached.itertuples():
            after = explain.number_what_if(study, row, {line.column: line.cell})
            assert after.after.median == pytest.approx(line.median, abs=1e-6), (row, line)
            assert after.quantiles[1] == pytest.approx(line.quantile)
            seen.add(line.column)
    assert {entry.name for entry in table.derived} & seen


def test_the_smallest_change_of_a_changed_case_can_be_made_as_well(study):
    ranges, name = explain.value_ranges(study), "days from start to middle"
    for row in rows_of(study, 1):
        days = float(study.table.frame.loc[row, name])
        changed = explain.what_if(study, row, {name: days + 9.0})
        for flip in explain.smallest_flip(study, changed.frame, ranges=ranges).flips:
            if flip.feature != name:
                after = explain.what_if(study, row, {name: days + 9.0, flip.feature: flip.after}).after
                assert after.predicted == flip.predicted, (row, flip.words)


def test_days_stay_that_would_move_what_other_days_are_counted_from():
    table, roles = table_of("kind")
    study = fit_study(table, without_times(roles), settings=FitSettings(n_iter=2, lambda_v=1e-4))
    first, second = "days from start to middle", "days from middle to end"
    assert {first, second, "hour of middle"} <= set(study.used_columns)
    full = int(study.split.held_out[study.table.frame.loc[study.split.held_out, "end"].notna()][0])
    searched = explain.counterfactuals(study, full).searched
    assert (first in searched, second in searched, "hour of clock" in searched) == (False, True, True)
    # Rows that bring the days without the dates have nothing that could move.
    bare = study.table.frame.loc[[full]].drop(columns=list(TIMES))
    assert {first, second} <= set(explain.counterfactuals(study, bare).searched)
    # Nothing is known to move where a date is missing.
    empty = int(study.table.frame.index[study.table.frame["end"].isna()][0])
    assert second not in explain.counterfactuals(study, empty).searched


def test_nobody_is_told_of_locks_that_nobody_set():
    rng = np.random.default_rng(0)
    start = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 900, 160), unit="D")
    days = rng.integers(1, 60, 160)
    frame = pd.DataFrame({"start": start, "end": start + pd.to_timedelta(days, unit="D"), "kind": "a"})
    frame.loc[(days > 30) ^ (start.year > 2024), "kind"] = "b"
    table = add_difference(read_table(frame), "start", "end")
    roles = with_new_columns(guess_roles(table, "kind").roles, table)
    study = fit_study(table, roles, settings=FitSettings(n_iter=2, lambda_v=1e-4))
    tied = set(study.used_columns)
    found = explain.counterfactuals(study, int(study.split.held_out[0]))
    assert set(found.tied) == set(found.held) == tied
    assert found.words.startswith("Impossible while ")
    assert "which hang together with other columns" in found.words
    row, locked = int(study.split.held_out[0]), next(iter(tied))
    assert explain.counterfactuals(study, row, locked=[locked]).words.startswith("Impossible under these locks")


def test_what_if_lists_only_what_has_changed_in_the_words_of_the_table(study):
    frame = study.table.frame
    row = int(study.split.held_out[0])
    assert explain.what_if(study, row, {"days from start to middle": None}).changes == {}
    open_end = int(frame.index[frame["end"].isna()][0])
    nothing = explain.what_if(study, open_end, {"days from middle to end": 4})
    assert nothing.changes == {}
    assert nothing.words.startswith("Nothing is changed")
    assert explain.what_if(study, row, {"start": str(frame.loc[row, "start"].date())}).changes == {}
    moved = explain.what_if(study, row, {"start": "2021-02-03", "days from start to middle": "5.0"})
    assert moved.changes == {
        "start": (frame.loc[row, "start"], pd.Timestamp("2021-02-03")),
        "days from start to middle": (frame.loc[row, "days from start to middle"], 5.0),
    }
    assert [type(one) for one in moved.changes["days from start to middle"]] == [float, float]
    assert explain.what_if(study, row, {"dose": None}).changes["dose"] == (frame.loc[row, "dose"], None)


def test_a_course_moves_what_hangs_together_with_its_column():
    table, roles = table_of("amount")
    study = proset.fit_number_study(table, roles, settings=NumberSettings(n_iter=1))
    frame = table.frame
    row = int(next(row for row in study.split.held_out if pd.notna(frame.loc[row, "end"])))
    for feature in ("days from start to middle", "middle"):
        course = explain.number_course(study, row, feature=feature)
        assert set(course.moved) == {
            "middle",
            "hour of middle",
            "days from start to middle",
            "days from middle to end",
        } - {feature}
        assert course.words.endswith("move along.")
        place = 20
        value = (
            course.places[place]
            if feature != "middle"
            else pd.Timestamp("1970-01-01") + pd.Timedelta(days=course.places[place])
        )
        after = explain.number_what_if(study, row, {feature: value}).after
        assert course.median[place] == pytest.approx(after.median, abs=0.01)
    open_end = int(frame.index[frame["end"].isna()][0])
    assert "No such case can exist" in explain.number_course(study, open_end, feature="days from middle to end").words
    assert not explain.number_course(study, row, feature="dose").moved
