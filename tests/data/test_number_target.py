"""Targets that are numbers: read, checked, divided; and what is found about a table that has one."""

import numpy as np
import pandas as pd
import pytest
from number_tables import houses, table_of

from proset.common.errors import RoleError, StorageError
from proset.data.issues import Role
from proset.data.number_split import split_numbers
from proset.data.number_target import target_numbers, thirds
from proset.data.role_check import check_roles
from proset.data.role_guess import review_roles
from proset.data.roles import Roles
from proset.data.split import SplitSettings
from proset.data.target import target_labels

ROLES = Roles({"x": Role.NUMERIC, "y": Role.TARGET}).as_number()


def test_another_target_is_no_number_until_that_is_said():
    assert ROLES.number
    assert not ROLES.with_role("x", Role.TARGET).number
    assert not ROLES.with_classes(None).number
    assert ROLES.with_classes(None) != ROLES
    assert not Roles({"x": Role.NUMERIC}, number=True).number
    assert Roles.from_dict(ROLES.to_dict()) == ROLES


@pytest.mark.parametrize(
    "state",
    [
        {"number": False},
        {"number": 1},
        {"number": True, "by_column": [["x", "numeric"]]},
        {"number": True, "classes": {"cuts": [1.0], "names": [], "set_aside": [], "order": [], "dates": None}},
    ],
)
def test_what_contradicts_itself_is_refused(state):
    with pytest.raises(StorageError, match="number"):
        Roles.from_dict(ROLES.to_dict() | state)


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        ([1, 2, 3], [1.0, 2.0, 3.0]),
        (["1.5", " 2 ", None], [1.5, 2.0, np.nan]),
        ([True, False, None], [1.0, 0.0, np.nan]),
        (["?", "-", "4e2"], [np.nan, np.nan, 400.0]),
    ],
)
def test_numbers_are_read(cells, expected):
    assert target_numbers(pd.DataFrame({"x": 0, "y": cells}), ROLES).tolist() == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("cell", ["dear", "1,2,3", "inf"])
def test_what_is_no_number_is_named_with_its_row(cell):
    frame = pd.DataFrame({"x": 0, "y": ["1", cell]}, index=[5, 6])
    with pytest.raises(RoleError, match=r"'y' holds .* in row 6"):
        target_numbers(frame, ROLES)


def test_thirds_are_of_equal_size_whatever_the_ties():
    target = pd.Series([0.0] * 50 + [1.0] * 10, index=range(1, 61))
    assert thirds(target).value_counts().tolist() == [20, 20, 20]
    assert target_labels(pd.DataFrame({"x": 0, "y": target}), ROLES).equals(thirds(target.rename("y")))


def test_the_order_of_the_rows_does_not_matter_for_the_split():
    target = pd.Series(np.random.default_rng(0).normal(size=90).round(1), index=range(1, 91), name="y")
    split = split_numbers(target, frame=target.to_frame())
    mixed = target.sample(frac=1.0, random_state=1)
    assert split_numbers(mixed, frame=mixed.to_frame()).held_out.tolist() == split.held_out.tolist()
    other = split_numbers(target, SplitSettings(seed=1), frame=target.to_frame())
    assert other.held_out.tolist() != split.held_out.tolist()


class TestFindings:
    def test_a_number_is_no_finding_and_nothing_is_said_of_classes(self):
        table, roles = table_of(houses().sort_values("size"))
        check_roles(table, roles)
        found = review_roles(table, roles)
        assert "target_quantity" not in {issue.code for issue in found}
        assert "target_quantity" in {issue.code for issue in review_roles(table, roles.with_classes(None))}
        assert not [issue.message for issue in found if "class" in issue.message]

    def test_a_column_made_of_the_number_is_found(self):
        table, roles = table_of(houses().assign(cents=lambda frame: 100 * frame["price"] + 3))
        (leak,) = [issue for issue in review_roles(table, roles) if issue.column == "cents"]
        assert leak.suggested_role is Role.EXTRA
        assert "third of the target 'price'" in leak.message or "third of 'price'" in leak.message
