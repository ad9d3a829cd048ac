"""Case: why the model says this about one case, and whether the case is like anything it has seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import downloads, page, words
from dashboard.components.case import (
    attribution,
    banner,
    change,
    class_bars,
    known,
    ledger,
    link,
    picker,
    prototypes,
    selected,
    what_if,
)
from dashboard.components.compare import case as compare_case
from dashboard.components.downloads import Download
from dashboard.components.features import stability
from dashboard.services import exports
from dashboard.services.case.folds import FOLDS
from dashboard.services.report import Wish
from dashboard.session.session import Session
from proset.plots.contributions import plot_contributions

if TYPE_CHECKING:
    from dashboard.services.case.selected import CaseEvidence
    from proset.study import Study

PARAMS = (FOLDS, what_if.EDITS, what_if.ALL_COLUMNS, *attribution.PARAMS)
"""Values of the page that stand in its address."""


def render(session: Session, study: Study) -> None:
    """Draw the page: the case, the evidence on it, one panel after another."""
    place = picker.show(session, study)
    evidence = selected.evidence(session, study)
    if evidence is None:
        st.caption(words.caption(place))
        st.info("Choose a case above, or click one on the map.", icon=":material/person_search:")
        page.next_steps(session, "map")
    else:
        _head(session, evidence, place)
        for panel in PANELS:
            panel(session, evidence)
    page.how_to_read(session)


def _head(session: Session, evidence: CaseEvidence, place: str) -> None:
    """Show the name of the case, and where one is in the list."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.header(words.label(evidence.headline.name), anchor=False, width="content")
        st.caption(words.caption(place), width="content")
        link.back(session)
        link.reverse_view(session, evidence)
    if made := what_if.origin_words(session, evidence.ref):
        st.caption(words.caption(made))


def _stability(session: Session, evidence: CaseEvidence) -> None:
    """Offer the check under other seeds and splits, which is one of rows of the table."""
    if evidence.case.row is not None:
        stability.offer(session, evidence.study, key="case")


def _downloads(session: Session, evidence: CaseEvidence) -> None:
    """Offer the files."""
    report, stem = evidence.report, evidence.stem
    wish = Wish(evidence.study, session.rule, stability.result(session, evidence.study), evidence)

    def figure() -> bytes:
        return exports.figure_html(plot_contributions(report))

    downloads.show(
        Download("Report (HTML)", f"{stem}-report.html", downloads.HTML, lambda: wish.html(tuple(wish.titles))),
        Download("Report (.xlsx)", f"{stem}.xlsx", downloads.XLSX, wish.workbook),
        Download("Report (CSV)", f"{stem}.csv", downloads.CSV, lambda: exports.csv_bytes(report.report, index=False)),
        Download("Contributions (HTML)", f"{stem}.html", downloads.HTML, figure),
        *attribution.files(evidence),
        key="case",
    )


# Pictures say more than bars to whoever knows what they show.
PANELS = (
    banner.show,
    prototypes.pictures,
    class_bars.show,
    prototypes.show,
    known.nearest,
    known.places,
    attribution.show_estimate,
    attribution.show_familiarity,
    change.show,
    ledger.show,
    _stability,
    compare_case.part,
    _downloads,
)
"""The parts of the page in their order; each takes the session and the evidence."""
