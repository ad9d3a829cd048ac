"""Columns that give the target away, beyond copies of it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from effort import calls_of
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from proset.data.issues import Issue, Role, Severity
from proset.data.leakage import find_leaks
from proset.data.one_column import share_right
from proset.data.profile import profile_column
from proset.data.role_guess import guess_roles, review_roles
from proset.data.samples import SAMPLES, load_sample, sample_roles
from proset.data.table import Dialect, Table, read_table

N = 360
RNG = np.random.default_rng(0)
SICK = RNG.integers(0, 2, N).astype(bool)
WEAK = SICK + RNG.normal(size=N)
OTHER = RNG.normal(size=N)


def make_table(columns: dict[str, object]) -> Table:
    frame = pd.DataFrame(columns)
    return read_table(frame.to_csv(index=False).encode(), name="made.csv")


def leaks_of(columns: dict[str, object], target: str = "sick") -> dict[str, Issue]:
    codes = ("target_copy", "target_near_copy", "target_ranges", "lone_column", "strong_column", "filled_for_one_class")
    issues = guess_roles(make_table(columns), target=target).issues
    found = [issue for issue in issues if issue.code in codes]
    assert len({issue.column for issue in found}) == len(found)  # one statement for each column
    return {str(issue.column): issue for issue in found}


def with_others(**columns: object) -> dict[str, object]:
    return {"weak": WEAK.round(3), "other": OTHER.round(3), **columns, "sick": np.where(SICK, "yes", "no")}


def test_a_code_that_determines_the_target() -> None:
    code = np.where(SICK, RNG.choice([31, 32, 33], N), 0)
    issue = leaks_of(with_others(code=code))["code"]
    assert (issue.severity, issue.suggested_role) == (Severity.WARNING, Role.EXTRA)
    assert issue.message.startswith("'code' alone says the class of 'sick' in all of 360 rows it was not learned from;")
    assert "all other columns together in" in issue.message


def test_a_category_inside_a_category() -> None:
    kinds = {"fruit": ["apple", "pear", "plum", "fig"], "nut": ["hazel", "wal", "pea"], "root": ["beet", "carrot"]}
    groups = RNG.choice(list(kinds), N)
    detail = [RNG.choice(kinds[group]) for group in groups]
    found = leaks_of({"price": OTHER.round(2), "detail": detail, "weight": WEAK.round(2), "group": groups}, "group")
    assert list(found) == ["detail"]
    assert found["detail"].code == "lone_column"


def test_a_few_exceptions_do_not_hide_it() -> None:
    code = np.where(SICK, RNG.choice([31, 32, 33], N), 0)
    code[:2] = [0, 31]
    issue = leaks_of(with_others(code=code))["code"]
    assert "% of 360 rows" in issue.message
    assert "100.0 %" not in issue.message


def test_ranges_of_a_number_that_do_not_follow_each_other() -> None:
    score = RNG.uniform(0, 10, N)
    sick = (score > 2) & (score < 5)
    found = leaks_of({"score": score.round(4), "other": OTHER.round(3), "weak": WEAK.round(2), "sick": sick})
    assert found["score"].severity is Severity.WARNING


def test_a_date_after_the_fact() -> None:
    start = pd.Timestamp("2024-01-01")
    asked = start + pd.to_timedelta(RNG.integers(0, 300, N), unit="D")
    closed = pd.Series(start + pd.to_timedelta(RNG.integers(300, 600, N), unit="D")).where(SICK)
    found = leaks_of(with_others(asked=asked, closed=closed))
    assert list(found) == ["closed"]
    assert found["closed"].suggested_role is Role.EXTRA
    latest = start + pd.to_timedelta(np.where(SICK, RNG.integers(900, 999, N), RNG.integers(0, 99, N)), unit="D")
    assert "latest" in leaks_of(with_others(latest=latest))


def test_a_column_that_is_filled_in_for_one_class_only() -> None:
    reason = pd.Series(RNG.choice(["price", "move", "other"], N)).where(SICK & (RNG.random(N) < 0.4))
    issue = leaks_of(with_others(reason=reason))["reason"]
    assert issue.code == "filled_for_one_class"
    assert "all of class 'yes', as 54 % of all rows are" in issue.message
    anywhere = pd.Series(RNG.choice(["a", "b"], N)).where(RNG.random(N) < 0.3)
    assert "anywhere" not in leaks_of(with_others(anywhere=anywhere))


@pytest.mark.parametrize("known", [SICK.astype(int).astype(str), 30 * SICK + RNG.normal(size=N).round(2)])
def test_what_is_filled_in_for_a_part_may_give_that_part_away(known: np.ndarray) -> None:
    filled = RNG.random(N) < 0.25
    issue = leaks_of(with_others(result=pd.Series(known).where(filled)))["result"]
    assert issue.code == "lone_column"
    assert f" of {filled.sum()} rows where it is filled in" in issue.message
    assert leaks_of(with_others(result=pd.Series(WEAK).where(filled))) == {}


def test_two_of_them_do_not_hide_each_other() -> None:
    code = np.where(SICK, RNG.choice([31, 32, 33], N), 0)
    ward = np.where(SICK, RNG.choice(["a1", "a2", "a3"], N), RNG.choice(["b1", "b2"], N))
    found = leaks_of(with_others(code=code, ward=ward))
    assert {name: issue.code for name, issue in found.items()} == {"code": "lone_column", "ward": "lone_column"}


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_easy_tasks_are_no_leaks(load: object) -> None:
    data = load(as_frame=True)  # type: ignore[operator]
    columns = {name: data.data[name] for name in data.data}
    assert not leaks_of(columns | {"kind": [data.target_names[code] for code in data.target]}, "kind")


def test_an_easy_task_is_a_note_at_most() -> None:
    """Setosa stands apart in each of the petal measures alone."""
    data = load_iris(as_frame=True)
    columns = {name: data.data[name] for name in data.data}
    found = leaks_of(columns | {"kind": np.where(data.target == 0, "setosa", "other")}, "kind")
    assert {issue.severity for issue in found.values()} <= {Severity.INFO}
    assert {issue.suggested_role for issue in found.values()} <= {None}


@pytest.mark.parametrize("name", list(SAMPLES))
def test_bundled_tables_have_none(name: str) -> None:
    issues = review_roles(load_sample(name), sample_roles(name))
    assert not {issue.code for issue in issues} & {"lone_column", "strong_column", "filled_for_one_class"}


def test_rare_levels_are_no_evidence() -> None:
    pairs = np.arange(N) // 3  # three rows each, all of one class
    sick = (pairs % 2).astype(bool)
    columns = {"pair": [f"P{p}" for p in pairs], "other": OTHER.round(3), "weak": WEAK.round(3), "sick": sick}
    assert "pair" not in leaks_of(columns)


def test_a_file_sorted_by_class_proves_nothing_about_equal_values() -> None:
    sick = np.sort(SICK)
    half = (np.arange(N) % 7).astype(float) / 2
    assert "half" not in leaks_of({"half": half, "other": OTHER.round(3), "sick": sick})
    assert "number" not in leaks_of({"number": np.arange(N) + 1, "other": OTHER.round(3), "sick": sick})


def test_what_belongs_to_a_person_with_many_rows_is_no_leak() -> None:
    """Eighty patients with ten rows each, and one class each: the weight at birth tells them apart, no more."""
    rng = np.random.default_rng(5)
    who = np.repeat(np.arange(80), 10)
    columns = {
        "birth": rng.normal(size=80)[who].round(6),
        "noise": rng.normal(size=800).round(3),
        "more": rng.normal(size=800).round(3),
        "sick": rng.integers(0, 2, 80)[who],
    }
    assert leaks_of(columns)["birth"].code == "lone_column"  # nobody can know
    assert "birth" not in leaks_of({"patient": [f"P{number}" for number in who], **columns})
    code = np.where(columns["sick"] == 1, rng.choice([31, 32], 800), 0)
    assert "code" in leaks_of({"patient": [f"P{number}" for number in who], "code": code, **columns})


def test_a_rare_class_is_not_said_by_a_column_that_never_says_it() -> None:
    rare = np.arange(2000) % 50 == 0
    noise = np.random.default_rng(1).integers(0, 5, 2000)
    assert not leaks_of({"noise": noise, "more": np.random.default_rng(2).normal(size=2000).round(3), "sick": rare})


def test_a_table_of_one_column_is_learned_from_that_column() -> None:
    blood = np.where(SICK, 8.0, 0.0) + RNG.normal(size=N)
    assert not leaks_of({"blood": blood.round(3), "sick": np.where(SICK, "yes", "no")})


def test_each_row_is_left_out_of_what_is_learned() -> None:
    """By its own row, every level of two rows would say the class of one of them."""
    rng = np.random.default_rng(3)
    classes = rng.integers(0, 2, 1000)
    for cells in (pd.Series(rng.normal(size=1000)), pd.Series(rng.integers(0, 150, 1000)).astype(str)):
        share = share_right(cells.rename("x"), profile_column(cells.rename("x")), classes)
        assert abs(share - 0.5) < 0.06


def test_each_column_of_a_wide_table_costs_the_same() -> None:
    def calls(n_columns: int) -> int:
        rng = np.random.default_rng(4)
        frame = pd.DataFrame(rng.normal(size=(2_000, n_columns)), columns=[f"x{i}" for i in range(n_columns)])
        frame["code"] = rng.choice([0, 31, 32, 33], 2_000)
        frame["kind"] = np.where(frame["code"] > 0, "yes", "no")
        profiles = {name: profile_column(frame[name]) for name in frame}
        assert "code" in find_leaks(frame, profiles, "kind")
        return calls_of(lambda: find_leaks(frame, profiles, "kind"))

    assert calls(24) < 2.2 * calls(12)


def test_of_a_long_table_some_rows_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = []
    monkeypatch.setattr(
        "proset.data.lone_columns.share_right",
        lambda cells, profile, classes: looked_at.append(len(cells)) or share_right(cells, profile, classes),
    )
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.normal(size=(20_000, 60)), columns=[f"x{i}" for i in range(60)])
    frame["kind"] = np.where(rng.random(20_000) < 0.5, "yes", "no")
    guess_roles(Table(frame.rename_axis("row"), "long", Dialect(), (), "0"), target="kind")
    assert looked_at == [3_000] * 60
