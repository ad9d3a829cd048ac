"""How the cells of a column are read: as words, numbers, truth values or dates.

Roles, labels, the design and reports read cells through these functions, so that each spells a value the same way:
``1.0`` reads "1", a blank cell is missing, midnight is a plain date.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

#: Cells of a number column that stand for "no value" (compared in lower case, without surrounding blanks).
PLACEHOLDERS = frozenset({"?", "-", "--", ".", "na", "n/a", "#n/a", "nan", "null", "none", "missing", "unknown"})

#: Pairs of words for false and true, in lower case.
TRUTH_PAIRS = (("no", "yes"), ("false", "true"), ("n", "y"), ("f", "t"), ("off", "on"), ("0", "1"))

_TRUTH = {word: bool(value) for pair in TRUTH_PAIRS for value, word in enumerate(pair)}

_DAYS = ("%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%d.%m.%y", "%d/%m/%y", "%m/%d/%y")
_NAMED_MONTHS = ("%d %b %Y", "%d-%b-%Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y")

#: Ways of writing a date that are recognised in text, in the order in which they are tried. Where a column fits two of
#: them (03/04/2024), the earlier one is taken: day before month.
DATE_FORMATS = ("ISO8601", *(day + time for day in _DAYS for time in ("", " %H:%M", " %H:%M:%S")), *_NAMED_MONTHS)

_SETTLED = (np.dtype(np.float64), np.dtype(np.int64), np.dtype("datetime64[us]"))
_ISO_START = r"^\d{4}-\d{1,2}"
_MICROSECONDS_PER_DAY = 86_400_000_000


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
    if isinstance(series.dtype, np.dtype) and series.dtype in _SETTLED:
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
        return _plain_dates(series)
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
        return _plain_dates(pd.to_datetime(series, errors="coerce", utc=True))
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


def _plain_dates(series: pd.Series) -> pd.Series:
    """Dates without a time zone (moved to UTC where they have one), in microseconds."""
    if getattr(series.dtype, "tz", None) is not None:
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
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
        text = settled.str.strip()
        return text.where(text != "")
    codes, levels = pd.factorize(settled)
    words = np.array([*(_word(level) for level in levels), None], dtype=object)  # code -1 takes the last: missing
    return pd.Series(words[codes], index=series.index, dtype="str", name=series.name)


def _word(level: Any) -> str:
    """One settled value (no text) as a word."""
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
        values = pd.to_numeric(words.astype(object), errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
        return Numbers(values, _not_placeholders(words, np.isnan(values) & words.notna().to_numpy()))
    if types.is_datetime64_dtype(settled.dtype):
        return Numbers(np.full(len(settled), np.nan), settled.notna().to_numpy())
    values = settled.to_numpy(dtype=np.float64, na_value=np.nan)
    return Numbers(values, np.zeros(len(values), dtype=bool))


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
    return words.str.lower().isin(PLACEHOLDERS).to_numpy(dtype=bool)


def _not_placeholders(words: pd.Series, doubtful: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The doubtful cells that are more than a sign for a missing value."""
    unreadable = doubtful.copy()
    unreadable[doubtful] = ~is_placeholder(words[doubtful])
    return unreadable


def truth_of(word: str) -> bool | None:
    """Say whether a word means true or false.

    Parameters
    ----------
    word : str
        A word in any case.

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


def find_date_formats(words: pd.Series) -> tuple[str, ...]:
    """Find the ways of writing a date that fit all words.

    Parameters
    ----------
    words : Series of str
        Different words of one column, none missing.

    Returns
    -------
    tuple of str
        Formats for :func:`read_dates` out of :data:`DATE_FORMATS`, the preferred one first; empty where the words are
        no dates. Two formats mean that day and month cannot be told apart.

    Examples
    --------
    >>> find_date_formats(pd.Series(["2024-05-01", "2024-12-24"]))
    ('ISO8601',)
    >>> find_date_formats(pd.Series(["03/04/2024", "05/06/2024"]))
    ('%d/%m/%Y', '%m/%d/%Y')
    """
    first = words.iloc[:50]
    if first.empty or not first.str.contains(r"\d").all():
        return ()
    return tuple(form for form in DATE_FORMATS if _fits(first, form) and _fits(words, form))


def _fits(words: pd.Series, form: str) -> bool:
    """Whether every word is a date in this format."""
    if form == "ISO8601" and not words.str.contains(_ISO_START, regex=True).all():
        return False
    return not pd.to_datetime(words, format=form, errors="coerce", utc=True).isna().any()


def read_dates(series: pd.Series, form: str | None) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Read a column as days since 1 January 1970.

    Parameters
    ----------
    series : Series
        Dates, or text that holds dates.
    form : str or None
        How the text is written, one of :data:`DATE_FORMATS`; None reads text in ISO form.

    Returns
    -------
    days : ndarray of float64, shape (n,)
        NaN where the cell is missing or unreadable.
    unreadable : ndarray of bool, shape (n,)
        True where the cell holds something that is no such date.

    Examples
    --------
    >>> days, unreadable = read_dates(pd.Series(["02.01.1970", None, "soon"]), "%d.%m.%Y")
    >>> days.tolist(), unreadable.tolist()
    ([1.0, nan, nan], [False, False, True])
    """
    settled = settle(series)
    if types.is_datetime64_dtype(settled.dtype):
        return _days(settled), np.zeros(len(settled), dtype=bool)
    words = read_words(settled)
    moments = pd.to_datetime(words, format=form or "ISO8601", errors="coerce", utc=True)
    if form in (None, "ISO8601"):
        moments = moments.where(words.str.contains(_ISO_START, regex=True, na=False))
    return _days(_plain_dates(moments)), _not_placeholders(words, (moments.isna() & words.notna()).to_numpy())


def _days(moments: pd.Series) -> NDArray[np.float64]:
    """Moments as days since 1970, NaN where missing."""
    days = moments.to_numpy().astype("datetime64[us]").astype(np.int64) / _MICROSECONDS_PER_DAY
    return np.where(moments.isna().to_numpy(), np.nan, days)
