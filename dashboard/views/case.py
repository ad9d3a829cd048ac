"""Case: why the model says this about one case, and whether the case is like anything it has seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import (
    case_card,
    case_picker,
    class_bars,
    comparison,
    downloads,
    figure_panel,
    page,
    report_table,
    words,
)
from dashboard.components.downloads import Download
from dashboard.services import exports
from dashboard.services.case import Addition, Headline, addition, headline
from dashboard.services.cases import explain
from dashboard.services.comparison import compare
from dashboard.services.params import Flag
from dashboard.session import widgets
from dashboard.session.session import Session
from proset.common.words import percent
from proset.explain.case_sheets import report_sheets
from proset.plots.contributions import has_rest, plot_contributions
from proset.plots.neighbours import plot_images

if TYPE_CHECKING:
    from proset.explain.case import CaseReport
    from proset.study import Study

FEATURES = Flag("features", False)
"""Whether the report shows the columns of every feature."""
_ASIDE = 420
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
    report = explain(study, case, session.opened.others if session.opened else None, rule=session.rule)
    stem = exports.file_stem(study.table.name, case.label.lower().replace(" ", "-"))
    lines = headline(study, case, session.judged(study))
    _estimate(lines, report)
    _beside_prototypes(report, stem)
    _report(session, report, stem)
    page.how_to_read(session)


def _estimate(lines: Headline, report: CaseReport) -> None:
    """Show what the model says, whether it is right, and how well it knows such cases."""
    st.subheader(words.label(lines.name), anchor=False, divider="gray")
    st.markdown(f"{case_card.verdict(lines)} · {lines.part}")
    # Unlike columns, these go below one another where the window is narrow.
    with st.container(horizontal=True, gap="large"):
        bars, aside = st.container(), st.container(width=_ASIDE)
    with bars:
        class_bars.show(report.probabilities, predicted=lines.predicted, actual=lines.actual, key="case.classes")
    with aside:
        st.metric(
            "Familiarity",
            percent(lines.quantile),
            help="Share of the held-out rows that are at most as familiar to the model as this case.",
        )
        # The first sentence says what the line above the bars says.
        for sentence in report.words[1:]:
            st.markdown(words.markdown(sentence))


def _beside_prototypes(report: CaseReport, stem: str) -> None:
    """Show the case and the prototypes that count most, side by side."""
    st.subheader("Beside its most influential prototypes", anchor=False, divider="gray")
    if len(report.neighbours) < 2:
        st.caption("The model has no prototypes: every case gets the share of each class among the training rows.")
        return
    compared = compare(report)
    if report.images:
        figure_panel.show(
            plot_images(report),
            key="case.images",
            file_name=f"{stem}-images",
            alt="The case and its most influential prototypes as pictures.",
        )
        with st.expander("The same, feature by feature"):
            comparison.show(compared, key="case.comparison")
    else:
        comparison.show(compared, key="case.comparison")
    if report.neighbour_extras.shape[1]:
        with st.expander("Columns that the model does not use"):
            comparison.show_extras(report.neighbour_extras, key="case.extras")


def _report(session: Session, report: CaseReport, stem: str) -> None:
    """Show how the contributions add up, the full report, and the files."""
    st.subheader("How the estimate adds up", anchor=False, divider="gray")
    _sum(addition(report.report, report.predicted))
    figure = plot_contributions(report)
    figure_panel.show(
        figure,
        key="case.contributions",
        file_name=f"{stem}-contributions",
        alt="What the baseline and each prototype add to the estimate.",
    )
    others = "Dark: the other prototypes together." if has_rest(report) else ""
    notes = ("Hatched: the baseline.", others, figure.layout.meta)
    st.caption(words.caption(" ".join(filter(None, notes))))
    features = widgets.toggle(
        session,
        FEATURES,
        "Show weight, value, original value and similarity of every feature",
        key="case.features.widget",
    )
    report_table.show(report.report, report.classes, features=features, key="case.report")
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


def _sum(parts: Addition) -> None:
    """Write the sum as one line, and whether it holds to the last digit."""
    st.markdown(f"Estimate for **{words.markdown(parts.label)}**: {words.markdown(parts.words)}")
    if parts.gap < _ADDS_UP:
        st.caption("The contributions add up to the estimate.")
    else:
        st.caption(f"The contributions miss the estimate by {parts.gap:.0e}.")
