"""Workbooks: every kind of cell as a person sees it, whatever program wrote the file; what cannot be read, in words."""

from __future__ import annotations

import base64
import datetime as dt
import io
import zipfile
import zlib
from collections.abc import Callable
from typing import Any

import openpyxl
import pandas as pd
import pytest
from hostile import workbooks
from openpyxl.utils.datetime import CALENDAR_MAC_1904

from proset.common.errors import TableError
from proset.data.reading.xlsx_look import SheetLook
from proset.data.table import Limits, read_table

# n, when, w, flag: three rows, as Excel 97 writes them
OLD_EXCEL = zlib.decompress(
    base64.b64decode(
        "eNrtWEtoE1EUPW8maT7mW1OhFUooGLW2C3Hjpo0K2pWlulFU0NTED21TCdVSN1ZrloLgSnFTqAtBqm78oILuXAgVXQiCkrTgxpWg4KLNeO/NTE"
        "xjhQa0WHlneHfuu+/d8+7M+868nokWJu+3FFGDbpgoWT40VNkUJZ+TiYDKLYtV5+6lZGmsKvi81JENbjwJvvJwH3J/F2HgnusFSWCW0hGcQe9w"
        "NhNfQeySGFKKY+giqXCTLCE0S1SNIo+LXCvyrtR8KnKHWK6I7KK6BXUIM8ne9u32KD5otElZCMz7UHzei2UrmvCSR/GFq6pc142dudOpwVVW0O"
        "oKYArUoT2ZbCbH+TBuwQ+METqHhjrT6QJi1NlT+GbFga/OrH4e1/aVtSuQ/ftiu+c3di91Yq39muECxmEdk0mSRwBBF5e4kE6NpOaR4GEg05qG"
        "SJaKRk9lsqSOknpiMHWS1LOUzvl5cZfFILJoMQjKJAmQTCMselSmSoSimb/95c3e/r7kUbGMywZQ3iY2cFSwcJE9yDmEckyObBePLSIvCet60V"
        "tExmgc0z3R12QreyakzmUpTVA72wRvkxur9E2k5z/ve9San0tuJn26p3g+Nv0uOYk22rbS5M/XBDpUh7pxnfE46dyVvaR8ENn8y/LiNSJ27Ja9"
        "F4axwBOKEBVZzvHbUZWcYb+rcs6knGlzqRquZ9S+Eq7DBi9vH+/w87KfEhZ+Z27DSzlT2mMOYwkOQzhCskTOVjgM4XDbHIZwKOEwl+AwhWONhz"
        "k+VTjMytMwh2nH0W004gEbadH9CT80NDQ0NDQ0NDT+USg5psI+CEIOiXzs99j/dRYolfRvkv8W+zFM1wh9VO5Glu45jNU1ftbBrRwutUwf538h"
        "4wC1nsMA+iWOgbrHL33yqOrnWbZj5M9NoXrbL9UT519u/wduwtuh"
    )
)

_SHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "urn:oasis:names:tc:opendocument:xmlns"


def open_document(
    rows: list[list[str]], *, mimetype: str = "application/vnd.oasis.opendocument.spreadsheet", packed: bool = False
) -> bytes:
    """A spreadsheet of LibreOffice from cells of XML."""
    body = "".join(f"<table:table-row>{''.join(row)}</table:table-row>" for row in rows)
    content = (
        f'<office:document-content xmlns:office="{_OFFICE}:office:1.0" xmlns:table="{_OFFICE}:table:1.0" '
        f'xmlns:text="{_OFFICE}:text:1.0"><office:body><office:spreadsheet><table:table table:name="data">{body}'
        "</table:table></office:spreadsheet></office:body></office:document-content>"
    )
    manifest = (
        f'<manifest:manifest xmlns:manifest="{_OFFICE}:manifest:1.0"><manifest:file-entry manifest:full-path="/" '
        f'manifest:media-type="{mimetype}"/></manifest:manifest>'
    )
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED if packed else zipfile.ZIP_STORED) as archive:
        for name, text in {"mimetype": mimetype, "META-INF/manifest.xml": manifest, "content.xml": content}.items():
            archive.writestr(name, text)
    return stream.getvalue()


def ods_cell(value: object, kind: str = "string", attribute: str = "value", times: int = 1) -> str:
    """A cell of LibreOffice."""
    held = "" if kind == "string" else f' office:{attribute}="{value}"'
    repeat = f' table:number-columns-repeated="{times}"' if times > 1 else ""
    return f'<table:table-cell office:value-type="{kind}"{held}{repeat}><text:p>{value}</text:p></table:table-cell>'


def written(fill: Callable[[Any], None], *, epoch: Any = None) -> bytes:
    """A workbook of one sheet, as openpyxl writes it."""
    book = openpyxl.Workbook()
    if epoch is not None:
        book.epoch = epoch
    fill(book)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def column(*values: Any, form: str | None = None, epoch: Any = None) -> bytes:
    """A workbook whose column "x" holds some values beside a column of words."""

    def fill(book: Any) -> None:
        book.active.append(["x", "word"])
        for at, value in enumerate(values):
            book.active.append([value, "uvw"[at % 3]])
            if form is not None:
                book.active.cell(book.active.max_row, 1).number_format = form

    return written(fill, epoch=epoch)


DAY = dt.datetime(2024, 2, 29)
CELLS: dict[str, tuple[bytes, list[Any]]] = {
    "whole numbers": (column(1, 2, -30), [1, 2, -30]),
    "decimals": (column(0.1, 1e-300, -2.5), [0.1, 1e-300, -2.5]),
    "percent": (column(0.25, 1, 0.005, form="0.0%"), [0.25, 1, 0.005]),
    "money": (column(1.5, -2, 1000, form='#,##0.00 "EUR";[Red]-#,##0.00'), [1.5, -2, 1000]),
    "days in words are no date": (column(1.5, 2, form='0.0 "days"'), [1.5, 2]),
    "numbers written as text": (column("1", "2.5", "-3"), [1, 2.5, -3]),
    "codes": (column("007", "010"), ["007", "010"]),
    "truth": (column(True, False, None), [True, False, None]),
    "dates": (column(DAY, DAY + dt.timedelta(days=1)), [pd.Timestamp(DAY), pd.Timestamp(2024, 3, 1)]),
    "dates since 1904": (column(DAY, DAY, epoch=CALENDAR_MAC_1904), [pd.Timestamp(DAY)] * 2),
    "dates and times": (
        column(DAY + dt.timedelta(hours=4, minutes=5, seconds=6), DAY),
        [pd.Timestamp(2024, 2, 29, 4, 5, 6), pd.Timestamp(DAY)],
    ),
    "first days of 1900": (
        column(1, 59, 61, form="yyyy-mm-dd"),
        [*map(pd.Timestamp, ("1900-01-01", "1900-02-28", "1900-03-01"))],
    ),
    "German dates": (column(DAY, DAY, form="dd.mm.yyyy;@"), [pd.Timestamp(DAY)] * 2),
    "times of day": (column(dt.time(4, 5), dt.time(16, 30, 1)), ["04:05:00", "16:30:01"]),
    "lengths of time": (column(dt.timedelta(hours=30), dt.timedelta(seconds=1.5)), [108_000.0, 1.5]),
    "lengths in minutes": (column(0.5, 1, form="[mm]:ss"), [43_200, 86_400]),
    "blanks around words": (column(" a ", "a", "b"), ["a", "a", "b"]),
    "lines in a cell": (column("a\nb", "c"), ["a\nb", "c"]),
    "gaps": (column(1, None, 3), [1, None, 3]),
    "beyond 64 bits": (column(1e20, 2, 3), [1e20, 2, 3]),
}  # fmt: skip


@pytest.mark.parametrize("case", CELLS)
def test_cells_are_read_as_a_person_sees_them(case: str) -> None:
    data, expected = CELLS[case]
    found = read_table(data, name=case).frame["x"]
    assert [None if pd.isna(value) else value for value in found] == expected


ERRORS = ("#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!")


def test_errors_are_missing_and_said_with_their_column() -> None:
    def fill(book: Any) -> None:
        book.active["B2"], book.active["C2"] = "x", "w"
        for at, error in enumerate((*ERRORS, *range(7))):
            book.active.cell(at + 3, 2, error)
            book.active.cell(at + 3, 3, "uv"[at % 2])
        book.active.cell(30, 2, "#REF!")

    table = read_table(written(fill))
    assert table.frame["x"].isna().sum() == len(ERRORS) + 1
    assert len(table.frame) == 15  # a row of nothing but an error is a row
    (said,) = (issue for issue in table.issues if issue.code == "missing_markers")
    assert said.column == "x"
    assert all(f"'{error}' ({2 if error == '#REF!' else 1})" in said.message for error in ERRORS)


def test_errors_of_formulas_stay_where_they_are() -> None:
    error = '<c r="{}" s="0" t="e"><f>1/0</f><v>#DIV/0!</v></c>'
    empty = '<c r="{}" s="0" t="e"/>'
    rows = [
        [workbooks.text("x", "A1"), workbooks.text("w", "B1"), workbooks.text("z", "C1")],
        [error.format("A2"), workbooks.text("u", "B2"), workbooks.number(1, "C2")],
        [workbooks.number(2, "A3"), error.format("B3"), workbooks.number(1, "C3")],
        [empty.format("A4"), workbooks.text("v", "B4"), error.format("C4")],
    ]
    table = read_table(workbooks.workbook(rows))
    assert table.frame.isna().to_numpy().tolist() == [[True, False, False], [False, True, False], [True, False, True]]
    assert sum(issue.code == "missing_markers" for issue in table.issues) == 3


def test_formulas_that_were_never_calculated_are_said() -> None:
    def fill(book: Any) -> None:
        for at in range(6):
            book.active.append(["x", "twice", "w"] if at == 0 else [at, f"=2*A{at + 1}", "uv"[at % 2]])

    table = read_table(written(fill))
    assert table.frame["twice"].isna().all()
    (issue,) = table.issues
    assert (issue.code, issue.severity) == ("formulas_without_values", "warning")
    assert issue.message.startswith("5 cells hold formulas that were never calculated and are read as missing")
    assert "the first is B2" in issue.message
    assert issue.message.endswith("Open the file in Excel and save it again.")


FORMULAS = {
    "nothing": ('<c r="B2"><f>2*A2</f></c>', 1),
    "an empty value": ('<c r="B2" s="0"><f>2*A2</f><v/></c>', 1),
    "a blank value": ('<c s="0" r="B2"><f>2*A2</f> <v> </v> </c>', 1),
    "a shared formula": ('<c r="B2"><f t="shared" si="0"/></c>', 1),
    "a prefix": (
        '<x:c r="B2" xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><x:f>1</x:f></x:c>',
        1,
    ),
    "no place": ("<c><f>2*A2</f><v></v></c>", 1),
    "a value": ('<c r="B2"><f>2*A2</f><v>4</v></c>', 0),
    "an empty text": ('<c r="B2" t="str"><f>IF(A2,"",1)</f><v></v></c>', 0),
    "an error": ('<c r="B2" t="e"><f>1/0</f><v>#DIV/0!</v></c>', 0),
    "no formula": ('<c r="B2"/>', 0),
}


@pytest.mark.parametrize("case", FORMULAS)
def test_only_formulas_without_a_value_count(case: str) -> None:
    cell, expected = FORMULAS[case]
    rows = [
        [workbooks.text("x", "A1"), workbooks.text("z", "B1")],
        [workbooks.number(1, "A2"), cell],
        [workbooks.number(2, "A3"), workbooks.number(3, "B3")],
        [workbooks.number(3, "A4"), workbooks.number(4, "B4")],
    ]
    found = [
        issue.message for issue in read_table(workbooks.workbook(rows)).issues if issue.code.startswith("formulas")
    ]
    assert len(found) == expected
    assert all(message.startswith("1 cell holds a formula that was never") for message in found)


@pytest.mark.parametrize("piece", [b"<c ", b"<c r='A1'><f>", b"<c><f ", b"<c><f></f><v>", b"<c><f/> "])
def test_looking_for_formulas_takes_time_in_proportion(piece: bytes) -> None:
    look = SheetLook()
    look.add(piece * (1_000_000 // len(piece)))  # would take minutes if each piece were looked through to the end
    assert look.n_formulas == 0


@pytest.mark.parametrize("form", [1, "1", 2**53, -(2**53)])
def test_whole_numbers_that_a_float_holds_are_exact(form: Any) -> None:
    table = read_table(column(form, form))
    assert table.frame["x"].tolist() == [int(form)] * 2
    assert not any(issue.code == "rounded_numbers" for issue in table.issues)


def test_whole_numbers_beyond_that_are_said_to_be_rounded() -> None:
    table = read_table(column(2**60 + 1, 2**60, 5))
    assert "2 cell(s)" in next(issue.message for issue in table.issues if issue.code == "rounded_numbers")


def test_merged_cells_hold_their_value_once() -> None:
    def fill(book: Any) -> None:
        for row in (["x", "w"], [1, "u"], [2, None], [3, "v"]):
            book.active.append(row)
        book.active.merge_cells("B2:B3")

    assert read_table(written(fill)).frame["w"].tolist()[::2] == ["u", "v"]
    assert read_table(written(fill)).frame["w"].isna().tolist() == [False, True, False]


def test_hidden_rows_columns_and_sheets_are_read() -> None:
    def fill(book: Any) -> None:
        book.active.sheet_state = "hidden"
        for row in (["x", "w"], [1, "u"], [2, "v"]):
            book.active.append(row)
        book.active.row_dimensions[2].hidden = True
        book.active.column_dimensions["B"].hidden = True
        book.create_sheet("seen").append(["q"])
        book.create_chartsheet("chart")

    table = read_table(written(fill))
    assert table.dialect.sheet == "Sheet"
    assert table.frame.shape == (2, 2)
    assert "'seen'." in next(issue.message for issue in table.issues if issue.code == "sheet")  # a chart is no sheet


def test_a_table_may_stand_anywhere() -> None:
    def fill(book: Any) -> None:
        for row, values in {5: ("Export of May",), 7: ("x", "w"), 8: (1, "u"), 9: (2, "v"), 12: (3, "u")}.items():
            for at, value in enumerate(values):
                book.active.cell(row, 4 + at, value)
        book.active.cell(40, 30).number_format = "0.00"  # a format is no value

    table = read_table(written(fill))
    assert table.frame.to_dict("list") == {"x": [1, 2, 3], "w": ["u", "v", "u"]}
    assert table.frame.index.tolist() == [1, 2, 3]
    assert [issue.code for issue in table.issues] == ["preamble"]


def test_a_sum_and_a_source_below_are_no_cases() -> None:
    def fill(book: Any) -> None:
        for row in [("shop", "sales", "again"), *((f"s{i}", i, "yes") for i in range(9)), ("Total", 36, None)]:
            book.active.append(row)
        book.active.append([])
        book.active.append(["Source: chamber of trade"])

    table = read_table(written(fill))
    assert table.frame["sales"].tolist() == list(range(9))
    assert [issue.code for issue in table.issues] == ["footer"]
    assert len(read_table(written(fill), footer=0).frame) > 9


@pytest.mark.parametrize("title", [True, False])
@pytest.mark.parametrize(
    "lower", [(None, "length", "width", "length", None), ("id", "length", "width", "length", "kind")]
)
def test_names_in_two_lines_are_joined(title: bool, lower: tuple[str | None, ...]) -> None:
    def fill(book: Any) -> None:
        sheet = book.active
        if title:
            sheet.append(["Trial 7", None, None, None, None])
        sheet.append(["Plant", "Leaf", None, "Root", "Variety"])
        sheet.append(lower)
        for at in range(9):
            sheet.append([f"plant {at}", at + 0.5, at + 1.5, at + 2.5, "ab"[at % 2]])

    data = written(fill)
    table = read_table(data, name="m.xlsx")
    ends = ("Plant", "Variety") if lower[0] is None else ("Plant id", "Variety kind")
    names = [ends[0], "Leaf length", "Leaf width", "Root length", ends[1]]
    assert table.frame.columns.tolist() == names
    assert len(table.frame) == 9
    assert table.frame["Root length"].tolist() == [at + 2.5 for at in range(9)]
    said = {issue.code: issue.message for issue in table.issues}
    assert "as in 'Leaf length'" in said["two_lines"] or "as in 'Plant id'" in said["two_lines"]
    assert ("preamble" in said) == title
    assert "no_header" not in said
    assert read_table(data, name="m.xlsx", header=True).frame.equals(table.frame)


def test_a_long_title_adds_no_columns() -> None:
    def fill(book: Any) -> None:
        for row in (
            [None, None, None, None, None, "made in May"],
            [],
            ["x", "w"],
            *([i, "uv"[i % 2]] for i in range(9)),
        ):
            book.active.append(row)

    assert read_table(written(fill)).frame.columns.tolist() == ["x", "w"]


def test_no_header_is_found_and_can_be_said() -> None:
    def fill(book: Any) -> None:
        for row in ([1, "u"], [2, "v"], [3, "u"]):
            book.active.append(row)

    assert read_table(written(fill)).frame.columns.tolist() == ["column 1", "column 2"]
    assert read_table(written(fill), header=True).frame.columns.tolist() == ["1", "u"]


def test_workbooks_of_excel_97_are_read() -> None:
    table = read_table(OLD_EXCEL, name="old.xls")
    assert table.dialect.kind == "excel"
    assert table.frame["n"].tolist() == [1.5, 3, 4.5]
    assert table.frame["when"].tolist() == [pd.Timestamp(2020, 1, day) for day in (1, 2, 3)]
    assert table.frame["w"].tolist() == ["u", "v", "w"]
    assert table.frame["flag"].tolist() == [False, True, False]


def test_spreadsheets_of_libreoffice_are_read() -> None:
    head = [ods_cell("x"), ods_cell("when"), ods_cell("w"), ods_cell("yes")]
    rows = [
        [
            ods_cell(i + 0.5, "float"), ods_cell(f"2024-02-0{i}", "date", "date-value"), ods_cell("uv"[i % 2]),
            ods_cell("true", "boolean", "boolean-value"),
        ]
        for i in range(1, 5)
    ]  # fmt: skip
    table = read_table(open_document([head, *rows]), name="libre.ods")
    assert table.dialect.kind == "excel"
    assert table.frame["x"].tolist() == [1.5, 2.5, 3.5, 4.5]
    assert table.frame["when"].iloc[0] == pd.Timestamp(2024, 2, 1)
    assert table.frame["yes"].all()


REFUSED: dict[str, tuple[bytes, dict[str, Any], tuple[str, ...]]] = {
    "half of an old workbook": (OLD_EXCEL[:1500], {}, ("old Excel file (.xls)", "password")),
    "an old document": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(2_000), {}, ("no workbook", "another document")),
    "a text of LibreOffice": (
        open_document([], mimetype="application/vnd.oasis.opendocument.text"), {}, ("zip archive",)
    ),
    "an empty sheet of LibreOffice": (open_document([]), {}, ("'data'", "is empty")),
    "a wide row of LibreOffice": (open_document([[ods_cell(1, "float", times=16_000)]]), {}, ("16,000 columns",)),
    "a large sheet of LibreOffice": (
        open_document([[ods_cell("x" * 9_000)]], packed=True), {"limits": Limits(max_bytes=3_000)}, ("content.xml",)
    ),
    "more rows than allowed": (column(*range(80)), {"limits": Limits(max_rows=10)}, ("more than 10 rows",)),
    "more columns than allowed": (column(1), {"limits": Limits(max_columns=1)}, ("2 columns", "limit is 1")),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_is_said_in_words(case: str) -> None:
    data, options, says = REFUSED[case]
    with pytest.raises(TableError) as caught:
        read_table(data, name="bad", **options)
    assert all(part in str(caught.value) for part in says), str(caught.value)
    assert caught.value.hint


def test_only_the_sheet_that_is_read_counts_for_the_limit() -> None:
    rest: dict[str, Any] = {"xl/worksheets/sheet2.xml": "<worksheet>" + " " * 900_000 + "</worksheet>"}
    limits = Limits(max_bytes=100_000)
    assert read_table(workbooks.workbook(workbooks.sound_rows(), extra=rest), limits=limits).frame.shape == (40, 3)
    with pytest.raises(TableError, match=r"sheet1\.xml"):
        read_table(workbooks.workbook(sheet_xml=rest["xl/worksheets/sheet2.xml"]), limits=limits)


def test_lengths_of_time_are_said_to_be_seconds() -> None:
    book = openpyxl.Workbook()
    for row in [["lasted", "who"], [dt.timedelta(hours=1, minutes=30), "a"], [dt.timedelta(hours=26), "b"]]:
        book.active.append(row)
    stream = io.BytesIO()
    book.save(stream)
    table = read_table(stream.getvalue(), name="stays.xlsx")
    assert table.frame["lasted"].tolist() == [5400, 93600]
    (issue,) = [issue for issue in table.issues if issue.code == "durations"]
    assert issue.message == "2 cells hold lengths of time and are read as seconds: 1:30 hours are 5400."
