"""Days between two dates as a column: suggested, added, counted for new rows, saved."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from proset.common.errors import DesignError
from proset.data.date_differences import DateDifference
from proset.data.derived_columns import add_difference, with_new_columns
from proset.data.derived_rows import with_derived
from proset.data.issues import Role
from proset.data.role_guess import guess_roles
from proset.data.table import Table, read_table
from proset.explain.cases.case import explain_case
from proset.storage import from_bytes, to_bytes
from proset.study import FitSettings, Study, fit_study

NAME = "days from in to out"


def stays_csv(n: int = 120, form: str = "%d.%m.%Y", seed: int = 0) -> str:
    """Stays in a hospital: who stays longer than a week is ill; neither date says so."""
    rng = np.random.default_rng(seed)
    lines = ["in,age,out,ill"]
    for row in range(n):
        first = pd.Timestamp("2023-01-01") + pd.Timedelta(days=int(rng.integers(0, 700)))
        days = int(rng.integers(1, 15))
        out = "" if row % 20 == 3 else f"{first + pd.Timedelta(days=days):{form}}"
        ill = "yes" if days + rng.normal() > 7 else "no"
        lines.append(f"{first:{form}},{rng.integers(20, 80)},{out},{ill}")
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def stays() -> Table:
    return read_table(stays_csv().encode(), name="stays.csv")


@pytest.fixture(scope="module")
def study(stays: Table) -> Study:
    table = add_difference(stays, "in", "out")
    roles = with_new_columns(guess_roles(stays, target="ill").roles, table)
    return fit_study(table, roles, settings=FitSettings(num_candidates=60, lambda_v=1e-3))


def test_two_dates_in_one_order_are_suggested(stays: Table) -> None:
    guess = guess_roles(stays, target="ill")
    found = [issue for issue in guess.issues if issue.code == "date_difference"]
    assert [(issue.other, issue.column) for issue in found] == [("in", "out")]
    table = add_difference(stays, "in", "out")
    again = guess_roles(table, target="ill").issues
    assert "date_difference" not in {issue.code for issue in again}


def test_dates_in_no_order_and_dates_set_aside_are_not() -> None:
    rng = np.random.default_rng(1)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 300, (2, 80)).ravel(), unit="D")
    frame = pd.DataFrame({"a": days[:80], "b": days[80:], "y": ["u", "v"] * 40})
    table = read_table(frame.to_csv(index=False).encode(), name="dates.csv")
    assert "date_difference" not in {issue.code for issue in guess_roles(table, target="y").issues}


def test_the_column_stands_behind_the_second_date_and_has_gaps(stays: Table) -> None:
    table = add_difference(stays, "in", "out")
    assert list(table.frame.columns) == ["in", "age", "out", NAME, "ill"]
    assert list(stays.frame.columns) == ["in", "age", "out", "ill"]
    assert table.frame[NAME].isna().sum() == 6
    assert table.frame[NAME].dropna().between(1, 14).all()
    assert table.fingerprint != stays.fingerprint
    assert add_difference(table, "in", "out").derived[-1].name == f"{NAME} (2)"
    roles = with_new_columns(guess_roles(stays, target="ill").roles, table)
    assert (roles.by_column[NAME], roles.target) == (Role.NUMERIC, "ill")


def test_the_model_uses_it_and_new_rows_get_it(study: Study, stays: Table) -> None:
    assert NAME in study.feature_weights.index
    new = stays.frame.drop(columns="ill").iloc[:20]
    scores = study.score(new)
    whole = study.score(study.table.frame.iloc[:20])
    pd.testing.assert_frame_equal(scores, whole)
    assert f"{NAME} missing" in scores["note"].iloc[3]
    assert explain_case(study, new.iloc[[0]]).probabilities.equals(
        explain_case(study, study.table.frame.drop(columns="ill").iloc[[0]]).probabilities
    )


def test_new_dates_win_over_old_days(study: Study) -> None:
    rows = study.table.frame.drop(columns="ill").iloc[[0, 1]].copy()
    rows["out"] = rows["in"] + pd.Timedelta(days=14)
    assert study.score(rows)["class"].tolist() == ["yes", "yes"]
    rows["out"] = rows["in"] + pd.Timedelta(days=1)
    assert study.score(rows)["class"].tolist() == ["no", "no"]


def test_a_date_that_is_needed_is_named(study: Study, stays: Table) -> None:
    with pytest.raises(DesignError, match=rf"lacks 'out', from which '{NAME}' is counted"):
        study.score(stays.frame.drop(columns=["ill", "out"]))
    wrong = stays.frame.drop(columns="ill").iloc[:2].astype({"out": object})
    wrong["out"] = ["soon", "01.02.2023"]
    with pytest.raises(DesignError, match="'out' has the role date, but row 1 holds 'soon'"):
        study.score(wrong)


def test_it_is_saved_with_the_study(study: Study, stays: Table) -> None:
    again = from_bytes(to_bytes(study))
    assert again.table.derived == study.table.derived
    assert again.id == study.id
    new = stays.frame.drop(columns="ill").iloc[:10]
    pd.testing.assert_frame_equal(again.score(new), study.score(new))


def test_days_are_counted_as_the_table_writes_them() -> None:
    """Day and month of the new row alone could be taken for each other."""
    difference = DateDifference("days", "a", "b", "%m/%d/%Y", "%m/%d/%Y")
    rows = pd.DataFrame({"a": ["03/04/2024"], "b": ["04/04/2024"]})
    assert with_derived(rows, (difference,))["days"].tolist() == [31.0]


def test_days_that_do_not_matter_need_no_dates() -> None:
    difference = DateDifference("days", "a", "b")
    rows = pd.DataFrame({"a": ["2024-01-01"]})
    assert with_derived(rows, (difference,), used=())["days"].isna().all()
    assert with_derived(rows.assign(days=4.0), (difference,))["days"].tolist() == [4.0]


@pytest.mark.parametrize(
    ("pair", "words"),
    [(("in", "gone"), "no column 'gone'"), (("in", "age"), "'age' does not hold dates"), (("in", "in"), "both dates")],
)
def test_what_is_no_pair_of_dates(stays: Table, pair: tuple[str, str], words: str) -> None:
    with pytest.raises(DesignError, match=words):
        add_difference(stays, *pair)


def test_dates_move_as_far_as_a_calendar_goes() -> None:
    rows = pd.DataFrame({"in": ["2024-01-30"] * 3, "out": ["2024-02-02"] * 3})
    moved = DateDifference("days", "in", "out").moved(rows, np.array([30.0, 1e9, -1e9]))
    assert moved is not None
    assert moved.tolist() == ["2024-02-29", "9999-12-31", "1000-01-01"]
