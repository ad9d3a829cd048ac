"""Report on a model of a number: one file that can be handed on, and what it will say."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import downloads, page, report_part
from dashboard.services import exports
from dashboard.services.params import EnumParam
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import report as text
from proset.report.html_file import to_html
from proset.report.make import number_report, part_titles

if TYPE_CHECKING:
    from proset.report.document import ReportPart
    from proset.study import NumberStudy

TITLES = part_titles(case=False, number=True)


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


INSIDE = EnumParam("of_number", NumberPart.SUMMARY)
"""The part that is looked at."""
PARAMS = (INSIDE,)


def render(session: Session, study: NumberStudy) -> None:
    """Draw the page."""
    stem = exports.file_stem(study.table.name, "report")
    st.download_button(
        "Download the report (HTML)",
        lambda: to_html(number_report(study)).encode("utf-8"),
        file_name=f"{stem}.html",
        mime=downloads.HTML,
        key="report.html",
        type="primary",
        icon=":material/download:",
        on_click="ignore",
    )
    widgets.choose(session, INSIDE, text.INSIDE, key="report.inside", words=lambda name: TITLES[str(name)])
    part = cache.derived(_part, study, str(session.get(INSIDE)))
    page.section(part.title)
    report_part.show(part, key="report")


def _part(study: NumberStudy, name: str) -> ReportPart:
    """Return one part of the report."""
    return number_report(study, parts=(name,)).parts[0]
