"""Course of the answer of a model of a number along one column, all others as in one row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.notebook import Displayed
from proset.common.words import listed, number, shown
from proset.explain.cases.edited import edited_rows, tied_columns
from proset.explain.cases.value_range import column_range
from proset.explain.maps.feature_axes import FeatureAxis, FeatureScale, feature_scale, find_feature
from proset.explain.number_subject import number_subject
from proset.explain.numbers.typical import typical_row
from proset.explain.phrases import FEW
from proset.study.case import Case
from proset.study.number_study import NumberStudy, answers

N_PLACES = 121
_TAIL = 0.5  # per cent of the training rows on either side that an axis need not hold
_FLAT = 0.02  # standard deviations of the target

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NumberCourse(Displayed):
    """Answers along one column, and the rows of the table beside them.

    Attributes
    ----------
    axis : FeatureAxis
        The column.
    target : str
        Name of the target.
    name : str
        The row that all other columns are taken from.
    typical : bool
        Whether it was taken because it is typical.
    at : float
        Its own value on the axis.
    places : float64 array of shape (G,)
        Positions on the axis, ascending.
    median, lower, upper : float64 array of shape (G,)
        The answers there: median and ends of the central interval of 90 %.
    quantile : float64 array of shape (G,)
        Share of the held-out rows that are at most as familiar.
    rows : DataFrame
        Index row id: every row with a number, ``x``, ``actual``, ``part``. A missing value stands where the model
        takes it to be.
    unit : float
        Standard deviation of the training targets.
    moved : tuple of str
        Columns that hang together with this one and move along, such as the days between two dates.
    lacking : tuple of str
        Columns that this one is made of and that are missing in the row: no such case can exist.
    """

    axis: FeatureAxis
    target: str
    name: str
    typical: bool
    at: float
    places: FloatArray
    median: FloatArray
    lower: FloatArray
    upper: FloatArray
    quantile: FloatArray
    rows: pd.DataFrame
    unit: float
    moved: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()

    @property
    def known(self) -> NDArray[np.bool_]:
        """True where the model knows what it speaks of: as familiar as 5 % of the held-out rows are, shape (G,)."""
        return self.quantile >= FEW

    @property
    def words(self) -> str:
        """The course in a sentence, where the model knows what it speaks of, and what moves along."""
        said = self._course
        if self.lacking:
            name = shown(self.axis.name)
            return f"{said} No such case can exist: '{name}' is made of {listed(self.lacking)}, missing here."
        if self.moved:
            return f"{said} {listed(self.moved)} {'moves' if len(self.moved) == 1 else 'move'} along."
        return said

    @property
    def _course(self) -> str:
        """The course in a sentence."""
        where = np.flatnonzero(self.known)
        where_known = "All" if self.known.all() or not len(where) else "Where the model knows such cases, all"
        rest = f"{where_known} else as in {shown(self.name)}{', a typical training row' if self.typical else ''}"
        if not len(where):
            return f"{rest}, the model has hardly seen anything like this, wherever on the axis."
        median, texts = self.median[where], [self.axis.text(self.places[k]) for k in where]
        low, high = int(median.argmin()), int(median.argmax())
        if median[high] - median[low] < _FLAT * self.unit:
            return f"{rest}, the median stays about {number(_rounded(float(median.mean()), self.unit))}."
        least, most = (f"{number(_rounded(float(median[k]), self.unit))} at {shown(texts[k], 30)}" for k in (low, high))
        steps = np.diff(median)
        if self.axis.kind != "level" and ((steps >= 0).all() or (steps <= 0).all()):
            rises = median[-1] > median[0]
            first, last = (least, most) if rises else (most, least)
            return f"{rest}, the median {'rises' if rises else 'falls'} from {first} to {last}."
        return f"{rest}, the median is lowest with {least} and highest with {most}."

    def to_frame(self) -> pd.DataFrame:
        """Return one line per place: its value, median, lower, upper, quantile of familiarity."""
        values = self.places if self.axis.kind == "number" else [self.axis.text(place) for place in self.places]
        return pd.DataFrame(
            {
                self.axis.name: values,
                "median": self.median,
                "lower": self.lower,
                "upper": self.upper,
                "familiarity quantile": self.quantile,
            }
        )


def number_course(explained: NumberStudy, case: Case | int | None = None, *, feature: str) -> NumberCourse:
    """Follow the answers along one column while all others stay.

    Parameters
    ----------
    feature : str
        Name of the column.
    case : Case, int or None
        Where all others stay: a case, a row id, or None for a typical row of the training rows.

    Raises
    ------
    ProsetError
        If there is no such feature, or it holds a single value in the training rows.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> found = number_course(fit_sample("cars", n_iter=1), feature="power (hp)")
    >>> bool(found.median[-1] < found.median[0] - 5.0), "falls from" in found.words
    (True, True)
    """
    subject = number_subject(explained)
    scale = feature_scale(subject, find_feature(subject, feature))
    chosen = typical_row(subject) if case is None else case
    taken = chosen if isinstance(chosen, Case) else explained.case(int(chosen))
    at = float(scale.positions(taken.x[None])[0])
    matrix = explained.encode().X
    train = explained.encode(explained.split.train).X
    places = _places(scale, scale.positions(train), at)
    moved, lacking = _tied(explained, taken, scale.axis.name)
    if moved and not lacking:
        X = edited_rows(taken, scale.axis.name, _cells(explained, scale, places)).astype(np.float64)
    else:
        X = np.tile(taken.x, (len(places), 1))
        X[:, scale.columns] = scale.matrix(places)
    said = answers(explained, X)
    rows = pd.DataFrame(
        {"x": scale.positions(matrix), "actual": explained.table_targets, "part": explained.predictions["part"]},
        index=explained.table.frame.index,
    )
    median, lower, upper, quantile = (
        said[name].to_numpy(dtype=np.float64) for name in ("median", "lower", "upper", "quantile")
    )
    return NumberCourse(
        axis=scale.axis,
        target=str(explained.roles.target),
        name=taken.name,
        typical=case is None,
        at=at,
        places=places,
        median=median,
        lower=lower,
        upper=upper,
        quantile=quantile,
        rows=rows[rows["actual"].notna() & np.isfinite(rows["x"])],
        unit=explained.unit,
        moved=moved,
        lacking=lacking,
    )


def _tied(study: NumberStudy, case: Case, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the columns that move with another one, in table order, and what is missing of those it is made of."""
    made_of = {entry.name: entry.columns for entry in study.table.derived}
    mover = made_of.get(name, (name,))[-1]
    follow = {mover, *(one for one, columns in made_of.items() if mover in columns)} - {name}
    if not follow & tied_columns(study):
        return (), ()
    lacking = [one for one in made_of.get(name, ()) if one not in case.frame or case.frame[one].isna().iloc[0]]
    return tuple(one for one in study.table.frame.columns if one in follow), tuple(lacking)


def _cells(study: NumberStudy, scale: FeatureScale, places: FloatArray) -> list[Any]:
    """Return what a table holds at positions along the axis."""
    if scale.axis.kind == "number":
        return places.tolist()
    if scale.axis.kind == "level":
        return [scale.axis.levels[round(place)] for place in places.tolist()]
    scope = column_range(study, scale.axis.name)
    return [scope.cell(place) for place in places.tolist()]


def _places(scale: FeatureScale, positions: FloatArray, at: float) -> FloatArray:
    """Return the positions along the axis."""
    if scale.axis.kind == "level":
        return np.arange(len(scale.axis.levels), dtype=np.float64)
    low, high = np.percentile(positions, [_TAIL, 100.0 - _TAIL])
    return np.linspace(min(low, at), max(high, at), N_PLACES)


def _rounded(value: float, unit: float) -> float:
    """Round to a hundredth of the unit or finer: more digits say nothing."""
    digits = 2 - int(np.floor(np.log10(unit))) if unit > 0.0 else 6
    return round(value, digits)
