"""Reading dates written in the common ways, with one order of day and month per column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

Moments = np.ndarray[Any, np.dtype[np.datetime64]]
Whole = np.ndarray[Any, np.dtype[np.int64]]

_TIME = (
    r"(?:[T ]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:[.,](?P<part>\d{1,9}))?)?"
    r"(?: ?(?P<half>[AaPp])[Mm])?(?: ?(?P<zone>Z|UTC|[+-]\d{2}:?\d{2}))?)?$"
)
YEAR_FIRST = r"^(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})" + _TIME
YEAR_LAST = r"^(?P<one>\d{1,2})[-/.](?P<two>\d{1,2})[-/.](?P<year>\d{4})" + _TIME
NAMED_MONTH = r"^(?P<day>\d{1,2})\.?[- ](?P<name>[A-Za-z]{3,9})\.?,?[- ](?P<year>\d{4})" + _TIME
_FIRST, _AFTER = np.datetime64("0001-01-01", "us"), np.datetime64("10000-01-01", "us")
_SHORT_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTHS = {name: number for number, name in enumerate(_SHORT_NAMES, 1)}


def parse_dates(values: pa.Array, pattern: str, *, day_first: bool = True) -> Moments:
    """Read text as moments.

    Parameters
    ----------
    values : pyarrow.Array of str, shape (n,)
        Trimmed text; null where missing.
    pattern : str
        One of ``YEAR_FIRST``, ``YEAR_LAST`` and ``NAMED_MONTH``.
    day_first : bool
        For ``YEAR_LAST``: whether the day stands before the month.

    Returns
    -------
    ndarray of datetime64[us], shape (n,)
        NaT where the text is no such date, or a day that does not exist. Times with a zone are moved to UTC.

    Examples
    --------
    >>> parse_dates(pa.array(["31.12.2023", "31.02.2023"]), YEAR_LAST)
    array(['2023-12-31T00:00:00.000000',                        'NaT'],
          dtype='datetime64[us]')
    """
    fields = pc.extract_regex(values, pattern)
    matched = np.asarray(pc.is_valid(fields))
    moments = np.full(len(values), np.datetime64("NaT"), dtype="datetime64[us]")
    if not matched.any():
        return moments
    fields = fields.drop_null()
    part = {field.name: fields.field(field.name) for field in fields.type}
    if "one" in part:
        part["day"], part["month"] = (part["one"], part["two"]) if day_first else (part["two"], part["one"])
    month = _named_months(part["name"]) if "name" in part else _whole(part["month"])
    found = _days(_whole(part["year"]), month, _whole(part["day"]))
    if pc.any(pc.not_equal(part["hour"], "")).as_py():
        found = found + _time_of_day(part)
    found[(found < _FIRST) | (found >= _AFTER)] = np.datetime64("NaT")  # moved there by the time zone
    moments[matched] = found
    return moments


def _days(year: Whole, month: Whole, day: Whole) -> Moments:
    """Return midnight of each day; NaT for days that do not exist, and for the year 0, which no calendar has."""
    known = (year >= 1) & (month >= 1) & (month <= 12)
    months = np.where(known, (year - 1970) * 12 + month - 1, 0).astype("datetime64[M]")
    days = months.astype("datetime64[D]") + (day - 1)
    known &= (day >= 1) & (days < (months + 1).astype("datetime64[D]"))
    return np.where(known, days.astype("datetime64[us]"), np.datetime64("NaT"))


def _whole(text: pa.Array) -> Whole:
    """Return digits as integers, 0 where there are none."""
    filled = pc.if_else(pc.equal(pc.fill_null(text, ""), ""), "0", pc.fill_null(text, "0"))
    return np.asarray(pc.cast(filled, pa.int64()))


def _named_months(text: pa.Array) -> Whole:
    """Return the number of each month, 0 (no date) where the word is no month."""
    short = pc.utf8_slice_codeunits(pc.utf8_lower(pc.fill_null(text, "")), 0, 3)
    return np.array([_MONTHS.get(word, 0) for word in short.to_pylist()], dtype=np.int64)


def _time_of_day(part: dict[str, pa.Array]) -> np.ndarray[Any, np.dtype[np.timedelta64]]:
    """Return the time since midnight; NaT for times that do not exist."""
    hour, minute, second = (_whole(part[name]) for name in ("hour", "minute", "second"))
    half = np.array([mark.lower() for mark in pc.fill_null(part["half"], "").to_pylist()], dtype=object)
    impossible = (hour > 23) | (minute > 59) | (second > 59) | ((half != "") & ((hour < 1) | (hour > 12)))
    hour = np.where(half == "a", hour % 12, np.where(half == "p", hour % 12 + 12, hour))
    micro = _whole(pc.utf8_slice_codeunits(pc.utf8_rpad(pc.fill_null(part["part"], ""), 6, "0"), 0, 6))
    zones = pc.fill_null(part["zone"], "").to_pylist()
    offset = np.array([_minutes(zone) for zone in zones], dtype=np.int64)
    total = ((hour * 60 + minute - offset) * 60 + second) * 1_000_000 + micro
    times = total.astype("timedelta64[us]")
    times[impossible] = np.timedelta64("NaT")
    return times


def _minutes(zone: str) -> int:
    """Return the distance from UTC in minutes."""
    if not zone or zone[0] not in "+-":
        return 0
    minutes = int(zone[1:3]) * 60 + int(zone[-2:])
    return -minutes if zone[0] == "-" else minutes
