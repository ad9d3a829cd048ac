"""Times of the day are taken as words, that is said, and their hours can be a column of numbers."""

import io

import numpy as np
import pandas as pd
import pytest

from proset import storage
from proset.common.errors import DesignError
from proset.data.day_hours import CLOCK_TIME, HOUR_OF_DAY, hour_issues, read_clock
from proset.data.derived_columns import add_again, add_hour, with_new_columns
from proset.data.issues import Role
from proset.data.missing_words import declare
from proset.data.reading.dialect import MissingWord
from proset.data.role_guess import guess_roles
from proset.data.table import read_table
from proset.explain.cases.edited import edited_case
from proset.study import fit_study


def table_of(words):
    """Read a table with a column of these words."""
    lines = [f"{words[i % len(words)]};{i % 7}.5;{'abc'[i // 4 % 3]}" for i in range(90)]
    return read_table(("at;x;kind\n" + "\n".join(lines)).encode(), name="times.csv")


def found(words, code=CLOCK_TIME):
    """Return the findings about a column of these words."""
    guess = guess_roles(table_of(words), target="kind")
    return guess.roles.by_column["at"], [issue for issue in guess.issues if issue.code == code]


def shifts(n=240, seed=0):
    """A table of visits that go wrong at night, whose times are written as on a clock."""
    minutes = np.random.default_rng(seed).integers(0, 24 * 60, n)
    night = (minutes < 6 * 60) | (minutes >= 22 * 60)
    lines = [f"{at // 60}:{at % 60:02d},{'bad' if dark else 'good'}" for at, dark in zip(minutes, night, strict=True)]
    return read_table(("at,went\n" + "\n".join(lines)).encode(), name="shifts.csv")


@pytest.mark.parametrize(
    "words",
    [["18.00.00", "19.00.00", "0.30.15"], ["7:30", "23:59"], ["07:30:00", "24:00:00"], ["08:15:00.000", "1:00"]],
)
def test_times_of_the_day_are_said_to_be_words(words):
    role, issues = found(words)
    assert role is Role.CATEGORICAL
    assert len(issues) == 1
    assert issues[0].column == "at"
    assert "taken as a word" in issues[0].message
    assert any(f"'{word}'" in issues[0].message for word in words)


@pytest.mark.parametrize(
    "words",
    [["7:30", "late"], ["1.2.3", "1.10.0"], ["16:9", "4:30"], ["25:00", "7:00"], ["7.30", "8.15"], ["3-10", "4-20"]],
)
def test_other_words_are_not(words):
    assert not found(words)[1]


def test_hours_of_all_ways_of_writing():
    words = ["0:00", "7:30", "07:30:36", "18.30.00", "24:00", "12:00 AM", "12:30 p.m.", "6:15pm", None, " 9:00 "]
    hours, unreadable = read_clock(pd.Series(words))
    np.testing.assert_allclose(hours, [0, 7.5, 7.51, 18.5, 24, 0, 12.5, 18.25, np.nan, 9])
    assert not unreadable.any()
    assert read_clock(pd.Series(["24:30", "13:00 pm", "0:30 am", "7.30", "7:60", "noon"]))[1].all()


def test_moments_have_hours_and_days_have_none():
    stamps = [f"2024-03-{1 + i // 24:02d} {i % 24:02d}:15" for i in range(24 * 7)]
    assert len(found(stamps, HOUR_OF_DAY)[1]) == 1
    assert not found([stamp[:10] for stamp in stamps], HOUR_OF_DAY)[1]
    assert not found([f"{stamp[:10]} 06:00" for stamp in stamps], HOUR_OF_DAY)[1]  # always the same
    table = add_hour(table_of(stamps), "at")
    np.testing.assert_allclose(table.frame["hour of at"].iloc[:4], [0.25, 1.25, 2.25, 3.25])
    german = add_hour(table_of([f"{1 + i // 24:02d}.03.2024 {i % 24:02d}:15" for i in range(24 * 7)]), "at")
    np.testing.assert_allclose(german.frame["hour of at"].iloc[:4], [0.25, 1.25, 2.25, 3.25])
    assert not [issue for issue in guess_roles(table, target="kind").issues if issue.code == HOUR_OF_DAY]


def test_very_many_different_times_are_found_too():
    seconds = np.random.default_rng(0).permutation(86_400)[:3_000]
    cells = pd.Series([f"{at // 3600:02d}:{at // 60 % 60:02d}:{at % 60:02d}" for at in seconds], name="at")
    table = read_table(cells.to_frame().to_csv(index=False).encode(), name="many.csv")
    assert table.profiles["at"].counts is None
    (issue,) = hour_issues(table.frame["at"], table.profiles["at"], Role.TEXT, ["at"])
    assert "is not used" in issue.message
    np.testing.assert_allclose(add_hour(table, "at").frame["hour of at"] * 3600, seconds, atol=0.5)


def test_a_model_learns_from_hours_and_new_rows_have_them():
    table = add_hour(shifts(), "at")
    assert list(table.frame.columns) == ["at", "hour of at", "went"]
    roles = with_new_columns(guess_roles(shifts(), target="went").roles.with_role("at", Role.EXTRA), table)
    study = fit_study(table, roles)
    assert study.used_columns == ("hour of at",)
    assert study.metrics.balanced_accuracy > 0.9
    new = pd.DataFrame({"at": ["3:00", "15:00"]})
    assert study.score(new)["class"].tolist() == ["bad", "good"]
    with pytest.raises(DesignError, match=r"lacks 'at', from which 'hour of at' is counted"):
        study.score(pd.DataFrame({"other": [1]}))
    with pytest.raises(DesignError, match=r"Column 'at' holds 'noon' in row 2, which is no time of the day"):
        study.score(pd.DataFrame({"at": ["3:00", "noon"]}, index=[1, 2]))
    stream = io.BytesIO()
    stream.write(storage.to_bytes(study))
    again = storage.from_bytes(stream.getvalue())
    assert again.table.derived == table.derived
    assert add_again(shifts(), table.derived[0]).fingerprint == table.fingerprint
    changed = edited_case(study.case(1), {"hour of at": 18.5})
    assert changed.frame["at"].tolist() == ["18:30"]
    assert changed.frame["hour of at"].tolist() == [18.5]


@pytest.mark.parametrize(
    ("word", "hour", "then"),
    [
        ("07:05", 18.5, "18:30"), ("7:05", 6.25, "6:15"), ("17.45.00", 18.51, "18.30.36"), ("7:05 pm", 0.5, "12:30 am"),
        ("7:05 AM", 13.0, "1:00 pm"), ("2024-03-05 07:05", 18.5, pd.Timestamp("2024-03-05 18:30")),
        ("2024-03-05 07:05", 24.0, pd.Timestamp("2024-03-05 23:59:59")),
    ],
)  # fmt: skip
def test_another_hour_is_written_as_the_times_are(word, hour, then):
    table = add_hour(read_table(f"at,y\n{word},a\n{word},b\n".encode(), name="t.csv"), "at")
    moved = table.derived[0].moved(table.frame.iloc[[0]], hour)
    assert moved.tolist() == [then]
    assert table.derived[0].moved(table.frame.iloc[[0]].assign(at=None), hour) is None


def test_a_time_that_means_missing_has_no_hour_and_a_second_column_another_name():
    table = add_hour(add_hour(read_table(b"at,y\n0:00,a\n7:30,b\n0:00,a\n", name="t.csv"), "at"), "at")
    assert [entry.name for entry in table.derived] == ["hour of at", "hour of at (2)"]
    assert declare(table, [MissingWord("0:00", "at")]).frame["hour of at"].tolist()[1] == 7.5
    assert declare(table, [MissingWord("0:00", "at")]).frame["hour of at (2)"].isna().tolist() == [True, False, True]


@pytest.mark.parametrize(("column", "says"), [("x", "holds no times"), ("gone", "is not there")])
def test_what_has_no_hours_is_named(column, says):
    with pytest.raises(DesignError, match=rf"'{column}' {says}.*\n?.*'at'"):
        add_hour(read_table(b"at,x\n7:30,1\n8:30,2\n", name="t.csv"), column)
