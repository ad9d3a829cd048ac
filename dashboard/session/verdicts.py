"""Verdicts of people on the cases of the open table: in the workspace, or in memory where nothing is kept."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from dashboard.services.kept import HERE
from dashboard.session import kept
from proset.common.errors import StorageError

if TYPE_CHECKING:
    from dashboard.session.session import Session
    from proset.workspace import Judgement, Record


def records(session: Session) -> tuple[Record, ...]:
    """Return all that was said, oldest first, that of other windows included."""
    opened, workspace = session.opened, HERE.workspace
    if opened is None:
        return ()
    if workspace is not None and opened.keeping is not None:
        try:
            opened.said = workspace.records(opened.key)
        except StorageError as error:
            kept.failed(session, opened, error)
    return opened.said


def say(session: Session, judgements: Iterable[Judgement]) -> None:
    """Write down what somebody says, each thing once however often it is sent.

    Raises
    ------
    StorageError
        If something cannot be kept; it names the row.
    """
    opened = session.opened
    if opened is None:
        return
    asked, workspace = list(judgements), kept.hold(session)
    if workspace is None:
        opened.said = _continued(opened.said, asked)
    else:
        workspace.say(opened.key, asked)
        opened.said = workspace.records(opened.key)


def _continued(records: tuple[Record, ...], judgements: Iterable[Judgement]) -> tuple[Record, ...]:
    """Return records with more behind them, as a workspace would keep them."""
    from proset.workspace.border import checked_judgement
    from proset.workspace.chain import START, chained

    known = {record.judgement.entry for record in records}
    fresh = [checked_judgement(one) for one in judgements if one.entry not in known]
    return records + chained(fresh, number=len(records), previous=records[-1].hash if records else START)
