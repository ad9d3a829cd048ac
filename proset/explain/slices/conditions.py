"""Conditions on rows of a study: on columns, what the model says, what came of it, familiarity, part, or row ids."""

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
from proset.data.date_cells import FIRST_DAY, LAST_DAY, read_dates
from proset.explain.slices.column_values import is_date, is_number, level_texts
from proset.explain.slices.condition_words import (
    INSIDE,
    OUTSIDE,
    PARTS,
    RESULTS,
    RIGHT,
    WRONG,
    exact,
    moment,
    range_words,
    time_words,
)
from proset.explain.value_bins import study_column
from proset.study import Study
from proset.study.any_study import AnyStudy

MOST_VALUES = 50
"""Levels of one condition."""
MOST_ROWS = 1_000
"""Rows of one condition."""
LONGEST_VALUE = 2_000
"""Characters of a column, a class or a level."""
_LARGEST_ROW = (1 << 31) - 1


class ConditionKind(StrEnum):
    """Kinds of conditions."""

    RANGE = "range"
    DATES = "dates"
    LEVELS = "levels"
    MISSING = "missing"
    ESTIMATE = "estimate"
    MEDIAN = "median"
    RESULT = "result"
    FAMILIARITY = "familiarity"
    PART = "part"
    ROWS = "rows"


_OF_COLUMN = (ConditionKind.RANGE, ConditionKind.DATES, ConditionKind.LEVELS, ConditionKind.MISSING)
BETWEEN = (ConditionKind.RANGE, ConditionKind.DATES)
"""Kinds that lie between two values of a column."""
_WITH_RANGE = (*BETWEEN, ConditionKind.ESTIMATE, ConditionKind.MEDIAN, ConditionKind.FAMILIARITY)


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
        Of the column (of dates in days since 1 January 1970), of the estimate in [0, 1], of the median that a model of
        a number says, or of the familiarity quantile in [0, 1]: from `low` on, and below `high`; None has no end there.
        A missing value lies in no range.
    values : tuple of str
        Levels of the column as text; or one or several of "right", "wrong" and "left", of a number "inside" and
        "outside" its 90 % interval ("result"); of "train", "held_out" and "unlabelled" ("part").
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
        allowed = {ConditionKind.RESULT: RESULTS, ConditionKind.PART: PARTS}.get(self.kind)
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
        what = f"The range of '{shown(self.name)}'" if self.name else f"The range of the {self.kind}"
        ends = [end for end in (self.low, self.high) if end is not None]
        if not ends or not all(np.isfinite(ends)):
            raise StudyError(f"{what} has no end.", hint="State where it begins, where it ends, or both.")
        if self.kind is ConditionKind.DATES and not all(FIRST_DAY <= end <= LAST_DAY for end in ends):
            raise StudyError(f"{what} ends beyond all dates.", hint="Take days of the years 1 to 9999.")
        if len(ends) == 2 and ends[0] >= ends[1]:
            start = moment(ends[0]) if self.kind is ConditionKind.DATES else number(ends[0])
            raise StudyError(f"{what} begins at {start}, not below its end.", hint="Exchange both ends.")

    # --- rows ---------------------------------------------------------------------------------------------------------
    def holds(self, study: AnyStudy, judged: pd.DataFrame) -> NDArray[np.bool_]:
        """Tell for each row of a study's table whether it holds.

        Parameters
        ----------
        judged : DataFrame
            From :func:`proset.explain.slices.ground.every_row`.

        Raises
        ------
        StudyError
            If the table has no such column, a range is asked of words, or the model says nothing of the kind.
        """
        if self.kind in _OF_COLUMN:
            return self._of_column(study)
        if self.kind is ConditionKind.ESTIMATE:
            return self._in_range(self._estimates(study))
        if self.kind is ConditionKind.MEDIAN:
            if "median" not in judged:
                raise StudyError("The model knows classes and says no median.", hint="Ask for the estimate of a class.")
            return self._in_range(judged["median"])
        if self.kind is ConditionKind.FAMILIARITY:
            return self._in_range(judged["quantile"])
        if self.kind is ConditionKind.PART:
            return judged["part"].isin(self.values).to_numpy(dtype=bool)
        if self.kind is ConditionKind.ROWS:
            return np.isin(judged.index.to_numpy(), self.rows)
        found: NDArray[np.bool_] = np.logical_or.reduce([_came_out(judged, value) for value in self.values])
        return found

    def _estimates(self, study: AnyStudy) -> pd.Series:
        """Return the estimates for the class that is named."""
        if isinstance(study, Study) and self.name in study.classes:
            return study.probabilities[self.name]
        known = "It states a number; ask for its median."
        if isinstance(study, Study):
            known = f"It knows {listed(study.classes)}."
        raise StudyError(f"The model knows no class '{shown(self.name)}'.", hint=known)

    def _of_column(self, study: AnyStudy) -> NDArray[np.bool_]:
        """Tell where a condition on a column holds."""
        if self.name not in study.table.frame.columns:
            raise StudyError(
                f"The table has no column '{shown(self.name)}'.",
                column=self.name,
                hint=f"It has {listed(study.table.frame.columns)}.",
            )
        # Levels are named as the table writes them.
        levels = self.kind is ConditionKind.LEVELS
        return self.among(study.table.frame[self.name] if levels else study_column(study, self.name))

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
            return " or ".join(RESULTS[value] for value in self.values)
        if self.kind is ConditionKind.PART:
            return " or ".join(PARTS[value] for value in self.values)
        if self.kind is ConditionKind.ROWS:
            return count_words(len(self.rows), "picked row")
        if self.kind is ConditionKind.ESTIMATE:
            return f"estimate of '{shown(self.name)}' {range_words(self.low, self.high, percent)}"
        if self.kind is ConditionKind.MEDIAN:
            return f"median {range_words(self.low, self.high, exact)}"
        if self.kind is ConditionKind.FAMILIARITY:
            return f"familiarity quantile {range_words(self.low, self.high, percent)}"
        what = f"'{shown(self.name)}'"
        if self.kind is ConditionKind.MISSING:
            return f"{what} missing"
        if self.kind is ConditionKind.LEVELS:
            some = [f"'{shown(value)}'" for value in self.values]
            return f"{what} is {' or '.join(some[:3])}{f' or {len(some) - 3:,} others' if len(some) > 3 else ''}"
        if self.kind is ConditionKind.DATES:
            return f"{what} {time_words(self.low, self.high)}"
        return f"{what} {range_words(self.low, self.high, exact)}"

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


def _came_out(judged: pd.DataFrame, result: str) -> NDArray[np.bool_]:
    """Tell of which rows a result is true."""
    if result in (INSIDE, OUTSIDE):
        if "inside" not in judged:
            raise StudyError("The model knows classes and says no intervals.", hint="Ask for right or wrong.")
        return judged["inside"].eq(result == INSIDE).fillna(False).to_numpy(dtype=bool)
    if "correct" not in judged:
        raise StudyError("The model states a number, so that no class is right or wrong.", hint="Ask for its interval.")
    if result == RIGHT:
        return judged["correct"].eq(True).fillna(False).to_numpy(dtype=bool)
    return judged["wrong" if result == WRONG else "left"].to_numpy(dtype=bool)
