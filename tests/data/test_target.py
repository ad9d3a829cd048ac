"""The target as labels, and classes that cannot be learned."""

from __future__ import annotations

import pandas as pd
import pytest

from proset.common.errors import RoleError
from proset.data.issues import Role
from proset.data.roles import Roles
from proset.data.target import check_classes, target_labels

ROLES = Roles({"x": Role.NUMERIC, "y": Role.TARGET})


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([1.0, 0.0, None], ["1", "0", None]),
        ([3, 10, 2], ["3", "10", "2"]),
        ([0.5, 1e20, -2.0], ["0.5", "1e+20", "-2"]),
        ([True, False, None], ["True", "False", None]),
        ([" yes", "no ", ""], ["yes", "no", None]),
        (pd.Categorical(["a", None, "b"]), ["a", None, "b"]),
        (pd.array([1, None, 3], dtype="Int64"), ["1", None, "3"]),
        ([1, "a", 2.0], ["1", "a", "2"]),
        ([9007199254740993, 2, 3], ["9007199254740993", "2", "3"]),
        (pd.to_datetime(["2024-01-01", None, "2024-02-01"]), ["2024-01-01", None, "2024-02-01"]),
    ],
)
def test_labels_read_as_a_person_writes_them(values: object, labels: list[str | None]) -> None:
    frame = pd.DataFrame({"x": [1, 2, 3], "y": values}, index=pd.Index([4, 9, 2], name="row"))
    read = target_labels(frame, ROLES)
    assert read.index.tolist() == [4, 9, 2]
    assert read.name == "y"
    assert [None if pd.isna(label) else label for label in read] == labels


def test_no_target_and_absent_target() -> None:
    with pytest.raises(RoleError, match="No column is the target"):
        target_labels(pd.DataFrame({"x": [1]}), Roles({"x": Role.NUMERIC}))
    with pytest.raises(RoleError, match="lacks the target column 'y'"):
        target_labels(pd.DataFrame({"x": [1]}), ROLES)


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ([None] * 20, "empty in every row"),
        (["a"] * 20, "one class only: all 20 rows are 'a'"),
        (["a"] * 20 + ["b"] * 5 + ["c"], "class 'c' has 1 row, class 'b' has 5 rows; every class needs at least 6"),
        ([f"c{i}" for i in range(20)], "and 15 more classes"),
    ],
)
def test_impossible_classes_are_named_and_counted(labels: list[str | None], words: str) -> None:
    with pytest.raises(RoleError) as caught:
        check_classes(pd.Series(labels, dtype="str", name="kind"))
    assert words in caught.value.message
    assert "'kind'" in caught.value.message
    assert caught.value.hint


def test_six_rows_per_class_are_enough_and_the_limit_can_be_moved() -> None:
    labels = pd.Series(["a"] * 6 + ["b"] * 6 + [None], name="kind")
    check_classes(labels)
    with pytest.raises(RoleError, match="at least 7"):
        check_classes(labels, fewest=7)
