"""The rows of an Excel sheet as text, read as a stream.

Every cell becomes the text that reads back as the same value. Cells without a value cost nothing, wherever they are,
and neither do the numbers that a sheet gives its rows: a row a billion lines further down is the next row.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from proset.common.errors import TableError
from proset.common.words import shown
from proset.data.reading.delimited import too_many_columns
from proset.data.reading.dialect import Limits, in_megabytes
from proset.data.reading.xlsx_package import Enough, Handler, too_much
from proset.data.reading.xlsx_parts import Strings, unescape

_MOST_CELLS = 5_000_000
_DAY = dt.timedelta(days=1)
_EPOCH, _EPOCH_1904 = dt.datetime(1899, 12, 30), dt.datetime(1904, 1, 1)
_FAULTY_LEAP_YEAR = 60  # Excel believes in 29 February 1900; numbers before it are off by one

Row = list[str]


@dataclass(frozen=True)
class CellWords:
    """What the cells of a workbook refer to.

    Attributes
    ----------
    strings : Strings
        Shared strings.
    styles : tuple of str
        Kind of each format, from :func:`~proset.data.reading.xlsx_parts.read_date_styles`.
    from_1904 : bool
        Whether days count from 1904.
    """

    strings: Strings
    styles: tuple[str, ...]
    from_1904: bool

    def text(self, kind: str, style: str, value: str) -> str:
        """Return the text that reads back as the same value.

        Parameters
        ----------
        kind : str
            Type of the cell: "n" (number), "s" (shared string), "b", "e", "str", "d" (date).
        style : str
            Number of its format.
        value : str
            What the file holds.

        Raises
        ------
        ValueError
            If the value is none of its type.
        IndexError
            If there is no such string or format.
        """
        if kind == "n":
            form = self.styles[int(style)] if style and self.styles else ""
            return _number(value) if not form else self._moment(float(value), span=form == "span")
        if kind == "s":
            return self.strings.texts[_not_negative(value)]
        if kind == "b":
            return "TRUE" if value.strip() in ("1", "true") else "FALSE"
        return _plain_moment(value.strip()) if kind == "d" else value

    def _moment(self, value: float, *, span: bool) -> str:
        """Spell a number of days as a date, a time of day or, for a length of time, as seconds."""
        if span:
            return repr(round(value * 86_400, 3))
        try:
            milliseconds = round(value * 86_400_000)
            if 0 <= milliseconds < 86_400_000:
                return (_EPOCH + dt.timedelta(milliseconds=milliseconds)).time().isoformat()
            early = 0 < value < _FAULTY_LEAP_YEAR and not self.from_1904
            epoch = _EPOCH_1904 if self.from_1904 else _EPOCH
            return _spelled(epoch + early * _DAY + dt.timedelta(milliseconds=milliseconds))
        except (OverflowError, ValueError):  # no date: Excel shows a row of hashes
            return "#VALUE!"


def _not_negative(value: str) -> int:
    """Return the number of a string."""
    number = int(value)
    if number < 0:
        raise IndexError(value)
    return number


def _number(value: str) -> str:
    """Spell a number with as few digits as tell it apart."""
    if value.isdecimal() and value.isascii() and value[0] != "0":
        return value
    if not value.strip():
        return ""
    try:
        return str(int(value))
    except ValueError:
        return repr(float(value))


def _plain_moment(value: str) -> str:
    """Spell a date that the file holds as text."""
    try:
        return _spelled(dt.datetime.fromisoformat(value))
    except ValueError:
        return value


def _spelled(moment: dt.datetime) -> str:
    """Leave midnight out."""
    return moment.date().isoformat() if moment.time() == dt.time() else moment.isoformat(sep=" ")


@dataclass
class SheetCells(Handler):
    """Goes through the cells of a sheet and hands over every row that holds anything.

    Attributes
    ----------
    words : CellWords
        What cells refer to.
    name : str
        What to call the file in a message.
    limits : Limits
        Columns, and bytes of text.
    take : callable
        Is given each row as texts, without empty ones at its end; may raise
        :class:`~proset.data.reading.xlsx_package.Enough`.
    """

    words: CellWords
    name: str
    limits: Limits
    take: Callable[[Row], None]
    n_mended: int = 0
    _row: Row = field(default_factory=list)
    _columns: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Say which elements matter."""
        super().__init__()
        self._at = self._next = self._n_cells = self._size = 0
        self._cell: dict[str, str] = {}
        self._inline: list[str] = []
        self._aside = False
        self.begins = {"row": self._begin_row, "c": self._begin_cell, "rPh": lambda _: self._set_aside(True)}
        self.ends = {"row": self._end_row, "c": self._end_cell, "v": self._end_value, "t": self._end_piece}
        self.ends |= {"rPh": lambda: self._set_aside(False), "sheetData": self._stop}
        self._value = ""

    def _stop(self) -> None:
        raise Enough

    def _begin_row(self, _: dict[str, str]) -> None:
        self._row, self._next = [], 0

    def _end_row(self) -> None:
        if self._row:
            self.take(self._row)

    def _begin_cell(self, attributes: dict[str, str]) -> None:
        self._cell, self._value = attributes, ""
        if self._inline:
            self._inline.clear()
        self._n_cells += 1
        if self._n_cells > _MOST_CELLS:
            raise too_much(self.name, f"more than {_MOST_CELLS:,} cells")

    def _set_aside(self, aside: bool) -> None:
        self._aside = aside

    def _end_value(self) -> None:
        self._value = "".join(self.texts)

    def _end_piece(self) -> None:
        if not self._aside:
            self._inline += self.texts

    def _end_cell(self) -> None:
        """Put the text of a cell where it belongs."""
        cell = self._cell
        place = cell.get("r")
        at = self._next if place is None else self._column(place)
        self._next = at + 1
        if self._inline:
            text, mended = unescape("".join(self._inline))
            self.n_mended += mended
        elif not self._value:
            return
        else:
            try:
                text = self.words.text(cell.get("t", "n"), cell.get("s", ""), self._value)
            except (ValueError, IndexError) as error:
                where = f"Cell {shown(place)}" if place else "A cell"
                raise TableError(
                    f"{where} of '{self.name}' holds '{shown(self._value)}', which is no value of its type.",
                    hint="Open the file in Excel and save it again.",
                ) from error
        if text:
            self._put(at, text)

    def _put(self, at: int, text: str) -> None:
        """Keep a text, if there is room for it."""
        if at >= self.limits.max_columns:
            raise too_many_columns(self.name, at + 1, self.limits.max_columns)
        self.filled += 1
        self._size += len(text)
        if self._size > self.limits.max_bytes:
            raise too_much(self.name, f"more than {in_megabytes(self.limits.max_bytes)} of text")
        row = self._row
        if at < len(row):
            row[at] = text
        else:
            row.extend([""] * (at - len(row)))
            row.append(text)

    def _column(self, place: str) -> int:
        """Return the column of a reference such as "AB12", counted from 0."""
        letters = place.rstrip("0123456789")
        if letters not in self._columns:
            if not 1 <= len(letters) <= 3 or not (letters.isascii() and letters.isalpha() and letters.isupper()):
                raise TableError(
                    f"'{self.name}' has a cell in the impossible place '{shown(place)}'.",
                    hint="Open the file in Excel and save it again.",
                )
            self._columns[letters] = _column_number(letters)
        return self._columns[letters]


def _column_number(letters: Sequence[str]) -> int:
    """Return 0 for "A", 26 for "AA"."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1
