"""Which whole numbers name things, and which measure."""

import numpy as np
import pandas as pd
import pytest

from proset.data.guessing import guess_feature
from proset.data.identifiers import numbering
from proset.data.issues import Role
from proset.data.profile import profile_column
from proset.data.role_guess import guess_roles, review_roles
from proset.data.table import read_table

RNG = np.random.default_rng(3)
N = 300


def profile_of(name, values):
    return profile_column(pd.Series(values, name=name))


def with_repeats(values, count):
    """The values, the last few of them repeating the first."""
    values = np.array(values)
    values[-count:] = values[:count]
    return values


HOSPITAL = with_repeats(np.r_[RNG.choice(np.arange(527_000, 535_400), 280, False), RNG.integers(5e6, 5.3e6, 20)], 16)

NAMES = [
    ("hospital_number", HOSPITAL, Role.IDENTIFIER),
    ("Hospital Number", HOSPITAL.astype(float), Role.IDENTIFIER),
    ("customer_id", with_repeats(RNG.choice(10**6, N, False), 10), Role.IDENTIFIER),
    ("accountNo", with_repeats(RNG.choice(10**8, N, False), 100), Role.EXTRA),
    ("identification_number_for_sample", with_repeats(RNG.choice(900, N, False), 20), Role.IDENTIFIER),
    ("zip", RNG.choice(np.arange(60_601, 61_001), N, False), Role.IDENTIFIER),  # handed out: hardly any repeats
    ("record", RNG.permutation(np.arange(1000, 1000 + 2 * N, 2)), Role.IDENTIFIER),
]

MEASURES = [
    ("income", RNG.lognormal(10.5, 0.6, N).round()),
    ("population", RNG.lognormal(9, 2, N).round()),
    ("price", RNG.integers(100, 900, N) * 1000),
    ("x", RNG.lognormal(10.5, 0.6, N).round()),  # no name to go by
    ("v17", RNG.normal(3400, 500, N).round()),  # birth weight in grams
    ("v18", RNG.integers(0, 1000, N)),
    ("v19", RNG.integers(1_600_000_000, 1_700_000_000, N)),  # seconds
    ("year", np.arange(1700, 1700 + N)),
    ("Total Weight", np.arange(100, 100 + N)),
    ("week_number", RNG.integers(1, 53, N)),
    ("number_of_visits", RNG.integers(0, 200, N)),
    ("house_index", RNG.normal(100, 5, N)),
    ("v20", RNG.normal(size=N)),
    ("rooms", RNG.integers(1, 9, N)),
]


@pytest.mark.parametrize(("name", "values", "role"), NAMES, ids=[name for name, *_ in NAMES])
def test_numbers_that_name_things(name, values, role):
    guessed, reason = guess_feature(profile_of(name, values))
    assert guessed is role
    assert "number" in reason


@pytest.mark.parametrize(("name", "values"), MEASURES, ids=[name for name, _ in MEASURES])
def test_numbers_that_measure(name, values):
    profile = profile_of(name, values)
    assert numbering(profile) is None
    assert guess_feature(profile)[0] is Role.NUMERIC


def test_a_column_that_differs_in_every_row_names_the_rows_rather():
    table = read_table(
        pd.DataFrame({"hospital_number": HOSPITAL, "case": [f"c{i}" for i in range(N)], "y": ["a", "b"] * (N // 2)})
        .to_csv(index=False).encode(), name="made.csv",
    )  # fmt: skip
    guess = guess_roles(table, target="y")
    assert guess.roles.identifier == "case"
    assert guess.roles.by_column["hospital_number"] is Role.EXTRA
    assert "names the rows already" in guess.reasons["hospital_number"]


def test_who_repeats_is_pointed_out():
    table = read_table(
        pd.DataFrame({"hospital_number": HOSPITAL, "x": RNG.normal(size=N), "y": ["a", "b"] * (N // 2)})
        .to_csv(index=False).encode(), name="made.csv",
    )  # fmt: skip
    (issue,) = [issue for issue in guess_roles(table, target="y").issues if issue.code == "repeated_identifier"]
    assert issue.column == "hospital_number"
    assert "284 values in 300 rows" in issue.message
    roles = guess_roles(table, target="y").roles.with_role("hospital_number", Role.NUMERIC)
    found = {issue.code: issue.suggested_role for issue in review_roles(table, roles) if issue.column}
    assert found == {"number_as_name": Role.EXTRA}
