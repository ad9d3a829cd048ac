"""The days between two dates as a column: what it is, and how it is made of rows, old and new."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.errors import DesignError
from proset.common.words import listed, shown
from proset.data.date_cells import DATE_FORMATS, read_dates
from proset.data.issues import Issue, Role, Severity
from proset.data.profile import CellKind, Profile
from proset.data.quantities import days_of

DATE_DIFFERENCE = "date_difference"
"""Code of the finding."""

_MOST_SUGGESTED = 3
_BOTH_THERE = 0.5
_SAME_ORDER = 0.9
_FIRST_LOOK = 5_000
_DAY = 86_400_000_000  # microseconds
# Years of four digits: what text can spell, and read again.
_CALENDAR = np.array(["1000-01-01", "9999-12-31"], dtype="datetime64[D]").astype(np.float64)


@dataclass(frozen=True)
class DateDifference:
    """A column that holds the days from one date to another.

    Attributes
    ----------
    name : str
        What the column is called.
    first, second : str
        Columns of the dates from which and to which days are counted.
    first_form, second_form : str or None
        How text spells the dates, one of :data:`proset.data.date_cells.DATE_FORMATS`; None for dates proper and ISO.

    Examples
    --------
    >>> DateDifference("days from start to end", "start", "end").first
    'start'
    """

    name: str
    first: str
    second: str
    first_form: str | None = None
    second_form: str | None = None

    def __post_init__(self) -> None:
        for form in (self.first_form, self.second_form):
            if form is not None and form not in DATE_FORMATS:
                raise DesignError(f"'{shown(form)}' is no way of writing dates that is known here.")

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it is made of; the last one is what moves where the days are changed."""
        return self.first, self.second

    def values(self, frame: pd.DataFrame) -> NDArray[np.float64]:
        """Return the days between the two dates of each row; nan where one of them is missing.

        Raises
        ------
        DesignError
            If a cell holds something that is no date.
        """
        return days_of(frame[self.second], self.second_form) - days_of(frame[self.first], self.first_form)

    def moved(self, frame: pd.DataFrame, value: float | NDArray[np.float64]) -> pd.Series | None:
        """Return second dates with so many days between, spelled as they were; None where one is missing."""
        if not np.isfinite(value - self.values(frame)).all():
            return None
        cells = frame[self.second]
        days = np.clip(days_of(frame[self.first], self.first_form) + value, *_CALENDAR)
        moved = pd.Series(np.round(days * _DAY).astype(np.int64).astype("datetime64[us]"), index=cells.index)
        is_date = pd.api.types.is_datetime64_any_dtype(cells.dtype)
        return moved if is_date else moved.dt.strftime(self.second_form or "%Y-%m-%d")


def numbered(name: str, taken: Collection[str]) -> str:
    """Return a name for a new column, with a number behind it where it is taken.

    Examples
    --------
    >>> numbered("hour", ["hour", "hour (2)"])
    'hour (3)'
    """
    found, count = name, 1
    while found in taken:
        count += 1
        found = f"{name} ({count})"
    return found


def difference_name(first: str, second: str) -> str:
    """Return what the days between two columns are called.

    Examples
    --------
    >>> difference_name("start", "end")
    'days from start to end'
    """
    return f"days from {first} to {second}"


def make_difference(profiles: Mapping[str, Profile], first: str, second: str) -> DateDifference:
    """Describe the days between two columns of a table.

    Parameters
    ----------
    profiles : mapping of str to Profile
        Facts about the columns of the table.
    first, second : str
        Two columns of dates.

    Returns
    -------
    DateDifference
        With a name that the table does not have yet.

    Raises
    ------
    DesignError
        If a column is not there or holds no dates, or the two are one.

    Examples
    --------
    >>> from proset.data.profile import profile_column
    >>> cells = pd.Series(["01.02.2024", "15.02.2024"])
    >>> make_difference({name: profile_column(cells.rename(name)) for name in "ab"}, "a", "b").first_form
    '%d.%m.%Y'
    """
    for column in (first, second):
        if column not in profiles:
            raise DesignError(
                f"There is no column '{shown(column)}'.",
                column=column,
                hint=f"The columns of dates are {listed(_dates(profiles), most=10) or 'none'}.",
            )
        if profiles[column].kind is not CellKind.DATE:
            raise DesignError(
                f"Column '{shown(column)}' does not hold dates, so no days can be counted from it.",
                column=column,
                hint=f"The columns of dates are {listed(_dates(profiles), most=10) or 'none'}.",
            )
    if first == second:
        raise DesignError(f"'{shown(first)}' is given for both dates.", column=first, hint="Name two columns.")
    name = numbered(difference_name(first, second), profiles)
    return DateDifference(name, first, second, profiles[first].date_format, profiles[second].date_format)


def suggest_differences(
    frame: pd.DataFrame, profiles: Mapping[str, Profile], roles: Mapping[str, Role]
) -> list[tuple[str, str]]:
    """Find pairs of dates of which one hardly ever comes before the other, so that the days between them may matter.

    Parameters
    ----------
    frame : DataFrame
        The table, index row; of a large one, the first rows are looked at.
    roles : mapping of str to Role
        Only columns with the role date are looked at.

    Returns
    -------
    list of (str, str)
        Earlier and later column; at most three pairs, those whose order is clearest first. Pairs whose days are a
        column already are left out.
    """
    dates = [name for name in _dates(profiles) if roles.get(name) is Role.DATE]
    head = frame.iloc[:_FIRST_LOOK]
    days = {}
    for name in dates[:10]:
        values, unreadable = read_dates(head[name], profiles[name].date_format)
        if not unreadable.any():
            days[name] = values
    found = []
    for one, other in combinations(days, 2):
        between = days[other] - days[one]
        between = between[np.isfinite(between)]
        if len(between) < _BOTH_THERE * len(head) or np.unique(between).size < 2:
            continue
        forward, backward = float((between >= 0).mean()), float((between <= 0).mean())
        pair = (one, other) if forward >= backward else (other, one)
        if max(forward, backward) >= _SAME_ORDER and difference_name(*pair) not in profiles:
            found.append((max(forward, backward), pair))
    return [pair for _, pair in sorted(found, key=lambda item: -item[0])[:_MOST_SUGGESTED]]


def difference_issues(frame: pd.DataFrame, profiles: Mapping[str, Profile], roles: Mapping[str, Role]) -> list[Issue]:
    """Suggest the days between two dates as a column."""
    return [
        Issue(
            DATE_DIFFERENCE,
            f"The days from '{shown(first)}' to '{shown(second)}' may say more than the two dates; they can be added as"
            " a column.",
            column=second,
            severity=Severity.INFO,
            other=first,
        )
        for first, second in suggest_differences(frame, profiles, roles)
    ]


def _dates(profiles: Mapping[str, Profile]) -> list[str]:
    """List the columns of dates."""
    return [name for name, profile in profiles.items() if profile.kind is CellKind.DATE]
