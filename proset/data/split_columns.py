"""The columns by which rows can be split: who a row belongs to, and when it was."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api import types

from proset.common.errors import StudyError
from proset.common.words import listed, shown
from proset.data.cells import is_placeholder, read_numbers, read_words, settle
from proset.data.date_cells import find_date_formats, read_dates


def group_codes(series: pd.Series) -> NDArray[np.int64]:
    """Return the number of each row's group in a column: rows with the same value share one.

    Parameters
    ----------
    series : Series
        Values such as the number of a customer, spelled in any way; "1.0" and 1 are the same.

    Returns
    -------
    ndarray of int64, shape (n,)
        From 0 in the order of the rows. A row without a value is a group of its own: nobody knows whose it is.

    Examples
    --------
    >>> group_codes(pd.Series(["anna", "ben", None, "anna", None])).tolist()
    [0, 1, 2, 0, 3]
    """
    codes, different = pd.factorize(read_words(series))
    missing = codes < 0
    codes = codes.astype(np.int64)
    codes[missing] = len(different) + np.arange(missing.sum())
    return pd.factorize(codes)[0].astype(np.int64)


def time_values(series: pd.Series) -> NDArray[np.float64]:
    """Read a column of dates, or of numbers that grow with time, as numbers.

    Parameters
    ----------
    series : Series
        Dates as dates or as text, or numbers such as years.

    Returns
    -------
    ndarray of float64, shape (n,)
        Days for dates; nan where a cell is empty.

    Raises
    ------
    StudyError
        If the column holds neither dates nor numbers.

    Examples
    --------
    >>> time_values(pd.Series(["1970-01-02", None, "1970-01-11"])).tolist()
    [1.0, nan, 10.0]
    >>> time_values(pd.Series([2021, 2019])).tolist()
    [2021.0, 2019.0]
    """
    settled = settle(series)
    if types.is_datetime64_dtype(settled.dtype):
        return read_dates(settled, None)[0]
    if not types.is_bool_dtype(settled.dtype):
        words = read_words(settled).dropna() if isinstance(settled.dtype, pd.StringDtype) else None
        told = None if words is None else pd.Series(words.unique())
        form = None if told is None else next(iter(find_date_formats(told[~is_placeholder(told)])), None)
        if form is not None:
            return read_dates(settled, form)[0]
        numbers = read_numbers(settled)
        values = np.where(np.isfinite(numbers.values), numbers.values, np.nan)
        if not numbers.unreadable.any() and np.isfinite(values).any():
            return values
    raise StudyError(
        f"The rows cannot be split by time with '{shown(series.name)}': it holds neither dates nor numbers throughout.",
        column=str(series.name),
        hint="Choose a column of dates, or of numbers such as years.",
    )


def check_split_columns(frame: pd.DataFrame, target: str | None, *, groups: str | None, time: str | None) -> None:
    """Refuse columns for the split that the table does not have, or that are the target.

    Raises
    ------
    StudyError
        Naming the column and the way out.

    Examples
    --------
    >>> check_split_columns(pd.DataFrame({"day": [1]}), None, groups="day", time=None)
    >>> check_split_columns(pd.DataFrame({"day": [1]}), None, groups=None, time="date")
    Traceback (most recent call last):
        ...
    proset.common.errors.StudyError: The split is by 'date', and the table has no such column. Its columns are 'day'.
    """
    for column in (groups, time):
        if column is None:
            continue
        if column not in frame.columns:
            raise StudyError(
                f"The split is by '{shown(column)}', and the table has no such column.",
                column=column,
                hint=f"Its columns are {listed(frame.columns, most=10)}.",
            )
        if column == target:
            raise StudyError(
                f"The split is by '{shown(column)}', which is the target.",
                column=column,
                hint="Split by another column, or choose another target.",
            )
