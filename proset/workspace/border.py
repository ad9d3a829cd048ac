"""The border of the workspace for judgements: length, form and characters of all that comes in are checked here."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NoReturn

from proset.common.checked_json import sound
from proset.common.words import shown
from proset.workspace.schema import ENTRY_LENGTH, HASH_LENGTH
from proset.workspace.verdicts import CERTAINTIES, Judgement, RefusedJudgementError, ReviewVerdict

LONGEST_NOTE, LONGEST_NAME, LONGEST_WORDS = 5_000, 200, 2_000
"""Characters of a note; of a reviewer's name; of a class, a column, or words about settings and queue."""
MOST_REASONS, LONGEST_REASON = 20, 100
"""Reasons of a judgement, and characters of each; the same for what was hidden."""

MOST_SETTLED = 1_000
"""Entries that one judgement settles."""

_ENTRY = re.compile(f"[A-Za-z0-9_-]{{1,{ENTRY_LENGTH}}}")
_HASH = re.compile(f"[0-9a-f]{{{HASH_LENGTH}}}")
_LARGEST_ROW = (1 << 31) - 1
_LONGEST_LOOK = 1e9  # seconds
# What no page shows and not every file can hold; a line break and a tab may stand in a note.
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]")
_LABELS = {
    "row_hash": "hash of the row",
    "label": "class in the table",
    "new_label": "new class",
    "cell": "faulty column",
    "takes_back": "entry that is taken back",
    "settles": "list of entries that are settled",
    "at": "time",
    "said": "estimated class",
    "place": "place in the queue",
}


def checked_judgement(given: Judgement) -> Judgement:
    """Return a judgement as it is kept.

    Control characters become blanks, halves of characters become U+FFFD, line breaks are all written alike, blanks at
    the ends of names go. What was checked once stays as it is.

    Raises
    ------
    RefusedJudgementError
        If a field is of another kind, too long, or does not go with the others.

    Examples
    --------
    >>> at = datetime(2026, 1, 1, tzinfo=UTC)
    >>> said = Judgement(entry="a", row=7, row_hash="0" * 64, verdict=ReviewVerdict.TABLE, note="x" * 5_001, at=at)
    >>> checked_judgement(said)
    Traceback (most recent call last):
        ...
    proset.workspace.verdicts.RefusedJudgementError: Row 7: the note has 5,001 characters. Take at most 5,000.
    """
    field = _Fields(given)
    verdict = field.verdict()
    return Judgement(
        entry=field.matching("entry", _ENTRY, f"1 to {ENTRY_LENGTH} letters, digits, - and _"),
        row=field.row(),
        row_hash=field.matching("row_hash", _HASH, f"{HASH_LENGTH} hexadecimal digits"),
        label=field.value("label"),
        new_label=field.value("new_label"),
        verdict=verdict,
        reasons=field.words("reasons"),
        note=field.note(),
        certainty=field.certainty(),
        cell=field.value("cell"),
        takes_back=field.takes_back(verdict),
        settles=field.settles(verdict),
        reviewer=field.line("reviewer", LONGEST_NAME),
        at=field.time(),
        seconds=field.number("seconds", _LONGEST_LOOK, 3),
        model=field.line("model", HASH_LENGTH),
        settings=field.line("settings", LONGEST_WORDS),
        said=field.value("said"),
        estimate=field.number("estimate", 1.0, 10),
        unseen=field.flag("unseen"),
        hidden=field.words("hidden"),
        place=field.line("place", LONGEST_WORDS),
    )


def words_of(name: str) -> str:
    """Return what messages call a field of a judgement.

    Examples
    --------
    >>> words_of("cell"), words_of("note")
    ('faulty column', 'note')
    """
    return _LABELS.get(name, name)


class _Fields:
    """The fields of one judgement; each method returns one of them as it is kept, or refuses it."""

    def __init__(self, given: Judgement) -> None:
        self._given = given

    def refuse(self, name: str, problem: str, hint: str | None = None) -> NoReturn:
        """Refuse the judgement for one field; `problem` ends the sentence."""
        given = self._given
        message = f"Row {shown(given.row)}: the {words_of(name)} {problem}."
        raise RefusedJudgementError(message, entry=str(given.entry), hint=hint)

    def verdict(self) -> ReviewVerdict:
        """Return what is said."""
        value = self._given.verdict
        if not isinstance(value, str) or value not in list(ReviewVerdict):
            self.refuse("verdict", f"is '{shown(value)}'", f"Take one of {', '.join(ReviewVerdict)}.")
        return ReviewVerdict(value)

    def row(self) -> int:
        """Return the row."""
        value = self._given.row
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= _LARGEST_ROW:
            self.refuse("row", "is no row number", f"Rows have whole numbers from 1 to {_LARGEST_ROW:,}.")
        return value

    def matching(self, name: str, pattern: re.Pattern[str], form: str) -> str:
        """Return a text of a certain form."""
        value = getattr(self._given, name)
        if not isinstance(value, str) or not pattern.fullmatch(value):
            self.refuse(name, f"is '{shown(value)}'", f"It has {form}.")
        return value

    def takes_back(self, verdict: ReviewVerdict) -> str | None:
        """Return the entry that is taken back, which one has if and only if it takes something back."""
        if verdict is ReviewVerdict.UNDONE:
            return self.matching("takes_back", _ENTRY, f"1 to {ENTRY_LENGTH} letters, digits, - and _")
        if self._given.takes_back is not None:
            self.refuse("takes_back", f"is for the verdict '{ReviewVerdict.UNDONE}' only")
        return None

    def settles(self, verdict: ReviewVerdict) -> tuple[str, ...]:
        """Return the entries that are settled, which only a verdict on the case can do."""
        entries = self._given.settles
        if not isinstance(entries, tuple) or not all(isinstance(one, str) and _ENTRY.fullmatch(one) for one in entries):
            self.refuse("settles", "holds something that is no entry")
        if entries and verdict in (ReviewVerdict.UNDONE, ReviewVerdict.SKIPPED):
            self.refuse("settles", f"does not go with the verdict '{verdict}'", "Say who is right.")
        if len(entries) > MOST_SETTLED:
            self.refuse("settles", f"has {len(entries):,}", f"Take at most {MOST_SETTLED:,}.")
        return tuple(dict.fromkeys(entries))

    def value(self, name: str) -> str | None:
        """Return what stands in the table as it stands there; None where there is nothing."""
        value = getattr(self._given, name)
        if value is None:
            return None
        text = sound(self._text(name, value, LONGEST_WORDS)).replace("\x00", "\ufffd")  # PostgreSQL keeps no zeros
        if not text:
            self.refuse(name, "is empty", "Leave it out.")
        return text

    def line(self, name: str, longest: int) -> str:
        """Return a text on one line."""
        return self._text(name, self._one_line(name, getattr(self._given, name)), longest)

    def words(self, name: str) -> tuple[str, ...]:
        """Return short texts, without empty ones."""
        values = getattr(self._given, name)
        if isinstance(values, str) or not isinstance(values, Sequence):
            self.refuse(name, "is no list of texts" if name == "hidden" else "are no list of texts")
        lines = tuple(filter(None, (self._one_line(name, value) for value in values)))
        if len(lines) > MOST_REASONS:
            self.refuse(name, f"are {len(lines):,}", f"Take at most {MOST_REASONS}.")
        return tuple(self._text(name, line, LONGEST_REASON, "hold a text that") for line in lines)

    def note(self) -> str:
        """Return the note, with its line breaks."""
        text = self._given.note
        if isinstance(text, str):
            text = _CONTROL.sub(" ", sound(text).replace("\r\n", "\n").replace("\r", "\n"))
        return self._text("note", text, LONGEST_NOTE)

    def certainty(self) -> str | None:
        """Return how certain one is."""
        value = self._given.certainty
        if value is not None and value not in CERTAINTIES:
            self.refuse("certainty", f"is '{shown(value)}'", f"Take one of {', '.join(CERTAINTIES)}, or none.")
        return value

    def time(self) -> datetime:
        """Return when it was said."""
        value = self._given.at
        if not isinstance(value, datetime) or value.tzinfo is None:
            self.refuse("at", "is no time with a zone", "Take datetime.now(UTC).")
        return value.astimezone(UTC)

    def number(self, name: str, high: float, digits: int) -> float | None:
        """Return a number from 0 on, rounded so that every file holds it exactly."""
        value = getattr(self._given, name)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            self.refuse(name, "is no finite number", "Leave it out, or give a number.")
        rounded = round(float(value), digits) + 0.0  # no minus before a zero
        if not 0.0 <= rounded <= high:
            self.refuse(name, f"is {rounded:g}", f"It goes from 0 to {high:,.0f}.")
        return rounded

    def flag(self, name: str) -> bool:
        """Return a truth value."""
        value = getattr(self._given, name)
        if not isinstance(value, bool):
            self.refuse(name, "is neither true nor false")
        return value

    def _one_line(self, name: str, value: Any) -> str:
        """Return a text without line breaks and control characters."""
        if not isinstance(value, str):
            self.refuse(name, "is no text")
        return " ".join(_CONTROL.sub(" ", sound(value)).split())

    def _text(self, name: str, value: Any, longest: int, verb: str = "") -> str:
        """Return a text of bounded length."""
        if not isinstance(value, str):
            self.refuse(name, "is no text")
        if len(value) > longest:
            have = f"{verb} has" if verb else "has"
            self.refuse(name, f"{have} {len(value):,} characters", f"Take at most {longest:,}.")
        return value
