"""Tables made to cost much or to break something: read soundly, or refused in words, within memory and time."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pytest
from effort import counted
from hostile import parquet_files, tables, workbooks
from variants import main_cases

from proset.common.errors import ProsetError, TableError
from proset.data.design import Design
from proset.data.issues import Role
from proset.data.role_check import check_roles
from proset.data.role_guess import guess_roles, review_roles
from proset.data.table import Limits, Table, read_table

LONGEST_MESSAGE = 600
MOST_CALLS = 3_000_000
"""Twice what reading a sound table of 2,000 columns takes."""


@dataclass(frozen=True)
class Bomb:
    """A file that costs much: its maker, limits that are low enough for a small one, and what is said of it."""

    make: Callable[[], bytes]
    says: tuple[str, ...]
    limits: Limits = field(default_factory=Limits)
    patched: tuple[tuple[str, int], ...] = ()


REFUSED = {
    "commas on one line": Bomb(lambda: tables.commas(20_000_000), ("first line", "longer")),
    "tabs on one line": Bomb(lambda: tables.commas(5_000_000, mark=b"\t"), ("first line", "longer")),
    "commas on one line of legal length": Bomb(lambda: tables.commas(200_000), ("200,001 columns", "limit is 2,000")),
    "commas on many lines": Bomb(lambda: tables.commas(2_000_000, per_line=1_900), ("neither names nor values",)),
    "commas on many short lines": Bomb(lambda: tables.commas(8_000_000, per_line=3), ("more than 1,000,000 rows",)),
    "rows that are too long": Bomb(lambda: tables.ragged(300_000, lengths=(5,)), ("more than 4 fields", "delimiter")),
    "rows of any length": Bomb(lambda: tables.ragged(300_000), ("other than 4 fields", "delimiter")),
    "more cells than allowed": Bomb(
        lambda: tables.wide_text(50, 60), ("1,000 cells", "Keep fewer"), Limits(max_cells=1_000)
    ),
    "a quote that is never closed": Bomb(lambda: tables.open_quote(9_000_000), ("quoted value", "does not end")),
    "a line of prose": Bomb(lambda: tables.long_field(where="first"), ("No delimiter", "xxx…")),
    "gzip": Bomb(lambda: tables.gzip_bomb(3_000_000), ("once unpacked",), Limits(max_bytes=1_000_000)),
    "bytes of shared strings": Bomb(
        lambda: workbooks.many_strings(300_000), ("unpacks to", "sharedStrings"), Limits(max_bytes=200_000)
    ),
    "number formats": Bomb(
        lambda: workbooks.many_number_formats(300_000), ("unpacks to", "styles"), Limits(max_bytes=200_000)
    ),
    "empty cells": Bomb(lambda: workbooks.many_cells(20_000_000), ("Sheet 'data'", "is empty")),
    "empty rows": Bomb(lambda: workbooks.many_rows(20_000_000), ("Sheet 'data'", "is empty")),
    "too many cells": Bomb(
        lambda: workbooks.many_rows(90_000, unit=f"<row>{workbooks.number(1)}</row>"),
        ("more than 1,000 cells",),
        patched=(("proset.data.reading.xlsx_look._MOST_CELLS", 1_000),),
    ),
    "a text of megabytes": Bomb(lambda: workbooks.long_string(3_000_000), ("text of more than 1,000,000",)),
    "one text in every cell": Bomb(
        lambda: workbooks.repeated_string(30_000, 200), ("of text", "CSV"), Limits(max_bytes=1_000_000)
    ),
    "elements in elements": Bomb(workbooks.deep_xml, ("damaged Excel file", "save it again")),
    "entities that multiply": Bomb(workbooks.entity_bomb, ("damaged Excel file", "save it again")),
    "sizes that are wrong": Bomb(lambda: workbooks.understated(300_000), ("damaged Excel file", "save it again")),
    "a zip of names": Bomb(lambda: workbooks.many_members(20_000), ("zip archive", "very many members")),
    "a value in column XFD": Bomb(
        lambda: workbooks.workbook([*workbooks.sound_rows(), [workbooks.number(1, "XFD42")]]), ("16,384 columns",)
    ),
    "a cell nowhere": Bomb(
        lambda: workbooks.workbook([*workbooks.sound_rows(), [workbooks.number(1, "ABCD42")]]), ("19,010 columns",)
    ),
    "a string that is not there": Bomb(
        lambda: workbooks.workbook([*workbooks.sound_rows(), ['<c r="A9" t="s"><v>7</v></c>']]),
        ("string index", "damaged"),
    ),
    "no sheet": Bomb(lambda: workbooks.workbook([], leave_out=("xl/worksheets/sheet1.xml",)), ("damaged", "data")),
    "a row that no program has": Bomb(workbooks.far_row, ("down to row 1,000,000,000", "far below")),
    "a value far below a wide table": Bomb(
        lambda: workbooks.workbook(
            [[workbooks.number(i) for i in range(30)], [workbooks.number(1, "AD1"), workbooks.number(1, "AD1048576")]]
        ),
        ("30 column(s)", "row 1,048,576"),
    ),
    "an impossible place": Bomb(
        lambda: workbooks.workbook([*workbooks.sound_rows(), [workbooks.number(1, "12")]]), ("damaged", "save it again")
    ),
    "a truth value that is none": Bomb(
        lambda: workbooks.workbook([*workbooks.sound_rows(), ['<c t="b"><v>7</v></c>']]), ("damaged", "boolean")
    ),
    "XML that ends early": Bomb(lambda: workbooks.workbook(sheet_xml="<worksheet><sheetData><row>"), ("damaged",)),
    "zeros without end": Bomb(
        lambda: parquet_files.zeros(100_000, 20), ("1,000,000 cells",), Limits(max_cells=1_000_000)
    ),
    "one long word in every row": Bomb(
        lambda: parquet_files.one_word(10_000, 1_000), ("once unpacked",), Limits(max_bytes=2_000_000)
    ),
    "a dictionary of one word": Bomb(
        lambda: parquet_files.large_dictionary(1, 3_000_000), ("Column 'a'", "unpacks to"), Limits(max_bytes=2_000_000)
    ),
    "lists of many entries": Bomb(
        lambda: parquet_files.nested(100, 1_000), ("100,100 values",), Limits(max_cells=50_000)
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED.keys())
def test_refused_early_and_in_words(case: Bomb, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in case.patched:
        monkeypatch.setattr(name, value)
    data = case.make()
    with counted() as effort, pytest.raises(TableError) as caught:
        read_table(data, name="bad", limits=case.limits)
    assert effort.calls < MOST_CALLS
    for part in case.says:
        assert part in str(caught.value)
    assert caught.value.hint
    assert len(str(caught.value)) < LONGEST_MESSAGE


HARMLESS = {
    "the last row of all": (lambda: workbooks.far_row(1_048_576), (41, 3)),
    "a number that is none": (
        lambda: workbooks.workbook([[workbooks.text("a")], [workbooks.number("x" * 9_000)], [workbooks.number(1)]]),
        (2, 1),
    ),
    "empty cells at XFD": (lambda: workbooks.far_cells(400), (400, 3)),
    "a member that nobody asked for": (lambda: workbooks.other_member(30_000_000), (40, 3)),
    "strings that no cell uses": (lambda: workbooks.many_strings(200_000), (40, 3)),
    "formats that no cell uses": (lambda: workbooks.many_styles(2_000_000), (40, 3)),
    "more strings than cells": (lambda: workbooks.many_strings(20_000_000, unit="<si/>"), (40, 3)),
    "rows that are too short": (lambda: tables.ragged(3_000, lengths=(1, 2, 3)), (3_500, 4)),
    "rows of any length": (lambda: tables.ragged(3_000), (2_300, 4)),
    "a name of 200 kB": (lambda: tables.long_field(where="name"), (40, 4)),
    "a cell of 200 kB": (lambda: tables.long_field(where="cell"), (40, 3)),
    "a class of 200 kB": (lambda: tables.long_field(where="target"), (40, 3)),
    "a title of 200 kB": (lambda: tables.long_field(where="title"), (40, 3)),
    "lists": (lambda: parquet_files.nested(100, 10), (100, 2)),
    "one word in every row": (lambda: parquet_files.one_word(10_000, 100), (10_000, 1)),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", HARMLESS)
def test_what_only_looks_dangerous_is_read(case: str) -> None:
    make, shape = HARMLESS[case]
    table = read_table(make(), name="odd")
    assert table.frame.shape == shape
    assert all(len(message) < LONGEST_MESSAGE for message in everything_said(table))


def everything_said(table: Table) -> list[str]:
    """Issues, reasons and the findings about roles."""
    guess = guess_roles(table, target="y" if "y" in table.frame.columns else None)
    issues = [*table.issues, *guess.issues, *review_roles(table, guess.roles)]
    return [*(issue.message for issue in issues), *guess.reasons.values()]


EDGES = {
    "largest": ["1e308", "-1e308", "1"],
    "ends of the range": ["1.7976931348623157e308", "-1.7976931348623157e308"],
    "sum beyond the range": ["1e308", "1.0000001e308"],
    "smallest": ["5e-324", "1e-320", "0"],
    "small": ["1e-308", "2e-308"],
    "largest and smallest": ["1e308", "5e-324"],
    "squares beyond the range": ["1e200", "2e200", "-3e200"],
    "infinite": ["inf", "-inf", "1"],
    "infinite in words": ["Infinity", "1", "2"],
    "beyond the range": ["1e309", "1", "2"],
    "not a number": ["nan", "NaN", "1"],
    "zeros with signs": ["-0.0", "0.0", "1"],
    "beyond a float": ["9007199254740993", "1"],
    "ends of 64 bits": ["9223372036854775807", "-9223372036854775808", "3"],
    "more than 64 bits": ["18446744073709551616", "1", "2"],
    "year 0": ["0000-01-01", "2020-01-01"],
    "first and last day": ["0001-01-01", "9999-12-31"],
    "year 10000": ["10000-01-01", "2020-01-01"],
    "zone into year 10000": ["9999-12-31T23:59:59-14:00", "2020-01-01T00:00:00Z"],
    "zone into year 0": ["0001-01-01T00:00:00+14:00", "2020-01-01T00:00:00Z"],
    "days before months": ["31.12.0001", "1.1.9999"],
    "no such day": ["29/2/2023", "1/1/2020"],
    "short years": ["29/2/24", "1/1/68", "1/1/69"],
    "long words": ["x" * 300, "y" * 20_000],
    "formulas": ["=1+1", "@x", " =2", "\t=3"],
    "invisible": ["\u202e", "\u200b", "a"],
    "marks of markdown": ["![x](http://evil.example/a.png)", "[y](http://evil.example)", "z"],
    "digits of another script": ["\u0660\u0661", "1"],
    "numbers of programs": ["0x1A", "1_000", "1e5f", "2"],
    "thousands": ["1'000", "2 000", "3"],
    "one letter": ["a", "b"],
    "answers": ["yes", "NO", "Yes"],
    "answers and more": ["yes", "no", "maybe"],
    "blanks": [" ", "\u00a0", "\u3000x"],
}
ROLES = (None, Role.NUMERIC, Role.CATEGORICAL, Role.DATE, Role.BOOLEAN)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("case", main_cases(EDGES, every=6))
def test_values_at_the_edge_become_a_finite_design_or_a_refusal(case: str, role: Role | None) -> None:
    use(read_table(tables.values_csv(EDGES[case]), name="edge"), role)


def use(table: Table, role: Role | None) -> None:
    """Do with the first column what a fit does; whatever is refused is refused in words."""
    first = table.frame.columns[0]
    guess = guess_roles(table, target="y")
    roles = guess.roles if role is None else guess.roles.with_role(first, role)
    assert all(len(message) < LONGEST_MESSAGE for message in everything_said(table))
    try:
        check_roles(table, roles)
        design = Design(roles).fit(table.frame.iloc[:40])
        encoded = design.transform(table.frame)
    except ProsetError as error:
        refusal = error
    else:
        refusal = None
    if refusal is not None:
        assert refusal.hint
        assert len(str(refusal)) < LONGEST_MESSAGE
        return
    assert np.isfinite(encoded.X).all()
    for j, column in enumerate(design.columns):
        assert np.isfinite([column.offset, column.scale]).all()
        design.to_original(j, encoded.X[:, j])
    state = json.loads(json.dumps(design.to_state(), allow_nan=False))
    assert Design.from_state(state).columns == design.columns


DAY = 86_400
MOMENTS = {
    "days": (pa.date32(), [-719_163, -719_162, 2_932_896, 2_932_897, 2**31 - 1, -(2**31)], 4),
    "days in milliseconds": (pa.date64(), [DAY * 1000 * 2_932_897, 0, DAY * 1000], 1),
    "milliseconds": (pa.timestamp("ms"), [2**62, -(2**62), 0, DAY * 1000 * 2_932_897 - 1], 2),
    "microseconds": (pa.timestamp("us"), [2**62, -(2**62), 0, 5], 2),
    "nanoseconds": (pa.timestamp("ns"), [2**63 - 1, -(2**63) + 1, 0, 5], 0),
    "with a zone": (pa.timestamp("ms", tz="Asia/Tokyo"), [2**62, 0, 1], 1),
    "missing": (pa.timestamp("us"), [None, 0, 1], 0),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", MOMENTS)
def test_dates_out_of_the_calendar_are_missing_and_said(case: str) -> None:
    kind, given, n_strange = MOMENTS[case]
    table = read_table(parquet_files.moments(kind, given), name="dates")
    said = [issue.message for issue in table.issues if issue.code == "strange_dates"]
    absent = sum(moment is None for moment in given)
    assert table.frame["when"].dtype == "datetime64[us]"
    assert table.frame["when"].isna().sum() == (n_strange + absent) * 60 / len(given)
    assert bool(said) == bool(n_strange)
    if n_strange:
        assert f"{n_strange * 60 // len(given)} date(s) outside the years 1 to 9999" in said[0]
    for role in ROLES:
        use(table, role)


@pytest.mark.parametrize("kind", [pa.duration("s"), pa.duration("ns"), pa.time64("us"), pa.time32("s")], ids=str)
def test_spans_and_times_are_read(kind: pa.DataType) -> None:
    table = read_table(parquet_files.moments(kind, [1, 5, 10]), name="spans")
    assert table.frame["when"].notna().all()
    if pa.types.is_duration(kind):
        assert table.frame["when"].nunique() == 3
        assert table.frame["when"].iloc[0] == (1.0 if kind.unit == "s" else 1e-9)


TYPES = {
    "half floats": (pa.float16(), np.array([1, 2, 3], dtype=np.float16)),
    "views of text": (pa.string_view(), ["a", "b", None]),
    "views of bytes": (pa.binary_view(), [b"a", b"b", None]),
    "long bytes": (pa.large_binary(), [b"a", b"b", None]),
    "bytes of one length": (pa.binary(2), [b"aa", b"bb", None]),
    "whole numbers of 64 bits": (pa.uint64(), [2**64 - 1, 1, None]),
    "nothing": (pa.null(), [None, None, None]),
    "truth values": (pa.bool_(), [True, None, False]),
    "lists of nothing": (pa.list_(pa.null()), [[None, None], [], None]),
    "maps": (pa.map_(pa.string(), pa.int8()), [[("a", 1)], None, []]),
    "largest numbers": (pa.float64(), [1e308, -1e308, float("nan")]),
    "a dictionary of numbers": (pa.dictionary(pa.int8(), pa.int64()), [5, 6, 5]),
    "a dictionary of texts": (pa.dictionary(pa.int8(), pa.large_string()), ["5", "6", None]),
}


@pytest.mark.parametrize("case", TYPES)
def test_every_type_of_parquet_is_read_or_refused(case: str) -> None:
    kind, values = TYPES[case]
    column = pa.concat_arrays([pa.array(values, kind)] * 20)
    others = {"b": pa.array([i * i % 11 for i in range(60)]), "y": pa.array(["u", "v"] * 30)}
    table = read_table(parquet_files.parquet({"a": column, **others}), name="types")
    for role in ROLES:
        use(table, role)


@pytest.mark.parametrize("value", [b"\xed\xa0\x80", b"\xff\xfe", b"ok\x80"])
def test_bytes_that_are_no_text_are_replaced_and_said(value: bytes) -> None:
    table = read_table(parquet_files.bad_text(value), name="bytes")
    assert table.frame["a"].str.contains("\ufffd").all()
    assert [issue.code for issue in table.issues] == ["replaced_characters"]


def test_a_column_name_that_is_no_text_is_refused() -> None:
    good = parquet_files.parquet({"aXYb": pa.array(range(60)), "y": pa.array(["u", "v"] * 30)})
    with pytest.raises(TableError, match="damaged Parquet"):
        read_table(good.replace(b"aXYb", b"a\xff\xfeb"))


def test_halves_of_characters_become_a_sign_and_an_issue() -> None:
    rows = [[workbooks.text(f"{'p_xD83D__xDE00_' if i % 2 else 'q_xDC00_'}"), workbooks.number(i)] for i in range(60)]
    table = read_table(workbooks.workbook([[workbooks.text("a_xD800_"), workbooks.text("b")], *rows]), name="half")
    assert table.frame.columns.tolist() == ["a_xD800_", "b"]  # as the file spells them: nothing is lost
    assert table.frame.iloc[:2, 0].tolist() == ["q_xDC00_", "p_xD83D__xDE00_"]
    text = ("a,b,y\n" + "+2AA-,2,u\n3,4,v\n" * 20).encode()  # UTF-7 spells halves, too
    table = read_table(text, encoding="utf-7")
    assert table.frame["a"].iloc[0] == "\ufffd"
    assert "20 place(s)" in next(i.message for i in table.issues if i.code == "replaced_characters")


NO_ENCODINGS = (
    *("punycode", "idna", "rot13", "base64", "zlib", "hex", "bz2", "uu", "quopri", "unicode_escape"),
    *("raw_unicode_escape", "undefined", "klingon", "", "\0", "../x", "aliases", "x" * 5_000, "utf-8 ", "\ud800"),
)


@pytest.mark.parametrize("encoding", NO_ENCODINGS)
def test_what_no_text_file_is_written_in_is_refused_with_a_list(encoding: str) -> None:
    data = b"a,b,y\n" + b"1,2,u\n3,4,v\n" * 20
    try:
        table = read_table(data, encoding=encoding)
    except TableError as error:
        refusal = error
    else:  # Python takes "utf-8 " for UTF-8
        assert table.dialect.encoding == "utf-8"
        return
    assert "no text encoding" in refusal.message
    assert "utf-8, utf-8-sig, utf-16" in str(refusal.hint)
    assert len(str(refusal)) < LONGEST_MESSAGE


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-16-le", "cp037", "ascii", "shift_jis", "gb18030", "hz"])
def test_an_encoding_that_does_not_fit_is_no_traceback(encoding: str) -> None:
    data = b"a,b,y\n" + "é,2,u\n3,4,v\n".encode("latin-1") * 20
    with pytest.raises(TableError) as caught:
        read_table(data, encoding=encoding)
    assert caught.value.hint


TITLES = ("[x]", "a[1]:*?/\\", "![x](http://evil.example/a)", "'quoted'", "x" * 5_000, "\u202eabc", " ", "a & <b>")


@pytest.mark.parametrize("title", TITLES)
def test_sheets_of_any_name_are_found(title: str) -> None:
    data = workbooks.workbook(workbooks.sound_rows(), title=title)
    table = read_table(data, sheet=title)
    assert table.dialect.sheet == title == read_table(data).dialect.sheet
    assert table.frame.shape == (40, 3)
    with pytest.raises(TableError, match="no sheet 'nope'") as caught:
        read_table(data, sheet="nope")
    assert len(str(caught.value)) < LONGEST_MESSAGE
    caught.value.args[0].encode()


def calls_for(kind: str, n_columns: int) -> int:
    """Calls for reading, guessing and reviewing a wide table."""
    data = tables.wide_text(n_columns, kind=kind)
    with counted() as effort:
        table = read_table(data)
        review_roles(table, guess_roles(table).roles)
    assert table.frame.shape == (60, n_columns)
    return effort.calls


def test_2000_columns_are_a_legal_size() -> None:
    assert read_table(tables.wide_text(2_000)).frame.shape == (60, 2_000)


@pytest.mark.exhaustive
def test_each_column_of_a_wide_table_costs_the_same() -> None:
    few, many = calls_for("mixed", 200), calls_for("mixed", 800)
    assert many < 4.2 * few
    assert many < 4_700 * 800  # 5,500 for a column before, when each was looked at twice


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", tables.WIDE)
def test_each_column_of_every_kind_costs_the_same(kind: str) -> None:
    assert calls_for(kind, 2_000) < 4.2 * calls_for(kind, 500)
