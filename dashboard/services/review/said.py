"""Entries as a browser sends them, the judgements that are kept of them, and the state of each case of a queue."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np

from dashboard.texts.settings import SETTING_NAMES
from proset.common.errors import StudyError
from proset.common.words import rough
from proset.data.number_target import number_text, text_number
from proset.workspace.outcomes import CaseOutcome, OutcomeState, outcomes
from proset.workspace.verdicts import Judgement, ReviewVerdict, standing

if TYPE_CHECKING:
    from proset.study.settings import FitSettings
    from proset.workspace.verdicts import Record

LONGEST_NOTE, MOST_REASONS, LONGEST_REASON, LONGEST_ID = 5_000, 20, 100, 80
CERTAINTIES = ("sure", "rather", "unsure")
OPEN, DONE, SKIPPED, DISPUTED = "open", "done", "skipped", "disputed"
_LONGEST_LOOK = 24 * 3600.0
_DRAWN = re.compile(
    r"(?P<model>[0-9a-f]+)\.(?P<seen>[uk])\.((?P<place>\d{1,5})|n(?P<number>-?\d[0-9_e+-]{,23}))"
    r"\.(?P<estimate>\d(\.\d+)?(e-\d+)?)\.[0-9a-f]+",
    re.ASCII,
)


@dataclass(frozen=True)
class Entry:
    """One thing that a person said, as the browser sends it.

    Attributes
    ----------
    id : str
        Names it among all that are said of a study.
    row : int
        The row that was drawn.
    row_hash, evidence : str
        Hash of the content of that row, and name of what was drawn of it.
    verdict : ReviewVerdict
        What is said.
    takes_back : str or None
        Entry that is taken back.
    new_label : str or None
        The class that it should be.
    reasons : tuple of str
        Why.
    note : str
        A remark.
    certainty : str or None
        One of :data:`CERTAINTIES`.
    cell : str or None
        Column that is faulty.
    seconds : float or None
        How long the case was looked at.
    hidden : tuple of str
        What was hidden meanwhile.
    at : datetime
        When it was said, in UTC.
    """

    id: str
    row: int
    row_hash: str
    evidence: str
    verdict: ReviewVerdict
    takes_back: str | None
    new_label: str | None
    reasons: tuple[str, ...]
    note: str
    certainty: str | None
    cell: str | None
    seconds: float | None
    hidden: tuple[str, ...]
    at: datetime


def read_entry(document: Any, *, now: datetime | None = None) -> Entry:
    """Return the entry that a browser has sent.

    Parameters
    ----------
    document : object
        Parsed JSON.
    now : datetime or None
        Taken where the browser's clock cannot be read, or is ahead.

    Raises
    ------
    StudyError
        If a field is missing, of another kind, or too long; the message names it.

    Examples
    --------
    >>> sent = {"id": "a-1", "row": 7, "row_hash": "0f", "evidence": "m", "verdict": "table"}
    >>> found = read_entry(sent)
    >>> found.row, str(found.verdict), found.note
    (7, 'table', '')
    >>> read_entry(sent | {"verdict": "maybe"})
    Traceback (most recent call last):
        ...
    proset.common.errors.StudyError: What was said cannot be kept: 'verdict' is not one that can be given. Say it again.
    """
    if not isinstance(document, dict):
        raise _unread("it is not an object")
    fields = _Fields(document)
    now = now or datetime.now(UTC)
    return Entry(
        id=fields.text("id", LONGEST_ID),
        row=fields.row(),
        row_hash=fields.text("row_hash", LONGEST_ID),
        evidence=fields.text("evidence", LONGEST_ID),
        verdict=fields.verdict(),
        takes_back=fields.maybe("takes_back", LONGEST_ID),
        new_label=fields.maybe("new_label", LONGEST_NOTE),
        reasons=fields.several("reasons"),
        note=fields.maybe("note", LONGEST_NOTE) or "",
        certainty=fields.certainty(),
        cell=fields.maybe("cell", LONGEST_NOTE),
        seconds=fields.seconds(),
        hidden=fields.several("hidden"),
        at=min(fields.time("at") or now, now),
    )


class _Fields:
    """Fields of an entry, each checked when it is asked for."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._document = document

    def text(self, name: str, longest: int) -> str:
        """Return a text that has to be there."""
        found = self.maybe(name, longest)
        if not found:
            raise _unread(f"'{name}' is missing")
        return found

    def maybe(self, name: str, longest: int) -> str | None:
        """Return a text, None if there is none."""
        value = self._document.get(name)
        if value is None:
            return None
        if not isinstance(value, str):
            raise _unread(f"'{name}' is not a text")
        if len(value) > longest:
            raise _unread(f"'{name}' has {len(value):,} characters, {longest:,} are the most")
        return value

    def several(self, name: str) -> tuple[str, ...]:
        """Return a list of short texts."""
        value = self._document.get(name) or []
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise _unread(f"'{name}' is not a list of texts")
        if len(value) > MOST_REASONS or any(len(one) > LONGEST_REASON for one in value):
            raise _unread(f"'{name}' holds more than {MOST_REASONS} or longer than {LONGEST_REASON} characters")
        return tuple(value)

    def row(self) -> int:
        """Return the row."""
        value = self._document.get("row")
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
            raise _unread("'row' is not the number of a row")
        return value

    def verdict(self) -> ReviewVerdict:
        """Return what is said."""
        value = self._document.get("verdict")
        found = next((verdict for verdict in ReviewVerdict if verdict == value), None)
        if found is None:
            raise _unread("'verdict' is not one that can be given")
        return found

    def certainty(self) -> str | None:
        """Return how certain it is."""
        value = self._document.get("certainty")
        if value is not None and value not in CERTAINTIES:
            raise _unread("'certainty' is none of sure, rather, unsure")
        return value

    def seconds(self) -> float | None:
        """Return how long the case was looked at; None if that cannot be read."""
        value = self._document.get("seconds")
        if not isinstance(value, (int, float)) or isinstance(value, bool) or not np.isfinite(value):
            return None
        return min(max(float(value), 0.0), _LONGEST_LOOK)

    def time(self, name: str) -> datetime | None:
        """Return a time in UTC; None if it cannot be read."""
        value = self._document.get(name)
        try:
            found = datetime.fromisoformat(value) if isinstance(value, str) else None
        except ValueError:
            return None
        return None if found is None or found.tzinfo is None else found.astimezone(UTC)


def _unread(why: str) -> StudyError:
    """Return the error for an entry that cannot be read."""
    return StudyError(f"What was said cannot be kept: {why}.", hint="Say it again.")


@dataclass(frozen=True)
class Drawn:
    """Name of what was drawn of a case: a record can be made of it when the model is no longer at hand.

    Attributes
    ----------
    model : str
        Id of the model.
    unseen : bool
        Whether a model judged the row that has not seen it.
    place : int or None
        Position of the class that was estimated, from 0; None of a number.
    estimate : float
        Its probability; of a number, that of one at least as far out as the number in the table.
    number : float or None
        The number that was said.

    Examples
    --------
    >>> name = Drawn("3fa9", True, 1, 0.75).name("77c0")
    >>> name, Drawn.read(name) == Drawn("3fa9", True, 1, 0.75), Drawn.read("moon")
    ('3fa9.u.1.0.75.77c0', True, None)
    >>> Drawn("3fa9", True, None, 0.01, 310.5).name("77c0"), Drawn.read("3fa9.u.n310_5.0.01.77c0").number
    ('3fa9.u.n310_5.0.01.77c0', 310.5)
    """

    model: str
    unseen: bool
    place: int | None
    estimate: float
    number: float | None = None

    def name(self, content: str) -> str:
        """Return the name, with a hash of the content that was drawn."""
        said = self.place if self.number is None else f"n{number_text(self.number).replace('.', '_')}"
        return f"{self.model}.{'u' if self.unseen else 'k'}.{said}.{self.estimate:.6g}.{content}"

    @classmethod
    def read(cls, name: str) -> Drawn | None:
        """Return what a name says; None if it is none."""
        found = _DRAWN.fullmatch(name)
        if found is None:
            return None
        place, number = found["place"], text_number((found["number"] or "").replace("_", "."))
        if place is None and number is None:
            return None
        seen = found["seen"] == "u"
        return cls(found["model"], seen, None if place is None else int(place), float(found["estimate"]), number)


@dataclass(frozen=True)
class SaidOf:
    """SaidOf about a row when something was said of it.

    Attributes
    ----------
    label, said : str or None
        The class, or number, in the table, and the one that was estimated.
    estimate : float or None
        The probability of the latter; of a number, that of one at least as far out as that in the table.
    unseen : bool
        Whether a model estimated it that has not seen the row.
    model, settings : str
        Id of the model, and its settings in words.
    """

    label: str | None
    said: str | None
    estimate: float | None
    unseen: bool
    model: str
    settings: str


def judgement(entry: Entry, facts: SaidOf, *, reviewer: str, place: str) -> Judgement:
    """Return what is kept of an entry.

    Who judges blind can only name a class; here it is told what that means beside the table and the model.

    Parameters
    ----------
    reviewer : str
        Name of who says it.
    place : str
        The queue that it was said in, in words.
    """
    verdict, named = entry.verdict, entry.new_label
    if verdict is ReviewVerdict.OTHER and entry.hidden and named is not None:
        verdict = {facts.said: ReviewVerdict.MODEL, facts.label: ReviewVerdict.TABLE}.get(named, verdict)
    new_label = {ReviewVerdict.TABLE: facts.label, ReviewVerdict.MODEL: facts.said, ReviewVerdict.OTHER: named}
    return Judgement(
        entry=entry.id,
        row=entry.row,
        row_hash=entry.row_hash,
        label=facts.label,
        new_label=new_label.get(verdict),
        verdict=verdict,
        reasons=entry.reasons,
        note=entry.note,
        certainty=entry.certainty,
        cell=entry.cell,
        takes_back=entry.takes_back,
        reviewer=reviewer,
        at=entry.at,
        seconds=entry.seconds,
        model=facts.model,
        settings=facts.settings,
        said=facts.said,
        estimate=facts.estimate,
        unseen=facts.unseen,
        hidden=entry.hidden,
        place=place,
    )


def taken_back(record: Record) -> Judgement:
    """Return what takes a record back, in the name of who has made it."""
    one = record.judgement
    return Judgement(
        entry=f"back-{uuid4().hex}",
        row=one.row,
        row_hash=one.row_hash,
        label=one.label,
        verdict=ReviewVerdict.UNDONE,
        takes_back=one.entry,
        reviewer=one.reviewer,
        at=datetime.now(UTC),
    )


def states(records: Iterable[Record], reviewer: str) -> dict[str, dict[str, Any]]:
    """Return where the cases stand that a reviewer has said something of, by row, as JSON types.

    Nothing in it tells what others have said of a case that he has not judged.
    """
    every = list(records)
    found = outcomes(every)
    mine = {row: record.judgement for (row, whose), record in standing(every).items() if whose == reviewer}
    for row, outcome in found.items():
        settled = None if outcome.settlement is None else outcome.settlement.judgement
        judged = {one.judgement.reviewer for one in outcome.words}
        if settled is not None and settled.reviewer == reviewer and reviewer not in judged:
            mine[row] = settled
    return {
        str(row): {
            "state": _state(said, found.get(row)),
            "verdict": str(said.verdict),
            "new_label": said.new_label,
            "note": said.note,
            "reasons": list(said.reasons),
            "certainty": said.certainty,
            "cell": said.cell,
            "entry": said.entry,
        }
        for row, said in mine.items()
    }


def _state(said: Judgement, outcome: CaseOutcome | None) -> str:
    """Return where a case stands of which somebody has said something."""
    if said.verdict is ReviewVerdict.SKIPPED:
        return SKIPPED
    return DISPUTED if outcome is not None and outcome.state is OutcomeState.DISPUTED else DONE


def median_seconds(records: Iterable[Record], reviewer: str) -> float | None:
    """Return the median time in seconds that a reviewer looked at a case before saying something; None if unknown."""
    looked = [
        record.judgement.seconds
        for record in records
        if record.judgement.reviewer == reviewer
        and record.judgement.seconds is not None
        and record.judgement.verdict not in (ReviewVerdict.UNDONE, ReviewVerdict.SKIPPED)
    ]
    return float(np.median(looked)) if looked else None


def settings_words(settings: FitSettings) -> str:
    """Name the number of batches, and whatever else is not as usual, as Fit calls it.

    Examples
    --------
    >>> from proset.study.settings import FitSettings
    >>> settings_words(FitSettings(lambda_v=0.01, scale="squashed"))
    'batches 1, feature penalty (lambda_v) 0.01, scale of numbers squashed; all else as usual'
    """
    usual = type(settings)()
    values = {name: value for name, value in vars(settings).items() if value != getattr(usual, name)}
    named = {"n_iter": settings.n_iter, **values}
    parts = [f"{SETTING_NAMES[name].lower()} {_setting(value)}" for name, value in named.items()]
    return f"{', '.join(parts)}; all else as usual"


def _setting(value: Any) -> str:
    """Return the value of a setting in words."""
    if value is None or isinstance(value, bool):
        return {None: "all", True: "yes", False: "no"}[value]
    return str(value) if isinstance(value, str) else rough(value)
