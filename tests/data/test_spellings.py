"""Words that differ only in the blanks around them become one value, and are said to; a blank that joins nothing is
not."""

from __future__ import annotations

import io

import openpyxl
import pandas as pd
import pyarrow as pa
import pytest

from proset.data.issues import Severity
from proset.data.reading.spellings import Spellings
from proset.data.table import Table, read_table


def written(words: list[str | None], ending: str) -> bytes:
    """A table with a number beside the words, as a file of some kind."""
    frame = pd.DataFrame({"x": range(len(words)), "kind": words})
    stream = io.BytesIO()
    if ending == "csv":
        return frame.to_csv(index=False).encode()
    if ending == "parquet":
        frame.to_parquet(stream)
        return stream.getvalue()
    book = openpyxl.Workbook()
    for row in [frame.columns.tolist(), *frame.to_numpy(dtype=object).tolist()]:
        book.active.append(row)
    book.save(stream)
    return stream.getvalue()


def said(table: Table) -> list[str]:
    return [issue.message for issue in table.issues if issue.code == "joined_spellings"]


@pytest.mark.parametrize("ending", ["csv", "xlsx", "parquet"])
def test_spellings_that_became_one_value_are_named(ending):
    table = read_table(written(["a", " a", "b", "a"] * 5, ending), name=f"kinds.{ending}")
    assert set(table.frame["kind"]) == {"a", "b"}
    (issue,) = [issue for issue in table.issues if issue.code == "joined_spellings"]
    assert issue.message == (
        "Column 'kind': ' a' and 'a' differ only in the blanks around them and are read as one value."
    )
    assert (issue.column, issue.severity) == ("kind", Severity.INFO)


@pytest.mark.parametrize("ending", ["csv", "xlsx", "parquet"])
def test_blanks_that_join_nothing_are_not_worth_a_word(ending):
    assert not said(read_table(written([" a", " a", "b ", "c"] * 5, ending)))
    assert not said(read_table(written(["A", "a", None, "b"] * 5, ending)))
    assert not said(read_table(written(["a", "b", " ", "  "] * 5, ending)))


def test_two_padded_spellings_are_two():
    assert said(read_table(written([" a", "a ", "b"] * 5, "csv"))) == [
        "Column 'kind': ' a' and 'a ' differ only in the blanks around them and are read as one value."
    ]


def test_other_blanks_than_spaces_can_be_seen():
    (text,) = said(read_table(written(["a\u00a0", "a", "b"] * 5, "csv")))
    assert r"'a\xa0' and 'a' differ" in text


def test_many_values_are_one_finding():
    words = [spelling for word in "abcd" for spelling in (word, f"{word} ")]
    (text,) = said(read_table(written(words * 5, "csv")))
    assert text.endswith("read as one value; so are two spellings or more of 3 other values.")


def test_numbers_dates_and_missing_values_have_no_spelling():
    assert not said(read_table(b"x,y\n1, 7\n2,7\n3, 8\n"))
    assert not said(read_table(b"x,y\n1, 2020-01-01\n2,2020-01-01\n3,2020-01-02\n"))
    assert not said(read_table(b"x,y\n1, NA\n2,NA\n3,a\n4,b\n"))


def test_a_column_of_many_texts_is_no_category():
    names = [f"Name {row}" for row in range(1_500)]
    assert not said(read_table(written([*names, " Name 1"], "csv")))
    assert not said(read_table(written([*names, " Name 1"], "parquet")))


def test_spellings_are_found_far_apart():
    rows = [f"{row},{'x' * 90 if row % 2 else 'y'}" for row in range(300_000)]
    content = "\n".join(["n,kind", "0,a", *rows, "1,a ", ""]).encode()
    assert len(content) > 1 << 23  # more than is looked at in one piece
    (text,) = said(read_table(content))
    assert "'a ' and 'a'" in text


def test_an_empty_batch_is_nothing():
    spellings = Spellings()
    spellings.add(pa.array([None, None], pa.string()), pa.array(["", ""]))
    assert spellings.joined() == {}
