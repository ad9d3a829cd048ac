"""Turning the columns of a Parquet file into values, and what has to be known about them beforehand."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from proset.data.reading.spellings import Spellings

_EXACT = 2**53
_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_FIRST_DAY, _DAY_AFTER = np.datetime64("0001-01-01"), np.datetime64("10000-01-01")


@dataclass(frozen=True)
class ParquetColumn:
    """Plan for turning one column into values.

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


@dataclass
class ColumnFacts:
    """Facts about the values of a column, counted batch by batch.

    Attributes
    ----------
    missing, infinite, strange_dates, mended : int
        Values that are missing; infinite; dates outside the years 1 to 9999; texts that are no UTF-8.
    exact : bool
        Whether a float can hold every whole number.
    spellings : Spellings
        Words that differ only in the blanks around them.
    """

    missing: int = 0
    infinite: int = 0
    strange_dates: int = 0
    mended: int = 0
    exact: bool = True
    spellings: Spellings = field(default_factory=Spellings)

    def add(self, array: pa.Array) -> None:
        """Count a batch, as :func:`plain` returns it."""
        self.missing += array.null_count
        kind = array.type
        if pa.types.is_floating(kind):
            self.infinite += pc.sum(pc.is_inf(pc.cast(array, pa.float64()))).as_py() or 0
        elif pa.types.is_integer(kind) and len(array) > array.null_count:
            extremes = pc.min_max(array)
            self.exact &= extremes["min"].as_py() >= -_EXACT and extremes["max"].as_py() <= _EXACT
        elif pa.types.is_timestamp(kind) or pa.types.is_date(kind):
            self.strange_dates += in_calendar(array).null_count - array.null_count
        elif pa.types.is_string(kind) or pa.types.is_large_string(kind):
            text, mended = valid_text(array)
            self.mended += mended
            self.spellings.add(text)


def plain(array: pa.Array) -> pa.Array:
    """Return the values of an array without what a type of an extension or of a dictionary adds."""
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) else array


def plain_type(kind: pa.DataType) -> pa.DataType:
    """Return the type that :func:`plain` leaves."""
    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    return kind.value_type if pa.types.is_dictionary(kind) else kind


def unpacked_size(array: pa.Array) -> int:
    """Return the bytes that a column of a batch takes once a dictionary is gone, without unpacking it.

    Examples
    --------
    >>> unpacked_size(pa.array(["abc", "abc"]).dictionary_encode())
    6
    """
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    if not pa.types.is_dictionary(array.type):
        return int(array.nbytes)
    words = array.dictionary
    if not pa.types.is_string(words.type) and not pa.types.is_binary(words.type):
        return int(words.nbytes / max(len(words), 1) * len(array))
    return pc.sum(pc.binary_length(words).take(array.indices)).as_py() or 0


def in_calendar(array: pa.Array) -> pa.Array:
    """Return dates or moments with those outside the years 1 to 9999 as missing.

    Examples
    --------
    >>> in_calendar(pa.array([0, 2**31 - 1], pa.int32()).cast(pa.date32())).null_count
    1
    """
    kind = array.type
    unit = "D" if pa.types.is_date32(kind) else "ms" if pa.types.is_date64(kind) else kind.unit
    if unit == "ns":  # 64 bits hold the years 1677 to 2262
        return array
    whole = pc.cast(array, pa.int32() if unit == "D" else pa.int64())
    low, high = (int(end.astype(f"M8[{unit}]").astype(np.int64)) for end in (_FIRST_DAY, _DAY_AFTER))
    return pc.if_else(pc.and_(pc.greater_equal(whole, low), pc.less(whole, high)), array, pa.scalar(None, kind))


def valid_text(array: pa.Array) -> tuple[pa.Array, int]:
    """Return texts as valid UTF-8, which Arrow does not check, and in how many U+FFFD stands for what is none."""
    try:
        array.validate(full=True)
    except pa.ArrowInvalid:
        raw = pc.cast(array, pa.binary() if pa.types.is_string(array.type) else pa.large_binary()).to_pylist()
        texts = [None if text is None else text.decode("utf-8", "replace") for text in raw]
        mended = sum(text is not None and text.encode() != old for text, old in zip(texts, raw, strict=True))
        return pa.array(texts, pa.large_string()), mended
    return array, 0


def convert(array: pa.Array, column: ParquetColumn) -> pd.Series:
    """Turn one column of a batch into values.

    Parameters
    ----------
    array : pyarrow.Array, shape (n,)
        The column, as it stands in the file.
    column : ParquetColumn
        What is known about all of it.

    Returns
    -------
    Series, shape (n,)
        int64, float64, bool (boolean with gaps), datetime64[us] or str.
    """
    kind, array = column.type, plain(array)
    if pa.types.is_boolean(kind):
        return array.to_pandas(types_mapper=None).astype("boolean" if column.gaps else "bool")
    if pa.types.is_integer(kind):
        return _whole_numbers(array, column)
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind) or pa.types.is_null(kind):
        numbers = pc.cast(array, pa.float64()).to_numpy(zero_copy_only=False)
        return pd.Series(np.where(np.isfinite(numbers), numbers, np.nan))
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return pd.Series(pc.cast(in_calendar(array), pa.timestamp("us"), safe=False).to_numpy(zero_copy_only=False))
    if pa.types.is_duration(kind):
        steps = pc.cast(pc.cast(array, pa.int64()), pa.float64(), safe=False)
        return pd.Series(pc.divide(steps, _PER_SECOND[kind.unit]).to_numpy(zero_copy_only=False))
    if pa.types.is_nested(kind):
        texts = [None if value is None else str(value) for value in array.to_pylist()]
        return pa.array(texts, pa.string()).to_pandas()
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        array = valid_text(array)[0]
    text = pc.utf8_trim_whitespace(pc.cast(array, pa.large_string()))
    return pc.if_else(pc.equal(text, ""), pa.scalar(None, text.type), text).to_pandas()


def _whole_numbers(array: pa.Array, column: ParquetColumn) -> pd.Series:
    """Keep whole numbers whole; with gaps they become floats, or text if a float would lose digits."""
    fits = not pa.types.is_uint64(column.type) or column.exact
    if not column.gaps and fits:
        return pd.Series(pc.cast(array, pa.int64()).to_numpy(zero_copy_only=False))
    if column.exact:
        return pd.Series(pc.cast(array, pa.float64()).to_numpy(zero_copy_only=False))
    return pc.cast(array, pa.string()).to_pandas()
