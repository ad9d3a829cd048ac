"""Verdicts of people on the cases of the open table: in the workspace, or in memory where nothing is kept."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from dashboard.session import kept
from proset.common.errors import StorageError

if TYPE_CHECKING:
    from dashboard.session.session import Session
    from proset.workspace import Judgement, Record


def records(session: Session) -> tuple[Record, ...]:
    """Return all that was said, oldest first, that of other windows included."""
    opened, workspace = session.opened, kept.place(session)
    if opened is None:
        return ()
    if workspace is not None and opened.keeping is not None:
        try:
            opened.said = workspace.records(opened.key)
        except StorageError as error:
            kept.failed(session, opened, error)
    return opened.said


def say(session: Session, judgements: Iterable[Judgement]) -> dict[str, str]:
    """Write down what somebody says, each thing once however often it is sent.

    Where the workspace cannot be written to now, nothing is refused: who says it holds on to it and sends it again.

    Returns
    -------
    dict of str to str
        Why entries are refused for good, by their names.
    """
    from proset.workspace import RefusedJudgementError

    opened, refused = session.opened, {}
    asked = list(judgements) if opened is not None else []
    while asked:
        try:
            _keep(session, asked)
            break
        except RefusedJudgementError as error:
            refused[error.entry] = str(error)
            asked = [one for one in asked if one.entry not in refused]
        except StorageError as error:
            if opened is not None:
                kept.failed(session, opened, error)
            break
    return refused


def _keep(session: Session, judgements: list[Judgement]) -> None:
    """Write judgements into the workspace, or hold them in memory where nothing is kept."""
    opened, workspace = session.opened, kept.hold(session)
    if opened is None:
        return
    if workspace is None:
        opened.said = _continued(opened.said, judgements)
    else:
        opened.said += workspace.say(opened.key, judgements)


def _continued(records: tuple[Record, ...], judgements: Iterable[Judgement]) -> tuple[Record, ...]:
    """Return records with more behind them, as a workspace would keep them."""
    from proset.workspace.border import checked_judgement
    from proset.workspace.chain import START, chained

    known = {record.judgement.entry for record in records}
    fresh = [checked_judgement(one) for one in judgements if one.entry not in known]
    return records + chained(fresh, number=len(records), previous=records[-1].hash if records else START)
