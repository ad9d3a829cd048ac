"""Result of a search, of whichever kind it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.components.fit import front_result, report_search_result
from proset.selection import JointRecord

if TYPE_CHECKING:
    from dashboard.session.opened import OpenTable
    from dashboard.session.session import Session
    from proset.study import Study


def show(session: Session, opened: OpenTable, study: Study) -> None:
    """Show how the settings of a study were found; nothing if they were stated."""
    record = study.search
    if record is None:
        return
    if isinstance(record, JointRecord):
        front_result.show(session, opened, study, record)
    else:
        report_search_result.show(session, opened, study, record)
