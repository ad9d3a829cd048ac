"""The chain of records: each holds the hash of the one before, so that what is changed afterwards shows."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

from proset.common.words import shown
from proset.workspace.verdicts import Judgement, Record

_LATER = ("settles",)  # fields that came later: where they hold nothing, the hash is that from before there were any

START = "0" * 64
"""Stands before the first record."""


def record_hash(judgement: Judgement, number: int, previous: str) -> str:
    """Return the SHA-256 of a record: of its JSON with sorted keys, in ASCII, without blanks.

    Parameters
    ----------
    number : int
        1 for the first.
    previous : str
        Hash of the record before; :data:`START` for the first.

    Returns
    -------
    str
        64 hexadecimal digits.

    Examples
    --------
    >>> from proset.workspace.verdicts import ReviewVerdict
    >>> at = datetime(2026, 1, 1, tzinfo=UTC)
    >>> said = Judgement(entry="a", row=7, row_hash=START, verdict=ReviewVerdict.TABLE, at=at)
    >>> record_hash(said, 1, START)[:8], record_hash(said, 2, START)[:8]
    ('8277a42d', '356cc45a')
    """
    content = {field.name: _plain(getattr(judgement, field.name)) for field in fields(judgement)}
    for name in _LATER:
        if not content[name]:
            del content[name]
    whole = {"judgement": content, "number": number, "previous": previous}
    # What somebody else has put into the database may be of any kind.
    text = json.dumps(whole, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def chained(judgements: Iterable[Judgement], *, number: int = 0, previous: str = START) -> tuple[Record, ...]:
    """Return judgements as records, each tied to the one before.

    Parameters
    ----------
    judgements : iterable of Judgement
        In the order in which they are kept.
    number : int
        Of the record that stands before them; 0 for none.
    previous : str
        Its hash.

    Examples
    --------
    >>> chained([])
    ()
    """
    records = []
    for judgement in judgements:
        number += 1
        record = Record(number, judgement, previous, record_hash(judgement, number, previous))
        records.append(record)
        previous = record.hash
    return tuple(records)


def verify(records: Sequence[Record]) -> tuple[str, ...]:
    """Say which records were changed, removed, moved or put in between.

    Parameters
    ----------
    records : sequence of Record
        All records of a study, in their order.

    Returns
    -------
    tuple of str
        One sentence for each thing that is wrong; empty if nothing is. That records were cut off at the end, or all of
        them written anew, cannot be seen here: compare the last hash with one that was noted elsewhere.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from proset.workspace.verdicts import ReviewVerdict
    >>> at = datetime(2026, 1, 1, tzinfo=UTC)
    >>> said = [Judgement(entry=name, row=7, row_hash=START, verdict=ReviewVerdict.TABLE, at=at) for name in "abc"]
    >>> first, second, third = chained(said)
    >>> verify([first, second, third])
    ()
    >>> verify([first, replace(second, judgement=replace(said[1], note="no")), third])
    ('Record 2 (row 7) was changed after it was written.',)
    >>> verify([first, third])
    ('Record 2 is missing: after record 1 comes record 3.',)
    """
    found: list[str] = []
    number, previous, sound = 0, START, True
    for record in records:
        name = f"Record {shown(record.number)} (row {shown(record.judgement.row)})"
        after = f"after record {shown(number)}" if number else "at the beginning"
        in_order = record.number == number + 1
        followed, sound = sound, record.hash == record_hash(record.judgement, record.number, record.previous)
        if not sound:
            found.append(f"{name} was changed after it was written.")
        elif in_order and followed and record.previous != previous:
            other = f"another record {number} than the one that stands there" if number else "a record that is gone"
            found.append(f"{name} was written behind {other}.")
        if not in_order:
            found.append(_gap(number, record.number, name, after))
        number, previous = record.number, record.hash
    return tuple(found)


def _gap(before: int, number: int, name: str, after: str) -> str:
    """Say what is wrong with a number that does not follow the one before."""
    if number <= before:
        return f"{name} stands in the wrong place: it comes {after}."
    missing = f"Record {before + 1} is" if number == before + 2 else f"Records {before + 1} to {number - 1} are"
    return f"{missing} missing: {after} comes record {number}."


def _plain(value: Any) -> Any:
    """Return what JSON writes for a field, the same on every machine."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    return list(value) if isinstance(value, tuple) else value
