"""Findings about one table do not contradict each other: one statement for one fact."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd

from proset.data.issues import Issue, Role, Severity
from proset.data.role_guess import guess_roles, review_roles
from proset.data.table import Table, read_table

N = 1_000
RNG = np.random.default_rng(0)
CLASSES = np.where(RNG.random(N) < 0.4, "yes", "no")
NOISE = RNG.normal(size=N).round(3)


def make_table(**columns: object) -> Table:
    frame = pd.DataFrame({"noise": NOISE, **columns, "y": CLASSES})
    return read_table(frame.to_csv(index=False).encode(), name="odd.csv")


def found(table: Table, column: str, role: Role | None = None) -> list[Issue]:
    roles = guess_roles(table, target="y").roles
    roles = roles if role is None else roles.with_role(column, role)
    return [issue for issue in review_roles(table, roles) if column in (issue.column, issue.other)]


def zipf(n_values: int) -> np.ndarray:
    """Town names, some frequent and most of them rare."""
    shares = 1.0 / np.arange(1, n_values + 1)
    return np.array([f"town {i}" for i in RNG.choice(n_values, N, p=shares / shares.sum())])


def test_many_and_rare_values_are_one_finding_with_one_number_of_each() -> None:
    towns = zipf(400)
    (issue,) = found(make_table(town=towns), "town", Role.CATEGORICAL)
    counts = pd.Series(towns).value_counts()
    kept = int((counts >= 10).sum())
    assert 2 <= kept < 50
    assert f"has {len(counts)} different values; the {kept} most frequent ones are told apart" in issue.message
    assert f"the other {len(counts) - kept}, such as" in issue.message
    assert issue.suggested_role is Role.EXTRA


def test_a_few_rare_values_are_a_note() -> None:
    ward = np.where(np.arange(N) < 3, "attic", RNG.choice(["north", "south"], N))
    (issue,) = found(make_table(ward=ward), "ward")
    assert issue.severity is Severity.INFO
    assert "the other one, 'attic' (3 rows), counts as rare" in issue.message


def test_values_that_are_all_rare_teach_nothing() -> None:
    (issue,) = found(make_table(batch=[f"B{i // 4}" for i in range(N)]), "batch", Role.CATEGORICAL)
    assert "each in fewer than 10 rows" in issue.message
    assert "told apart, and" not in issue.message


def test_more_values_than_are_listed() -> None:
    frame = pd.DataFrame({"noise": np.tile(NOISE, 3), "tag": [f"T{i // 2}" for i in range(3 * N)]})
    frame["y"] = np.tile(CLASSES, 3)
    table = read_table(frame.to_csv(index=False).encode(), name="long.csv")
    (issue,) = found(table, "tag", Role.CATEGORICAL)
    assert "at most the 50 most frequent ones" in issue.message


def test_what_differs_in_every_row_has_no_rare_values() -> None:
    (issue,) = found(make_table(tag=[f"T{i}" for i in range(N)]), "tag", Role.CATEGORICAL)
    assert issue.code == "unique"


def test_a_leak_is_not_also_advised_on() -> None:
    code = np.where(CLASSES == "yes", RNG.choice([2, 3, 4], N), 1)
    (issue,) = found(make_table(code=code), "code")  # not also "few whole numbers, perhaps a category"
    assert issue.code == "target_ranges"
    mostly = pd.Series(RNG.choice(["a", "b"], N)).where((CLASSES == "yes") & (RNG.random(N) < 0.5))
    (issue,) = found(make_table(mostly=mostly), "mostly")  # not also "mostly missing"
    assert issue.code == "filled_for_one_class"


def test_whose_rows_they_are_is_asked_and_no_leak() -> None:
    """Each patient has one class and twenty rows: the name says the class, but nobody learns from it."""
    patient = np.arange(N) // 20
    sick = np.where(np.random.default_rng(1).random(50)[patient] < 0.4, "yes", "no")
    frame = pd.DataFrame({"noise": NOISE, "patient id": [f"P{i}" for i in patient], "y": sick})
    table = read_table(frame.to_csv(index=False).encode(), name="p.csv")
    assert [issue.code for issue in found(table, "patient id", Role.EXTRA)] == ["repeated_identifier"]


def test_a_date_that_leaks_is_no_part_of_a_suggestion() -> None:
    asked = pd.Timestamp("2024-01-01") + pd.to_timedelta(RNG.integers(0, 300, N), unit="D")
    late = np.where(CLASSES == "yes", 2000, 1000)
    closed = pd.Timestamp("2024-01-01") + pd.to_timedelta(late + RNG.integers(0, 300, N), unit="D")
    issues = guess_roles(make_table(asked=asked, closed=closed), target="y").issues
    assert [issue.code for issue in issues] == ["lone_column"]


def test_an_empty_target_is_one_finding() -> None:
    frame = pd.DataFrame({"noise": NOISE, "y": [None] * N})
    table = read_table(frame.to_csv(index=False).encode(), name="empty.csv")
    codes = [issue.code for issue in guess_roles(table, target="y").issues]
    assert "one_class" in codes
    assert "target_missing" not in codes


def test_no_column_is_told_two_ways_out() -> None:
    """Every odd column in one table: suggestions for one column name one role."""
    table = make_table(
        town=zipf(300),
        code=np.where(CLASSES == "yes", RNG.choice([2, 3, 4], N), 1),
        row=np.arange(N) + 1,
        unit=["mg"] * N,
        customer=[f"C{i // 5}" for i in range(N)],
        gap=pd.Series(NOISE).where(RNG.random(N) < 0.2),
        few=RNG.integers(1, 5, N),
    )
    for role in (Role.CATEGORICAL, Role.NUMERIC, Role.EXTRA):
        roles = guess_roles(table, target="y").roles
        for name in ("town", "row", "few"):
            if name != "town" or role is not Role.NUMERIC:
                roles = roles.with_role(name, role)
        issues = sorted(review_roles(table, roles), key=lambda issue: str(issue.column))
        for one, other in pairwise(issues):
            if one.column == other.column and None not in (one.suggested_role, other.suggested_role):
                assert one.suggested_role is other.suggested_role, (one, other)
