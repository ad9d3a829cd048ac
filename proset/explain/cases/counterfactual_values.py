"""Values to which a feature of a case may change: those that known cases have, as far as they may be chosen."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proset.common.spread import spread_out
from proset.data.levels import LevelEncoder
from proset.engine.kernels.similarity import FloatArray, IntArray
from proset.explain.cases.value_matrix import value_matrix
from proset.explain.cases.value_range import ValueKind, ValueRange
from proset.explain.subject import Subject
from proset.study.case import Case

_MOST_ROWS = 5_000  # of known cases that are asked for their values


@dataclass(frozen=True, eq=False)
class ValueChoice:
    """One feature of a case and the values that it may take instead of its own.

    Attributes
    ----------
    subject : Subject
        Whose feature it is.
    scope : ValueRange
        Names the feature.
    group : int64 array of shape (g,)
        Its matrix columns.
    own : float
        The case's own number or date, or what stands in for a missing one; NaN for a level.
    here : float64 array of shape (g,)
        The case's own value as the model sees it.
    way : {-1, 0, 1}
        Whether it may only fall, change either way, or only rise.
    values : tuple
        At least one; numbers and dates (in days since 1970) ascending, or words.
    matrix : float64 array of shape (n, g)
        The same as the model sees them.
    every : tuple of float
        Numbers and dates that known cases have, of which `values` are some: for where each counts alone.
    """

    subject: Subject
    scope: ValueRange
    group: IntArray
    own: float
    here: FloatArray
    way: int
    values: tuple[Any, ...]
    matrix: FloatArray
    every: tuple[float, ...] = ()

    @property
    def ordered(self) -> bool:
        """True for a number or a date."""
        return self.scope.kind is not ValueKind.LEVEL

    @property
    def sizes(self) -> FloatArray:
        """Sizes of the changes in standard deviations, shape (n,); 1 for another level."""
        if not self.ordered:
            return np.ones(len(self.values))
        return np.abs(np.asarray(self.values, dtype=np.float64) - self.own) / self.scope.spread

    def encoded(self, values: Any) -> FloatArray:
        """Return some values as the model sees them, shape (n, g)."""
        return value_matrix(self.subject, self.scope, values)

    def may(self, values: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell which numbers differ from the case's own one and lie on the side that is allowed."""
        further = (values - self.own) / self.scope.step
        away = np.abs(further) >= 0.5
        return away if self.way == 0 else away & (np.sign(further) == self.way)

    def of_row(self, row: FloatArray) -> Any:
        """Return the value of another case, as the model sees it; None where this one may not take it."""
        part = row[self.group]
        if not self.ordered:
            same = np.flatnonzero((self.matrix == part).all(axis=1))
            return self.values[int(same[0])] if len(same) else None
        number = _numbers(self.subject, self.scope, self.group, part[None])
        return float(number[0]) if bool(self.may(number)[0]) else None

    def nearer(self, value: float, than: int = 64) -> NDArray[np.float64]:
        """Return values between the case's own and another one, which is the last; at most so many, nearest first."""
        scope = self.scope
        start = min(max(self.own, scope.low), scope.high)
        places = np.linspace((start - scope.low) / scope.step, (value - scope.low) / scope.step, than)
        between = np.unique(np.round(places).astype(np.int64))
        found = scope.values(between[(between >= 0) & (between < scope.count)])
        found = np.append(found[np.abs(found - value) > 0.5 * scope.step], value)
        found = found[self.may(found)]
        return found[np.argsort(np.abs(found - self.own), kind="stable")]


def value_choices(
    subject: Subject,
    case: Case,
    ranges: Mapping[str, ValueRange],
    ways: Mapping[str, int],
    known: NDArray[np.floating],
    *,
    most: int,
    most_alone: int,
) -> list[ValueChoice]:
    """Return the features of a case that may change, each with its values.

    Parameters
    ----------
    ranges : mapping of str to ValueRange
        The features, the heaviest first.
    ways : mapping of str to int
        Those that may change, and which way: -1, 0 or 1.
    known : array of shape (m, D)
        Known cases as the model sees them.
    most : int
        Values per feature; of more, as many evenly spread ones.
    most_alone : int
        The same of those for where each counts alone.
    """
    some = known[spread_out(np.arange(len(known)), _MOST_ROWS)]
    found = []
    for name, scope in ranges.items():
        if name not in ways:
            continue
        group = subject.groups[subject.features.index(name)]
        here, cell = case.x[group], case.cells.get(name)
        exact = np.nan if scope.kind is ValueKind.LEVEL else scope.number(cell)
        if ways[name] and not np.isfinite(exact):
            continue  # nobody knows which way is up from a value that is missing
        own = float(exact)
        if scope.kind is not ValueKind.LEVEL and not np.isfinite(own):
            own = float(_numbers(subject, scope, group, here[None], rounded=False)[0])
        empty = ValueChoice(subject, scope, group, own, here, ways[name], (), np.zeros((0, len(group))))
        if scope.kind is ValueKind.LEVEL:
            choice = _levels(empty)
        else:
            numbers = _observed(empty, some[:, group])
            places = np.arange(len(numbers))
            values, every = (numbers[spread_out(places, n)].tolist() for n in (most, most_alone))
            choice = replace(empty, values=tuple(values), matrix=empty.encoded(values), every=tuple(every))
        if choice.values:
            found.append(choice)
    return found


def _levels(choice: ValueChoice) -> ValueChoice:
    """Return it with the levels that the model tells from the case's own; of those that share one place, the first."""
    study = choice.subject.study
    assert study is not None
    encoder = study.design.encoder(choice.scope.column)
    assert isinstance(encoder, LevelEncoder)
    levels = [*encoder.levels, *encoder.rare[:1]]
    matrix = choice.encoded(levels)
    differs = np.flatnonzero((matrix != choice.here).any(axis=1))
    return replace(choice, values=tuple(levels[place] for place in differs), matrix=matrix[differs])


def _observed(choice: ValueChoice, known: NDArray[np.floating]) -> FloatArray:
    """Return numbers that known cases have, ascending."""
    different = np.unique(known[:, 0].astype(np.float64))
    numbers = np.unique(_numbers(choice.subject, choice.scope, choice.group, different[:, None]))
    return numbers[choice.may(numbers)]


def _numbers(
    subject: Subject, scope: ValueRange, group: IntArray, part: FloatArray, *, rounded: bool = True
) -> NDArray[np.float64]:
    """Return the numbers or days that stand in a matrix column, to the column's precision and within its range."""
    numbers = part[:, 0].astype(np.float64)
    if subject.study is not None:
        numbers = subject.study.design.columns[int(group[0])].to_table(numbers)
    if not rounded:
        return numbers
    places = np.round((np.clip(numbers, scope.low, scope.high) - scope.low) / scope.step).astype(np.int64)
    return scope.values(np.clip(places, 0, scope.count - 1))


def ways_of(
    features: Collection[str], locked: Collection[str], rise: Collection[str], fall: Collection[str]
) -> dict[str, int]:
    """Return which features may change and which way; what may only rise and only fall stays.

    Examples
    --------
    >>> ways_of("abcd", locked="a", rise="abd", fall="cd")
    {'b': 1, 'c': -1}
    """
    stays = {*locked, *(set(rise) & set(fall))}
    return {name: (name in rise) - (name in fall) for name in features if name not in stays}
