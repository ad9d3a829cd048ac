"""Reading a sheet of an Excel workbook as columns of text.

Every cell becomes the text that reads back as the same value, so the kinds of the columns are decided as for any other
file. Formulas give the value that Excel stored; macros and links are never touched.
"""

from __future__ import annotations

import datetime as dt
import warnings
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import openpyxl
import pyarrow as pa

from proset.common.errors import TableError
from proset.data.issues import Issue, Severity
from proset.data.reading.delimited import too_many_columns
from proset.data.reading.dialect import Dialect, Limits, in_megabytes
from proset.data.reading.header import find_header
from proset.data.reading.names import clean_names, numbered_names
from proset.data.reading.source import Source
from proset.data.reading.text_rows import RaggedRows, TextBatch

_BATCH_ROWS = 50_000
_MAX_PREAMBLE = 50
_SAMPLE_ROWS = 400


@dataclass(frozen=True)
class ExcelSheet:
    """The cells of one sheet as text.

    Attributes
    ----------
    names : tuple of str
        Its columns.
    unnamed : frozenset of str
        Those whose name is not from the file.
    dialect : Dialect
        Which sheet, and whether it has a header.
    issues : tuple of Issue
        What a person should know about the above.
    records : tuple of tuple of str
        The data rows; each is at most as long as ``names``.
    """

    names: tuple[str, ...]
    unnamed: frozenset[str]
    dialect: Dialect
    issues: tuple[Issue, ...]
    records: tuple[tuple[str, ...], ...]

    def batches(self, ragged: RaggedRows) -> Iterator[TextBatch]:
        """Yield the rows in order.

        Parameters
        ----------
        ragged : RaggedRows
            Not used: a sheet is a grid.

        Yields
        ------
        TextBatch
            Some thousand rows.
        """
        del ragged
        width = len(self.names)
        for start in range(0, len(self.records), _BATCH_ROWS):
            part = [(*record, *[""] * (width - len(record))) for record in self.records[start : start + _BATCH_ROWS]]
            columns = tuple(pa.array(cells, pa.string()) for cells in zip(*part, strict=True))
            yield TextBatch(np.arange(start + 1, start + 1 + len(part), dtype=np.int64), columns)


def open_excel(source: Source, wanted: Dialect, limits: Limits | None) -> ExcelSheet:
    """Read one sheet.

    Parameters
    ----------
    source : Source
        The workbook.
    wanted : Dialect
        The sheet and whether it has a header; None means the first sheet with cells, and to find out.
    limits : Limits or None
        The size that is allowed; None means the default, for a workbook is always read at once.

    Returns
    -------
    ExcelSheet
        Its cells.

    Raises
    ------
    TableError
        If the workbook is damaged or too large, or there is no such sheet.
    """
    allowed = limits or Limits()
    try:
        with source.open() as stream:
            _check_unpacked_size(stream, source.name, allowed)
            sheet, records, others = _read_sheet(stream, source.name, wanted.sheet, allowed)
    except TableError:
        raise
    except Exception as error:  # openpyxl lets whatever goes wrong in a damaged workbook through
        raise TableError(
            f"'{source.name}' is a damaged Excel file ({type(error).__name__}: {error}).",
            hint="Open it in Excel and save it again.",
        ) from error
    if not records:
        raise TableError(f"Sheet '{sheet}' of '{source.name}' is empty.", hint=_choose(others))
    return _divide(sheet, records, others, wanted, source.name)


def _check_unpacked_size(stream: Any, name: str, limits: Limits) -> None:
    """Refuse a workbook that would unpack to more than the limit; zipfile never reads past the size it declares."""
    with zipfile.ZipFile(stream) as archive:
        unpacked = sum(member.file_size for member in archive.infolist())
    if unpacked > limits.max_bytes:
        raise TableError(
            f"'{name}' unpacks to {in_megabytes(unpacked)}; the limit is {in_megabytes(limits.max_bytes)}.",
            hint="Keep fewer rows or columns, or save the sheet as CSV.",
        )


def _read_sheet(
    stream: Any, name: str, wanted: str | None, limits: Limits
) -> tuple[str, list[tuple[str, ...]], tuple[str, ...]]:
    """Return the sheet's name, its rows that hold anything, and the names of the other sheets."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl warns of formatting that it leaves out
        book = openpyxl.load_workbook(stream, read_only=True, data_only=True, keep_links=False)
        try:
            titles = [sheet.title for sheet in book.worksheets]
            if wanted is not None and wanted not in titles:
                listed = ", ".join(f"'{title}'" for title in titles)
                raise TableError(f"'{name}' has no sheet '{wanted}'.", hint=f"Its sheets are: {listed}.")
            chosen, records = wanted or (titles[0] if titles else ""), []
            for title in [wanted] if wanted is not None else titles:
                records = _rows(book[title], name, limits)
                if records:
                    chosen = title
                    break
        finally:
            book.close()
    return chosen, records, tuple(title for title in titles if title != chosen)


def _rows(sheet: Any, name: str, limits: Limits) -> list[tuple[str, ...]]:
    """Return the rows that hold anything, as text, without empty cells at their ends."""
    sheet.reset_dimensions()  # the size that a workbook claims may be wrong
    records = []
    for cells in sheet.iter_rows(values_only=True):
        width = next((at for at in range(len(cells), 0, -1) if cells[at - 1] not in (None, "")), 0)
        if width > limits.max_columns:
            raise too_many_columns(name, width, limits.max_columns)
        if width:
            records.append(tuple(map(_as_text, cells[:width])))
        if len(records) > limits.max_rows + _MAX_PREAMBLE:
            break
    return records


def _as_text(cell: Any) -> str:
    """Return the text that reads back as the same value."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "TRUE" if cell else "FALSE"
    if isinstance(cell, dt.datetime):
        return cell.date().isoformat() if cell.time() == dt.time() else cell.isoformat(sep=" ")
    if isinstance(cell, dt.timedelta):
        return repr(cell.total_seconds())
    return cell.isoformat() if isinstance(cell, dt.date | dt.time) else str(cell)


def _divide(
    sheet: str, records: list[tuple[str, ...]], others: tuple[str, ...], wanted: Dialect, name: str
) -> ExcelSheet:
    """Tell title lines, header and data apart."""
    start, issues = _skip_preamble(records)
    first, body = records[start], records[start + 1 :]
    header = wanted.header if wanted.header is not None else find_header(first, body[:_SAMPLE_ROWS])
    data = tuple(body if header else records[start:])
    width = max(map(len, [first, *data]))
    names, found = clean_names([*first, *[""] * (width - len(first))]) if header else (numbered_names(width), ())
    if not header and wanted.header is None:
        issues.append(
            Issue("no_header", f"The first row of '{name}' looks like data. If it holds names, say header=True.")
        )
    if others and wanted.sheet is None:
        text = f"Sheet '{sheet}' was read; {_choose(others)}"
        issues.append(Issue("sheet", text, severity=Severity.INFO))
    unnamed = {issue.column for issue in found if issue.code == "unnamed_column" and issue.column}
    if not header:
        unnamed = set(names)
    dialect = Dialect("excel", decimal=".", header=header, sheet=sheet)
    return ExcelSheet(names, frozenset(unnamed), dialect, (*issues, *found), data)


def _skip_preamble(records: Sequence[tuple[str, ...]]) -> tuple[int, list[Issue]]:
    """Return where the table begins below a title or remarks."""
    filled = [sum(cell.strip() != "" for cell in record) for record in records[:_SAMPLE_ROWS]]
    usual = Counter(filled[len(filled) // 3 :]).most_common(1)[0][0]
    enough = max(2, usual - 1)
    start = next((at for at, count in enumerate(filled[:_MAX_PREAMBLE]) if count >= enough), 0) if usual > 1 else 0
    if start == 0:
        return 0, []
    shown = next(cell for cell in records[0] if cell.strip())
    text = f"{start} line(s) above the table were skipped, the first is '{shown[:60]}'."
    return start, [Issue("preamble", text, severity=Severity.INFO)]


def _choose(others: Sequence[str]) -> str:
    """Say which other sheets there are."""
    if not others:
        return "The workbook has no other sheet."
    listed = ", ".join(f"'{title}'" for title in others[:5])
    return f"choose another with sheet=: {listed}{' and more' if len(others) > 5 else ''}."
