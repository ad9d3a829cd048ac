"""Verdicts of people on cases: what is said, what is kept of it, and what stands."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import pandas as pd

from proset.common.checked_json import sound
from proset.common.errors import StorageError

if TYPE_CHECKING:
    from proset.data.table import Table

CERTAINTIES = ("sure", "rather", "unsure")
"""Words for how certain a person is."""


class ReviewVerdict(StrEnum):
    """Answers of a person about a case: six that settle it, in the order of their keys, and two that do not."""

    TABLE = "table"
    """The class in the table is right."""
    MODEL = "model"
    """The model is right: the class in the table is wrong."""
    OTHER = "other"
    """Another class than either is right."""
    BOTH = "both"
    """Both classes are possible."""
    FAULTY = "faulty"
    """The row itself is faulty."""
    UNDECIDABLE = "undecidable"
    """These columns do not decide it."""
    SKIPPED = "skipped"
    """Set aside for later."""
    UNDONE = "undone"
    """An earlier entry is taken back."""

    @property
    def words(self) -> str:
        """In a few words, as the Review page and the minutes name it.

        Examples
        --------
        >>> ReviewVerdict.BOTH.words
        'both possible'
        """
        return _WORDS[self]


_WORDS = {
    ReviewVerdict.TABLE: "table is right",
    ReviewVerdict.MODEL: "model is right",
    ReviewVerdict.OTHER: "another is right",
    ReviewVerdict.BOTH: "both possible",
    ReviewVerdict.FAULTY: "row is faulty",
    ReviewVerdict.UNDECIDABLE: "not decidable",
    ReviewVerdict.SKIPPED: "set aside",
    ReviewVerdict.UNDONE: "taken back",
}


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """One thing that a person says of a row.

    Attributes
    ----------
    entry : str
        Its name, unique within a study, made by whoever sends it: 1 to 80 of A-Z, a-z, 0-9, - and _.
    row : int
        Id of the row in the table.
    row_hash : str
        What the row held then, see :func:`row_hash`.
    label, new_label : str or None
        The class in the table, and the class that it should be.
    verdict : ReviewVerdict
        What is said.
    reasons : tuple of str
        Why, in short.
    note : str
        Why, in own words; may have several lines.
    certainty : str or None
        One of :data:`CERTAINTIES`.
    cell : str or None
        Column whose value is faulty.
    takes_back : str or None
        The entry that an undone one takes back.
    settles : tuple of str
        The entries of those who differ, if this decides between them; see :mod:`proset.workspace.outcomes`.
    reviewer : str
        Who says it; empty if nobody was named.
    at : datetime
        When; aware, UTC.
    seconds : float or None
        How long the case was looked at; kept to the millisecond.
    model : str
        Id of the model that was looked at; empty if there was none.
    settings : str
        How it was fitted, in words or as a hash.
    said : str or None
        The class that was estimated.
    estimate : float or None
        Its probability, from 0 to 1; kept with ten decimals.
    unseen : bool
        Whether the estimate is by a model that has not seen the row.
    hidden : tuple of str
        What was hidden from the reviewer.
    place : str
        Order and filter of the queue, in words.
    """

    entry: str
    row: int
    row_hash: str
    label: str | None = None
    new_label: str | None = None
    verdict: ReviewVerdict
    reasons: tuple[str, ...] = ()
    note: str = ""
    certainty: str | None = None
    cell: str | None = None
    takes_back: str | None = None
    settles: tuple[str, ...] = ()
    reviewer: str = ""
    at: datetime
    seconds: float | None = None
    model: str = ""
    settings: str = ""
    said: str | None = None
    estimate: float | None = None
    unseen: bool = False
    hidden: tuple[str, ...] = ()
    place: str = ""


@dataclass(frozen=True)
class Record:
    """A judgement as it is kept: numbered, and tied to the one before it.

    Attributes
    ----------
    number : int
        1 for the first of a study.
    judgement : Judgement
        What was said.
    previous : str
        Hash of the record before; 64 zeros for the first.
    hash : str
        SHA-256 of all of this, in hexadecimal, see :func:`proset.workspace.chain.record_hash`.
    """

    number: int
    judgement: Judgement
    previous: str
    hash: str


class RefusedJudgementError(StorageError):
    """A judgement is not kept, and the text names its row and what is wrong with it.

    Parameters
    ----------
    message : str
        Names row and field.
    entry : str
        Which judgement it is, so that the others can be sent without it.
    hint : str or None
        The way out, as a full sentence.
    """

    def __init__(self, message: str, *, entry: str, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.entry = entry


def standing(records: Iterable[Record]) -> dict[tuple[int, str], Record]:
    """Return the record that stands for each row and reviewer: the last one that was not taken back.

    What settles a dispute is no word of its own on the case: who differs and then settles has still said both.

    Parameters
    ----------
    records : iterable of Record
        In the order of their numbers.

    Examples
    --------
    >>> from datetime import UTC
    >>> from proset.workspace.chain import chained
    >>> at = datetime(2026, 1, 1, tzinfo=UTC)
    >>> first = Judgement(entry="a", row=7, row_hash="0" * 64, verdict=ReviewVerdict.TABLE, reviewer="Ada", at=at)
    >>> second = Judgement(entry="b", row=7, row_hash="0" * 64, verdict=ReviewVerdict.BOTH, reviewer="Ada", at=at)
    >>> undo = Judgement(entry="c", row=7, row_hash="0" * 64, verdict=ReviewVerdict.UNDONE, reviewer="Ada", at=at,
    ...                  takes_back="b")
    >>> [record.judgement.entry for record in standing(chained([first, second])).values()]
    ['b']
    >>> [record.judgement.entry for record in standing(chained([first, second, undo])).values()]
    ['a']
    """
    return {
        (record.judgement.row, record.judgement.reviewer): record
        for record in not_taken_back(records)
        if not record.judgement.settles
    }


def not_taken_back(records: Iterable[Record]) -> list[Record]:
    """Return the records that still hold: all but those that were taken back, and those that take back.

    Examples
    --------
    >>> not_taken_back([])
    []
    """
    every = list(records)
    taken_back = {record.judgement.takes_back for record in every if record.judgement.verdict is ReviewVerdict.UNDONE}
    return [
        record
        for record in every
        if record.judgement.verdict is not ReviewVerdict.UNDONE and record.judgement.entry not in taken_back
    ]


def row_hash(table: Table, row: int) -> str:
    r"""Return the SHA-256 of the content of a row: names, kinds and values of its columns.

    It stays the same over saving and loading, however the columns are ordered, and with columns that were made of
    others. Equal numbers count as equal, whether a column holds whole ones or not.

    Parameters
    ----------
    table : Table
        Where the row stands.
    row : int
        Its id.

    Returns
    -------
    str
        64 hexadecimal digits.

    Raises
    ------
    StorageError
        If the table has no such row.

    Examples
    --------
    >>> from proset.data.table import read_table
    >>> table, other = read_table(b"a,b\n1,x\n2,y\n"), read_table(b"b,a\nx,1\ny,2.5\n")
    >>> row_hash(table, 1) == row_hash(other, 1), row_hash(table, 2) == row_hash(other, 2)
    (True, False)
    """
    frame = table.frame
    if row not in frame.index:
        raise StorageError(f"The table has no row {row}.", hint=f"Its rows are 1 to {frame.index.max()}.")
    at = int(frame.index.get_loc(row))  # type: ignore[arg-type]  # row ids are all different
    made = {difference.name for difference in table.derived}
    cells = [
        [sound(str(name)), kind := _kind(frame.dtypes.iloc[place]), _spelled(frame.iloc[at, place], kind)]
        for place, name in enumerate(frame.columns)
        if name not in made
    ]
    return hashlib.sha256(json.dumps(sorted(cells), separators=(",", ":")).encode("ascii")).hexdigest()


def _kind(dtype: Any) -> str:
    """Name the kind of a column."""
    if pd.api.types.is_bool_dtype(dtype):
        return "truth"
    if pd.api.types.is_numeric_dtype(dtype):
        return "number"
    return "date" if pd.api.types.is_datetime64_any_dtype(dtype) else "text"


def _spelled(value: Any, kind: str) -> str | None:
    """Spell a value exactly, in the same way whatever holds it; None if it is missing."""
    if pd.isna(value):
        return None
    if kind == "number":
        number = float(value)
        whole = math.isfinite(number) and number.is_integer()
        return str(int(value)) if whole else repr(number)
    if kind == "truth":
        return str(bool(value))
    return str(pd.Timestamp(value).isoformat()) if kind == "date" else str(sound(str(value)))
