"""The hour of the day as a column: what holds times, and how hours are made of rows, old and new."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.errors import DesignError
from proset.common.words import listed, shown
from proset.data.cells import read_words
from proset.data.date_cells import DATE_FORMATS, read_dates
from proset.data.date_differences import numbered
from proset.data.encoders import first_unreadable
from proset.data.issues import Issue, Role, Severity
from proset.data.profile import CellKind, Profile

CLOCK_TIME, HOUR_OF_DAY = "clock_time", "hour_of_day"
"""Codes of the findings: times of the day that are taken as words, and moments whose hours may be added."""
CLOCK = "clock"
"""The way of writing times of the day without a date: ``18:30``, ``6:30 pm``, ``18.30.00``."""

_TIME = re.compile(
    r"\s*(?P<hour>\d{1,2})(?P<mark>[:.])(?P<minute>[0-5]\d)(?P<rest>(?P=mark)(?P<second>[0-5]\d)(?:\.\d+)?)?"
    r"(?P<gap>\s*)(?P<half>[AaPp]\.?[Mm]\.?)?\s*"
)
_ISO = "%Y-%m-%dT%H:%M:%S"
_FIRST_LOOK = 5_000
_FEWEST_HOURS, _LEAST_SHARE = 3, 0.1  # different hours, and the share of the rows that are not at midnight
_DIGITS = 4  # of an hour: a third of a second


@dataclass(frozen=True)
class HourOfDay:
    """A column that holds the hour of the day, from 0 to 24, of the times in another: 18.5 is half past six.

    Attributes
    ----------
    name : str
        What the column is called.
    column : str
        The one with the times.
    form : str or None
        :data:`CLOCK` for times without a date, else how text spells the dates, one of
        :data:`proset.data.date_cells.DATE_FORMATS`; None for dates proper and ISO.

    Examples
    --------
    >>> HourOfDay("hour of seen", "seen", CLOCK).values(pd.DataFrame({"seen": ["18:30", "6:30 pm", None]})).tolist()
    [18.5, 18.5, nan]
    """

    name: str
    column: str
    form: str | None = None

    def __post_init__(self) -> None:
        if self.form not in {None, CLOCK, *DATE_FORMATS}:
            raise DesignError(f"'{shown(self.form)}' is no way of writing times that is known here.")

    @property
    def columns(self) -> tuple[str, ...]:
        """The column that it is made of."""
        return (self.column,)

    def values(self, frame: pd.DataFrame) -> NDArray[np.float64]:
        """Return the hour of each row; nan where the time is missing, a DesignError where a cell holds none."""
        series = frame[self.column]
        if self.form == CLOCK:
            hours, unreadable = read_clock(series)
        else:
            days, unreadable = read_dates(series, self.form)
            hours = np.round((days % 1.0) * 24.0, _DIGITS)
        if not unreadable.any():
            return hours
        if self.form != CLOCK:
            raise first_unreadable(series, unreadable, Role.DATE)
        row, cell = series.index[unreadable][0], series[unreadable].iloc[0]
        raise DesignError(
            f"Column '{shown(self.column)}' holds '{shown(cell)}' in row {shown(row)}, which is no time of the day.",
            column=self.column,
            hint="Write it like 18:30, or leave the cell empty.",
        )

    def moved(self, frame: pd.DataFrame, value: float | NDArray[np.float64]) -> pd.Series | None:
        """Return the times of rows with another hour, spelled as they were; None where they have none."""
        series = frame[self.column]
        if not np.isfinite(value + self.values(frame)).all():
            return None
        seconds = np.round(np.broadcast_to(np.clip(value, 0.0, 24.0), len(series)) * 3600).astype(np.int64)
        if self.form == CLOCK:
            spelled = map(_spelled, read_words(series), seconds.tolist())
            return pd.Series(list(spelled), index=series.index, dtype=series.dtype)
        moment = pd.to_datetime(series, format=self.form)
        later = moment.dt.normalize() + pd.to_timedelta(np.minimum(seconds, 86_399), unit="s")
        return later if pd.api.types.is_datetime64_any_dtype(series.dtype) else later.dt.strftime(self.form or _ISO)


def read_clock(series: pd.Series) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Read times of the day as hours, from 0 to 24.

    Returns
    -------
    hours : ndarray of float64, shape (n,)
        NaN where the cell is missing or unreadable.
    unreadable : ndarray of bool, shape (n,)
        True where the cell holds something else.

    Examples
    --------
    >>> hours, unreadable = read_clock(pd.Series(["0:05", "18.30.00", "12:15 am", "18.30", "25:00", None]))
    >>> hours[:3].round(4).tolist(), unreadable.tolist()
    ([0.0833, 18.5, 0.25], [False, False, False, True, True, False])
    """
    words = read_words(series)
    parts = words.astype("str").str.extract(f"^{_TIME.pattern}$")
    hour, minute, second = (
        pd.to_numeric(parts[name], errors="coerce").to_numpy(dtype=np.float64) for name in ("hour", "minute", "second")
    )
    half = parts["half"].str[:1].str.lower()
    after, noon = half.eq("p").to_numpy(dtype=bool), half.notna().to_numpy(dtype=bool)
    hours = np.where(noon, hour % 12.0 + 12.0 * after, hour) + minute / 60.0 + np.nan_to_num(second) / 3600.0
    amount = parts["mark"].eq(".").to_numpy(dtype=bool) & parts["second"].isna().to_numpy() & ~noon  # 18.30 may be one
    wrong = np.isnan(hours) | amount | (hours > 24.0) | (noon & ((hour > 12.0) | (hour < 1.0)))
    missing = words.isna().to_numpy()
    return np.where(wrong | missing, np.nan, np.round(hours, _DIGITS)), wrong & ~missing


def make_hour(frame: pd.DataFrame, profiles: Mapping[str, Profile], column: str) -> HourOfDay:
    """Describe the hours of a column of times, under a name that the table does not have yet.

    Raises
    ------
    DesignError
        If the column is not there or holds neither times of the day nor dates.

    Examples
    --------
    >>> from proset.data.profile import profile_column
    >>> rows = pd.DataFrame({"seen": ["18:30", "7:05"]})
    >>> make_hour(rows, {"seen": profile_column(rows["seen"])}, "seen").form
    'clock'
    """
    if column not in profiles or not _holds_times(frame, profiles[column]):
        there = "holds no times" if column in profiles else "is not there"
        times = [name for name, profile in profiles.items() if _holds_times(frame, profile)]
        raise DesignError(
            f"Column '{shown(column)}' {there}, so it has no hours.",
            column=column,
            hint=f"The columns of times are {listed(times, most=10) or 'none'}.",
        )
    name, profile = numbered(hour_name(column), profiles), profiles[column]
    return HourOfDay(name, column, profile.date_format if profile.kind is CellKind.DATE else CLOCK)


def _holds_times(frame: pd.DataFrame, profile: Profile) -> bool:
    """Tell whether a column holds dates or times of the day."""
    return profile.kind is CellKind.DATE or holds_clock_times(frame[profile.name], profile)


def hour_name(column: str) -> str:
    """Return what the hours of a column are called.

    Examples
    --------
    >>> hour_name("seen")
    'hour of seen'
    """
    return f"hour of {column}"


def holds_clock_times(cells: pd.Series, profile: Profile) -> bool:
    """Tell whether the cells of a column of text are times of the day; of very many different ones the first rows.

    Points between the parts are taken for a time only where there are two of them: 18.30 may be an amount.
    """
    if profile.kind is not CellKind.TEXT or not profile.n_distinct:
        return False
    first = cells.iloc[0] if profile.counts is None else profile.counts.index[0]
    if isinstance(first, str) and first.strip() and not _TIME.fullmatch(first):
        return False  # of thousands of columns of text nearly all end here
    words = cells.iloc[:_FIRST_LOOK] if profile.counts is None else pd.Series(profile.counts.index, dtype="str")
    return not read_clock(words)[1].any()


def hour_issues(cells: pd.Series, profile: Profile, role: Role, names: Collection[str]) -> list[Issue]:
    """Say where times of the day count as words, or moments as days only, and that hours can be added.

    Examples
    --------
    >>> from proset.data.profile import profile_column
    >>> times = pd.Series(["18.00.00", "19.00.00", "18.00.00"], name="Time")
    >>> found = hour_issues(times, profile_column(times), Role.CATEGORICAL, ["Time"])
    >>> found[0].message[:57]
    "'Time' looks like times of the day, such as '18.00.00'. E"
    """
    if hour_name(profile.name) in names:
        return []
    if role in (Role.CATEGORICAL, Role.TEXT) and holds_clock_times(cells, profile):
        first = cells.dropna().iloc[0] if profile.counts is None else profile.counts.index[0]
        taken = "Each is taken as a word" if role is Role.CATEGORICAL else "They are taken for text, which is not used"
        text = (
            f"'{shown(profile.name)}' looks like times of the day, such as {listed([str(first)])}. {taken}: the model"
            " does not know which are close to each other. The hours can be added as a column of numbers: 18.5 for"
            " 18:30."
        )
        return [Issue(CLOCK_TIME, text, column=profile.name, severity=Severity.INFO)]
    if role is Role.DATE and _has_hours(cells.iloc[:_FIRST_LOOK], profile):
        text = (
            f"'{shown(profile.name)}' has times of the day. The model sees how far moments are from each other, not"
            " that mornings are alike; the hour can be added as a column."
        )
        return [Issue(HOUR_OF_DAY, text, column=profile.name, severity=Severity.INFO)]
    return []


def _has_hours(cells: pd.Series, profile: Profile) -> bool:
    """Tell whether moments differ in their hours."""
    days, unreadable = read_dates(cells, profile.date_format)
    hours = np.floor((days[np.isfinite(days)] % 1.0) * 24.0)
    if unreadable.any() or not len(hours):
        return False
    return len(np.unique(hours)) >= _FEWEST_HOURS and float((hours > 0.0).mean()) >= _LEAST_SHARE


def _spelled(text: str, seconds: int) -> str:
    """Return a time of the day as another is written."""
    found = _TIME.fullmatch(text)
    hour, minute, second = seconds // 3600, seconds % 3600 // 60, seconds % 60
    mark, half = (":", None) if found is None else (found["mark"], found["half"])
    own = hour if half is None else (hour + 11) % 12 + 1
    width = 2 if found is None or len(found["hour"]) == 2 else 1
    parts = [f"{own:0{width}d}", f"{minute:02d}", *([f"{second:02d}"] if found is not None and found["rest"] else [])]
    end = "" if half is None or found is None else found["gap"] + ("pm" if 12 <= hour < 24 else "am")
    return mark.join(parts) + end
