"""A prototype as a picture, beside what is like it and what it decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.components import picture_strip
from dashboard.services.pictures import pictures
from proset.explain.phrases import similarity_words

if TYPE_CHECKING:
    from proset.explain.structure.reverse_view import PrototypeView
    from proset.study import Study

_LIKE_IT, _DECIDED = 4, 5


def show(study: Study, view: PrototypeView) -> None:
    """Show the prototype, known cases most like it and cases it helps to settle, if rows are pictures."""
    known, cases = view.known.head(_LIKE_IT), view.decides.head(_DECIDED)
    rows = [view.row, *known.index.tolist(), *cases.index.tolist()]
    found = pictures(study, rows)
    if not found:
        return
    near = known["similarity"].astype(float).map(similarity_words)
    titles = (
        ("prototype", view.target),
        *(("like it", f"{name}, {alike}") for name, alike in zip(known["class"], near, strict=True)),
        *(("decided", f"{line['actual']} as {line['predicted']}") for _, line in cases.iterrows()),
    )
    picture_strip.show(found, titles)
