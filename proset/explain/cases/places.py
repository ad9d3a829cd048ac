"""Places of a case's values among those of each class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from proset.common.notebook import Displayed
from proset.common.words import number
from proset.data.issues import Role
from proset.explain.cases.known_rows import known_rows, seen
from proset.explain.cases.neighbours import UNSEEN
from proset.explain.cases.value_fits import KnownValues, known_values
from proset.explain.plain_values import plain_columns
from proset.explain.subject import Explained, as_case, subject_of
from proset.study import Study
from proset.study.case import Case
from proset.study.new_rows import stand_in

NUMBER, DATE, LEVEL = "number", "date", "level"
BELOW, ABOVE, MISSING = "below all", "above all", "missing"
_SPREAD = ("p05", "q25", "median", "q75", "p95")


@dataclass(frozen=True, eq=False)
class ValuePlaces(Displayed):
    """The values of one case among those of the training rows, by class.

    Attributes
    ----------
    frame : DataFrame
        One row per feature: ``column``, ``kind`` ("number", "date" or
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
            "columns": plain_columns(self.frame),
            "places": plain_columns(self.places),
            "spread": plain_columns(self.spread),
        }


def value_places(
    explained: Explained,
    case: Any,
    *,
    features: Sequence[str] | None = None,
    known: ArrayLike | None = None,
    y: ArrayLike | None = None,
) -> ValuePlaces:
    """Find where each value of a case lies among those of each class.

    Parameters
    ----------
    features : sequence of str or None
        Which features, in this order; none that did not vary among the training rows. None: those that the model uses,
        by descending weight.
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
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> places = value_places(study, 1)
    >>> places.frame["value"].tolist(), places.places.columns.tolist()
    (['5.1', '3.5'], ['setosa', 'versicolor', 'virginica'])
    """
    subject, case = subject_of(explained), as_case(explained, case, known=known, y=y)
    look_up = known_values(subject, known_rows(subject, case, with_classes=True))
    x = seen(subject, case)[0]
    lines, places, spread = [], [], []
    for source in subject.by_weight if features is None else features:
        own = subject.own[subject.features.index(source)]
        column = _Column(subject.study, source, own, look_up(source), x)
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
    """One feature among the training rows in which it is not missing, and the case as a row of the matrix."""

    study: Study | None
    source: str
    own: NDArray[np.int64]
    known: KnownValues
    x: NDArray[np.float64]

    @property
    def _kind(self) -> str:
        """Kind of the column."""
        if not self.known.ordered:
            return LEVEL
        is_date = self.study is not None and self.study.roles.by_column[self.source] is Role.DATE
        return DATE if is_date else NUMBER

    def _numbers(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return values of the one matrix column in the column's unit."""
        if self.study is None:
            return values[:, 0]
        return self.study.design.columns[self.own[0]].to_table(values[:, 0])

    def line(self, case: Case) -> tuple[str, str, str, float, float, float, str]:
        """Return what there is to say about the value itself."""
        here, values = self.x[None, self.own], self.known.values
        kind, missing = self._kind, bool(case.encoded.imputed[self.source].iloc[0])
        if kind == LEVEL:
            outside = MISSING if missing else UNSEEN if case.encoded.unseen[self.source].iloc[0] else ""
            return self.source, kind, outside or self._text(), np.nan, np.nan, np.nan, outside
        low, high, told = self._of_table(np.array([values.min(axis=0), values.max(axis=0), here[0]])).tolist()
        if missing:
            return self.source, kind, MISSING, np.nan, low, high, MISSING
        outside = BELOW if here[0, 0] < values.min() else ABOVE if here[0, 0] > values.max() else ""
        return self.source, kind, self._text(), told, low, high, outside

    def _of_table(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return values of the one matrix column as the table writes them, without what rounding added."""
        if self.study is None or self._kind == DATE:
            return self._numbers(values)
        return np.array(self.study.design.to_original(self.own[0], values[:, 0]), dtype=np.float64)

    def _text(self) -> str:
        """Return the value in words; numbers as people write them."""
        if self._kind == NUMBER:
            return number(float(self._numbers(self.x[None, self.own])[0]))
        assert self.study is not None  # a model alone has numbers only
        return stand_in(self.study.design, self.source, self.x)

    def places(self, case: Case) -> list[float]:
        """Return the place in each class."""
        found: list[float] = self.known.places(self.x[None, self.own])[0].tolist()
        if case.encoded.imputed[self.source].iloc[0]:
            return [np.nan] * len(found)
        if self._kind == LEVEL and case.encoded.unseen[self.source].iloc[0]:
            return [0.0 if share == share else share for share in found]  # nan is not itself
        return found

    def spread(self) -> list[tuple[Any, ...]]:
        """Return quantiles per class."""
        if self._kind == LEVEL:
            return []
        found = [self._numbers(part[:, None]) for part in self.known.quantiles]
        named = zip(self.known.classes, self.known.of_class, found, strict=True)
        return [(self.source, name, *numbers) for name, members, numbers in named if len(members)]
