"""Verdicts of people in the database: added one behind the other, never changed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ScalarSelect, exists, func, insert, select
from sqlalchemy.orm import Session, aliased

from proset.common.errors import StorageError
from proset.common.words import shown
from proset.workspace.admission import Refused, admitted
from proset.workspace.chain import START, chained
from proset.workspace.schema import RecordRow, StudyRow
from proset.workspace.verdicts import Judgement, Record, ReviewVerdict

_AT_ONCE = 500  # databases take some thousand values in one question
_LISTS = ("reasons", "hidden", "settles")
_PLAIN = [field.name for field in fields(Judgement) if field.name not in (*_LISTS, "verdict", "at")]


def append_judgements(
    rows: Session,
    study_id: str,
    judgements: Sequence[Judgement],
    refused: Refused | None = None,
) -> tuple[Record, ...]:
    """Add those judgements that are not kept yet, in their order, by somebody who holds the write lock.

    Parameters
    ----------
    refused : callable or None
        Told of each judgement that is refused, and the others are kept; with None the first one is raised.

    Returns
    -------
    tuple of Record
        The new ones.

    Raises
    ------
    RefusedJudgementError
        If one is refused at the border, has the name of another one, takes back what its reviewer has not said of
        this row, or settles what nobody has said of it. None of the judgements is kept then.
    """
    new = admitted(judgements, lambda names: _known(rows, study_id, names), refused)
    last = rows.execute(
        select(RecordRow.number, RecordRow.hash).filter_by(study_id=study_id).order_by(RecordRow.number.desc()).limit(1)
    ).first()
    number, previous = (0, START) if last is None else (last.number, last.hash)
    records = chained(new, number=number, previous=previous)
    if records:
        rows.execute(insert(RecordRow), [{"study_id": study_id, **_values(record)} for record in records])
    return records


def read_records(rows: Session, study_id: str) -> tuple[Record, ...]:
    """Return the records of a study in the order of their numbers."""
    found = rows.scalars(select(RecordRow).filter_by(study_id=study_id).order_by(RecordRow.number))
    return tuple(Record(row.number, _judgement(row), row.previous, row.hash) for row in found)


def _reviewed() -> ScalarSelect[int]:
    """Count the rows with a verdict that stands, as :func:`proset.workspace.verdicts.standing` finds them.

    What settles a dispute counts as long as it stands, too: somebody has said something of the row.
    """
    record, later = aliased(RecordRow), aliased(RecordRow)

    def taken_back(which: Any) -> Any:
        undo = aliased(RecordRow)
        return exists().where(undo.study_id == which.study_id, undo.takes_back == which.entry)

    said_later = exists().where(
        later.study_id == record.study_id,
        later.row == record.row,
        later.reviewer == record.reviewer,
        later.number > record.number,
        later.verdict != ReviewVerdict.UNDONE.value,
        ~taken_back(later),
    )
    return (
        select(func.count(record.row.distinct()))
        .where(
            record.study_id == StudyRow.id,
            record.verdict.not_in([ReviewVerdict.UNDONE.value, ReviewVerdict.SKIPPED.value]),
            ~taken_back(record),
            ~said_later,
        )
        .correlate(StudyRow)
        .scalar_subquery()
    )


N_REVIEWED = _reviewed()
"""The number of rows of a study with a verdict that stands, in a question about studies."""


def _known(rows: Session, study_id: str, entries: Iterable[str]) -> dict[str, Judgement]:
    """Return the judgements that are kept under some names."""
    names = sorted(entries)
    found: dict[str, Judgement] = {}
    for start in range(0, len(names), _AT_ONCE):
        some = (
            select(RecordRow).filter_by(study_id=study_id).where(RecordRow.entry.in_(names[start : start + _AT_ONCE]))
        )
        found |= {row.entry: _judgement(row) for row in rows.scalars(some)}
    return found


def _values(record: Record) -> dict[str, Any]:
    """Return what the database keeps of a record."""
    values = asdict(record.judgement)
    values |= {name: json.dumps(values[name], separators=(",", ":")) for name in _LISTS}
    at = record.judgement.at.isoformat(timespec="microseconds")
    values |= {"verdict": record.judgement.verdict.value, "at": at}
    return values | {"number": record.number, "previous": record.previous, "hash": record.hash}


def _judgement(row: RecordRow) -> Judgement:
    """Return what was said; a list that was tampered with becomes one word, so that its hash tells on it."""
    values = {name: getattr(row, name) for name in _PLAIN}
    values |= {name: _words(getattr(row, name)) for name in _LISTS}
    try:
        at = datetime.fromisoformat(row.at).astimezone(UTC)
        return Judgement(**values, verdict=ReviewVerdict(row.verdict), at=at)
    except (ValueError, TypeError, OverflowError) as error:
        raise StorageError(
            f"Record {shown(row.number)} (row {shown(row.row)}) was changed after it was written: '{shown(error)}'.",
            hint="Bring the database back from a backup.",
        ) from error


def _words(text: str) -> tuple[str, ...]:
    """Return a list of texts as it was written."""
    try:
        found = json.loads(text)
    except (ValueError, TypeError, RecursionError):
        found = None
    return tuple(found) if isinstance(found, list) and all(isinstance(word, str) for word in found) else (str(text),)
