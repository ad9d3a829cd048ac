"""A cheap look at the zip of a workbook before a library opens it: what it unpacks to, how far its cells reach, errors.

The library keeps a sheet as a rectangle, so that one value far away costs as much as a full sheet, and it drops what
cells with errors say. A formula that was never calculated is an empty cell to it.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import BinaryIO

from proset.common.errors import TableError
from proset.common.words import shown
from proset.data.reading.dialect import Limits, in_megabytes, too_many_columns

_MOST_CELLS = 5_000_000
_MOST_PLACES = 20_000_000  # 24 bytes each, empty or not
_BLOCK, _LONGEST_CELL = 1 << 20, 1 << 23
_ALWAYS_READ = re.compile(r"(?i)xl/(workbook|sharedStrings|styles|_rels/workbook\.xml)\.(xml|bin|rels)|content\.xml")
_WORKBOOK, _RELATIONS = "xl/workbook.xml", "xl/_rels/workbook.xml.rels"
_SHEET = re.compile(rb"<(?:\w+:)?sheet\s[^>]*?\w:id=[\"']([^\"']+)")
_RELATION = re.compile(rb"<(?:\w+:)?Relationship\s[^>]*>")
_ATTRIBUTE = re.compile(rb"\b(Id|Target)=[\"']([^\"']*)")
_HOLDS = rb"[^>]*(?<!/)>(?!</)"
_CELL = re.compile(rb" r=\"([A-Z]+)([0-9]+)\"" + _HOLDS)
_ROW = re.compile(rb" r=\"([0-9]+)\"[^>]*>\s*<(?:\w+:)?c(?![^>]*\sr=)" + _HOLDS)  # its cells have no places
_ERROR = re.compile(
    rb"<(?:\w+:)?c\s(?=[^>]*\bt=\"e\")[^>]*?\br=\"([A-Z]+)([0-9]+)\"[^>]*>"
    rb"(?:(?!</?(?:\w+:)?c[ >]).)*?<(?:\w+:)?v>([^<]{1,30})<",  # a formula may stand before
    re.DOTALL,
)
_FORMULA = re.compile(  # without its value; no part runs across the beginning of a tag, which would cost time
    rb"<(?:\w+:)?c\b([^<>]*)>\s*<(?:\w+:)?f\b[^<>]*(?:/>|>[^<]*</(?:\w+:)?f>)"
    rb"\s*(?:<(?:\w+:)?v\s*(?:/>|>\s*</(?:\w+:)?v>)\s*)?</(?:\w+:)?c>"
)
_TEXT, _PLACE = re.compile(rb"\bt=[\"']str[\"']"), re.compile(rb"\br=[\"']([A-Z]+[0-9]+)[\"']")


@dataclass
class SheetLook:
    """Extent of the cells of a sheet that hold anything, and those of them that hold errors.

    Attributes
    ----------
    n_rows, n_columns : int
        Number of the last row and of the last column.
    n_cells : int
        Cells that hold anything.
    errors : dict of int to dict of int to str
        By row and column, counted from 0, what a cell with an error says, such as "#N/A".
    n_formulas, first_formula : int, str
        Cells with a formula whose value is not stored, and the place of the first, such as "B2", if it says so.
    """

    n_rows: int = 0
    n_columns: int = 0
    n_cells: int = 0
    errors: dict[int, dict[int, str]] = field(default_factory=dict)
    n_formulas: int = 0
    first_formula: str = ""

    def add(self, block: bytes) -> None:
        """Take over whole cells of the sheet's XML."""
        places = _CELL.findall(block)
        self.n_columns = max(self.n_columns, *map(_column, {letters for letters, _ in places}), 0)
        rows = {int(row) for row in {row for _, row in places}.union(_ROW.findall(block))}
        self.n_rows = max(self.n_rows, *rows, 0)
        prefixed = block.count(b":v>") + block.count(b":is>")  # where elements begin and where they end
        self.n_cells += block.count(b"</v>") + block.count(b"</is>") + prefixed // 2
        if b't="e"' in block:
            for letters, row, text in _ERROR.findall(block):
                self.errors.setdefault(int(row) - 1, {})[_column(letters) - 1] = text.decode("ascii", "replace")
        if b"<f" in block or b":f" in block:
            for found in _FORMULA.finditer(block):
                if not _TEXT.search(found[1]):  # a text may be empty
                    if self.n_formulas == 0 and (place := _PLACE.search(found[1])):
                        self.first_formula = place[1].decode()
                    self.n_formulas += 1

    def check(self, name: str, limits: Limits) -> None:
        """Refuse a sheet that is too large; raises :class:`~proset.common.errors.TableError`."""
        hint = "Keep fewer rows or columns, or save the sheet as CSV or Parquet."
        if self.n_columns > limits.max_columns:
            raise too_many_columns(name, self.n_columns, limits.max_columns)
        if self.n_cells > _MOST_CELLS:
            raise TableError(
                f"'{name}' is too large for a workbook: it has more than {_MOST_CELLS:,} cells.", hint=hint
            )
        if self.n_rows * max(self.n_columns, 1) > _MOST_PLACES:
            raise TableError(
                f"The cells of '{name}' reach across {self.n_columns:,} column(s) down to row {self.n_rows:,}, most of"
                " them empty.",
                hint="Delete what stands far below or far beside the table, or save the sheet as CSV.",
            )


def check_sizes(stream: BinaryIO, name: str, limits: Limits, parts: tuple[str, ...] = ()) -> None:
    """Refuse a zip whose directory says that a sheet and what is always read unpack to more than is allowed."""
    total = 0
    with zipfile.ZipFile(stream) as archive:
        for part in archive.infolist():
            if part.filename not in parts and not _ALWAYS_READ.fullmatch(part.filename):
                continue
            total += part.file_size
            if total > limits.max_bytes:
                raise TableError(
                    f"'{name}' unpacks to {in_megabytes(total)} up to its part '{shown(part.filename)}'; the limit is"
                    f" {in_megabytes(limits.max_bytes)}.",
                    hint="Keep fewer rows or columns, or save the sheet as CSV or Parquet.",
                )


def look_at_sheet(stream: BinaryIO, name: str, number: int, limits: Limits) -> SheetLook:
    """Look through the XML of one sheet.

    Parameters
    ----------
    stream : BinaryIO
        The zip.
    name : str
        What to call the file in a message.
    number : int
        Position of the sheet, from 0.
    limits : Limits
        The size that is allowed.

    Returns
    -------
    SheetLook
        Empty where the sheet cannot be found, as in workbooks of other kinds than .xlsx.

    Raises
    ------
    TableError
        If the sheet unpacks to too much, or its cells are too many or reach too far.
    """
    look = SheetLook()
    with zipfile.ZipFile(stream) as archive:
        part = _part_of(archive, number)
        if part is None:
            return look
        check_sizes(stream, name, limits, (part,))
        for block in _whole_cells(archive, part):
            look.add(block)
            if look.n_cells > _MOST_CELLS or look.n_columns > limits.max_columns:
                break
    look.check(name, limits)
    return look


def _part_of(archive: zipfile.ZipFile, number: int) -> str | None:
    """Return the part of the zip that holds a sheet."""
    if not {_WORKBOOK, _RELATIONS} <= archive.NameToInfo.keys():
        return None
    sheets = _SHEET.findall(archive.read(_WORKBOOK))
    relations = (dict(_ATTRIBUTE.findall(found)) for found in _RELATION.findall(archive.read(_RELATIONS)))
    target = {found.get(b"Id"): found.get(b"Target", b"") for found in relations}.get(
        sheets[number] if number < len(sheets) else None, b""
    )
    part = str(PurePosixPath("/xl") / target.decode("utf-8", "replace"))[1:]
    return part if part in archive.NameToInfo else None


def _whole_cells(archive: zipfile.ZipFile, part: str) -> Iterator[bytes]:
    """Yield the XML of a sheet in pieces that end with a cell."""
    held = b""
    with archive.open(part) as stream:
        while block := stream.read(_BLOCK):
            held += block
            cut = held.rfind(b"c>") + 2
            if cut > 1 or len(held) > _LONGEST_CELL:
                yield held[:cut] if cut > 1 else held
                held = held[cut:] if cut > 1 else b""
    yield held


def _column(letters: bytes) -> int:
    """Return 1 for "A", 27 for "AA"."""
    number = 0
    for letter in letters[:8]:
        number = number * 26 + letter - 64
    return number
