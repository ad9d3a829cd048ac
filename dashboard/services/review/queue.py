"""Which cases are reviewed, in which order: what a page chooses of them, and the rows that follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from dashboard.services.params import EnumParam, Flag, Number, Param
from dashboard.services.review.said import DISPUTED, OPEN, states
from dashboard.services.review.together import is_mine, reviewers
from proset.explain.review.orders import ReviewOrder
from proset.study.settings import Bounds

if TYPE_CHECKING:
    import pandas as pd

    from proset.explain.review.queue import ReviewQueue
    from proset.workspace.verdicts import Record

_MIXED_STREAM = 11  # of the order of a blind queue


class ReviewPart(StrEnum):
    """Rows that are reviewed."""

    TRAIN = "train"
    HELD_OUT = "held_out"
    BOTH = "both"


class CaseState(StrEnum):
    """Cases that are listed, by where they stand for who reviews."""

    ALL = "all"
    OPEN = "open"
    DISPUTED = "disputed"
    DONE = "done"
    SKIPPED = "skipped"


class Sharing(StrEnum):
    """Ways to divide the cases among several people."""

    EVERYBODY = "everybody"
    SHARES = "shares"


@dataclass(frozen=True)
class PairParam(Param[str]):
    """The class in the table and the class that is said, by their positions from 0; empty for all.

    Examples
    --------
    >>> pair = PairParam("confused", "")
    >>> pair.read("0-1"), pair.read("1-1"), pair.read("a-b"), pair.allowed
    ('0-1', None, None, 'two different positions of classes from 0, such as 0-1')
    """

    def read(self, text: str) -> str | None:
        """Return the text if it names two different classes."""
        return text if not text or _pair(text) is not None else None

    @property
    def allowed(self) -> str:
        """The form."""
        return "two different positions of classes from 0, such as 0-1"


ORDER = EnumParam("review", ReviewOrder.DEEP)
PART = EnumParam("reviewed", ReviewPart.BOTH)
PAIR = PairParam("confused", "")
BLIND = Flag("blind", False)
CASES = EnumParam("cases", CaseState.ALL)
SHARING = EnumParam("sharing", Sharing.EVERYBODY)
CASES_BEFORE = EnumParam("cases_before", CaseState.ALL)
SINCE = Number("since", 0, bounds=Bounds(0, 2**53, whole=True))
"""Records at the time when cases were chosen by where they stand: what is judged afterwards stays listed."""
OPENLY = Flag("openly", False)
"""Words of others are shown on cases that one has not judged."""
AT = Number("at", 0, bounds=Bounds(0, 2**53, whole=True))
"""Row that is drawn; not in an address, where each case would be a step of the browser's history."""
PARAMS = (ORDER, PART, PAIR, BLIND, CASES, SHARING)
"""Part of the queue that stands in an address; blind, nothing in it tells an error from a right case."""


@dataclass(frozen=True)
class QueueChoice:
    """A choice among the cases of a queue.

    Attributes
    ----------
    order : ReviewOrder
        In which order they come; blind, it only decides which come before which others by chance.
    part : ReviewPart
        Of which rows.
    pair : str
        See :class:`PairParam`.
    blind : bool
        Whether errors and right cases are mixed so that the order tells nothing.
    cases : CaseState
        Only those that stand so for who reviews.
    sharing : Sharing
        Whether everybody gets all of them.
    """

    order: ReviewOrder = ReviewOrder.DEEP
    part: ReviewPart = ReviewPart.BOTH
    pair: str = ""
    blind: bool = False
    cases: CaseState = CaseState.ALL
    sharing: Sharing = Sharing.EVERYBODY

    def rows(self, queue: ReviewQueue, classes: Sequence[str]) -> tuple[int, ...]:
        """Return the rows in their order.

        Parameters
        ----------
        queue : ReviewQueue
            All that can be reviewed.
        classes : sequence of str
            Names of the classes, in their order.
        """
        frame = queue.frame
        if self.part is not ReviewPart.BOTH:
            frame = frame[frame["part"] == self.part.value]
        pair = _pair(self.pair)
        if pair is not None and max(pair) < len(classes):
            actual, said = (classes[place] for place in pair)
            frame = frame[(frame["actual"] == actual) & (frame["said"] == said)]
        wanted = frame.index
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
    if choice.cases is not CaseState.ALL:
        known = states(records[:since], reviewer)
        wanted = [str(choice.cases), *([DISPUTED] if choice.cases is CaseState.DONE else [])]
        found = [row for row in found if known.get(str(row), {"state": OPEN})["state"] in wanted]
    return tuple(found)


def pairs(queue: ReviewQueue, classes: Sequence[str]) -> dict[str, int]:
    """Return the pairs of classes that are confused, with how often, the most frequent first."""
    wrong = queue.frame[queue.frame["wrong"]]
    places = {name: place for place, name in enumerate(classes)}
    both = zip(wrong["actual"].astype(str), wrong["said"].astype(str), strict=True)
    return dict(Counter(f"{places[actual]}-{places[said]}" for actual, said in both).most_common())


def pair_classes(pair: str, classes: Sequence[str]) -> tuple[str, str] | None:
    """Return the class in the table and the class that is said; None for all pairs, or one that there is not."""
    found = _pair(pair)
    return None if found is None or max(found) >= len(classes) else (classes[found[0]], classes[found[1]])


def _pair(text: str) -> tuple[int, int] | None:
    """Return two different positions."""
    first, dash, second = text.partition("-")
    digits = all(part.isascii() and part.isdecimal() and len(part) < 6 for part in (first, second))
    return (int(first), int(second)) if dash and digits and int(first) != int(second) else None


def _shuffled(rows: pd.Index) -> list[int]:
    """Return rows in an order that says nothing, always the same one for the same rows."""
    order = np.random.default_rng([_MIXED_STREAM, len(rows)]).permutation(len(rows))
    return [int(row) for row in np.sort(rows.to_numpy())[order]]
