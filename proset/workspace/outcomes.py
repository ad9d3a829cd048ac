"""Outcome of all that several people have said of a case: they agree, they differ, or it was settled."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from proset.workspace.verdicts import Judgement, Record, ReviewVerdict, not_taken_back, standing

_OF_A_CLASS = (ReviewVerdict.TABLE, ReviewVerdict.MODEL, ReviewVerdict.OTHER)


class OutcomeState(StrEnum):
    """Answers to whether people are of one mind about a case."""

    AGREED = "agreed"
    """All say the same, or only one has said something."""
    DISPUTED = "disputed"
    """At least two say different things, and nobody has decided between them."""
    SETTLED = "settled"
    """They differed, and somebody has decided between all that they say."""


@dataclass(frozen=True, order=True)
class Meaning:
    """Result of a verdict, however it was put: the class that the case should have, or else the verdict.

    Attributes
    ----------
    label : str
        The class; empty if none comes out.
    verdict : str
        The verdict, where no class comes out; else empty.

    Examples
    --------
    >>> Meaning("benign").words, Meaning(verdict="faulty").words
    ("'benign'", 'faulty')
    """

    label: str = ""
    verdict: str = ""

    @property
    def words(self) -> str:
        """The class in quotation marks, so that none is taken for a verdict, or the verdict."""
        return f"'{self.label}'" if self.label else self.verdict


def meaning(said: Judgement) -> Meaning:
    """Return what a verdict comes to: people who name the same class agree, whichever key they pressed.

    Examples
    --------
    >>> from datetime import UTC, datetime
    >>> at = datetime(2026, 1, 1, tzinfo=UTC)
    >>> said = {"entry": "a", "row": 7, "row_hash": "0" * 64, "label": "ill", "at": at}
    >>> table = Judgement(**said, verdict=ReviewVerdict.TABLE)
    >>> other = Judgement(**said, verdict=ReviewVerdict.OTHER, new_label="ill")
    >>> meaning(table) == meaning(other) == Meaning("ill")
    True
    """
    label = said.label if said.verdict is ReviewVerdict.TABLE else said.new_label
    if said.verdict in _OF_A_CLASS and label:
        return Meaning(label)
    return Meaning(verdict=str(said.verdict))


@dataclass(frozen=True)
class CaseOutcome:
    """Words of people on one case, and what follows from them.

    Attributes
    ----------
    words : tuple of Record
        The word of each that stands, in the order of their numbers; without those who have set the case aside.
    settlement : Record or None
        What decides between them.
    """

    words: tuple[Record, ...]
    settlement: Record | None = None

    @property
    def state(self) -> OutcomeState:
        """State of the case: are people of one mind? A settlement holds until somebody says something else after it."""
        decided = self.settlement
        if decided is not None:
            seen, found = set(decided.judgement.settles), meaning(decided.judgement)
            if all(one.judgement.entry in seen or meaning(one.judgement) == found for one in self.words):
                return OutcomeState.SETTLED
        return (
            OutcomeState.AGREED if len({meaning(one.judgement) for one in self.words}) == 1 else OutcomeState.DISPUTED
        )

    @property
    def word(self) -> Judgement | None:
        """The word that holds for the case: the settlement, or the last of those who agree; None if it is disputed."""
        if self.state is OutcomeState.DISPUTED:
            return None
        decided = self.settlement if self.state is OutcomeState.SETTLED else self.words[-1]
        return None if decided is None else decided.judgement

    @property
    def label(self) -> str | None:
        """The class that the case should have; None if none comes out or it is disputed."""
        return None if self.word is None else meaning(self.word).label or None

    @property
    def verdict(self) -> ReviewVerdict | None:
        """The verdict that holds; None if it is disputed."""
        return None if self.word is None else self.word.verdict

    @property
    def by(self) -> tuple[str, ...]:
        """Names of those who have judged the case, and of who has settled it, each once."""
        said = [*self.words, *([] if self.settlement is None else [self.settlement])]
        return tuple(dict.fromkeys(record.judgement.reviewer for record in said))


def outcomes(records: Iterable[Record]) -> dict[int, CaseOutcome]:
    """Return what follows for each row that somebody has judged, the lowest row first.

    Parameters
    ----------
    records : iterable of Record
        All of a study, in the order of their numbers.

    Examples
    --------
    >>> from datetime import UTC, datetime
    >>> from proset.workspace.chain import chained
    >>> at = datetime(2026, 1, 1, tzinfo=UTC)
    >>> said = {"row": 7, "row_hash": "0" * 64, "label": "ill", "new_label": "well", "at": at}
    >>> ann = Judgement(**said, entry="a", verdict=ReviewVerdict.TABLE, reviewer="Ann")
    >>> ben = Judgement(**said, entry="b", verdict=ReviewVerdict.MODEL, reviewer="Ben")
    >>> cid = Judgement(**said, entry="c", verdict=ReviewVerdict.MODEL, reviewer="Cid", settles=("a", "b"))
    >>> str(outcomes(chained([ann, ben]))[7].state), outcomes(chained([ann, ben, cid]))[7].label
    ('disputed', 'well')
    """
    every = not_taken_back(records)
    words: dict[int, list[Record]] = defaultdict(list)
    for (row, _), record in standing(every).items():
        if record.judgement.verdict is not ReviewVerdict.SKIPPED:
            words[row].append(record)
    settled = {record.judgement.row: record for record in every if record.judgement.settles}
    return {
        row: CaseOutcome(tuple(sorted(words.get(row, []), key=lambda one: one.number)), settled.get(row))
        for row in sorted({*words, *settled})
    }
