"""A workspace: what is kept, and what may be done with it."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sqlalchemy import func, select, update

from proset.storage import result_from_bytes, result_to_bytes, table_from_bytes, table_to_bytes
from proset.workspace.address import WorkspaceAddress
from proset.workspace.admission import Refused
from proset.workspace.cards import Card, KeptStudy, StudyFacts
from proset.workspace.database import Database
from proset.workspace.files import HashedFiles
from proset.workspace.records import append_judgements, read_records
from proset.workspace.rows import (
    CARDS,
    LONGEST_NAME,
    USED_FILES,
    ChangedElsewhereError,
    NotKeptError,
    card_of,
    checked_name,
    copy_models_and_records,
    facts_text,
    model_files,
    new_id,
    not_kept,
    own_files,
    study_row,
    utc_now,
)
from proset.workspace.schema import FoldRow, ModelRow, PlaceRow, StudyRow, WorkRow
from proset.workspace.verdicts import Judgement, Record

if TYPE_CHECKING:
    from proset.data.table import Table
    from proset.study.any_study import AnyStudy


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
            return [card_of(row, *counts) for row, *counts in rows.execute(CARDS.where(wanted))]

    def read(self, study_id: str) -> KeptStudy:
        """Return a study as it is kept."""
        with self._database.reading() as rows:
            found = rows.execute(CARDS.where(StudyRow.id == study_id, StudyRow.deleted.is_(None))).first()
            if found is None:
                raise not_kept()
            models = rows.scalars(select(ModelRow.model_id).filter_by(study_id=study_id).order_by(ModelRow.number))
            work = rows.scalar(select(WorkRow.content).filter_by(study_id=study_id))
            return KeptStudy(card_of(*found), found[0].choices, found[0].view, tuple(models), work)

    def table(self, study_id: str) -> Table:
        """Return the table of a study."""
        with self._database.reading() as rows:
            return table_from_bytes(self._files.get(study_row(rows, study_id).table_file))

    def source(self, study_id: str) -> bytes | None:
        """Return the file that the table was read from; None if it is not kept."""
        with self._database.reading() as rows:
            name = study_row(rows, study_id).source_file
        return None if name is None else self._files.get(name)

    def model(self, study_id: str, model_id: str, table: Table) -> AnyStudy:
        """Return a model of a study, put together with its table; NotKeptError if it has no such model."""
        with self._database.reading() as rows:
            name = rows.scalar(select(ModelRow.file).filter_by(study_id=study_id, model_id=model_id))
        if name is None:
            raise NotKeptError("The model is no longer kept.", hint="Fit it again.")
        return result_from_bytes(self._files.get(name), table)

    def folds(self, study_id: str, model_id: str, table: Table) -> tuple[AnyStudy, ...]:
        """Return what :meth:`keep_folds` kept of a model, put together with its table; nothing if nothing was kept."""
        with self._database.reading() as rows:
            mine = select(FoldRow.file).filter_by(study_id=study_id, model_id=model_id).order_by(FoldRow.number)
            names = rows.scalars(mine).all()
        return tuple(result_from_bytes(self._files.get(name), table) for name in names)

    def records(self, study_id: str) -> tuple[Record, ...]:
        """Return all that people have said of rows of a study, oldest first.

        :func:`proset.workspace.chain.verify` says whether it was changed since.
        """
        with self._database.reading() as rows:
            study_row(rows, study_id)
            return read_records(rows, study_id)

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
        packed, now = table_to_bytes(table), utc_now()
        with self._database.writing() as rows:
            row = StudyRow(
                id=study_id or new_id(),
                name=checked_name(name[:LONGEST_NAME] if name.strip() else "Table"),
                sample=sample,
                table_file=self._files.put(packed),
                source_file=None if source is None else self._files.put(source),
                choices=choices,
                view=view,
                facts=facts_text(facts),
                version=1,
                created=now,
                touched=now,
            )
            rows.add(row)
            return card_of(row, 0, 0, 0)

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
            row = study_row(rows, study_id)
            if row.version != version:
                raise ChangedElsewhereError(f"'{row.name}' was changed in another window meanwhile.")
            row.choices, row.version, row.touched = choices, version + 1, utc_now()
        return version + 1

    def look(self, study_id: str, view: str, facts: StudyFacts) -> None:
        """Keep what is looked at now; of two who look at different things the last one is remembered."""
        with self._database.writing() as rows:
            row = study_row(rows, study_id)
            row.view, row.facts, row.touched = view, facts_text(facts), utc_now()

    def keep_model(self, study_id: str, study: AnyStudy) -> None:
        """Keep a model of a study; one that is kept already stays as it is."""
        packed = result_to_bytes(study)
        with self._database.writing() as rows:
            study_row(rows, study_id)
            number = rows.scalar(select(func.coalesce(func.max(ModelRow.number), 0)).filter_by(study_id=study_id)) or 0
            if rows.get(ModelRow, (study_id, study.id)) is None:
                model = ModelRow(study_id=study_id, model_id=study.id, number=number + 1, created=utc_now())
                model.file = self._files.put(packed)
                rows.add(model)

    def keep_folds(self, study_id: str, model_id: str, folds: Sequence[AnyStudy]) -> None:
        """Keep the studies of the folds of a model's training rows; NotKeptError if it has no such model.

        Those that are kept already stay as they are.
        """
        packed = [result_to_bytes(study) for study in folds]
        with self._database.writing() as rows:
            if rows.get(ModelRow, (study_id, model_id)) is None:
                raise not_kept()
            for number, content in enumerate(packed):
                if rows.get(FoldRow, (study_id, model_id, number)) is None:
                    fold = FoldRow(study_id=study_id, model_id=model_id, number=number)
                    fold.file = self._files.put(content)
                    rows.add(fold)

    def remove_model(self, study_id: str, model_id: str) -> None:
        """Remove a model of a study; one that is not kept does not matter."""
        with self._database.writing() as rows:
            model = rows.get(ModelRow, (study_id, model_id))
            if model is None:
                return
            names = model_files(rows, model)
            rows.delete(model)
        self._drop(names)

    def keep_work(self, study_id: str, content: str | None, *, only_over: tuple[str | None, ...] = ()) -> bool:
        """Keep how far work on a study has come; None if there is none any more.

        Parameters
        ----------
        only_over : tuple of str or None
            What may be kept by now; if it is something else, nothing is written. If empty, it may be anything.

        Returns
        -------
        bool
            False if nothing was written.
        """
        with self._database.writing() as rows:
            study_row(rows, study_id)
            work = rows.get(WorkRow, study_id)
            if only_over and (None if work is None else work.content) not in only_over:
                return False
            if content is None:
                if work is not None:
                    rows.delete(work)
            elif work is None:
                rows.add(WorkRow(study_id=study_id, content=content, touched=utc_now()))
            else:
                work.content, work.touched = content, utc_now()
            return True

    def say(
        self,
        study_id: str,
        judgements: Iterable[Judgement],
        *,
        refused: Refused | None = None,
    ) -> tuple[Record, ...]:
        """Keep what people say of rows, behind all that was said before; nothing that is kept is changed.

        Several programs may do so at once, and the same judgements may be sent again: those whose entry is kept
        already with the same content are passed over.

        Parameters
        ----------
        judgements : iterable of Judgement
            In the order in which they were said. That their rows are in the table is for the caller to see to.
        refused : callable or None
            Told of each that cannot be kept, and all others are; with None the first of them is raised.

        Returns
        -------
        tuple of Record
            The new ones.

        Raises
        ------
        RefusedJudgementError
            If one of them cannot be kept; its text names row and field, its ``entry`` the judgement. None is kept then.
        """
        with self._database.writing() as rows:
            row = study_row(rows, study_id)
            records = append_judgements(rows, study_id, list(judgements), refused)
            if records:
                row.touched = utc_now()
            return records

    # --- managing -------------------------------------------------------------------------------------------------
    def rename(self, study_id: str, name: str) -> None:
        """Give a study another name; a StorageError if it is empty."""
        with self._database.writing() as rows:
            study_row(rows, study_id).name = checked_name(name)

    def duplicate(self, study_id: str) -> Card:
        """Make a second study of one, with its models and verdicts; work that has not ended stays with the first."""
        now, copy_id = utc_now(), new_id()
        with self._database.writing() as rows:
            row = study_row(rows, study_id)
            known = {column.name: getattr(row, column.name) for column in StudyRow.__table__.columns}
            name = checked_name(f"Copy of {row.name}"[:LONGEST_NAME])
            copy = StudyRow(**known | {"id": copy_id, "name": name, "version": 1, "created": now, "touched": now})
            rows.add(copy)
            rows.flush()
            copy_models_and_records(rows, study_id, copy_id)
            return card_of(*rows.execute(CARDS.where(StudyRow.id == copy_id)).one())

    def delete(self, study_id: str) -> None:
        """Put a study aside: it is listed as deleted until it is restored or removed."""
        with self._database.writing() as rows:
            study_row(rows, study_id).deleted = utc_now()

    def restore(self, study_id: str) -> None:
        """Take back that a study was deleted; NotKeptError if it was removed."""
        with self._database.writing() as rows:
            if not rows.execute(update(StudyRow).filter_by(id=study_id).values(deleted=None)).rowcount:  # type: ignore[attr-defined]
                raise not_kept()

    def remove(self, study_id: str) -> None:
        """Remove a study for ever, deleted or not, with all files that no other study has; one that is gone is fine."""
        with self._database.writing() as rows:
            row = rows.get(StudyRow, study_id)
            if row is None:
                return
            names = own_files(rows, row)
            rows.delete(row)
        self._drop(names)
        self._database.forget()

    def withdraw(self, study_id: str, version: int) -> None:
        """Remove a study to which nobody has added anything: no model, no verdict, no work, no other choices since."""
        with self._database.writing() as rows:
            row = rows.get(StudyRow, study_id)
            if row is None or row.deleted is not None or row.version != version:
                return
            models = rows.scalar(select(func.count()).select_from(ModelRow).filter_by(study_id=study_id))
            if models or rows.get(WorkRow, study_id) is not None or read_records(rows, study_id):
                return
            names = own_files(rows, row)
            rows.delete(row)
        self._drop(names)

    def sweep(self) -> None:
        """Remove files that a program has left behind which was killed while it wrote."""
        with self._database.writing() as rows:
            self._files.sweep(set(rows.scalars(USED_FILES)))

    def size(self) -> int:
        """Return the bytes that files and database take; the database of a server is not counted."""
        return self._files.size() + self._database.size()

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def _drop(self, names: Iterable[str]) -> None:
        """Remove files that no row names. Rows are gone by now: who is killed in between leaves files, never gaps."""
        with self._database.writing() as rows:
            for name in set(names) - set(rows.scalars(USED_FILES)):
                self._files.drop(name)
