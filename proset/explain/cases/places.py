"""Places of a case's values among those of each class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from proset.common.notebook import Displayed
from proset.common.words import number
from proset.data.issues import Role
from proset.explain.cases.known_rows import known_rows
from proset.explain.cases.neighbours import UNSEEN
from proset.explain.subject import Explained, as_case, subject_of
from proset.study import Study
from proset.study.case import Case
from proset.study.new_rows import stand_in

NUMBER, DATE, LEVEL = "number", "date", "level"
BELOW, ABOVE, MISSING = "below all", "above all", "missing"
_SPREAD = {"p05": 0.05, "q25": 0.25, "median": 0.5, "q75": 0.75, "p95": 0.95}


@dataclass(frozen=True, eq=False)
class ValuePlaces(Displayed):
    """The values of one case among those of the training rows, by class.

    Attributes
    ----------
    frame : DataFrame
        One row per column that the model uses, by descending weight: ``column``, ``kind`` ("number", "date" or
        "level"), ``value`` (as text), ``number`` (in the column's unit, days since 1970 for a date; NaN for levels and
        missing values), ``low`` and ``high`` (of the training rows), ``outside`` ("below all", "above all", "never
        seen" or "missing" if the value is that, else empty).
    places : DataFrame
        Same index, one column per class. Numbers and dates: share of the class's training rows with a smaller value,
        equal ones counted half. Levels: share of the class with this level. NaN for a missing value.
    spread : DataFrame
        ``column``, ``class``, ``p05``, ``q25``, ``median``, ``q75``, ``p95`` of the numbers and dates.
    """

    frame: pd.DataFrame
    places: pd.DataFrame
    spread: pd.DataFrame
    classes: tuple[str, ...]

    def to_frame(self) -> pd.DataFrame:
        """Return values and places side by side; the place in a class is headed "place in" and the class."""
        return self.frame.join(self.places.add_prefix("place in "))

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values."""
        return {
            "columns": {str(name): values.tolist() for name, values in self.frame.items()},
            "places": {str(name): values.tolist() for name, values in self.places.items()},
            "spread": {str(name): values.tolist() for name, values in self.spread.items()},
        }


def value_places(
    explained: Explained, case: Any, *, known: ArrayLike | None = None, y: ArrayLike | None = None
) -> ValuePlaces:
    """Find where each value of a case lies among those of each class.

    Parameters
    ----------
    known, y : array-like of shape (m, D) and (m,), or None
        Beside a model: what it was fitted to, and the classes of these rows.

    Returns
    -------
    ValuePlaces
        Among the training rows; cells that are missing there do not count.

    Raises
    ------
    ValueError
        If a model gets no known cases with their classes.
    StudyError
        If the table has no such row, or several new rows are given.
    DesignError
        If a new row lacks columns that the model uses.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.study import fit_study
    >>> study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))
    >>> places = value_places(study, 1)
    >>> places.frame["value"].tolist(), places.places.columns.tolist()
    (['5.1', '3.5'], ['setosa', 'versicolor', 'virginica'])
    """
    subject, case = subject_of(explained), as_case(explained, case, known=known, y=y)
    learned, study = known_rows(subject, case, with_classes=True), subject.study
    missing = None if study is None else study.encode(study.split.train).imputed
    lines, places, spread = [], [], []
    for source in subject.by_weight:
        own = subject.groups[subject.features.index(source)]
        there = np.ones(len(learned.X), dtype=bool) if missing is None else ~missing[source].to_numpy()
        assert learned.y is not None  # asked for
        values = np.asarray(learned.X, dtype=np.float64)[np.ix_(there, own)]
        column = _Column(study, source, own, values, learned.y[there], subject.classes)
        lines.append(column.line(case))
        places.append(column.places(case))
        spread += column.spread()
    return ValuePlaces(
        frame=pd.DataFrame(lines, columns=["column", "kind", "value", "number", "low", "high", "outside"]),
        places=pd.DataFrame(places, columns=list(subject.classes), dtype=np.float64),
        spread=pd.DataFrame(spread, columns=["column", "class", *_SPREAD]),
        classes=subject.classes,
    )


@dataclass(frozen=True, eq=False)
class _Column:
    """One feature among the training rows in which it is not missing."""

    study: Study | None
    source: str
    own: NDArray[np.int64]
    values: NDArray[np.float64]
    labels: NDArray[np.str_]
    classes: tuple[str, ...]

    @property
    def _kind(self) -> str:
        """Kind of the column."""
        if self.study is None:
            return NUMBER
        return {Role.NUMERIC: NUMBER, Role.DATE: DATE}.get(self.study.roles.by_column[self.source], LEVEL)

    def _numbers(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return values of the one matrix column in the column's unit."""
        if self.study is None:
            return values[:, 0]
        column = self.study.design.columns[self.own[0]]
        return values[:, 0] * column.scale + column.offset

    def line(self, case: Case) -> tuple[str, str, str, float, float, float, str]:
        """Return what there is to say about the value itself."""
        here = case.x[None, self.own]
        kind, missing = self._kind, bool(case.encoded.imputed[self.source].iloc[0])
        if kind == LEVEL:
            outside = MISSING if missing else UNSEEN if case.encoded.unseen[self.source].iloc[0] else ""
            return self.source, kind, outside or self._text(case), np.nan, np.nan, np.nan, outside
        low, high = (float(value) for value in (self._numbers(self.values).min(), self._numbers(self.values).max()))
        if missing:
            return self.source, kind, MISSING, np.nan, low, high, MISSING
        outside = BELOW if here[0, 0] < self.values.min() else ABOVE if here[0, 0] > self.values.max() else ""
        return self.source, kind, self._text(case), float(self._numbers(here)[0]), low, high, outside

    def _text(self, case: Case) -> str:
        """Return the value as the table writes it."""
        return (
            number(float(case.x[self.own[0]]))
            if self.study is None
            else stand_in(self.study.design, self.source, case.x)
        )

    def places(self, case: Case) -> list[float]:
        """Return the place in each class."""
        here = case.x[self.own]
        if case.encoded.imputed[self.source].iloc[0]:
            return [np.nan] * len(self.classes)
        same = (self.values == here).all(axis=1)
        share = same.astype(np.float64)
        if self._kind != LEVEL:
            share = (self.values[:, 0] < here[0]) + 0.5 * same
        elif case.encoded.unseen[self.source].iloc[0]:
            share = np.zeros(len(same))
        members = [self.labels == name for name in self.classes]
        return [float(share[own].mean()) if own.any() else np.nan for own in members]

    def spread(self) -> list[tuple[Any, ...]]:
        """Return quantiles per class."""
        if self._kind == LEVEL:
            return []
        numbers = self._numbers(self.values)
        groups = ((name, numbers[self.labels == name]) for name in self.classes)
        return [(self.source, name, *np.quantile(own, list(_SPREAD.values()))) for name, own in groups if len(own)]
