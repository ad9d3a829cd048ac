"""Filters of the review queue: which of its cases come, and a choice of them under a name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from dashboard.services.params import EnumParam, Param
from dashboard.texts import review as text
from proset.common.checked_json import StateReader, sound
from proset.common.errors import StorageError
from proset.explain.slices.slice import Slice

if TYPE_CHECKING:
    import pandas as pd

    from proset.explain.review.listed import ReviewQueue

Span = tuple[float, float]
"""Lower and upper end, both included, as shares of one."""
WHOLE: Span = (0.0, 1.0)
MOST_VIEWS = 50
"""Views that are kept of a table."""
LONGEST_NAME = 80
_LONGEST_SPAN = 20


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


@dataclass(frozen=True)
class PairParam(Param[str]):
    """The class in the table and the class that is said, by their positions from 0; empty for all.

    Examples
    --------
    >>> pair = PairParam("confused", "")
    >>> pair.read("0-1"), pair.read("1-1"), pair.read("a-b"), pair.allowed
    ('0-1', None, None, 'two different positions of classes from 0, such as 0-1')
    """

    allowed = "two different positions of classes from 0, such as 0-1"

    def read(self, text: str) -> str | None:
        """Return the text if it names two different classes."""
        return text if not text or pair_places(text) is not None else None

    def fits(self, value: str, model: Any) -> bool:
        """Tell whether the model has both classes."""
        return not value or pair_classes(value, getattr(model, "classes", ())) is not None


@dataclass(frozen=True)
class SpanParam(Param[Span]):
    """A range of shares, as per cent in the address.

    Examples
    --------
    >>> sure = SpanParam("sure", WHOLE)
    >>> sure.read("90-100"), sure.write((0.9, 1.0)), sure.read("90"), sure.read("70-20"), sure.read("0-101")
    ((0.9, 1.0), '90-100', None, None, None)
    """

    allowed = "two whole numbers from 0 to 100, the lower one first, such as 90-100"

    def read(self, text: str) -> Span | None:
        """Return the range."""
        low, dash, high = text.partition("-")
        digits = all(end.isascii() and end.isdecimal() for end in (low, high))
        if not dash or not digits or len(text) > _LONGEST_SPAN or not int(low) <= int(high) <= 100:
            return None
        return int(low) / 100.0, int(high) / 100.0

    def write(self, value: Span) -> str:
        """Return both ends in per cent."""
        return "-".join(f"{100 * end:.0f}" for end in value)


PAIR = PairParam("confused", "")
SURE, FAMILIAR, NEAR = (SpanParam(name, WHOLE) for name in ("sure", "familiar", "near"))
PART = EnumParam("reviewed", ReviewPart.BOTH)
CASES = EnumParam("state", CaseState.ALL)
FILTERS: dict[str, Param[Any]] = {
    "pair": PAIR,
    "sure": SURE,
    "familiar": FAMILIAR,
    "near": NEAR,
    "part": PART,
    "cases": CASES,
}
"""Value of each field of a filter, as an address has it."""
_COLUMNS = {"sure": "confidence", "familiar": "familiarity", "near": "nearness"}
_TELLING = ("pair", "sure")
"""Filters that tell what the model or the table says of a case."""


@dataclass(frozen=True)
class QueueFilter:
    """Choice among the cases of a queue; all of it has to hold.

    Attributes
    ----------
    pair : str
        See :class:`PairParam`.
    sure : (float, float)
        Probability of the class that is said.
    familiar, near : (float, float)
        Quantile of the familiarity, and of the nearness to a known case, among held-out rows.
    part : ReviewPart
        Of which rows.
    cases : CaseState
        Only those that stand so for who reviews.

    Examples
    --------
    >>> chosen = QueueFilter(pair="0-1", near=(0.0, 0.05))
    >>> chosen.words(("cat", "dog"))
    {'pair': "'cat' said to be 'dog'", 'near': 'nearness from 0 to 5 %'}
    >>> chosen.untold().words(("cat", "dog"))
    {'near': 'nearness from 0 to 5 %'}
    """

    pair: str = ""
    sure: Span = WHOLE
    familiar: Span = WHOLE
    near: Span = WHOLE
    part: ReviewPart = ReviewPart.BOTH
    cases: CaseState = CaseState.ALL

    @property
    def tells(self) -> bool:
        """Tell whether it speaks of what the model or the table says of a case."""
        return self.untold() != self

    def untold(self) -> QueueFilter:
        """Return the part of it that says nothing about what the model or the table says of a case."""
        return replace(self, **{field: FILTERS[field].usual for field in _TELLING})

    def rows(self, frame: pd.DataFrame, classes: Sequence[str]) -> pd.DataFrame:
        """Return the lines of a queue that it leaves, wherever they stand for who reviews."""
        if self.part is not ReviewPart.BOTH:
            frame = frame[frame["part"] == self.part.value]
        both = pair_classes(self.pair, classes)
        if both is not None:
            frame = frame[(frame["actual"] == both[0]) & (frame["said"] == both[1])]
        for field, column in _COLUMNS.items():
            low, high = getattr(self, field)
            if (low, high) != WHOLE and column in frame.columns:  # of a number there is no class that is said
                frame = frame[frame[column].between(low, high)]
        return frame

    def words(self, classes: Sequence[str]) -> dict[str, str]:
        """Return what it asks for in words, by field; fields that leave everything are not there."""
        found = {}
        if (both := pair_classes(self.pair, classes)) is not None:
            found["pair"] = text.PAIR_CHIP.format(actual=both[0], said=both[1])
        for field in _COLUMNS:
            low, high = getattr(self, field)
            if (low, high) != WHOLE and (classes or field not in _TELLING):
                found[field] = text.SPAN_CHIP.format(what=text.SPANS[field], low=100 * low, high=100 * high)
        if self.part is not ReviewPart.BOTH:
            found["part"] = text.PARTS[self.part].lower()
        if self.cases is not CaseState.ALL:
            found["cases"] = text.STATES[self.cases].lower()
        return found


@dataclass(frozen=True)
class ReviewView:
    """Filter with a name.

    Attributes
    ----------
    name : str
        From 1 to 80 characters on one line.
    filter : QueueFilter
        Which cases come.
    slice : Slice or None
        Slice that is followed; None for all rows.
    classes : tuple of str
        Classes whose positions the filter speaks of; empty if it speaks of none.

    Raises
    ------
    StorageError
        If the name is empty or too long.

    Examples
    --------
    >>> view = ReviewView("doubtful", QueueFilter(sure=(0.0, 0.7)))
    >>> ReviewView.from_state(view.to_state()) == view, view.fits(("cat", "dog"))
    (True, True)
    """

    name: str
    filter: QueueFilter
    slice: Slice | None = None
    classes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", " ".join(sound(self.name).split()))
        if not 0 < len(self.name) <= LONGEST_NAME:
            raise StorageError(
                f"The name of a view has {len(self.name):,} characters.", hint=f"Take from 1 to {LONGEST_NAME}."
            )

    def fits(self, classes: Sequence[str]) -> bool:
        """Tell whether it can be meant with a model of these classes."""
        return not self.classes or self.classes == tuple(classes)

    @property
    def tells(self) -> bool:
        """Tell whether it speaks of what the model or the table says of a case."""
        return self.filter.tells or (self.slice is not None and self.slice.of_estimate)

    def to_state(self) -> dict[str, Any]:
        """Return it as JSON types."""
        chosen = {field: getattr(self.filter, field) for field in FILTERS}
        return {
            "name": self.name,
            "filter": {f: FILTERS[f].write(value) for f, value in chosen.items() if value != FILTERS[f].usual},
            "slice": None if self.slice is None else self.slice.to_state(),
            "classes": list(self.classes),
        }

    @classmethod
    def from_state(cls, state: Any) -> ReviewView:
        """Return what :meth:`to_state` wrote; a StorageError if it is damaged."""
        reader = StateReader(state, "view")
        name, written, part = reader.text("name"), reader.take("filter"), reader.take("slice")
        classes = reader.texts("classes")
        reader.close()
        given = written if isinstance(written, dict) else {"": ""}
        found: dict[str, Any] = {field: FILTERS[field].read(str(to)) for field, to in given.items() if field in FILTERS}
        if len(found) < len(given) or None in found.values():
            raise reader.refuse("filter", "asks for what there is not")
        return cls(name, QueueFilter(**found), None if part is None else Slice.from_state(part), classes)


def pairs(queue: ReviewQueue, classes: Sequence[str]) -> dict[str, int]:
    """Return the pairs of classes that are confused, with how often, the most frequent first."""
    wrong = queue.frame[queue.frame["wrong"]]
    places = {name: place for place, name in enumerate(classes)}
    both = zip(wrong["actual"].astype(str), wrong["said"].astype(str), strict=True)
    return dict(Counter(f"{places[actual]}-{places[said]}" for actual, said in both).most_common())


def pair_classes(pair: str, classes: Sequence[str]) -> tuple[str, str] | None:
    """Return the class in the table and the class that is said; None for all pairs, or one that there is not."""
    found = pair_places(pair)
    return None if found is None or max(found) >= len(classes) else (classes[found[0]], classes[found[1]])


def pair_places(text: str) -> tuple[int, int] | None:
    """Return two different positions that a text names; None if it names none."""
    first, dash, second = text.partition("-")
    digits = all(part.isascii() and part.isdecimal() and len(part) < 6 for part in (first, second))
    return (int(first), int(second)) if dash and digits and int(first) != int(second) else None
