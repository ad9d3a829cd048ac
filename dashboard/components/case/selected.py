"""Evidence on the selected case, as the session decides and compares it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard import cache
from dashboard.components import reference_choice
from dashboard.services.case.selected import CaseEvidence
from dashboard.session.session import Session

if TYPE_CHECKING:
    from proset.study import Study


def evidence(session: Session, study: Study) -> CaseEvidence | None:
    """Return the evidence on the selected case; None where none is selected."""
    if session.case is None:
        return None
    found = CaseEvidence(
        study,
        session.case,
        session.others,
        against=lambda: reference_choice.chosen(session, study, found.usual_reference),
        rule=session.rule,
        keep=cache.keeper(study),
    )
    return found
