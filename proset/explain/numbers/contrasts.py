"""Differences between the values of two cases, in the user's columns and units; numbers to the digits that matter."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from proset.common.words import count_words, grouped, number, rough, shown

_DAY = 86_400
_MOST_DECIMALS = 12
_LARGEST = 1e15


def cell_words(value: Any) -> str:
    """Write a plain value.

    Examples
    --------
    >>> cell_words(28.0), cell_words("red"), cell_words(None), cell_words(pd.Timestamp("2024-05-01"))
    ('28', 'red', 'missing', '2024-05-01')
    """
    if value is None:
        return "missing"
    if isinstance(value, pd.Timestamp):
        return value.isoformat(sep=" ").removesuffix(" 00:00:00")
    return number(float(value)) if isinstance(value, (int, float)) else shown(value)


def apart_words(name: str, own: Any, other: Any) -> str:
    """Say what a case has that another has not, in one column.

    Examples
    --------
    >>> apart_words("age", 28.0, 8.0), apart_words("hue", "red", "blue"), apart_words("age", None, 8.0)
    ('age 20 higher', "hue 'red' instead of 'blue'", 'no age')
    >>> apart_words("sold", pd.Timestamp("2024-05-01"), pd.Timestamp("2024-05-02"))
    'sold 1 day earlier'
    """
    column = shown(name)
    if own is None and other is not None:
        return f"no {column}"
    if own is None or other is None:
        return column if own is None else f"{column} {cell_words(own)} where that has none"
    if isinstance(own, pd.Timestamp):
        days = (own - other).total_seconds() / _DAY
        length = count_words(round(abs(days)), "day") if float(days).is_integer() else f"{number(abs(days))} days"
        return f"{column} {length} {'later' if days > 0 else 'earlier'}" if days else column
    if isinstance(own, str):
        return f"{column} '{shown(own)}' instead of '{shown(other)}'" if own != other else column
    # What two decimals leave between them is not said as 0.20000000000000018.
    gap = float(f"{abs(own - other):.4g}")
    return f"{column} {number(gap)} {'higher' if own > other else 'lower'}" if gap else column


def to_width(value: float, width: float, *, digits: int = 3) -> str:
    """Write a number to the digits that matter beside the width of what it is told in.

    Examples
    --------
    >>> to_width(58.2349, 27.4), to_width(58.2349, 27.4, digits=4), to_width(1234567.8, 54321.0)
    ('58.2', '58.23', '1,234,600')
    >>> to_width(0.0000012349, 4e-7), to_width(3.0, 0.0), to_width(100000.1234, 0.01)
    ('0.000001235', '3', '100,000.1234')
    """
    if not (math.isfinite(value) and math.isfinite(width) and width > 0.0) or abs(value) >= _LARGEST:
        return number(value)
    decimals = digits - 1 - math.floor(math.log10(width))
    if decimals > _MOST_DECIMALS:
        return number(value)
    text = grouped(f"{round(value, decimals):.{max(decimals, 0)}f}")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def signed(value: float) -> str:
    """Write a difference with its sign, to three digits.

    Examples
    --------
    >>> signed(3.8123), signed(-1.2)
    ('+3.81', '−1.2')
    """
    return f"{'+' if value >= 0 else '−'}{rough(abs(value))}"


def spread_words(value: float) -> str:
    """Write a spread to two digits.

    Examples
    --------
    >>> spread_words(6.8123)
    '6.8'
    """
    return number(float(np.format_float_scientific(value, precision=1)))
