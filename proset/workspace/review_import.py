"""Verdicts from a file, taken into a study: what is there stays, what does not fit is said, the rest is kept."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Protocol

from proset.common.lazy import lazy_property
from proset.common.words import listed, shown
from proset.data.issues import Role
from proset.data.number_target import number_text, text_number
from proset.data.roles import Roles
from proset.data.target import target_labels
from proset.study import NumberStudy, Study
from proset.workspace.admission import Refused
from proset.workspace.chain import record_hash
from proset.workspace.review_file import ReviewLine
from proset.workspace.verdicts import Judgement, Record, RefusedJudgementError, ReviewVerdict, row_hash
from proset.workspace.workspace import Workspace

if TYPE_CHECKING:
    import pandas as pd

    from proset.data.table import Table
    from proset.study.any_study import AnyStudy

_BY_HAND = "file-"
_DIGITS = 40
_MOST_CLASSES = 10


@dataclass(frozen=True)
class ReviewImport:
    """A file of verdicts, as it was taken into a study.

    Attributes
    ----------
    added : tuple of Record
        Records that are new.
    n_known : int
        Lines whose record was there already.
    problems : tuple of str
        One sentence or two for each line that was not taken, with its number.
    rechained : bool
        True if records stand behind others than in the file, so that their hashes differ from those in it.
    """

    added: tuple[Record, ...]
    n_known: int
    problems: tuple[str, ...]
    rechained: bool


def import_lines(
    workspace: Workspace, study_id: str, lines: Iterable[ReviewLine], *, now: datetime | None = None
) -> ReviewImport:
    """Add the verdicts of a file to a study.

    Lines that the program has exported keep all they hold, and are taken in the order of their numbers. Lines that a
    person has written need a row and a verdict; what they do not say is taken from the study, and their entry is made
    of their content. So the same file can be taken again, and changes nothing then.

    Parameters
    ----------
    workspace : Workspace
        Where the study is kept.
    lines : iterable of ReviewLine
        From :func:`proset.workspace.review_file.read_lines`.
    now : datetime or None
        Time of lines that do not say one; by default the present.

    Raises
    ------
    NotKeptError
        If there is no such study.
    """
    kept = workspace.read(study_id)
    facts, table = kept.card.facts, workspace.table(study_id)
    current = facts.model if facts.model in kept.models else kept.models[-1] if kept.models else None
    ground = ReviewGround(
        table,
        facts.target,
        workspace.records(study_id),
        lambda: None if current is None else workspace.model(study_id, current, table),
    )
    return take_lines(lines, ground, partial(workspace.say, study_id), now=now)


@dataclass(frozen=True)
class ReviewGround:
    """Table, model and words that lines of a file are compared with.

    Attributes
    ----------
    table : Table
        Whose rows they speak of.
    target : str or None
        The column that is learned.
    records : tuple of Record
        What was said before.
    study : callable
        Returns the current model with its table, or None if there is none; called if a person has written a line.
    reviewer : str
        Who has written the lines that name nobody.
    """

    table: Table
    target: str | None
    records: tuple[Record, ...]
    study: Callable[[], AnyStudy | None]
    reviewer: str = ""


class SayAll(Protocol):
    """Keeps judgements behind those that are kept, and tells which are refused."""

    def __call__(self, judgements: Sequence[Judgement], /, *, refused: Refused) -> tuple[Record, ...]:
        """Return the new records."""


def take_lines(
    lines: Iterable[ReviewLine], ground: ReviewGround, say: SayAll, *, now: datetime | None = None
) -> ReviewImport:
    """Add the verdicts of a file to what was said of a table, as :func:`import_lines` does.

    Parameters
    ----------
    lines : iterable of ReviewLine
        What the file says.
    ground : ReviewGround
        What they are compared with.
    say : callable
        Keeps what comes in.
    now : datetime or None
        Time of lines that do not say one; by default the present.
    """
    there = _Ground(ground, now or datetime.now(UTC))
    taken: dict[str, tuple[ReviewLine, Judgement]] = {}
    filed: dict[str, str | None] = {}
    problems: list[tuple[int, str]] = []
    n_known = 0
    for line in sorted(lines, key=_order):
        try:
            judgement = there.judgement(line)
            if there.is_known(line, judgement) or taken.get(judgement.entry, (line, None))[1] == judgement:
                n_known += 1
            elif judgement.entry in taken:
                line.refuse(f"The entry '{judgement.entry}' stands in line {taken[judgement.entry][0].number} already")
            else:
                there.check_row(line, judgement)
                taken[judgement.entry] = (line, judgement)
                filed[judgement.entry] = line.cells.get("hash") if line.exported else None
        except RefusedJudgementError as error:
            problems.append(_problem(line, error))

    def refused(error: RefusedJudgementError) -> None:
        problems.append(_problem(taken[error.entry][0], error))

    added = say([judgement for _, judgement in taken.values()], refused=refused)
    rechained = any(filed[record.judgement.entry] not in (None, record.hash) for record in added)
    return ReviewImport(added, n_known, tuple(text for _, text in sorted(problems)), rechained)


class _Ground:
    """The ground as it is asked, line by line."""

    def __init__(self, ground: ReviewGround, now: datetime) -> None:
        self._ground, self._now = ground, now
        self._table, self._target = ground.table, ground.target
        self._known = {record.judgement.entry: record.judgement for record in ground.records}
        self._hashes: dict[int, str] = {}

    def judgement(self, line: ReviewLine) -> Judgement:
        """Return what a line says, with what the study knows where a person has written it."""
        if not line.exported:
            return self._by_hand(line)
        record = line.record()
        if record_hash(record.judgement, record.number, record.previous) != record.hash:
            line.refuse(
                "It was changed after it was exported: its hash is another one",
                "Write a line of your own with a row and a verdict, without hashes.",
            )
        return record.judgement

    def is_known(self, line: ReviewLine, judgement: Judgement) -> bool:
        """Tell whether a judgement is kept already; one by hand has its time and model from when it was taken first."""
        kept = self._known.get(judgement.entry)
        if kept is None:
            return False
        return kept == judgement or "entry" not in line.cells

    def check_row(self, line: ReviewLine, judgement: Judgement) -> None:
        """Refuse a judgement of a row that holds something else now."""
        if self._content(line, judgement.row) != judgement.row_hash:
            line.refuse(f"Row {judgement.row} holds other values than when this was said")

    def _by_hand(self, line: ReviewLine) -> Judgement:
        """Return what a person has written, completed."""
        row = line.whole("row")
        content = self._content(line, row)
        if isinstance(self._study, NumberStudy):
            self._check_numbers(line, row)
        else:
            self._check_classes(line, row)
        by = [self._ground.reviewer] if self._ground.reviewer and "reviewer" not in line.cells else []
        written = json.dumps([sorted(line.cells.items()), content, *by])
        known = {
            "entry": _BY_HAND + hashlib.sha256(written.encode("utf-8", "replace")).hexdigest()[:_DIGITS],
            "row_hash": content,
            "label": self._labels.get(row),
            "at": self._now,
            "model": "" if self._study is None else self._study.id,
            "reviewer": self._ground.reviewer,
        }
        said = line.judgement(**known)
        if said.new_label is None and said.verdict in (ReviewVerdict.MODEL, ReviewVerdict.OTHER):
            said = replace(said, new_label=self._meant(line, said))
        if isinstance(self._study, NumberStudy):
            number = None if said.new_label is None else text_number(said.new_label)
            said = replace(said, label=self._labels.get(row), new_label=None if number is None else number_text(number))
        if said.verdict is ReviewVerdict.TABLE and said.label is not None and said.new_label not in (None, said.label):
            line.refuse(
                f"It says that the table is right, which has '{shown(said.label)}' for row {row}, and that the row "
                f"should be '{shown(said.new_label)}'",
                "Leave the column 'new' empty, or take the verdict 'other'.",
            )
        return said

    def _meant(self, line: ReviewLine, said: Judgement) -> str:
        """Return the class that a row should have, where a line says that the table is wrong and not what is right.

        Of two classes it is the other one. Of more, it is what the model says of a row that it has not learned from.
        """
        others = [name for name in self._classes if name != said.label]
        if said.verdict is ReviewVerdict.MODEL and isinstance(self._study, Study):
            if said.row in self._study.split.held_out and len(others) > 1:
                others = [str(self._study.predictions.loc[said.row, "predicted"])]
            if said.label is not None and len(others) == 1 and others[0] != said.label:
                return others[0]
        return line.refuse(f"It does not say what row {said.row} should be", "Write it in the column 'new'.")

    def _content(self, line: ReviewLine, row: int) -> str:
        """Return the hash of a row, which has to be there."""
        if row not in self._table.frame.index:
            line.refuse(f"The table has no row {row}")
        if row not in self._hashes:
            self._hashes[row] = row_hash(self._table, row)
        return self._hashes[row]

    def _check_classes(self, line: ReviewLine, row: int) -> None:
        """Refuse a class that the table does not have, and another class of the row than the table's."""
        old, new, label = line.cells.get("old"), line.cells.get("new"), self._labels.get(row)
        if old is not None and old != label:
            line.refuse(f"The table says '{shown(label)}' for row {row}, not '{shown(old)}'")
        if new is not None and new not in self._classes:
            names = listed(self._classes, most=_MOST_CLASSES)
            line.refuse(f"'{shown(new)}' is no class of this table", f"Its classes are {names}.")

    def _check_numbers(self, line: ReviewLine, row: int) -> None:
        """Refuse what is no number, and another number of the row than the table's."""
        old, new, label = line.cells.get("old"), line.cells.get("new"), self._labels.get(row)
        stated = None if old is None else text_number(old)
        if old is not None and (stated is None or number_text(stated) != label):
            line.refuse(f"The table says {shown(label)} for row {row}, not '{shown(old)}'")
        if new is not None and text_number(new) is None:
            line.refuse(f"'{shown(new)}' is no number", "Write it with a point, such as 310.5.")

    @lazy_property
    def _study(self) -> AnyStudy | None:
        """Return the current model, if there is one."""
        return self._ground.study()

    @lazy_property
    def _labels(self) -> Mapping[int, str]:
        """Return the class, or number, of each row that has one: of the model, else of the column that is learned."""
        target = self._target
        if self._study is not None:
            labels: pd.Series = self._study.table_labels
        elif target in self._table.frame:
            labels = target_labels(self._table.frame, Roles({str(target): Role.TARGET}))
        else:
            return {}
        return {int(row): str(name) for row, name in labels.dropna().items()}  # type: ignore[call-overload]

    @lazy_property
    def _classes(self) -> list[str]:
        """Return the classes of the table."""
        return sorted(set(self._labels.values()))


def _order(line: ReviewLine) -> tuple[bool, int]:
    """Return where a line is taken: exported ones by their number, then those by hand as they stand."""
    number = line.cells.get("number", "")
    plain = line.exported and number.isascii() and number.isdigit() and len(number) < _DIGITS
    return (False, int(number)) if plain else (True, line.number)


def _problem(line: ReviewLine, error: RefusedJudgementError) -> tuple[int, str]:
    """Say why a line was not taken."""
    return line.number, f"{line.name}: {str(error).removeprefix('Row ' + line.cells.get('row', '') + ': ')}"
