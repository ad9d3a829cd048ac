"""Which columns are asked about, offered for groups, and offered for time."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from proset.data.issues import Issue, Role, Severity
from proset.data.profile import profile_column
from proset.data.role_guess import guess_roles, review_roles
from proset.data.split_candidates import (
    REPEATED,
    group_candidates,
    repeated_identifiers,
    still_asked,
    time_candidates,
)
from proset.data.table import read_table

N = 400
RNG = np.random.default_rng(0)
CODES = [f"C{i // 4}" for i in range(N)]
NUMBERS = [10_000 + 37 * (i // 4) for i in range(N)]


def asked(name: str, values: object, role: Role = Role.EXTRA) -> bool:
    profile = profile_column(pd.Series(values, name=name))
    return repeated_identifiers({name: profile}, {name: role}) == (name,)


@pytest.mark.parametrize("values", [CODES, NUMBERS])
@pytest.mark.parametrize(
    "name",
    [
        *("customer", "patient_id", "customerID", "Subject", "ID", "user no", "household number", "patient name"),
        *("Kundennummer", "Kunden-Nr.", "Mitgliedsnummer", "Patientennummer"),
    ],
)
def test_names_of_somebody_are_asked_about(name: str, values: object) -> None:
    assert asked(name, values)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("town", CODES),  # names a place, of which there are many people
        ("price", NUMBERS),
        ("house number", NUMBERS),
        ("Hausnummer", NUMBERS),
        ("YearsAtCompany", [i % 37 for i in range(N)]),
        ("orders per customer", [i % 37 for i in range(N)]),
        ("customer age", RNG.integers(18, 90, N)),
        ("customer", ["new", "old"] * (N // 2)),  # a kind of customer
        ("patient id", [f"P{i}" for i in range(N)]),  # each once
        ("patient id", [f"P{i}" for i in range(N - 8)] + ["P0"] * 8),  # nearly so
        ("customer", RNG.normal(size=N).round(1)),
        ("user", [None] * N),
    ],
)
def test_other_columns_are_not(name: str, values: object) -> None:
    assert not asked(name, values)


def test_the_identifier_of_a_table_is_asked_about_whatever_it_is_called() -> None:
    assert asked("case", CODES, Role.IDENTIFIER)
    assert not asked("case", [f"P{i}" for i in range(N)], Role.IDENTIFIER)


def test_the_likeliest_come_first_and_the_target_never() -> None:
    frame = pd.DataFrame(
        {
            "price": RNG.integers(0, 50, N),
            "town": CODES,
            "who id": NUMBERS,
            "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(RNG.integers(0, 50, N), unit="D"),
            "year": RNG.integers(2000, 2020, N),
            "y": ["a", "b"] * (N // 2),
        }
    )
    profiles = {name: profile_column(frame[name]) for name in frame}
    roles = dict(zip(frame, [Role.NUMERIC, Role.TEXT, Role.EXTRA, Role.DATE, Role.NUMERIC, Role.TARGET], strict=True))
    assert group_candidates(profiles, roles) == ("who id", "town", "price", "when", "year")
    assert time_candidates(profiles, roles) == ("when", "year", "price", "who id")


def test_the_review_knows_what_the_split_has_answered() -> None:
    frame = pd.DataFrame(
        {
            "patient id": CODES,
            "doctor id": [f"D{row % 11}" for row in range(N)],
            "x": RNG.normal(size=N).round(3),
            "y": ["a", "b"] * (N // 2),
        }
    )
    frame["family id"] = [f"F{int(str(code)[1:]) // 2}" for code in CODES]
    table = read_table(frame.to_csv(index=False).encode())
    roles = guess_roles(table, target="y").roles

    def codes(**known: str) -> dict[str | None, str]:
        kinds = ("repeated_identifier", "divided_identifier")
        issues = review_roles(table, roles, **known)  # type: ignore[arg-type]
        guessed = guess_roles(table, target="y", **known).issues  # type: ignore[arg-type]
        assert guessed == issues
        return {issue.column: issue.code for issue in issues if issue.code in kinds}

    assert set(codes().values()) == {"repeated_identifier"}
    assert len(codes()) == 2  # not more are asked about
    asked = [*codes()]
    assert codes(groups="no such column") == codes()
    for column in asked:
        assert column not in codes(groups=str(column))
        assert "repeated_identifier" not in codes(groups=str(column)).values()
    # Rows of a patient are in one family: who keeps families together keeps patients together.
    assert "patient id" not in codes(groups="family id")
    (issue,) = [found for found in review_roles(table, roles, groups="family id") if found.column == "doctor id"]
    assert issue.severity is Severity.INFO
    assert issue.message == (
        "'doctor id' repeats, and the split keeps rows together by 'family id': rows with the same 'doctor id' may be"
        " on both sides."
    )


def test_names_without_a_value_belong_to_nobody() -> None:
    frame = pd.DataFrame({"who": ["a", "a", None, None], "family": ["x", "x", "y", None]})
    assert not list(still_asked([Issue(REPEATED, "", "who")], frame, "family"))
    assert [issue.code for issue in still_asked([Issue(REPEATED, "", "family")], frame, "who")] == []
