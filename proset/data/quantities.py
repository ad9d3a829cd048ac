"""Numbers and dates as matrix columns and back."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.checked_json import StateReader
from proset.data.cells import is_placeholder, read_numbers, read_words, settle
from proset.data.date_cells import DATE_FORMATS, FIRST_DAY, LAST_DAY, find_date_formats, read_dates
from proset.data.encoders import Block, MatrixColumn, first_unreadable
from proset.data.issues import Role
from proset.data.scales import Bend, Scale

#: Standardised values are kept within this range. No training value reaches it (the largest possible one is the square
#: root of the number of rows); a new one that does is far from every prototype anyway. Its square still fits float32.
FARTHEST = 1e4

_MOST_DECIMALS = 15
_LARGEST = float(np.finfo(np.float64).max)
_UNITS: dict[int, Literal["D", "m", "s"]] = {86_400: "D", 60: "m", 1: "s"}


@dataclass(frozen=True)
class NumberEncoder:
    """A number on one of the scales, missing and infinite values filled with the median.

    Attributes
    ----------
    source : str
        The table column.
    offset, scale, fill : float
        Mean, standard deviation and median of the training values.
    decimals : int or None
        Decimals that the training values carry, as far as float32 can hold them; None does not round.
    bend : Bend or None
        What stands in for offset and scale where the scale is not straight.
    """

    kind: ClassVar[str] = "number"
    source: str
    offset: float
    scale: float
    fill: float
    decimals: int | None
    bend: Bend | None = None

    @classmethod
    def fit(cls, series: pd.Series, scale: Scale = Scale.STANDARD) -> NumberEncoder | None:
        """Learn from training rows; None where the column is constant or empty there."""
        values = _numbers(series)
        values = values[np.isfinite(values)]
        moments = _moments(values)
        if moments is None:
            return None
        offset, deviation = moments
        bend = Bend.of(values, scale, deviation)
        return cls(str(series.name), offset, deviation, _middle(values), _decimals(values, deviation), bend)

    @property
    def columns(self) -> tuple[MatrixColumn, ...]:
        """The one matrix column."""
        return (MatrixColumn(self.source, self.source, Role.NUMERIC, None, self.offset, self.scale, self.bend),)

    def encode(self, series: pd.Series) -> Block:
        """Scale a column."""
        return _scaled(_numbers(series), self.columns[0], self.fill)

    def decode(self, values: NDArray[np.float64]) -> list[int | float | None]:
        """Numbers in original units; whole numbers as int, None for NaN."""
        with np.errstate(over="ignore"):
            numbers = np.clip(self.columns[0].to_table(values), -_LARGEST, _LARGEST)
        if self.decimals is None:
            return [None if math.isnan(number) else number for number in numbers.tolist()]
        with np.errstate(over="ignore", invalid="ignore"):
            rounded = np.round(numbers, self.decimals)
        numbers = np.where(np.isfinite(rounded), rounded, numbers) + 0.0  # no "-0"
        whole = self.decimals == 0
        return [None if math.isnan(number) else int(number) if whole else number for number in numbers.tolist()]

    def to_state(self) -> dict[str, Any]:
        """Plain JSON types."""
        return {
            "kind": self.kind,
            "source": self.source,
            "offset": self.offset,
            "scale": self.scale,
            "fill": self.fill,
            "decimals": self.decimals,
        } | ({} if self.bend is None else {"bend": self.bend.to_state()})

    @classmethod
    def from_state(cls, reader: StateReader) -> NumberEncoder:
        """Check and rebuild."""
        decimals = reader.optional_integer("decimals", low=0, high=_MOST_DECIMALS)
        bend = Bend.from_state(reader.take("bend"), "design.encoders.bend") if "bend" in reader else None
        source, offset, scale, fill = _read_common(reader)
        return cls(source, offset, scale, fill, decimals, bend)


@dataclass(frozen=True)
class DateEncoder:
    """A date: days since 1970, treated like a number.

    Attributes
    ----------
    source : str
        The table column.
    form : str or None
        How text spells the dates, one of :data:`~proset.data.cells.DATE_FORMATS`.
    seconds : int
        Step of the training values: 86400 (days), 60 or 1; values are given back at this step.
    offset, scale, fill : float
        Mean, standard deviation and median of the training values, in days.
    """

    kind: ClassVar[str] = "date"
    source: str
    form: str | None
    seconds: int
    offset: float
    scale: float
    fill: float

    @classmethod
    def fit(cls, series: pd.Series) -> DateEncoder | None:
        """Learn from training rows; None where the column is constant or empty there."""
        form = _date_format(series)
        days = days_of(series, form)
        days = days[~np.isnan(days)]
        moments = _moments(days)
        if moments is None:
            return None
        steps = (step for step in (86_400, 60) if np.array_equal(np.round(days * 86_400) % step, np.zeros_like(days)))
        offset, scale = moments
        return cls(str(series.name), form, next(steps, 1), offset, scale, _middle(days))

    @property
    def columns(self) -> tuple[MatrixColumn, ...]:
        """The one matrix column."""
        return (MatrixColumn(self.source, self.source, Role.DATE, None, self.offset, self.scale),)

    def encode(self, series: pd.Series) -> Block:
        """Standardise a column."""
        return _scaled(days_of(series, self.form), self.columns[0], self.fill)

    def decode(self, values: NDArray[np.float64]) -> list[str | None]:
        """Dates in ISO form, None for NaN; times only where training rows had them."""
        days = np.clip(values * self.scale + self.offset, FIRST_DAY, LAST_DAY)
        known = ~np.isnan(days)
        seconds = np.round(np.where(known, days, 0.0) * 86_400 / self.seconds).astype(np.int64) * self.seconds
        words = np.datetime_as_string(seconds.astype("datetime64[s]"), unit=_UNITS[self.seconds])
        return [word.replace("T", " ") if here else None for word, here in zip(words.tolist(), known, strict=True)]

    def to_state(self) -> dict[str, Any]:
        """Plain JSON types."""
        return {
            "kind": self.kind,
            "source": self.source,
            "form": self.form,
            "seconds": self.seconds,
            "offset": self.offset,
            "scale": self.scale,
            "fill": self.fill,
        }

    @classmethod
    def from_state(cls, reader: StateReader) -> DateEncoder:
        """Check and rebuild."""
        form = reader.optional_text("form", choices=DATE_FORMATS)
        seconds = reader.integer("seconds", low=1, high=86_400)
        if seconds not in _UNITS:
            raise reader.refuse("seconds", "has to be 1, 60 or 86400")
        source, offset, scale, fill = _read_common(reader)
        return cls(source, form, seconds, offset, scale, fill)


def _numbers(series: pd.Series) -> NDArray[np.float64]:
    """Read numbers; a cell with other text is an error."""
    numbers = read_numbers(series)
    if numbers.unreadable.any():
        raise first_unreadable(series, numbers.unreadable, Role.NUMERIC)
    return numbers.values


def days_of(series: pd.Series, form: str | None) -> NDArray[np.float64]:
    """Read dates; a cell with other text is an error."""
    days, unreadable = read_dates(series, form)
    if unreadable.any():
        raise first_unreadable(series, unreadable, Role.DATE)
    return days


def _date_format(series: pd.Series) -> str | None:
    """Format of the dates in a column of text; None for dates proper and for text that holds none."""
    settled = settle(series)
    if not isinstance(settled.dtype, pd.StringDtype):
        return None
    words = pd.Series(read_words(settled).dropna().unique())
    return next(iter(find_date_formats(words[~is_placeholder(words)])), None)


def _moments(values: NDArray[np.float64]) -> tuple[float, float] | None:
    """Mean and standard deviation of finite values; None where they do not vary."""
    if len(values) == 0 or values.min() == values.max():
        return None
    largest = float(np.abs(values).max())
    shares = values / largest  # so that squares of very large values do not overflow
    offset, scale = float(shares.mean()) * largest, float(shares.std()) * largest
    return (offset, scale) if math.isfinite(scale) and scale > 0.0 and math.isfinite(1.0 / scale) else None


def _middle(values: NDArray[np.float64]) -> float:
    """Median, finite like the values: the sum of two of them may not be."""
    with np.errstate(over="ignore"):
        middle = float(np.median(values))
    return middle if math.isfinite(middle) else 2.0 * float(np.median(values / 2.0))


def _scaled(values: NDArray[np.float64], column: MatrixColumn, fill: float) -> Block:
    """Fill and scale; the result is finite."""
    imputed = ~np.isfinite(values)
    with np.errstate(over="ignore"):
        scaled = column.to_matrix(np.where(imputed, fill, values))
    return Block(np.clip(scaled, -FARTHEST, FARTHEST)[:, None], imputed, np.zeros(len(values), dtype=bool))


def _decimals(values: NDArray[np.float64], scale: float) -> int | None:
    """Decimals that all values carry, but no more than float32 can tell apart at this scale."""
    different = np.unique(values)
    resolution = max(6 - math.floor(math.log10(scale)), 0)
    with np.errstate(over="ignore", invalid="ignore"):
        carried = (d for d in range(_MOST_DECIMALS) if np.array_equal(np.round(different, d), different))
        decimals = min(next(carried, resolution), resolution)
    return decimals if decimals <= _MOST_DECIMALS else None


def _read_common(reader: StateReader) -> tuple[str, float, float, float]:
    """Read the fields that numbers and dates share: source, offset, scale, fill."""
    scale = reader.number("scale", positive=True)
    return reader.text("source"), reader.number("offset"), scale, reader.number("fill")
