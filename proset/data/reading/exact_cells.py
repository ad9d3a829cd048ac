"""The cells of a file exactly as they stand there: of delimited text, or of a workbook's first sheet."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from proset.common.errors import TableError
from proset.common.words import shown
from proset.data.reading.dialect import Limits
from proset.data.reading.encoding import find_encoding
from proset.data.reading.excel import sheet_rows
from proset.data.reading.source import FileSource, open_source

_ABOVE = re.compile(r"\A(?:[ \t]*\r?\n|sep=.\r?\n)+")  # blank lines, and the one in which Excel says what divides


@dataclass(frozen=True)
class ExactCells:
    """Cells as text.

    Attributes
    ----------
    name : str
        What to call the file.
    names : tuple of str
        The first line.
    rows : tuple of tuple of str
        All lines below it; they may be shorter or longer.
    """

    name: str
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def read_exact(source: str | Path | bytes, *, name: str | None = None, limits: Limits) -> ExactCells:
    r"""Read the cells of CSV with commas, semicolons or tabs, or of a workbook, without a guess at what they mean.

    Raises
    ------
    TableError
        If it is no such file.

    Examples
    --------
    >>> read_exact(b"row;note\n7; 1.50\n", name="notes.csv", limits=Limits()).rows
    (('7', ' 1.50'),)
    """
    opened = open_source(source, name=name, limits=limits)
    if opened.kind == "parquet":
        raise TableError(f"'{shown(opened.name)}' is a Parquet file.", hint="Save it as CSV or .xlsx.")
    names, *rows = sheet_rows(opened, limits) if opened.kind == "excel" else _text(opened, limits)
    if len(rows) > limits.max_rows:
        raise TableError(f"'{shown(opened.name)}' has more than {limits.max_rows:,} lines.", hint="Keep fewer of them.")
    return ExactCells(opened.name, names, tuple(rows))


def _text(source: FileSource, limits: Limits) -> Iterator[tuple[str, ...]]:
    """Yield the lines of delimited text; an empty one if there are none."""
    raw = b"".join(source.blocks(max_bytes=limits.max_bytes))
    text = raw.decode(find_encoding([raw], name=source.name).encoding, "replace").removeprefix("\ufeff")
    text = _ABOVE.sub("", text)
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    try:
        yield from map(tuple, csv.reader(io.StringIO(text or "\n", newline=""), delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise TableError(
            f"'{shown(source.name)}' is damaged: {shown(error)}.", hint="Export or save it again as CSV."
        ) from error
