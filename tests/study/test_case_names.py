"""Names of rows, as a person knows them."""

from __future__ import annotations

import pandas as pd
import pytest

from proset.data.issues import Role
from proset.data.role_guess import guess_roles
from proset.data.table import read_table
from proset.study import fit_study
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


def test_where_there_is_little_room_a_bare_number_gives_way_to_that_of_the_row():
    lines = ["number,size,kind", *(f"{900 + i},{i},{'a' if i < 30 else 'b'}" for i in range(60))]
    table = read_table("\n".join(lines).encode())
    study = fit_study(table, guess_roles(table, target="kind").roles.with_role("number", Role.IDENTIFIER))
    name = study.names_of(table.frame.loc[[3]])[0]
    assert (name, study.short_name(name, 3)) == ("number 902", "row 3")
    assert study.short_name(f"{name}, batch 2", 3) == "row 3, batch 2"
    assert study.short_name("row 3", 3) == "row 3"
