"""Rows that another page has handed over to be reviewed: which, and where they come from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import TYPE_CHECKING

from dashboard.services.cases import CaseRef, CaseSet, CaseSource, Filter, Picker
from dashboard.services.params import Param
from dashboard.services.review.filters import pair_classes, pair_places
from dashboard.texts import review as text
from proset.common.words import count_words

if TYPE_CHECKING:
    from proset.study import Study

MOST_THESE = 1_000
"""More rows are not handed over: browsers cut long addresses."""
_LONGEST = 12_000
_DIGITS = 15


class Origin(StrEnum):
    """Places where rows were taken from."""

    MAP = "map"
    CELL = "cell"
    WRONG = "wrong"
    LIST = "list"


@dataclass(frozen=True)
class TheseRows:
    """Rows that are reviewed alone.

    Attributes
    ----------
    origin : Origin
        Where they were taken from.
    rows : tuple of int
        Row ids, ascending.
    pair : str
        Positions of the actual class and of the class said, such as ``0-1``, of a cell of the confusion matrix.

    Examples
    --------
    >>> TheseRows(Origin.CELL, (3, 4, 9), "1-0").words(("cat", "dog"))
    "3 cases of a cell of the confusion matrix, 'dog' said to be 'cat'"
    """

    origin: Origin
    rows: tuple[int, ...]
    pair: str = ""

    @classmethod
    def of(cls, cases: CaseSet, listed: Sequence[CaseRef], study: Study) -> TheseRows | None:
        """Return the rows of the table in a list of cases; None if there are none, or too many."""
        rows = tuple(sorted({case.row for case in listed if case.source is CaseSource.TABLE}))
        if not 0 < len(rows) <= MOST_THESE:
            return None
        if cases.picked is not None:
            return cls(Origin.MAP if cases.by is Picker.MAP else Origin.LIST, rows)
        if cases.actual not in study.classes or cases.predicted not in study.classes:
            return cls(Origin.WRONG if cases.which is Filter.WRONG else Origin.LIST, rows)
        places = [study.classes.index(str(name)) for name in (cases.actual, cases.predicted)]
        return cls(Origin.CELL, rows, f"{places[0]}-{places[1]}" if places[0] != places[1] else "")

    @property
    def tells(self) -> bool:
        """Tell whether being among them may say what the model or the table says of a case."""
        return self.origin is not Origin.MAP

    def words(self, classes: Sequence[str]) -> str:
        """Say how many they are and where they come from."""
        both = pair_classes(self.pair, classes)
        cell = "" if both is None else f", {text.PAIR_CHIP.format(actual=both[0], said=both[1])}"
        return f"{count_words(len(self.rows), 'case')} {text.ORIGINS[self.origin]}{cell}"


@dataclass(frozen=True)
class TheseParam(Param[TheseRows | None]):
    """Rows that another page has handed over; runs of them as first and last one.

    Examples
    --------
    >>> these = TheseParam("these", None)
    >>> found = these.read("cell.1-0:3-5,9")
    >>> found.rows, these.write(found)
    ((3, 4, 5, 9), 'cell.1-0:3-5,9')
    >>> these.read("map:"), these.read("moon:3"), these.read("map:5-3"), these.read("map:1-9999")
    (None, None, None, None)
    """

    allowed = f"a list of at most {MOST_THESE:,} rows as this program writes it, such as map:3,7-9"

    def read(self, text: str) -> TheseRows | None:
        """Return the rows that a text stands for."""
        head, _, tail = text.partition(":")
        name, _, pair = head.partition(".")
        origin = next((one for one in Origin if one == name), None)
        rows = sorted(set(_rows(tail))) if len(text) <= _LONGEST else []
        if origin is None or not 0 < len(rows) <= MOST_THESE or (pair and pair_places(pair) is None):
            return None
        return TheseRows(origin, tuple(rows), pair)

    def write(self, value: TheseRows | None) -> str:
        """Return the text."""
        if value is None:
            return ""
        runs = ",".join(str(first) if first == last else f"{first}-{last}" for first, last in _runs(value.rows))
        return f"{value.origin}{f'.{value.pair}' if value.pair else ''}:{runs}"


THESE = TheseParam("these", None)
"""Rows that are reviewed alone; None for those that the queue lists."""


def _rows(text: str) -> Iterator[int]:
    """Give the rows of a list of runs; nothing at all where one cannot be read, or there are too many."""
    found: list[int] = []
    for run in text.split(","):
        first, dash, last = run.partition("-")
        ends = [first, last] if dash else [first]
        if not all(end.isascii() and end.isdecimal() and len(end) <= _DIGITS for end in ends):
            return
        low, high = int(ends[0]), int(ends[-1])
        if high < low or len(found) + high - low >= MOST_THESE:
            return
        found += range(low, high + 1)
    yield from found


def _runs(rows: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Give the first and the last of each run of ascending rows."""
    for _, run in groupby(enumerate(rows), key=lambda pair: pair[1] - pair[0]):
        each = [row for _, row in run]
        yield each[0], each[-1]
