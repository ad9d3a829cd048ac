"""Names of cases that lead to them, and the way back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import streamlit as st

from dashboard.components import page, words
from dashboard.services.case.trail import Trail
from dashboard.services.cases import CaseRef
from dashboard.services.params import Param
from dashboard.services.prototypes import PROTOTYPE, PrototypeRef
from dashboard.session import links
from dashboard.session.session import Session

if TYPE_CHECKING:
    from dashboard.services.case.selected import CaseEvidence

ICON = ":material/arrow_forward:"
_TRAIL = Param("case.trail", Trail())


def button(
    session: Session,
    case: CaseRef,
    label: str,
    *,
    key: str,
    icon: str | None = ICON,
    in_fragment: bool = False,
    icon_position: Literal["left", "right"] = "left",
    help: str | None = None,
) -> None:
    """Show the name of a case that opens it; the Case page then has a way back to the present one."""
    clicked = st.button(
        words.label(label),
        key=key,
        type="tertiary",
        icon=icon,
        icon_position=icon_position,
        help=help,
        disabled=case == session.case,
        on_click=follow,
        args=(session, case),
    )
    if clicked and in_fragment:
        st.rerun()


def follow(session: Session, case: CaseRef) -> None:
    """Open a case, and remember the present one."""
    if session.case is not None and session.case != case:
        session.put(_TRAIL, session.get(_TRAIL).went(session.case, case))
    session.select(case)


def back(session: Session) -> None:
    """Show the way back to the case from which this one was opened, if it was."""
    here = session.case
    start = None if here is None else session.get(_TRAIL).back(here)
    if here is None or start is None:
        return

    def go() -> None:
        session.put(_TRAIL, session.get(_TRAIL).returned(here))
        session.select(start)

    st.button(f"Back to {start.label.lower()}", key="case.back", icon=":material/undo:", on_click=go)


def reverse_view(session: Session, evidence: CaseEvidence) -> None:
    """Show the way to what a row of the table decides as a prototype, if it is one."""
    known, row = evidence.study.prototypes, evidence.case.row
    mine = known.loc[known["row"] == row, "batch"]
    if row is None or mine.empty:
        return
    chosen = PrototypeRef(int(mine.iloc[0]), row)
    if st.button(
        "What this prototype decides",
        key="case.reverse",
        icon=":material/hub:",
        on_click=session.put,
        args=(PROTOTYPE, chosen),
    ):
        there = page.find(session, "prototypes")
        st.switch_page(page.for_streamlit(session, there, lambda: None), query_params=links.query(session, there))
