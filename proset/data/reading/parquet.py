"""Reading Parquet: the file says what its columns are, so nothing is guessed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from proset.common.errors import TableError
from proset.common.words import shown
from proset.data.issues import Issue, Severity
from proset.data.reading.dialect import Dialect, Limits, check_cells, in_megabytes, too_many_columns
from proset.data.reading.names import clean_names
from proset.data.reading.parquet_values import ColumnFacts, ParquetColumn, convert, plain, plain_type, unpacked_size
from proset.data.reading.source import FileSource

_BATCH_ROWS, _BATCH_CELLS = 8_192, 1 << 20
_MOST_PIECES = 300_000
_UNPACKED = 2
"""Limit for unpacked values, as a multiple of the limit for the file: text repeats itself, numbers pack well."""


@dataclass(frozen=True)
class ParquetContent:
    """The rows of a Parquet file.

    Attributes
    ----------
    source : FileSource
        The file.
    columns : tuple of ParquetColumn
        Its columns.
    issues : tuple of Issue
        What a person should know.
    """

    source: FileSource
    columns: tuple[ParquetColumn, ...]
    issues: tuple[Issue, ...]

    @property
    def dialect(self) -> Dialect:
        """The way the file is written."""
        return Dialect("parquet", header=True)

    def frames(self) -> Iterator[pd.DataFrame]:
        """Yield the rows in order, the same columns and dtypes every time."""
        start = 1
        for batch in _batches(self.source):
            rows = pd.Index(np.arange(start, start + batch.num_rows), dtype="int64", name="row")
            start += batch.num_rows
            with _plainly(self.source):
                values = {
                    column.name: convert(array, column).set_axis(rows)
                    for column, array in zip(self.columns, batch.columns, strict=True)
                }
            yield pd.DataFrame(values, index=rows, copy=False)


def open_parquet(source: FileSource, limits: Limits | None) -> ParquetContent:
    """Look through a Parquet file; takes and raises what :func:`~proset.data.reading.content.open_content` does."""
    with _opened(source) as file:
        schema, metadata = file.schema_arrow, file.metadata
        given = schema.names
    name, n_rows = source.name, metadata.num_rows
    if len(schema) > (limits or Limits()).max_columns:
        raise too_many_columns(name, len(schema), (limits or Limits()).max_columns)
    if limits is not None and n_rows > limits.max_rows:
        raise TableError(f"'{name}' has {n_rows:,} rows; the limit is {limits.max_rows:,}.", hint="Keep a random part.")
    if n_rows == 0 or len(schema) == 0:
        raise TableError(f"'{name}' has no rows.", hint="Check that the export finished, then try again.")
    if limits is not None:
        check_cells(name, n_rows, len(schema), limits)
    check_pieces(metadata, name, limits)
    names, issues = clean_names(given)
    types = [plain_type(field.type) for field in schema]
    nested = [_nested_issue(label, kind) for label, kind in zip(names, types, strict=True) if pa.types.is_nested(kind)]
    facts = _scan(source, names, limits)
    columns = (
        ParquetColumn(label, kind, bool(fact.missing or fact.strange_dates), fact.exact)
        for label, kind, fact in zip(names, types, facts, strict=True)
    )
    found = [issue for label, fact in zip(names, facts, strict=True) for issue in _column_issues(label, fact)]
    return ParquetContent(source, tuple(columns), (*issues, *nested, *found))


def check_pieces(metadata: pq.FileMetaData, name: str, limits: Limits | None) -> None:
    """Refuse a file whose own description says that it unpacks to too much.

    Parameters
    ----------
    metadata : pyarrow.parquet.FileMetaData
        The description.
    name : str
        What to call the file in a message.
    limits : Limits or None
        The size that is allowed; None means any number of pieces, each within the default.

    Raises
    ------
    TableError
        If there are too many pieces or values, or a piece, such as a dictionary, is too large.
    """
    allowed = limits or Limits()
    hint = "Keep fewer rows or columns, leave nested columns out, or write it with larger groups of rows."
    if limits is not None and metadata.num_row_groups * metadata.num_columns > _MOST_PIECES:
        raise TableError(f"'{name}' is cut into more than {_MOST_PIECES:,} pieces.", hint=hint)
    total = values = 0
    for group in range(metadata.num_row_groups):
        for column in range(metadata.num_columns):
            piece = metadata.row_group(group).column(column)
            total, values = total + piece.total_uncompressed_size, values + piece.num_values
            if piece.total_uncompressed_size > allowed.max_bytes:
                raise TableError(
                    f"Column '{shown(piece.path_in_schema)}' of '{name}' unpacks to"
                    f" {in_megabytes(piece.total_uncompressed_size)}; the limit is {in_megabytes(allowed.max_bytes)}.",
                    hint=hint,
                )
    if limits is not None and values > limits.max_cells:
        raise TableError(f"'{name}' holds {values:,} values; the limit is {limits.max_cells:,}.", hint=hint)
    if limits is not None and total > _UNPACKED * limits.max_bytes:
        raise _too_large(name, limits)


def _too_large(name: str, limits: Limits) -> TableError:
    """Build the refusal of what grows too much."""
    return TableError(
        f"'{name}' holds more than {in_megabytes(_UNPACKED * limits.max_bytes)} once unpacked.",
        hint="Keep fewer rows or columns.",
    )


@contextmanager
def _plainly(source: FileSource) -> Iterator[None]:
    """Say plainly whatever is wrong inside a Parquet file."""
    try:
        yield
    except MemoryError:
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise TableError(
            f"'{source.name}' is a damaged Parquet file ({shown(error, 120)}).", hint="Copy or write it again."
        ) from error


@contextmanager
def _opened(source: FileSource) -> Iterator[pq.ParquetFile]:
    """Open a Parquet file with its texts as dictionaries, so that what is repeated takes no space."""
    with _plainly(source), source.open() as stream, pq.ParquetFile(stream) as file:
        texts = [field.name for field in file.schema_arrow if _is_text(field.type)]
        if not texts:
            yield file
            return
        stream.seek(0)
        with pq.ParquetFile(stream, read_dictionary=texts) as again:
            yield again


def _is_text(kind: pa.DataType) -> bool:
    """Tell whether a file may hold a column as a dictionary of texts."""
    return pa.types.is_string(kind) or pa.types.is_binary(kind)


def _batches(source: FileSource) -> Iterator[pa.RecordBatch]:
    """Yield the rows in order."""
    with _opened(source) as file:
        most = max(1, min(_BATCH_ROWS, _BATCH_CELLS // max(1, len(file.schema_arrow))))
        yield from file.iter_batches(batch_size=most, use_threads=False)


def _scan(source: FileSource, names: tuple[str, ...], limits: Limits | None) -> list[ColumnFacts]:
    """Go through all values once."""
    facts = [ColumnFacts() for _ in names]
    size = 0
    for batch in _batches(source):
        with _plainly(source):
            size = sum(map(unpacked_size, batch.columns)) + (size if limits is not None else 0)
            if size > _UNPACKED * (limits or Limits()).max_bytes:
                raise _too_large(source.name, limits or Limits())
            for name, fact, array in zip(names, facts, map(plain, batch.columns), strict=True):
                if pa.types.is_binary(array.type) or pa.types.is_large_binary(array.type):
                    _check_text(array, name)
                fact.add(array)
    return facts


def _check_text(array: pa.Array, name: str) -> None:
    """Refuse bytes that are no text; some programs write text as plain bytes."""
    try:
        pc.cast(array, pa.large_string())
    except pa.ArrowInvalid as error:
        raise TableError(
            f"Column '{shown(name)}' holds bytes that are no text.",
            column=name,
            hint="Leave the column out of the file.",
        ) from error


def _nested_issue(name: str, kind: pa.DataType) -> Issue:
    """Say that a nested column is kept for reading only."""
    text = f"Column '{shown(name)}' holds nested values ({shown(kind)}); they are read as words."
    return Issue("nested", text, name, Severity.WARNING)


def _column_issues(name: str, fact: ColumnFacts) -> Iterator[Issue]:
    """Say what became of values that the table cannot hold."""
    label = shown(name)
    if fact.infinite:
        yield Issue("infinite", f"Column '{label}': {fact.infinite} infinite value(s) are read as missing.", name)
    if fact.strange_dates:
        text = f"Column '{label}': {fact.strange_dates} date(s) outside the years 1 to 9999 are read as missing."
        yield Issue("strange_dates", text, name)
    if fact.mended:
        text = f"Column '{label}': {fact.mended} text(s) hold bytes that are no UTF-8; '\ufffd' stands for them."
        yield Issue("replaced_characters", text, name)
    yield from fact.spellings.issues(name)
