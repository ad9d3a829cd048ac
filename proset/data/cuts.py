"""Cuts of a quantity into ranges: shares of the rows that come out alike, or what a person writes."""

from __future__ import annotations

import math
import re
from enum import IntEnum

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.errors import RoleError
from proset.common.words import shown
from proset.data.cells import date_word, read_numbers, word_of
from proset.data.classes import TargetClasses, moment_of
from proset.data.date_cells import read_dates
from proset.data.profile import CellKind, Profile

_HIGHEST_POWER = 300


class Parts(IntEnum):
    """Ranges of about as many rows each that are offered."""

    MEDIAN = 2
    THIRDS = 3
    QUARTERS = 4


def equal_ranges(series: pd.Series, profile: Profile, parts: int) -> TargetClasses:
    """Cut a quantity into ranges that hold about the same number of rows each.

    Parameters
    ----------
    series : Series
        Numbers or dates, index row.
    parts : int
        Number of ranges.

    Returns
    -------
    TargetClasses
        With short cuts: between two neighbouring values the number with the fewest digits is taken. Fewer ranges come
        out where many rows share a value, none where all do.

    Raises
    ------
    RoleError
        If the column holds neither numbers nor dates.

    Examples
    --------
    >>> from proset.data.profile import profile_column
    >>> prices = pd.Series([17, 19, 21, 38, 41, 44, 55, 1000], name="price")
    >>> equal_ranges(prices, profile_column(prices), 2).labels
    ('up to 40', 'over 40')
    """
    form = date_form(profile)
    values = np.sort(_values(series, form))
    different, rows = np.unique(values, return_counts=True)
    if len(different) < 2:
        return TargetClasses(dates=form)
    below = np.cumsum(rows)[:-1] / rows.sum()  # share of the rows up to each value but the last
    cuts = set()
    for part in range(1, parts):
        apart = np.abs(below - part / parts)
        at = int(np.flatnonzero(apart <= apart.min() + 1e-9)[-1])  # of two equally good cuts the one above the median
        low, high = float(different[at]), float(different[at + 1])
        cuts.add(short_number(low, high) if form is None else _short_moment(low, high))
    return TargetClasses(cuts=tuple(sorted(cut for cut in cuts if cut is not None)), dates=form)


def date_form(profile: Profile) -> str | None:
    """Say how the dates of a column are written; None for numbers.

    Raises
    ------
    RoleError
        If the column holds neither.

    Examples
    --------
    >>> date_form(Profile("age", CellKind.NUMBER, 10, 0, 10)) is None
    True
    """
    if profile.kind is CellKind.DATE:
        return next(iter(profile.date_formats), "ISO8601")
    if profile.kind is CellKind.NUMBER:
        return None
    raise RoleError(
        f"Target '{shown(profile.name)}' holds no numbers and no dates, so it cannot be cut into ranges.",
        column=profile.name,
        hint="Name and join its classes instead, or choose another target.",
    )


def read_cuts(text: str, profile: Profile) -> TargetClasses:
    """Read cuts that a person has written.

    Parameters
    ----------
    text : str
        Numbers with a decimal point (or dates such as 2024-05-01), separated by commas or blanks. Where semicolons
        separate them, a comma is a decimal comma.
    profile : Profile
        Facts about the target.

    Returns
    -------
    TargetClasses
        With these cuts in ascending order.

    Raises
    ------
    RoleError
        If a part is no number (or date), nothing is written, or a range would be empty; says which.

    Examples
    --------
    >>> profile = Profile("age", CellKind.NUMBER, 100, 0, 80, low=1.0, high=90.0)
    >>> read_cuts("40, 17.5", profile).cuts, read_cuts("17,5; 40", profile).cuts
    ((17.5, 40.0), (17.5, 40.0))
    """
    form = date_form(profile)
    if form is not None:
        words = [word for word in re.split(r"[,;\s]+(?=\d{4}-)", text.strip(" ,;")) if word]
    elif ";" in text:
        words = [word.strip().replace(",", ".") for word in text.split(";") if word.strip()]
    else:
        words = [word for word in re.split(r"[,\s]+", text) if word]
    if not words:
        raise RoleError(f"No cut is given for target '{shown(profile.name)}'.", column=profile.name, hint=_how(form))
    cuts = sorted({_cut(word, form, profile.name) for word in words})
    outside = next((cut for cut in cuts if not profile.low <= cut < profile.high), None) if form is None else None
    if outside is not None:
        raise RoleError(
            f"The cut {word_of(outside)} leaves a range without rows: '{shown(profile.name)}' goes from"
            f" {word_of(profile.low)} to {word_of(profile.high)}.",
            column=profile.name,
            hint="Choose cuts between the two.",
        )
    return TargetClasses(cuts=tuple(cuts), dates=form)


def cuts_text(classes: TargetClasses) -> str:
    """Write cuts as :func:`read_cuts` reads them.

    Examples
    --------
    >>> cuts_text(TargetClasses(cuts=(12, 17.5)))
    '12, 17.5'
    """
    if classes.dates is None:
        return ", ".join(word_of(cut) for cut in classes.cuts)
    return ", ".join(date_word(moment_of(cut)) for cut in classes.cuts)


def short_number(low: float, high: float) -> float:
    """Return the number with the fewest digits from `low` (included) to `high` (excluded).

    Examples
    --------
    >>> short_number(4998, 5003), short_number(7.38, 7.41), short_number(-3.0, 2.0)
    (5000.0, 7.4, 0.0)
    """
    if low <= 0.0 < high:
        return 0.0
    largest = math.floor(math.log10(max(abs(low), abs(high))))
    for power in range(largest, max(largest - 17, -_HIGHEST_POWER), -1):
        step = 10.0 ** abs(power)
        middle = math.ceil(low / step) * step if power >= 0 else math.ceil(low * step) / step
        if low <= middle < high:
            return middle
    return low


def _short_moment(low: float, high: float) -> float | None:
    """Return the last midnight after `low` up to `high`, in days, else the last full second; None within one second."""
    found = (math.floor(high * per_day) / per_day for per_day in (1, 86_400))
    return next((moment for moment in found if moment > low), None)


def _values(series: pd.Series, form: str | None) -> NDArray[np.float64]:
    """Return the finite numbers of a column, or its dates as days."""
    values = read_numbers(series).values if form is None else read_dates(series, form)[0]
    return values[np.isfinite(values)]


def _cut(word: str, form: str | None, target: str) -> float:
    """Read one cut."""
    if form is None:
        try:
            value = float(word)
        except ValueError:
            value = math.nan
    else:
        value = float(read_dates(pd.Series([word]), "ISO8601")[0][0])
    if not math.isfinite(value):
        kind = "number" if form is None else "date"
        raise RoleError(
            f"'{shown(word, 40)}' is no {kind} to cut target '{shown(target)}' at.", column=target, hint=_how(form)
        )
    return value


def _how(form: str | None) -> str:
    """Say how cuts are written."""
    if form is None:
        return "Write numbers such as 12.5, 30, with commas between them."
    return "Write dates such as 2024-05-01, 2024-09-30, with commas between them."
