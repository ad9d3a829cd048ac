r"""Quote marks within values that are written \" rather than ""."""

from __future__ import annotations

import csv
import io

import pytest

from proset.common.errors import TableError
from proset.data.chunks import read_chunks
from proset.data.reading.escaped import Unescaper
from proset.data.table import Table, read_table

TEXTS = ['a "b" c', "plain", '"', '"begins', 'ends"', "", 'p, "q", r', "two\nlines", 'C:\\new "x"', "back\\slash"]


def written(delimiter: str = ",", quoting: int = csv.QUOTE_ALL) -> bytes:
    stream = io.StringIO()
    form = {"delimiter": delimiter, "escapechar": "\\", "doublequote": False, "lineterminator": "\n"}
    writer = csv.writer(stream, quoting=quoting, **form)
    writer.writerows([["id", "note", "kind"], *([at, text, "uv"[at % 2]] for at, text in enumerate(TEXTS * 2))])
    return stream.getvalue().encode()


def said(table: Table) -> set[str]:
    return {issue.code for issue in table.issues}


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_escaped_quotes_are_part_of_the_value(delimiter: str) -> None:
    data = written(delimiter)
    table = read_table(data)
    assert table.frame["note"].fillna("").tolist() == TEXTS * 2
    assert table.frame.columns.tolist() == ["id", "note", "kind"]
    assert said(table) == {"escaped_quotes"}
    pieces = read_chunks(data, chunk_rows=5)
    assert [text for piece in pieces for text in piece["note"].fillna("")] == TEXTS * 2


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (r'"a \"b\" c"', 'a "b" c'),
        (r'"\"b\""', '"b"'),
        (r'"a \"b\", c"', 'a "b", c'),
        (r'"C:\new \"x\" \\y"', r'C:\new "x" \y'),
    ],
)
def test_one_such_value_is_enough(line: str, expected: str) -> None:
    table = read_table(f"id,note,kind\n1,{line},u\n2,x,v\n3,\\N,u\n".encode())
    assert table.frame["note"].fillna("").tolist() == [expected, "x", ""]
    assert "escaped_quotes" in said(table)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (r'"C:\dir\"', "C:\\dir\\"),  # a path ends with a backslash
        (r'"{""a"": ""b \""c\"" ""}"', r'{"a": "b \"c\" "}'),
        (r"C:\new", r"C:\new"),
        (r"5\" pipe", r"5\" pipe"),
        ('"say ""hi"""', 'say "hi"'),
    ],
)
def test_a_backslash_is_mostly_nothing_but_one(line: str, expected: str) -> None:
    table = read_table(f"id,note,kind\n1,{line},u\n2,x,v\n3,y,u\n".encode())
    assert table.frame["note"].tolist() == [expected, "x", "y"]
    assert "escaped_quotes" not in said(table)


@pytest.mark.parametrize("delimiter", [",,", "\n"])
def test_a_delimiter_that_cannot_be_one_is_refused(delimiter: str) -> None:
    with pytest.raises(TableError):
        read_table(written(), delimiter=delimiter)


def test_a_backslash_may_be_the_delimiter() -> None:
    table = read_table(b'id\\note\n1\\"x, y"\n2\\"z"\n', delimiter="\\")
    assert table.frame["note"].tolist() == ["x, y", "z"]


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_pieces_of_any_size_give_the_same_text(size: int) -> None:
    text = written().decode()
    whole, parts = Unescaper(), Unescaper()
    pieces = [parts.add(text[at : at + size], final=False) for at in range(0, len(text), size)]
    assert "".join(pieces) + parts.add("", final=True) == whole.add(text, final=True)
