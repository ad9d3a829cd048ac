"""Where each value of a case lies among those of each class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.errors import StudyError
from proset.data.design import Encoded
from proset.data.issues import Role
from proset.explain.cases.neighbours import active_sources
from proset.study import Study

NUMBER, DATE, LEVEL = "number", "date", "level"
BELOW, ABOVE, UNSEEN, MISSING = "below all", "above all", "never seen", "missing"
_SPREAD = {"p05": 0.05, "q25": 0.25, "median": 0.5, "q75": 0.75, "p95": 0.95}


@dataclass(frozen=True, eq=False)
class ValuePlaces:
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
    classes : tuple of str
        All classes.
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


def value_places(study: Study, case: int | pd.DataFrame) -> ValuePlaces:
    """Find where each value of a case lies among those of each class.

    Parameters
    ----------
    study : Study
        A fitted study.
    case : int or DataFrame
        A row id of its table, or one new row.

    Returns
    -------
    ValuePlaces
        Among the training rows; cells that are missing there do not count.

    Raises
    ------
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
    if isinstance(case, pd.DataFrame):
        if len(case) != 1:
            raise StudyError(
                f"One row can be compared at a time, but {len(case):,} were given.", hint="Choose one row."
            )
        encoded = study.design.transform(study.prepared(case), only=study.used_columns)
    else:
        encoded = study.encode([case])
    train = study.encode(study.split.train)
    labels = study.labels.loc[pd.Index(study.split.train)].to_numpy(dtype=str)
    lines, places, spread = [], [], []
    for source in active_sources(study):
        own = np.array([j for j, column in enumerate(study.design.columns) if column.source == source])
        known = ~train.imputed[source].to_numpy()
        column = _Column(study, source, own, train.X[:, own].astype(np.float64)[known], labels[known])
        lines.append(column.line(encoded))
        places.append(column.places(encoded))
        spread += column.spread()
    return ValuePlaces(
        frame=pd.DataFrame(lines, columns=["column", "kind", "value", "number", "low", "high", "outside"]),
        places=pd.DataFrame(places, columns=list(study.classes), dtype=np.float64),
        spread=pd.DataFrame(spread, columns=["column", "class", *_SPREAD]),
        classes=study.classes,
    )


@dataclass(frozen=True, eq=False)
class _Column:
    """One column of the table among the training rows in which it is not missing."""

    study: Study
    source: str
    own: NDArray[np.int64]
    values: NDArray[np.float64]
    labels: NDArray[np.str_]

    @property
    def _kind(self) -> str:
        """What the column holds."""
        return {Role.NUMERIC: NUMBER, Role.DATE: DATE}.get(self.study.roles.by_column[self.source], LEVEL)

    def _numbers(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return values of the one matrix column in the column's unit."""
        column = self.study.design.columns[self.own[0]]
        result: NDArray[np.float64] = values[:, 0] * column.scale + column.offset
        return result

    def line(self, encoded: Encoded) -> tuple[str, str, str, float, float, float, str]:
        """Return what there is to say about the value itself."""
        here = encoded.X[:, self.own].astype(np.float64)
        kind, missing = self._kind, bool(encoded.imputed[self.source].iloc[0])
        if kind == LEVEL:
            outside = MISSING if missing else UNSEEN if encoded.unseen[self.source].iloc[0] else ""
            return self.source, kind, outside or self._level(here[0]), np.nan, np.nan, np.nan, outside
        low, high = (float(value) for value in (self._numbers(self.values).min(), self._numbers(self.values).max()))
        if missing:
            return self.source, kind, MISSING, np.nan, low, high, MISSING
        text = str(self.study.design.to_original(int(self.own[0]), here[0])[0])
        outside = BELOW if here[0, 0] < self.values.min() else ABOVE if here[0, 0] > self.values.max() else ""
        return self.source, kind, text, float(self._numbers(here)[0]), low, high, outside

    def _level(self, values: NDArray[np.float64]) -> str:
        """Return the word of a level."""
        if len(self.own) == 1:
            return str(self.study.design.to_original(int(self.own[0]), values)[0])
        return str(self.study.design.columns[self.own[int(values.argmax())]].level)

    def places(self, encoded: Encoded) -> list[float]:
        """Return the place in each class."""
        here = encoded.X[0, self.own].astype(np.float64)
        if encoded.imputed[self.source].iloc[0]:
            return [np.nan] * len(self.study.classes)
        same = (self.values == here).all(axis=1)
        share = same.astype(np.float64)
        if self._kind != LEVEL:
            share = (self.values[:, 0] < here[0]) + 0.5 * same
        elif encoded.unseen[self.source].iloc[0]:
            share = np.zeros(len(same))
        members = [self.labels == name for name in self.study.classes]
        return [float(share[own].mean()) if own.any() else np.nan for own in members]

    def spread(self) -> list[tuple[Any, ...]]:
        """Return quantiles per class."""
        if self._kind == LEVEL:
            return []
        numbers = self._numbers(self.values)
        groups = ((name, numbers[self.labels == name]) for name in self.study.classes)
        return [(self.source, name, *np.quantile(own, list(_SPREAD.values()))) for name, own in groups if len(own)]
