"""Reading a file into a table: a frame with a stable row id, and a list of what was found."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pandas as pd
import pyarrow as pa

from proset.common.errors import TableError
from proset.common.lazy import lazy_property
from proset.common.notebook import Displayed
from proset.common.words import count_words, listed, shown
from proset.data.derived_rows import DerivedColumn
from proset.data.issues import Issue
from proset.data.profile import Profile, profile_column
from proset.data.reading.content import open_content
from proset.data.reading.dialect import Dialect, Limits
from proset.data.reading.source import open_source

__all__ = ["Dialect", "ImageGrid", "Limits", "Table", "read_table"]


@dataclass(frozen=True)
class ImageGrid:
    """Columns that are the pixels of a picture.

    Attributes
    ----------
    height, width : int
        Pixels.
    columns : tuple of str, length height * width
        The columns, row by row from the top left.

    Examples
    --------
    >>> ImageGrid(1, 2, ("left", "right")).columns
    ('left', 'right')
    """

    height: int
    width: int
    columns: tuple[str, ...]

    def __post_init__(self) -> None:
        """Check that there is one column per pixel."""
        if len(self.columns) != self.height * self.width:
            raise ValueError(f"A grid of {self.height} x {self.width} needs as many columns, not {len(self.columns)}.")


@dataclass(frozen=True, eq=False)
class Table(Displayed):
    """A table as it was read.

    Attributes
    ----------
    frame : DataFrame
        The rows. The index is called "row" and holds int64 row ids: 1 is the first data row of the file, and a row
        keeps its id whatever is filtered. Columns are int64, float64, bool (boolean with gaps), datetime64[us] or str.
    name : str
        What to call it.
    dialect : Dialect
        How the file is written.
    issues : tuple of Issue
        What a person should know.
    fingerprint : str
        SHA-256 of the bytes of the file, in hexadecimal; another one once columns were added.
    grid : ImageGrid or None
        Set if columns are pixels.
    derived : tuple of DateDifference or HourOfDay
        Columns that were added: how they are made of others.
    """

    frame: pd.DataFrame
    name: str
    dialect: Dialect
    issues: tuple[Issue, ...]
    fingerprint: str
    grid: ImageGrid | None = None
    derived: tuple[DerivedColumn, ...] = ()

    @lazy_property
    def profiles(self) -> Mapping[str, Profile]:
        """Facts about every column, in table order; the cells are looked at once, at the first use."""
        return self._profiled(self.frame.columns)

    def with_columns(self, frame: pd.DataFrame, changed: Collection[str], **fields: Any) -> Table:
        r"""Return the table with other cells in some columns; what is known of the others is not looked at again.

        Parameters
        ----------
        frame : DataFrame
            The same rows and columns.
        changed : collection of str
            Columns whose cells or type differ.
        **fields
            Further attributes that change.

        Examples
        --------
        >>> table = read_table(b"a,b\n1,2\n3,4\n")
        >>> table.with_columns(table.frame.assign(a=5), {"a"}).profiles["a"].n_distinct
        1
        """
        table = replace(self, frame=frame, **fields)
        if "profiles" in vars(self):  # where a lazy property keeps its value
            again = table._profiled([name for name in frame.columns if name in changed])
            vars(table)["profiles"] = {**self.profiles, **again}
        return table

    def _profiled(self, names: Iterable[str]) -> dict[str, Profile]:
        """Look at the cells of some columns."""
        pixels = frozenset(self.grid.columns if self.grid else ())
        return {name: profile_column(self.frame[name], in_grid=name in pixels) for name in names}

    def __repr__(self) -> str:
        rows, columns = (count_words(n, word) for n, word in zip(self.frame.shape, ("row", "column"), strict=True))
        found = f", {count_words(len(self.issues), 'finding')}" if self.issues else ""
        return f"Table('{shown(self.name)}'): {rows}, {columns}{found}\n  {listed(self.frame.columns, most=5)}"

    def to_frame(self) -> pd.DataFrame:
        """Return the rows; see :attr:`frame`."""
        return self.frame


def read_table(
    source: str | Path | bytes | BinaryIO | pd.DataFrame,
    *,
    name: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
    sheet: str | None = None,
    footer: int | None = None,
    limits: Limits = Limits(),  # noqa: B008  frozen, so it can be shared
) -> Table:
    r"""Read a CSV, TSV, Excel, OpenDocument (.ods) or Parquet file, or a CSV compressed with gzip.

    The content decides what a file is, never its name. Encoding, delimiter, decimal mark and header are found; each can
    be given instead.

    Parameters
    ----------
    source : str, Path, bytes, binary file or DataFrame
        A path, or the bytes of a file; or a frame, whose columns keep their types and whose index is left out.
    name : str or None
        What to call the table; by default the file's name.
    encoding : str or None
        Encoding of a text file, such as ``"cp1252"``.
    delimiter : str or None
        The character between the fields of a text file.
    decimal : str or None
        ``"."`` or ``","``.
    header : bool or None
        Whether the first row holds the column names.
    sheet : str or None
        The sheet of an Excel file; by default the first that holds anything.
    footer : int or None
        How many rows at the end are lines below the table, 0 to 20, such as a sum or a source; by default those found.
    limits : Limits
        The largest table to accept.

    Returns
    -------
    Table
        The rows, and what was found.

    Raises
    ------
    TableError
        If there is no such file or it is no table; the text says what to do.

    Examples
    --------
    >>> table = read_table("size;kind\n1,5;a\n;b\n".encode(), name="tiny.csv")
    >>> table.frame["size"].to_dict()
    {1: 1.5, 2: nan}
    >>> table.dialect.delimiter, table.dialect.decimal
    (';', ',')
    """
    opened = open_source(_as_file(source), name=name, limits=limits)
    wanted = Dialect(opened.kind, encoding, delimiter, decimal, header, sheet, footer=footer)
    try:
        content = open_content(opened, wanted, limits)
        frame = _joined(content.frames())
    except MemoryError as error:
        raise TableError(
            f"'{opened.name}' needs more memory than there is.", hint="Keep fewer rows or columns."
        ) from error
    return Table(frame, opened.name, content.dialect, content.issues, opened.fingerprint())


def _as_file(source: str | Path | bytes | BinaryIO | pd.DataFrame) -> str | Path | bytes:
    """Return what is to be read as a path or bytes; a frame goes the way of a Parquet file, which keeps its types."""
    if isinstance(source, pd.DataFrame):
        content = io.BytesIO()
        try:
            source.set_axis(list(map(str, source.columns)), axis=1).to_parquet(content, index=False)
        except (pa.ArrowException, ValueError, TypeError) as error:
            raise TableError(
                f"The frame cannot be read as a table ({shown(error, 200)}).",
                hint="Every column needs a name of its own and values of one kind.",
            ) from error
        return content.getvalue()
    if isinstance(source, (str, Path, bytes)):
        return source
    read = source.read() if hasattr(source, "read") else None
    if isinstance(read, bytes):
        return read
    given = f"a {type(source).__name__}" if read is None else "a stream of text"
    raise TypeError(f"A table is read from a path, the bytes of a file, a binary file or a DataFrame, not {given}.")


def _joined(frames: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Put frames of the same columns together column by column, so that no more than one is in memory twice."""
    index: list[pd.Index] = []
    parts: dict[str, list[Any]] = {}
    for frame in frames:
        index.append(frame.index)
        for name, series in frame.items():
            parts.setdefault(str(name), []).append(series.array)
    columns = {}
    for name in list(parts):
        arrays = parts.pop(name)
        columns[name] = arrays[0] if len(arrays) == 1 else _one_array(arrays)
    return pd.DataFrame(columns, index=index[0].append(index[1:]), copy=False)


def _one_array(arrays: list[Any]) -> Any:
    """Put the parts of a column together; Series of numbers would stay in memory until the next collection."""
    if isinstance(arrays[0].dtype, np.dtype) or arrays[0].dtype.kind in "iufM":
        return np.concatenate([array.to_numpy() for array in arrays])
    return pd.concat([pd.Series(array, copy=False) for array in arrays]).array
