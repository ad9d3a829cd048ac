"""Compare, for a number: how far off other ways to learn are on the same rows, and where they disagree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import downloads, words
from dashboard.components.compare import number_sections, start
from dashboard.components.compare.files import JSON
from dashboard.components.downloads import CSV, HTML, XLSX, Download
from dashboard.services import exports
from dashboard.services.compare import choices
from dashboard.services.compare import found as found_service
from dashboard.services.compare import number_found as service
from dashboard.services.compare.choices import CHOSEN, SETTING, Setting
from dashboard.session import jobs
from dashboard.texts import compare as compare_text
from dashboard.texts import number_compare as text
from dashboard.work.tasks import COMPARE
from proset.compare import (
    fold_words,
    number_comparison_json,
    number_comparison_sheets,
    number_disputes,
    number_summary,
    number_table,
)
from proset.plots.number_compare import plot_number_measures

if TYPE_CHECKING:
    from dashboard.session.session import Session
    from proset.compare import NumberComparison
    from proset.study import NumberStudy


def render(session: Session, study: NumberStudy) -> None:
    """Draw the page."""
    found: NumberComparison | None = start.result(session, study)
    if found is None:
        if jobs.running(COMPARE) is None:
            st.markdown(text.EMPTY)
        start.show(session, study)
        return
    if jobs.running(COMPARE) is None:
        with st.popover(compare_text.AGAIN, icon=":material/tune:"):
            start.show(session, study)
    else:
        start.running(session, study)
    st.caption(words.caption(_headline(session, study, found)))
    number_sections.measures(study, found)
    number_sections.about(found)
    number_sections.systems(session, study, found)
    number_sections.disputes(session, study, found)
    _downloads(study, found)


def _headline(session: Session, study: NumberStudy, found: NumberComparison) -> str:
    """Say what was compared with what, and what of it is not what is chosen now."""
    plan = choices.plan_for(study, session.get(CHOSEN), tuned=session.get(SETTING) is Setting.TUNED)
    older = choices.older_than(found, plan)
    old = compare_text.OLD.format(differences=older) if older else ""
    other = compare_text.NOT_THE_MODEL.get(service.not_the_model(found), "")
    return " ".join(filter(None, (found_service.headline(found), fold_words(study), old, other)))


def _downloads(study: NumberStudy, found: NumberComparison) -> None:
    """Offer the figures and the numbers."""
    stem = exports.file_stem(study.table.name, "compare")
    table = cache.derived(number_table, found)
    said = " ".join(table.words)
    files = [
        Download(
            "Measures, sizes and times (CSV)", f"{stem}.csv", CSV, lambda: exports.csv_bytes(number_summary(found))
        ),
        Download(
            "Rows on which they disagree (CSV)",
            f"{stem}-rows.csv",
            CSV,
            lambda: exports.csv_bytes(cache.derived(number_disputes, found).frame),
        ),
        Download(
            "Everything (Excel)",
            f"{stem}.xlsx",
            XLSX,
            lambda: exports.workbook_bytes(number_comparison_sheets(found)),
        ),
        Download("Everything (JSON)", f"{stem}.json", JSON, lambda: number_comparison_json(study, found)),
        Download(
            "Measures (HTML)",
            f"{stem}-measures.html",
            HTML,
            lambda: exports.figure_html(plot_number_measures(table, current="proset"), [said]),
        ),
    ]
    downloads.show(*files, key="compare")
