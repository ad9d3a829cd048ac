from datetime import datetime
from io import BytesIO

import numpy as np
import openpyxl
import pandas as pd
import pytest

from proset.common.errors import ProsetError
from proset.explain.sheets import workbook
from proset.explain.sheets.workbook import sheet_names, write_workbook


def read_back(sheets):
    buffer = BytesIO()
    write_workbook(sheets, buffer)
    return openpyxl.load_workbook(buffer)


@pytest.fixture
def report():
    return pd.DataFrame(
        {
            "sample name": ["case", "a", "b"],
            "impact": [np.nan, 0.75, 0.25],
            "dominant set": pd.array([None, 1, 0], dtype="Int64"),
            "p class yes": [0.8, 0.6, 0.2],
        }
    )


def test_values_come_back(report):
    sheet = read_back({"report": report})["report"]
    assert [cell.value for cell in sheet[1]] == list(report.columns)
    assert [cell.value for cell in sheet[2]] == ["case", None, None, 0.8]
    assert [cell.value for cell in sheet[3]] == ["a", 0.75, 1, 0.6]


def test_header_stays_in_view_and_dominant_rows_are_tinted(report):
    sheet = read_back({"report": report})["report"]
    assert sheet.freeze_panes == "A2"
    assert sheet.auto_filter.ref == "A1:D4"
    fills = [sheet.cell(row, 1).fill.fgColor.rgb for row in (2, 3, 4)]
    assert fills[1] == "FFFFF2CC"
    assert fills[0] == fills[2] != fills[1]


def test_number_formats(report):
    sheet = read_back({"report": report})["report"]
    assert sheet["B3"].number_format == "0.0000"
    assert sheet["C3"].number_format == "0"
    assert sheet["D3"].number_format == "0.0 %"


@pytest.mark.parametrize(
    "text", ["=1+1", "+1", "-1", "@SUM(A1)", '=HYPERLINK("http://x")', "http://example.org", "123"]
)
def test_text_stays_text(text):
    sheet = read_back({text: pd.DataFrame({text: [text]})}).worksheets[0]
    for cell in (sheet["A1"], sheet["A2"]):
        assert cell.value == text
        assert cell.data_type == "s"
        assert cell.hyperlink is None


def test_odd_values():
    frame = pd.DataFrame(
        {
            "mixed": pd.Series([None, pd.NA, True, 3, 2.5, "x", float("inf"), "a\x00b"], dtype=object),
            "day": pd.to_datetime(["2020-01-02", None] * 4),
            "time": pd.to_datetime(["2020-01-02 03:04"] * 8),
            "old": pd.Series([datetime(1800, 1, 1)] * 8, dtype=object),
            "large": [1e12 + 0.5] * 8,
        }
    )
    sheet = read_back({"s": frame})["s"]
    assert [cell.value for cell in sheet["A"]][1:] == [None, None, True, 3, 2.5, "x", "inf", "a b"]
    assert sheet["B2"].value == datetime(2020, 1, 2)
    assert sheet["B2"].number_format == "yyyy-mm-dd"
    assert sheet["B3"].value is None
    assert sheet["C2"].value == datetime(2020, 1, 2, 3, 4)
    assert sheet["C2"].number_format == "yyyy-mm-dd hh:mm"
    assert sheet["D2"].value.startswith("1800-01-01")
    assert sheet["E2"].value == 1e12 + 0.5


def test_empty_frame_and_long_text():
    book = read_back(
        {"empty": pd.DataFrame(), "header": pd.DataFrame({"a": []}), "long": pd.DataFrame({"a": ["x" * 40_000]})}
    )
    assert book["empty"].max_row == 1
    assert book["header"]["A1"].value == "a"
    assert len(book["long"]["A2"].value) == workbook.LONGEST_TEXT


def test_sheet_names_are_made_acceptable_and_different():
    wanted = ["a" * 40, "a" * 40, "A" * 40, "x[1]:*?/\\", "'quoted'", "", "  ", "History", "ok"]
    names = sheet_names(wanted)
    assert len({name.casefold() for name in names}) == len(wanted)
    assert all(0 < len(name) <= 31 for name in names)
    assert names[3] == "x_1______"
    assert names[4] == "quoted"
    assert names[7] != "History"
    assert names[8] == "ok"
    assert read_back({name: pd.DataFrame({"a": [1]}) for name in wanted[:1] + wanted[3:]}).sheetnames == sheet_names(
        wanted[:1] + wanted[3:]
    )


def test_a_path_works_too(tmp_path):
    target = tmp_path / "case.xlsx"
    write_workbook({"a": pd.DataFrame({"b": [1]})}, target)
    assert openpyxl.load_workbook(target)["a"]["A2"].value == 1


def test_what_does_not_fit_is_refused(monkeypatch):
    with pytest.raises(ProsetError, match="at least one sheet"):
        write_workbook({}, BytesIO())
    monkeypatch.setattr(workbook, "MAX_ROWS", 2)
    with pytest.raises(ProsetError, match=r"'big' has 3 rows; an Excel sheet holds 2\. Write it as CSV"):
        write_workbook({"big": pd.DataFrame({"a": range(3)})}, BytesIO())
    monkeypatch.setattr(workbook, "MAX_COLUMNS", 1)
    with pytest.raises(ProsetError, match="'wide' has 2 columns"):
        write_workbook({"wide": pd.DataFrame({"a": [1], "b": [2]})}, BytesIO())
