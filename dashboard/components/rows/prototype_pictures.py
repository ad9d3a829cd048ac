"""A prototype as a picture, beside what is like it and what it decides."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from dashboard import cache
from dashboard.components import figure_panel
from dashboard.services.pictures import pictures
from proset.explain.phrases import similarity_words
from proset.plots.pictures import plot_pictures

if TYPE_CHECKING:
    from proset.explain.structure.reverse_view import PrototypeView
    from proset.study import Study

_LIKE_IT, _DECIDED = 4, 5


def show(study: Study, view: PrototypeView, *, key: str) -> None:
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
    figure_panel.show(
        cache.drawn(study, f"{key}.pictures", partial(plot_pictures, found, titles), tuple(rows), titles),
        key=f"{key}.pictures.{view.batch}.{view.row}",
        file_name="prototype",
        alt="The prototype as a picture, known cases most like it with their similarity, and cases it helps to settle.",
    )
