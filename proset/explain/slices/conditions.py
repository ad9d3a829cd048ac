"""Conditions on rows of a study: on columns, estimates, right and wrong, familiarity, part, or row numbers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.checked_json import StateReader
from proset.common.errors import StudyError
from proset.common.words import count_words, listed, number, percent, shown
from proset.data.date_cells import read_dates
from proset.study import Study

MOST_VALUES = 50
"""Levels of one condition."""
MOST_ROWS = 1_000
"""Rows of one condition."""
LONGEST_VALUE = 2_000
"""Characters of a column, a class or a level."""
_LARGEST_ROW = (1 << 31) - 1
_FIRST_DAY, _LAST_DAY = -719_162.0, 2_932_896.0  # the years 1 to 9999

RIGHT, WRONG, LEFT = "right", "wrong", "left"
_RESULTS = {RIGHT: "decided right", WRONG: "misclassified", LEFT: "left to a person"}
_PARTS = {"train": "training row", "held_out": "held out", "unlabelled": "without a class"}


class ConditionKind(StrEnum):
    """Kinds of conditions."""

    RANGE = "range"
    DATES = "dates"
    LEVELS = "levels"
    MISSING = "missing"
    ESTIMATE = "estimate"
    RESULT = "result"
    FAMILIARITY = "familiarity"
    PART = "part"
    ROWS = "rows"


_OF_COLUMN = (ConditionKind.RANGE, ConditionKind.DATES, ConditionKind.LEVELS, ConditionKind.MISSING)
BETWEEN = (ConditionKind.RANGE, ConditionKind.DATES)
"""Kinds that lie between two values of a column."""
_WITH_RANGE = (*BETWEEN, ConditionKind.ESTIMATE, ConditionKind.FAMILIARITY)


@dataclass(frozen=True)
class Condition:
    """One condition on rows.

    Attributes
    ----------
    kind : ConditionKind
        What it asks of; the fields that other kinds have are empty.
    name : str
        The column ("range", "dates", "levels", "missing") or the class ("estimate").
    low, high : float or None
        Of the column (of dates in days since 1 January 1970), of the estimate in [0, 1], or of the familiarity quantile
        in [0, 1]: from `low` on, and below `high`; None has no end there. A missing value lies in no range.
    values : tuple of str
        Levels of the column as text; or one or several of "right", "wrong" and "left" ("result"), of "train",
        "held_out" and "unlabelled" ("part").
    rows : tuple of int
        Row ids, of the kind "rows".

    Raises
    ------
    StudyError
        If it has no end and no value, or more than are allowed.

    Examples
    --------
    >>> Condition.between("age", low=30).words, Condition.levels("site", ["Kiel"]).words
    ("'age' at least 30", "'site' is 'Kiel'")
    """

    kind: ConditionKind
    name: str = ""
    low: float | None = None
    high: float | None = None
    values: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", ConditionKind(self.kind))
        self._check_texts()
        if self.kind in _WITH_RANGE:
            self._check_range()
        if self.kind is ConditionKind.ROWS and not 0 < len(self.rows) <= MOST_ROWS:
            raise StudyError(f"A slice of {count_words(len(self.rows), 'row')}.", hint=f"Pick from 1 to {MOST_ROWS:,}.")

    @classmethod
    def between(cls, column: str, low: float | None = None, high: float | None = None) -> Condition:
        """Return the condition that a number lies from `low` on and below `high`."""
        return cls(ConditionKind.RANGE, column, low, high)

    @classmethod
    def dated(cls, column: str, low: date | str | None = None, high: date | str | None = None) -> Condition:
        """Return the condition that a date lies from `low` on and before `high`.

        Parameters
        ----------
        low, high : date, str or None
            Days or moments; text in ISO form.

        Examples
        --------
        >>> Condition.dated("signed", "2024-03-01", "2024-07-01").words
        "'signed' from 2024-03-01 to before 2024-07-01"
        """
        start, end = (None if one is None else read_dates(pd.Series([str(one)]), None)[0].item() for one in (low, high))
        return cls(ConditionKind.DATES, column, start, end)

    @classmethod
    def levels(cls, column: str, values: list[str] | tuple[str, ...]) -> Condition:
        """Return the condition that a column has one of some levels."""
        return cls(ConditionKind.LEVELS, column, values=tuple(values))

    @classmethod
    def missing(cls, column: str) -> Condition:
        """Return the condition that a column is empty."""
        return cls(ConditionKind.MISSING, column)

    def _check_texts(self) -> None:
        """Refuse names and values that cannot be meant."""
        if self.kind in (*_OF_COLUMN, ConditionKind.ESTIMATE) and not 0 < len(self.name) <= LONGEST_VALUE:
            raise StudyError("A condition of a slice names no column or class.", hint="Name one.")
        allowed = {ConditionKind.RESULT: _RESULTS, ConditionKind.PART: _PARTS}.get(self.kind)
        if allowed is None and self.kind is not ConditionKind.LEVELS:
            return
        if not 0 < len(self.values) <= MOST_VALUES or max(map(len, self.values)) > LONGEST_VALUE:
            raise StudyError(
                f"The condition '{self.kind}' has {count_words(len(self.values), 'value')}.",
                hint=f"Choose from 1 to {MOST_VALUES} values of at most {LONGEST_VALUE:,} characters.",
            )
        strange = [value for value in self.values if allowed is not None and value not in allowed]
        if strange and allowed is not None:
            raise StudyError(f"'{shown(strange[0])}' is no {self.kind}.", hint=f"Take one of {', '.join(allowed)}.")

    def _check_range(self) -> None:
        """Refuse a range without an end, or without anything in it."""
        what = f"The range of '{shown(self.name)}'" if self.name else "The range of familiarity"
        ends = [end for end in (self.low, self.high) if end is not None]
        if not ends or not all(np.isfinite(ends)):
            raise StudyError(f"{what} has no end.", hint="State where it begins, where it ends, or both.")
        if self.kind is ConditionKind.DATES and not all(_FIRST_DAY <= end <= _LAST_DAY for end in ends):
            raise StudyError(f"{what} ends beyond all dates.", hint="Take days of the years 1 to 9999.")
        if len(ends) == 2 and ends[0] >= ends[1]:
            start = _moment(ends[0]) if self.kind is ConditionKind.DATES else number(ends[0])
            raise StudyError(f"{what} begins at {start}, not below its end.", hint="Exchange both ends.")

    # --- rows ---------------------------------------------------------------------------------------------------------
    def holds(self, study: Study, judged: pd.DataFrame) -> NDArray[np.bool_]:
        """Tell for each row of a study's table whether it holds.

        Raises
        ------
        StudyError
            If the table has no such column, a range is asked of words, or the model knows no such class.
        """
        if self.kind in _OF_COLUMN:
            return self._of_column(study)
        if self.kind is ConditionKind.ESTIMATE:
            if self.name not in study.classes:
                raise StudyError(
                    f"The model knows no class '{shown(self.name)}'.", hint=f"It knows {listed(study.classes)}."
                )
            return self._in_range(study.probabilities[self.name])
        if self.kind is ConditionKind.FAMILIARITY:
            return self._in_range(judged["quantile"])
        if self.kind is ConditionKind.PART:
            return judged["part"].isin(self.values).to_numpy(dtype=bool)
        if self.kind is ConditionKind.ROWS:
            return np.isin(judged.index.to_numpy(), self.rows)
        right = judged["correct"].eq(True).fillna(False).to_numpy(dtype=bool)
        of = {RIGHT: right, WRONG: judged["wrong"].to_numpy(dtype=bool), LEFT: judged["left"].to_numpy(dtype=bool)}
        found: NDArray[np.bool_] = np.logical_or.reduce([of[value] for value in self.values])
        return found

    def _of_column(self, study: Study) -> NDArray[np.bool_]:
        """Tell where a condition on a column holds."""
        if self.name not in study.table.frame.columns:
            raise StudyError(
                f"The table has no column '{shown(self.name)}'.",
                column=self.name,
                hint=f"It has {listed(study.table.frame.columns)}.",
            )
        return self.among(study.table.frame[self.name])

    def among(self, column: pd.Series) -> NDArray[np.bool_]:
        """Tell for which values of its column a condition on a column holds.

        Raises
        ------
        StudyError
            If a range is asked of words, or of dates where there are none.
        """
        if self.kind is ConditionKind.MISSING:
            return column.isna().to_numpy(dtype=bool)
        if self.kind is ConditionKind.LEVELS:
            return level_texts(column).isin(self.values).to_numpy(dtype=bool)
        if self.kind is ConditionKind.DATES:
            if not is_date(column):
                raise StudyError(
                    f"Column '{shown(self.name)}' has no dates, so that there is no time of it.",
                    column=self.name,
                    hint="Choose some of its values instead.",
                )
            return self._in_range(pd.Series(read_dates(column, None)[0]))
        if not is_number(column):
            raise StudyError(
                f"Column '{shown(self.name)}' has no numbers, so that there is no range of it.",
                column=self.name,
                hint="Choose some of its values instead.",
            )
        return self._in_range(column)

    def _in_range(self, values: pd.Series) -> NDArray[np.bool_]:
        """Tell which values lie in the range."""
        numbers = values.to_numpy(dtype=np.float64, na_value=np.nan)
        found = ~np.isnan(numbers)
        if self.low is not None:
            found &= numbers >= self.low
        if self.high is not None:
            found &= numbers < self.high
        return found

    # --- words and JSON -----------------------------------------------------------------------------------------------
    @property
    def words(self) -> str:
        """The condition in words."""
        if self.kind is ConditionKind.RESULT:
            return " or ".join(_RESULTS[value] for value in self.values)
        if self.kind is ConditionKind.PART:
            return " or ".join(_PARTS[value] for value in self.values)
        if self.kind is ConditionKind.ROWS:
            return count_words(len(self.rows), "picked row")
        if self.kind is ConditionKind.ESTIMATE:
            return f"estimate of '{shown(self.name)}' {self._range_words(percent)}"
        if self.kind is ConditionKind.FAMILIARITY:
            return f"familiarity quantile {self._range_words(percent)}"
        what = f"'{shown(self.name)}'"
        if self.kind is ConditionKind.MISSING:
            return f"{what} missing"
        if self.kind is ConditionKind.LEVELS:
            some = [f"'{shown(value)}'" for value in self.values]
            return f"{what} is {' or '.join(some[:3])}{f' or {len(some) - 3:,} others' if len(some) > 3 else ''}"
        return f"{what} {self._range_words(_moment if self.kind is ConditionKind.DATES else _exact)}"

    def _range_words(self, words: Any) -> str:
        """Say where the range lies."""
        before = "before" if self.kind is ConditionKind.DATES else "below"
        if self.low is None:
            return f"{before} {words(self.high)}"
        if self.high is not None:
            return f"from {words(self.low)} to {before} {words(self.high)}"
        return f"from {words(self.low)} on" if before == "before" else f"at least {words(self.low)}"

    def to_state(self) -> dict[str, Any]:
        """Return JSON types."""
        state: dict[str, Any] = {"kind": str(self.kind)}
        if self.name:
            state["name"] = self.name
        state |= {key: end for key, end in (("low", self.low), ("high", self.high)) if end is not None}
        state |= {"values": list(self.values)} if self.values else {}
        return state | ({"rows": list(self.rows)} if self.rows else {})

    @classmethod
    def from_state(cls, state: object, where: str = "condition") -> Condition:
        """Return the condition of which :meth:`to_state` made JSON types; refuses with the field named."""
        reader = StateReader(state, where)
        kind = ConditionKind(reader.text("kind", choices=tuple(ConditionKind)))
        has = state if isinstance(state, dict) else {}
        rows = reader.take("rows") if "rows" in has else []
        if not isinstance(rows, list) or not all(type(row) is int and 0 < row <= _LARGEST_ROW for row in rows):
            raise reader.refuse("rows", "has to be a list of row numbers")
        name = reader.text("name") if "name" in has else ""
        low, high = (reader.number(key) if key in has else None for key in ("low", "high"))
        values = reader.texts("values") if "values" in has else ()
        reader.close()
        return cls(kind, name, low, high, values, tuple(rows))


def is_number(column: pd.Series) -> bool:
    """Tell whether a column of a table has numbers that can be compared."""
    return pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(column.dtype)


def is_date(column: pd.Series) -> bool:
    """Tell whether a column of a table has dates that can be compared."""
    return pd.api.types.is_datetime64_any_dtype(column.dtype)


def level_texts(column: pd.Series) -> pd.Series:
    """Return the values of a column as the texts that conditions name; missing ones stay missing."""
    if is_number(column):
        return column.map(lambda value: f"{value:.15g}", na_action="ignore").astype("str")
    return column.astype("str").where(column.notna())


def _exact(value: float) -> str:
    """Return a number as people write it, but with all of its digits."""
    short = number(value)
    return short if float(short.replace(",", "")) == value else f"{value:.15g}"


def _moment(days: float) -> str:
    """Return days since 1970 as a date, with the time of day where it is not midnight."""
    moment = np.datetime64(round(days * 86_400), "s")
    return str(moment.astype("datetime64[D]" if days == round(days) else "datetime64[s]")).replace("T", " ")
