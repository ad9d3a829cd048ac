"""The smallest change of one column that moves the answer of a model of a number by a stated amount."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.notebook import Displayed
from proset.common.words import count_words, shown
from proset.engine.evidence.familiarity import familiarity_quantile
from proset.explain.cases.edited import edited_rows
from proset.explain.cases.value_range import ValueKind, ValueRange
from proset.explain.numbers.contrasts import signed, to_width
from proset.explain.numbers.known_rows import number_study_of
from proset.explain.numbers.number_changed import number_ranges
from proset.study import NumberStudy
from proset.study.case import Case

_MOST_VALUES, _ROUNDS = 200, 8


@dataclass(frozen=True, eq=False)
class NumberMoves(Displayed):
    """Per column, the nearest value that moves the median far enough, or how far the column can move it.

    Attributes
    ----------
    by : float
        How far the median should move, in units of the target; less than 0 for down.
    median : float
        The median as it is.
    reached : DataFrame
        Columns that move it far enough, the smallest change first: ``column``, ``before`` and ``after`` (texts),
        ``cell`` (the value as a table holds it), ``size`` (standard deviations of the column; 1 for a level),
        ``median`` (then), ``quantile`` (familiarity then).
    missed : DataFrame
        The other columns in use, the farthest first: ``column``, ``after`` (the value that moves it most that way among
        those tried), ``moved`` (how far; 0 where nothing moves it that way).
    """

    by: float
    median: float
    reached: pd.DataFrame
    missed: pd.DataFrame

    @property
    def words(self) -> str:
        """The smallest change in a sentence, or that there is none."""
        way = f"by {signed(self.by)}"
        if len(self.reached):
            first = self.reached.iloc[0]
            change = f"{shown(first['column'])} {shown(first['before'])} → {shown(first['after'])}"
            then = to_width(float(first["median"]), abs(self.by), digits=4)
            return f"The median moves {way} or more with {change}: to {then}."
        if self.missed.empty:
            return "The model uses no column, so that nothing moves its answer."
        most = self.missed.iloc[0]
        if float(most["moved"]) == 0.0:
            return f"No change of one column moves the median {'up' if self.by > 0 else 'down'}."
        farthest = f"{shown(most['column'])} {most['after']} moves it by {signed(float(most['moved']))}"
        return f"No change of one column moves the median {way}; of the values that were tried, {farthest} at most."

    def to_frame(self) -> pd.DataFrame:
        """Return the columns that move it far enough."""
        return self.reached


def number_moves(explained: NumberStudy, case: Any, by: float) -> NumberMoves:
    """Find, for each column that a model of a number uses, the nearest value that moves the median by an amount.

    Up to 200 values on a grid over those of the table, then those between the last that does not and the first that
    does: of an answer that goes up and down within a step of the grid a nearer value may be passed over.

    Parameters
    ----------
    explained : NumberStudy
        Knows the values of its columns.
    case : Case, int or DataFrame
        A case, a row id, or a row as a frame.
    by : float
        How far, in units of the target; less than 0 for down.

    Raises
    ------
    ValueError
        If `by` is 0 or not finite.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> number_moves(study, 31, 5.0).reached["column"].tolist(), number_moves(study, 31, 900.0).reached.empty
    (['power (hp)'], True)
    """
    if not np.isfinite(by) or by == 0.0:
        raise ValueError("by has to be a finite number other than 0.")
    own = case if isinstance(case, Case) else number_study_of(explained, "number_moves").case(case)
    asked = _Asked(explained, own, by)
    found = [asked.nearest(scope) for scope in number_ranges(explained).values()]
    reached = pd.DataFrame([line for line, good in found if good], columns=_REACHED).astype({"cell": object})
    missed = pd.DataFrame([line for line, good in found if not good], columns=_MISSED)
    missed = missed.reindex(missed["moved"].astype(float).abs().sort_values(ascending=False, kind="stable").index)
    return NumberMoves(
        float(by), asked.now, reached.sort_values("size", kind="stable", ignore_index=True),
        missed.reset_index(drop=True),
    )  # fmt: skip


_REACHED = ["column", "before", "after", "cell", "size", "median", "quantile"]
_MISSED = ["column", "after", "moved"]


class _Asked:
    """Answers for a case with other values in one column."""

    def __init__(self, study: NumberStudy, case: Case, by: float) -> None:
        self._study, self._case, self._by = study, case, by
        self.now = float(study.model.predict_quantiles(case.encoded.X, 0.5)[0])

    def nearest(self, scope: ValueRange) -> tuple[dict[str, Any], bool]:
        """Return the nearest value of a column that moves the median far enough, or the one that moves it most."""
        here = self._own(scope)
        cells: list[Any] = [scope.cell(level) for level in scope.levels]
        sizes = np.ones(len(cells))
        if scope.kind is ValueKind.LEVEL:
            hit, moved = self._first(scope, cells)
        else:
            places = _grid(0, scope.count - 1)
            for turn in range(_ROUNDS):
                values = scope.values(places)
                order = np.argsort(np.abs(values - here), kind="stable")
                places, values = places[order], values[order]
                cells, sizes = [scope.cell(value) for value in values.tolist()], np.abs(values - here) / scope.spread
                hit, moved = self._first(scope, cells)
                finer = _between(places, hit, scope, here) if hit is not None else None
                if finer is None or turn == _ROUNDS - 1:
                    break
                places = finer
        if hit is None:
            best = int(np.argmax(moved * np.sign(self._by)))
            far = float(moved[best]) if moved[best] * self._by > 0 else 0.0
            return {"column": scope.column, "after": scope.text(cells[best]) if far else "", "moved": far}, False
        X = edited_rows(self._case, scope.column, [cells[hit]])
        quantile = float(familiarity_quantile(self._study.model.familiarity(X), self._study.reference)[0])
        own = self._case.cells.get(scope.column)
        return {
            "column": scope.column, "before": scope.text(own), "after": scope.text(cells[hit]), "cell": cells[hit],
            "size": float(sizes[hit]), "median": self.now + float(moved[hit]), "quantile": quantile,
        }, True  # fmt: skip

    def _own(self, scope: ValueRange) -> float:
        """Return the value of the case, or what stands in for a missing one; 0 for a level."""
        if scope.kind is ValueKind.LEVEL:
            return 0.0
        own = scope.number(self._case.cells.get(scope.column))
        return own if np.isfinite(own) else scope.middle

    def _first(self, scope: ValueRange, cells: list[Any]) -> tuple[int | None, NDArray[np.float64]]:
        """Return the first of some values that moves the median far enough, and how far each does."""
        moved = self._study.model.predict_quantiles(edited_rows(self._case, scope.column, cells), 0.5) - self.now
        enough = np.flatnonzero(moved * np.sign(self._by) >= abs(self._by))
        if scope.kind is ValueKind.LEVEL and len(enough):
            # Levels have no distance: the one that moves it no farther than it has to.
            return int(enough[np.argmin(np.abs(moved[enough]))]), moved
        return (int(enough[0]) if len(enough) else None), moved


def _grid(first: int, last: int) -> NDArray[np.int64]:
    """Return at most :data:`_MOST_VALUES` places from the first to the last."""
    count = last - first + 1
    if count <= _MOST_VALUES:
        return np.arange(first, last + 1, dtype=np.int64)
    return np.unique(np.round(np.linspace(first, last, _MOST_VALUES)).astype(np.int64))


def _between(places: NDArray[np.int64], hit: int, scope: ValueRange, here: float) -> NDArray[np.int64] | None:
    """Return the places between the one that was found and the next nearer one on its side; None if there is none."""
    start = (here - scope.low) / scope.step
    place = int(places[hit])
    if place > start:
        nearer = max([int(one) for one in places if start <= one < place], default=int(np.ceil(start)) - 1)
        return _grid(nearer + 1, place) if place - nearer > 1 else None
    nearer = min([int(one) for one in places if place < one <= start], default=int(np.floor(start)) + 1)
    return _grid(place, nearer - 1) if nearer - place > 1 else None


def missed_words(found: NumberMoves) -> str:
    """Say what the other columns can do, in a sentence; empty where there are none.

    Examples
    --------
    >>> lines = pd.DataFrame({"column": ["age"], "after": ["9"], "moved": [2.0]})
    >>> missed_words(NumberMoves(5.0, 1.0, pd.DataFrame(), lines))
    'Not far enough: 1 other column, age +2 (9) at most.'
    """
    if found.missed.empty:
        return ""
    most = found.missed.iloc[0]
    far = float(most["moved"])
    said = f", {shown(most['column'])} {signed(far)} ({most['after']}) at most" if far else ", not at all that way"
    return f"Not far enough: {count_words(len(found.missed), 'other column')}{said}."
