"""Values of a column as conditions see them: numbers, dates, or texts."""

from __future__ import annotations

import pandas as pd


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
