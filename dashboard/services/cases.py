"""Cases and ordered lists of them: pages hand these on to each other instead of row numbers."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

import pandas as pd

from proset.common.errors import StudyError
from proset.common.words import shown

if TYPE_CHECKING:
    from proset.study.any_study import AnyStudy
    from proset.study.case import Case


class CaseSource(StrEnum):
    """Sources of a case."""

    TABLE = "table"
    NEW = "new"
    EDITED = "edited"


@dataclass(frozen=True, order=True)
class CaseRef:
    """One case: a row of the table, of new data that was scored, or a copy that was edited.

    Attributes
    ----------
    source : CaseSource
        Which of the three.
    row : int
        Its row id there.

    Examples
    --------
    >>> CaseRef.in_table(17)
    CaseRef(source=<CaseSource.TABLE: 'table'>, row=17)
    >>> CaseRef.read("new-3").text, CaseRef.read("3").text, CaseRef.read("3e2"), CaseRef.read("moon-3")
    ('new-3', '3', None, None)
    """

    source: CaseSource
    row: int

    @classmethod
    def in_table(cls, row: int) -> CaseRef:
        """Return the case that is a row of the table."""
        return cls(CaseSource.TABLE, int(row))

    @classmethod
    def read(cls, text: str) -> CaseRef | None:
        """Return the case that a text from an address names; None if it names none."""
        source, dash, row = text.rpartition("-")
        known = next((name for name in CaseSource if name == source), None) if dash else CaseSource.TABLE
        digits = row.isascii() and row.isdecimal() and len(row) < 19
        return cls(known, int(row)) if known is not None and digits else None

    @property
    def text(self) -> str:
        """Name of the case in an address: the number alone for a row of the table."""
        return str(self.row) if self.source is CaseSource.TABLE else f"{self.source}-{self.row}"

    def open(self, study: AnyStudy, others: Mapping[CaseSource, pd.DataFrame] | None = None) -> Case:
        """Return the case of a study that this is the address of.

        Parameters
        ----------
        others : mapping of CaseSource to DataFrame, or None
            The rows of other sources, index row id.

        Raises
        ------
        StudyError
            If there is no such case.
        """
        frame = study.table.frame if self.source is CaseSource.TABLE else (others or {}).get(self.source)
        if frame is None or self.row not in frame.index:
            raise StudyError(f"There is no {self.label.lower()}.", hint="Choose another case.")
        if self.source is CaseSource.TABLE:
            return study.case(self.row)
        return study.case(frame.loc[[self.row]].infer_objects(), name=self.label.lower())

    @property
    def label(self) -> str:
        """Such as ``Row 17``."""
        return {CaseSource.TABLE: "Row", CaseSource.NEW: "New row", CaseSource.EDITED: "Edited row"}[
            self.source
        ] + f" {self.row}"


class Part(StrEnum):
    """Parts of a study's rows that a page can speak of."""

    HELD_OUT = "held_out"
    TRAIN = "train"
    ALL = "all"

    @property
    def row(self) -> str:
        """Name of one of its rows, such as ``held-out row``; ``row`` of all."""
        return PART_WORDS[self].removeprefix("all ").removesuffix("s")


PART_WORDS: dict[Part, str] = {
    Part.HELD_OUT: "held-out rows",
    Part.TRAIN: "training rows",
    Part.ALL: "all rows",
}


class Filter(StrEnum):
    """Filters within a part."""

    ALL = "all"
    WRONG = "wrong"
    LEFT = "left"


class CaseOrder(StrEnum):
    """In which order they are looked through."""

    TABLE = "table"
    CONFIDENCE = "confidence"
    DOUBT = "doubt"
    UNFAMILIAR = "unfamiliar"


@dataclass(frozen=True)
class Within:
    """Rows of a slice, wherever a page looks at rows.

    Attributes
    ----------
    title : str
        Name of the slice, or its conditions in words.
    words : str
        The same in a sentence: names in quotes.
    key : str
        A short text that tells the rows from those of every other slice.
    rows : Index
        Row ids.
    """

    title: str
    words: str
    key: str
    rows: pd.Index = field(compare=False, repr=False)


class Picker(StrEnum):
    """Places where cases are picked."""

    HAND = "hand"
    MAP = "map"
    PROTOTYPE = "prototype"
    NEW = "new"
    COMPARE = "compare"
    SLICE = "slice"


_FILTER_WORDS = {Filter.ALL: "", Filter.WRONG: "misclassified ", Filter.LEFT: ""}
_ORDER_WORDS = {
    CaseOrder.TABLE: "in the order of the table",
    CaseOrder.CONFIDENCE: "most confident first",
    CaseOrder.DOUBT: "least confident first",
    CaseOrder.UNFAMILIAR: "least familiar first",
}
# Column of a judged study, and whether the smallest comes first.
_SORTED_BY = {
    CaseOrder.CONFIDENCE: ("confidence", False),
    CaseOrder.DOUBT: ("confidence", True),
    CaseOrder.UNFAMILIAR: ("familiarity", True),
}
# What one and several picked cases are called.
_PICKED_WORDS = {
    Picker.HAND: ("picked case", "picked cases"),
    Picker.MAP: ("case picked on the map", "cases picked on the map"),
    Picker.PROTOTYPE: ("case that the prototype helps to settle", "cases that the prototype helps to settle"),
    Picker.NEW: ("new row", "new rows"),
    Picker.COMPARE: ("row on which systems disagree", "rows on which systems disagree"),
    Picker.SLICE: ("wrong case of a part", "wrong cases of a part"),
}


@dataclass(frozen=True)
class CaseSet:
    """Cases in an order.

    Attributes
    ----------
    part : Part
        Among which rows.
    which : Filter
        Which of them.
    order : CaseOrder
        How they are ordered; equal ones stay in the order of the table.
    picked : tuple of CaseRef or None
        Cases picked by hand, in the order in which they were; of all else only `by` matters then.
    actual, predicted : str or None
        Only decided cases of this actual class, and only those said to be of this one: a cell of the confusion matrix.
    by : Picker
        Where picked cases were picked.
    within : Within or None
        Only cases of a slice; it comes from the session and stands in no address of a list.

    Examples
    --------
    >>> judged = pd.DataFrame({"part": ["train", "held_out", "held_out"], "wrong": True, "confidence": [0.9, 0.5, 0.7]})
    >>> [case.row for case in CaseSet().cases(judged)], CaseSet().words
    ([2, 1], 'misclassified held-out rows')
    >>> CaseSet(which=Filter.ALL, actual="cat", predicted="dog").counted(1)
    "1 held-out row of 'cat', said to be 'dog'"
    """

    part: Part = Part.HELD_OUT
    which: Filter = Filter.WRONG
    order: CaseOrder = CaseOrder.CONFIDENCE
    picked: tuple[CaseRef, ...] | None = None
    actual: str | None = None
    predicted: str | None = None
    by: Picker = Picker.HAND
    within: Within | None = None

    def rows(self, judged: pd.DataFrame) -> pd.DataFrame:
        """Return the lines of a judged study that belong to the set, in its order."""
        if self.picked is not None:
            return judged.loc[[case.row for case in self.picked if case.source is CaseSource.TABLE]]
        lines = part_rows(judged, self.part, self.within)
        if self.which is not Filter.ALL:
            lines = lines[lines[str(self.which)]]
        if self.actual is not None or self.predicted is not None:
            lines = lines[lines["correct"].notna()]
        for column, name in (("actual", self.actual), ("predicted", self.predicted)):
            if name is not None:
                lines = lines[lines[column] == name]
        return _in_order(lines, self.order)

    def cases(self, judged: pd.DataFrame) -> tuple[CaseRef, ...]:
        """Return the cases of the set for a judged study, from :meth:`proset.study.Study.judged`."""
        if self.picked is not None:
            return self.picked
        return tuple(CaseRef.in_table(row) for row in self.rows(judged).index)

    @property
    def words(self) -> str:
        """The set in words, such as ``misclassified held-out rows``."""
        return self._words(many=True)

    def counted(self, count: int) -> str:
        """Say how many they are, such as ``1 misclassified held-out row``."""
        return f"{count:,} {self._words(many=count != 1)}"

    def _words(self, *, many: bool) -> str:
        """Return what one or several of them are called."""
        if self.picked is not None:
            return _PICKED_WORDS[self.by][many]
        said = f"{_FILTER_WORDS[self.which]}{self.part.row}{'s' if many else ''}"
        if self.which is Filter.LEFT:
            said += " left to a person"
        if self.within is not None:
            said += f" in {self.within.words}"
        if self.actual is not None:
            said += f" of '{shown(self.actual)}'"
        if self.predicted is not None:
            said += f"{',' if self.actual is not None else ''} said to be '{shown(self.predicted)}'"
        return said

    @property
    def order_words(self) -> str:
        """The order in words."""
        if self.picked is not None:
            return "in the order in which they were picked"
        if self.order is CaseOrder.CONFIDENCE and self.only_wrong:
            return "most confident error first"
        return _ORDER_WORDS[self.order]

    @property
    def only_wrong(self) -> bool:
        """True if all of them are misclassified by definition."""
        cell = self.actual is not None and self.predicted is not None and self.actual != self.predicted
        return self.picked is None and (self.which is Filter.WRONG or cell)

    @property
    def key(self) -> str:
        """A short text that tells it from every other set, for the key of a widget."""
        return hashlib.sha256(repr(self).encode("utf-8", "backslashreplace")).hexdigest()[:12]


def _in_order(lines: pd.DataFrame, order: CaseOrder) -> pd.DataFrame:
    """Sort lines of a judged study; the sort is stable and rows come in table order, so that equal ones go by row."""
    if order is CaseOrder.TABLE:
        return lines
    column, ascending = _SORTED_BY[order]
    return lines.sort_values(column, ascending=ascending, kind="stable")


def step(order: tuple[CaseRef, ...], case: CaseRef | None, by: int) -> CaseRef | None:
    """Return the case `by` places further in a list that starts again after its end.

    Parameters
    ----------
    order : tuple of CaseRef
        In the order in which they are looked through.
    case : CaseRef or None
        The case one is at.
    by : int
        1 for the next case, -1 for the one before.

    Returns
    -------
    CaseRef or None
        From a case that is not in the list, 1 leads to the first and -1 to the last. None for an empty list.

    Examples
    --------
    >>> order = tuple(map(CaseRef.in_table, (30, 10, 20)))
    >>> [step(order, CaseRef.in_table(row), by).row for row, by in ((10, 1), (20, 1), (99, -1))], step((), None, 1)
    ([20, 30, 20], None)
    """
    if not order:
        return None
    if case not in order:
        return order[0] if by > 0 else order[-1]
    return order[(order.index(case) + by) % len(order)]


def part_rows(judged: pd.DataFrame, part: Part, within: Within | None = None) -> pd.DataFrame:
    """Return the lines of one part of a judged study, in table order.

    Parameters
    ----------
    judged : DataFrame
        From :meth:`proset.study.Study.judged`.
    part : Part
        Held-out rows, training rows, or all rows (those without a target included).
    within : Within or None
        Only rows of a slice.

    Examples
    --------
    >>> judged = pd.DataFrame({"part": ["train", "unlabelled"]})
    >>> len(part_rows(judged, Part.TRAIN)), len(part_rows(judged, Part.ALL))
    (1, 2)
    """
    lines = judged if part is Part.ALL else judged[judged["part"] == part.value]
    return lines if within is None else lines[lines.index.isin(within.rows)]
