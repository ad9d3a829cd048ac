"""The choice of the class whose probability is shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.components import words
from dashboard.services.maps.looks import class_number
from dashboard.services.quality.quality import CLASS
from dashboard.session import widgets
from dashboard.session.session import Session

if TYPE_CHECKING:
    from proset.study import Study


def show(session: Session, study: Study, *, key: str) -> int:
    """Show the choice; return the position of the class, from 0."""
    # The last class holds until another is chosen: of two, it mostly is the one that matters.
    numbers = [0, *range(1, len(study.classes))]
    chosen = widgets.pick(
        session,
        CLASS,
        numbers,
        "Class",
        key=key,
        words=lambda number: f"Class: {words.bare(study.classes[class_number(study, number)])}",
        in_line=True,
    )
    return class_number(study, chosen)
