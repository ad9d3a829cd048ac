"""One case in short, as the Case page says it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd

from dashboard.services.cases import CaseSource
from proset.study.find_row import identifier_text

if TYPE_CHECKING:
    from proset.study.base import StudyBase

_PART_WORDS = {"train": "training row", "held_out": "held-out row", "unlabelled": "row without a target"}
SOURCE_WORDS = {CaseSource.NEW: "new row", CaseSource.EDITED: "edited copy"}


@dataclass(frozen=True)
class Headline:
    """One case in a few words.

    Attributes
    ----------
    name : str
        Such as ``"Row 17"``, with the identifier's value where the table has one.
    part : str
        What the row was used for, in words.
    predicted : str
        The class that the decision rule says.
    confidence : float
        Its probability, in [0, 1].
    actual : str or None
        The class in the table; None if it is missing.
    correct : bool or None
        Whether the two agree; None without an actual class, or if a person decides.
    left : bool
        Whether the rule leaves the case to a person.
    quantile : float
        Familiarity: share of the held-out rows that are at most as familiar, in [0, 1].
    familiarity : str
        Whether prototypes speak for it and a known case is near, as a phrase.
    """

    name: str
    part: str
    predicted: str
    confidence: float
    actual: str | None
    correct: bool | None
    left: bool
    quantile: float
    familiarity: str


def part_words(part: str, *, labelled: bool, left_out: bool = False) -> str:
    """Say what a row was used for; one with a class may be set aside because its time is missing, or as was asked."""
    if left_out:
        return "row left out, as was asked"
    return "row set aside" if part == "unlabelled" and labelled else _PART_WORDS[part]


def case_name(study: StudyBase, row: int) -> str:
    """Name a row by its id and, where the table has an identifier, by that.

    Returns
    -------
    str
        Such as ``"Row 17 (patient A-3)"``.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> case_name(fit_sample("iris_2f"), 3)
    'Row 3'
    """
    column = study.identifier
    if column is None:
        return f"Row {row}"
    value = identifier_text(study.table.frame[column]).loc[row]
    return f"Row {row}" if pd.isna(value) else f"Row {row} ({column} {value})"
