"""Changed values of a case: how they are kept, written into an address, undone, and applied."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import pandas as pd

from dashboard.services.cases import CaseRef
from dashboard.services.params import Param
from proset.common.checked_json import JsonLimits, parse_json
from proset.common.errors import ProsetError
from proset.common.words import shown
from proset.data.level_order import in_evident_order
from proset.explain.cases.value_range import ValueKind, ValueRange

if TYPE_CHECKING:
    from proset.study import NumberStudy, Study

MOST_CHANGES, LONGEST = 60, 1_800
"""Values that can be changed at once, and characters of an address that they may take."""
_LIMITS = JsonLimits(max_bytes=8_000, max_values=2 * MOST_CHANGES + 10, max_depth=3)
_MOST_STEPS = 50
_MOST_NAMED = 5


class ChangedCase(Protocol):
    """A case whose values are changed: of classes or of a number."""

    ref: CaseRef

    @property
    def study(self) -> Study | NumberStudy:
        """Whose case it is."""
        ...

    @property
    def ranges(self) -> Mapping[str, ValueRange]:
        """Values that each column takes."""
        ...


class Changed(Protocol):
    """Changed case beside the case as it is."""

    @property
    def changes(self) -> Mapping[str, tuple[Any, Any]]:
        """By column: the value as it is, and the other one."""
        ...

    @property
    def frame(self) -> pd.DataFrame:
        """The changed case."""
        ...


@dataclass(frozen=True)
class Edits:
    """Values of a case that a person has changed.

    Attributes
    ----------
    case : CaseRef or None
        The case they belong to.
    values : tuple of (str, number or str)
        New values by column; dates in ISO form.

    Examples
    --------
    >>> edits = Edits(CaseRef.in_table(17)).changed("age", 30)
    >>> edits.changed("age", 31).values, edits.of(CaseRef.in_table(18)).values
    ((('age', 31),), ())
    """

    case: CaseRef | None = None
    values: tuple[tuple[str, float | str], ...] = ()

    def of(self, case: CaseRef) -> Edits:
        """Return the changes if they belong to this case, else none."""
        return self if self.case == case else Edits(case)

    def changed(self, column: str, value: float | str) -> Edits:
        """Return the changes with one more, or another value of the same column."""
        kept = tuple(entry for entry in self.values if entry[0] != column)
        return replace(self, values=(*kept, (column, value))[-MOST_CHANGES:])

    def without(self, column: str) -> Edits:
        """Return the changes without that of a column."""
        return replace(self, values=tuple(entry for entry in self.values if entry[0] != column))


@dataclass(frozen=True)
class EditsParam(Param[Edits]):
    """Changed values in an address.

    Examples
    --------
    >>> param = EditsParam("edit", Edits())
    >>> edits = Edits(CaseRef.in_table(17), (("age", 30), ("ward", "east")))
    >>> param.write(edits), param.read(param.write(edits)) == edits
    ('{"row":"17","set":{"age":30,"ward":"east"}}', True)
    >>> param.read("[]"), param.read('{"row":"17","set":{"age":[1]}}'), param.read("{" * 9000)
    (None, None, None)
    """

    allowed = "a row and its changed values"

    def read(self, text: str) -> Edits | None:
        """Return the changes that a text stands for; whether they fit the case is seen when it is known."""
        if not text:
            return Edits()
        try:
            state = parse_json(text, "The address", limits=_LIMITS)
        except ProsetError:
            return None
        if not isinstance(state, dict) or set(state) != {"row", "set"} or not isinstance(state["set"], dict):
            return None
        case = CaseRef.read(state["row"]) if isinstance(state["row"], str) else None
        fits = all(_is_value(value) for value in state["set"].values())
        if case is None or not fits or len(state["set"]) > MOST_CHANGES:
            return None
        return Edits(case, tuple(state["set"].items()))

    def write(self, value: Edits) -> str:
        """Return the changes as text; nothing where there are none, or too many for an address."""
        if value.case is None or not value.values:
            return ""
        state = {"row": value.case.text, "set": dict(value.values)}
        text = json.dumps(state, separators=(",", ":"), ensure_ascii=False)
        return text if len(text) <= LONGEST else ""


@dataclass(frozen=True)
class History:
    """Changes made before, so that they can be undone and done again.

    Attributes
    ----------
    past, future : tuple of Edits
        States to go back to, the latest last; states to go on to, the next last.

    Examples
    --------
    >>> one, two = Edits(values=(("a", 1),)), Edits(values=(("a", 2),))
    >>> history = History().did(one)
    >>> history, former = history.undo(two)
    >>> former == one, history.redo(former)[1] == two, history.did(one).future
    (True, True, ())
    """

    past: tuple[Edits, ...] = ()
    future: tuple[Edits, ...] = ()

    def did(self, before: Edits) -> History:
        """Return the history after a change from a state."""
        return History((*self.past, before)[-_MOST_STEPS:])

    def undo(self, now: Edits) -> tuple[History, Edits]:
        """Return the history after a step back, and the state to show."""
        if not self.past:
            return self, now
        return History(self.past[:-1], (*self.future, now)), self.past[-1]

    def redo(self, now: Edits) -> tuple[History, Edits]:
        """Return the history after a step forward, and the state to show."""
        if not self.future:
            return self, now
        return History((*self.past, now), self.future[:-1]), self.future[-1]

    def of(self, case: CaseRef) -> History:
        """Return the steps that belong to a case."""
        return History(
            tuple(step for step in self.past if step.case == case),
            tuple(step for step in self.future if step.case == case),
        )


def applied(
    edits: Edits, ranges: Mapping[str, ValueRange], cells: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """Return the changed cells, and the columns whose change does not fit the table.

    Parameters
    ----------
    ranges : mapping of str to ValueRange
        The columns that can be changed.
    cells : mapping of str to object
        The case as it is: its own values may lie outside the range.

    Returns
    -------
    dict of str to object
        What :func:`proset.explain.what_if` takes.
    list of str
        Columns left out.

    Examples
    --------
    >>> scope = ValueRange("age", ValueKind.NUMBER, 20, 80)
    >>> edits = Edits(values=(("age", 30), ("age ", 3)))
    >>> applied(edits, {"age": scope}, {"age": 54}), applied(edits.changed("age", 99), {"age": scope}, {"age": 54})
    (({'age': 30}, ['age ']), ({}, ['age ', 'age']))
    """
    changes: dict[str, Any] = {}
    left_out = []
    for column, value in edits.values:
        scope = ranges.get(column)
        cell = None if scope is None else _cell(scope, value, cells.get(column))
        if cell is None:
            left_out.append(column)
        else:
            changes[column] = cell
    return changes, left_out


def bounds(scope: ValueRange, cell: Any) -> tuple[float, float]:
    """Return between which values a number or date can be changed: those of the table, and the case's own."""
    own = scope.number(cell)
    return (scope.low, scope.high) if math.isnan(own) else (min(scope.low, own), max(scope.high, own))


def level_options(levels: Sequence[str], here: str | None) -> list[str]:
    """Return the words that a category may be set to: in their evident order, others as the model knows them.

    Examples
    --------
    >>> level_options(("often", "never"), "rarely"), level_options(("no", "a"), None)
    (['never', 'rarely', 'often'], ['no', 'a'])
    """
    return in_evident_order([*levels, *([here] if here is not None and here not in levels else [])])


def kept(scope: ValueRange, cell: Any) -> float | str:
    """Return a cell as it is kept: numbers as they are, dates in ISO form, words as they are."""
    if scope.kind is ValueKind.DATE:
        return pd.Timestamp(cell).isoformat()
    return cell if scope.kind is ValueKind.NUMBER else str(cell)


def change_words(changes: Mapping[str, tuple[Any, Any]], ranges: Mapping[str, ValueRange]) -> str:
    """Say what is changed, such as ``age from 54 to 30``; empty where nothing is.

    Examples
    --------
    >>> change_words({"age": (54, 30)}, {"age": ValueRange("age", ValueKind.NUMBER, 20, 80)})
    'Changed: age from 54 to 30.'
    """
    parts = [
        f"{shown(column)} from {shown(ranges[column].text(one))} to {shown(ranges[column].text(other))}"
        for column, (one, other) in changes.items()
        if column in ranges
    ]
    more = f" and {len(parts) - _MOST_NAMED} more" if len(parts) > _MOST_NAMED else ""
    return f"Changed: {', '.join(parts[:_MOST_NAMED])}{more}." if parts else ""


def _cell(scope: ValueRange, value: float | str, own: Any) -> Any:
    """Return the cell that a kept value stands for; None if it does not fit."""
    if scope.kind is ValueKind.LEVEL:
        known = {*scope.levels, *([] if scope.plain(own) is None else [scope.text(own)])}
        return value if isinstance(value, str) and value in known else None
    if (scope.kind is ValueKind.DATE) != isinstance(value, str):
        return None
    try:
        cell = pd.Timestamp(value) if isinstance(value, str) else value
        number = scope.number(cell)
    except (ValueError, TypeError, OverflowError):
        return None
    if isinstance(cell, pd.Timestamp) and cell.tz is not None:
        return None
    low, high = bounds(scope, own)
    slack = 1e-9 * max(abs(low), abs(high), 1.0)
    return cell if low - slack <= number <= high + slack else None


def _is_value(value: object) -> bool:
    """Tell whether something in an address may be a value."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return math.isfinite(value)
    return isinstance(value, str) and len(value) <= 200
