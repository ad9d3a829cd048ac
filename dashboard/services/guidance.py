"""Guidance on the pages: what is asked of the next model, put together from the pages and from verdicts."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from proset.common.words import count_words, listed
from proset.study import NumberStudy
from proset.study.guidance import Guidance, GuidanceItem, GuidanceKind

if TYPE_CHECKING:
    from proset.study.any_study import AnyStudy
    from proset.study.before_after import Turnover

LEFT_BY_SEARCH = "The search for the model before had left it out."
_OF_VERDICTS = (GuidanceKind.RELABEL, GuidanceKind.LEAVE_OUT)


def asked(
    kind: GuidanceKind,
    *,
    row: int | None = None,
    column: str | None = None,
    label: str | None = None,
    by: str = "",
    why: str = "",
) -> GuidanceItem:
    """Return what somebody asks for now.

    Examples
    --------
    >>> asked(GuidanceKind.USE_COLUMN, column="age", why="  It matters. ").why
    'It matters.'
    """
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return GuidanceItem(kind, row=row, column=column, label=label, by=by[:200], why=why.strip()[:4_000], at=now)


def together(asked_for: Guidance, heard: Guidance, judged: Collection[int]) -> Guidance:
    """Put what was asked on the pages together with what follows from verdicts.

    Parameters
    ----------
    asked_for : Guidance
        Of the recipe of the next fit; it may hold what followed from verdicts earlier.
    heard : Guidance
        From the verdicts as they stand now.
    judged : collection of int
        Rows of which anybody has said anything: of their classes the verdicts decide.

    Raises
    ------
    StudyError
        If the two contradict each other.

    Examples
    --------
    >>> old = Guidance((GuidanceItem(GuidanceKind.LEAVE_OUT, row=3), GuidanceItem(GuidanceKind.NO_COLUMN, column="a")))
    >>> [item.words for item in together(old, Guidance(), {3})]
    ["Column 'a' is not to be used."]
    """
    kept = [item for item in asked_for if item.kind not in _OF_VERDICTS or item.row not in judged]
    return Guidance((*kept, *(item for item in heard if item not in kept)))


def as_found(guidance: Guidance, study: AnyStudy) -> Guidance:
    """Ask as well to do without what the search of a model left out, which settings that are stated do not know of."""
    search = study.search if isinstance(study, NumberStudy) else None
    spoken_of = {item.column for item in guidance}
    left_out = [name for name in (() if search is None else search.dropped) if name not in spoken_of]
    items = (asked(GuidanceKind.NO_COLUMN, column=name, why=LEFT_BY_SEARCH) for name in left_out)
    return Guidance((*guidance, *items))


def said_by(item: GuidanceItem) -> str:
    """Say who asked for something, why and when; empty if nothing of it is known.

    Examples
    --------
    >>> said_by(GuidanceItem(GuidanceKind.LEAVE_OUT, row=3, by="Ada", why="Rare.", at="2026-11-24T10:30:00+00:00"))
    'Ada, 2026-11-24 10:30: Rare.'
    """
    when = item.at[:16].replace("T", " ")
    who = ", ".join(part for part in (item.by, when) if part)
    return ": ".join(part for part in (who, item.why) if part)


def turnover_words(change: Turnover) -> list[str]:
    """Say which prototypes and columns were gained and lost."""
    found = []
    gained, lost = len(change.prototypes_gained), len(change.prototypes_lost)
    if gained or lost:
        found.append(f"{count_words(gained, 'prototype')} gained, {lost:,} lost.")
    for names, what in ((change.columns_gained, "used now"), (change.columns_lost, "no longer used")):
        if names:
            found.append(f"{count_words(len(names), 'column')} {what}: {listed(names)}.")
    if change.columns_idle:
        it = "it" if len(change.columns_idle) == 1 else "them"
        found.append(f"{listed(change.columns_idle)}: asked for, but the model finds next to nothing in {it}.")
    return found
