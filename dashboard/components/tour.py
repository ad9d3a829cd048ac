"""The tour in three minutes: a strip on each of its pages that says what to look at, and leads on."""

from __future__ import annotations

import streamlit as st

from dashboard.components import page
from dashboard.services.cases import CaseRef
from dashboard.services.data.landing_map import wrong_case
from dashboard.services.params import Number
from dashboard.session.session import Session
from dashboard.texts import start as text
from proset.study.settings import Bounds

STEP = Number("tour", 0, bounds=Bounds(0, len(text.TOUR), whole=True))
"""Step of the tour from 1; 0 outside of it."""


def begin(session: Session) -> None:
    """Begin the tour of the open example, with the case that it is about."""
    if session.study is not None:
        session.select(CaseRef.in_table(wrong_case(session.study)))
    session.put(STEP, 1)


def strip(session: Session) -> bool:
    """Show what to look at on this page, if the tour is here; return whether it is."""
    step = int(session.get(STEP))
    if not step or session.page is None or session.page.name != text.TOUR[step - 1][0]:
        return False
    last = step == len(text.TOUR)
    with st.container(horizontal=True, border=True, vertical_alignment="center", key="tour"):
        st.markdown(f"**{step} of {len(text.TOUR)}.** {text.TOUR[step - 1][1]}{f' {text.END}' if last else ''}")
        following = page.find(session, "data" if last else text.TOUR[step][0])
        label = text.OPEN if last else f"Next: {following.text.menu}"
        if st.button(label, type="primary", key="tour.next", icon=":material/arrow_forward:", icon_position="right"):
            session.put(STEP, 0 if last else step + 1)
            page.go(session, following)
        if st.button("End the tour", type="tertiary", key="tour.end"):
            session.put(STEP, 0)
            st.rerun()
    return True
