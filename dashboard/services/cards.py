"""Kept studies in words: what a card says."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from proset.common.words import count_words, percent, rough

if TYPE_CHECKING:
    from proset.workspace import Card, StudyFacts

_MINUTE, _HOUR, _DAY, _WEEK = 60, 3600, 86_400, 604_800
_UNITS = ((1e9, "GB"), (1e6, "MB"), (1e3, "kB"))


def made_words(card: Card) -> str:
    """Say what there is of a study beside its table: how good its current model is.

    Examples
    --------
    >>> from proset.workspace import Card, StudyFacts
    >>> now = datetime(2026, 1, 1, tzinfo=UTC)
    >>> facts = StudyFacts("x.csv", 10, 3, "y", "m", 4, 6, 0.912, 0.2)
    >>> made_words(Card("a", "x", facts, 2, True, None, 1, now, now))
    '2 models; 4 prototypes, balanced accuracy 91.2 % on 6 held-out rows; work that can go on'
    """
    facts, parts = card.facts, []
    if card.n_models > 1:
        parts.append(count_words(card.n_models, "model"))
    if facts.n_prototypes is None:
        parts.append("no model yet")
    else:
        parts.append(count_words(facts.n_prototypes, "prototype") + _worth_words(facts))
    if card.n_reviewed:
        parts.append(f"{count_words(card.n_reviewed, 'row')} judged by people")
    if card.unfinished:
        parts.append("work that can go on")
    return "; ".join(parts)


def _worth_words(facts: StudyFacts) -> str:
    """Say how good the current model is, after a comma; nothing where no row was held out."""
    rows = count_words(facts.n_held_out or 0, "held-out row")
    if facts.error is not None and facts.naive_error is not None:
        return f", off by {rough(facts.error)} on average on {rows}, as everybody {rough(facts.naive_error)}"
    if facts.balanced_accuracy is None:
        return ""
    return f", balanced accuracy {percent(facts.balanced_accuracy)} on {rows}"


def table_words(card: Card) -> str:
    """Say which table a study has, how large it is and what is learned."""
    facts = card.facts
    named = f"{facts.data}: " if facts.data != card.name and card.sample is None else ""
    return f"{named}{facts.table_words}"


def when_words(then: datetime, now: datetime | None = None) -> str:
    """Say how long ago something was.

    Examples
    --------
    >>> now = datetime(2026, 3, 9, 12, tzinfo=UTC)
    >>> [when_words(datetime(2026, 3, *then, tzinfo=UTC), now) for then in ((9, 11, 59, 30), (9, 10), (8, 6), (1, 1))]
    ['just now', '2 hours ago', '1 day ago', 'on 1 March 2026']
    """
    gone = ((now or datetime.now(UTC)) - then).total_seconds()
    if gone < _MINUTE:
        return "just now"
    if gone < _HOUR:
        return f"{count_words(int(gone // _MINUTE), 'minute')} ago"
    if gone < _DAY:
        return f"{count_words(int(gone // _HOUR), 'hour')} ago"
    if gone < _WEEK:
        return f"{count_words(int(gone // _DAY), 'day')} ago"
    return f"on {then.day} {then:%B %Y}"


def size_words(size: int) -> str:
    """Say how many bytes there are.

    Examples
    --------
    >>> size_words(12_345_678), size_words(900)
    ('12.3 MB', '900 bytes')
    """
    factor, unit = next(((factor, unit) for factor, unit in _UNITS if size >= factor), (1.0, ""))
    return f"{size / factor:.1f} {unit}" if unit else count_words(size, "byte")
