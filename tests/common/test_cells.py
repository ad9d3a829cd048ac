"""The one rule for cells that a spreadsheet may run: a table of cases, for CSV and for workbooks."""

from __future__ import annotations

import io
import sys
import unicodedata
import zipfile

import numpy as np
import openpyxl
import pandas as pd
import pytest
from hostile.cells import FORMULAS, HARMLESS, INNER, NUMBERS, SIGNS, UNSEEN, divided, runs
from hypothesis import given, settings
from hypothesis import strategies as st

from dashboard.services import exports
from proset.bulk.sinks import open_sink
from proset.common.cells import guarded_text, is_formula, safe_cell, safe_frame, safe_text, unguarded_text, write_csv
from proset.explain.sheets.workbook import write_workbook


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize("before", UNSEEN)
def test_what_a_spreadsheet_may_run_gets_an_apostrophe(before, sign):
    for body in ("1+1", "cmd|' /C calc'!A0", "SUM(A1)"):
        text = f"{UNSEEN[before]}{sign}{body}"
        assert runs(text)
        assert is_formula(text)
        assert safe_text(text).startswith("'")
        assert safe_text(safe_text(text)) == safe_text(text)
        assert safe_text(text).replace("'", "") == text.replace("'", "")


@pytest.mark.parametrize("text", NUMBERS)
def test_a_number_stays_a_number(text):
    assert safe_text(text) == text
    assert not runs(text)


@pytest.mark.parametrize("text", HARMLESS)
def test_other_text_stays_as_it_is(text):
    assert safe_text(text) == text


@pytest.mark.parametrize("text", ["\ttab", "\rreturn", "\nline", "\t", "\r\n-5"])
def test_text_behind_a_tab_or_a_line_break_counts_whatever_it_is(text):
    assert safe_text(text) == f"'{text}"


@pytest.mark.parametrize("value", [-5, 3.2, -1e-5, None, True, np.float64(-2.5), pd.Timestamp("2024-05-01")])
def test_what_is_no_text_is_no_formula(value):
    assert safe_cell(value) is value


def test_no_invisible_character_of_unicode_hides_a_formula():
    blind = [
        chr(code)
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) in ("Cc", "Zs", "Zl", "Zp") and not is_formula(f"{chr(code)}=1+1")
    ]
    assert blind == []


@pytest.mark.parametrize("text", INNER)
def test_a_cell_that_another_list_separator_begins_is_harmless_too(text):
    stream = io.StringIO(newline="")
    write_csv(pd.DataFrame({"row": [1], "note": [text]}), stream)
    assert not any(runs(cell) for cell in divided(stream.getvalue()))


def hostile_frame(dtype: str) -> pd.DataFrame:
    texts = [text for text in (*FORMULAS, *INNER) if "\x00" not in text]
    return pd.DataFrame({"row": range(len(texts)), "=head": pd.array(texts, dtype=dtype), "@n": -1.5})


@pytest.mark.parametrize("dtype", ["str", "object", "category"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_no_file_holds_a_formula_in_cells_or_header(dtype, end):
    frame, stream = hostile_frame(dtype), io.StringIO(newline="")
    write_csv(frame, stream, end=end)
    assert not any(runs(cell) for cell in divided(stream.getvalue()))
    back = pd.read_csv(io.StringIO(stream.getvalue(), newline=""), keep_default_na=False)
    assert back.columns.tolist() == ["row", "'=head", "'@n"]
    assert len(back) == len(frame)
    assert back["'@n"].tolist() == [-1.5] * len(frame)


def test_raw_text_is_written_as_it_is():
    frame, stream = hostile_frame("str"), io.StringIO(newline="")
    write_csv(frame, stream, neutral=False)
    back = pd.read_csv(io.StringIO(stream.getvalue(), newline=""), keep_default_na=False)
    assert back["=head"].tolist() == frame["=head"].tolist()


def test_every_way_out_uses_the_rule(tmp_path):
    frame = hostile_frame("str")
    path = tmp_path / "scored.csv"
    with open_sink(str(path), neutral=True) as sink:
        sink.write(frame)
    written = {
        "sink": path.read_bytes().decode(),
        "download": exports.csv_bytes(frame, index=False).decode("utf-8-sig"),
        "download with index": exports.csv_bytes(frame.set_index("=head")).decode("utf-8-sig"),
    }
    for name, text in written.items():
        assert [cell for cell in divided(text) if runs(cell)] == [], name


def test_a_frame_keeps_its_shape_index_and_repeated_names():
    frame = pd.DataFrame([["=a", 1, "b"], [None, 2, "c"]], columns=["=x", "=x", "y"], index=[7, 7])
    safe = safe_frame(frame)
    assert safe.columns.tolist() == ["'=x", "'=x", "y"]
    assert safe.index.tolist() == [7, 7]
    assert safe.iloc[:, 0].isna().tolist() == [False, True]
    assert frame.columns.tolist() == ["=x", "=x", "y"]
    assert safe_frame(pd.DataFrame(index=[1, 2])).shape == (2, 0)


def test_a_workbook_holds_texts_and_no_formula():
    texts = [text for text in (*FORMULAS, *INNER, *HARMLESS) if text]
    frame = pd.DataFrame({"text": texts, "n": [-1.5] * len(texts)})
    frame.columns = pd.Index(["=1+1", "@n"])
    target = io.BytesIO()
    write_workbook({"=sheet": frame, "www.evil.example": pd.DataFrame({"http://evil.example": ["http://x"]})}, target)
    with zipfile.ZipFile(target) as parts:
        sheets = [parts.read(name) for name in parts.namelist() if name.startswith("xl/worksheets/")]
    assert not any(b"<f>" in sheet or b"hyperlink" in sheet for sheet in sheets)
    sheet = openpyxl.load_workbook(target)["=sheet"]
    assert {cell.data_type for cell in sheet["A"]} == {"s"}
    assert sheet["A1"].value == "=1+1"
    assert {cell.data_type for cell in sheet["B"][1:]} == {"n"}


@pytest.mark.parametrize("before", ["", "'", "''", "\n", "a;", "a\n'", "'\r\n'"])
def test_a_guarded_text_is_safe_and_comes_back(before):
    for text in (*FORMULAS, *HARMLESS, *NUMBERS):
        guarded = guarded_text(before + text)
        assert safe_text(guarded) == guarded
        assert unguarded_text(guarded) == before + text


@given(st.text(alphabet="'=+-@;\r\n\t 1a,\"\u200b＝", max_size=12))
@settings(max_examples=500)
def test_any_guarded_text_is_safe_and_comes_back(text):
    guarded = guarded_text(text)
    assert safe_text(guarded) == guarded
    assert unguarded_text(guarded) == text
