"""Reading a sheet of a workbook (.xlsx, .xls, .ods) as columns of text.

A library (python-calamine) reads the cells; every cell becomes the text that reads back as the same value, so the kinds
of the columns are decided as for any other file. Formulas give the value that was stored; macros, links, pictures and
styles are never touched.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from python_calamine import CalamineError, CalamineSheet, CalamineWorkbook, SheetTypeEnum

from proset.common.errors import TableError
from proset.common.words import count_words, shown
from proset.data.issues import Issue, Severity
from proset.data.reading.dialect import Dialect, Limits, in_megabytes, too_many_columns
from proset.data.reading.file_kind import is_zip
from proset.data.reading.header import MAX_PREAMBLE, find_header, find_two_lines, lines_above, table_start
from proset.data.reading.names import clean_names, numbered_names
from proset.data.reading.rows import RaggedRows, TextBatch, TextRows
from proset.data.reading.source import FileSource
from proset.data.reading.xlsx_look import SheetLook, check_sizes, look_at_sheet

_BLOCK_ROWS = 5_000
_SAMPLE_ROWS = 400
_LISTED = 5
_LONGEST = 1_000_000  # characters of a text; Excel itself stops at 32,767
_EXACT = 1 << 53


@dataclass(frozen=True)
class ExcelSheet(TextRows):
    """The cells of one sheet as text.

    Attributes
    ----------
    blocks : tuple of tuple of pyarrow.Array
        All rows that hold anything, some thousand at a time, column by column.
    skip : int
        How many rows of the first block stand above the data.
    """

    blocks: tuple[tuple[pa.Array, ...], ...]
    skip: int

    def batches(self, ragged: RaggedRows) -> Iterator[TextBatch]:
        """Yield the rows in order; none is ragged, for a sheet is a grid."""
        del ragged
        first, skip = 1, self.skip
        for block in self.blocks:
            columns = tuple(column[skip:] for column in block[: len(self.names)])
            count, skip = len(columns[0]), 0
            if count:
                yield TextBatch(np.arange(first, first + count, dtype=np.int64), columns)
            first += count


@dataclass
class _Cells:
    """The rows of a sheet that hold anything, as text."""

    name: str
    limits: Limits
    blocks: list[tuple[pa.Array, ...]] = field(default_factory=list)
    n_rounded: int = 0
    n_durations: int = 0
    n_formulas: int = 0
    first_formula: str = ""
    _size: int = 0

    def take(self, sheet: CalamineSheet, look: SheetLook) -> None:
        """Read the rows, no more than are allowed."""
        self.n_formulas, self.first_formula = look.n_formulas, look.first_formula
        if sheet.start is None:
            return
        if sheet.width > self.limits.max_columns:
            raise too_many_columns(self.name, sheet.width, self.limits.max_columns)
        rows = islice(_filled_rows(sheet, look), self.limits.max_rows + MAX_PREAMBLE + 1)
        while block := list(islice(rows, _BLOCK_ROWS)):
            self.blocks.append(tuple(self._texts(column) for column in zip(*block, strict=True)))

    def _texts(self, values: Sequence[Any]) -> pa.Array:
        """Return the cells of a column as text."""
        texts = [value if type(value) is str else self._spelled(value) for value in values]
        column = pa.array(texts, pa.large_string()).cast(pa.string())
        longest = pc.max(pc.utf8_length(column)).as_py()
        self._size += pc.sum(pc.binary_length(column)).as_py()
        if longest > _LONGEST:
            raise _too_much(self.name, f"a text of more than {_LONGEST:,} characters")
        if self._size > self.limits.max_bytes:
            raise _too_much(self.name, f"more than {in_megabytes(self.limits.max_bytes)} of text")
        return column

    def _spelled(self, value: Any) -> str:
        """Spell a value with as few digits as tell it apart, a length of time in seconds, midnight as a plain date."""
        if isinstance(value, float):
            if not value.is_integer():
                return repr(value)
            if abs(value) <= _EXACT:
                return str(int(value))
            self.n_rounded += 1
            return repr(value)
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if isinstance(value, dt.datetime):
            return value.date().isoformat() if value.time() == dt.time() else value.isoformat(sep=" ")
        if isinstance(value, dt.timedelta):
            self.n_durations += 1
            return repr(round(value.total_seconds(), 3))
        return str(value)


def _filled_rows(sheet: CalamineSheet, look: SheetLook) -> Iterator[list[Any]]:
    """Yield the rows that hold anything, cells with errors as what they say."""
    first = sheet.start[1] if sheet.start else 0
    for number, row in enumerate(sheet.iter_rows()):
        for at, text in look.errors.get(number, {}).items():
            if first <= at < first + len(row):
                row[at - first] = text
        if any(value != "" for value in row):
            yield row


def _too_much(name: str, found: str) -> TableError:
    """Build the refusal of a workbook that is too large inside."""
    return TableError(
        f"'{name}' is too large for a workbook: it has {found}.",
        hint="Keep fewer rows or columns, or save the sheet as CSV or Parquet.",
    )


def open_excel(source: FileSource, wanted: Dialect, limits: Limits | None) -> ExcelSheet:
    """Read one sheet; takes and raises what :func:`~proset.data.reading.content.open_content` does."""
    sheet, cells, others = _cells_of(source, wanted.sheet, limits or Limits())
    return _divide(sheet, cells, others, wanted, source.name)


def sheet_rows(source: FileSource, limits: Limits) -> Iterator[tuple[str, ...]]:
    """Yield all rows of the first sheet that holds anything, each cell as text; raises what :func:`open_excel` does."""
    for block in _cells_of(source, None, limits)[1].blocks:
        yield from zip(*(column.to_pylist() for column in block), strict=True)


def _cells_of(source: FileSource, wanted: str | None, limits: Limits) -> tuple[str, _Cells, tuple[str, ...]]:
    """Return a sheet's name, its rows that hold anything, at least one, and the other sheets."""
    try:
        sheet, cells, others = _read_sheet(source, wanted, limits)
    except (TableError, MemoryError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # whatever goes wrong in a damaged file; a panic of the library is no Exception
        raise _damaged(source, error) from error
    if not cells.blocks:
        raise TableError(
            f"Sheet '{shown(sheet)}' of '{source.name}' is empty.",
            hint=_choose(others)[:1].upper() + _choose(others)[1:],
            option="sheet",
        )
    return sheet, cells, others


def _damaged(source: FileSource, error: BaseException) -> TableError:
    """Say that a workbook cannot be read."""
    with source.open() as stream:
        if isinstance(error, CalamineError) and not is_zip(stream.read(8)):
            return TableError(
                f"'{source.name}' is no workbook that can be read: an old Excel file (.xls) that is damaged, a workbook"
                f" with a password, or another document ({shown(error, 120)}).",
                hint="Open it in Excel, take the password off if it has one, and save it as .xlsx.",
            )
    return TableError(
        f"'{source.name}' is a damaged Excel file ({type(error).__name__}: {shown(error, 120)}).",
        hint="Open it in Excel and save it again.",
    )


def _read_sheet(source: FileSource, wanted: str | None, limits: Limits) -> tuple[str, _Cells, tuple[str, ...]]:
    """Return a sheet's name, its rows that hold anything, and the other sheets."""
    name = source.name
    with source.open() as stream:
        zipped = is_zip(stream.read(8))
        if zipped:
            check_sizes(stream, name, limits)
        stream.seek(0)
        book = CalamineWorkbook.from_filelike(stream)
        sheets = {
            at: found.name for at, found in enumerate(book.sheets_metadata) if found.typ == SheetTypeEnum.WorkSheet
        }
        if not sheets:
            raise TableError(
                f"'{name}' is a damaged Excel file: it has no sheet.", hint="Open it in Excel and save it again."
            )
        titles = list(sheets.values())
        if wanted is not None and wanted not in titles:
            listed = ", ".join(f"'{shown(title)}'" for title in titles[:_LISTED])
            more = f" and {len(titles) - _LISTED} more" if len(titles) > _LISTED else ""
            raise TableError(
                f"'{name}' has no sheet '{shown(wanted)}'.", hint=f"Its sheets are: {listed}{more}.", option="sheet"
            )
        chosen, cells = wanted or titles[0], _Cells(name, limits)
        for at, title in sheets.items():
            if wanted in (None, title):
                look = look_at_sheet(stream, name, at, limits) if zipped else SheetLook()
                cells.take(book.get_sheet_by_index(at), look)
                if cells.blocks or wanted is not None:
                    chosen = title
                    break
    return chosen, cells, tuple(title for title in titles if title != chosen)


def _divide(sheet: str, cells: _Cells, others: tuple[str, ...], wanted: Dialect, name: str) -> ExcelSheet:
    """Tell title lines, header and data apart."""
    head = list(zip(*(column[:_SAMPLE_ROWS].to_pylist() for column in cells.blocks[0]), strict=True))
    start = table_start(head)
    width = _width(cells.blocks, start)
    head = [row[:width] for row in head]
    two = None if wanted.header is False else find_two_lines(head, start)
    start, first = two or (start, head[start])
    issues = lines_above(head[: start - bool(two)], first if two else None)
    header = wanted.header if wanted.header is not None else bool(two) or find_header(first, head[start + 1 :])
    names, found = clean_names(first) if header else (numbered_names(width), ())
    if cells.n_rounded:
        text = (
            f"{cells.n_rounded:,} cell(s) hold whole numbers beyond {_EXACT:,}, of which Excel keeps 15 digits; store"
        )
        issues.append(Issue("rounded_numbers", f"{text} numbers that name something as text."))
    if cells.n_durations:
        what = count_words(
            cells.n_durations, "cell holds a length of time and is", "cells hold lengths of time and are"
        )
        issues.append(Issue("durations", f"{what} read as seconds: 1:30 hours are 5400.", severity=Severity.INFO))
    if cells.n_formulas:
        issues.append(_formulas_issue(cells.n_formulas, cells.first_formula))
    if not header and wanted.header is None:
        issues.append(
            Issue(
                "no_header",
                f"The first row of '{name}' looks like data. If it holds the names, read the file again with its first"
                " line as column names.",
            )
        )
    if others and wanted.sheet is None:
        text = f"Sheet '{shown(sheet)}' was read; {_choose(others)}"
        issues.append(Issue("sheet", text, severity=Severity.INFO))
    unnamed = {issue.column for issue in found if issue.code == "unnamed_column" and issue.column}
    if not header:
        unnamed = set(names)
    dialect = Dialect("excel", decimal=".", header=header, sheet=sheet)
    return ExcelSheet(names, frozenset(unnamed), dialect, (*issues, *found), tuple(cells.blocks), start + header)


def _formulas_issue(count: int, first: str) -> Issue:
    """Say that values of formulas are missing because no program has calculated them."""
    what = "cell holds a formula that was" if count == 1 else "cells hold formulas that were"
    where = f", the first is {first}" if first else ""
    text = f"{count:,} {what} never calculated and {'is' if count == 1 else 'are'} read as missing{where}."
    return Issue("formulas_without_values", f"{text} Open the file in Excel and save it again.")


def _width(blocks: Sequence[tuple[pa.Array, ...]], start: int) -> int:
    """Return the number of columns up to the last that holds anything below the lines above the table."""
    for width in range(len(blocks[0]), 1, -1):
        columns = (block[width - 1][0 if at else start :] for at, block in enumerate(blocks))
        if any(pc.any(pc.not_equal(column, "")).as_py() for column in columns):
            return width
    return 1


def _choose(others: Sequence[str]) -> str:
    """Say which other sheets there are."""
    if not others:
        return "The workbook has no other sheet."
    listed = ", ".join(f"'{shown(title)}'" for title in others[:_LISTED])
    return f"the workbook also has {listed}{' and more' if len(others) > _LISTED else ''}."
