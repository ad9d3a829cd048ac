"""The choice of rows that the Map and the Case page speak of; one choice for both, kept over a page change."""

from __future__ import annotations

from dashboard.services.cases import PART_WORDS, Part
from dashboard.session import widgets
from dashboard.session.session import PART, Session

_LABELS = {part: text.capitalize() for part, text in PART_WORDS.items()}


def show(session: Session, *, key: str) -> Part:
    """Show the switch and return the choice."""
    widgets.choose(
        session,
        PART,
        "Which rows",
        key=f"{key}.part",
        words=_LABELS.__getitem__,
        value=session.part,
        taken=session.look_at_part,
    )
    return session.part
