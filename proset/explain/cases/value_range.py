"""Which values a column takes in the data, so that a value can be changed to another that occurs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from pandas.api.types import is_bool_dtype

from proset.common.words import grouped
from proset.data.cells import date_word, read_numbers, read_words
from proset.data.date_cells import moments_of, read_dates
from proset.data.levels import LevelEncoder
from proset.data.quantities import DateEncoder, NumberEncoder
from proset.explain.plain_values import plain_label
from proset.explain.subject import Explained, matrix_of, subject_of
from proset.study.base import StudyBase

_DAY = 86_400
# Digits of a standard deviation that count in a column whose values are not rounded.
_FINE = 4
# So many steps are no precision any more, and more of them cannot be counted.
_MOST_STEPS = 1e12


class ValueKind(StrEnum):
    """Kind of the values of a column."""

    NUMBER = "number"
    DATE = "date"
    LEVEL = "level"


@dataclass(frozen=True)
class ValueRange:
    """The values of one column.

    Attributes
    ----------
    column : str
        The column.
    kind : ValueKind
        Numbers, dates, or levels of a category.
    low, high : float
        Smallest and largest value of a number; of a date, in days since 1970; 0 for levels.
    step : float
        The column's precision in the same unit: neighbouring values differ by so much.
    decimals : int
        Decimals of a number.
    spread : float
        Standard deviation of the training rows; 1 for levels.
    middle : float
        What stands in for a missing value: the median of the training rows.
    levels : tuple of str
        The levels of a category, in the order in which the model knows them, then those that share one place.
    form : str or None
        How text spells a date, as for :func:`proset.data.date_cells.read_dates`.
    truth : bool
        Whether the table holds its levels as True and False, not as words.
    """

    column: str
    kind: ValueKind
    low: float = 0.0
    high: float = 0.0
    step: float = 1.0
    decimals: int = 0
    spread: float = 1.0
    middle: float = 0.0
    levels: tuple[str, ...] = ()
    form: str | None = None
    truth: bool = False

    @property
    def count(self) -> int:
        """Number of values from the smallest to the largest, both included, at the column's precision."""
        if self.kind is ValueKind.LEVEL:
            return len(self.levels)
        return max(1, math.floor((self.high - self.low) / self.step + 1e-6) + 1)

    def values(self, places: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the values at places from 0 to ``count - 1``, rounded to the column's precision."""
        if self.kind is ValueKind.DATE:
            seconds = round(self.step * _DAY)
            return (np.round(self.low * _DAY) + places * seconds) / _DAY
        return np.round(self.low + places * self.step, self.decimals)

    def cell(self, value: Any) -> Any:
        """Return what a table holds for a value: an int, a float, a bool, a Timestamp or a word."""
        if self.kind is ValueKind.LEVEL:
            return str(value) == "True" if self.truth else str(value)
        if self.kind is ValueKind.DATE:
            return pd.Timestamp(moments_of([float(value)])[0]).as_unit("us")
        return round(float(value)) if self.decimals == 0 else round(float(value), self.decimals)

    def number(self, cell: Any) -> float:
        """Return the number that the model reads in a cell of a number or a date; NaN in a missing one."""
        cells = pd.Series([cell])
        values = read_dates(cells, self.form)[0] if self.kind is ValueKind.DATE else read_numbers(cells).values
        return float(values[0])

    def plain(self, cell: Any) -> Any:
        """Return a cell as it is, but text that stands for a number or a date as this; None for a missing one."""
        if cell is None or pd.isna(cell):
            return None
        if self.kind is ValueKind.LEVEL or (self.kind is ValueKind.NUMBER and not isinstance(cell, str)):
            return plain_label(cell)
        number = self.number(cell)
        if math.isnan(number):
            return None
        return self.cell(number) if self.kind is ValueKind.DATE else number

    def text(self, cell: Any) -> str:
        """Write a cell to the column's precision, so that what is written is what was meant."""
        if self.kind is ValueKind.LEVEL:
            word = read_words(pd.Series([cell])).iloc[0]
            return "missing" if pd.isna(word) else str(word)
        number = self.number(cell)
        if math.isnan(number):
            return "missing"
        return _number_text(number, self.decimals) if self.kind is ValueKind.NUMBER else date_word(self.cell(number))


def value_ranges(explained: Explained, *, known: ArrayLike | None = None) -> dict[str, ValueRange]:
    """Return the values of every feature that the model uses.

    Parameters
    ----------
    known : array-like of shape (n, D) or None
        Beside a model: rows whose values its features may take.

    Returns
    -------
    dict of str to ValueRange
        By feature, the heaviest first. Smallest and largest are those of all rows of a table, held-out rows included.

    Raises
    ------
    ValueError
        If a model gets no known rows.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> found = value_ranges(fit_sample("iris_2f"))
    >>> [(entry.column, entry.low, entry.high, entry.step) for entry in found.values()][0]
    ('sepal length (cm)', 4.3, 7.9, 0.1)
    """
    subject = subject_of(explained)
    if subject.study is not None:
        return {name: column_range(subject.study, name) for name in subject.by_weight}
    if known is None:
        raise ValueError("A model alone knows no range of its features: pass 'known', rows of shape (n, D).")
    X = matrix_of(explained, known).X
    found = {name: number_range(pd.Series(X[:, j], name=name)) for name, (j,) in subject.by_weight.items()}
    return {name: entry for name, entry in found.items() if entry is not None}


def number_range(values: pd.Series) -> ValueRange | None:
    """Return the values of a column of numbers alone; None where it does not vary.

    Examples
    --------
    >>> number_range(pd.Series([1.5, 2.0], name="size")).count
    6
    """
    encoder = NumberEncoder.fit(values)
    return None if encoder is None else _of_numbers(encoder, read_numbers(values).values)


def column_range(study: StudyBase, name: str) -> ValueRange:
    """Return the values of one column of a study's table, which the model has learned something about.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> column_range(fit_sample("iris_2f"), "sepal width (cm)").low
    2.0
    """
    encoder, cells = study.design.encoder(name), study.table.frame[name]
    if isinstance(encoder, NumberEncoder):
        return _of_numbers(encoder, read_numbers(cells).values)
    if isinstance(encoder, DateEncoder):
        days = read_dates(cells, encoder.form)[0]
        known = days[np.isfinite(days)]
        return ValueRange(
            name,
            ValueKind.DATE,
            float(known.min()),
            float(known.max()),
            step=encoder.seconds / _DAY,
            spread=encoder.scale,
            middle=encoder.fill,
            form=encoder.form,
        )
    assert isinstance(encoder, LevelEncoder)
    return ValueRange(name, ValueKind.LEVEL, levels=(*encoder.levels, *encoder.rare), truth=is_bool_dtype(cells))


def _of_numbers(encoder: NumberEncoder, values: NDArray[np.float64]) -> ValueRange:
    """Return the values of a column of numbers."""
    known = values[np.isfinite(values)]
    decimals = encoder.decimals
    if decimals is None:
        decimals = max(0, _FINE - math.floor(math.log10(encoder.scale)))
    low, high = float(known.min()), float(known.max())
    return ValueRange(
        encoder.source,
        ValueKind.NUMBER,
        low,
        high,
        step=max(10.0**-decimals, (high / _MOST_STEPS - low / _MOST_STEPS)),
        decimals=decimals,
        spread=encoder.scale,
        middle=encoder.fill,
    )


def _number_text(value: float, decimals: int) -> str:
    """Write a number with the decimals of its column, or with those that it has if they are more."""
    if not math.isfinite(value) or round(value, decimals) != value or abs(value) >= 1e15:
        return f"{value:.10g}"
    text = grouped(f"{value:.{decimals}f}")
    return text.rstrip("0").rstrip(".") if "." in text else text
