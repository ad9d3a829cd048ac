"""A case of pictures: itself, and the cases that the table puts beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dashboard.components import figure_panel, picture_strip
from dashboard.components.case import values
from dashboard.services.case.selected import CaseEvidence
from dashboard.services.params import Flag
from dashboard.services.pictures import as_picture, pictures
from dashboard.session import widgets
from dashboard.session.session import Session
from proset.explain.cases.pixels import used_pixels
from proset.plots.image_evidence import plot_image_evidence

if TYPE_CHECKING:
    from proset.explain.cases.edited import WhatIf

VEIL = Flag("veil", False)
"""Pixels that the model does not use are dimmed, and differences drawn."""


def show(session: Session, evidence: CaseEvidence) -> None:
    """Show the pictures, if rows are pictures; on demand how they differ in the pixels that the model uses."""
    report = evidence.report
    if not report.images:
        return
    if session.get(VEIL):
        figure_panel.show(
            plot_image_evidence(report, used=used_pixels(evidence.study), differences=len(report.images) > 1),
            key="case.images",
            file_name=f"{evidence.stem}-images",
            alt="The case and its leading prototypes as pictures, and how each differs from the case.",
        )
    else:
        heads = values.table(evidence).heads
        rows = [head.row for head in heads[1:] if head.row is not None]
        tiles = [report.images[0].pixels, *pictures(evidence.study, rows)]
        labels = evidence.study.labels
        notes = [report.actual or "", *(str(labels.loc[row]) for row in rows)]
        lines = [
            (head.what, note if head.row is None else f"{head.name}: {note}")
            for head, note in zip(heads, notes, strict=True)
        ]
        picture_strip.show(tiles, lines)
    widgets.toggle(session, VEIL, "Dim pixels that the model does not use, and show differences", key="case.veil")


def show_changed(evidence: CaseEvidence, found: WhatIf) -> None:
    """Show the changed case as a picture, with rings around the pixels that were changed."""
    picture = as_picture(evidence.study, found.frame) if found.changes and evidence.report.images else None
    if picture is not None:
        grid = evidence.study.table.grid
        assert grid is not None
        places = [divmod(list(grid.columns).index(name), grid.width) for name in found.changes if name in grid.columns]
        picture_strip.show(
            [evidence.report.images[0].pixels, picture], [("as it is", ""), ("changed", "")], marked={1: places}
        )
