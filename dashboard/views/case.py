"""Case: why the model says this about one case, and whether the case is like anything it has seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import (
    case_banner,
    case_link,
    case_picker,
    case_prototypes,
    class_bars,
    comparison,
    downloads,
    figure_panel,
    fold,
    page,
    report_table,
    what_if,
    words,
)
from dashboard.components.downloads import Download
from dashboard.services import exports
from dashboard.services.banner import facts
from dashboard.services.case import any_headline
from dashboard.services.cases import CaseRef, Source, case_frame
from dashboard.services.cases import explain as explain_case
from dashboard.services.comparison import compare
from dashboard.services.evidence import sides
from dashboard.services.folds import Folds
from dashboard.services.ledger import Addition, ledger
from dashboard.session.session import Session
from proset import explain
from proset.explain.case_sheets import report_sheets
from proset.plots.contributions import plot_contributions
from proset.plots.neighbours import plot_images

if TYPE_CHECKING:
    from proset.explain.case import CaseReport
    from proset.study import Study

FOLDS = Folds("unfold", ("values",), parts=("values", "whatif", "sum"))
"""Which parts of the page are open."""
PARAMS = (FOLDS, what_if.EDITS, what_if.ALL_COLUMNS)
"""What of the page stands in its address."""
# Sums of some hundred float64 numbers agree far better than this.
_ADDS_UP = 1e-9


def render(session: Session, study: Study) -> None:
    """Draw the page."""
    case_picker.show(session, study)
    case = session.case
    if case is None:
        st.info("Choose a case above, or click one on the map.", icon=":material/person_search:")
        page.next_steps(session, "map")
        page.how_to_read(session)
        return
    others = session.opened.others if session.opened else None
    report = explain_case(study, case, others, rule=session.rule)
    stem = exports.file_stem(study.table.name, case.label.lower().replace(" ", "-"))
    _head(session, study, case, report)
    class_bars.show(report, file_name=f"{stem}-contributions")
    _prototypes(session, report, stem)
    _change(session, study, case)
    _sum(session, report)
    _downloads(report, stem)
    page.how_to_read(session)


def _head(session: Session, study: Study, case: CaseRef, report: CaseReport) -> None:
    """Show the case at a glance."""
    others = session.opened.others if session.opened else None
    lines = any_headline(study, case, session.judged(study), others, rule=session.rule)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.subheader(words.label(lines.name), anchor=False)
        case_link.back(session)
    in_table = case.source is Source.TABLE
    where = explain.standing(study, [case.row] if in_table else case_frame(study, case, others))
    case_banner.show(facts(lines, report, where))


def _prototypes(session: Session, report: CaseReport, stem: str) -> None:
    """Show the prototypes that count, by class, and their values beside those of the case."""
    st.subheader("Prototypes for and against", anchor=False, divider="gray")
    if report.prototypes.empty:
        st.caption("The model has no prototypes: every case gets the share of each class among the training rows.")
        return
    if report.images:
        figure_panel.show(
            plot_images(report),
            key="case.images",
            file_name=f"{stem}-images",
            alt="The case and its most influential prototypes as pictures.",
        )
    case_prototypes.show(session, sides(report), actual=report.actual)
    if box := fold.part(session, FOLDS, "values", "Values beside those of the leading prototypes"):
        with box:
            comparison.show(compare(report), key="case.comparison")
            if report.neighbour_extras.shape[1]:
                st.markdown("**Columns that the model does not use**")
                comparison.show_extras(report.neighbour_extras, key="case.extras")


def _change(session: Session, study: Study, case: CaseRef) -> None:
    """Show what would change the estimate."""
    st.subheader("What would change it", anchor=False, divider="gray")
    others = session.opened.others if session.opened else None
    row = case.row if case.source is Source.TABLE else case_frame(study, case, others)
    flip = explain.smallest_flip(study, row, rule=session.rule, ranges=what_if.ranges_of(study))
    st.markdown(words.markdown(flip.words))
    if box := fold.part(session, FOLDS, "whatif", "What if: change values and see", icon=":material/tune:"):
        with box:
            what_if.show(session, study, case)


def _sum(session: Session, report: CaseReport) -> None:
    """Show how the contributions add up."""
    if box := fold.part(session, FOLDS, "sum", "How the estimate adds up", icon=":material/functions:"):
        with box:
            found = ledger(report)
            _sum_line(found.sum)
            report_table.show(found.frame, key="case.report")
            if found.left:
                st.caption("The last line stands for prototypes that no longer matter; the files below have them all.")


def _sum_line(parts: Addition) -> None:
    """Write the sum as one line, and whether it holds to the last digit."""
    st.markdown(f"Estimate for **{words.markdown(parts.label)}**: {words.markdown(parts.words)}")
    if parts.gap < _ADDS_UP:
        st.caption("The contributions add up to the estimate.")
    else:
        st.caption(f"The contributions miss the estimate by {parts.gap:.0e}.")


def _downloads(report: CaseReport, stem: str) -> None:
    """Offer the files."""
    downloads.show(
        Download(
            "Report (.xlsx)",
            f"{stem}.xlsx",
            downloads.XLSX,
            lambda: exports.workbook_bytes(report_sheets(report)),
        ),
        Download("Report (CSV)", f"{stem}.csv", downloads.CSV, lambda: exports.csv_bytes(report.report, index=False)),
        Download(
            "Contributions (HTML)",
            f"{stem}.html",
            downloads.HTML,
            lambda: exports.figure_html(plot_contributions(report)),
        ),
        key="case",
    )
