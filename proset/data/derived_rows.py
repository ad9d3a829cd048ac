"""Columns that are made of others, in the rows of a table and in new ones."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
import pandas as pd

from proset.common.errors import DesignError
from proset.common.words import listed, shown
from proset.data.date_differences import DateDifference
from proset.data.day_hours import HourOfDay

DerivedColumn = DateDifference | HourOfDay
"""Recipe of a column that is made of others."""


def with_derived(
    frame: pd.DataFrame, derived: tuple[DerivedColumn, ...], *, used: Collection[str] | None = None
) -> pd.DataFrame:
    """Return new rows with the columns that are made of others.

    Parameters
    ----------
    frame : DataFrame
        New rows.
    derived : tuple of DateDifference or HourOfDay
        From the table that a model was fitted to.
    used : collection of str or None
        Columns that matter; others are not made, so that what they are made of may be missing. None means all.

    Returns
    -------
    DataFrame
        The same rows. Where all is there that a column is made of, it is made anew, whatever the rows held under that
        name; a column of that name without it is kept.

    Raises
    ------
    DesignError
        If a column of dates or times that is needed is not there, or holds something else.

    Examples
    --------
    >>> rows = pd.DataFrame({"a": ["2024-01-30", None], "b": ["2024-02-02", "2024-02-02"]})
    >>> with_derived(rows, (DateDifference("days", "a", "b"),))["days"].tolist()
    [3.0, nan]
    """
    if not derived:
        return frame
    made = frame.copy(deep=False)
    for entry in derived:
        matters = used is None or entry.name in used
        absent = [column for column in entry.columns if column not in frame.columns]
        if matters and not absent:
            made[entry.name] = entry.values(frame)
        elif matters and entry.name not in frame.columns:
            raise DesignError(
                f"The data lacks {listed(absent)}, from which '{shown(entry.name)}' is counted.",
                column=absent[0],
                hint="Add it with the same name (empty cells are filled in), or fit a model without it.",
            )
        elif entry.name not in frame.columns:
            made[entry.name] = np.nan
    return made
