"""Above the map: the ways from case to case, the selected one, and what it weighs if it is a prototype."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import page, words
from dashboard.components.case import picker
from dashboard.components.maps import case_card
from dashboard.components.numbers import number_picker
from dashboard.services.cases import CaseSource
from dashboard.services.numbers.number_evidence import NumberEvidence, case_words
from dashboard.services.prototypes import PROTOTYPE, PrototypeRef
from dashboard.session import links
from dashboard.session.session import Session
from proset.common.words import number

if TYPE_CHECKING:
    from proset.study import NumberStudy, Study


def show(session: Session, study: Study, finding: str, *, drawn: bool) -> None:
    """Show the selected case, or else the finding; a case that is a prototype can be opened as such."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="map-case"):
        picker.walk(session, study, primary=False)
        case_card.show(session, study, finding, drawn=drawn)
        _prototypes(session, study)


def show_number(session: Session, study: NumberStudy, finding: str) -> None:
    """Show the selected case of a model of a number, or else the finding, and the ways from case to case."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center", key="map-case"):
        picker.steps(session, number_picker.order(session, study), primary=False)
        if session.case is None:
            page.finding(finding, "Click a mark on the map to select the case.")
            return
        found = NumberEvidence(study, session.case, session.others, cache.keeper(study))
        st.markdown(words.markdown(case_words(found)), width="content")
        page.link(session, "case", "Open the case", content=True)


def _prototypes(session: Session, study: Study) -> None:
    """Say what the selected case weighs as a prototype, if it is one."""
    case = session.case
    if case is None or case.source is not CaseSource.TABLE:
        return
    for line in study.prototypes[study.prototypes["row"] == case.row].to_dict("records"):
        batch = int(line["batch"])
        st.markdown(
            f"Row {case.row} is a **prototype** of '{words.markdown(line['class'])}' in batch {batch}, "
            f"weight {number(line['weight'])}.",
            width="content",
        )
        _way(session, PrototypeRef(batch, case.row))


def _way(session: Session, prototype: PrototypeRef) -> None:
    """Show the way to what the prototype decides."""
    pressed = st.button(
        "Open the prototype",
        key=f"map.prototype.{prototype.text}",
        icon=":material/hub:",
        type="tertiary",
        on_click=session.put,
        args=(PROTOTYPE, prototype),
    )
    if pressed:
        target = page.find(session, "prototypes")
        st.switch_page(page.for_streamlit(session, target, lambda: None), query_params=links.query(session, target))
