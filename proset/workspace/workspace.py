"""A workspace: what is kept, and what may be done with it."""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from sqlalchemy import func, insert, literal, select, update
from sqlalchemy.orm import Session

from proset.common.checked_json import parse_json
from proset.common.errors import StorageError
from proset.storage import result_from_bytes, result_to_bytes, table_from_bytes, table_to_bytes
from proset.storage.records import from_record, to_record
from proset.workspace.address import WorkspaceAddress
from proset.workspace.cards import Card, StudyFacts
from proset.workspace.database import Database
from proset.workspace.files import HashedFiles
from proset.workspace.schema import ModelRow, PlaceRow, StudyRow, WorkRow

if TYPE_CHECKING:
    from proset.data.table import Table
    from proset.study import Study

LONGEST_NAME = 200


class NotKeptError(StorageError):
    """The workspace has no such study, or no longer."""


class ChangedElsewhereError(StorageError):
    """Somebody else has changed the study since it was read; what they wrote stands."""


@dataclass(frozen=True, eq=False)
class KeptStudy:
    """One study as it is kept.

    Attributes
    ----------
    card : Card
        It in short.
    choices, view : str
        What is chosen for it, and what is looked at, as who keeps it writes them.
    models : tuple of str
        Ids of its models, oldest first.
    work : str or None
        Work that has not ended, as who keeps it writes it.
    """

    card: Card
    choices: str
    view: str
    models: tuple[str, ...]
    work: str | None


class Workspace:
    """Studies that outlive a session.

    Studies are named by ids. Methods that take one raise :class:`NotKeptError` if there is no such study or it was
    deleted, but where something else is said. Several programs may use one workspace at once.

    Parameters
    ----------
    address : WorkspaceAddress
        Folder and database; both are made where they are not there.

    Examples
    --------
    >>> import tempfile
    >>> from proset.data.samples import load_sample
    >>> from proset.workspace import workspace_address
    >>> folder = tempfile.TemporaryDirectory()
    >>> workspace = Workspace(workspace_address({"PROSET_WORKSPACE": folder.name}))
    >>> iris = load_sample("iris_2f")
    >>> card = workspace.create("Flowers", iris, StudyFacts.of(iris, None))
    >>> [(known.name, known.facts.n_rows) for known in workspace.cards()]
    [('Flowers', 150)]
    >>> workspace.table(card.id).frame.equals(iris.frame)
    True
    >>> workspace.close()
    >>> folder.cleanup()
    """

    def __init__(self, address: WorkspaceAddress) -> None:
        self.address = address
        self._database = Database(address)
        with self._database.writing() as rows:
            place = rows.scalar(select(PlaceRow.id))
            if place is None:
                place = secrets.token_hex(8)
                rows.add(PlaceRow(id=place))
        self._files = HashedFiles(address.folder / "files" / place)

    # --- looking --------------------------------------------------------------------------------------------------
    def cards(self, *, deleted: bool = False) -> list[Card]:
        """Return all studies in short, those touched last first; or those that were deleted and can come back."""
        wanted = StudyRow.deleted.is_not(None) if deleted else StudyRow.deleted.is_(None)
        with self._database.reading() as rows:
            return [_card(row, *counts) for row, *counts in rows.execute(_CARDS.where(wanted))]

    def read(self, study_id: str) -> KeptStudy:
        """Return a study as it is kept."""
        with self._database.reading() as rows:
            found = rows.execute(_CARDS.where(StudyRow.id == study_id, StudyRow.deleted.is_(None))).first()
            if found is None:
                raise _not_kept()
            models = rows.scalars(select(ModelRow.model_id).filter_by(study_id=study_id).order_by(ModelRow.number))
            work = rows.scalar(select(WorkRow.content).filter_by(study_id=study_id))
            return KeptStudy(_card(*found), found[0].choices, found[0].view, tuple(models), work)

    def table(self, study_id: str) -> Table:
        """Return the table of a study."""
        with self._database.reading() as rows:
            return table_from_bytes(self._files.get(_row(rows, study_id).table_file))

    def source(self, study_id: str) -> bytes | None:
        """Return the file that the table was read from; None if it is not kept."""
        with self._database.reading() as rows:
            name = _row(rows, study_id).source_file
        return None if name is None else self._files.get(name)

    def model(self, study_id: str, model_id: str, table: Table) -> Study:
        """Return a model of a study, put together with its table; NotKeptError if it has no such model."""
        with self._database.reading() as rows:
            name = rows.scalar(select(ModelRow.file).filter_by(study_id=study_id, model_id=model_id))
        if name is None:
            raise NotKeptError("The model is no longer kept.", hint="Fit it again.")
        return result_from_bytes(self._files.get(name), table)

    # --- keeping --------------------------------------------------------------------------------------------------
    def create(
        self,
        name: str,
        table: Table,
        facts: StudyFacts,
        *,
        choices: str = "{}",
        view: str = "{}",
        study_id: str | None = None,
        source: bytes | None = None,
        sample: str | None = None,
    ) -> Card:
        """Keep a new study.

        Parameters
        ----------
        name : str
            What its person calls it; a long one is cut, and an empty one is "Table".
        table : Table
            Its table.
        facts : StudyFacts
            It in short.
        choices, view : str
            See :class:`KeptStudy`.
        study_id : str or None
            Its id, which no other one may have; by default a random one.
        source : bytes or None
            The file that the table was read from.
        sample : str or None
            Name of the bundled data set that the table is.
        """
        packed, now = table_to_bytes(table), _now()
        with self._database.writing() as rows:
            row = StudyRow(
                id=study_id or secrets.token_urlsafe(9),
                name=_name(name[:LONGEST_NAME] if name.strip() else "Table"),
                sample=sample,
                table_file=self._files.put(packed),
                source_file=None if source is None else self._files.put(source),
                choices=choices,
                view=view,
                facts=_facts(facts),
                version=1,
                created=now,
                touched=now,
            )
            rows.add(row)
            return _card(row, 0, 0)

    def change(self, study_id: str, version: int, choices: str) -> int:
        """Keep what is chosen now, and return the version that this makes.

        Parameters
        ----------
        version : int
            The version that was changed.

        Raises
        ------
        ChangedElsewhereError
            If it is no longer the present one.
        """
        with self._database.writing() as rows:
            row = _row(rows, study_id)
            if row.version != version:
                raise ChangedElsewhereError(f"'{row.name}' was changed in another window meanwhile.")
            row.choices, row.version, row.touched = choices, version + 1, _now()
        return version + 1

    def look(self, study_id: str, view: str, facts: StudyFacts) -> None:
        """Keep what is looked at now; of two who look at different things the last one is remembered."""
        with self._database.writing() as rows:
            row = _row(rows, study_id)
            row.view, row.facts, row.touched = view, _facts(facts), _now()

    def keep_model(self, study_id: str, study: Study) -> None:
        """Keep a model of a study; one that is kept already stays as it is."""
        packed = result_to_bytes(study)
        with self._database.writing() as rows:
            _row(rows, study_id)
            number = rows.scalar(select(func.coalesce(func.max(ModelRow.number), 0)).filter_by(study_id=study_id)) or 0
            if rows.get(ModelRow, (study_id, study.id)) is None:
                model = ModelRow(study_id=study_id, model_id=study.id, number=number + 1, created=_now())
                model.file = self._files.put(packed)
                rows.add(model)

    def remove_model(self, study_id: str, model_id: str) -> None:
        """Remove a model of a study; one that is not kept does not matter."""
        with self._database.writing() as rows:
            model = rows.get(ModelRow, (study_id, model_id))
            if model is None:
                return
            names = [model.file]
            rows.delete(model)
        self._drop(names)

    def keep_work(self, study_id: str, content: str | None) -> None:
        """Keep how far work on a study has come; None if there is none any more."""
        with self._database.writing() as rows:
            _row(rows, study_id)
            work = rows.get(WorkRow, study_id)
            if content is None:
                if work is not None:
                    rows.delete(work)
            elif work is None:
                rows.add(WorkRow(study_id=study_id, content=content, touched=_now()))
            else:
                work.content, work.touched = content, _now()

    # --- managing -------------------------------------------------------------------------------------------------
    def rename(self, study_id: str, name: str) -> None:
        """Give a study another name; a StorageError if it is empty."""
        with self._database.writing() as rows:
            _row(rows, study_id).name = _name(name)

    def duplicate(self, study_id: str) -> Card:
        """Make a second study of a study, with its models; work that has not ended stays with the first."""
        now, copy_id = _now(), secrets.token_urlsafe(9)
        with self._database.writing() as rows:
            row = _row(rows, study_id)
            known = {column.name: getattr(row, column.name) for column in StudyRow.__table__.columns}
            name = _name(f"Copy of {row.name}"[:LONGEST_NAME])
            copy = StudyRow(**known | {"id": copy_id, "name": name, "version": 1, "created": now, "touched": now})
            rows.add(copy)
            rows.flush()
            theirs = select(literal(copy_id), ModelRow.model_id, ModelRow.number, ModelRow.file, ModelRow.created)
            rows.execute(insert(ModelRow).from_select(_MODEL_COLUMNS, theirs.where(ModelRow.study_id == study_id)))
            n_models = rows.scalar(select(func.count()).select_from(ModelRow).filter_by(study_id=copy_id)) or 0
            return _card(copy, n_models, 0)

    def delete(self, study_id: str) -> None:
        """Put a study aside: it is listed as deleted until it is restored or removed."""
        with self._database.writing() as rows:
            _row(rows, study_id).deleted = _now()

    def restore(self, study_id: str) -> None:
        """Take back that a study was deleted; NotKeptError if it was removed."""
        with self._database.writing() as rows:
            if not rows.execute(update(StudyRow).filter_by(id=study_id).values(deleted=None)).rowcount:  # type: ignore[attr-defined]
                raise _not_kept()

    def remove(self, study_id: str) -> None:
        """Remove a study for ever, deleted or not, with all files that no other study has; one that is gone is fine."""
        with self._database.writing() as rows:
            row = rows.get(StudyRow, study_id)
            if row is None:
                return
            names = _own_files(row)
            names += rows.scalars(select(ModelRow.file).filter_by(study_id=study_id))
            rows.delete(row)
        self._drop(names)
        self._database.forget()

    def withdraw(self, study_id: str, version: int) -> None:
        """Remove a study to which nobody has added anything: no model, no work, no other choices since."""
        with self._database.writing() as rows:
            row = rows.get(StudyRow, study_id)
            if row is None or row.deleted is not None or row.version != version:
                return
            models = rows.scalar(select(func.count()).select_from(ModelRow).filter_by(study_id=study_id))
            if models or rows.get(WorkRow, study_id) is not None:
                return
            names = _own_files(row)
            rows.delete(row)
        self._drop(names)

    def sweep(self) -> None:
        """Remove files that a program has left behind which was killed while it wrote."""
        with self._database.writing() as rows:
            self._files.sweep(set(rows.scalars(_USED)))

    def size(self) -> int:
        """Return the bytes that files and database take; the database of a server is not counted."""
        return self._files.size() + self._database.size()

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def _drop(self, names: Iterable[str]) -> None:
        """Remove files that no row names. Rows are gone by now: who is killed in between leaves files, never gaps."""
        with self._database.writing() as rows:
            for name in set(names) - set(rows.scalars(_USED)):
                self._files.drop(name)


_MODEL_COLUMNS = ["study_id", "model_id", "number", "file", "created"]
_N_MODELS = select(func.count()).select_from(ModelRow).where(ModelRow.study_id == StudyRow.id).scalar_subquery()
_N_WORK = select(func.count()).select_from(WorkRow).where(WorkRow.study_id == StudyRow.id).scalar_subquery()
_CARDS = select(StudyRow, _N_MODELS, _N_WORK).order_by(StudyRow.touched.desc(), StudyRow.id)
_USED = select(StudyRow.table_file).union(
    select(StudyRow.source_file).where(StudyRow.source_file.is_not(None)), select(ModelRow.file)
)


def _row(rows: Session, study_id: str) -> StudyRow:
    """Return the row of a study that was not deleted."""
    row = rows.get(StudyRow, study_id)
    if row is None or row.deleted is not None:
        raise _not_kept()
    return row


def _own_files(row: StudyRow) -> list[str]:
    """Return the names of the files of a study but for its models."""
    return [name for name in (row.table_file, row.source_file) if name]


def _card(row: StudyRow, n_models: int, n_work: int) -> Card:
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
    )


def _facts(facts: StudyFacts) -> str:
    """Write facts down."""
    return json.dumps(to_record(facts))


def _name(name: str) -> str:
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


def _not_kept() -> NotKeptError:
    """Return the error for a study that is not there."""
    return NotKeptError("The study is no longer kept: it was deleted or removed.", hint="Open another one.")


def _now() -> datetime:
    """Return the time in UTC, as databases keep it: without a zone."""
    return datetime.now(UTC).replace(tzinfo=None)
