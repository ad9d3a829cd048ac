"""Words of conditions: results, parts of a table, and ranges of numbers and of time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from proset.common.words import number

RIGHT, WRONG, LEFT = "right", "wrong", "left"
INSIDE, OUTSIDE = "inside", "outside"
RESULTS = {RIGHT: "decided right", WRONG: "misclassified", LEFT: "left to a person",
            INSIDE: "inside its 90 % interval", OUTSIDE: "outside its 90 % interval"}  # fmt: skip
PARTS = {"train": "training row", "held_out": "held out", "unlabelled": "without a target"}


def range_words(low: float | None, high: float | None, words: Callable[[float], str]) -> str:
    """Say where a range lies that has one end at least.

    Examples
    --------
    >>> range_words(30.0, None, exact), range_words(30.0, 44.5, exact), range_words(None, 44.5, exact)
    ('at least 30', 'from 30 to below 44.5', 'below 44.5')
    """
    if low is None:
        return "" if high is None else f"below {words(high)}"
    return f"at least {words(low)}" if high is None else f"from {words(low)} to below {words(high)}"


def time_words(low: float | None, high: float | None) -> str:
    """Say the same of time, in days since 1970.

    Examples
    --------
    >>> time_words(19_358.0, None), time_words(19_358.0, 19_723.5), time_words(None, 19_358.0)
    ('from 2023-01-01 on', 'from 2023-01-01 to before 2024-01-01 12:00:00', 'before 2023-01-01')
    """
    if low is None:
        return "" if high is None else f"before {moment(high)}"
    return f"from {moment(low)} on" if high is None else f"from {moment(low)} to before {moment(high)}"


def exact(value: float) -> str:
    """Return a number as people write it, but with all of its digits."""
    short = number(value)
    return short if float(short.replace(",", "")) == value else f"{value:.15g}"


def moment(days: float) -> str:
    """Return days since 1970 as a date, with the time of day where it is not midnight."""
    moment = np.datetime64(round(days * 86_400), "s")
    return str(moment.astype("datetime64[D]" if days == round(days) else "datetime64[s]")).replace("T", " ")
