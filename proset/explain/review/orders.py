"""Orders in which a person may go through cases."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.errors import StudyError

DRAWN = "drawn"
_LEAST_TAIL = 1e-12


class ReviewOrder(StrEnum):
    """Orders of a review; :meth:`of` tells which there are for classes and for a number.

    Attributes
    ----------
    DEEP
        Errors that the model is sure of in familiar cases first; of a number, those farthest out.
    ERROR
        Largest errors of a number first, whichever side.
    NEIGHBOURS
        Nearest known cases that contradict the model first.
    COLUMNS
        Columns that the model does not use and that contradict it first; where so many are unusual before all others.
    PROTOTYPE
        Cases that rest on one prototype beside each other, the prototype itself before them; those with most errors
        first.
    CUT
        Nearest to where another class would be said first.
    WIDE
        Least sure of a number first: widest intervals.
    FAR
        Least familiar first.
    LABEL
        Most suspicious labels, or numbers, first.

    Examples
    --------
    >>> ReviewOrder("deep").words
    'deep and familiar errors first'
    """

    DEEP = "deep"
    ERROR = "error"
    NEIGHBOURS = "neighbours"
    COLUMNS = "columns"
    PROTOTYPE = "prototype"
    CUT = "cut"
    WIDE = "wide"
    FAR = "far"
    LABEL = "label"

    @property
    def words(self) -> str:
        """Words for it, such as to follow "order:"."""
        return _WORDS[self]

    @classmethod
    def of(cls, *, number: bool) -> tuple[ReviewOrder, ...]:
        """Return the orders that there are for a number, or for classes."""
        others = _OF_CLASSES if number else _OF_NUMBERS
        return tuple(order for order in cls if order not in others)


# By what decides where drawn cases stand: orders that came later have later places.
_STREAMS = ("deep", "neighbours", "columns", "prototype", "cut", "far", "label", "error", "wide")
_OF_CLASSES = (ReviewOrder.COLUMNS, ReviewOrder.CUT)
_OF_NUMBERS = (ReviewOrder.ERROR, ReviewOrder.WIDE)
_WORDS = {
    ReviewOrder.DEEP: "deep and familiar errors first",
    ReviewOrder.ERROR: "largest errors first",
    ReviewOrder.NEIGHBOURS: "nearest known cases that contradict the model first",
    ReviewOrder.COLUMNS: "unused columns that contradict the model first",
    ReviewOrder.PROTOTYPE: "by leading prototype, those with most errors first",
    ReviewOrder.CUT: "near the cut first",
    ReviewOrder.WIDE: "widest intervals first",
    ReviewOrder.FAR: "least familiar first",
    ReviewOrder.LABEL: "likely label errors first",
}


def put_in_order(frame: pd.DataFrame, order: ReviewOrder, random_state: int) -> list[int]:
    """Return row ids in an order; right cases that were drawn stand anywhere among the others, so that none is known.

    Parameters
    ----------
    frame : DataFrame
        That of a :class:`ReviewQueue`.
    order : ReviewOrder
        What comes first.
    random_state : int
        Seed of the places of drawn cases; each order has others.

    Returns
    -------
    list of int
        Every row once.

    Raises
    ------
    StudyError
        If there is no such order for what is listed.
    """
    of_number = "place" in frame.columns
    if order not in ReviewOrder.of(number=of_number):
        raise StudyError(
            f"There is no order '{order}' for {'a number' if of_number else 'classes'}.",
            hint=f"Take one of {', '.join(ReviewOrder.of(number=of_number))}.",
        )
    if order is ReviewOrder.PROTOTYPE:
        return _by_prototype(frame)
    drawn = (frame["why"] == DRAWN).to_numpy()
    sorted_rows = frame[~drawn].iloc[_order(frame[~drawn], order)].index.to_numpy()
    rng = np.random.default_rng([random_state, _STREAMS.index(order)])
    mixed = np.zeros(len(frame), dtype=bool)
    mixed[rng.choice(len(frame), int(drawn.sum()), replace=False)] = True
    result = np.zeros(len(frame), dtype=np.int64)
    result[~mixed], result[mixed] = sorted_rows, rng.permutation(frame.index.to_numpy()[drawn])
    found: list[int] = result.tolist()
    return found


def _order(frame: pd.DataFrame, order: ReviewOrder) -> NDArray[np.intp]:
    """Return the places of rows in an order; then deep and familiar ones come first, then by row id."""
    depth = (_surprise(frame) * frame["familiarity"]).to_numpy()
    keys = _KEYS[order](frame)
    return np.lexsort((frame.index.to_numpy(), -depth, *(key.to_numpy() for key in reversed(keys))))


_KEYS: dict[ReviewOrder, Callable[[pd.DataFrame], tuple[pd.Series, ...]]] = {
    ReviewOrder.DEEP: lambda frame: (-frame["wrong"].astype(float),),
    ReviewOrder.ERROR: lambda frame: (-frame["error"].abs(),),
    ReviewOrder.NEIGHBOURS: lambda frame: (-(frame["neighbours"] + frame["neighbours_all"]),),
    ReviewOrder.COLUMNS: lambda frame: (-frame["unusual"].astype(float), -frame["columns"].astype(float)),
    ReviewOrder.CUT: lambda frame: (frame["margin"],),
    ReviewOrder.WIDE: lambda frame: (frame["lower"] - frame["upper"],),
    ReviewOrder.FAR: lambda frame: (frame["familiarity"],),
    ReviewOrder.LABEL: lambda frame: (-frame["suspicion"],),
}


def _surprise(frame: pd.DataFrame) -> pd.Series:
    """Return how much of a surprise the table is to the model that judges."""
    if "place" not in frame.columns:
        return frame["confidence"] - frame["stated"].fillna(frame["confidence"])
    tail = 2.0 * np.minimum(frame["place"], 1.0 - frame["place"])
    return pd.Series(-np.log(np.maximum(tail, _LEAST_TAIL)), index=frame.index)


def _by_prototype(frame: pd.DataFrame) -> list[int]:
    """Return row ids by leading prototype; a prototype stands before the cases that it leads, if it is listed."""
    errors = frame[frame["wrong"]].groupby("prototype").size()
    leads = frame["prototype"].to_numpy().copy()
    own = frame.index.isin(errors.index) & (frame["why"] == "prototype").to_numpy()
    leads[own] = frame.index.to_numpy()[own]
    many = errors.reindex(pd.Index(leads), fill_value=0).to_numpy()
    sure = frame["confidence"] if "confidence" in frame.columns else _surprise(frame)
    order = np.lexsort((frame.index.to_numpy(), -sure.to_numpy(), ~own, leads, -many))
    rows: list[int] = frame.index.to_numpy()[order].tolist()
    return rows
