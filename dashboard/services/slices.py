"""Slices in addresses, the rows of one, and slices made of what a person enters."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from dashboard.services.cases import Part, Within
from dashboard.services.params import Param
from proset.common.errors import ProsetError
from proset.common.words import count_words, shown
from proset.explain.slices.ground import every_row
from proset.explain.slices.slice import FEWEST_ROWS, Slice

if TYPE_CHECKING:
    from proset.study.any_study import AnyStudy
    from proset.study.decision import DecisionRule

MOST_SLICES = 50
"""Slices that are kept of a table."""
_LONGEST = 2_000
_LONGEST_WORDS = 200
_LARGEST_NUMBER = 10**9


@dataclass(frozen=True)
class SliceParam(Param["Slice | int | None"]):
    """The slice that pages follow: as it is, or by the number of one that is kept.

    Examples
    --------
    >>> SLICE.read("2"), SLICE.read("0"), SLICE.read("moon"), SLICE.write(2)
    (2, None, None, '2')
    """

    allowed = "a slice as this program writes it, or the number of one that is kept"

    def read(self, text: str) -> Slice | int | None:
        """Return the slice or the number that a text stands for."""
        if text.isascii() and text.isdecimal():
            return int(text) if len(text) <= 10 and 1 <= int(text) <= _LARGEST_NUMBER else None
        try:
            return Slice.from_json(text) if len(text) <= _LONGEST else None
        except ProsetError:
            return None

    def write(self, value: Slice | int | None) -> str:
        """Return the text."""
        return value.to_json() if isinstance(value, Slice) else str(value)


SLICE = SliceParam("slice", None)
"""Slice that pages follow; None for all rows."""


def new_number() -> int:
    """Return a number for a slice that is kept; by chance, so that nobody has to remember which were there before.

    Older studies count theirs from 1; as many are left out.
    """
    return MOST_SLICES + 1 + secrets.randbelow(_LARGEST_NUMBER - MOST_SLICES)


def rows_within(study: AnyStudy, chosen: Slice, rule: DecisionRule) -> Within:
    """Return the rows of a slice of a study.

    Raises
    ------
    StudyError
        If the table has no such column, or the model says nothing of the kind.

    Examples
    --------
    >>> from proset.explain.slices.conditions import Condition
    >>> from proset.study import fit_sample
    >>> from proset.study.decision import DecisionRule
    >>> study = fit_sample("iris_2f")
    >>> short = Slice((Condition.between("sepal length (cm)", high=5.0),), "short")
    >>> found = rows_within(study, short, DecisionRule())
    >>> found.title, len(found.rows)
    ('short', 22)
    """
    rows = chosen.rows(study, every_row(study, rule))
    key = hashlib.sha256(chosen.to_json().encode() + rows.tobytes()).hexdigest()[:12]
    words = f"'{shown(chosen.name)}'" if chosen.name else shown(chosen.words, _LONGEST_WORDS)
    return Within(chosen.title, words, key, pd.Index(rows))


def within_words(within: Within, count: int, total: int, part: Part = Part.HELD_OUT) -> str:
    """Say how many rows of a part are in a slice, without a full stop.

    Examples
    --------
    >>> young = Within("young", "'young'", "key", pd.Index([1, 2]))
    >>> within_words(young, 2, 45), within_words(young, 1, 1, Part.ALL)
    ("2 of 45 held-out rows, those in 'young'", "1 of 1 row, those in 'young'")
    """
    return f"{count:,} of {count_words(total, part.row)}, those in {within.words}"


def few_words(within: Within, count: int, part: Part = Part.HELD_OUT) -> str:
    """Say that a slice has no rows of a part, or too few to say what is usual there; empty where it has enough.

    Examples
    --------
    >>> young = Within("young", "'young'", "key", pd.Index([1, 2]))
    >>> few_words(young, 0), few_words(young, 5)
    ("No held-out row is in 'young'. Choose other rows at the top of the page.", '')
    >>> few_words(young, 1, Part.ALL)
    "Only 1 row is in 'young': too few to say what is usual there."
    """
    if count >= FEWEST_ROWS:
        return ""
    if not count:
        return f"No {part.row} is in {within.words}. Choose other rows at the top of the page."
    counted = f"{count_words(count, part.row)} {'is' if count == 1 else 'are'}"
    return f"Only {counted} in {within.words}: too few to say what is usual there."
