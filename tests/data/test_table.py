"""Odd files and what becomes of them: either the expected values, or a message that says what to do."""

import datetime as dt
import gzip
import hashlib
import io
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proset.common.errors import TableError
from proset.data.chunks import read_chunks
from proset.data.role_guess import guess_roles
from proset.data.table import ImageGrid, Limits, read_table

NAN = float("nan")


def columns_of(table):
    return {name: column.astype(object).where(column.notna(), None).tolist() for name, column in table.frame.items()}


def codes(table):
    return {issue.code for issue in table.issues}


def message(table, code):
    return next(issue.message for issue in table.issues if issue.code == code)


GOOD = {
    "comma": (b"a,b\n1,x\n2,y\n", {"a": [1, 2], "b": ["x", "y"]}, set()),
    "semicolon, decimal comma": (b"a;b\n1,5;x\n2,25;y\n", {"a": [1.5, 2.25], "b": ["x", "y"]}, set()),
    "decimal comma in quotes": (b'a,b\n"1,5",x\n"2,25",y\n', {"a": [1.5, 2.25], "b": ["x", "y"]}, set()),
    "tab": (b"a\tb\n1\tx y\n2\tz w\n", {"a": [1, 2], "b": ["x y", "z w"]}, set()),
    "bar": (b"a|b\n1|x\n2|y\n", {"a": [1, 2], "b": ["x", "y"]}, set()),
    "space": (b"a b\n1 x\n2 y\n3 z\n", {"a": [1, 2, 3], "b": ["x", "y", "z"]}, set()),
    "no newline at the end": (b"a,b\n1,x\n2,y", {"a": [1, 2], "b": ["x", "y"]}, set()),
    "windows line ends": (b"a,b\r\n1,x\r\n2,y\r\n", {"a": [1, 2], "b": ["x", "y"]}, set()),
    "old mac line ends": (b"a,b\r1,x\r2,y\r", {"a": [1, 2], "b": ["x", "y"]}, set()),
    "blank lines": (b"a,b\n\n1,x\n\n\n2,y\n\n", {"a": [1, 2], "b": ["x", "y"]}, set()),
    "line break in quotes": (b'a,b\n1,"x\ny"\n2,z\n', {"a": [1, 2], "b": ["x\ny", "z"]}, set()),
    "quotes in quotes": (b'a,b\n1,"say ""hi"""\n2,z\n', {"a": [1, 2], "b": ['say "hi"', "z"]}, set()),
    "stray quote inside a field": (b'a,b\n1,5" pipe\n2,z\n', {"a": [1, 2], "b": ['5" pipe', "z"]}, set()),
    "single quotes": (b"'a','b'\n1,'x,y'\n2,'z'\n3,'w'\n", {"a": [1, 2, 3], "b": ["x,y", "z", "w"]}, set()),
    "line break in the header": (b'"a\nb",c\n1,x\n2,y\n', {"a b": [1, 2], "c": ["x", "y"]}, set()),
    "excel's sep line": (b"sep=;\na;b\n1;x\n2;y\n", {"a": [1, 2], "b": ["x", "y"]}, {"preamble"}),
    "comments first": (b"# made by us\n# twice\na,b\n1,x\n2,y\n", {"a": [1, 2], "b": ["x", "y"]}, {"preamble"}),
    "header behind a hash": (b"#a,b\n1,x\n2,y\n", {"#a": [1, 2], "b": ["x", "y"]}, set()),
    "title first": (
        b"Report of May\n\na,b,c\n1,x,3\n2,y,4\n3,z,5\n",
        {"a": [1, 2, 3], "b": ["x", "y", "z"], "c": [3, 4, 5]},
        {"preamble"},
    ),
    "no header": (b"1,x\n2,y\n", {"column 1": [1, 2], "column 2": ["x", "y"]}, {"no_header"}),
    "mark inside a name": ("a,\ufeffb\n1,x\n2,y\n".encode(), {"a": [1, 2], "b": ["x", "y"]}, set()),
    "names trimmed": (b" a , b\n1,x\n2,y\n", {"a": [1, 2], "b": ["x", "y"]}, set()),
    "name missing": (b"a,,c\n1,x,3\n2,y,4\n", {"a": [1, 2], "column 2": ["x", "y"], "c": [3, 4]}, {"unnamed_column"}),
    "name twice": (b"a,a,a (2)\n1,x,3\n2,y,4\n", {"a": [1, 2], "a (3)": ["x", "y"], "a (2)": [3, 4]}, {"duplicate_column"}),  # noqa: E501
    "delimiter at every end": (b"a,b,\n1,x,\n2,y,\n", {"a": [1, 2], "b": ["x", "y"]}, {"empty_column"}),
    "delimiter at the end of rows only": (b"a,b\n1,x,\n2,y,\n", {"a": [1, 2], "b": ["x", "y"]}, {"empty_column"}),
    "delimiter at the end of the header only": (b"a,b,\n1,x\n2,y\n", {"a": [1, 2], "b": ["x", "y"]}, set()),
    "row names": (b"a b\nr1 1 x\nr2 2 y\n", {"row name": ["r1", "r2"], "a": [1, 2], "b": ["x", "y"]}, {"row_names"}),
    "short row": (b"a,b,c\n1,x,2\n2\n3,z,4\n", {"a": [1, 2, 3], "b": ["x", None, "z"], "c": [2, None, 4]}, {"short_rows"}),  # noqa: E501
    "short last row": (b"a,b\n1,x\n2,y\n3", {"a": [1, 2, 3], "b": ["x", "y", None]}, {"short_rows"}),
    "rows between two stray quotes": (
        b'a,b,c\n1,x,2\n2,"y,3\n3,z,4\n4,w,5\n5,"v,6\n6,x,7\n',
        {"a": [1, 2, 6], "b": ["x", "y,3\n3,z,4\n4,w,5\n5,v", "x"], "c": [2, 6, 7]},
        {"swallowed_rows"},
    ),
    "stray quotes that also make a row too short": (
        b'a,b,c\n1,x,2\n2,"y,3\n3,z,4"\n5,x,6\n',
        {"a": [1, 2, 5], "b": ["x", "y,3\n3,z,4", "x"], "c": [2, None, 6]},
        {"swallowed_rows", "short_rows"},
    ),
    "texts of several lines": (
        b'a,b,c\n1,"x, y\nz, w",2\n2,"a, b\nc, d, e\nf",3\n3,"p\nq,r",4\n',
        {"a": [1, 2, 3], "b": ["x, y\nz, w", "a, b\nc, d, e\nf", "p\nq,r"], "c": [2, 3, 4]},
        set(),
    ),
    "missing markers": (
        b"a,b\n1,NA\nN/A,x\n?,y\n#N/A,z\nnull,w\n",
        {"a": [1, None, None, None, None], "b": [None, "x", "y", "z", "w"]},
        {"missing_markers"},
    ),
    "none among numbers": (b"a,b\n1,x\nNone,y\n-,z\n", {"a": [1, None, None], "b": ["x", "y", "z"]}, {"missing_markers"}),  # noqa: E501
    "none among words": (b"a,b\n1,none\n2,y\n3,-\n", {"a": [1, 2, 3], "b": ["none", "y", "-"]}, {"kept_marker"}),
    "only blanks": (b"a,b\n1,x\n  ,y\n3,z\n", {"a": [1, None, 3], "b": ["x", "y", "z"]}, {"blank_values"}),
    "infinite": (b"a,b\n1.5,x\ninf,y\n-Infinity,z\n", {"a": [1.5, None, None], "b": ["x", "y", "z"]}, {"infinite"}),
    "too large for a float": (b"a,b\n1.5,x\n2e999,y\n", {"a": [1.5, None], "b": ["x", "y"]}, {"infinite"}),
    "true and false": (b"a,b\nTRUE,x\nfalse,y\n", {"a": [True, False], "b": ["x", "y"]}, set()),
    "true, false, missing": (b"a,b\nTRUE,x\nfalse,y\n,z\n", {"a": [True, False, None], "b": ["x", "y", "z"]}, set()),
    "leading zeros": (b"zip,b\n01234,x\n99999,y\n", {"zip": ["01234", "99999"], "b": ["x", "y"]}, {"leading_zeros"}),
    "leading zeros and groups": (b"no,b\n001 101,x\n041 123 101,y\n210 004,z\n", {"no": ["001 101", "041 123 101", "210 004"], "b": ["x", "y", "z"]}, {"leading_zeros"}),  # noqa: E501
    "leading zeros and points": (b"no,b\n001.234.567,x\n123.234.567,y\n", {"no": ["001.234.567", "123.234.567"], "b": ["x", "y"]}, {"leading_zeros"}),  # noqa: E501
    "leading zeros, groups and decimals": (b"no,b\n001 101,x\n1.5,y\n", {"no": ["001 101", "1.5"], "b": ["x", "y"]}, {"leading_zeros"}),  # noqa: E501
    "groups and a zero": ("a;b\n1\u00a0234;x\n0;y\n".encode(), {"a": [1234, 0], "b": ["x", "y"]}, set()),
    "big whole numbers": (b"a,b\n9007199254740993,x\n1,y\n", {"a": [9007199254740993, 1], "b": ["x", "y"]}, set()),
    "big with gaps": (b"a,b\n9007199254740993,x\n,y\n", {"a": ["9007199254740993", None], "b": ["x", "y"]}, {"long_numbers"}),  # noqa: E501
    "too many digits": (b"a,b\n12345678901234567890,x\n1,y\n", {"a": ["12345678901234567890", "1"], "b": ["x", "y"]}, {"long_numbers"}),  # noqa: E501
    "thousands": (b'a,b\n"1,234",x\n"12,345,678",y\n', {"a": [1234, 12345678], "b": ["x", "y"]}, {"thousands"}),
    "thousands and decimals": (b"a;b\n1.234,5;x\n12;y\n", {"a": [1234.5, 12], "b": ["x", "y"]}, set()),
    "thousands by spaces": ("a;b\n1\u00a0234,5;x\n12;y\n".encode(), {"a": [1234.5, 12], "b": ["x", "y"]}, set()),
    "signs and exponents": (b"a,b\n+1,x\n-.5,y\n1E3,z\n", {"a": [1, -0.5, 1000], "b": ["x", "y", "z"]}, set()),
    "one column": (b"a\n1\n2\n", {"a": [1, 2]}, set()),
    "empty column with a name": (b"a,b\n1,\n2,\n", {"a": [1, 2], "b": [None, None]}, set()),
}  # fmt: skip


@pytest.mark.parametrize("case", GOOD)
def test_odd_file_is_read(case):
    content, expected, issues = GOOD[case]
    table = read_table(content)
    assert columns_of(table) == expected
    assert codes(table) == issues
    assert table.frame.index.tolist() == list(range(1, len(table.frame) + 1))
    assert table.frame.index.name == "row"
    assert table.frame.index.dtype == np.int64


def png():
    return b"\x89PNG\r\n\x1a\n" + bytes(range(256))


def zipped(**members):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/").replace("_xml", ".xml"), content)
    return stream.getvalue()


def workbook(rows, *, title="data", others=()):
    book = openpyxl.Workbook()
    book.active.title = title
    for row in rows:
        book.active.append(row)
    for name, content in others:
        sheet = book.create_sheet(name)
        for row in content:
            sheet.append(row)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def parquet(**columns):
    stream = io.BytesIO()
    pq.write_table(pa.table(columns), stream)
    return stream.getvalue()


WIDE = (",".join(f"c{i}" for i in range(10_000)) + "\n" + ",".join(["1"] * 10_000) + "\n").encode()
BAD = {
    "empty": (b"", {}, ["is empty"]),
    "only blanks": (b" \n \n", {}, ["nothing but blanks"]),
    "only a mark": (b"\xef\xbb\xbf", {}, ["nothing but blanks"]),
    "only delimiters": (b",,\n,,\n", {}, ["neither names nor values"]),
    "lines of words": (b"name\nAnn Lee\nBob Ray\n", {}, ["No delimiter"]),
    "header alone": (b"a,b,c\n", {}, ["'table' has a header but no rows"]),
    "over the size": (b"a,b\n" + b"1,x\n" * 300, {"limits": Limits(max_bytes=1000)}, ["1.2 kB", "limit is 1.0 kB"]),
    "too many rows": (b"a,b\n" + b"1,x\n" * 20, {"limits": Limits(max_rows=10)}, ["more than 10 rows"]),
    "too many columns": (WIDE, {}, ["10,000 columns", "limit is 2,000", "Keep the columns"]),
    "png": (png(), {"name": "cells.csv"}, ["'cells.csv' is a PNG picture"]),
    "sign-in page": (b"<!DOCTYPE html>\n<p>Sign in, please</p>\n", {"name": "x.csv"}, ["'x.csv' is a web page (HTML)"]),
    "table of a bank": (b"\xef\xbb\xbf \n<HTML><body><table><tr><td>1</td></tr>", {}, ["web page (HTML)"]),
    "program": (b"MZ\x90\0\x03" + bytes(100), {}, ["a Windows program"]),
    "zip": (zipped(table="a,b\n1,2\n"), {}, ["zip archive", "Unpack"]),
    "old excel": (b"\xd0\xcf\x11\xe0" + bytes(100), {}, [".xls", "password"]),
    "zero bytes": (b"a,b\n1,\0\0\0\n2,x\n" * 10, {}, ["binary file"]),
    "random bytes": (bytes(range(1, 32)) * 40, {}, ["binary file"]),
    "damaged gzip": (gzip.compress(b"a,b\n1,x\n" * 5000, mtime=0)[:60], {}, ["damaged gzip"]),
    "gzip of nothing": (gzip.compress(b"", mtime=0), {}, ["empty once unpacked"]),
    "gzip bomb": (
        gzip.compress(b"1,2\n" * 1_000_000, mtime=0),
        {"limits": Limits(max_bytes=50_000)},
        ["50.0 kB once unpacked"],
    ),
    "gzip bomb, encoding given": (
        gzip.compress(b"1,2\n" * 1_000_000, mtime=0),
        {"limits": Limits(max_bytes=50_000), "encoding": "ascii"},
        ["50.0 kB once unpacked"],
    ),
    "gzip of a picture": (gzip.compress(png(), mtime=0), {}, ["PNG picture"]),
    "damaged excel": (workbook([["a"], [1]])[:900], {}, ["damaged Excel or zip"]),
    "excel without content": (zipped(xl__workbook_xml="<x/>"), {}, ["damaged Excel file", "save it again"]),
    "excel bomb": (
        zipped(xl__workbook_xml="x" * 1_000_000),
        {"limits": Limits(max_bytes=100_000)},
        ["unpacks to 1.0 MB", "limit is 100.0 kB"],
    ),
    "empty sheet": (workbook([]), {}, ["Sheet 'data'", "is empty"]),
    "sheet with header alone": (workbook([["a", "b"]]), {}, ["has a header but no rows"]),
    "no such sheet": (workbook([["a"], [1]]), {"sheet": "x"}, ["no sheet 'x'", "'data'"]),
    "damaged parquet": (b"PAR1" + bytes(100) + b"PAR1", {}, ["damaged Parquet"]),
    "truncated parquet": (parquet(a=[1, 2])[:-20], {}, ["damaged Parquet"]),
    "parquet without rows": (parquet(a=pa.array([], pa.int64())), {}, ["has no rows"]),
    "parquet of bytes": (parquet(a=[b"\x80\xff"]), {}, ["Column 'a'", "no text"]),
    "parquet too long": (parquet(a=[1, 2, 3]), {"limits": Limits(max_rows=2)}, ["3 rows", "limit is 2"]),
    "parquet too wide": (parquet(a=[1], b=[2]), {"limits": Limits(max_columns=1)}, ["2 columns", "limit is 1"]),
    "prose": (b"Dear all,\nthis is a letter.\nIt has words and no columns\n", {}, ["No delimiter", "the delimiter"]),
    "a delimiter in the first line alone": (
        b'a;b\n1:x "q\n2:y z\n',
        {},
        ["No delimiter divides the rows of", "a quotation mark that is not closed"],
    ),
    "unknown delimiter": (b"a:b\n1:x\n2:y\n", {}, ["No delimiter", "'a:b'", "the delimiter"]),
    "delimiter that is not there": (b"a,b\n1,x\n", {"delimiter": ";"}, ["semicolon does not occur", "leave it"]),
    "impossible delimiter": (b"a,b\n1,x\n", {"delimiter": ",,"}, ["delimiter ',,'", "one character"]),
    "impossible decimal": (b"a,b\n1,x\n", {"decimal": ";"}, ["decimal mark ';'"]),
    "wrong encoding": ("a,b\n1,\u00e9\n".encode("latin-1"), {"encoding": "utf-8"}, ["not written in utf-8", "another encoding"]),  # noqa: E501
    "unknown encoding": (b"a,b\n1,x\n", {"encoding": "klingon"}, ["no text encoding 'klingon'"]),
    "encoding that is none": (b"a,b\n1,x\n", {"encoding": "base64"}, ["no text encoding 'base64'"]),
    "open quote in the middle": (b'a,b,c\n1,"x,2\n2,y,3\n', {}, ["row 1", "does not end. It begins with 'x,2'."]),
    "open quote behind two stray ones": (
        b'a,b,c\n1,"x,2\n2,y,3\n3,"z,4\n4,y,3\n5,"x,6\n7,x,1\n',
        {},
        ["row 3", "'x,6'", "a value of row 1 holds other rows. Close"],
    ),
    "open quote in the last column": (b'a,b\n1,"x\n2,y\n3,z\n', {}, ["begins in row 1", "does not end"]),
    "rows longer than the header": (b"a,b\n" + b"1,x\n" * 40_000 + b"1,x,2\n" * 50_000, {}, ["50000 of 90000 rows", "2 fields"]),  # noqa: E501
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_file_is_refused_with_a_way_out(case):
    content, options, fragments = BAD[case]
    with pytest.raises(TableError) as caught:
        read_table(content, **options)
    for fragment in fragments:
        assert fragment in str(caught.value)
    assert caught.value.hint


def test_missing_path_and_folder(tmp_path):
    with pytest.raises(TableError, match="There is no file"):
        read_table(tmp_path / "no.csv")
    with pytest.raises(TableError, match="is a folder"):
        read_table(str(tmp_path))
    with pytest.raises(TableError, match="cannot be opened"):
        read_table("a\0b")


def test_path_and_bytes_agree(tmp_path):
    content = gzip.compress(b"a,b\n1,x\n2,y\n")
    path = tmp_path / "tiny.csv.gz"
    path.write_bytes(content)
    one, two = read_table(path), read_table(content, name="../../etc/passwd")
    pd.testing.assert_frame_equal(one.frame, two.frame)
    assert one.name == "tiny.csv.gz"
    assert two.name == "../../etc/passwd"
    assert one.fingerprint == two.fingerprint == hashlib.sha256(content).hexdigest()


def test_a_short_last_row_may_be_the_end_of_a_file_that_was_cut_off():
    cut, whole = read_table(b'a,b,c\n1,x,2\n2,"y,z",3\n3,"Pain, D'), read_table(b"a,b,c\n1,x,2\n2,y\n3,z,4\n")
    assert message(cut, "short_rows").endswith("row 3. It is the last one: the file may have been cut off.")
    assert message(whole, "short_rows").endswith("row 2.")


def test_long_rows_are_set_aside_and_ids_stay():
    table = read_table(b"a,b\n1,x\n2,y,extra\n3,z\n4,w,\n5,v\n")
    assert table.frame.index.tolist() == [1, 3, 4, 5]
    assert table.frame["a"].tolist() == [1, 3, 4, 5]  # an empty field too many is nothing
    assert message(table, "long_rows") == "1 row has more than 2 fields and was set aside: row 2."


def test_ragged_rows_across_blocks(monkeypatch):
    monkeypatch.setattr("proset.data.reading.text_rows._BLOCK_SIZE", 256)
    rows = [f"{i},x{i},y" for i in range(1, 501)]
    rows[9], rows[250], rows[499] = "10", "251,x251", "500,x500,y,z"
    table = read_table(("a,b,c\n" + "\n".join(rows) + "\n").encode())
    assert table.frame.index.tolist() == list(range(1, 500))
    assert table.frame["a"].tolist() == list(range(1, 500))
    assert table.frame["b"].isna().sum() == 1
    assert table.frame["c"][table.frame["c"].isna()].index.tolist() == [10, 251]
    assert "2 rows have fewer than 3 fields and were filled up" in message(table, "short_rows")
    assert "missing values: rows 10, 251." in message(table, "short_rows")
    assert "row 500." in message(table, "long_rows")


@pytest.mark.parametrize(
    ("texts", "severity"),
    [
        (["999", "1.234", "12.500", "350"], "warning"),
        (["1.234", "12.500", "1.350"], "info"),
        (["1.234", "12.500", "0.350"], None),  # no group begins with a zero
        (["999", "1.234", "1.5"], None),
        (["999", "1.234", "1234.567"], None),
        (["999", "350"], None),
        (["999", "1.234", "1.234.567"], None),
    ],
)
def test_decimals_that_may_be_thousands_are_named(texts, severity):
    table = read_table("\n".join(["people;b", *(f"{text};x" for text in texts)]).encode())
    found = [issue for issue in table.issues if issue.code == "maybe_thousands"]
    assert [issue.severity for issue in found] == ([severity] if severity else [])
    for issue in found:
        assert issue.column == "people"
        assert "'1.234'" in issue.message
        assert "with ',' as decimal mark" in issue.message


@pytest.mark.parametrize(
    ("cells", "read"),
    [
        (["1.109,67-", "20,00", "0,5-", "3.506,51"], [-1109.67, 20.0, -0.5, 3506.51]),
        (["1,109.67-", "20.00", "0.50-", "3,506.51"], [-1109.67, 20.0, -0.5, 3506.51]),
        (["109.67-", "", "20.00"], [-109.67, np.nan, 20.0]),
        (["2-", "2", "3", "1"], ["2-", "2", "3", "1"]),  # marks
        (["1.5-", "1.5-2.5", "3"], ["1.5-", "1.5-2.5", "3"]),
        (["-1.5-", "3"], ["-1.5-", "3"]),
    ],
)
def test_a_minus_behind_an_amount_is_its_sign(cells, read):
    content = "\n".join(["amount;y", *(f"{cell};a" for cell in cells)]).encode()
    found = read_table(content).frame["amount"]
    expected = pd.Series(read, index=found.index, name="amount")
    pd.testing.assert_series_equal(found, expected, check_dtype=False)


def test_thousands_are_read_as_the_person_says():
    content = b"people;b\n999;x\n1.234;y\n12.500;z\n"
    assert read_table(content, decimal=",").frame["people"].tolist() == [999, 1234, 12500]
    assert codes(read_table(content, decimal=".")) == set()


def test_numbers_of_a_workbook_are_no_thousands():
    assert codes(read_table(workbook([["x", "w"], [1.234, "u"], [2, "v"]]))) == set()


def test_groups_in_one_column_tell_thousands_in_another():
    table = read_table(b"people;cars;b\n1.234.567;1.234;x\n999;350;y\n12.500;12.500;x\n")
    assert columns_of(table)["people"] == [1234567, 999, 12500]
    assert columns_of(table)["cars"] == [1234, 350, 12500]
    assert table.dialect.decimal == ","


def test_stray_text_is_named():
    lines = [f"{i},x" for i in range(1, 101)]
    lines[4], lines[9] = "abc,x", "12 mg,x"
    table = read_table(("dose,b\n" + "\n".join(lines)).encode())
    assert table.frame["dose"].dtype == "str"
    assert message(table, "stray_text") == (
        "Column 'dose': 2 of 100 values are not numbers (row 5: 'abc', row 10: '12 mg'), so it is read as words."
        " If they mean missing, count them as missing."
    )
    assert next(issue.column for issue in table.issues) == "dose"


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["2021-03-04", "2021-12-31"], ["2021-03-04", "2021-12-31"]),
        (["2021-03-04T10:20:30", "2021-03-05 10:20"], ["2021-03-04 10:20:30", "2021-03-05 10:20"]),
        (["2021-03-04T10:00:00Z", "2021-03-04 10:00+02:00"], ["2021-03-04 10:00", "2021-03-04 08:00"]),
        (["2021/3/4", "2021/12/31"], ["2021-03-04", "2021-12-31"]),
        (["10/03/2004", "25/03/2004"], ["2004-03-10", "2004-03-25"]),
        (["3/14/2004", "1/2/2004"], ["2004-03-14", "2004-01-02"]),
        (["3/14/2004 02:30 PM", "1/2/2004 12:05 am"], ["2004-03-14 14:30", "2004-01-02 00:05"]),
        (["31.12.2020", "NA"], ["2020-12-31", None]),
        (["5 Mar 2004", "12-December-2020"], ["2004-03-05", "2020-12-12"]),
    ],
)
def test_dates(texts, expected):
    table = read_table(("day;b\n" + "".join(f"{text};x\n" for text in texts)).encode())
    assert table.frame["day"].dtype == "datetime64[us]"
    assert table.frame["day"].tolist() == [pd.Timestamp(day) if day else pd.NaT for day in expected]


@pytest.mark.parametrize(
    ("texts", "count"),
    [
        (["2020-01-01 20:00-05:00", "2020-01-01 20:00+0200", "2020-01-01 20:00"], 2),
        (["2020-01-01T20:00:00.5-05:00"] * 1200, 1200),
        (["31.12.2020 23:30:00 -01:00", "1.1.2020 10:20"], 1),
        (["5 Mar 2004 10:20 AM +01:00", "5 Mar 2004 10:20"], 1),
        (["2020-01-01 20:00+00:00", "2020-01-01 20:00Z", "2020-01-01 20:00 UTC", "2020-01-01 20:00 -0000"], 0),
        (["01-02-2003 10:20", "31-12-2003 10:20:30"], 0),
        (["2020-01-01", "2020-01-02"], 0),
        (["2020-01-01 20:00-05:00", *["soon", "later"] * 3], 0),
    ],
)
def test_times_that_are_moved_to_utc_are_said(texts, count):
    table = read_table(("when;b\n" + "".join(f"{text};x\n" for text in texts)).encode())
    found = [issue for issue in table.issues if issue.code == "moved_to_utc"]
    assert len(found) == bool(count)
    for issue in found:
        assert (issue.column, issue.severity) == ("when", "info")
        assert (
            f"{count:,} time{'s have' if count > 1 else ' has'} a zone, first in row 1: '{texts[0]}'" in issue.message
        )


@pytest.mark.parametrize(
    ("texts", "code"),
    [(["1/2/2004", "3/4/2004"], "ambiguous_dates"), (["30/4/2004", "4/30/2004", "1/2/2004"], "mixed_dates")],
)
def test_order_of_day_and_month_is_reported(texts, code):
    table = read_table(("day;b\n" + "".join(f"{text};x\n" for text in texts)).encode())
    assert codes(table) == {code}
    assert (table.frame["day"].dtype == "datetime64[us]") == (code == "ambiguous_dates")


@pytest.mark.parametrize("word", ["unknown", "Missing", "NONE", "-", "n.a."])
@pytest.mark.parametrize("cell", ["{}.5", "{},5", "2020-03-{:02d}"])
def test_a_column_is_never_said_to_be_text_and_numbers_at_once(word, cell):
    cells = [cell.format(day) for day in range(1, 21)]
    table = read_table("\n".join(["dose;b", *(f"{text};x" for text in (*cells[:3], word, *cells[3:]))]).encode())
    assert table.frame["dose"].dtype.kind in "fM"
    assert f"1 value is read as missing: '{word}' (1)." in message(table, "missing_markers")
    assert not {"stray_text", "number_as_text"} & {*codes(table), *(issue.code for issue in guess_roles(table).issues)}


def test_one_value_that_is_no_number_is_one():
    table = read_table(("dose;b\n" + "1.5;x\n" * 9 + "tall;x\n").encode())
    assert message(table, "stray_text") == (
        "Column 'dose': 1 of 10 values is not a number (row 10: 'tall'), so it is read as words."
        " If it means missing, count it as missing."
    )


def test_a_day_that_does_not_exist_stays_text():
    table = read_table(b"day;b\n" + b"31.01.2020;x\n" * 9 + b"31.02.2020;x\n")
    assert "row 10: '31.02.2020'" in message(table, "stray_text")


def test_overrides_win():
    content = b"1;2,5\n3;4,5\n"
    assert read_table(content, header=True).frame.columns.tolist() == ["1", "2,5"]
    assert read_table(content, header=False).issues == ()
    assert read_table(content, decimal=".", header=False).frame["column 2"].tolist() == ["2,5", "4,5"]
    assert read_table(b"a:b\n1:x\n", delimiter=":").frame["b"].tolist() == ["x"]
    assert read_table("a,b\n1,\u0142\n".encode("cp1250"), encoding="cp1250").frame["b"].tolist() == ["\u0142"]


@pytest.mark.parametrize(
    ("encoding", "reported"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8-sig"),
        ("utf-16", "utf-16"),
        ("utf-16-le", "utf-16-le"),
        ("utf-16-be", "utf-16-be"),
        ("utf-32", "utf-32"),
        ("latin-1", "cp1252"),
        ("cp1252", "cp1252"),
    ],
)
def test_encodings(encoding, reported):
    text = "Größe;Ort\n1,5;Köln\n2,5;Besançon\n3,5;Århus\n"
    table = read_table(text.encode(encoding))
    assert table.dialect.encoding == reported
    assert columns_of(table) == {"Größe": [1.5, 2.5, 3.5], "Ort": ["Köln", "Besançon", "Århus"]}
    assert ("encoding" in codes(table)) == (reported == "cp1252")


def test_an_accent_far_behind_the_sample_is_found():
    content = b"a,b\n" + b"1,x\n" * 400_000 + "2,é\n".encode("cp1252")
    assert read_table(content).frame["b"].iloc[-1] == "é"


def test_excel():
    rows = [
        ["Export of May"],
        ["a", "when", "yes", "zip", "note", None],
        [1, dt.datetime(2020, 1, 2), True, "007", "x", None],
        [2.5, dt.datetime(2020, 1, 3, 4, 5), False, "123", "#N/A", None],
        [None, None, None, None, None, None],
        [None, None, None, "044", "none", None],
    ]
    table = read_table(workbook(rows, others=[("second", [["p"], [1]])]))
    assert table.dialect.sheet == "data"
    assert columns_of(table) == {
        "a": [1, 2.5, None],
        "when": [pd.Timestamp("2020-01-02"), pd.Timestamp("2020-01-03 04:05"), None],
        "yes": [True, False, None],
        "zip": ["007", "123", "044"],
        "note": ["x", None, "none"],
    }
    assert codes(table) == {"preamble", "sheet", "leading_zeros", "missing_markers", "kept_marker"}
    assert "'second'" in message(table, "sheet")
    assert read_table(workbook(rows, others=[("second", [["p"], [1]])]), sheet="second").frame["p"].tolist() == [1]


def test_excel_first_sheet_with_cells_and_duplicate_names():
    table = read_table(workbook([], title="empty", others=[("full", [["p", "p"], [1, "x"], [2, "y"]])]))
    assert columns_of(table) == {"p": [1, 2], "p (2)": ["x", "y"]}


def test_excel_formulas_give_stored_values_only():
    table = read_table(workbook([["a", "b"], [1, "=1+1"], [2, "=HYPERLINK(A1)"]]))
    assert table.frame["b"].isna().all()


def test_parquet():
    content = parquet(
        n=pa.array([1, None, 3]),
        x=pa.array([0.5, float("inf"), None]),
        big=pa.array([2**60, None, 1]),
        day=pa.array([dt.date(2020, 1, 2), None, dt.date(2021, 1, 2)]),
        flag=pa.array([True, None, False]),
        kind=pa.array(["01", " ", "b"]).dictionary_encode(),
        raw=pa.array([b"p", b"q", None]),
        nested=pa.array([[1, 2], None, []]),
    )
    table = read_table(content)
    assert columns_of(table) == {
        "n": [1, None, 3],
        "x": [0.5, None, None],
        "big": [str(2**60), None, "1"],
        "day": [pd.Timestamp("2020-01-02"), None, pd.Timestamp("2021-01-02")],
        "flag": [True, None, False],
        "kind": ["01", None, "b"],
        "raw": ["p", "q", None],
        "nested": ["[1, 2]", None, "[]"],
    }
    assert codes(table) == {"infinite", "nested"}
    assert table.dialect.kind == "parquet"


def test_parquet_with_duplicate_names():
    stream = io.BytesIO()
    pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]), stream)
    assert columns_of(read_table(stream.getvalue())) == {"a": [1], "a (2)": [2]}


def test_image_grid_counts_its_columns():
    with pytest.raises(ValueError, match="2 x 2"):
        ImageGrid(2, 2, ("a", "b"))


words = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=8).map(
    lambda text: "w" + text
)


@st.composite
def written_tables(draw):
    rows = draw(st.integers(3, 12))
    frame = pd.DataFrame(
        {
            "number": draw(st.lists(st.integers(-(10**6), 10**6).map(lambda i: i / 8), min_size=rows, max_size=rows)),
            "kind": draw(st.lists(words, min_size=rows, max_size=rows)),
            "count": draw(st.lists(st.integers(0, 10**9), min_size=rows, max_size=rows)),
        }
    )
    delimiter = draw(st.sampled_from([",", ";", "\t", "|"]))
    decimal = draw(st.sampled_from([".", ","]))
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
    line_end = draw(st.sampled_from(["\n", "\r\n"]))
    text = frame.to_csv(sep=delimiter, decimal=decimal, index=False, lineterminator=line_end)
    return frame, text.encode(encoding), delimiter, decimal


@settings(max_examples=40)
@given(written_tables())
def test_what_was_written_is_read(case):
    frame, content, delimiter, decimal = case
    table = read_table(content, delimiter=delimiter, decimal=decimal)
    assert table.frame["number"].tolist() == frame["number"].tolist()
    assert table.frame["kind"].tolist() == frame["kind"].tolist()
    assert table.frame["count"].tolist() == frame["count"].tolist()


@settings(max_examples=60)
@given(st.binary(max_size=300) | st.text("ab1,;\t\"'\n\r .", max_size=120).map(str.encode))
def test_any_bytes_are_read_or_refused_plainly(content):
    try:
        table = read_table(content)
    except TableError as error:
        refusal = error
    else:
        refusal = None
    if refusal is not None:
        assert refusal.hint
        return
    assert table.frame.columns.is_unique
    assert all(table.frame.columns)
    joined = pd.concat(list(read_chunks(content, chunk_rows=2)))
    pd.testing.assert_frame_equal(joined, table.frame)


@pytest.mark.parametrize(
    ("cells", "code"),
    [
        (["001.234", "002.345", "017.250"], "padded_numbers"),
        (["2010.1.2", "2011.12.3", "2012.10.10"], "maybe_no_dates"),
        (["0.25", "-0.5", "10.75"], None),
        (["2010.01.02", "2011.12.03", "2012.10.10"], None),
        (["2010-1-2", "2011-12-3", "2012-10-10"], None),
    ],
)
def test_what_is_taken_for_numbers_or_dates_by_a_guess_is_listed(cells, code):
    table = read_table("\n".join(["a,b", *(f"{cell},x{i}" for i, cell in enumerate(cells))]).encode(), name="made.csv")
    found = codes(table) & {"padded_numbers", "maybe_no_dates"}
    assert found == ({code} if code else set())
    if code:
        assert f"row 1: '{cells[0]}'" in message(table, code)
