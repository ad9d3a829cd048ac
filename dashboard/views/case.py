"""Case: why the model says this about one case, and whether the case is like anything it has seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pandas as pd
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
    what_if,
)
from dashboard.components.case.once import once
from dashboard.components.compare import case as compare_case
from dashboard.components.downloads import Download
from dashboard.components.features import stability
from dashboard.services import exports
from dashboard.services.case.any_case import case_frame
from dashboard.services.case.banner import facts
from dashboard.services.case.case import any_headline
from dashboard.services.case.folds import Folds
from dashboard.services.cases import CaseRef, CaseSource
from dashboard.services.report import Wish
from dashboard.session.session import Session
from proset import explain
from proset.explain.cases.case import explain_frame
from proset.plots.contributions import plot_contributions

if TYPE_CHECKING:
    from proset.explain.cases.case import CaseReport
    from proset.explain.familiar.case_standing import Standing
    from proset.study import Study
    from proset.study.decision import DecisionRule

FOLDS = Folds("unfold", ("values", "shap"), parts=("values", "places", "shap", "familiar", "whatif", "sum", "systems"))
"""Open parts of the page."""
PARAMS = (FOLDS, what_if.EDITS, what_if.ALL_COLUMNS, *attribution.PARAMS)
"""Values of the page that stand in its address."""


@dataclass(frozen=True, eq=False)
class _Shown:
    """The case that is shown: what selects it, its row as explanations take it, and the explanation."""

    case: CaseRef
    row: int | pd.DataFrame
    report: CaseReport
    stem: str


def render(session: Session, study: Study) -> None:
    """Draw the page."""
    place = picker.show(session, study)
    case = session.case
    if case is None:
        st.caption(words.caption(place))
        st.info("Choose a case above, or click one on the map.", icon=":material/person_search:")
        page.next_steps(session, "map")
        page.how_to_read(session)
        return
    others, rule = session.others, session.rule
    row = case.row if case.source is CaseSource.TABLE else case_frame(study, case, others)
    report = once(_report, study, row, case.label.lower(), rule)
    shown = _Shown(case, row, report, exports.file_stem(study.table.name, case.label.lower().replace(" ", "-")))
    _head(session, study, shown, place)
    # Pictures say more than bars to whoever knows what they show.
    prototypes.pictures(study, report, stem=shown.stem)
    found = stability.result(session, study)
    holds = found.case_words(case.row) if found is not None and case.source is CaseSource.TABLE else ""
    class_bars.show(report, more=holds, file_name=f"{shown.stem}-contributions")
    page.section("Prototypes for and against")
    prototypes.show(session, report, FOLDS)
    page.section("Nearest known cases")
    known.nearest(session, study, row, report)
    _parts(session, study, shown)
    page.section("What would change it")
    change.show(session, study, case, row, FOLDS)
    if box := fold.part(session, FOLDS, "sum", "How the estimate adds up", icon=":material/functions:"):
        with box:
            ledger.show(report)
    if case.source is CaseSource.TABLE:
        stability.offer(session, study, key="case")
    compare_case.part(session, study, FOLDS)
    _downloads(session, study, shown)
    files = attribution.files(session, study, shown.row, report, stem=shown.stem)
    downloads.show(*files, key="case.attribution")
    page.how_to_read(session)


def _head(session: Session, study: Study, shown: _Shown, place: str) -> None:
    """Show the case at a glance."""
    lines = any_headline(study, shown.case, session.judged(study), session.others, rule=session.rule)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.header(words.label(lines.name), anchor=False, width="content")
        st.caption(words.caption(place), width="content")
        link.back(session)
        if isinstance(shown.row, int):
            link.reverse_view(session, study, shown.row)
    if made := what_if.origin_words(session, shown.case):
        st.caption(words.caption(made))
    standing = once(_standing, study, shown.row)
    banner.show(facts(lines, shown.report, standing))


def _report(study: Study, row: int | pd.DataFrame, name: str, rule: DecisionRule) -> CaseReport:
    if isinstance(row, pd.DataFrame):
        return explain_frame(study, row, name=name, rule=rule)
    return explain.explain_case(study, row, rule=rule)


def _standing(study: Study, row: int | pd.DataFrame) -> Standing:
    return explain.standing(study, row if isinstance(row, pd.DataFrame) else [row])


def _parts(session: Session, study: Study, shown: _Shown) -> None:
    """Show, while they are unfolded, the places of the values and which of them count."""
    if not study.used_columns:
        return
    if box := fold.part(session, FOLDS, "places", "Its values among those of each class", icon=":material/straighten:"):
        with box:
            known.places(study, shown.row, file_name=f"{shown.stem}-values")
    why = "Which values lead to the estimate (SHAP)"
    if box := fold.part(session, FOLDS, "shap", why, icon=":material/waterfall_chart:"):
        with box:
            attribution.show_estimate(session, study, shown.row, shown.report, stem=shown.stem)
    if box := fold.part(session, FOLDS, "familiar", "Why it is familiar or not", icon=":material/diversity_3:"):
        with box:
            attribution.show_familiarity(session, study, shown.row, shown.report, stem=shown.stem)


def _downloads(session: Session, study: Study, shown: _Shown) -> None:
    """Offer the files."""
    report, stem = shown.report, shown.stem
    wish = Wish(study, session.rule, stability.result(session, study), shown.case, session.others)

    def figure() -> bytes:
        return exports.figure_html(plot_contributions(report))

    downloads.show(
        Download("Report (HTML)", f"{stem}-report.html", downloads.HTML, lambda: wish.html(tuple(wish.titles))),
        Download("Report (.xlsx)", f"{stem}.xlsx", downloads.XLSX, wish.workbook),
        Download("Report (CSV)", f"{stem}.csv", downloads.CSV, lambda: exports.csv_bytes(report.report, index=False)),
        Download("Contributions (HTML)", f"{stem}.html", downloads.HTML, figure),
        key="case",
    )
