"""Rows with a known number, as everything that measures a model of a number takes them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from proset.common.words import count_words
from proset.study.base import TRAIN
from proset.study.find_row import row_ids
from proset.study.number_study import NumberStudy

if TYPE_CHECKING:
    from proset.study.number_unseen import NumberUnseen

UNSEEN = "unseen"
"""Part of a training row that a model has judged which has not seen it."""
PART_WORDS = {"held_out": "held-out row", "train": "training row", UNSEEN: "training row"}


def number_study_of(explained: object, what: str) -> NumberStudy:
    """Return the study that `what` needs, or refuse anything else and say the way out.

    Raises
    ------
    TypeError
        If it is no study of a number.

    Examples
    --------
    >>> number_study_of(3, "number_quality")
    Traceback (most recent call last):
        ...
    TypeError: number_quality needs a NumberStudy: fit one with proset.fit_number_study(table, roles).
    """
    if not isinstance(explained, NumberStudy):
        raise TypeError(f"{what} needs a NumberStudy: fit one with proset.fit_number_study(table, roles).")
    return explained


def known_rows(study: NumberStudy, rows: Iterable[int] | None, unseen: NumberUnseen | None = None) -> pd.DataFrame:
    """Return the answers for those of some rows whose number is known.

    They are as in :attr:`NumberStudy.predictions`, and ``beyond`` says how far the number lies beyond the nearer end of
    its 90 % interval, 0 within.

    Parameters
    ----------
    rows : iterable of int or None
        Row ids; None for the held-out rows, or the training rows if none were held out.
    unseen : NumberUnseen or None
        Folds of the training rows: those that were left out of one are judged by its model, and their part is "unseen".

    Raises
    ------
    StudyError
        If the table has no such row, or the folds are of another study.
    """
    wanted = np.asarray(study.split.measured) if rows is None else row_ids(rows)
    study.encode(wanted)  # refuses rows that the table does not have
    found = study.predictions.loc[wanted]
    if unseen is not None:
        unseen.check_belongs_to(study)
        own = found.index[found.index.isin(unseen.rows)]
        found = pd.concat([found.drop(own), unseen.predictions.loc[own].assign(part=UNSEEN)]).loc[wanted]
    found = found[found["actual"].notna()].rename_axis("row")
    below, above = found["lower"] - found["actual"], found["actual"] - found["upper"]
    return found.assign(beyond=np.maximum(0.0, np.maximum(below, above)))


def rows_words(found: pd.DataFrame) -> str:
    """Say how many rows these are and of which part.

    Examples
    --------
    >>> rows_words(pd.DataFrame({"part": ["train"]})), rows_words(pd.DataFrame({"part": ["train", "held_out"]}))
    ('1 training row', '2 rows')
    """
    parts = set(found["part"])
    return count_words(len(found), PART_WORDS.get(parts.pop(), "row") if len(parts) == 1 else "row")


def learned(found: pd.DataFrame) -> int:
    """Return how many of these rows the model has learned from: it looks better on them than on new ones."""
    return int((found["part"] == TRAIN).sum())
