"""Reading Parquet: the file says what its columns are, so nothing is guessed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from proset.common.errors import TableError
from proset.data.issues import Issue, Severity
from proset.data.reading.delimited import too_many_columns
from proset.data.reading.dialect import Dialect, Limits, in_megabytes
from proset.data.reading.names import clean_names
from proset.data.reading.source import Source

_BATCH_ROWS = 8_192
_EXACT = 2**53


@dataclass(frozen=True)
class ParquetColumn:
    """How one column is turned into values.

    Attributes
    ----------
    name : str
        Its name in the table.
    type : pyarrow.DataType
        Its type in the file, without a dictionary.
    gaps : bool
        Whether a value is missing.
    exact : bool
        Whether a float can hold every whole number in it.
    """

    name: str
    type: pa.DataType
    gaps: bool
    exact: bool


@dataclass(frozen=True)
class ParquetContent:
    """The rows of a Parquet file.

    Attributes
    ----------
    source : Source
        The file.
    columns : tuple of ParquetColumn
        Its columns.
    issues : tuple of Issue
        What a person should know.
    """

    source: Source
    columns: tuple[ParquetColumn, ...]
    issues: tuple[Issue, ...]

    @property
    def dialect(self) -> Dialect:
        """How the file is written."""
        return Dialect("parquet", header=True)

    def frames(self) -> Iterator[pd.DataFrame]:
        """Yield the rows in order.

        Yields
        ------
        DataFrame
            The same columns and dtypes every time.
        """
        start = 1
        for batch in _batches(self.source):
            index = pd.RangeIndex(start, start + batch.num_rows)
            start += batch.num_rows
            rows = pd.Index(index.to_numpy(), dtype="int64", name="row")
            values = {
                column.name: _convert(array, column).set_axis(rows)
                for column, array in zip(self.columns, batch.columns, strict=True)
            }
            yield pd.DataFrame(values, index=rows, copy=False)


def open_parquet(source: Source, limits: Limits | None) -> ParquetContent:
    """Check a Parquet file and look through its columns.

    Parameters
    ----------
    source : Source
        The file.
    limits : Limits or None
        The size that is allowed; None means any number of bytes and rows.

    Returns
    -------
    ParquetContent
        Ready to yield frames.

    Raises
    ------
    TableError
        If the file is damaged, has no rows, is too large, or holds bytes that are no text.
    """
    with _opened(source) as file:
        schema, n_rows = file.schema_arrow, file.metadata.num_rows
    name = source.name
    allowed = limits or Limits()
    if len(schema) > allowed.max_columns:
        raise too_many_columns(name, len(schema), allowed.max_columns)
    if limits is not None and n_rows > limits.max_rows:
        raise TableError(f"'{name}' has {n_rows:,} rows; the limit is {limits.max_rows:,}.", hint="Keep a random part.")
    if n_rows == 0 or len(schema) == 0:
        raise TableError(f"'{name}' has no rows.", hint="Check that the export finished, then try again.")
    names, issues = clean_names(schema.names)
    types = [field.type.value_type if pa.types.is_dictionary(field.type) else field.type for field in schema]
    found = [
        *issues,
        *(_nested_issue(label, kind) for label, kind in zip(names, types, strict=True) if pa.types.is_nested(kind)),
    ]
    missing, infinite, exact = _scan(source, names, limits)
    for label, count in zip(names, infinite, strict=True):
        if count:
            found.append(Issue("infinite", f"Column '{label}': {count} infinite value(s) are read as missing.", label))
    columns = (
        ParquetColumn(label, kind, bool(gaps), bool(whole))
        for label, kind, gaps, whole in zip(names, types, missing, exact, strict=True)
    )
    return ParquetContent(source, tuple(columns), tuple(found))


@contextmanager
def _opened(source: Source) -> Iterator[pq.ParquetFile]:
    """Open a Parquet file; whatever is wrong inside it is said plainly."""
    try:
        with source.open() as stream, pq.ParquetFile(stream) as file:
            yield file
    except (pa.ArrowException, OSError, UnicodeDecodeError, MemoryError) as error:
        raise TableError(
            f"'{source.name}' is a damaged Parquet file ({str(error).splitlines()[0][:120]}).",
            hint="Copy or write it again.",
        ) from error


def _batches(source: Source) -> Iterator[pa.RecordBatch]:
    """Yield the rows in order."""
    with _opened(source) as file:
        yield from file.iter_batches(batch_size=_BATCH_ROWS, use_threads=False)


def _scan(
    source: Source, names: tuple[str, ...], limits: Limits | None
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Count missing and infinite values per column, and tell whether a float could hold its whole numbers."""
    missing, infinite = np.zeros(len(names), dtype=np.int64), np.zeros(len(names), dtype=np.int64)
    exact = np.ones(len(names), dtype=bool)
    size = 0
    for batch in _batches(source):
        size += batch.nbytes
        if limits is not None and size > 8 * limits.max_bytes:  # eight bytes per value are normal for a small number
            raise TableError(
                f"'{source.name}' holds more than {in_megabytes(8 * limits.max_bytes)} once unpacked.",
                hint="Keep fewer rows or columns.",
            )
        for at, array in enumerate(batch.columns):
            missing[at] += array.null_count
            if pa.types.is_floating(array.type):
                infinite[at] += pc.sum(pc.is_inf(pc.cast(array, pa.float64()))).as_py() or 0
            elif pa.types.is_integer(array.type) and len(array) > array.null_count:
                extremes = pc.min_max(array)
                exact[at] &= extremes["min"].as_py() >= -_EXACT and extremes["max"].as_py() <= _EXACT
            elif pa.types.is_binary(array.type) or pa.types.is_large_binary(array.type):
                _check_text(array, names[at])
    return missing, infinite, exact


def _check_text(array: pa.Array, name: str) -> None:
    """Refuse bytes that are no text; some programs write text as plain bytes."""
    try:
        pc.cast(array, pa.large_string())
    except pa.ArrowInvalid as error:
        raise TableError(
            f"Column '{name}' holds bytes that are no text.", column=name, hint="Leave the column out of the file."
        ) from error


def _nested_issue(name: str, kind: pa.DataType) -> Issue:
    """Say that a nested column is kept for reading only."""
    text = f"Column '{name}' holds nested values ({kind}); they are kept as text."
    return Issue("nested", text[:300], name, Severity.WARNING)


def _convert(array: pa.Array, column: ParquetColumn) -> pd.Series:
    """Turn one column of a batch into values."""
    kind = column.type
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pa.types.is_boolean(kind):
        return array.to_pandas(types_mapper=None).astype("boolean" if column.gaps else "bool")
    if pa.types.is_integer(kind):
        return _whole_numbers(array, column)
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind) or pa.types.is_null(kind):
        numbers = pc.cast(array, pa.float64()).to_numpy(zero_copy_only=False)
        return pd.Series(np.where(np.isfinite(numbers), numbers, np.nan))
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return pd.Series(pc.cast(array, pa.timestamp("us"), safe=False).to_numpy(zero_copy_only=False))
    if pa.types.is_duration(kind):
        micro = pc.cast(pc.cast(array, pa.duration("us"), safe=False), pa.int64())
        return pd.Series(pc.divide(pc.cast(micro, pa.float64()), 1e6).to_numpy(zero_copy_only=False))
    if pa.types.is_nested(kind):
        texts = [None if value is None else str(value) for value in array.to_pylist()]
        return pa.array(texts, pa.string()).to_pandas()
    text = pc.utf8_trim_whitespace(pc.cast(array, pa.large_string()))
    return pc.if_else(pc.equal(text, ""), pa.scalar(None, text.type), text).cast(pa.string()).to_pandas()


def _whole_numbers(array: pa.Array, column: ParquetColumn) -> pd.Series:
    """Keep whole numbers whole; with gaps they become floats, or text if a float would lose digits."""
    fits = not pa.types.is_uint64(column.type) or column.exact
    if not column.gaps and fits:
        return pd.Series(pc.cast(array, pa.int64()).to_numpy(zero_copy_only=False))
    if column.exact:
        return pd.Series(pc.cast(array, pa.float64()).to_numpy(zero_copy_only=False))
    return pc.cast(array, pa.string()).to_pandas()
