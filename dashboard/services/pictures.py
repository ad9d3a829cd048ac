"""Rows of a table of pictures as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_numeric_dtype

if TYPE_CHECKING:
    from proset.data.table import ImageGrid, Table
    from proset.study import Study


def pictures(study: Study, rows: Sequence[int]) -> list[NDArray[np.float64]]:
    """Return rows of the table of a study as pictures, see :func:`pictures_of`."""
    return pictures_of(study.table, rows)


def pictures_of(table: Table, rows: Sequence[int]) -> list[NDArray[np.float64]]:
    """Return rows of a table as pictures; none if it declares no grid of pixels.

    Returns
    -------
    list of float64 arrays of shape (height, width)
        NaN where a pixel is missing.
    """
    grid = table.grid
    if grid is None or not set(grid.columns) <= set(table.frame.columns):
        return []
    return _pictures(table.frame.loc[list(rows)], grid)


def as_picture(study: Study, frame: pd.DataFrame) -> NDArray[np.float64] | None:
    """Return one row of original values as a picture; None if it holds none."""
    grid = study.table.grid
    return None if grid is None or not set(grid.columns) <= set(frame.columns) else _pictures(frame, grid)[0]


def _pictures(frame: pd.DataFrame, grid: ImageGrid) -> list[NDArray[np.float64]]:
    """Return rows as pictures."""
    numbers = frame[list(grid.columns)]
    if not all(map(is_numeric_dtype, numbers.dtypes)):
        numbers = numbers.apply(pd.to_numeric, errors="coerce")
    values = numbers.to_numpy(dtype=np.float64, na_value=np.nan)
    return [line.reshape(grid.height, grid.width) for line in values]
