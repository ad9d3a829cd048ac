"""Reading a sheet of an Excel workbook as columns of text.

Every cell becomes the text that reads back as the same value, so the kinds of the columns are decided as for any other
file. Formulas give the value that Excel stored; macros, links, pictures and styles are never touched.
"""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

import numpy as np
import pyarrow as pa

from proset.common.errors import TableError
from proset.common.words import shown
from proset.data.issues import Issue, Severity
from proset.data.reading.dialect import Dialect, Limits
from proset.data.reading.header import find_header
from proset.data.reading.names import clean_names, numbered_names, replaced_characters
from proset.data.reading.source import FileSource
from proset.data.reading.text_rows import RaggedRows, TextBatch
from proset.data.reading.xlsx_cells import CellWords, Row, SheetCells
from proset.data.reading.xlsx_package import Enough, Package
from proset.data.reading.xlsx_parts import read_date_styles, read_strings, read_workbook

_BLOCK_ROWS = 5_000
_MAX_PREAMBLE = 50
_SAMPLE_ROWS = 400
_LISTED = 5


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
    rows : SheetRows
        All rows that hold anything.
    skip : int
        How many of them stand above the data.
    """

    names: tuple[str, ...]
    unnamed: frozenset[str]
    dialect: Dialect
    issues: tuple[Issue, ...]
    rows: SheetRows
    skip: int

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
        first = 1
        for block in self.rows.blocks(self.skip):
            count = len(block[0])
            empty = [pa.nulls(count, pa.string())] * (len(self.names) - len(block))
            yield TextBatch(np.arange(first, first + count, dtype=np.int64), (*block, *empty))
            first += count


class SheetRows:
    """The rows of a sheet: the first ones as they are, the others packed column by column.

    Parameters
    ----------
    most : int
        Rows after which it is enough.
    """

    def __init__(self, most: int) -> None:
        self.head: list[Row] = []
        self.width = 0
        self._most, self._count = most, 0
        self._open: list[Row] = []
        self._packed: list[tuple[pa.Array, ...]] = []

    def take(self, row: Row) -> None:
        """Add a row; raises :class:`~proset.data.reading.xlsx_package.Enough` after the last one that is wanted."""
        self._count += 1
        if len(self.head) < _SAMPLE_ROWS:
            self.head.append(row)
            return
        self.width = max(self.width, len(row))
        self._open.append(row)
        if len(self._open) == _BLOCK_ROWS:
            self.pack()
        if self._count > self._most:
            raise Enough

    def pack(self) -> None:
        """Pack the rows that are still open."""
        if self._open:
            self._packed.append(_columns(self._open))
            self._open = []

    def blocks(self, skip: int) -> Iterator[tuple[pa.Array, ...]]:
        """Yield the rows as columns, without the first ones; `skip` is less than the number of rows in the head."""
        if skip < len(self.head):
            yield _columns(self.head[skip:])
        yield from self._packed


def _columns(rows: Sequence[Row]) -> tuple[pa.Array, ...]:
    """Turn rows into columns as wide as the widest row."""
    return tuple(pa.array(cells, pa.string()) for cells in zip_longest(*rows, fillvalue=""))


def open_excel(source: FileSource, wanted: Dialect, limits: Limits | None) -> ExcelSheet:
    """Read one sheet.

    Parameters
    ----------
    source : FileSource
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
    name = source.name
    try:
        with source.open() as stream, zipfile.ZipFile(stream) as archive:
            sheet, rows, others, n_mended = _read_sheet(
                Package(archive, name, allowed.max_bytes), wanted.sheet, allowed
            )
    except (TableError, MemoryError):
        raise
    except Exception as error:  # whatever goes wrong in a damaged zip or in damaged XML
        raise TableError(
            f"'{name}' is a damaged Excel file ({type(error).__name__}: {shown(error, 120)}).",
            hint="Open it in Excel and save it again.",
        ) from error
    if not rows.head:
        raise TableError(
            f"Sheet '{shown(sheet)}' of '{name}' is empty.",
            hint=_choose(others)[:1].upper() + _choose(others)[1:],
            option="sheet",
        )
    found = _divide(sheet, rows, others, wanted, name)
    return replace(found, issues=(*found.issues, *replaced_characters(n_mended, "cell(s)"))) if n_mended else found


def _read_sheet(package: Package, wanted: str | None, limits: Limits) -> tuple[str, SheetRows, tuple[str, ...], int]:
    """Return a sheet's name, its rows that hold anything, the other sheets, and how many texts had to be mended."""
    book = read_workbook(package)
    titles = [title for title, _ in book.sheets]
    if not titles:
        raise TableError(
            f"'{package.name}' is a damaged Excel file: it has no sheet.", hint="Open it in Excel and save it again."
        )
    if wanted is not None and wanted not in titles:
        listed = ", ".join(f"'{shown(title)}'" for title in titles[:_LISTED])
        more = f" and {len(titles) - _LISTED} more" if len(titles) > _LISTED else ""
        raise TableError(
            f"'{package.name}' has no sheet '{shown(wanted)}'.", hint=f"Its sheets are: {listed}{more}.", option="sheet"
        )
    strings = read_strings(package, book.strings)
    words = CellWords(strings, read_date_styles(package, book.styles), book.from_1904)
    chosen, rows, n_mended = wanted or (titles[0] if titles else ""), SheetRows(0), strings.n_mended
    for title, part in book.sheets:
        if wanted in (None, title):
            rows = SheetRows(limits.max_rows + _MAX_PREAMBLE)
            cells = SheetCells(words, package.name, limits, rows.take)
            package.read(part, cells)
            rows.pack()
            if rows.head or wanted is not None:
                chosen, n_mended = title, n_mended + cells.n_mended
                break
    return chosen, rows, tuple(title for title in titles if title != chosen), n_mended


def _divide(sheet: str, rows: SheetRows, others: tuple[str, ...], wanted: Dialect, name: str) -> ExcelSheet:
    """Tell title lines, header and data apart."""
    start, issues = _skip_preamble(rows.head)
    first, body = rows.head[start], rows.head[start + 1 :]
    header = wanted.header if wanted.header is not None else find_header(first, body)
    width = max(rows.width, *map(len, rows.head[start:]), 0)
    names, found = clean_names([*first, *[""] * (width - len(first))]) if header else (numbered_names(width), ())
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
    return ExcelSheet(names, frozenset(unnamed), dialect, (*issues, *found), rows, start + header)


def _skip_preamble(records: Sequence[Row]) -> tuple[int, list[Issue]]:
    """Return where the table begins below a title or remarks."""
    filled = [sum(cell.strip() != "" for cell in record) for record in records]
    usual = Counter(filled[len(filled) // 3 :]).most_common(1)[0][0]
    enough = max(2, usual - 1)
    start = next((at for at, count in enumerate(filled[:_MAX_PREAMBLE]) if count >= enough), 0) if usual > 1 else 0
    if start == 0:
        return 0, []
    title = next((cell for cell in records[0] if cell.strip()), "")
    text = f"{start} line(s) above the table were skipped, the first is '{shown(title)}'."
    return start, [Issue("preamble", text, severity=Severity.INFO)]


def _choose(others: Sequence[str]) -> str:
    """Say which other sheets there are."""
    if not others:
        return "The workbook has no other sheet."
    listed = ", ".join(f"'{shown(title)}'" for title in others[:_LISTED])
    return f"the workbook also has {listed}{' and more' if len(others) > _LISTED else ''}."
