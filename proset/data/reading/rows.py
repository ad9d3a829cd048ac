"""Rows of text on their way from a file to a table.

A row with too few fields is filled with missing values, a row with too many is set aside, and both are counted: a row
is never shifted in silence.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from proset.common.errors import TableError
from proset.common.words import count_words
from proset.data.issues import Issue
from proset.data.reading.dialect import Dialect
from proset.data.reading.names import replaced_characters

_MAX_LISTED = 5


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

    def part(self, which: slice) -> TextBatch:
        """Return some of the rows."""
        return TextBatch(self.rows[which], tuple(column[which] for column in self.columns))


@dataclass(frozen=True)
class TextRows(ABC):
    """Rows of text, from delimited text or a workbook, that can be gone through again and again.

    Attributes
    ----------
    names : tuple of str
        The columns.
    unnamed : frozenset of str
        Those whose name is not from the file, so that they mean nothing if they hold nothing.
    dialect : Dialect
        How the file is written.
    issues : tuple of Issue
        What a person should know so far.
    """

    names: tuple[str, ...]
    unnamed: frozenset[str]
    dialect: Dialect
    issues: tuple[Issue, ...]

    @abstractmethod
    def batches(self, ragged: RaggedRows) -> Iterator[TextBatch]:
        """Yield the rows in order, some thousand at a time.

        Parameters
        ----------
        ragged : RaggedRows
            Is told of every row that is too short or too long.

        Raises
        ------
        TableError
            If the text is damaged: a quote that never ends, bytes of another encoding.
        """


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
    last : int or None
        Row id of the last row of the table; short rows below it are none.
    n_divided, divided : int, list of int
        Rows that have the right number of fields if they are divided at another mark, and the first of their row ids.
    mark : str
        The mark of the first of them.
    n_swallowed, n_lines, swallowed : int, int, list of int
        Rows with a value that holds lines of the file which look like rows, how many such lines, and the first of these
        rows.
    """

    n_short: int = 0
    n_long: int = 0
    short: list[int] = field(default_factory=list)
    long: list[int] = field(default_factory=list)
    n_mended: int = 0
    last: int | None = None
    n_divided: int = 0
    divided: list[int] = field(default_factory=list)
    mark: str = ""
    n_swallowed: int = 0
    n_lines: int = 0
    swallowed: list[int] = field(default_factory=list)

    def add_swallowed(self, row: int, n_lines: int) -> None:
        """Count a row that holds others in one of its values."""
        self.n_swallowed, self.n_lines = self.n_swallowed + 1, self.n_lines + n_lines
        if len(self.swallowed) < _MAX_LISTED:
            self.swallowed.append(row)

    def add_divided(self, row: int, mark: str) -> None:
        """Count a row that was divided at another mark than the rest."""
        self.n_divided, self.mark = self.n_divided + 1, self.mark or mark
        if len(self.divided) < _MAX_LISTED:
            self.divided.append(row)

    def add_short(self, row: int) -> None:
        """Count a row with too few fields."""
        if self.last is not None and row > self.last:
            return
        self.n_short += 1
        if len(self.short) < _MAX_LISTED:
            self.short.append(row)

    def add_long(self, row: int) -> None:
        """Count a row with too many fields."""
        self.n_long += 1
        if len(self.long) < _MAX_LISTED:
            self.long.append(row)

    def issues(self, width: int, n_rows: int) -> tuple[Issue, ...]:
        """Say what happened to them.

        Parameters
        ----------
        width, n_rows : int
            Number of columns and rows of the table.

        Returns
        -------
        tuple of Issue
            Empty if every row had the right length.

        Examples
        --------
        >>> RaggedRows(n_short=1, short=[7]).issues(3, 9)[0].message
        '1 row has fewer than 3 fields and was filled up with missing values: row 7.'
        """
        found = []
        if self.n_swallowed:
            lines, rows = ("line", "looks like a row") if self.n_lines == 1 else ("lines", "look like rows")
            text = f"{self.n_lines} {lines} of the file that {rows} ended up within a value of "
            text += f"{_listed(self.swallowed, self.n_swallowed)[:-1]}, between two quote marks. One of these marks is "
            text += "probably a stray one: take it out of the file and read it again."
            found.append(Issue("swallowed_rows", text))
        if self.n_divided:
            have, them = ("has", "it was") if self.n_divided == 1 else ("have", "they were")
            text = f"{count_words(self.n_divided, 'row')} {have} '{self.mark}' between fields where the others have"
            text += f" another mark; {them} read so: {_listed(self.divided, self.n_divided)}"
            found.append(Issue("divided_rows", text))
        if self.n_short:
            have, were = ("has", "was") if self.n_short == 1 else ("have", "were")
            text = f"{count_words(self.n_short, 'row')} {have} fewer than {count_words(width, 'field')} "
            text += f"and {were} filled up with missing values: "
            cut = " It is the last one: the file may have been cut off." if self.short == [n_rows] else ""
            found.append(Issue("short_rows", text + _listed(self.short, self.n_short) + cut))
        if self.n_long:
            have, were = ("has", "was") if self.n_long == 1 else ("have", "were")
            text = f"{count_words(self.n_long, 'row')} {have} more than {count_words(width, 'field')} "
            text += f"and {were} set aside: "
            found.append(Issue("long_rows", text + _listed(self.long, self.n_long)))
        return (*found, *replaced_characters(self.n_mended, "place(s)"))


def too_many_odd(ragged: RaggedRows, n_rows: int, width: int, name: str) -> TableError:
    """Build the refusal of a table most of whose rows do not fit its first ones."""
    odd, how = (
        (ragged.n_long, "more than") if ragged.n_long > n_rows / 2 else (ragged.n_short + ragged.n_long, "other than")
    )
    return TableError(
        f"{odd} of {n_rows} rows of '{name}' have {how} {width} fields.",
        hint="Check the delimiter and that the header names every column.",
    )


def _listed(numbers: list[int], count: int) -> str:
    """Spell out row numbers."""
    more = f" and {count - len(numbers)} more" if count > len(numbers) else ""
    return f"{'row' if count == 1 else 'rows'} {', '.join(map(str, numbers))}{more}."
