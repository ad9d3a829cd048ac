"""Beside the map: the selected case, and what it weighs if it is a prototype."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import case_card, words
from dashboard.services.cases import Source
from dashboard.session.session import Session
from proset.common.words import number

if TYPE_CHECKING:
    from proset.study import Study


def show(session: Session, study: Study) -> None:
    """Show the selected case, and say so if it is a prototype."""
    case_card.show(session, study)
    case = session.case
    if case is None or case.source is not Source.TABLE:
        return
    for line in study.prototypes[study.prototypes["row"] == case.row].to_dict("records"):
        st.markdown(
            f"Row {case.row} is a **prototype** of '{words.markdown(line['class'])}' in batch {line['batch']}, "
            f"weight {number(line['weight'])}."
        )
