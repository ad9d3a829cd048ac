"""Frames and figures as files to take away: CSV that no spreadsheet runs as formulas, workbooks, and figures."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import escape
from io import BytesIO, StringIO
from typing import TYPE_CHECKING

import pandas as pd

from proset.common.cells import write_csv
from proset.common.frames import with_index
from proset.common.words import shown
from proset.explain.sheets.workbook import write_workbook

if TYPE_CHECKING:
    import plotly.graph_objects as go

_LONGEST_LINE = 400
_PAGE_STYLE = "body{font-family:sans-serif;margin:24px;max-width:1400px}h1{font-size:1.4rem}p{margin:.3rem 0}"
_TABLE_ENDING = re.compile(r"\.(csv|tsv|txt|xlsx|xls|ods|parquet)(\.gz)?$", re.IGNORECASE)


def csv_bytes(frame: pd.DataFrame, *, index: bool = True) -> bytes:
    """Write a frame as CSV in UTF-8 that opens safely in a spreadsheet.

    Parameters
    ----------
    frame : DataFrame
        Any frame; text cells, column names and index values that look like formulas are neutralised.
    index : bool
        Write the index as the first column.

    Returns
    -------
    bytes
        The file, with the byte order mark by which Excel knows UTF-8.

    Examples
    --------
    >>> csv_bytes(pd.DataFrame({"note": ["=cmd()", "fine"]}), index=False).decode("utf-8-sig").split()
    ['note', "'=cmd()", 'fine']
    """
    flat = with_index(frame) if index else frame
    text = StringIO()
    write_csv(flat, text, end="\r\n")
    return text.getvalue().encode("utf-8-sig", errors="backslashreplace")


def workbook_bytes(sheets: Mapping[str, pd.DataFrame]) -> bytes:
    """Write frames as the sheets of one .xlsx file.

    Parameters
    ----------
    sheets : mapping of str to DataFrame
        Sheet name to frame, in the order of the sheets.

    Examples
    --------
    >>> workbook_bytes({"report": pd.DataFrame({"impact": [1.0]})})[:2]
    b'PK'
    """
    target = BytesIO()
    write_workbook(sheets, target)
    return target.getvalue()


def file_stem(*words: object) -> str:
    """Join words to a file name that every system takes.

    Parameters
    ----------
    *words : object
        Parts of the name, such as the table's name and a row id.

    Returns
    -------
    str
        Letters, digits, dots, dashes and underscores only; never empty.

    Examples
    --------
    >>> file_stem("../my data.csv", "row", 7)
    'my_data-row-7'
    """
    named = (_TABLE_ENDING.sub("", str(word)) for word in words)
    parts = (re.sub(r"[^\w.-]+", "_", word).strip("._-") for word in named)
    return "-".join(part[:60] for part in parts if part) or "proset"


def with_heading(page: bytes, title: str, lines: Sequence[str] = ()) -> bytes:
    """Say above a figure, and in the title of its file, what it shows.

    Parameters
    ----------
    page : bytes
        A file from :func:`figure_html`.
    title : str
        What it is, such as the name of the page and the data.
    lines : sequence of str
        What else belongs to it, such as the case and what the model says of it.

    Returns
    -------
    bytes
        The same file with a heading; words of strangers are text in it.

    Examples
    --------
    >>> with_heading(b"<html><head></head><body></body></html>", "Map", ["<b>"]).decode()
    '<html><head><title>Map</title></head><body><h1>Map</h1><p>&lt;b&gt;</p></body></html>'
    """
    if b"<h1>" in page:
        return page  # a document has a title of its own
    said = f"<h1>{_escaped(title)}</h1>" + "".join(f"<p>{_escaped(line)}</p>" for line in lines)
    head, found, rest = page.partition(b"</head>")
    if not found:
        return page
    return b"".join(
        (
            head,
            f"<title>{_escaped(title)}</title>".encode(),
            found,
            rest.replace(b"<body>", b"<body>" + said.encode(), 1),
        )
    )


def figure_html(figure: go.Figure, lines: Sequence[str] = ()) -> bytes:
    """Write a figure as one HTML file that needs no network.

    Parameters
    ----------
    lines : sequence of str
        What else there is to know, above the figure; the menu of downloads adds page, data, case and verdict.

    Returns
    -------
    bytes
        The file, about 5 MB because it brings its own drawing code. All words are shown as they are.

    Examples
    --------
    >>> import plotly.graph_objects as go
    >>> b"<p>x &lt; 1</p>" in figure_html(go.Figure(), ["x < 1"])
    True
    """
    drawn = figure.to_html(include_plotlyjs=True, full_html=False, config={"displaylogo": False, "scrollZoom": True})
    said = "".join(f"<p>{_escaped(line)}</p>" for line in lines)
    head = f'<meta charset="utf-8"><style>{_PAGE_STYLE}</style>'
    return f"<!DOCTYPE html>\n<html><head>{head}</head><body>{said}{drawn}</body></html>\n".encode()


def _escaped(text: str) -> str:
    """Return text that HTML shows as it is, nothing in it invisible."""
    return escape(shown(text, _LONGEST_LINE))
