"""Frames and figures as files to take away: CSV that no spreadsheet runs as formulas, workbooks, and figures."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from io import BytesIO, StringIO
from typing import TYPE_CHECKING

import pandas as pd

from proset.common.cells import write_csv
from proset.common.frames import with_index
from proset.common.words import percent, shown
from proset.explain.workbook import write_workbook

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from proset.study import Study

_LONGEST_LINE = 400
_TABLE_ENDING = re.compile(r"\.(csv|tsv|txt|xlsx|parquet)(\.gz)?$", re.IGNORECASE)


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

    Returns
    -------
    bytes
        The file.

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


def figure_html(figure: go.Figure, title: str = "", lines: Sequence[str] = ()) -> bytes:
    """Write a figure as one HTML file that needs no network and says what it shows.

    Parameters
    ----------
    figure : plotly Figure
        Any figure.
    title : str
        Stands above it.
    lines : sequence of str
        Paragraphs below the title, such as the case that is marked and its verdict.

    Returns
    -------
    bytes
        The file, about 5 MB because it brings its own drawing code. All words are shown as they are.

    Examples
    --------
    >>> import plotly.graph_objects as go
    >>> b"<h1>Map of &lt;b&gt;</h1><p>Row 7</p>" in figure_html(go.Figure(), "Map of <b>", ["Row 7"])
    True
    """
    drawn = figure.to_html(include_plotlyjs=True, full_html=False, config={"displaylogo": False, "scrollZoom": True})
    said = [f"<h1>{_escaped(title)}</h1>"] if title else []
    said += [f"<p>{_escaped(line)}</p>" for line in lines if line]
    head = f'<meta charset="utf-8"><title>{_escaped(title or "Figure")}</title><style>{_PAGE_STYLE}</style>'
    return f"<!DOCTYPE html>\n<html><head>{head}</head><body>{''.join(said)}{drawn}</body></html>\n".encode()


_PAGE_STYLE = "body{font-family:sans-serif;margin:24px;max-width:1400px}h1{font-size:1.4rem}p{margin:.3rem 0}"


def _escaped(text: str) -> str:
    """Return text that HTML shows as it is, nothing in it invisible."""
    return html.escape(shown(text, _LONGEST_LINE))


def case_lines(study: Study, judged: pd.DataFrame, row: int | None) -> list[str]:
    """Say which case a figure marks, and the verdict on it.

    Parameters
    ----------
    study : Study
        A fitted study.
    judged : DataFrame
        From :meth:`proset.study.Study.judged`.
    row : int or None
        Row id of the case; None if there is none.

    Returns
    -------
    list of str
        Two lines, or none.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))
    >>> case_lines(study, study.judged(), 1)[0], case_lines(study, study.judged(), None)
    ('Row 1: setosa', [])
    """
    if row is None or row not in judged.index:
        return []
    said = judged.loc[[row]].to_dict("records")[0]
    actual = "no class in the table" if pd.isna(said["actual"]) else str(said["actual"])
    verdict = f"Estimate: {said['predicted']} ({percent(float(said['confidence']))})"
    if said["left"]:
        verdict += ", left to a person"
    elif not pd.isna(said["correct"]):
        verdict += ", right" if said["correct"] else ", misclassified"
    return [f"Row {row}: {actual}", f"{verdict}."]
