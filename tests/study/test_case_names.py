"""Names of rows, as a person knows them."""

from __future__ import annotations

import pandas as pd
import pytest

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
