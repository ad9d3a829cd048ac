"""Case: why the model says this about one case, and whether the case is like anything it has seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import downloads, error_list, page
from dashboard.components.case import (
    attribution,
    markup,
    mind,
    picker,
    pictures,
    prototypes,
    selected,
    tabs,
    values,
    verdict,
    walk,
    what_if,
)
from dashboard.components.compare import case as compare_case
from dashboard.components.downloads import Download
from dashboard.components.features import stability
from dashboard.components.guidance import unlike
from dashboard.services import exports
from dashboard.services.case.selected import CaseEvidence
from dashboard.services.report import Wish
from dashboard.session.session import Session
from dashboard.texts import compare as compare_text
from proset.plots.contributions import plot_contributions

if TYPE_CHECKING:
    from proset.study import Study

PARAMS = (tabs.TAB, pictures.VEIL, values.WHOLE, what_if.EDITS, what_if.ALL_COLUMNS, *attribution.PARAMS, *mind.PARAMS)
"""Values of the page that stand in its address."""
_ASIDE = 350
_OTHERS = tabs.Tab(tabs.SYSTEMS, compare_text.OTHERS, compare_case.part, of_columns=False)


def render(session: Session, study: Study) -> None:
    """Draw the page: one screen with the argument, and more of it in tabs."""
    markup.look()
    evidence = selected.evidence(session, study)
    if evidence is None:
        with st.container(key="case-list"):
            picker.show(session, study)
            error_list.show(session, study, key="case", wide=True)
            st.caption("Any other case is found by its number above, or by a click on the map.")
    else:
        _argument(session, evidence)
        picker.show(session, study)
        _downloads(session, evidence)
    walk.show(session, study, evidence)


def _argument(session: Session, evidence: CaseEvidence) -> None:
    """Show what is said of the case and why, and beside it what would change it."""
    verdict.show(evidence)
    with page.room():
        if made := what_if.origin_words(session, evidence.ref):
            what_if.show_origin(made)
    # Unlike columns, these go below one another where the window is narrow.
    with st.container(horizontal=True, gap="medium"):
        left = st.container(gap="small", key="case-left")
        right = st.container(width=_ASIDE, gap="xsmall", key="case-whatif") if evidence.study.used_columns else None
    with left:
        with page.room():
            pictures.show(session, evidence)
            prototypes.show(session, evidence)
            values.show(session, evidence)
            values.aside(evidence.case, evidence.study)
            unlike.of_case(session, evidence)
        others = [_OTHERS] if compare_case.has_part(session, evidence) else []
        tabs.show(session, evidence, *others)
    if right is not None:
        with right:
            what_if.show(session, evidence)


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
