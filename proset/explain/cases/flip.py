"""The smallest change of one feature that changes what the model says of a case."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from proset.common.spread import spread_places
from proset.engine.evidence.familiarity import familiarity_quantile
from proset.engine.evidence.one_feature import unnormalized_along
from proset.explain.cases.edited import edited_rows, tied_columns
from proset.explain.cases.flips import Flip, SmallestFlip
from proset.explain.cases.value_matrix import value_matrix
from proset.explain.cases.value_range import ValueKind, ValueRange, value_ranges
from proset.explain.subject import Explained, Subject, as_case, subject_of
from proset.study.case import Case
from proset.study.decision import MOST_PROBABLE, DecisionRule

if TYPE_CHECKING:
    from proset.engine.set_manager import SetManager

# Values of one column that are tried at first; where it has more, the search goes on between two of them.
MOST_VALUES = 2_048
_FINER = 64
_MOST_LEVELS = 100
# A value at the very border may be rounded to its other side when the model takes it.
_STEPS_BEYOND = 3


def smallest_flip(
    explained: Explained,
    case: Any,
    *,
    known: ArrayLike | None = None,
    rule: DecisionRule = MOST_PROBABLE,
    ranges: Mapping[str, ValueRange] | None = None,
) -> SmallestFlip:
    """Find the nearest value of each feature that changes what is said of a case, all others staying as they are.

    Parameters
    ----------
    explained : ClassifierModel or Study
        A fitted model or a study.
    known : array-like of shape (n, D) or None
        Rows whose values a model's features may take; a study takes those of its table.
    ranges : mapping of str to ValueRange or None
        From :func:`proset.explain.cases.value_range.value_ranges`, so that it is not found anew for each case.

    Returns
    -------
    SmallestFlip
        Every value of a column is tried up to 2,048; where it takes more, so many in equal steps, and then those
        between the nearest that flips and the one before it, to the column's precision. Of a category, every level.
        Days between dates and hours of times follow these, and move them, as in :func:`proset.explain.what_if`.

    Raises
    ------
    ValueError
        If a model gets no rows in `known`.
    StudyError
        If the table has no such row.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> found = smallest_flip(study, 71)
    >>> found.predicted, found.smallest.feature, found.smallest.texts, found.smallest.predicted
    ('versicolor', 'sepal length (cm)', ('5.9', '6.2'), 'virginica')
    """
    subject, case = subject_of(explained), as_case(explained, case, known=known)
    if ranges is None:
        ranges = value_ranges(explained, known=None if case.known is None else case.known.X)
    said = _Said(subject, case, rule)
    order = [name for name in ranges if name in subject.by_weight]
    found = [_nearest(said, ranges[name], case.cells.get(name)) for name in order]
    flips = [flip for flip in found if flip is not None]
    # The sort is stable: of equal changes, that of the heavier feature comes first.
    flips.sort(key=lambda flip: np.inf if flip.size is None else flip.size)
    many = [name for name in order if ranges[name].kind is not ValueKind.LEVEL and ranges[name].count > MOST_VALUES]
    return SmallestFlip(said.now, tuple(flips), tuple(order), tuple(many))


class _Said:
    """Decisions on one case and on its copies with other values of one feature."""

    def __init__(self, subject: Subject, case: Case, rule: DecisionRule) -> None:
        self._subject, self._case, self._rule = subject, case, rule
        self._manager: SetManager = subject.manager
        self._tied = set() if subject.study is None else tied_columns(subject.study)
        self.now = subject.classes[int(self._decide(self._manager.unnormalized(case.x[None, :]))[0])]

    def classes(self, scope: ValueRange, values: list[Any] | NDArray[np.float64]) -> list[str]:
        """Return what is said at some values of a feature."""
        if scope.column in self._tied:
            sums = self._manager.unnormalized(self._copies(scope, values))
        else:
            sums = unnormalized_along(
                self._manager, self._case.x, self._columns(scope.column), value_matrix(self._subject, scope, values)
            )
        return [self._subject.classes[k] for k in self._decide(sums)]

    def at(self, scope: ValueRange, value: Any) -> tuple[str, float, float | None, bool]:
        """Return what is said at one value, as the last fields of a flip have it, by scoring itself."""
        probabilities, familiarity = self._manager.evaluate(self._copies(scope, [value]))
        best = int(self._rule.choose(probabilities)[0])
        study = self._subject.study
        quantile = None if study is None else float(familiarity_quantile(familiarity, study.reference)[0])
        left = quantile is not None and bool(self._rule.leaves([quantile])[0])
        return self._subject.classes[best], float(probabilities[0, best]), quantile, left

    def own(self, scope: ValueRange) -> float:
        """Return the case's own value of a number or date, or what stands in for it."""
        column = self._columns(scope.column)[0]  # that of the value
        study = self._subject.study
        if study is None:
            return float(self._case.x[column])
        return float(study.design.columns[column].to_table(self._case.x[column]))

    def _copies(self, scope: ValueRange, values: list[Any] | NDArray[np.float64]) -> NDArray[np.float64]:
        """Return copies of the case with other values of a feature, and what follows from these."""
        if scope.column in self._tied:
            cells = [scope.cell(value) for value in values]
            return edited_rows(self._case, scope.column, cells).astype(np.float64)
        X = np.tile(self._case.x, (len(values), 1))
        X[:, self._columns(scope.column)] = value_matrix(self._subject, scope, values)
        return X

    def _columns(self, name: str) -> NDArray[np.int64]:
        """Matrix columns of a feature."""
        return self._subject.groups[self._subject.features.index(name)]

    def _decide(self, sums: NDArray[np.float64]) -> NDArray[np.intp]:
        """Positions of the classes that are said, from unnormalised probabilities."""
        return self._rule.choose(sums / sums.sum(axis=1, keepdims=True))


def _nearest(said: _Said, scope: ValueRange, cell: Any) -> Flip | None:
    """Return the nearest change of one feature that flips a case."""
    if scope.kind is ValueKind.LEVEL:
        return _nearest_level(said, scope, cell)
    exact = scope.number(cell)
    own = exact if np.isfinite(exact) else said.own(scope)
    sides = [_side(said, scope, own, up=up) for up in (True, False)]
    ends = [value for value in sides if value is not None]
    if not ends:
        return None
    value = min(ends, key=lambda end: abs(end - own))
    after = scope.cell(value)
    return Flip(
        scope.column,
        scope.plain(cell),
        after,
        (scope.text(cell), scope.text(after)),
        abs(value - own) / scope.spread,
        *said.at(scope, value),
    )


def _side(said: _Said, scope: ValueRange, own: float, *, up: bool) -> float | None:
    """Return the value nearest to the case's own, above or below it, that flips it; None if there is none."""
    start = min(max((own - scope.low) / scope.step, -1.0), float(scope.count))
    # Places in the order in which they are met when one goes away from the case.
    first = max(0, math.floor(start + 1e-6) + 1) if up else min(scope.count - 1, math.ceil(start - 1e-6) - 1)
    last = scope.count - 1 if up else 0
    if (first > last) if up else (first < last):
        return None
    way = 1 if up else -1
    most = MOST_VALUES
    while True:
        places = _spread_places(first, last, most)
        flipped = [name != said.now for name in said.classes(scope, scope.values(places))]
        if True not in flipped:
            return None
        hit = flipped.index(True)
        if hit == 0 or abs(int(places[hit] - places[hit - 1])) == 1:
            return _confirmed(said, scope, int(places[hit]), way)
        first, last, most = int(places[hit - 1]) + way, int(places[hit]), _FINER


def _spread_places(first: int, last: int, most: int) -> NDArray[np.int64]:
    """Return at most so many places from the first to the last, both included, in equal steps."""
    count = abs(last - first) + 1
    way = 1 if last >= first else -1
    return first + way * spread_places(count, most)


def _confirmed(said: _Said, scope: ValueRange, place: int, way: int) -> float | None:
    """Return the value at a place, or the next beyond it, where scoring itself says something else."""
    for further in range(_STEPS_BEYOND):
        here = place + way * further
        if not 0 <= here < scope.count:
            return None
        value = float(scope.values(np.array([here]))[0])
        if said.at(scope, value)[0] != said.now:
            return value
    return None


def _nearest_level(said: _Said, scope: ValueRange, cell: Any) -> Flip | None:
    """Return the level of a category that flips a case; of several, the one whose class is most probable."""
    levels = list(scope.levels[:_MOST_LEVELS])  # the case's own one among them, which flips nothing
    flipping = [level for level, name in zip(levels, said.classes(scope, levels), strict=True) if name != said.now]
    found = [(level, said.at(scope, level)) for level in flipping]
    found = [(level, then) for level, then in found if then[0] != said.now]
    if not found:
        return None
    level, then = max(found, key=lambda entry: entry[1][1])
    return Flip(scope.column, scope.plain(cell), scope.cell(level), (scope.text(cell), level), None, *then)
