"""Cells of a person's table as texts, where values of several kinds stand in one column."""

from __future__ import annotations

import pandas as pd

from proset.common.words import number


def cell_texts(values: pd.Series) -> pd.Series:
    """Return the cells of a column as texts: numbers as people write them, dates without a time of 0, else empty.

    Examples
    --------
    >>> cell_texts(pd.Series([1234.5, None])).tolist(), cell_texts(pd.Series(["a", None])).tolist()
    (['1234.5', ''], ['a', ''])
    >>> cell_texts(pd.Series(pd.to_datetime(["2024-03-01"]))).tolist()
    ['2024-03-01']
    """
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        known = values.dropna()
        pattern = "%Y-%m-%d" if (known == known.dt.normalize()).all() else "%Y-%m-%d %H:%M"
        texts = values.dt.strftime(pattern)
    elif pd.api.types.is_bool_dtype(values.dtype):
        texts = values.map({True: "yes", False: "no"})
    elif pd.api.types.is_numeric_dtype(values.dtype):
        texts = values.map(lambda value: number(float(value)), na_action="ignore")
    else:
        texts = values
    return texts.astype("str").where(values.notna(), "").astype("str")
