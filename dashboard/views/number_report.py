"""Report on a model of a number or on one case of it: one file that can be handed on, and what it will say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import page, report_part
from dashboard.services import exports
from dashboard.services.numbers.number_evidence import NumberEvidence
from dashboard.services.params import ListedParam
from dashboard.services.report import ABOUT, ReportSubject
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import report as text
from proset.report.make import number_case_report, number_report, part_titles

if TYPE_CHECKING:
    from proset.report.document import ReportPart
    from proset.study import NumberStudy

TITLES = part_titles(case=False, number=True)
CASE_TITLES = part_titles(case=True, number=True)
INSIDE = ListedParam("of_number", next(iter(TITLES)), words=tuple(TITLES))
"""The part that is looked at."""
INSIDE_CASE = ListedParam("of_number_case", next(iter(CASE_TITLES)), words=tuple(CASE_TITLES))
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
            report_part.download(lambda: number_report(study), exports.file_stem(study.table.name, "report"))
        widgets.choose(session, INSIDE, text.INSIDE, key="report.inside", words=TITLES.__getitem__)
        names = report_part.shown_with(session.get(INSIDE), TITLES)
        parts = [cache.derived(_part, study, name) for name in names]
    elif session.case is None:
        st.info(text.NO_CASE, icon=":material/person_search:")
        page.next_steps(session, "map", "case")
        return
    else:
        evidence = NumberEvidence(study, session.case, session.others, cache.keeper(study))
        with file:
            report_part.download(lambda: number_case_report(study, evidence.case), f"{evidence.stem}-report")
        key = "report.inside.case"
        widgets.choose(session, INSIDE_CASE, text.INSIDE, key=key, words=CASE_TITLES.__getitem__)
        names = report_part.shown_with(session.get(INSIDE_CASE), CASE_TITLES)
        parts = [_case_part(evidence, name) for name in names]
    report_part.first_page(parts, key="report")


def _part(study: NumberStudy, name: str) -> ReportPart:
    """Return one part of the report on the model."""
    return number_report(study, parts=(name,)).parts[0]


def _case_part(evidence: NumberEvidence, name: str) -> ReportPart:
    """Return one part of the report on a case, made once."""
    study, case = evidence.study, evidence.case
    keep = cache.keeper(study)
    return keep("number report part", lambda: number_case_report(study, case, parts=(name,)).parts[0], name, case)
