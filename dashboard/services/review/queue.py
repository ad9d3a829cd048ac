"""Which cases are reviewed, in which order: what a page chooses of them, and the rows that follow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from dashboard.services.params import EnumParam, Flag, Number
from dashboard.services.review.filters import FILTERS, CaseState, QueueFilter
from dashboard.services.review.said import DISPUTED, OPEN, states
from dashboard.services.review.these import THESE, TheseRows
from dashboard.services.review.together import is_mine, reviewers
from proset.explain.review.orders import ReviewOrder
from proset.study.settings import Bounds

if TYPE_CHECKING:
    import pandas as pd

    from proset.explain.review.listed import ReviewQueue
    from proset.workspace.verdicts import Record

ALL = QueueFilter()
"""Leaves every case."""
_MIXED_STREAM = 11  # of the order of a blind queue


class Sharing(StrEnum):
    """Ways to divide the cases among several people."""

    EVERYBODY = "everybody"
    SHARES = "shares"


ORDER = EnumParam("review", ReviewOrder.DEEP)
BLIND = Flag("blind", False)
SHARING = EnumParam("sharing", Sharing.EVERYBODY)
CASES_BEFORE = EnumParam("cases_before", CaseState.ALL)
SINCE = Number("since", 0, bounds=Bounds(0, 2**53, whole=True))
"""Records at the time when cases were chosen by where they stand: what is judged afterwards stays listed."""
OPENLY = Flag("openly", False)
"""Words of others are shown on cases that one has not judged."""
AT = Number("at", 0, bounds=Bounds(0, 2**53, whole=True))
"""Row that is drawn; not in an address, where each case would be a step of the browser's history."""
PARAMS = (ORDER, *FILTERS.values(), THESE, BLIND, SHARING)
"""Part of the queue that stands in an address; blind, nothing in it tells an error from a right case."""


@dataclass(frozen=True)
class QueueChoice:
    """A choice among the cases of a queue.

    Attributes
    ----------
    order : ReviewOrder
        In which order they come; blind, it only decides which come before which others by chance.
    filter : QueueFilter
        Which of them; what is judged meanwhile stays listed.
    blind : bool
        Whether errors and right cases are mixed so that the order tells nothing.
    sharing : Sharing
        Whether everybody gets all of them.
    these : TheseRows or None
        Rows to which the queue is limited.
    """

    order: ReviewOrder = ReviewOrder.DEEP
    filter: QueueFilter = ALL
    blind: bool = False
    sharing: Sharing = Sharing.EVERYBODY
    these: TheseRows | None = None

    def words(self, classes: Sequence[str]) -> list[str]:
        """Return what is asked of cases, in words; nothing where all come."""
        asked = list(self.filter.words(classes).values())
        return asked if self.these is None else [self.these.words(classes), *asked]

    def rows(self, queue: ReviewQueue, classes: Sequence[str]) -> tuple[int, ...]:
        """Return the rows in their order.

        Parameters
        ----------
        queue : ReviewQueue
            All that can be reviewed.
        classes : sequence of str
            Names of the classes, in their order.
        """
        wanted = self.filter.rows(queue.frame, classes).index
        if self.blind:
            return tuple(_shuffled(wanted))
        kept = set(wanted)
        return tuple(row for row in queue.ordered(self.order) if row in kept)


def for_reviewer(
    rows: Sequence[int], choice: QueueChoice, records: Sequence[Record], since: int, reviewer: str
) -> tuple[int, ...]:
    """Return those rows of a queue that come to a reviewer.

    Parameters
    ----------
    rows : sequence of int
        From :meth:`QueueChoice.rows`.
    records : sequence of Record
        All that was said, in its order.
    since : int
        So many of them were there when cases were chosen by where they stand.
    """
    found = list(rows)
    if choice.sharing is Sharing.SHARES:
        everybody = reviewers(records)
        own = {one.judgement.row for one in records if one.judgement.reviewer == reviewer}
        found = [row for row in found if row in own or is_mine(row, reviewer, everybody)]
    if choice.filter.cases is not CaseState.ALL:
        known = states(records[:since], reviewer)
        wanted = [str(choice.filter.cases), *([DISPUTED] if choice.filter.cases is CaseState.DONE else [])]
        found = [row for row in found if known.get(str(row), {"state": OPEN})["state"] in wanted]
    return tuple(found)


def _shuffled(rows: pd.Index) -> list[int]:
    """Return rows in an order that says nothing, always the same one for the same rows."""
    order = np.random.default_rng([_MIXED_STREAM, len(rows)]).permutation(len(rows))
    return [int(row) for row in np.sort(rows.to_numpy())[order]]
