"""Verdicts of people on the cases of the open table: in the workspace, or in memory where nothing is kept."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from dashboard.session import kept
from proset.common.errors import StorageError

if TYPE_CHECKING:
    from dashboard.session.opened import OpenTable
    from dashboard.session.session import Session
    from proset.study.any_study import AnyStudy
    from proset.workspace import Judgement, Record, RefusedJudgementError, Workspace
    from proset.workspace.admission import Refused
    from proset.workspace.review_file import ReviewLine
    from proset.workspace.review_import import ReviewImport


def records(session: Session) -> tuple[Record, ...]:
    """Return all that was said, oldest first, that of other windows included."""
    opened, workspace = session.opened, kept.place(session)
    if opened is None:
        return ()
    if workspace is not None and opened.keeping is not None:
        try:
            opened.said = _all_kept(workspace, opened)
        except StorageError as error:
            kept.failed(session, opened, error)
    return opened.said


def _all_kept(workspace: Workspace, opened: OpenTable) -> tuple[Record, ...]:
    """Return what is kept, with what this window had to hold in memory until now."""
    found = workspace.records(opened.key)
    there = {record.judgement.entry for record in found}
    left = [record.judgement for record in opened.said if record.judgement.entry not in there]
    if not left:
        return found
    workspace.say(opened.key, left, refused=lambda _: None)
    return workspace.records(opened.key)


def say(session: Session, judgements: Iterable[Judgement]) -> dict[str, str]:
    """Write down what somebody says, each thing once however often it is sent.

    Where the workspace cannot be written to now, nothing is refused: who says it holds on to it and sends it again.

    Returns
    -------
    dict of str to str
        Why entries are refused for good, by their names.
    """
    opened, why = session.opened, {}

    def refused(error: RefusedJudgementError) -> None:
        why[error.entry] = str(error)

    try:
        _keep(session, list(judgements), refused=refused)
    except StorageError as error:
        if opened is not None:
            kept.failed(session, opened, error)
    return why


def bring(session: Session, study: AnyStudy, lines: Iterable[ReviewLine], *, name: str) -> ReviewImport:
    """Take the verdicts in a file, which pages show from then on; a StorageError if they cannot be written now."""
    from proset.workspace.review_import import ReviewGround, take_lines

    ground = ReviewGround(study.table, study.roles.target, records(session), lambda: study, session.reviewer)
    done = take_lines(lines, ground, partial(_keep, session))
    if session.opened is not None:
        session.opened.brought = name, done
    return done


def _keep(session: Session, judgements: Sequence[Judgement], *, refused: Refused) -> tuple[Record, ...]:
    """Write judgements into the workspace, or hold them in memory where nothing is kept; return the new records."""
    opened, workspace = session.opened, kept.hold(session)
    if opened is None:
        return ()
    if workspace is None:
        fresh = _continued(opened.said, judgements, refused)
    else:
        fresh = workspace.say(opened.key, judgements, refused=refused)
    opened.said += fresh
    return fresh


def _continued(said: tuple[Record, ...], judgements: Sequence[Judgement], refused: Refused) -> tuple[Record, ...]:
    """Return records to stand behind others, as a workspace would keep them."""
    from proset.workspace.admission import admitted
    from proset.workspace.chain import START, chained

    known = {record.judgement.entry: record.judgement for record in said}
    fresh = admitted(judgements, lambda _: known, refused)
    return chained(fresh, number=len(said), previous=said[-1].hash if said else START)
