"""Verdicts of people in the database: added one behind the other, never changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, fields
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ScalarSelect, exists, func, insert, select
from sqlalchemy.orm import Session, aliased

from proset.common.errors import StorageError
from proset.common.words import shown
from proset.workspace.border import checked_judgement, words_of
from proset.workspace.chain import START, chained
from proset.workspace.schema import RecordRow, StudyRow
from proset.workspace.verdicts import Judgement, Record, RefusedJudgementError, ReviewVerdict

_AT_ONCE = 500  # databases take some thousand values in one question
_LISTS = ("reasons", "hidden", "settles")
_PLAIN = [field.name for field in fields(Judgement) if field.name not in (*_LISTS, "verdict", "at")]


def append_judgements(
    rows: Session,
    study_id: str,
    judgements: Sequence[Judgement],
    refused: Callable[[RefusedJudgementError], None] | None = None,
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
    tell = refused or _raised
    checked = _checked(judgements, tell)
    wanted = {
        name for judgement in checked for name in (judgement.entry, judgement.takes_back, *judgement.settles) if name
    }
    known = _known(rows, study_id, wanted)
    new = []
    for judgement in checked:
        try:
            if judgement.entry in known:
                _refuse_other_words(judgement, known[judgement.entry])
                continue
            _refuse_foreign_undo(judgement, known)
            _refuse_foreign_settlement(judgement, known)
        except RefusedJudgementError as error:
            tell(error)
            continue
        known[judgement.entry] = judgement
        new.append(judgement)
    last = rows.execute(
        select(RecordRow.number, RecordRow.hash).filter_by(study_id=study_id).order_by(RecordRow.number.desc()).limit(1)
    ).first()
    number, previous = (0, START) if last is None else (last.number, last.hash)
    records = chained(new, number=number, previous=previous)
    if records:
        rows.execute(insert(RecordRow), [{"study_id": study_id, **_values(record)} for record in records])
    return records


def _raised(error: RefusedJudgementError) -> None:
    """Refuse all for the sake of one."""
    raise error


def _checked(judgements: Sequence[Judgement], tell: Callable[[RefusedJudgementError], None]) -> list[Judgement]:
    """Return what may come in."""
    found = []
    for judgement in judgements:
        try:
            found.append(checked_judgement(judgement))
        except RefusedJudgementError as error:
            tell(error)
    return found


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


def _refuse_other_words(judgement: Judgement, kept: Judgement) -> None:
    """Refuse a judgement whose name stands for another one."""
    names = [field.name for field in fields(kept)]
    other = [words_of(name) for name in names if getattr(kept, name) != getattr(judgement, name)]
    if other:
        raise RefusedJudgementError(
            f"Row {judgement.row}: the entry '{judgement.entry}' is kept already with another {', '.join(other)}.",
            entry=judgement.entry,
            hint="Nothing that is kept is written over; send it as a new entry.",
        )


def _refuse_foreign_undo(judgement: Judgement, known: dict[str, Judgement]) -> None:
    """Refuse to take back what somebody else has said, of another row, or nobody."""
    if judgement.takes_back is None:
        return
    taken = known.get(judgement.takes_back)
    if taken is None:
        problem = "is not there"
    elif taken.verdict is ReviewVerdict.UNDONE:
        problem = "takes something back itself; say again what you mean"
    elif (taken.row, taken.reviewer) != (judgement.row, judgement.reviewer):
        problem = "is of another row or reviewer"
    else:
        return
    raise RefusedJudgementError(
        f"Row {judgement.row}: the entry '{judgement.takes_back}' cannot be taken back: it {problem}.",
        entry=judgement.entry,
    )


def _refuse_foreign_settlement(judgement: Judgement, known: dict[str, Judgement]) -> None:
    """Refuse to settle what nobody has said of this row."""
    for entry in judgement.settles:
        settled = known.get(entry)
        if settled is None:
            problem = "is not there"
        elif settled.row != judgement.row:
            problem = "is of another row"
        elif settled.verdict is ReviewVerdict.UNDONE or settled.settles:
            problem = "is no verdict of somebody on the case"
        else:
            continue
        raise RefusedJudgementError(
            f"Row {judgement.row}: the entry '{entry}' cannot be settled: it {problem}.", entry=judgement.entry
        )


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
