"""Report on a model of a number or on one case of it: one file that can be handed on, and what it will say."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import downloads, page, report_part
from dashboard.services import exports
from dashboard.services.numbers.number_evidence import NumberEvidence
from dashboard.services.params import EnumParam
from dashboard.services.report import ABOUT, ReportSubject
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import report as text
from proset.report.html_file import to_html
from proset.report.make import number_case_report, number_report, part_titles

if TYPE_CHECKING:
    from collections.abc import Callable

    from proset.report.document import Document, ReportPart
    from proset.study import NumberStudy

TITLES = part_titles(case=False, number=True)
CASE_TITLES = part_titles(case=True, number=True)


class NumberPart(StrEnum):
    """Parts of the report, by their names in the address."""

    SUMMARY = "summary"
    PICTURE = "picture"
    QUALITY = "quality"
    FEATURES = "features"
    PROTOTYPES = "prototypes"
    DATA = "data"
    SETTINGS = "settings"
    LIMITS = "limits"


class NumberCasePart(StrEnum):
    """Parts of the report on a case, by their names in the address."""

    VERDICT = "verdict"
    EVIDENCE = "evidence"
    BESIDE = "beside"
    NEAREST = "nearest"
    MOVED = "moved"
    CHANGES = "changes"
    MODEL = "model"


INSIDE = EnumParam("of_number", NumberPart.SUMMARY)
"""The part that is looked at."""
INSIDE_CASE = EnumParam("of_number_case", NumberCasePart.VERDICT)
"""The part of a report on a case that is looked at."""
PARAMS = (INSIDE, INSIDE_CASE)


def render(session: Session, study: NumberStudy) -> None:
    """Draw the page."""
    with st.container(horizontal=True, vertical_alignment="center"):
        choice, file = st.container(width="content"), st.container(width="content")
    with choice:
        widgets.choose(session, ABOUT, "What to report on", key="report.about", words=lambda option: text.ABOUT[option])
    if session.get(ABOUT) is ReportSubject.MODEL:
        with file:
            _file(lambda: number_report(study), exports.file_stem(study.table.name, "report"))
        widgets.choose(session, INSIDE, text.INSIDE, key="report.inside", words=lambda name: TITLES[str(name)])
        names = report_part.shown_with(str(session.get(INSIDE)), TITLES)
        parts = [cache.derived(_part, study, name) for name in names]
    elif session.case is None:
        st.info(text.NO_CASE, icon=":material/person_search:")
        page.next_steps(session, "map", "case")
        return
    else:
        evidence = NumberEvidence(study, session.case, session.others, cache.keeper(study))
        with file:
            _file(lambda: number_case_report(study, evidence.case), f"{evidence.stem}-report")
        key = "report.inside.case"
        widgets.choose(session, INSIDE_CASE, text.INSIDE, key=key, words=lambda name: CASE_TITLES[str(name)])
        names = report_part.shown_with(str(session.get(INSIDE_CASE)), CASE_TITLES)
        parts = [_case_part(evidence, name) for name in names]
    report_part.first_page(parts, key="report")


def _file(make: Callable[[], Document], stem: str) -> None:
    """Offer the report, which is made when it is asked for."""
    st.download_button(
        "Download the report (HTML)",
        lambda: to_html(make()).encode("utf-8"),
        file_name=f"{stem}.html",
        mime=downloads.HTML,
        key="report.html",
        type="primary",
        icon=":material/download:",
        on_click="ignore",
    )


def _part(study: NumberStudy, name: str) -> ReportPart:
    """Return one part of the report on the model."""
    return number_report(study, parts=(name,)).parts[0]


def _case_part(evidence: NumberEvidence, name: str) -> ReportPart:
    """Return one part of the report on a case, made once."""
    study, case = evidence.study, evidence.case
    keep = cache.keeper(study)
    return keep("number report part", lambda: number_case_report(study, case, parts=(name,)).parts[0], name, case)
