"""The rows of delimited text, each where it belongs.

A row with too few fields is filled with missing values, a row with too many is set aside, and both are counted: a row
is never shifted in silence.
"""

from __future__ import annotations

import csv
import io
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv

from proset.common.errors import TableError
from proset.common.words import count_words, shown
from proset.data.issues import Issue
from proset.data.reading.names import replaced_characters
from proset.data.reading.sniff import Layout
from proset.data.reading.utf8_stream import Utf8Stream

_BLOCK_SIZE = 1 << 23
_MAX_LISTED = 5
_FEW_ODD = 100_000  # rows that do not fit, from which on the reading stops where most are like that


@dataclass(frozen=True)
class TextBatch:
    """Some rows of a table as text.

    Attributes
    ----------
    rows : ndarray of int64, shape (n,)
        Row ids, ascending; 1 is the first data row of the file.
    columns : tuple of pyarrow.Array of str, each of shape (n,)
        The fields, column by column.
    """

    rows: np.ndarray[Any, np.dtype[np.int64]]
    columns: tuple[pa.Array, ...]


@dataclass
class RaggedRows:
    """Rows with another number of fields than the table has columns.

    Attributes
    ----------
    n_short, n_long : int
        How many were filled up and how many were set aside.
    short, long : list of int
        The first of their row ids.
    n_mended : int
        Characters that were replaced because no text can hold them.
    """

    n_short: int = 0
    n_long: int = 0
    short: list[int] = field(default_factory=list)
    long: list[int] = field(default_factory=list)
    n_mended: int = 0

    def add_short(self, row: int) -> None:
        """Count a row with too few fields."""
        self.n_short += 1
        if len(self.short) < _MAX_LISTED:
            self.short.append(row)

    def add_long(self, row: int) -> None:
        """Count a row with too many fields."""
        self.n_long += 1
        if len(self.long) < _MAX_LISTED:
            self.long.append(row)

    def issues(self, width: int) -> tuple[Issue, ...]:
        """Say what happened to them.

        Parameters
        ----------
        width : int
            Number of columns of the table.

        Returns
        -------
        tuple of Issue
            Empty if every row had the right length.

        Examples
        --------
        >>> RaggedRows(n_short=1, short=[7]).issues(3)[0].message
        '1 row has fewer than 3 fields and was filled up with missing values: row 7.'
        """
        found = []
        if self.n_short:
            have, were = ("has", "was") if self.n_short == 1 else ("have", "were")
            text = f"{count_words(self.n_short, 'row')} {have} fewer than {count_words(width, 'field')} "
            text += f"and {were} filled up with missing values: "
            found.append(Issue("short_rows", text + _listed(self.short, self.n_short)))
        if self.n_long:
            have, were = ("has", "was") if self.n_long == 1 else ("have", "were")
            text = f"{count_words(self.n_long, 'row')} {have} more than {count_words(width, 'field')} "
            text += f"and {were} set aside: "
            found.append(Issue("long_rows", text + _listed(self.long, self.n_long)))
        return (*found, *replaced_characters(self.n_mended, "place(s)"))


class TextReader:
    """One pass over a text; keeps the rows that Arrow hands back until the batch they belong to.

    Parameters
    ----------
    stream : Utf8Stream
        The text, from the first row of the table on.
    layout : Layout
        How it is written.
    name : str
        What to call the file in a message.
    ragged : RaggedRows
        Is told of every row that is too short or too long.
    """

    def __init__(self, stream: Utf8Stream, layout: Layout, name: str, ragged: RaggedRows) -> None:
        self._stream, self._layout, self._name, self._ragged = stream, layout, name, ragged
        self._header_rows = int(layout.header)
        self._odd: deque[tuple[int, list[str] | None]] = deque()  # number of the record, its fields if they are kept
        self._next = 1
        self._fault: TableError | None = None

    def batches(self) -> Iterator[TextBatch]:
        """Yield the rows in order, the header left out.

        Yields
        ------
        TextBatch
            Some thousand rows.

        Raises
        ------
        TableError
            If a quote never ends or the text cannot be read otherwise.
        """
        names = [str(position) for position in range(self._layout.width)]
        last: TextBatch | None = None
        try:
            reader = pacsv.open_csv(
                io.BufferedReader(self._stream, _BLOCK_SIZE),
                read_options=pacsv.ReadOptions(column_names=names, block_size=_BLOCK_SIZE, use_threads=False),
                parse_options=pacsv.ParseOptions(
                    delimiter=self._layout.delimiter,
                    quote_char=self._layout.quote,
                    newlines_in_values=True,
                    invalid_row_handler=self._keep,
                ),
                convert_options=pacsv.ConvertOptions(
                    column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False
                ),
            )
            for batch in reader:
                if (ready := self._ready(batch)) is not None:
                    last = ready
                    yield ready
        except pa.ArrowInvalid as error:
            raise self._fault or self._explained(error) from error
        self._check_end(last)
        self._ragged.n_mended = self._stream.n_mended
        if (rest := self._rest()) is not None:
            yield rest

    def _keep(self, row: pacsv.InvalidRow) -> str:
        """Keep a row with another number of fields; Arrow leaves it out."""
        number, text, layout = row.number - self._header_rows, row.text, self._layout
        if number < 1:  # a header that does not name the row names
            self._odd.append((row.number, None))
            return "skip"
        if layout.quote in text:
            fields = _fields(text, layout)
            if text.count(layout.quote) % 2 and "\n" in text.rstrip("\r\n").replace("\r", "\n"):
                self._fault = self._fault or _open_quote(number, self._name)
        else:
            fields = text.rstrip("\r\n").split(layout.delimiter)
        excess = len(fields) - layout.width
        if excess > 0 and not any(map(str.strip, fields[layout.width :])):  # empty fields too many are nothing
            self._odd.append((row.number, fields[: layout.width]))
        elif excess < 0:
            self._ragged.add_short(number)
            self._odd.append((row.number, fields + [""] * -excess))
        else:
            self._ragged.add_long(number)
            self._odd.append((row.number, None))
        if self._ragged.n_short + self._ragged.n_long > max(_FEW_ODD, number / 2):
            self._fault = self._fault or too_many_odd(self._ragged, number, layout.width, self._name)
            return "error"
        return "skip"

    def _ready(self, batch: pa.RecordBatch) -> TextBatch | None:
        """Give the rows of a batch their numbers and put the filled-up ones between them."""
        if self._fault is not None:
            raise self._fault
        count = batch.num_rows
        if count == 0:
            return None
        odd = np.fromiter((number for number, _ in self._odd), np.int64, len(self._odd))
        candidates = np.arange(self._next, self._next + count + len(odd), dtype=np.int64)
        regular = candidates[~np.isin(candidates, odd, assume_unique=True)][:count]
        self._next = int(regular[-1]) + 1
        filled = self._filled(self._next)
        numbers, columns = regular, tuple(batch.columns)
        if filled:
            numbers = np.append(regular, np.fromiter(filled, np.int64, len(filled)))
            order = np.argsort(numbers, kind="stable")
            added = zip(*filled.values(), strict=True)
            merged = (
                pa.concat_arrays([old, pa.array(new, pa.string())]) for old, new in zip(columns, added, strict=True)
            )
            columns, numbers = tuple(column.take(pa.array(order)) for column in merged), numbers[order]
        return self._without_header(numbers, columns)

    def _rest(self) -> TextBatch | None:
        """Return the filled-up rows at the end of the file."""
        filled = self._filled(None)
        if not filled:
            return None
        columns = tuple(pa.array(cells, pa.string()) for cells in zip(*filled.values(), strict=True))
        return self._without_header(np.fromiter(filled, np.int64, len(filled)), columns)

    def _filled(self, before: int | None) -> dict[int, list[str]]:
        """Take the odd rows before a record, or all of them, without those that are set aside."""
        filled = {}
        while self._odd and (before is None or self._odd[0][0] < before):
            number, fields = self._odd.popleft()
            if fields is not None:
                filled[number] = fields
        return filled

    def _without_header(
        self, numbers: np.ndarray[Any, np.dtype[np.int64]], columns: tuple[pa.Array, ...]
    ) -> TextBatch | None:
        """Turn numbers of records into row ids."""
        start = int(np.searchsorted(numbers, self._header_rows, side="right"))
        rows = numbers[start:] - self._header_rows
        return TextBatch(rows, tuple(column[start:] for column in columns)) if len(rows) else None

    def _check_end(self, last: TextBatch | None) -> None:
        """Refuse a file whose last value opened a quote and ran on to the end."""
        if self._fault is not None:
            raise self._fault
        if last is None or self._stream.tail.endswith(self._layout.quote.encode()):
            return
        value = last.columns[-1][-1].as_py() or ""
        if "\n" in value.rstrip() or "\r" in value.rstrip():
            raise _open_quote(int(last.rows[-1]), self._name)

    def _explained(self, error: pa.ArrowInvalid) -> TableError:
        """Put Arrow's words into plain ones."""
        if "straddling" in str(error):
            return _open_quote(self._next - self._header_rows, self._name, near=True)
        return TableError(
            f"'{self._name}' cannot be read as delimited text ({shown(error, 120)}).",
            hint="Check the delimiter and the quotes.",
        )


def _fields(text: str, layout: Layout) -> list[str]:
    """Cut a row with quotes into its fields."""
    try:
        return next(csv.reader(io.StringIO(text, newline=""), delimiter=layout.delimiter, quotechar=layout.quote))
    except csv.Error:  # a field of more than 131,072 characters
        return text.rstrip("\r\n").split(layout.delimiter)


def too_many_odd(ragged: RaggedRows, n_rows: int, width: int, name: str) -> TableError:
    """Build the refusal of a table most of whose rows do not fit its first ones."""
    odd, how = (
        (ragged.n_long, "more than") if ragged.n_long > n_rows / 2 else (ragged.n_short + ragged.n_long, "other than")
    )
    return TableError(
        f"{odd} of {n_rows} rows of '{name}' have {how} {width} fields.",
        hint="Check the delimiter and that the header names every column.",
    )


def _open_quote(row: int, name: str, *, near: bool = False) -> TableError:
    """Say that a quote is never closed."""
    where = f"{'after' if near else 'in'} row {max(row, 1)}"
    return TableError(
        f"A quoted value that begins {where} of '{name}' does not end.",
        hint="Close the quote, or remove a stray quote mark at the beginning of a field.",
    )


def _listed(numbers: list[int], count: int) -> str:
    """Spell out row numbers."""
    more = f" and {count - len(numbers)} more" if count > len(numbers) else ""
    return f"{'row' if count == 1 else 'rows'} {', '.join(map(str, numbers))}{more}."
