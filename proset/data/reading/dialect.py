"""Dialect of a file, and limits on its size."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from proset.common.errors import TableError

MEGABYTE = 1_000_000
LONGEST_WORD = 200
"""Characters of a word that stands for a missing value."""
MOST_WORDS = 100
"""Words for missing values in one column, and in all columns."""
LONGEST_UNIT = 20
"""Characters of a unit that stands beside the numbers of a column."""
MOST_FOOTER = 20
"""Lines below a table that are looked for, or can be left out."""


@dataclass(frozen=True)
class MissingWord:
    """A word or number that stands for a missing value in one table, because a person said so.

    Attributes
    ----------
    text : str
        As it stands in cells, without blanks around it; a number stands for every way to write it.
    column : str or None
        The column where it means that; None for the whole table.

    Examples
    --------
    >>> MissingWord("-999", "dose").column
    'dose'
    """

    text: str
    column: str | None = None

    def __post_init__(self) -> None:
        """Refuse what is no word."""
        if not self.text or self.text != self.text.strip() or len(self.text) > LONGEST_WORD:
            raise ValueError("A word for missing values has 1 to 200 characters and no blanks around it.")


@dataclass(frozen=True)
class ColumnUnit:
    """A unit beside the numbers of one column, such as "kg" in "80.3 kg" or "€" in "€ 1,200", because a person said so.

    Attributes
    ----------
    text : str
        As it stands in cells, before or after the number, without blanks around it.
    column : str
        The column.

    Examples
    --------
    >>> ColumnUnit("kg", "weight").column
    'weight'
    """

    text: str
    column: str

    def __post_init__(self) -> None:
        """Refuse what is no unit."""
        text = self.text
        if not text or text != text.strip() or len(text) > LONGEST_UNIT or text[0].isdigit() or text[0] in ".,+-'":
            raise ValueError(f"A unit has 1 to {LONGEST_UNIT} characters and begins with no digit, sign or mark.")


@dataclass(frozen=True)
class Dialect:
    """The way a file is written: found, or said by a person.

    Every field but ``kind`` may be None. In a dialect that describes a table it then does not apply; in one that is
    handed to :func:`proset.data.chunks.read_chunks` it is to be found.

    Attributes
    ----------
    kind : str
        ``"csv"`` (any delimiter, also compressed with gzip), ``"excel"`` (.xlsx, .xls, .ods) or ``"parquet"``.
    encoding : str or None
        Python's name of the text encoding, such as ``"utf-8"`` or ``"cp1252"``.
    delimiter : str or None
        One character.
    decimal : str or None
        ``"."`` or ``","``.
    header : bool or None
        Whether the first row holds the column names.
    sheet : str or None
        Name of the Excel sheet.
    missing : tuple of MissingWord
        What a person declared to mean "missing"; see :func:`proset.data.missing_words.declare`.
    footer : int or None
        How many of the last rows are no cases and left out, such as a sum: 0 to :data:`MOST_FOOTER`.
    units : tuple of ColumnUnit
        What a person declared to be a unit beside numbers; see :func:`proset.data.missing_words.declare`.

    Examples
    --------
    >>> Dialect("csv", delimiter=";").delimiter
    ';'
    """

    kind: str = "csv"
    encoding: str | None = None
    delimiter: str | None = None
    decimal: str | None = None
    header: bool | None = None
    sheet: str | None = None
    missing: tuple[MissingWord, ...] = ()
    footer: int | None = None
    units: tuple[ColumnUnit, ...] = ()

    def __post_init__(self) -> None:
        """Refuse more words than can be looked for."""
        if any(count > MOST_WORDS for count in Counter(word.column for word in self.missing).values()):
            raise ValueError(f"More than {MOST_WORDS} words are declared to mean missing in one place.")


@dataclass(frozen=True)
class Limits:
    """The largest table that is read at once.

    Attributes
    ----------
    max_bytes : int
        Bytes of the file, and of its content once unpacked.
    max_rows : int
        Rows without the header.
    max_columns : int
        Columns.
    max_cells : int
        Rows times columns. The default takes 400 MB as numbers, so that reading it keeps within 1 GiB.

    Examples
    --------
    >>> Limits().max_columns
    2000
    """

    max_bytes: int = 200 * MEGABYTE
    max_rows: int = 1_000_000
    max_columns: int = 2_000
    max_cells: int = 50_000_000


def check_cells(name: str, n_rows: int, n_columns: int, limits: Limits) -> None:
    """Refuse a table with more rows times columns than are allowed, as far as its size is known."""
    if n_rows * n_columns > limits.max_cells:
        raise TableError(
            f"'{name}' has more than {limits.max_cells:,} cells ({n_columns:,} columns in at least {n_rows:,} rows).",
            hint="Keep fewer rows or columns.",
        )


def too_many_columns(name: str, found: int, most: int) -> TableError:
    """Return the refusal of a table that is too wide."""
    return TableError(
        f"'{name}' has {found:,} columns; the limit is {most:,}.",
        hint="Keep the columns you need; if rows and columns are swapped, transpose the table first.",
    )


def in_megabytes(n_bytes: int) -> str:
    """Return a number of bytes as a person reads it: bytes, kB or MB.

    Examples
    --------
    >>> in_megabytes(1_250_000), in_megabytes(500)
    ('1.2 MB', '500 bytes')
    """
    if n_bytes >= MEGABYTE:
        return f"{n_bytes / MEGABYTE:,.1f} MB"
    if n_bytes >= 1_000:
        return f"{n_bytes / 1_000:,.1f} kB"
    return f"{n_bytes} bytes"
