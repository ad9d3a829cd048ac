"""Guidance: what people say about a model, as part of its recipe; each item can be taken back and says who and why.

Guidance speaks of rows that a model may learn from and of columns that it may use. Held-out rows are measured against
the classes of the table whatever anybody says, or a before and after would compare different things. The table itself
is never touched.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.errors import StudyError
from proset.common.words import count_words, shown
from proset.data.split import Split

LONGEST_NAME, LONGEST_REASON = 200, 4_000
"""Characters of who said something, and of why."""


class GuidanceKind(StrEnum):
    """Kinds of what can be said about a model; relabelled is also a row that is learned with another number."""

    RELABEL = "relabel"
    LEAVE_OUT = "leave_out"
    NO_PROTOTYPE = "no_prototype"
    CANDIDATE = "candidate"
    NO_COLUMN = "no_column"
    USE_COLUMN = "use_column"

    @property
    def of_column(self) -> bool:
        """Tell whether it speaks of a column; the others speak of a row."""
        return self in (GuidanceKind.NO_COLUMN, GuidanceKind.USE_COLUMN)


_SENTENCES = {
    GuidanceKind.RELABEL: "Row {row} is learned as '{label}'.",
    GuidanceKind.LEAVE_OUT: "Row {row} is left out.",
    GuidanceKind.NO_PROTOTYPE: "Row {row} is not to be a prototype.",
    GuidanceKind.CANDIDATE: "Row {row} is to be a candidate.",
    GuidanceKind.NO_COLUMN: "Column '{column}' is not to be used.",
    GuidanceKind.USE_COLUMN: "Column '{column}' is to be used.",
}
_CONTRADICT = (
    {GuidanceKind.LEAVE_OUT, GuidanceKind.RELABEL},
    {GuidanceKind.LEAVE_OUT, GuidanceKind.CANDIDATE},
    {GuidanceKind.CANDIDATE, GuidanceKind.NO_PROTOTYPE},
    {GuidanceKind.NO_COLUMN, GuidanceKind.USE_COLUMN},
)


@dataclass(frozen=True)
class GuidanceItem:
    """One thing that was said about a model; two that ask for the same are equal, whoever asks, why and when.

    Attributes
    ----------
    kind : GuidanceKind
        What is asked for.
    row : int or None
        Row id, where `kind` speaks of a row.
    column : str or None
        Column of the table, where `kind` speaks of a column.
    label : str or None
        Class that the row is learned with, or the number as a text such as "310.5"; for ``RELABEL`` only.
    by, why : str
        Who says so, and for what reason; may be empty.
    at : str
        When, in ISO 8601; may be empty.

    Raises
    ------
    StudyError
        If a field is missing, too much, or impossible.

    Examples
    --------
    >>> item = GuidanceItem(GuidanceKind.RELABEL, row=12, label="big", by="Ada", why="The label was swapped.")
    >>> item.words
    "Row 12 is learned as 'big'."
    >>> item == GuidanceItem(GuidanceKind.RELABEL, row=12, label="big")
    True
    """

    kind: GuidanceKind
    row: int | None = None
    column: str | None = None
    label: str | None = None
    by: str = field(default="", compare=False)
    why: str = field(default="", compare=False)
    at: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        if self.kind not in list(GuidanceKind):
            raise StudyError(
                f"Guidance cannot ask for '{shown(self.kind)}'.", hint=f"It knows {', '.join(GuidanceKind)}."
            )
        object.__setattr__(self, "kind", GuidanceKind(self.kind))
        if isinstance(self.row, np.integer):
            object.__setattr__(self, "row", int(self.row))
        whole = isinstance(self.row, int) and not isinstance(self.row, bool)
        wanted = {"row": not self.kind.of_column, "column": self.kind.of_column, "label": self.kind == "relabel"}
        right = {"row": whole, "column": isinstance(self.column, str), "label": isinstance(self.label, str)}
        for name, needed in wanted.items():
            if needed and not right[name]:
                raise StudyError(f"Guidance of the kind '{self.kind}' lacks its {name}.", hint=f"Say which {name}.")
            if not needed and getattr(self, name) is not None:
                raise StudyError(f"Guidance of the kind '{self.kind}' takes no {name}.", hint=f"Leave the {name} out.")
        for name, longest in (("by", LONGEST_NAME), ("why", LONGEST_REASON), ("at", LONGEST_NAME)):
            text = getattr(self, name)
            if not isinstance(text, str) or len(text) > longest:
                raise StudyError(
                    f"'{name}' of guidance is not a text of at most {longest:,} characters.", hint="Shorten it."
                )
        if self.at and not _is_time(self.at):
            raise StudyError(f"'{shown(self.at)}' is no time in ISO 8601.", hint="Write 2026-11-24T10:30:00+00:00.")

    @property
    def words(self) -> str:
        """The request as a sentence."""
        return _SENTENCES[self.kind].format(row=self.row, column=shown(self.column), label=shown(self.label))

    @property
    def about(self) -> int | str:
        """The row or column that it speaks of."""
        return self.row if self.row is not None else str(self.column)


@dataclass(frozen=True)
class Guidance:
    """Everything that was said about a model; never changes, :meth:`with_item` gives a new one.

    Attributes
    ----------
    items : tuple of GuidanceItem
        By kind, row and column, whatever the order in which they were given; what is asked twice is kept once, as it
        was asked first.

    Raises
    ------
    StudyError
        If two of them contradict each other.

    Examples
    --------
    >>> swapped = GuidanceItem(GuidanceKind.RELABEL, row=12, label="big")
    >>> guidance = Guidance().with_item(swapped).with_item(GuidanceItem(GuidanceKind.LEAVE_OUT, row=7))
    >>> guidance.words("class")
    '1 row learned with another class, 1 row left out'
    >>> guidance.without_item(swapped).items[0].words
    'Row 7 is left out.'
    """

    items: tuple[GuidanceItem, ...] = ()

    def __post_init__(self) -> None:
        once = tuple(dict.fromkeys(self.items))
        place = {kind: number for number, kind in enumerate(GuidanceKind)}
        ordered = sorted(once, key=lambda item: (place[item.kind], item.row or 0, item.column or ""))
        object.__setattr__(self, "items", tuple(ordered))
        held: dict[int | str, list[GuidanceItem]] = {}
        for item in ordered:
            for other in held.setdefault(item.about, []):
                if other.kind == item.kind or {other.kind, item.kind} in _CONTRADICT:
                    raise StudyError(
                        f"Two requests contradict each other: {other.words} {item.words}",
                        column=item.column,
                        hint="Take one of them back.",
                    )
            held[item.about].append(item)

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[GuidanceItem]:
        return iter(self.items)

    def with_item(self, item: GuidanceItem) -> Guidance:
        """Return guidance that asks for one thing more; the same if it is asked for already.

        Raises
        ------
        StudyError
            If it contradicts what is asked for; take that back first.
        """
        return Guidance((*self.items, item))

    def without_item(self, item: GuidanceItem) -> Guidance:
        """Return guidance that does not ask for something; the same if nobody did."""
        return Guidance(tuple(own for own in self.items if own != item))

    def words(self, of: str) -> str:
        """Return how many requests of each kind there are, such as "2 rows left out"; empty if there are none.

        Parameters
        ----------
        of : str
            What rows state: "class" or "number".
        """
        counted = {
            f"learned with another {of}": self.rows_of(GuidanceKind.RELABEL),
            "left out": self.rows_of(GuidanceKind.LEAVE_OUT),
            "not to be a prototype": self.rows_of(GuidanceKind.NO_PROTOTYPE),
            "to be a candidate": self.rows_of(GuidanceKind.CANDIDATE),
        }
        parts = [f"{count_words(len(rows), 'row')} {what}" for what, rows in counted.items() if len(rows)]
        parts += [f"'{shown(name)}' not to be used" for name in self.columns_of(GuidanceKind.NO_COLUMN)]
        parts += [f"'{shown(name)}' to be used" for name in self.columns_of(GuidanceKind.USE_COLUMN)]
        return ", ".join(parts)

    @property
    def steers(self) -> bool:
        """Tell whether it asks more of a fit than other rows to learn from: prototypes, candidates or columns."""
        return any(item.kind not in (GuidanceKind.RELABEL, GuidanceKind.LEAVE_OUT) for item in self.items)

    def rows_of(self, kind: GuidanceKind) -> NDArray[np.int64]:
        """Return the row ids that requests of one kind speak of, ascending."""
        rows = [item.row for item in self.items if item.kind == kind and item.row is not None]
        return np.array(rows, dtype=np.int64)

    def columns_of(self, kind: GuidanceKind) -> tuple[str, ...]:
        """Return the columns that requests of one kind speak of."""
        return tuple(item.column for item in self.items if item.kind == kind and item.column is not None)

    def labels(self, table_labels: pd.Series) -> pd.Series:
        """Return the target of every row as a model takes it: relabelled rows have their new one, those left out none.

        Parameters
        ----------
        table_labels : Series of str or float64
            Classes or numbers as the table states them, index row; does not change.

        Examples
        --------
        >>> said = Guidance((GuidanceItem(GuidanceKind.RELABEL, row=1, label="b"),))
        >>> said.labels(pd.Series(["a", "a"], index=[1, 2])).tolist()
        ['b', 'a']
        """
        relabelled = [item for item in self.items if item.kind is GuidanceKind.RELABEL]
        aside = self.rows_of(GuidanceKind.LEAVE_OUT)
        if not relabelled and not len(aside):
            return table_labels
        labels = table_labels.copy()
        new = [item.label for item in relabelled]
        of_number = pd.api.types.is_float_dtype(labels.dtype)
        labels.loc[pd.Index([item.row for item in relabelled])] = [float(str(one)) for one in new] if of_number else new
        labels.loc[pd.Index(aside)] = np.nan if of_number else None
        return labels

    def split(self, split: Split) -> Split:
        """Return a split whose training rows that are left out are set aside, where rows without a class are."""
        aside = self.rows_of(GuidanceKind.LEAVE_OUT)
        if not len(aside):
            return split
        train = split.train[~np.isin(split.train, aside)]
        moved = split.train[np.isin(split.train, aside)]
        return Split(train, split.held_out, np.sort(np.concatenate([split.unlabelled, moved])), split.settings)

    def within(self, rows: NDArray[np.int64]) -> Guidance:
        """Return what is said of some rows, and all that is said of columns: for a split that trains on others."""
        there = set(rows.tolist())
        return Guidance(tuple(item for item in self.items if item.row is None or item.row in there))


def _is_time(text: str) -> bool:
    """Tell whether a text is a time in ISO 8601."""
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True
