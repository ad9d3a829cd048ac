"""Reading a file of any size piece by piece, for scoring."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from proset.data.missing_words import check_words, that_apply
from proset.data.reading.content import Content, open_content
from proset.data.reading.declared import Declaration
from proset.data.reading.dialect import Dialect
from proset.data.reading.source import open_source


def read_chunks(
    path: str | Path | bytes,
    dialect: Dialect | None = None,
    *,
    chunk_rows: int = 50_000,
    known: Dialect | None = None,
) -> Iterator[pd.DataFrame]:
    r"""Yield the rows of a file in frames of the same columns and dtypes.

    The file is gone through once to decide what each column holds and once to yield it, so the frames put together are
    what :func:`proset.data.table.read_table` returns. Memory is bounded by the chunk for text and Parquet; an Excel
    sheet is read at once, within the default limits. Columns that the new file types differently from the table a model
    was fitted on are the business of ``Design.transform``.

    Parameters
    ----------
    path : str, Path or bytes
        A path, or the bytes of a file.
    dialect : Dialect or None
        How the file is written, as far as known; its ``kind`` is not used, for the content decides.
    chunk_rows : int
        Rows per frame, at least 1; only the last frame is shorter.
    known : Dialect or None
        That of the table that a model was fitted to, for the words and units that were declared there; those for
        columns that are not here do nothing.

    Yields
    ------
    DataFrame
        ``index`` is called "row" and goes on from frame to frame: 1 is the first data row of the file.

    Raises
    ------
    TableError
        If there is no such file, it is no table, or the dialect declares something of a column that there is not.
        Raised before the first frame.

    Examples
    --------
    >>> [len(frame) for frame in read_chunks(b"a,b\n1,x\n2,y\n3,z\n", chunk_rows=2)]
    [2, 1]
    """
    if chunk_rows < 1:
        raise ValueError(f"chunk_rows must be at least 1, not {chunk_rows}.")
    wanted = dialect or Dialect()
    content = open_content(open_source(path), wanted, None)
    declaration = _declaration(content, wanted, known or Dialect())
    waiting: list[pd.DataFrame] = []
    n_waiting = 0
    for frame in content.frames() if declaration is None else map(declaration.apply, content.frames()):
        start = 0
        while n_waiting + len(frame) - start >= chunk_rows:
            stop = start + chunk_rows - n_waiting
            yield _joined([*waiting, frame.iloc[start:stop]])
            waiting, n_waiting, start = [], 0, stop
        if start < len(frame):
            waiting.append(frame.iloc[start:])
            n_waiting += len(frame) - start
    if waiting:
        yield _joined(waiting)


def _declaration(content: Content, wanted: Dialect, known: Dialect) -> Declaration | None:
    """Go through a file once more for words that mean missing and for units, if there are any."""
    if not (wanted.missing or wanted.units or known.missing or known.units):
        return None
    columns = next(iter(content.frames())).columns
    check_words((*wanted.missing, *wanted.units), columns)
    words = (*that_apply(known.missing, columns), *wanted.missing)
    units = (*that_apply(known.units, columns), *wanted.units)
    declaration = Declaration(words, content.dialect.decimal or ".", units)
    return declaration.learn(content.frames()) if words or units else None


def _joined(frames: list[pd.DataFrame]) -> pd.DataFrame:
    """Put frames of the same columns together."""
    return frames[0] if len(frames) == 1 else pd.concat(frames)
