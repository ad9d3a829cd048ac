"""The rows of delimited text, each where it belongs: one pass over the file with Arrow."""

from __future__ import annotations

import csv
import io
from collections import deque
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from proset.common.errors import TableError
from proset.common.words import shown
from proset.data.reading.rows import RaggedRows, TextBatch, too_many_odd
from proset.data.reading.sniff import DELIMITERS, Layout
from proset.data.reading.utf8_stream import Utf8Stream

_BLOCK_SIZE = 1 << 23
_FEWEST_FIELDS = 3  # of a table with fewer columns a mark in a text would be taken for one between fields
_FEW_ODD = 100_000  # rows that do not fit, from which on the reading stops where most are like that


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
        """Yield the rows in order, the header left out; raises TableError if the text is damaged."""
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
                ready = self._ready(batch)
                if self._fault is not None:  # only now all rows before it are known
                    raise self._where_it_began(self._fault)
                if ready is not None:
                    last = ready
                    yield ready
        except pa.ArrowInvalid as error:
            raise self._where_it_began(self._fault or self._explained(error)) from error
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
                self._fault = self._fault or _open_quote(number, self._name, fields[-1])
            elif len(lines := text.splitlines()) > 1 and {line.count(layout.delimiter) for line in lines} == {
                layout.width - 1
            }:
                self._ragged.add_swallowed(number, len(lines) - 1)
        else:
            fields = text.rstrip("\r\n").split(layout.delimiter)
        if (divided := _divided_otherwise(text, layout)) is not None:
            mark, own = divided
            self._ragged.add_divided(number, mark)
            self._odd.append((row.number, own))
            return "skip"
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
        if not len(rows):
            return None
        batch = TextBatch(rows, tuple(column[start:] for column in columns))
        for row, n_lines in _swallowed(batch, self._layout):
            self._ragged.add_swallowed(row, n_lines)
        return batch

    def _check_end(self, last: TextBatch | None) -> None:
        """Refuse a file whose last value opened a quote and ran on to the end."""
        if self._fault is not None:
            raise self._where_it_began(self._fault)
        if last is None or self._stream.tail.endswith(self._layout.quote.encode()):
            return
        value = last.columns[-1][-1].as_py() or ""
        if "\n" in value.rstrip() or "\r" in value.rstrip():
            raise self._where_it_began(_open_quote(int(last.rows[-1]), self._name, value))

    def _where_it_began(self, error: TableError) -> TableError:
        """Name the first row that holds others, after which all quotes are taken the wrong way round."""
        if not self._ragged.swallowed:
            return error
        first = f"a value of row {min(self._ragged.swallowed)} holds other rows."
        return TableError(f"{error.message} A quote mark before it may be the stray one: {first}", hint=error.hint)

    def _explained(self, error: pa.ArrowInvalid) -> TableError:
        """Put Arrow's words into plain ones."""
        if "straddling" in str(error):
            return _open_quote(self._next - self._header_rows, self._name)
        return TableError(
            f"'{self._name}' cannot be read as delimited text ({shown(error, 120)}).",
            hint="Check the delimiter and the quotes.",
        )


def _swallowed(batch: TextBatch, layout: Layout) -> Iterator[tuple[int, int]]:
    """Yield rows with a value that holds others, as one does between a stray quote mark and the next; and how many.

    Without the marks, the first of its lines would complete a row, the last one begin another, and those between be
    rows as they stand. Texts of several lines are none of that; in those of two it may be chance.
    """
    if layout.width < _FEWEST_FIELDS:
        return
    others = layout.width - 1
    for place, column in enumerate(batch.columns):
        if not _has_lines(column):
            continue
        for at in np.flatnonzero(pc.match_substring(column, "\n").to_numpy(zero_copy_only=False)):
            counts = [line.count(layout.delimiter) for line in column[at].as_py().splitlines()]
            if len(counts) > 2 and counts == [others - place, *[others] * (len(counts) - 2), place]:
                yield int(batch.rows[at]), len(counts) - 1


def _has_lines(column: pa.Array) -> bool:
    """Tell whether any value may hold a line break, by a look at all characters at once."""
    characters = column.buffers()[2]
    return characters is not None and bool((np.frombuffer(characters, np.uint8) == ord("\n")).any())


def _divided_otherwise(text: str, layout: Layout) -> tuple[str, list[str]] | None:
    """Return another mark that divides a line into as many fields as the table has columns, and these fields."""
    if layout.width < _FEWEST_FIELDS or layout.quote in text:
        return None
    line = text.rstrip("\r\n")
    for mark in DELIMITERS[:-1]:  # spaces stand in any text
        if mark != layout.delimiter and line.count(mark) == layout.width - 1:
            return mark, line.split(mark)
    return None


def _fields(text: str, layout: Layout) -> list[str]:
    """Cut a row with quotes into its fields."""
    try:
        return next(csv.reader(io.StringIO(text, newline=""), delimiter=layout.delimiter, quotechar=layout.quote))
    except csv.Error:  # a field of more than 131,072 characters
        return text.rstrip("\r\n").split(layout.delimiter)


def _open_quote(row: int, name: str, value: str | None = None) -> TableError:
    """Say that a quote is never closed, in a row or after it; the value is found where rows are no lines of a file."""
    where = f"{'after' if value is None else 'in'} row {max(row, 1)}"
    begins = "" if value is None else f" It begins with '{shown(value.strip().partition(chr(10))[0], 40)}'."
    return TableError(
        f"A quoted value that begins {where} of '{name}' does not end.{begins}",
        hint="Close the quote, or remove a stray quote mark at the beginning of a field.",
    )
