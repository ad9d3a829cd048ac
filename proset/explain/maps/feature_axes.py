"""Features as axes of a figure: the way between matrix values and the units of the table."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from proset.common.errors import ProsetError
from proset.common.words import count_words, listed, number, shown
from proset.data.date_cells import FIRST_DAY, LAST_DAY
from proset.data.issues import Role
from proset.data.levels import LevelEncoder
from proset.data.quantities import DateEncoder
from proset.data.scales import Bend

if TYPE_CHECKING:
    from proset.study.base import StudyBase

FloatArray = NDArray[np.float64]
Kind = Literal["number", "date", "level"]
_DAY = 86_400  # seconds
_HOURS_MATTER = 3.0  # days on an axis below which times are written as well
_MOST_TICKS = 6
_MOST_DECIMALS = 15
_DIGITS_HELD = 5  # decimals of a standardised value that single precision holds for certain


class NamedFeatures(Protocol):
    """Names for matrix columns, as a :class:`proset.explain.subject.Subject` or one of a number has them."""

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the F features."""
        ...

    @property
    def groups(self) -> tuple[NDArray[np.int64], ...]:
        """Matrix columns of each feature."""
        ...

    @property
    def study(self) -> StudyBase | None:
        """Study that the names come from, if any."""
        ...


@dataclass(frozen=True)
class FeatureAxis:
    """Axis of a figure.

    Attributes
    ----------
    name : str
        The feature, or what the axis is called otherwise.
    kind : {"number", "date", "level"}
        Positions along the axis are numbers, days since 1970, or places in `levels`.
    levels : tuple of str
        Words of a category in the order of their places from 0, numbers ascending; empty for another kind.
    hours : bool
        Whether dates have a time of the day; if not, a place between two days is written as the first of them.

    Examples
    --------
    >>> FeatureAxis("island", "level", ("Biscoe", "Dream")).text(1.0), FeatureAxis("day", "date").text(1.0)
    ('Dream', '1970-01-02')
    >>> FeatureAxis("day", "date").text(1.5), FeatureAxis("day", "date", hours=False).text(1.5)
    ('1970-01-02 12:00', '1970-01-02')
    """

    name: str
    kind: Kind = "number"
    levels: tuple[str, ...] = ()
    hours: bool = True

    def text(self, position: float) -> str:
        """Return what stands at a position."""
        if not np.isfinite(position):
            return "unknown"
        if self.kind == "number":
            return number(position)
        if self.kind == "date":
            return _dates(np.array([position]), hours=self.hours and position != round(position))[0]
        place = round(position)
        known = 0 <= place < len(self.levels) and abs(position - place) < 0.5  # half way stands for neither of two
        return self.levels[place] if known else "unknown"

    def ticks(self, low: float, high: float) -> tuple[list[float], list[str]] | None:
        """Return where to write what between two positions; None if plain numbers do."""
        if self.kind == "number":
            return None
        if self.kind == "level":
            return [float(place) for place in range(len(self.levels))], list(self.levels)
        hours = self.hours and high - low <= _HOURS_MATTER
        days = np.unique(np.round(np.linspace(low, high, _MOST_TICKS), 2 if hours else 0))
        return days.tolist(), _dates(days, hours=hours)


@dataclass(frozen=True, eq=False)
class FeatureScale:
    """One feature as an axis, and the way to and from its columns of the matrix.

    Attributes
    ----------
    axis : FeatureAxis
        What stands along it.
    columns : int64 array of shape (c,)
        Its columns of the matrix, those of its values first.
    offset, scale : float
        Position = value of the matrix * scale + offset, for a number, a date or two levels; -1 where these change
        places.
    bend : Bend or None
        The way between both where it is not straight; positions are in the units of the table all the same.
    order : int64 array of shape (w,) or None
        Which indicator stands for which place, for several levels; None for a feature whose values are one column.
    beside : callable or None
        Makes all columns of those of the values, shape (n, c) of (n, w), where they are not the same.
    """

    axis: FeatureAxis
    columns: NDArray[np.int64]
    offset: float = 0.0
    scale: float = 1.0
    bend: Bend | None = None
    order: NDArray[np.int64] | None = None
    beside: Callable[[FloatArray], FloatArray] | None = None

    def positions(self, X: NDArray[np.floating]) -> FloatArray:
        """Return where rows of the matrix, shape (n, D), lie along the axis; NaN for a level that has no place."""
        if self.order is None:
            values = X[:, self.columns[0]].astype(np.float64)
            return self.rounded(values * self.scale + self.offset) if self.bend is None else self.bend.value(values)
        pieces = X[:, self.columns[self.order]]
        places = pieces.argmax(axis=1).astype(np.float64)
        places[pieces.max(axis=1) < 0.5] = np.nan
        return places

    def rounded(self, positions: FloatArray) -> FloatArray:
        """Take off digits that the matrix of a study, in single precision, cannot hold."""
        if self.axis.kind == "level" or self.scale == 1.0:
            return positions
        decimals = _DIGITS_HELD - math.floor(math.log10(self.scale))
        if decimals > _MOST_DECIMALS:
            return positions
        return np.round(positions, decimals) + 0.0  # no minus zero

    def matrix(self, positions: FloatArray) -> FloatArray:
        """Return the columns of the matrix for positions along the axis, shape (n, c)."""
        if self.order is None:
            bend = self.bend
            values = (positions - self.offset) / self.scale if bend is None else bend.place(positions)
            return self._all(values[:, np.newaxis])
        levels = np.equal.outer(np.round(positions), np.argsort(self.order)).astype(np.float64)
        return self._all(levels)

    def middle(self, rows: NDArray[np.floating]) -> FloatArray:
        """Return its columns at the median of rows of the matrix, or at their most frequent level, shape (c,).

        Of dates and of two levels in one column it is one of theirs: half way between two days is noon, and half way
        between yes and no is neither.
        """
        if self.order is None:
            own = rows[:, self.columns[:1]]
            whole = self.axis.kind != "number"
            middle = np.quantile(own, 0.5, axis=0, method="lower") if whole else np.median(own, axis=0)
            return self._all(middle[np.newaxis].astype(np.float64))[0]
        shares = rows[:, self.columns[: len(self.order)]].mean(axis=0)
        return self._all((np.arange(len(shares)) == shares.argmax()).astype(np.float64)[np.newaxis])[0]

    def _all(self, own: FloatArray) -> FloatArray:
        """Return all columns, given those of the values."""
        return own if self.beside is None else self.beside(own)


def feature_scale(named: NamedFeatures, i: int) -> FeatureScale:
    """Return feature number `i` as an axis in the units of the table, or of the matrix for a model alone.

    Parameters
    ----------
    named : Subject or alike
        Names the features.
    i : int
        Position of the feature.

    Examples
    --------
    >>> from proset.explain.subject import subject_of
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> feature_scale(subject_of(study), 0).positions(study.encode([1]).X).round(3).tolist()
    [5.1]
    """
    columns = named.groups[i]
    if named.study is None or not len(columns):
        return FeatureScale(FeatureAxis(named.features[i]), columns)
    design = named.study.design
    first, encoder = design.columns[columns[0]], design.encoder(design.columns[columns[0]].source)
    beside = None if len(encoder.columns) == len(columns) else partial(design.beside, first.source)
    if first.role in (Role.NUMERIC, Role.DATE):
        kind: Kind = "date" if first.role is Role.DATE else "number"
        axis = FeatureAxis(first.source, kind, hours=not isinstance(encoder, DateEncoder) or encoder.seconds < _DAY)
        return FeatureScale(axis, columns, first.offset, first.scale, first.bend, beside=beside)
    assert isinstance(encoder, LevelEncoder)
    order = encoder.shown_order
    axis = FeatureAxis(first.source, "level", tuple(encoder.slots[place] for place in order))
    if len(encoder.columns) > 1:
        return FeatureScale(axis, columns, order=np.array(order), beside=beside)
    if order == (0, 1):
        return FeatureScale(axis, columns, beside=beside)
    return FeatureScale(axis, columns, offset=1.0, scale=-1.0, beside=beside)


def find_feature(named: NamedFeatures, wanted: str | int) -> int:
    """Return the position of a feature.

    Parameters
    ----------
    named : Subject or alike
        Names the features.
    wanted : str or int
        Its name or its position.

    Raises
    ------
    ProsetError
        If there is no such feature, or it holds a single value in the training rows.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> find_feature(SimpleNamespace(features=("a", "b"), groups=(np.arange(1), np.arange(1)), study=None), "b")
    1
    """
    if isinstance(wanted, str) and wanted in named.features:
        i = named.features.index(wanted)
    elif not isinstance(wanted, str) and 0 <= int(wanted) < len(named.features):
        i = int(wanted)
    else:
        raise ProsetError(
            f"There is no feature '{shown(wanted)}'.",
            hint=f"The model has {count_words(len(named.features), 'feature')}: {listed(named.features, most=10)}.",
        )
    if not len(named.groups[i]):
        raise ProsetError(
            f"Column '{shown(named.features[i])}' holds a single value in the training rows.",
            column=named.features[i],
            hint="Choose another one.",
        )
    return i


def ranked(named: NamedFeatures, columns: NDArray[np.int64]) -> list[int]:
    """Return all features that can be axes: those of some matrix columns in their order, then the others.

    Parameters
    ----------
    named : Subject or alike
        Names the features.
    columns : int64 array
        Matrix columns, the heaviest first.

    Returns
    -------
    list of int
        Positions of features, each once.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> groups = (np.array([0]), np.array([1, 2]), np.array([], dtype=int))
    >>> ranked(SimpleNamespace(features=("a", "b", "c"), groups=groups, study=None), np.array([2, 0, 1]))
    [1, 0]
    """
    owner = {int(j): i for i, group in enumerate(named.groups) for j in group}
    usable = [i for i, group in enumerate(named.groups) if len(group)]
    return list(dict.fromkeys([*(owner[int(j)] for j in columns), *usable]))


def _dates(days: FloatArray, *, hours: bool) -> list[str]:
    """Write days since 1970 as dates."""
    seconds = np.round(np.clip(days, FIRST_DAY, LAST_DAY) * _DAY).astype(np.int64).astype("datetime64[s]")
    return [word.replace("T", " ") for word in np.datetime_as_string(seconds, unit="m" if hours else "D").tolist()]
