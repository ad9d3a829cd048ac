"""Values that lead to the estimate of a case, or make it familiar or not, against a case one can choose."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import streamlit as st

from dashboard import cache
from dashboard.components import figure_panel, words
from dashboard.components.case import reference_choice
from dashboard.components.case.once import once
from dashboard.components.downloads import CSV, HTML, Download
from dashboard.services import exports
from dashboard.services.case.image_evidence import shap_pixels, used_pixels
from dashboard.services.case.shapley import case_familiarity, case_shap, cell_values, how_words
from dashboard.services.params import Number
from dashboard.services.references import POINT, REFERENCE, Reference, references
from dashboard.session import widgets
from dashboard.session.session import Session
from proset.common.errors import StudyError
from proset.common.words import percent
from proset.plots.familiarity_attribution import plot_familiarity_attribution
from proset.plots.image_evidence import plot_image_evidence
from proset.plots.waterfall import plot_waterfall
from proset.study.settings import Bounds

if TYPE_CHECKING:
    from proset.explain.attribution.shapley import ShapValues
    from proset.explain.cases.case import CaseReport
    from proset.study import Study

_ANY = Bounds(-1, 10_000, whole=True)
FOR = Number("for", -1, of_model=True, bounds=_ANY)
"""Position of the class whose estimate is explained; -1 is the one that is said."""
AGAINST = Number("against", -1, of_model=True, bounds=_ANY)
"""Position of the class that it is held against; -1 is none."""
PARAMS = (REFERENCE, FOR, AGAINST)


def shap(study: Study, row: int | pd.DataFrame, against: Reference) -> ShapValues:
    """Return the SHAP values of the case."""
    return once(case_shap, study, row, against)


def show_estimate(session: Session, study: Study, row: int | pd.DataFrame, report: CaseReport, *, stem: str) -> None:
    """Show how the values of the case lead from the estimate of the reference to its own."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        _choose_reference(session, study)
        label, other = _choose_classes(session, study, report)
    against = reference_choice.chosen(session, study)
    if against.text != session.get(REFERENCE):
        words.notice("warning", "There is no such case to compare with; the reference point is taken.")
    found = shap(study, row, against)
    steps = found.steps(found.index[0], label, other)
    figure = plot_waterfall(steps, cells=cell_values(study, row, against))
    top = ", ".join(f"{name} {100 * value:+.1f}" for name, value in steps.ordered.head(5).items())
    figure_panel.show(
        figure,
        key="case.waterfall",
        file_name=f"{stem}-shap",
        alt=f"From the estimate at {against.words} to that of this case, in percentage points by column: {top}.",
    )
    _overlays(study, found, report, label, other, stem=stem)
    gap = abs(steps.base + float(steps.values.sum()) - steps.estimate)
    adds = "The bars add up to the estimate." if gap < 1e-6 else f"The bars miss the estimate by {gap:.0e}."
    notes = (f"Compared with {against.words}.", adds, how_words(found), figure.layout.meta)
    st.caption(words.caption(" ".join(filter(None, notes))))


def _overlays(study: Study, found: ShapValues, report: CaseReport, label: str, other: str | None, *, stem: str) -> None:
    """Show, for pictures, which pixels raise or lower the estimate of one class and of another."""
    if not report.images:
        return
    labels = _two_classes(report, label, other)
    figure_panel.show(
        plot_image_evidence(
            report, used=used_pixels(study), differences=False, overlays=shap_pixels(study, found, labels)
        ),
        key="case.overlays",
        file_name=f"{stem}-shap-pixels",
        alt=f"SHAP values over the case and its leading prototypes, for {' and for '.join(labels)}.",
    )


def _two_classes(report: CaseReport, label: str, other: str | None) -> list[str]:
    """Return a class and another: the one it is held against, the actual one, or the most probable of the others."""
    by_estimate = report.probabilities.sort_values(ascending=False, kind="stable").index
    second = [str(name) for name in (other, report.actual, *by_estimate) if name is not None and name != label]
    return [name for name in (label, *second[:1]) if name in report.classes]


def show_familiarity(session: Session, study: Study, row: int | pd.DataFrame, report: CaseReport, *, stem: str) -> None:
    """Show which columns make the case more or less familiar than the reference."""
    against = reference_choice.chosen(session, study)
    found = once(case_familiarity, study, row, against)
    figure = plot_familiarity_attribution(found, found.index[0], cells=cell_values(study, row, against))
    figure_panel.show(
        figure,
        key="case.familiarity",
        file_name=f"{stem}-familiarity",
        alt=f"From the familiarity of {against.words} to that of this case, column by column.",
    )
    said = (
        f"Exact Shapley values of the total impact of the prototypes, compared with {against.words}. This case is at "
        f"least as familiar as {percent(report.quantile)} of the held-out rows."
    )
    st.caption(words.caption(" ".join(filter(None, (said, figure.layout.meta)))))


def _choose_reference(session: Session, study: Study) -> None:
    """Show what the case can be compared with; any other row can be typed."""
    known = cache.derived(references, study)
    here = reference_choice.chosen(session, study)
    labels = {option.text: option.label for option in (*known, here)}
    key = "case.reference"
    widgets.shows(key, here.text)

    def take() -> None:
        said = str(widgets.says(key) or POINT)
        if said in labels:
            session.put(REFERENCE, said)
            return
        try:
            session.put(REFERENCE, f"row-{study.row_of(said)}")
        except StudyError as error:
            session.not_found = str(error)

    st.selectbox(
        "Compare with (or type a row number)",
        list(labels),
        format_func=lambda text: words.bare(labels.get(text, text)),
        key=key,
        on_change=take,
        accept_new_options=True,
        width=330,
    )


def _choose_classes(session: Session, study: Study, report: CaseReport) -> tuple[str, str | None]:
    """Show which class is explained, and against which; return both."""
    classes = study.classes
    count = len(classes)
    said = classes.index(report.predicted)
    label = int(session.get(FOR)) if 0 <= session.get(FOR) < count else said
    other = int(session.get(AGAINST)) if 0 <= session.get(AGAINST) < count else -1
    other = -1 if other == label else other
    for key, param, value, options, name in (
        ("case.for", FOR, label, list(range(count)), "Estimate for"),
        ("case.against", AGAINST, other, [-1, *(k for k in range(count) if k != label)], "Held against"),
    ):
        widgets.shows(key, value)

        def take(key: str = key, param: Number = param) -> None:
            chosen = int(widgets.says(key))
            session.put(param, -1 if param is FOR and chosen == said else chosen)

        st.selectbox(
            name,
            options,
            format_func=lambda k: "no other class" if k < 0 else words.bare(classes[k]),
            key=key,
            on_change=take,
            width=190,
        )
    return classes[label], classes[other] if other >= 0 else None


def files(
    session: Session, study: Study, row: int | pd.DataFrame, report: CaseReport, *, stem: str
) -> tuple[Download, ...]:
    """Return what the attributions have to take away: the values, the waterfall, and pictures if there are any."""
    if not study.used_columns:
        return ()
    text = session.get(REFERENCE)

    def values() -> bytes:
        against = reference_choice.named_or_usual(study, text)
        found = shap(study, row, against)
        frame = pd.DataFrame(found.values[0], index=list(found.features), columns=list(found.classes))
        return exports.csv_bytes(frame.rename_axis("column"))

    def waterfall() -> bytes:
        against = reference_choice.named_or_usual(study, text)
        found = shap(study, row, against)
        cells = cell_values(study, row, against)
        figure = plot_waterfall(found.steps(found.index[0], report.predicted), cells=cells)
        return exports.figure_html(figure, [f"SHAP values for '{report.predicted}', compared with {against.words}."])

    def pictures() -> bytes:
        against = reference_choice.named_or_usual(study, text)
        labels = _two_classes(report, report.predicted, None)
        overlays = shap_pixels(study, shap(study, row, against), labels)
        figure = plot_image_evidence(report, used=used_pixels(study), overlays=overlays)
        return exports.figure_html(figure, [f"SHAP values compared with {against.words}."])

    pictured = (Download("Pictures and SHAP (HTML)", f"{stem}-pictures.html", HTML, pictures),) if report.images else ()
    return (
        Download("SHAP values (CSV)", f"{stem}-shap.csv", CSV, values),
        Download("SHAP waterfall (HTML)", f"{stem}-shap.html", HTML, waterfall),
        *pictured,
    )
