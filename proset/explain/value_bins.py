"""Groups of rows by the values of one column, in the user's words: ranges of numbers and dates, categories."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from proset.common.frames import free_names
from proset.common.words import number, shown
from proset.data.level_order import in_evident_order
from proset.data.levels import LevelEncoder
from proset.explain.plain_values import read_cells
from proset.study.base import StudyBase
from proset.study.intervals import IntArray

MOST_BINS, _ROWS_PER_BIN = 6, 15
OTHERS, NO_VALUE = "(other)", "(missing)"


@dataclass(frozen=True, eq=False)
class ValueBins:
    """Groups of n rows.

    Attributes
    ----------
    codes : int64 array of shape (n,)
        Group of each row, from 0.
    names : tuple of str
        Of the groups, in the order of their values; what has no value comes last.
    middles : tuple of float
        Median of the values of each group of numbers; of dates in microseconds since 1970; nan where there is no scale.
    """

    codes: IntArray
    names: tuple[str, ...]
    middles: tuple[float, ...]


def study_column(study: StudyBase, name: str) -> pd.Series:
    """Return a column of a study's table; text in which the model reads numbers or dates as these."""
    cells = study.table.frame[name]
    typed = pd.api.types.is_numeric_dtype(cells.dtype) or pd.api.types.is_datetime64_any_dtype(cells.dtype)
    if typed or name not in study.design.sources or isinstance(study.design.encoder(name), LevelEncoder):
        return cells
    return read_cells(study.design, cells)


def on_a_scale(values: pd.Series) -> bool:
    """Tell whether values are numbers or dates."""
    if pd.api.types.is_bool_dtype(values.dtype):
        return False
    return pd.api.types.is_numeric_dtype(values.dtype) or pd.api.types.is_datetime64_any_dtype(values.dtype)


def scale_values(values: pd.Series) -> np.ndarray:
    """Return numbers as they are, dates in microseconds since 1970 (of any year); missing and infinite ones as nan."""
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        plain = values.dt.tz_localize(None) if values.dt.tz is not None else values
        found = plain.astype("datetime64[us]").astype("int64").to_numpy(dtype=np.float64)
        return np.where(values.isna(), np.nan, found)
    found = values.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.where(np.isfinite(found), found, np.nan)


def value_bins(values: pd.Series) -> ValueBins:
    """Group rows by the values of a column: up to six ranges with about as many rows each, or the commonest categories.

    Equal values are never divided.

    Examples
    --------
    >>> found = value_bins(pd.Series([1.0, 1.0, 2.0, None]))
    >>> found.names, found.codes.tolist()
    (('1', '2', '(missing)'), [0, 0, 1, 2])
    >>> value_bins(pd.Series(range(60))).names[0]
    '0 to 14'
    """
    return _ranges(values) if on_a_scale(values) else _categories(values)


def _ranges(values: pd.Series) -> ValueBins:
    """Group numbers or dates."""
    plain = scale_values(values)
    known = ~np.isnan(plain)
    codes = np.zeros(len(plain), dtype=np.int64)
    distinct = np.unique(plain[known])
    if len(distinct) <= MOST_BINS:
        codes[known] = np.searchsorted(distinct, plain[known])
    else:
        n_bins = int(np.clip(known.sum() // _ROWS_PER_BIN, 2, MOST_BINS))
        inner = np.unique(np.quantile(plain[known], np.arange(1, n_bins) / n_bins))
        codes[known] = np.unique(np.searchsorted(inner, plain[known], side="left"), return_inverse=True)[1]
    n_known = int(codes[known].max()) + 1 if known.any() else 0
    names, middles = [], []
    for code in range(n_known):
        own = values[known & (codes == code)]
        low, high = _word(own.min()), _word(own.max())
        names.append(low if low == high else f"{low} to {high}")
        middles.append(float(np.median(plain[known & (codes == code)])))
    if not known.all():
        codes[~known] = n_known
        names.append(NO_VALUE)
        middles.append(np.nan)
    return ValueBins(codes, tuple(names), tuple(middles))


def _categories(values: pd.Series) -> ValueBins:
    """Group the commonest categories, in their evident order or else the commonest first."""
    missing = values.isna().to_numpy()
    texts = values.astype(object).astype(str)[~missing]
    kept = in_evident_order(texts.value_counts().index[:MOST_BINS].tolist())
    place = {text: code for code, text in enumerate(kept)}
    codes = np.zeros(len(values), dtype=np.int64)
    codes[~missing] = [place.get(text, len(kept)) for text in texts]
    names = free_names([shown(text, 40) for text in kept], [OTHERS, NO_VALUE], word="value")
    if (codes[~missing] == len(kept)).any():
        names.append(OTHERS)
    if missing.any():
        codes[missing] = len(names)
        names.append(NO_VALUE)
    return ValueBins(codes, tuple(names), (np.nan,) * len(names))


def _word(value: object) -> str:
    """Write a number or a day."""
    return value.strftime("%Y-%m-%d") if isinstance(value, pd.Timestamp) else number(float(value))  # type: ignore[arg-type]
