"""Cells that no spreadsheet runs: the one rule for whatever is written as CSV.

Spreadsheets take a cell for a formula if it begins with ``=``, ``+``, ``-`` or ``@``, some of them also after blanks or
in fullwidth letters. A formula can send what stands beside it to a stranger, so such a text gets an apostrophe in
front. Workbooks (.xlsx) need none of this: there a cell says itself that it is text, see
:mod:`proset.explain.sheets.workbook`.
"""

from __future__ import annotations

import csv
import re
from typing import Literal, TextIO

import pandas as pd

_SIGNS = "=+\\-@＝＋－＠﹦﹢﹣﹫"
# Blanks, control characters, and what no font draws: programs differ in what of it they drop before they look at a
# cell. The double quote is among them for readers that do not know that it is doubled inside a cell.
_UNSEEN = (
    '\\x00-\\x20"\\x7f-\\xa0\\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u2028-\u202f'
    "\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_FORMULA = re.compile(f"[{_UNSEEN}]*[{_SIGNS}]")
_NUMBER = re.compile(r"[ \xa0]*[+\-]?(?:[0-9]+(?:[.,][0-9]+)*[.,]?|[.,][0-9]+)(?:[eE][+\-]?[0-9]+)?[ \xa0]*%?[ \xa0]*")
# Where the list separator is a semicolon, a file with commas is divided at semicolons and line breaks, quoted or not.
_INNER_START = re.compile("([;\r\n])")
_SUSPECT = f"^[\\t\\r\\n]|(?:^|[;\\r\\n])[{_UNSEEN}]*[{_SIGNS}]"


def is_formula(text: str) -> bool:
    r"""Tell whether a spreadsheet may run a cell instead of showing it.

    Parameters
    ----------
    text : str
        A whole cell. One that begins with a tab or a line break counts, whatever follows; a number does not.

    Examples
    --------
    >>> [is_formula(text) for text in ("=1+1", " =1+1", "\r=1+1", "@home", "-5", "1e-5", "a-b")]
    [True, True, True, True, False, False, False]
    """
    return text.startswith(("\t", "\r", "\n")) or (_FORMULA.match(text) is not None and not _NUMBER.fullmatch(text))


def safe_text(text: str) -> str:
    """Return a text that every spreadsheet shows as it is: an apostrophe stands before whatever could be run.

    Parameters
    ----------
    text : str
        A whole cell, or the name of a column.

    Returns
    -------
    str
        The same text if it is harmless. Applied twice it gives what it gave the first time.

    Examples
    --------
    >>> safe_text("=1+1"), safe_text("-2.5"), safe_text("a; =1+1")
    ("'=1+1", '-2.5', "a;' =1+1")
    """
    pieces = _INNER_START.split(text)
    # Pieces at odd places are separators.
    for place in range(2, len(pieces), 2):
        if is_formula(pieces[place]):
            pieces[place] = f"'{pieces[place]}"
    whole = "".join(pieces)
    return f"'{whole}" if is_formula(text) else whole


def guarded_text(text: str) -> str:
    """Return a text that every spreadsheet shows as it is, and that :func:`unguarded_text` turns back exactly.

    Unlike :func:`safe_text` it tells an apostrophe that was there already from one that it has added.

    Parameters
    ----------
    text : str
        A whole cell.

    Examples
    --------
    >>> guarded_text("=1+1"), guarded_text("'=1+1"), guarded_text("a; =1+1"), guarded_text("it's")
    ("'=1+1", "''=1+1", "a;' =1+1", "it's")
    """
    pieces = _INNER_START.split(text)
    for place in range(2, len(pieces), 2):
        pieces[place] = f"'{pieces[place]}" if _is_guardable(pieces[place]) else pieces[place]
    return f"'{''.join(pieces)}" if _is_guardable(text) else "".join(pieces)


def unguarded_text(text: str) -> str:
    """Return the text of which :func:`guarded_text` made a cell; what needs no guard stays as it is.

    Examples
    --------
    >>> unguarded_text("'=1+1"), unguarded_text("''=1+1"), unguarded_text("'quoted'")
    ('=1+1', "'=1+1", "'quoted'")
    """
    pieces = _INNER_START.split(text)
    for place in range(2, len(pieces), 2):
        pieces[place] = pieces[place][1:] if _is_guarded(pieces[place]) else pieces[place]
    whole = "".join(pieces)
    return whole[1:] if _is_guarded(whole) else whole


def _is_guardable(text: str) -> bool:
    """Tell whether an apostrophe goes in front: before what could be run, and before apostrophes before that."""
    return is_formula(text.lstrip("'"))


def _is_guarded(text: str) -> bool:
    """Tell whether the first apostrophe was put there as a guard."""
    return text.startswith("'") and is_formula(text.lstrip("'"))


def safe_cell(value: object) -> object:
    """Return a cell on its way into a CSV file: text by :func:`safe_text`, anything else as it is.

    Examples
    --------
    >>> safe_cell("=1+1"), safe_cell(-2.5), safe_cell(None)
    ("'=1+1", -2.5, None)
    """
    return safe_text(value) if isinstance(value, str) else value


def safe_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose cells and column names no spreadsheet runs.

    Parameters
    ----------
    frame : DataFrame
        Column names may repeat.

    Returns
    -------
    DataFrame
        The same shape and index; `frame` itself does not change.

    Examples
    --------
    >>> safe_frame(pd.DataFrame({"@id": ["=1+1", "-12.5", "Ada"]})).to_dict("list")
    {"'@id": ["'=1+1", '-12.5', 'Ada']}
    """
    safe = pd.DataFrame(
        {place: _safe_column(frame.iloc[:, place]).array for place in range(frame.shape[1])}, index=frame.index
    )
    return safe.set_axis(pd.Index([safe_text(str(name)) for name in frame.columns], dtype=object), axis=1)


def write_csv(
    frame: pd.DataFrame, stream: TextIO, *, header: bool = True, neutral: bool = True, end: str = "\n"
) -> None:
    r"""Append the rows of a frame to a CSV file, without the index.

    Parameters
    ----------
    frame : DataFrame
        What to write.
    stream : text stream
        Opened with ``newline=""``.
    header : bool
        Whether column names come first.
    neutral : bool
        Whether :func:`safe_frame` is applied.
    end : str
        What ends a line.

    Examples
    --------
    >>> import sys
    >>> write_csv(pd.DataFrame({"id": ["=1+1"], "share": [-0.5]}), sys.stdout)
    id,share
    '=1+1,-0.5
    """
    shown = safe_frame(frame) if neutral else frame
    # A lone carriage return ends a line for many programs, and the csv module does not quote a cell that holds one.
    quoting: Literal[0, 2] = (
        csv.QUOTE_NONNUMERIC if "\r" not in end and _holds_return(shown, header=header) else csv.QUOTE_MINIMAL
    )
    shown.to_csv(stream, index=False, header=header, lineterminator=end, quoting=quoting)


def _may_hold_text(column: pd.Series) -> bool:
    """Tell whether any cell of a column can be text."""
    return not (pd.api.types.is_numeric_dtype(column.dtype) or pd.api.types.is_datetime64_any_dtype(column.dtype))


def _safe_column(column: pd.Series) -> pd.Series:
    """Return one column with safe cells; the very same one if nothing in it has to change."""
    if not _may_hold_text(column):
        return column
    if isinstance(column.dtype, pd.StringDtype):
        suspect = column.str.contains(_SUSPECT, regex=True, na=False).any()
        return column.map(safe_text, na_action="ignore") if suspect else column
    return column.astype(object).map(safe_cell)


def _holds_return(frame: pd.DataFrame, *, header: bool) -> bool:
    """Tell whether a text of the frame holds a carriage return."""
    if header and any("\r" in str(name) for name in frame.columns):
        return True
    columns = (frame.iloc[:, place] for place in range(frame.shape[1]))
    texts = (column.astype("str") for column in columns if _may_hold_text(column))
    return any(column.str.contains("\r", regex=False, na=False).any() for column in texts)
