"""Orders in which a person may go through cases."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
import pandas as pd
from numpy.typing import NDArray

DRAWN = "drawn"


class ReviewOrder(StrEnum):
    """Orders of a review.

    Attributes
    ----------
    DEEP
        Errors that the model is sure of in familiar cases first.
    NEIGHBOURS
        Nearest known cases that contradict the model first.
    COLUMNS
        Columns that the model does not use and that contradict it first; where so many are unusual before all others.
    PROTOTYPE
        Cases that rest on one prototype beside each other, the prototype itself before them; those with most errors
        first.
    CUT
        Nearest to where another class would be said first.
    FAR
        Least familiar first.
    LABEL
        Most suspicious labels first.

    Examples
    --------
    >>> ReviewOrder("deep").words
    'deep and familiar errors first'
    """

    DEEP = "deep"
    NEIGHBOURS = "neighbours"
    COLUMNS = "columns"
    PROTOTYPE = "prototype"
    CUT = "cut"
    FAR = "far"
    LABEL = "label"

    @property
    def words(self) -> str:
        """What comes first, to follow "in the order:"."""
        return _WORDS[self]


_WORDS = {
    ReviewOrder.DEEP: "deep and familiar errors first",
    ReviewOrder.NEIGHBOURS: "nearest known cases that contradict the model first",
    ReviewOrder.COLUMNS: "unused columns that contradict the model first",
    ReviewOrder.PROTOTYPE: "by leading prototype, those with most errors first",
    ReviewOrder.CUT: "near the cut first",
    ReviewOrder.FAR: "far from all known cases first",
    ReviewOrder.LABEL: "likely label errors first",
}


def put_in_order(frame: pd.DataFrame, order: ReviewOrder, seed: int) -> list[int]:
    """Return row ids in an order; right cases that were drawn stand anywhere among the others, so that none is known.

    Parameters
    ----------
    frame : DataFrame
        That of a :class:`ReviewQueue`.
    order : ReviewOrder
        What comes first.
    seed : int
        Of the places of drawn cases; each order has others.

    Returns
    -------
    list of int
        Every row once.
    """
    if order is ReviewOrder.PROTOTYPE:
        return _by_prototype(frame)
    drawn = (frame["why"] == DRAWN).to_numpy()
    sorted_rows = frame[~drawn].iloc[_order(frame[~drawn], order)].index.to_numpy()
    rng = np.random.default_rng([seed, list(ReviewOrder).index(order)])
    mixed = np.zeros(len(frame), dtype=bool)
    mixed[rng.choice(len(frame), int(drawn.sum()), replace=False)] = True
    result = np.zeros(len(frame), dtype=np.int64)
    result[~mixed], result[mixed] = sorted_rows, rng.permutation(frame.index.to_numpy()[drawn])
    found: list[int] = result.tolist()
    return found


def _order(frame: pd.DataFrame, order: ReviewOrder) -> NDArray[np.intp]:
    """Return the places of rows in an order; then deep and familiar ones come first, then by row id."""
    depth = ((frame["confidence"] - frame["stated"].fillna(frame["confidence"])) * frame["familiarity"]).to_numpy()
    keys = {
        ReviewOrder.DEEP: (-frame["wrong"].astype(float),),
        ReviewOrder.NEIGHBOURS: (-(frame["neighbours"] + frame["neighbours_all"]),),
        ReviewOrder.COLUMNS: (-frame["unusual"].astype(float), -frame["columns"].astype(float)),
        ReviewOrder.CUT: (frame["margin"],),
        ReviewOrder.FAR: (frame["familiarity"],),
        ReviewOrder.LABEL: (-frame["suspicion"],),
    }[order]
    return np.lexsort((frame.index.to_numpy(), -depth, *(key.to_numpy() for key in reversed(keys))))


def _by_prototype(frame: pd.DataFrame) -> list[int]:
    """Return row ids by leading prototype; a prototype stands before the cases that it leads, if it is listed."""
    errors = frame[frame["wrong"]].groupby("prototype").size()
    leads = frame["prototype"].to_numpy().copy()
    own = frame.index.isin(errors.index) & (frame["why"] == "prototype").to_numpy()
    leads[own] = frame.index.to_numpy()[own]
    many = errors.reindex(pd.Index(leads), fill_value=0).to_numpy()
    order = np.lexsort((frame.index.to_numpy(), -frame["confidence"].to_numpy(), ~own, leads, -many))
    rows: list[int] = frame.index.to_numpy()[order].tolist()
    return rows
