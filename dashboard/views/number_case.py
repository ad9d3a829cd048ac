"""Case, of a model of a number: what it says, how sure, and from which cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import downloads, page
from dashboard.components.case import values, what_if
from dashboard.components.downloads import Download
from dashboard.components.guidance import ask
from dashboard.components.numbers import number_picker, number_tabs, number_verdict, number_voices, number_what_if
from dashboard.services import exports
from dashboard.services.numbers.number_evidence import NumberEvidence
from dashboard.services.numbers.number_walk import LIST
from dashboard.session.session import Session
from dashboard.texts import number_case as text
from proset.plots.number_answers import plot_number_answer

if TYPE_CHECKING:
    from proset.study import NumberStudy

PARAMS = (LIST, *number_tabs.PARAMS)
"""Values of the page that stand in its address."""
_ASIDE = 350


def render(session: Session, study: NumberStudy) -> None:
    """Draw the page: one screen with the answer and where it comes from, and more of it in tabs."""
    number_verdict.look()
    if session.case is None:
        with st.container(key="case-list"):
            st.caption(text.START)
            number_picker.show(session, study)
            number_picker.table(session, study)
    else:
        evidence = NumberEvidence(study, session.case, session.others, cache.keeper(study))
        _argument(session, evidence)
        number_picker.show(session, study)
        _downloads(evidence)
    number_picker.bar(session, study)


def _argument(session: Session, evidence: NumberEvidence) -> None:
    """Show what is said of the case and why, and beside it what would change it."""
    number_verdict.show(evidence)
    with page.room():
        if made := what_if.origin_words(session, evidence.ref):
            what_if.show_origin(made)
    with st.container(horizontal=True, gap="medium"):
        left = st.container(gap="small", key="case-left")
        right = st.container(width=_ASIDE, gap="xsmall", key="case-whatif") if evidence.study.used_columns else None
    with left:
        with page.room():
            number_voices.picture(evidence)
            number_voices.show(session, evidence)
            number_voices.values(session, evidence)
            values.aside(evidence.case, evidence.study)
        with page.room():
            if evidence.study is session.number and evidence.case.row is not None:
                ask.row(session, evidence.study, evidence.case.row, key="case")
        number_tabs.show(session, evidence)
    if right is not None:
        with right:
            number_what_if.show(session, evidence)


def _downloads(evidence: NumberEvidence) -> None:
    """Offer the files."""
    answer, target, stem = evidence.answer, str(evidence.study.roles.target), evidence.stem

    def prototypes() -> bytes:
        return exports.csv_bytes(answer.to_frame(), index=False)

    def figure() -> bytes:
        return exports.figure_html(plot_number_answer(answer, unit=target), [answer.words])

    downloads.show(
        Download("Prototypes (CSV)", f"{stem}-prototypes.csv", downloads.CSV, prototypes),
        Download("Answer (HTML)", f"{stem}-answer.html", downloads.HTML, figure),
        key="case",
    )
