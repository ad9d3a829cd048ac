"""Quality: how often the model is right, where it goes wrong, and whether its probabilities hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import downloads, error_list, ignored_risks, page, part_switch, words
from dashboard.components.downloads import CSV, HTML, Download
from dashboard.components.fit import headline
from dashboard.components.quality import by_group, class_table, confusion_matrix, decision_rule, figures, measures
from dashboard.components.slices import where_wrong
from dashboard.services import exports
from dashboard.services.cases import PART_WORDS
from dashboard.services.quality import quality as service
from dashboard.services.quality.quality import SHOWN
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import quality as text
from proset import explain
from proset.plots.calibration import plot_calibration
from proset.plots.confusion import plot_confusion
from proset.plots.curves import plot_precision_recall, plot_roc

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd
    import plotly.graph_objects as go

    from dashboard.services.cases import Part, Within
    from proset.explain.judged.assessment import Quality
    from proset.explain.slices.find import ErrorSlices
    from proset.study import Study
    from proset.study.decision import DecisionRule

_ASIDE = 440


def render(session: Session, study: Study) -> None:
    """Draw the page."""
    with st.container(horizontal=True, vertical_alignment="center"):
        widgets.choose(session, SHOWN, "What to show", key="quality.show", words=lambda option: text.SHOWN[option])
        part_switch.show(session, key="quality")
        decision_rule.show(session, study, key="quality")
    ignored_risks.of_study(session, study)
    found: Quality = cache.derived(_quality, study, session.part, session.rule, session.within)
    said = [
        service.rows_words(found, session.part, session.within),
        service.relabelled_words(study, session.part, session.within),
        decision_rule.say(session, study),
    ]
    if found.verdict.n_decided:
        rows = PART_WORDS[session.part].removeprefix("all ")
        page.finding(f"{headline.right_words(found.verdict, rows)}.")
    st.caption(" ".join(filter(None, said)))
    # Unlike columns, these go below one another where the window is narrow.
    with st.container(horizontal=True, gap="medium"):
        # frame.css: wide enough to read
        picture, aside = st.container(key="quality-picture"), st.container(width=session.wide(_ASIDE))
    with picture:
        if found.n_rows:
            figures.show(session, study, found)
            page.section("By class")
            class_table.show(found.verdict, key="quality.classes")
        else:
            words.notice("info", text.NOTHING)
        wrong = st.container()
    with aside:
        page.section(text.MEASURES)
        measures.show(found, key="quality.measures")
        confusion_matrix.lists(session, study, key="quality")
        error_list.show(session, study, key="quality", title=False)
        confusion_matrix.ways(session, study, key="quality")
    with wrong:  # last, because the search takes a moment
        parts = where_wrong.show(session, study)
        by_group.show(session, study)
    _downloads(session, study, found, parts)


def _quality(study: Study, part: Part, rule: DecisionRule, within: Within | None) -> Quality:
    return explain.quality(study, service.part_index(cache.judged(study, rule), part, within), rule=rule)


def _downloads(session: Session, study: Study, found: Quality, parts: ErrorSlices) -> None:
    """Offer the figures and the numbers."""
    stem = exports.file_stem(study.table.name, "quality", session.part.value)

    def csv(label: str, name: str, frame: Callable[[], pd.DataFrame], *, index: bool = True) -> Download:
        return Download(label, f"{stem}{name}.csv", CSV, lambda: exports.csv_bytes(frame(), index=index))

    def html(label: str, name: str, figure: Callable[[], go.Figure]) -> Download:
        return Download(label, f"{stem}-{name}.html", HTML, lambda: exports.figure_html(figure()))

    downloads.show(
        csv("Measures (CSV)", "", found.to_frame),
        csv("By class (CSV)", "-classes", found.verdict.table),
        csv("Confusion (CSV)", "-confusion", lambda: found.confusion),
        csv("Curves (CSV)", "-curves", found.curves.points, index=False),
        csv("Calibration (CSV)", "-calibration", found.calibration.to_frame, index=False),
        csv("Where it goes wrong (CSV)", "-parts", parts.to_frame, index=False),
        html("Confusion (HTML)", "confusion", lambda: plot_confusion(found.confusion)),
        html("ROC (HTML)", "roc", lambda: plot_roc(found.curves)),
        html("Precision and recall (HTML)", "precision_recall", lambda: plot_precision_recall(found.curves)),
        html("Calibration (HTML)", "calibration", lambda: plot_calibration(found.calibration)),
        key="quality",
    )
