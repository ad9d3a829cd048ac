"""Cases that are listed for a review: which they are, and why."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.errors import StudyError
from proset.common.notebook import DisplayedFrame
from proset.explain.plain_values import plain_columns
from proset.explain.review.orders import DRAWN, ReviewOrder, put_in_order
from proset.study.base import StudyBase
from proset.study.unseen import untouched_rows

MIXED = 0.1
"""Share of right cases in a queue."""
MOST_MIXED = 0.9
NO_PROTOTYPE = -1
_LEADS = 2  # errors that a prototype leads from which on it is listed itself
_WHY = ("wrong", "suspicious", "prototype")


@dataclass(frozen=True, eq=False)
class ReviewQueue(DisplayedFrame):
    """Cases to look through.

    Attributes
    ----------
    study_id : str
        Of the study whose rows they are.
    random_state : int
        Seed by which right cases were drawn.
    frame : DataFrame
        Index ``row``, ascending. ``part`` ("train" or "held_out"), ``unseen`` (whether the model that judges has not
        seen the row), ``why`` it is listed ("wrong", "suspicious", "prototype" that leads errors, "drawn" from all
        others, or "asked" for; not to be shown before a verdict), ``actual``, ``said``, ``wrong``, ``familiarity`` and
        ``nearness`` to a known case (quantiles in [0, 1]), ``prototype`` (row id of the leading one, -1 without one),
        ``suspicion`` (of what the table states, in [0, 1]) and ``reason`` for it (a sentence, or empty).

        Of classes also ``confidence`` (probability of the class said), ``stated`` (that of the class in the table),
        ``trees`` (the same by trees that have not seen the row),
        ``left`` (to a person, by the rule), ``neighbours`` and ``neighbours_all`` (share of the 20 nearest known cases
        not of the class said, in the model's metric and in all columns), ``columns`` (unused ones that contradict),
        ``unusual`` (whether so many are), ``margin`` (to the cut, in [0, 1]).

        Of a number, where the median is ``said`` and "wrong" is outside the interval of 90 %, also ``lower`` and
        ``upper`` (its ends), ``error`` (median less actual), ``place`` (probability of at most the actual number),
        ``neighbours`` and ``neighbours_all`` (how many of their spreads the median lies from the mean number of the 20
        nearest known cases).
    """

    study_id: str
    random_state: int
    frame: pd.DataFrame

    def ordered(self, order: ReviewOrder | str = ReviewOrder.DEEP) -> list[int]:
        """Return all row ids in an order."""
        return put_in_order(self.frame, ReviewOrder(order), self.random_state)

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values."""
        return {
            "study_id": self.study_id,
            "random_state": self.random_state,
            "row": self.frame.index.tolist(),
            **plain_columns(self.frame),
        }


@dataclass(frozen=True)
class Mixed:
    """Choice of cases that are mixed in, so that the result says something about all rows.

    Attributes
    ----------
    share : float
        Share of the queue that is drawn from all other rows, from 0 to 0.9.
    random_state : int
        Decides which.

    Raises
    ------
    StudyError
        If the share is out of range.
    """

    share: float = MIXED
    random_state: int = 0

    def __post_init__(self) -> None:
        if not 0.0 <= self.share <= MOST_MIXED:
            raise StudyError(
                f"The share of cases mixed in is {self.share!r}; it has to be from 0 to {MOST_MIXED}.",
                hint="0.1 is a good start.",
            )

    def drawn(self, n_found: int, others: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return which of all other rows are mixed into a number of cases."""
        n_drawn = min(len(others), math.ceil(round(n_found * self.share / (1.0 - self.share), 9)))
        return np.random.default_rng(self.random_state).choice(others, n_drawn, replace=False)


def may_be_listed(study: StudyBase, known: pd.Series) -> NDArray[np.int64]:
    """Return the training rows and the held-out rows that are not untouched, ascending, whose target is known.

    Parameters
    ----------
    known : Series of bool
        Whether the target of each row of the table is, index row.
    """
    held_out = np.setdiff1d(study.split.held_out, untouched_rows(study))
    rows = np.union1d(study.split.train, held_out)
    found: NDArray[np.int64] = rows[known.loc[pd.Index(rows)].to_numpy(dtype=bool)].astype(np.int64)
    return found


def reasons_to_list(
    study: StudyBase,
    rows: NDArray[np.int64],
    kinds: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]],
    cases: Iterable[int] | None,
    mixed: Mixed,
) -> pd.Series:
    """Return why each case is listed, index row, ascending.

    Parameters
    ----------
    rows : ndarray of int64
        All that may be listed.
    kinds : tuple of ndarray of int64
        Rows that are wrong, that are suspicious, and of prototypes that lead errors; the first that holds is why.
    cases : iterable of int or None
        Rows that are asked for: these and no others are listed, and none is drawn.
    mixed : Mixed
        Which others are.

    Raises
    ------
    StudyError
        If the table has no such row.
    """
    found = pd.Series(dtype="str", index=np.zeros(0, dtype=np.int64))
    for why, some in zip(_WHY, kinds, strict=True):
        found = _with(found, np.intersect1d(some, rows), why)
    others = np.setdiff1d(rows, found.index.to_numpy())
    if cases is None:
        return _with(found, mixed.drawn(len(found), others), DRAWN).sort_index()
    asked = study.encode(np.unique(list(cases))).rows  # refuses rows that are not there
    found = _with(found, np.intersect1d(asked, others), "asked")
    return found[found.index.isin(asked)].sort_index()


def _with(found: pd.Series, rows: NDArray[np.int64], why: str) -> pd.Series:
    """Add rows that are not listed yet."""
    new = np.setdiff1d(rows, found.index.to_numpy())
    return pd.concat([found, pd.Series(why, index=new, dtype="str")])


def often_leading(lead: Iterable[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return the rows of the prototypes that lead several errors.

    Parameters
    ----------
    lead : iterable of ndarray of int64
        Rows of the prototypes that lead errors, one for each; -1 where there is none.
    """
    leaders, times = np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *lead]), return_counts=True)
    found: NDArray[np.int64] = leaders[(times >= _LEADS) & (leaders != NO_PROTOTYPE)]
    return found
