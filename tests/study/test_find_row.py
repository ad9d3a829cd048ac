"""Which row a text stands for."""

from __future__ import annotations

import pandas as pd
import pytest

from proset.common.errors import StudyError
from proset.study.find_row import find_row

FRAME = pd.DataFrame(
    {"code": ["a7", "3", None, "x y", "twice", "twice"], "number": [10.0, 20.0, 1.0, None, 50.0, 60.0]},
    index=pd.Index([1, 2, 3, 4, 5, 6], name="row"),
)


@pytest.mark.parametrize(
    ("text", "identifier", "row"),
    [
        ("2", None, 2),
        (" 2 ", None, 2),
        ("a7", "code", 1),
        ("x y", "code", 4),
        ("20", "number", 2),
        ("row 3", "code", 3),
        ("ROW:3", "code", 3),
        ("id 3", "code", 2),
        ("1", "code", 1),
        ("2", "a column that is not there", 2),
    ],
)
def test_found(text: str, identifier: str | None, row: int) -> None:
    assert find_row(FRAME, text, identifier=identifier) == row


@pytest.mark.parametrize(
    ("text", "identifier", "parts"),
    [
        ("99", None, ["no row '99'", "1 to 6"]),
        ("b", "code", ["'b'", "'code'", "a7"]),
        ("", "code", ["''"]),
        ("-1", None, ["'-1'"]),
        ("9" * 40, None, ["no row"]),
        ("3", "code", ["row number", "'code' in row 2", "'row 3'", "'id 3'"]),
        ("1", "number", ["row number", "in row 3", "'row 1'", "'id 1'"]),
        ("twice", "code", ["2 rows: 5, 6", "'row 5'"]),
    ],
)
def test_refused(text: str, identifier: str | None, parts: list[str]) -> None:
    with pytest.raises(StudyError) as caught:
        find_row(FRAME, text, identifier=identifier)
    for part in parts:
        assert part in str(caught.value)


def test_an_empty_table_is_said_to_be_empty() -> None:
    with pytest.raises(StudyError, match="empty"):
        find_row(FRAME.iloc[:0], "1")
