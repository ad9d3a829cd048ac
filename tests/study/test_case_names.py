"""Names of rows, as a person knows them."""

from __future__ import annotations

import pandas as pd
import pytest

from proset.data.issues import Role
from proset.data.role_guess import guess_roles
from proset.data.table import read_table
from proset.study import Study, fit_study
from proset.study.case import row_names


@pytest.mark.parametrize(
    ("column", "value", "name"),
    [
        ("EmployeeNumber", 843, "EmployeeNumber 843"),
        ("PassengerId", "0034", "PassengerId 0034"),
        ("Number of the employee at work", 7.0, "Number of the emplo… 7"),
        ("car", "Ford Escort", "Ford Escort"),
        ("tag", "T1", "T1"),
        ("tag", None, "row 5"),
    ],
)
def test_a_bare_number_is_named_with_its_column(column, value, name):
    """By itself it would read like the number of a row."""
    assert row_names(pd.DataFrame({column: [value]}, index=[5]), column) == [name]


def numbered(first: int) -> Study:
    """A study of 60 rows with a running number in a column of its own."""
    lines = ["number,size,kind", *(f"{first + i},{i},{'a' if i < 30 else 'b'}" for i in range(60))]
    table = read_table("\n".join(lines).encode())
    return fit_study(table, guess_roles(table, target="kind").roles.with_role("number", Role.IDENTIFIER))


def test_an_identifier_that_counts_the_rows_names_none():
    """The number of the row says the same, and a second column of it takes the place of what is to be read."""
    study = numbered(first=1)
    rows = study.table.frame.loc[[3, 7]]
    assert (study.identifier, study.naming_columns, study.names_of(rows)) == (None, (), ["row 3", "row 7"])
    assert study.row_of("7") == 7
    # New rows have numbers of their own.
    assert study.names_of(rows.assign(number=[61, 62])) == ["number 61", "number 62"]
    assert study.case(rows.iloc[[0]].drop(columns="number")).name == "row 3"


def test_where_there_is_little_room_a_bare_number_gives_way_to_that_of_the_row():
    study = numbered(first=900)
    name = study.names_of(study.table.frame.loc[[3]])[0]
    assert (name, study.short_name(name, 3)) == ("number 902", "row 3")
    assert study.short_name(f"{name}, batch 2", 3) == "row 3, batch 2"
    assert study.short_name("row 3", 3) == "row 3"
