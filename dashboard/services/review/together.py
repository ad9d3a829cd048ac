"""Several people on one table: what one may see of the others' words, and which cases are whose."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

from proset.workspace.outcomes import outcomes
from proset.workspace.verdicts import ReviewVerdict

if TYPE_CHECKING:
    from proset.workspace.verdicts import Judgement, Record

OVERLAP = 20
"""Of a hundred cases that are shared out, so many go to two people, so that agreement can be told."""
OUTSIDE = 0.1
"""Probability of numbers as far out below which one lies outside the interval of 90 %."""


def reviewers(records: Iterable[Record]) -> tuple[str, ...]:
    """Return all who have judged a case, in the order of the alphabet; not those who only settle.

    Examples
    --------
    >>> reviewers([])
    ()
    """
    other = (ReviewVerdict.UNDONE, ReviewVerdict.SKIPPED)
    said = [record.judgement for record in records]
    return tuple(sorted({one.reviewer for one in said if one.verdict not in other and not one.settles}))


def visible(records: Sequence[Record], reviewer: str, *, openly: bool = False) -> tuple[Record, ...]:
    """Return what a reviewer may see: own words, and those of others on cases that he has judged himself.

    Parameters
    ----------
    records : sequence of Record
        All of a study, in the order of their numbers.
    reviewer : str
        Who looks.
    openly : bool
        Whether he has asked to see everything.

    Examples
    --------
    >>> visible([], "Ann")
    ()
    """
    if openly or reviewers(records) in ((), (reviewer,)):
        return tuple(records)
    known = {row for row, found in outcomes(records).items() if reviewer in found.by}
    return tuple(one for one in records if one.judgement.reviewer == reviewer or one.judgement.row in known)


def is_mine(row: int, reviewer: str, everybody: Sequence[str]) -> bool:
    """Tell whether a case goes to a reviewer when cases are shared out.

    The same people get the same cases on every machine; who joins takes some from everybody, and nobody gets others.

    Parameters
    ----------
    row : int
        The case.
    reviewer : str
        Who asks.
    everybody : sequence of str
        All who review.

    Examples
    --------
    >>> [row for row in range(1, 13) if is_mine(row, "Ann", ["Ann", "Ben"])]
    [1, 2, 3, 4, 9, 10, 12]
    >>> all(is_mine(row, "Ann", ["Ann"]) for row in range(100))
    True
    """
    ranks = sorted({*everybody, reviewer}, key=lambda name: _number(f"{row}\n{name}"))
    return reviewer in ranks[: 2 if _number(str(row)) % 100 < OVERLAP else 1]


def _number(text: str) -> int:
    """Return a number that looks like chance, the same on every machine."""
    return int.from_bytes(sha256(text.encode("utf-8", "backslashreplace")).digest()[:8], "big")


def on_errors(records: Iterable[Record], *, of_number: bool = False) -> dict[ReviewVerdict, int]:
    """Count what people have said last of cases that the model got wrong as they saw it, by kind of verdict.

    Parameters
    ----------
    records : iterable of Record
        What was said, in its order.
    of_number : bool
        Whether it is about a number: then wrong is one that lies outside the interval of 90 % of the model itself.

    Examples
    --------
    >>> on_errors([])
    {}
    """
    last = {
        (one.reviewer, one.row): one.verdict
        for one in (record.judgement for record in records)
        if one.said is not None and not one.settles and (_outside(one) if of_number else one.said != one.label)
    }
    counts = Counter(last.values())
    return {kind: counts[kind] for kind in ReviewVerdict if counts[kind] and kind is not ReviewVerdict.SKIPPED}


def _outside(one: Judgement) -> bool:
    """Tell whether a number as far out as that in the table had less than a tenth of the probability."""
    return one.estimate is not None and one.estimate < OUTSIDE
