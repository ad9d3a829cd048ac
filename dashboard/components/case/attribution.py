"""Values that lead to the estimate of a case, or make it familiar or not, against a case one can choose."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from dashboard.components import figure_panel, page, reference_choice, tables, words
from dashboard.components.downloads import CSV, HTML, Download
from dashboard.services import exports
from dashboard.services.case.selected import CaseEvidence, how_words
from dashboard.services.case.together import pair_lines, pair_words
from dashboard.services.params import Number
from dashboard.services.references import REFERENCE
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import together as text
from proset.common.words import percent, plus_minus
from proset.explain.attribution.many_rows import MOST_PAIRED
from proset.explain.cases.pixels import shap_pixels, told_apart, used_pixels
from proset.plots.familiarity_attribution import plot_familiarity_attribution
from proset.plots.image_evidence import plot_image_evidence
from proset.plots.waterfall import plot_waterfall
from proset.study.settings import Bounds

_ANY = Bounds(-1, 10_000, whole=True)
FOR = Number("for", -1, of_model=True, bounds=_ANY)
"""Position of the class whose estimate is explained; -1 is the one that is said."""
AGAINST = Number("against", -1, of_model=True, bounds=_ANY)
"""Position of the class that it is held against; -1 is none."""
PARAMS = (REFERENCE, FOR, AGAINST)


def show_estimate(session: Session, evidence: CaseEvidence) -> None:
    """Show how the values of the case lead from the estimate of the reference to its own."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        against = reference_choice.show(
            session, evidence.study, key="case.reference", typed=True, usual=evidence.usual_reference
        )
        label, other = _choose_classes(session, evidence)
    reference_choice.tell(session, evidence.study)
    found = evidence.shap
    steps = found.steps(found.index[0], label, other)
    figure = plot_waterfall(steps, found.classes, cells=evidence.cells)
    top = ", ".join(f"{name} {plus_minus(100 * value, 1)}" for name, value in steps.ordered.head(5).items())
    figure_panel.show(
        figure,
        key="case.waterfall",
        file_name=f"{evidence.stem}-shap",
        alt=f"From the estimate at {against.words} to that of this case, in percentage points by column: {top}.",
    )
    if evidence.report.images:
        _overlays(evidence, told_apart(evidence.report, label, other))
    gap = abs(steps.base + float(steps.values.sum()) - steps.estimate)
    adds = "The bars add up to the estimate." if gap < 1e-6 else f"The bars miss the estimate by {gap:.0e}."
    notes = (f"Compared with {against.words}.", adds, how_words(found), figure.layout.meta)
    st.caption(words.caption(" ".join(filter(None, notes))))
    _together(evidence, label, other)


def _together(evidence: CaseEvidence, label: str, other: str | None) -> None:
    """Show which columns work together in the votes for the case."""
    used = len(evidence.study.used_columns)
    if not 2 <= used <= MOST_PAIRED:
        return
    page.section(text.OF_CASE)
    lines = pair_lines(evidence, label, other)
    if lines.empty:
        st.caption(text.NONE_OF_CASE)
        return
    st.dataframe(lines, key="case.together", hide_index=True, height=tables.height(len(lines)), alt=text.CASE_ALT)
    st.caption(words.caption(pair_words(evidence, label, other)))


def _overlays(evidence: CaseEvidence, labels: list[str]) -> None:
    """Show which pixels raise or lower the estimates of two classes."""
    study = evidence.study
    overlays = shap_pixels(study, evidence.shap, labels)
    figure_panel.show(
        plot_image_evidence(evidence.report, used=used_pixels(study), differences=False, overlays=overlays),
        key="case.overlays",
        file_name=f"{evidence.stem}-shap-pixels",
        alt=f"SHAP values over the case and its leading prototypes, for {' and for '.join(labels)}.",
    )


def show_familiarity(session: Session, evidence: CaseEvidence) -> None:
    """Show which columns make the case more or less familiar than the reference."""
    against, found = evidence.reference, evidence.familiarity
    figure = plot_familiarity_attribution(found, found.index[0], cells=evidence.cells)
    figure_panel.show(
        figure,
        key="case.familiarity",
        file_name=f"{evidence.stem}-familiarity",
        alt=f"From the familiarity of {against.words} to that of this case, column by column.",
    )
    said = (
        f"Exact Shapley values of the total impact of the prototypes, compared with {against.words}. This case is at "
        f"least as familiar as {percent(evidence.report.quantile)} of the held-out rows."
    )
    st.caption(words.caption(" ".join(filter(None, (said, figure.layout.meta)))))


def _choose_classes(session: Session, evidence: CaseEvidence) -> tuple[str, str | None]:
    """Show which class is explained, and against which; return both."""
    classes = evidence.study.classes
    count, said = len(classes), classes.index(evidence.report.predicted)
    label = int(session.get(FOR)) if 0 <= session.get(FOR) < count else said
    other = int(session.get(AGAINST)) if 0 <= session.get(AGAINST) < count else -1
    other = -1 if other == label else other
    for key, param, value, options, name in (
        ("case.for", FOR, label, list(range(count)), "Estimate for"),
        ("case.against", AGAINST, other, [-1, *(k for k in range(count) if k != label)], "Held against"),
    ):

        def take(chosen: int, param: Number = param) -> None:
            session.put(param, -1 if param is FOR and chosen == said else chosen)

        widgets.held(
            st.selectbox,
            name,
            options,
            key=key,
            value=value,
            taken=take,
            format_func=lambda k: "no other class" if k < 0 else words.bare(classes[k]),
            width=190,
        )
    return classes[label], classes[other] if other >= 0 else None


def files(evidence: CaseEvidence) -> tuple[Download, ...]:
    """Return what the attributions have to take away: the values, the waterfall, and pictures if there are any."""
    report, study, stem = evidence.report, evidence.study, evidence.stem
    if not study.used_columns:
        return ()

    def values() -> bytes:
        found = evidence.shap
        frame = pd.DataFrame(found.values[0], index=list(found.features), columns=list(found.classes))
        if not found.exact[0]:
            frame[[f"{label} (standard error)" for label in found.classes]] = found.standard_error[0]
        return exports.csv_bytes(frame.rename_axis("column"))

    def together() -> bytes:
        return exports.csv_bytes(evidence.interactions.to_frame(), index=False)

    def waterfall() -> bytes:
        found = evidence.shap
        steps = found.steps(found.index[0], report.predicted)
        figure = plot_waterfall(steps, found.classes, cells=evidence.cells)
        return exports.figure_html(
            figure, [f"SHAP values for '{report.predicted}', compared with {evidence.reference.words}."]
        )

    def pictures() -> bytes:
        overlays = shap_pixels(study, evidence.shap, told_apart(report, report.predicted))
        figure = plot_image_evidence(report, used=used_pixels(study), overlays=overlays)
        return exports.figure_html(figure, [f"SHAP values compared with {evidence.reference.words}."])

    pictured = (Download("Pictures and SHAP (HTML)", f"{stem}-pictures.html", HTML, pictures),) if report.images else ()
    few = 2 <= len(study.used_columns) <= MOST_PAIRED
    pairs = (Download("Pairs of columns (CSV)", f"{stem}-together.csv", CSV, together),) if few else ()
    return (
        Download("SHAP values (CSV)", f"{stem}-shap.csv", CSV, values),
        *pairs,
        Download("SHAP waterfall (HTML)", f"{stem}-shap.html", HTML, waterfall),
        *pictured,
    )
