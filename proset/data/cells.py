"""Cells of a column as words, numbers or truth values (dates: :mod:`proset.data.date_cells`).

Roles, labels, the design and reports read cells through these functions, so that each spells a value the same way:
``1.0`` reads "1", a blank cell is missing, midnight is a plain date.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pandas.api import types

from proset.data.arrow_texts import TEXT, arrow_texts, trimmed_texts

#: Cells of a number column that stand for "no value" (compared in lower case, without surrounding blanks).
PLACEHOLDERS = frozenset({"?", "-", "--", ".", "na", "n/a", "#n/a", "nan", "null", "none", "missing", "unknown"})

_PLACEHOLDERS = pa.array(sorted(PLACEHOLDERS), pa.large_string())

#: Pairs of words for false and true, in lower case.
TRUTH_PAIRS = (("no", "yes"), ("false", "true"), ("n", "y"), ("f", "t"), ("off", "on"), ("0", "1"))

_TRUTH = {word: bool(value) for pair in TRUTH_PAIRS for value, word in enumerate(pair)}

_SETTLED = (np.dtype(np.float64), np.dtype(np.int64), np.dtype("datetime64[us]"))
# How a text has to begin or read for pandas to take it for a number; most words need no further look.
_LIKE_A_NUMBER = r"^[ \t]*[+-]?\.?[0-9]|(?i:inf|nan)"


@dataclass(frozen=True, eq=False)
class Numbers:
    """A column read as numbers.

    Attributes
    ----------
    values : ndarray of float64, shape (n,)
        NaN where the cell is missing or unreadable; infinite values are kept.
    unreadable : ndarray of bool, shape (n,)
        True where the cell holds something that is neither a number nor a sign for a missing value.
    """

    values: NDArray[np.float64]
    unreadable: NDArray[np.bool_]


def settle(series: pd.Series) -> pd.Series:
    """Bring a column to one of five types, whatever library wrote it.

    Parameters
    ----------
    series : Series
        Any column, of any length and type.

    Returns
    -------
    Series
        The same index; the type is an integer type (nothing missing), float64, boolean (nullable), datetime64[us] or
        str. Whatever is none of the first four (lists, durations, mixtures) becomes text.

    Examples
    --------
    >>> str(settle(pd.Series([True, None], dtype=object)).dtype)
    'boolean'
    >>> settle(pd.Series([1, "x"], dtype=object)).tolist()
    ['1', 'x']
    """
    if series.dtype in _SETTLED if isinstance(series.dtype, np.dtype) else series.dtype == TEXT:
        return series
    if isinstance(series.dtype, pd.CategoricalDtype):
        series = series.astype(series.cat.categories.dtype)
    dtype = series.dtype
    if types.is_bool_dtype(dtype):
        return series.astype("boolean")
    if types.is_integer_dtype(dtype):
        return series.astype("float64") if series.hasnans else series.astype(getattr(dtype, "numpy_dtype", dtype))
    if types.is_float_dtype(dtype):
        return series.astype("float64")
    if types.is_datetime64_any_dtype(dtype):
        return plain_dates(series)
    if isinstance(dtype, pd.StringDtype):
        return series.astype("str")
    return _settle_objects(series.astype(object))


def _settle_objects(series: pd.Series) -> pd.Series:
    """Settle a column of Python objects."""
    kind = types.infer_dtype(series, skipna=True)
    if kind == "boolean":
        return series.astype("boolean")
    if kind in {"integer", "floating", "mixed-integer-float", "decimal"}:
        try:
            return settle(pd.to_numeric(series))
        except (OverflowError, ValueError, TypeError):
            pass  # integers beyond float64: kept as text
    if kind in {"datetime", "datetime64", "date"}:
        return plain_dates(pd.to_datetime(series, errors="coerce", utc=True))
    return pd.Series([_cell_text(cell) for cell in series], index=series.index, dtype="str", name=series.name)


def _cell_text(cell: Any) -> str | None:
    """One object as text; None for a missing value."""
    if isinstance(cell, str):
        return cell
    if isinstance(cell, bytes):
        return cell.decode("utf-8", errors="replace")
    if types.is_scalar(cell) and pd.isna(cell):
        return None
    return _float_word(cell) if isinstance(cell, float) else str(cell)


def plain_dates(series: pd.Series) -> pd.Series:
    """Dates without a time zone (moved to UTC where they have one), in microseconds."""
    if getattr(series.dtype, "tz", None) is not None:
        series = series.dt.tz_convert(None)
    try:
        return series.astype("datetime64[us]")
    except pd.errors.OutOfBoundsDatetime:  # seconds count further than microseconds: what is beyond is missing
        ends = np.array([-9_200_000_000_000_000_000, 9_200_000_000_000_000_000]).view("M8[us]")
        return series.where(series.between(*ends.astype(series.to_numpy().dtype))).astype("datetime64[us]")


def read_words(series: pd.Series) -> pd.Series:
    """Spell every cell the way a person writes it.

    Parameters
    ----------
    series : Series
        Any column.

    Returns
    -------
    Series of str
        The same index. Whole numbers have no decimal point, truth values read "True" and "False", dates are in ISO
        form, text loses the blanks around it; missing and blank cells are missing.

    Examples
    --------
    >>> read_words(pd.Series([1.0, 2.5, None])).tolist()
    ['1', '2.5', nan]
    >>> read_words(pd.Series([" yes", "", "no"])).tolist()
    ['yes', nan, 'no']
    """
    settled = settle(series)
    if isinstance(settled.dtype, pd.StringDtype):
        return trimmed_texts(settled)
    codes, levels = pd.factorize(settled)
    words = np.array([*(word_of(level) for level in levels), None], dtype=object)  # code -1 takes the last: missing
    return pd.Series(words[codes], index=series.index, dtype="str", name=series.name)


def word_of(level: Any) -> str:
    """Spell one settled value that is no text, as :func:`read_words` does for a column."""
    if isinstance(level, (bool, np.bool_)):
        return str(bool(level))
    if isinstance(level, (float, np.floating)):
        return _float_word(float(level))
    if isinstance(level, (pd.Timestamp, np.datetime64)):
        return date_word(pd.Timestamp(level))
    return str(level)


def _float_word(value: float) -> str:
    """Whole numbers without a decimal point, others with as few digits as tell them apart."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def date_word(moment: pd.Timestamp) -> str:
    """Write a date in ISO form, with the time only where there is one.

    Parameters
    ----------
    moment : Timestamp
        Any moment, also of a year before 1 or after 9999.

    Returns
    -------
    str
        Such as "2007-11-11" or "2007-11-11 18:30:00".

    Examples
    --------
    >>> date_word(pd.Timestamp("2007-11-11 18:30"))
    '2007-11-11 18:30:00'
    """
    if not 1 <= moment.year <= 9999:  # Python knows no such years
        day, _, time = str(np.datetime_as_string(moment.to_datetime64(), unit="us")).partition("T")
        return day if time == "00:00:00.000000" else f"{day} {time.removesuffix('.000000')}"
    return moment.strftime("%Y-%m-%d") if moment == moment.normalize() else moment.isoformat(sep=" ")


def read_numbers(series: pd.Series) -> Numbers:
    """Read a column as numbers, marking the cells that are none.

    Parameters
    ----------
    series : Series
        Any column; text may hold numbers with a decimal point. Truth values count as 0 and 1.

    Returns
    -------
    Numbers
        Values and the mask of cells that cannot be read.

    Examples
    --------
    >>> numbers = read_numbers(pd.Series(["1.5", "?", "tall"]))
    >>> numbers.values.tolist(), numbers.unreadable.tolist()
    ([1.5, nan, nan], [False, False, True])
    """
    settled = settle(series)
    if isinstance(settled.dtype, pd.StringDtype):
        words = read_words(settled)
        values = np.full(len(words), np.nan)
        likely = np.asarray(pc.fill_null(like_numbers(arrow_texts(words)), False))
        if likely.any():
            values[likely] = pd.to_numeric(words[likely].to_numpy(dtype=object), errors="coerce")
        return Numbers(values, not_placeholders(words, np.isnan(values) & words.notna().to_numpy()))
    if types.is_datetime64_dtype(settled.dtype):
        return Numbers(np.full(len(settled), np.nan), settled.notna().to_numpy())
    values = settled.to_numpy(dtype=np.float64, na_value=np.nan)
    return Numbers(values, np.zeros(len(values), dtype=bool))


def like_numbers(texts: pa.Array) -> pa.Array:
    """Find the texts that may be numbers; no other is read as one, and nulls stay."""
    return pc.match_substring_regex(texts, _LIKE_A_NUMBER)


def is_placeholder(words: pd.Series) -> NDArray[np.bool_]:
    """Find the words that stand for "no value".

    Parameters
    ----------
    words : Series of str
        None missing.

    Returns
    -------
    ndarray of bool, shape (n,)
        True for "?", "n/a" and the like.

    Examples
    --------
    >>> is_placeholder(pd.Series(["N/A", "7"])).tolist()
    [True, False]
    """
    return np.asarray(pc.is_in(pc.utf8_lower(arrow_texts(words)), _PLACEHOLDERS))


def not_placeholders(words: pd.Series, doubtful: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which doubtful cells are more than a sign for a missing value."""
    unreadable = doubtful.copy()
    unreadable[doubtful] = ~is_placeholder(words[doubtful])
    return unreadable


def truth_of(word: str) -> bool | None:
    """Say whether a word means true or false.

    Returns
    -------
    bool or None
        None where the word means neither.

    Examples
    --------
    >>> truth_of("Yes"), truth_of("F"), truth_of("maybe")
    (True, False, None)
    """
    return _TRUTH.get(word.casefold())
