"""Write data frames as a formatted Excel workbook."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import date, datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.worksheet import Worksheet

from proset.common.errors import ProsetError
from proset.common.words import percent

MAX_ROWS = 1_048_575
MAX_COLUMNS = 16_384
LONGEST_NAME = 31
WIDEST = 48
# Excel cuts longer texts off when it opens the file, with a warning that the file is damaged.
LONGEST_TEXT = 32_767
# Excel has no earlier dates; they are written as text.
FIRST_YEAR = 1900
DOMINANT = "dominant set"

_FORBIDDEN = re.compile(r"[\[\]:*?/\\\x00-\x1f]")
# Excel keeps this sheet name for itself.
_RESERVED = "history"
# Nothing a table holds may become a formula or a link when somebody opens the workbook.
_OPTIONS = {
    "strings_to_formulas": False,
    "strings_to_urls": False,
    "strings_to_numbers": False,
    "nan_inf_to_errors": False,
    "default_date_format": "yyyy-mm-dd",
    "remove_timezone": True,
}
_PERCENT_COLUMNS = re.compile(
    r"(p .+|share|same|found share|right when said|confidence|quantile|probability.*)", re.IGNORECASE
)
# Columns up to one of these stay in view when a wide sheet is moved sideways.
_NAMES = ("sample name", "feature", "row", "class", "actual", "case")
_WIDE = 8


def write_workbook(sheets: Mapping[str, pd.DataFrame], target: str | Path | BytesIO) -> None:
    """Write one sheet per data frame, made to be read by people.

    The header stays in view and can be filtered, numbers and shares have formats, rows whose ``dominant set`` is 1 are
    tinted. Texts are always written as text, also those that start with ``=``, ``+``, ``-`` or ``@``. Missing values
    are blank. The index is not written; reset it first if it matters.

    Parameters
    ----------
    sheets : mapping of str to DataFrame
        Sheet names and what they hold. Names that Excel does not accept are changed, see :func:`sheet_names`.
    target : path or BytesIO
        Where to write to.

    Raises
    ------
    ProsetError
        If there is no sheet, or a frame is larger than a sheet can be.

    Examples
    --------
    >>> buffer = BytesIO()
    >>> write_workbook({"report": pd.DataFrame({"sample name": ["=1+1"], "impact": [0.5]})}, buffer)
    >>> pd.read_excel(buffer, engine="openpyxl")["sample name"].tolist()
    ['=1+1']
    """
    if not sheets:
        raise ProsetError("A workbook needs at least one sheet.", hint="Choose something to write.")
    for name, frame in sheets.items():
        _check_size(name, frame)
    # Without in_memory the library writes temporary files, which a read-only server does not allow.
    options = {**_OPTIONS, "in_memory": True}
    with xlsxwriter.Workbook(target if isinstance(target, BytesIO) else str(target), options) as book:
        formats = _Formats(book)
        for name, frame in zip(sheet_names(list(sheets)), sheets.values(), strict=True):
            _write_sheet(book.add_worksheet(name), frame, formats)


def sheet_names(names: list[str]) -> list[str]:
    r"""Turn any texts into sheet names that Excel accepts, all different.

    Parameters
    ----------
    names : list of str
        Wanted names.

    Returns
    -------
    list of str
        At most 31 characters each, without ``[ ] : * ? / \`` and without apostrophes at the ends, different even if
        upper and lower case are not told apart.

    Examples
    --------
    >>> sheet_names(["case 1/2", "Report", "report", ""])
    ['case 1_2', 'Report', 'report (2)', 'sheet']
    """
    taken: set[str] = {_RESERVED}
    result = []
    for name in names:
        base = _FORBIDDEN.sub("_", name).strip().strip("'")[:LONGEST_NAME].rstrip().rstrip("'") or "sheet"
        chosen, count = base, 1
        while chosen.casefold() in taken:
            count += 1
            suffix = f" ({count})"
            chosen = base[: LONGEST_NAME - len(suffix)].rstrip() + suffix
        taken.add(chosen.casefold())
        result.append(chosen)
    return result


def holds_exactly(text: str) -> bool:
    r"""Tell whether a cell of a workbook holds a text as it is.

    Examples
    --------
    >>> holds_exactly("two\nlines"), holds_exactly("a\x01b")
    (True, False)
    """
    return "\r" not in text and _clean(text) == text


class _Formats:
    """The cell formats of one workbook, each plain and tinted."""

    def __init__(self, book: xlsxwriter.Workbook) -> None:
        patterns = {
            "text": "@",
            "whole": "0",
            "general": "General",
            "number": "0.0000",
            "percent": "0.0 %",
            "whole percent": "0 %",
            # The number stays as it is; what is seen follows proset.common.words.percent.
            "over": '"over 99.9 %"',
            "under": '"under 0.1 %"',
            "date": "yyyy-mm-dd",
            "time": "yyyy-mm-dd hh:mm",
        }
        tint = {"bg_color": "#FFF2CC"}
        self._formats: dict[tuple[str, bool], Format] = {}
        for kind, pattern in patterns.items():
            self._formats[kind, False] = book.add_format({"num_format": pattern})
            self._formats[kind, True] = book.add_format({"num_format": pattern, **tint})
        self.header = book.add_format(
            {
                "bold": True,
                "text_wrap": True,
                "valign": "top",
                "bg_color": "#1F3A5F",
                "font_color": "#FFFFFF",
                "border": 1,
            }
        )

    def get(self, kind: str, tinted: bool) -> Format:
        """Return the format of a kind of value."""
        return self._formats[kind, tinted]


def _check_size(name: str, frame: pd.DataFrame) -> None:
    """Refuse what does not fit into a sheet."""
    if len(frame) > MAX_ROWS:
        raise ProsetError(
            f"'{name}' has {len(frame):,} rows; an Excel sheet holds {MAX_ROWS:,}.", hint="Write it as CSV instead."
        )
    if frame.shape[1] > MAX_COLUMNS:
        raise ProsetError(
            f"'{name}' has {frame.shape[1]:,} columns; an Excel sheet holds {MAX_COLUMNS:,}.",
            hint="Write it as CSV instead.",
        )


def _write_sheet(sheet: Worksheet, frame: pd.DataFrame, formats: _Formats) -> None:
    """Write header, values, widths, and tint of the dominant set."""
    tinted = _is_dominant(frame)
    for j, name in enumerate(frame.columns):
        values = frame.iloc[:, j]
        kind = _kind(str(name), values)
        sheet.write_string(0, j, str(name)[:LONGEST_TEXT], formats.header)
        sheet.set_column(j, j, _width(str(name), values, kind))
        for i, (value, marked) in enumerate(zip(values, tinted, strict=True), start=1):
            _write_cell(sheet, i, j, value=value, kind=kind, formats=formats, tinted=marked)
    sheet.freeze_panes(1, _fixed_columns(frame))
    # Printed, every page has the header, and no column is cut off.
    sheet.repeat_rows(0)
    sheet.set_landscape()
    sheet.fit_to_pages(1, 0)
    if frame.shape[1]:
        sheet.autofilter(0, 0, len(frame), frame.shape[1] - 1)


def _fixed_columns(frame: pd.DataFrame) -> int:
    """Return how many columns stay in view: those up to the name of the line, in a wide sheet that begins with one."""
    first = [str(name) for name in frame.columns[:3]]
    found = [place for place, name in enumerate(first, start=1) if name in _NAMES]
    return min(found) if found and frame.shape[1] > _WIDE else 0


def _write_cell(
    sheet: Worksheet, row: int, column: int, *, value: Any, kind: str, formats: _Formats, tinted: bool
) -> None:
    """Write one value by its own type: never as a formula, blank if missing."""
    if value is None or value is pd.NaT or value is pd.NA or (isinstance(value, float) and math.isnan(value)):
        sheet.write_blank(row, column, None, formats.get(kind, tinted))
    elif isinstance(value, (bool, np.bool_)):
        sheet.write_boolean(row, column, bool(value), formats.get("general", tinted))
    elif isinstance(value, (int, float, np.integer, np.floating)) and math.isfinite(value):
        look = _share_look(float(value)) if kind == "percent" else "general" if kind == "text" else kind
        sheet.write_number(row, column, value, formats.get(look, tinted))
    elif isinstance(value, (datetime, date)) and value.year >= FIRST_YEAR:
        sheet.write_datetime(row, column, value, formats.get(kind if kind in ("date", "time") else "date", tinted))
    else:
        sheet.write_string(row, column, _clean(str(value)), formats.get("text", tinted))


def _share_look(share: float) -> str:
    """Choose how a share is seen, so that a workbook says what the pages say."""
    words = percent(share)
    if words.startswith(("over", "under")):
        return words.split()[0]
    return "percent" if "." in words else "whole percent"


def _clean(text: str) -> str:
    """Return text without the control characters that XML cannot hold, cut to what a cell holds."""
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]", " ", text)[:LONGEST_TEXT]


def _is_dominant(frame: pd.DataFrame) -> list[bool]:
    """Return which rows are in the dominant set; none in a frame without such a column."""
    found = np.flatnonzero(frame.columns == DOMINANT)
    # A person's column may be called the same; the marks are whole numbers.
    if len(found) != 1 or not pd.api.types.is_integer_dtype(frame.dtypes.iloc[found[0]]):
        return [False] * len(frame)
    marked = frame.iloc[:, found[0]].eq(1).fillna(False)
    # The class shares have no batch: they take part in what the set settles, but are no prototype.
    return (marked & frame["batch"].notna() if list(frame.columns).count("batch") == 1 else marked).tolist()


def _kind(name: str, values: pd.Series) -> str:
    """Choose the number format of a column."""
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        known = values.dropna()
        return "date" if (known == known.dt.normalize()).all() else "time"
    if pd.api.types.is_bool_dtype(values.dtype) or not pd.api.types.is_numeric_dtype(values.dtype):
        return "text"
    numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
    numbers = numbers[np.isfinite(numbers)]
    if _PERCENT_COLUMNS.fullmatch(name) and np.all((numbers >= 0) & (numbers <= 1)):
        return "percent"
    if np.all(numbers == np.floor(numbers)):
        return "whole"
    # Four decimals line up and are enough for weights and similarities; very large or small values need another form.
    return "number" if 0.01 <= np.abs(numbers).max() < 1000 else "general"


def _width(name: str, values: pd.Series, kind: str) -> float:
    """Return a width in characters: the longest word of the header or the longest of the first values."""
    header = max((len(word) for word in name.split()), default=0)
    if kind in ("date", "time"):
        return max(18, header + 4)
    if kind != "text":
        return min(WIDEST, max(10, header + 4))
    longest = max((len(str(value)) for value in values.head(200).dropna()), default=0)
    return min(WIDEST, max(8, header + 4, longest + 2))
