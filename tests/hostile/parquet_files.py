"""Makers of hostile Parquet files; see :mod:`hostile.tables`."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq


def parquet(columns: dict[str, Any], **options: Any) -> bytes:
    """A Parquet file of these columns."""
    stream = io.BytesIO()
    pq.write_table(pa.table(columns), stream, **options)
    return stream.getvalue()


def zeros(n_rows: int = 1_000_000, n_columns: int = 200) -> bytes:
    """Zeros without end in a small file."""
    column = pa.array(np.zeros(n_rows))
    return parquet({f"c{at}": column for at in range(n_columns)}, row_group_size=max(1, n_rows))


def one_word(n_rows: int = 1_000_000, word: int = 1_000, n_columns: int = 1) -> bytes:
    """One long word for every row: kept once in the file, once for every row in memory."""
    column = pa.DictionaryArray.from_arrays(pa.array(np.zeros(n_rows, dtype=np.int32)), pa.array(["x" * word]))
    return parquet({f"c{at}": column for at in range(n_columns)}, row_group_size=max(1, n_rows))


def large_dictionary(n_words: int = 1, word: int = 100_000_000) -> bytes:
    """A dictionary page that unpacks to that size, for a single row."""
    words = pa.array(["x" * word + str(at) for at in range(n_words)])
    indices = pa.array(np.zeros(1, dtype=np.int32))
    return parquet({"a": pa.DictionaryArray.from_arrays(indices, words), "y": pa.array(["u"])}, compression="zstd")


def nested(n_rows: int = 1_000, depth: int = 1_000) -> bytes:
    """Lists of many entries."""
    values = pa.array(np.zeros(n_rows * depth, dtype=np.int8))
    offsets = pa.array(np.arange(0, n_rows * depth + 1, depth, dtype=np.int32))
    return parquet({"a": pa.ListArray.from_arrays(offsets, values), "y": pa.array(["u", "v"] * (n_rows // 2))})


def moments(kind: pa.DataType, values: Iterable[int | None]) -> bytes:
    """Dates given by the numbers that stand for them, repeated to 60 rows, beside a feature and a target."""
    given = list(values)
    whole = pa.int32() if kind.bit_width == 32 else pa.int64()
    column = pa.array([given[i % len(given)] for i in range(60)], whole).cast(kind)
    return parquet({"when": column, "b": pa.array([i * i % 11 for i in range(60)]), "y": pa.array(["u", "v"] * 30)})


def bad_text(value: bytes = b"\xed\xa0\x80") -> bytes:
    """A column of text that holds bytes which are no UTF-8, such as half of a surrogate pair."""
    offsets = np.arange(0, 61 * len(value), len(value), dtype=np.int32)
    column = pa.StringArray.from_buffers(60, pa.py_buffer(offsets.tobytes()), pa.py_buffer(value * 60))
    return parquet({"a": column, "b": pa.array([i * i % 11 for i in range(60)]), "y": pa.array(["u", "v"] * 30)})
