"""Case: why the model says this about one case, and whether the case is like anything it has seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import downloads, fold, page, words
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
from dashboard.services.case.selected import CaseEvidence
from dashboard.services.report import Wish
from dashboard.session.session import Session
from proset.plots.contributions import plot_contributions

if TYPE_CHECKING:
    from proset.study import Study

Panel = Callable[[Session, CaseEvidence], None]
"""A part of the page."""

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


def _folded(name: str, label: str, icon: str, panel: Panel, *, of_columns: bool = True) -> Panel:
    """Return a panel that is drawn while it is unfolded; one that is about columns in use needs some."""

    def show(session: Session, evidence: CaseEvidence) -> None:
        if of_columns and not evidence.study.used_columns:
            return
        if box := fold.part(session, FOLDS, name, label, icon=f":material/{icon}:"):
            with box:
                panel(session, evidence)

    return show


# Pictures say more than bars to whoever knows what they show.
PANELS: tuple[Panel, ...] = (
    banner.show,
    prototypes.pictures,
    class_bars.show,
    prototypes.show,
    known.nearest,
    _folded("places", "Its values among those of each class", "straighten", known.places),
    _folded("shap", "Which values lead to the estimate (SHAP)", "waterfall_chart", attribution.show_estimate),
    _folded("familiar", "Why it is familiar or not", "diversity_3", attribution.show_familiarity),
    change.show,
    _folded("sum", "How the estimate adds up", "functions", ledger.show, of_columns=False),
    _stability,
    compare_case.part,
    _downloads,
)
"""The parts of the page in their order."""
