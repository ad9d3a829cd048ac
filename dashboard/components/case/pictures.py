"""A case of pictures: itself, and the cases that the table puts beside it."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Collection, Sequence
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from PIL import Image

from dashboard.components import figure_panel, words
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
        _strip(tiles, lines)
    widgets.toggle(session, VEIL, "Dim pixels that the model does not use, and show differences", key="case.veil")


def show_changed(evidence: CaseEvidence, found: WhatIf) -> None:
    """Show the changed case as a picture, with rings around the pixels that were changed."""
    picture = as_picture(evidence.study, found.frame) if found.changes and evidence.report.images else None
    if picture is not None:
        grid = evidence.study.table.grid
        assert grid is not None
        places = [divmod(list(grid.columns).index(name), grid.width) for name in found.changes if name in grid.columns]
        _strip([evidence.report.images[0].pixels, picture], [("as it is", ""), ("changed", "")], marked=places)


def _strip(
    tiles: Sequence[NDArray[np.float64]],
    lines: Sequence[tuple[str, str]],
    *,
    marked: Collection[tuple[int, int]] = (),
) -> None:
    """Show pictures on one scale, bright where values are high, with rings around pixels of the last one."""
    rings = [*[()] * (len(tiles) - 1), tuple(marked)]
    shown = map(_tile, tiles, addresses(tiles), lines, rings)
    st.html(f'<div class="case-pictures">{"".join(shown)}</div>')


def addresses(tiles: Sequence[NDArray[np.float64]]) -> list[str]:
    """Return pictures on one scale, bright where values are high, each as an address that holds it."""
    known = np.concatenate([tile[np.isfinite(tile)] for tile in tiles])
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    return [
        _png(np.nan_to_num(255.0 * (tile - low) / ((high - low) or 1.0)).round().astype(np.uint8)) for tile in tiles
    ]


def _tile(
    picture: NDArray[np.float64], address: str, lines: tuple[str, str], marked: Collection[tuple[int, int]]
) -> str:
    """Return one picture with what it is above it."""
    height, width = picture.shape
    size = f"width:{100 / width:.2f}%;height:{100 / height:.2f}%"
    rings = "".join(
        f'<i style="left:{100 * x / width:.2f}%;top:{100 * y / height:.2f}%;{size}"></i>' for y, x in marked
    )
    first, second = map(words.html, lines)
    name, said = f"{first} {second}", f"<figcaption>{first}<br>{second}</figcaption>"
    return f'<figure aria-label="{name}">{said}<div><img alt="{name}" src="{address}">{rings}</div></figure>'


def _png(picture: NDArray[np.uint8]) -> str:
    """Return a picture as an address that holds it."""
    buffer = BytesIO()
    Image.fromarray(picture).save(buffer, format="PNG")
    return f"data:image/png;base64,{b64encode(buffer.getvalue()).decode()}"
