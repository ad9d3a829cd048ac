"""Which columns are asked about, offered for groups, and offered for time."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from proset.data.issues import Role
from proset.data.profile import profile_column
from proset.data.split_candidates import group_candidates, repeated_identifiers, time_candidates

N = 400
RNG = np.random.default_rng(0)
CODES = [f"C{i // 4}" for i in range(N)]
NUMBERS = [10_000 + 37 * (i // 4) for i in range(N)]


def asked(name: str, values: object, role: Role = Role.EXTRA) -> bool:
    profile = profile_column(pd.Series(values, name=name))
    return repeated_identifiers({name: profile}, {name: role}) == (name,)


@pytest.mark.parametrize("values", [CODES, NUMBERS])
@pytest.mark.parametrize(
    "name", ["customer", "patient_id", "customerID", "Subject", "ID", "user no", "household number", "patient name"]
)
def test_names_of_somebody_are_asked_about(name: str, values: object) -> None:
    assert asked(name, values)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("town", CODES),  # names a place, of which there are many people
        ("price", NUMBERS),
        ("house number", NUMBERS),
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
