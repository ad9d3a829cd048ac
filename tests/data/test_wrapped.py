"""Files whose every line stands in quotes: read as the table inside, and never taken for one where they are not."""

import csv
import io

import pytest

from proset.data.chunks import read_chunks
from proset.data.table import read_table

ROWS = [["age", "note", "kind"], ["31", 'a "b"; c', "x"], ["45", "plain, too", "y"], ["29", "", "x"], ["60", "d", "y"]]


def written(delimiter, *, header=True, body=True, ends="\n"):
    """The rows as lines, each wrapped as a whole or as it is."""
    lines = []
    for number, row in enumerate(ROWS):
        buffer = io.StringIO()
        csv.writer(buffer, delimiter=delimiter, lineterminator="").writerow(row)
        line = buffer.getvalue()
        wrap = header if number == 0 else body
        lines.append('"' + line.replace('"', '""') + '"' if wrap else line)
    return ends.join(lines) + ends


@pytest.mark.slow
@pytest.mark.parametrize("delimiter", [";", ",", "\t", "|"])
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(("header", "body"), [(True, True), (True, False), (False, True)])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_wrapped_lines_are_read_as_the_table_inside(delimiter, ends, header, body, encoding):
    table = read_table(written(delimiter, header=header, body=body, ends=ends).encode(encoding), name="w.csv")
    assert list(table.frame.columns) == ROWS[0]
    assert table.frame["age"].tolist() == [31, 45, 29, 60]
    assert table.frame["note"].tolist()[:2] == ['a "b"; c', "plain, too"]
    assert "wrapped_lines" in {issue.code for issue in table.issues}
    assert table.dialect.delimiter == delimiter


def test_wrapped_lines_across_blocks_and_in_chunks(monkeypatch):
    monkeypatch.setattr("proset.data.reading.utf8_stream.BLOCK", 7)
    content = written(";", ends="\r\n").encode()
    assert read_table(content).frame["age"].tolist() == [31, 45, 29, 60]
    chunks = list(read_chunks(content, chunk_rows=3))
    assert [len(chunk) for chunk in chunks] == [3, 1]
    assert chunks[1]["kind"].tolist() == ["y"]


def test_delimiters_behind_the_quotes_are_left_out():
    table = read_table(b'"a,b,c";;\n"1,2,x";;\n"3,4,y";;\n')
    assert table.frame.to_dict("list") == {"a": [1, 3], "b": [2, 4], "c": ["x", "y"]}


@pytest.mark.parametrize(
    "content",
    [
        '"name"\n"Doe, John"\n"Roe, Jane"\n"Poe, Ann"\n',
        '"name, first name"\n"Doe, John"\n"Roe, Jane"\n"Poe, Ann"\n',
        '"said"\n"Yes, it is; no"\n"No"\n"Well, yes; or, no"\n',
        '"1,5"\n"2,5"\n"3,25"\n"4,5"\n',
        '"a"\n"x"\n"y"\n',
        'word\n"x, y"\n"z"\n"w, v, u"\n',
    ],
)
def test_a_column_of_quoted_texts_stays_one_column(content):
    table = read_table(content.encode())
    assert table.frame.shape[1] == 1
    assert "wrapped_lines" not in {issue.code for issue in table.issues}


@pytest.mark.parametrize(
    "content",
    ['"a","b"\n"1","x, y"\n"2","z"\n', '"a";"b"\n"1";"x"\n', 'a,b\n1,"x\n""y"""\n2,z\n', '"a",b\n"1",\n"2",\n'],
)
def test_fields_in_quotes_are_no_wrapped_lines(content):
    table = read_table(content.encode())
    assert list(table.frame.columns) == ["a", "b"]
    assert "wrapped_lines" not in {issue.code for issue in table.issues}
