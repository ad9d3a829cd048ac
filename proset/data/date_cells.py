"""Dates in the cells of a column: the ways of writing them that are recognised, and reading them as days."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from pandas.api import types

from proset.data.arrow_texts import arrow_texts
from proset.data.cells import not_placeholders, plain_dates, read_words, settle
from proset.data.reading.dates import NAMED_MONTH, YEAR_FIRST, YEAR_LAST, parse_dates

_DAYS = ("%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%d.%m.%y", "%d/%m/%y", "%m/%d/%y")
_NAMED_MONTHS = ("%d %b %Y", "%d-%b-%Y", "%d %B %Y", "%b %d, %Y", "%B %d, %Y")

#: Ways of writing a date that are recognised in text, in the order in which they are tried. Where a column fits two of
#: them (03/04/2024), the earlier one is taken: day before month.
DATE_FORMATS = ("ISO8601", *(day + time for day in _DAYS for time in ("", " %H:%M", " %H:%M:%S")), *_NAMED_MONTHS)

_ISO_START = r"^\d{4}-\d{1,2}"
FIRST_DAY, LAST_DAY = -719_162.0, 2_932_896.0
"""Years 1 and 9999, in days since 1970: what a calendar can say."""
_SECONDS_PER_DAY, _MICROSECONDS_PER_DAY = 86_400, 86_400_000_000


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
    first = words.iloc[:50].to_list()
    if not first:
        return ()
    likely = [form for form, looks in _LOOKS.items() if all(map(looks.match, first))]
    return tuple(form for form in likely if _fits(words, form))


def _fits(words: pd.Series, form: str) -> bool:
    """Tell whether every word is a date in this format."""
    if form == "ISO8601" and not words.str.contains(_ISO_START, regex=True).all():
        return False
    for part in (words.iloc[:50], words) if len(words) > 50 else (words,):
        if pd.to_datetime(part, format=form, errors="coerce", utc=True).isna().any():
            return False
    return True


def _looks(form: str) -> re.Pattern[str]:
    """Return what a text in a format looks like; parsing decides, but it is slow and few texts get as far."""
    if form == "ISO8601":
        return re.compile(_ISO_START)
    pattern = re.escape(form).replace(r"\ ", r"\s+")
    for token, digits in (("%Y", r"\d{4}"), ("%y", r"\d{2}"), ("%b", r"\D+"), ("%B", r"\D+")):
        pattern = pattern.replace(token, digits)
    return re.compile(re.sub("%[dmHMS]", lambda _: r"[\s\d]\d?", pattern) + r"\Z")


_LOOKS = {form: _looks(form) for form in DATE_FORMATS}


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
    return _days(plain_dates(moments)), not_placeholders(words, (moments.isna() & words.notna()).to_numpy())


def moments_of(days: ArrayLike) -> NDArray[np.datetime64]:
    """Return days since 1970 as moments, to the second; NaT for what is not finite.

    Examples
    --------
    >>> moments_of([0.5, np.nan]).tolist()
    [datetime.datetime(1970, 1, 1, 12, 0), None]
    """
    seconds = np.round(np.asarray(days, dtype=np.float64) * _SECONDS_PER_DAY)
    moments = np.full(seconds.shape, np.datetime64("NaT", "s"))
    np.copyto(moments, seconds, where=np.isfinite(seconds), casting="unsafe")
    return moments


def no_dates(words: pd.Series, form: str | None) -> NDArray[np.bool_]:
    """Find the texts that are a date neither in a format nor in any way in which dates of a file are read.

    One word makes text of a whole column of dates; this tells the word from the dates.

    Parameters
    ----------
    words : Series of str
        None missing.
    form : str or None
        As for :func:`read_dates`.

    Examples
    --------
    >>> no_dates(pd.Series(["12.05.2023", "soon", "5/13/2023"]), None).tolist()
    [False, True, False]
    """
    texts = arrow_texts(words)
    ways = ((YEAR_FIRST, True), (YEAR_LAST, True), (YEAR_LAST, False), (NAMED_MONTH, True))
    dates = [~np.isnat(parse_dates(texts, pattern, day_first=first)) for pattern, first in ways]
    return np.asarray(read_dates(words, form)[1] & ~np.any(dates, axis=0), dtype=bool)


def _days(moments: pd.Series) -> NDArray[np.float64]:
    """Moments as days since 1970, NaN where missing."""
    days = moments.to_numpy().astype("datetime64[us]").astype(np.int64) / _MICROSECONDS_PER_DAY
    return np.where(moments.isna().to_numpy(), np.nan, days)
