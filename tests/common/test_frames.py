from __future__ import annotations

import pandas as pd
import pytest

from proset.common.frames import beside, free_names, with_index


@pytest.mark.parametrize(
    ("names", "taken", "expected"),
    [
        (["a", "b"], [], ["a", "b"]),
        (["a", "b"], ["a"], ["a (column)", "b"]),
        (["a", "a (column)"], ["a"], ["a (column 2)", "a (column)"]),
        (["a"], ["a", "a (column)", "a (column 2)"], ["a (column 3)"]),
        (["a", "a", "a"], [], ["a", "a (column)", "a (column 2)"]),
        (["1", 1], [1.5], ["1", "1 (column)"]),
        ([""], [""], [" (column)"]),
    ],
)
def test_names_that_are_free(names, taken, expected):
    found = free_names(names, taken)
    assert found == expected
    assert len({*found, *map(str, taken)}) == len(found) + len(taken)


def test_frames_side_by_side_keep_values_and_types():
    own = pd.DataFrame({"row": [1, 2], "class": ["a", None]}, index=[5, 5])
    theirs = pd.DataFrame({"class": pd.Categorical(["u", "v"]), "n": [1.5, None]}, index=[9, 3])
    both = beside(own, theirs)
    assert both.columns.tolist() == ["row", "class", "class (column)", "n"]
    assert both.index.tolist() == [5, 5]
    assert both.dtypes.tolist() == [*own.dtypes, *theirs.dtypes]


@pytest.mark.parametrize("name", ["row", "index", "case", "level_0", ""])
def test_an_index_becomes_a_column_whatever_the_columns_are_called(name):
    frame = pd.DataFrame({name: ["a", "b"]}, index=pd.Index([3, 4], name=name))
    flat = with_index(frame)
    assert flat.columns.tolist() == [name, f"{name} (column)"]
    assert flat.iloc[:, 0].tolist() == [3, 4]


def test_an_index_without_a_name_is_called_index():
    assert with_index(pd.DataFrame({"a": [1]})).columns.tolist() == ["index", "a"]
