"""The files of a comparison: tables, figures, and all numbers as JSON."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pandas as pd

from dashboard.components import downloads
from dashboard.components.compare import figures, planes, rows
from dashboard.components.downloads import CSV, HTML, XLSX, Download
from dashboard.services import exports
from dashboard.services.compare.choices import ALONG, ASPECT, CompareAspect
from dashboard.session.session import Session
from proset.compare import (
    comparison_json,
    comparison_sheets,
    cost_table,
    drift_table,
    estimate_table,
    feature_matrix,
    fold_table,
    size_paths,
    summary_table,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    import plotly.graph_objects as go

    from proset.compare import Comparison
    from proset.study import Study

    Figure = tuple[str, str, Callable[[], go.Figure]]

JSON = "application/json"


def show(session: Session, study: Study, found: Comparison) -> None:
    """Offer the files; what they hold is made when one of them is asked for."""
    stem = exports.file_stem(study.table.name, "compare")

    def csv(label: str, name: str, frame: Callable[[], pd.DataFrame]) -> Download:
        return Download(f"{label} (CSV)", f"{stem}-{name}.csv", CSV, lambda: _csv(frame()))

    files = [
        csv("Measures", "measures", lambda: summary_table(found)),
        csv("Measures by fold", "folds", lambda: fold_table(found).set_index("system")),
        csv("Sizes", "sizes", lambda: size_paths(found).to_frame()),
        csv("Features", "features", lambda: feature_matrix(found).to_frame()),
        csv("Disagreements", "disagreements", lambda: rows.found_rows(study, found, session.within).to_frame()),
        csv("Estimates", "estimates", lambda: estimate_table(study, found)),
        csv("Cost", "cost", lambda: cost_table(found)),
    ]
    drift = found.drift
    if drift is not None:
        files.append(csv("Drift", "drift", partial(drift_table, drift)))
    files += [
        Download(
            "All tables (Excel)", f"{stem}.xlsx", XLSX, lambda: exports.workbook_bytes(comparison_sheets(study, found))
        ),
        Download("All numbers (JSON)", f"{stem}.json", JSON, lambda: comparison_json(study, found)),
    ]
    for label, name, make in _figures(session, study, found):
        write = partial(_html, make)
        files.append(Download(f"{label} (HTML)", f"{stem}-{name}.html", HTML, write))
    downloads.show(*files, key="compare")


def _csv(frame: pd.DataFrame) -> bytes:
    """Write a table; an index that only counts lines says nothing."""
    return exports.csv_bytes(frame, index=not isinstance(frame.index, pd.RangeIndex))


def _html(make: Callable[[], go.Figure]) -> bytes:
    """Draw a figure and write it."""
    return exports.figure_html(make())


def _figures(session: Session, study: Study, found: Comparison) -> list[Figure]:
    """Return label, name and maker of the figures that are shown."""
    aspect, along = session.get(ASPECT), session.get(ALONG).value
    if aspect is CompareAspect.SIZE:
        return [("Error against size", "size", lambda: figures.size_figure(study, found, along))]
    if aspect is CompareAspect.FEATURES:
        return [("Features", "features", lambda: figures.features_figure(study, found))]
    if aspect is CompareAspect.DISAGREE:
        return [("Agreement", "agreement", lambda: rows.agreement_figure(study, found, session.within))]
    if aspect is CompareAspect.SURFACES:
        return planes.surfaces_files(session, study, found)
    if aspect is CompareAspect.MAP:
        return [planes.map_file(session, study, found)]
    return figures.drift_files(found) if aspect is CompareAspect.DRIFT else []
