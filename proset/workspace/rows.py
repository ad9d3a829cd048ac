"""Rows of the database about studies, and what is read out of them and written into them."""

from __future__ import annotations

import json
import secrets
import string
from datetime import UTC, datetime

from sqlalchemy import func, insert, literal, select
from sqlalchemy.orm import Session

from proset.common.checked_json import parse_json
from proset.common.errors import StorageError
from proset.storage.records import from_record, to_record
from proset.workspace.cards import Card, StudyFacts
from proset.workspace.records import N_REVIEWED
from proset.workspace.schema import FoldRow, ModelRow, RecordRow, StudyRow, WorkRow

LONGEST_NAME = 200


class NotKeptError(StorageError):
    """The workspace has no such study, or no longer."""


class ChangedElsewhereError(StorageError):
    """Somebody else has changed the study since it was read; what they wrote stands."""


_N_MODELS = select(func.count()).select_from(ModelRow).where(ModelRow.study_id == StudyRow.id).scalar_subquery()
_N_WORK = select(func.count()).select_from(WorkRow).where(WorkRow.study_id == StudyRow.id).scalar_subquery()
CARDS = select(StudyRow, _N_MODELS, _N_WORK, N_REVIEWED).order_by(StudyRow.touched.desc(), StudyRow.id)
USED_FILES = select(StudyRow.table_file).union(
    select(StudyRow.source_file).where(StudyRow.source_file.is_not(None)), select(ModelRow.file), select(FoldRow.file)
)


def new_id() -> str:
    """Draw an id; a command line would take one that begins with a dash for an option."""
    return secrets.choice(string.ascii_letters) + secrets.token_urlsafe(9)[1:]


def study_row(rows: Session, study_id: str) -> StudyRow:
    """Return the row of a study that was not deleted."""
    row = rows.get(StudyRow, study_id)
    if row is None or row.deleted is not None:
        raise not_kept()
    return row


def own_files(rows: Session, row: StudyRow) -> list[str]:
    """Return the names of the files of a study."""
    models = select(ModelRow.file).filter_by(study_id=row.id)
    folds = select(FoldRow.file).filter_by(study_id=row.id)
    own = [name for name in (row.table_file, row.source_file) if name]
    return [*own, *rows.scalars(models), *rows.scalars(folds)]


def model_files(rows: Session, model: ModelRow) -> list[str]:
    """Return the names of the files of a model."""
    folds = select(FoldRow.file).filter_by(study_id=model.study_id, model_id=model.model_id)
    return [model.file, *rows.scalars(folds)]


def copy_models_and_records(rows: Session, study_id: str, copy_id: str) -> None:
    """Give a copy of a study the same models and records; hashes of records do not name the study."""
    for kind in (ModelRow, FoldRow, RecordRow):
        names = [column.name for column in kind.__table__.columns if column.name != "study_id"]
        theirs = select(literal(copy_id), *(getattr(kind, name) for name in names)).where(kind.study_id == study_id)
        rows.execute(insert(kind).from_select(["study_id", *names], theirs))


def card_of(row: StudyRow, n_models: int, n_work: int, n_reviewed: int) -> Card:
    """Make a card of a row."""
    return Card(
        id=row.id,
        name=row.name,
        facts=from_record(StudyFacts, parse_json(row.facts, "The workspace"), "facts"),
        n_models=n_models,
        unfinished=n_work > 0,
        sample=row.sample,
        version=row.version,
        created=row.created.replace(tzinfo=UTC),
        touched=row.touched.replace(tzinfo=UTC),
        deleted=None if row.deleted is None else row.deleted.replace(tzinfo=UTC),
        n_reviewed=n_reviewed,
    )


def facts_text(facts: StudyFacts) -> str:
    """Write facts down."""
    return json.dumps(to_record(facts))


def checked_name(name: str) -> str:
    """Return a name on one line.

    Raises
    ------
    StorageError
        If there is nothing left of it, or too much.
    """
    words = " ".join(name.encode("utf-8", "replace").decode("utf-8").replace("\x00", " ").split())
    if not words:
        raise StorageError("A study needs a name.", hint="Type one.")
    if len(words) > LONGEST_NAME:
        raise StorageError(f"The name has {len(words):,} characters.", hint=f"Take at most {LONGEST_NAME}.")
    return words


def not_kept() -> NotKeptError:
    """Return the error for a study that is not there."""
    return NotKeptError("The study is no longer kept: it was deleted or removed.", hint="Open another one.")


def utc_now() -> datetime:
    """Return the time in UTC, as databases keep it: without a zone."""
    return datetime.now(UTC).replace(tzinfo=None)
