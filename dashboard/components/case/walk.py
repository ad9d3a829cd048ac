"""The bar below a case: from one case to the next, and to the map; each with its key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import keys, page, words
from dashboard.components.case import link, picker
from dashboard.session.session import Session

if TYPE_CHECKING:
    from dashboard.services.case.selected import CaseEvidence
    from proset.study import Study


def show(session: Session, study: Study, evidence: CaseEvidence | None) -> None:
    """Show the bar; it stays in sight."""
    with st.bottom, st.container(horizontal=True, gap="small", vertical_alignment="center", key="case-walk"):
        picker.walk(session, study)
        link.back(session)
        if st.button("Map", key="case.map", icon=":material/map:", shortcut=keys.MAP):
            page.go(session, page.find(session, "map"))
        if evidence is not None:
            link.reverse_view(session, evidence)
        st.caption(words.caption(picker.place(session, study)), width="content")
