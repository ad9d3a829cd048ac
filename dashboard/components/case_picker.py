"""Three ways to a case: by its number or name, or from one misclassified case to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import state
from dashboard.components import error_list, part_switch
from dashboard.services.map import PART_WORDS, step
from proset.common.errors import StudyError

if TYPE_CHECKING:
    from dashboard.services.map import Part
    from proset.study import Study

_TEXT = "case_picker.text"
_PROBLEM = "case_picker.problem"
_BOX = 340


def show(study: Study) -> None:
    """Show the box and the two buttons; what is picked is selected on every page."""
    with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
        _box(study)
        part = part_switch.show(study, key="case")
    if problem := st.session_state.pop(_PROBLEM, None):
        st.error(problem, icon=":material/search_off:")
    _walk(study, part)


def _box(study: Study) -> None:
    """Show the box that finds a case by row id or identifier."""
    name = study.roles.identifier

    def find() -> None:
        text = st.session_state[_TEXT]
        if not text.strip():
            return
        try:
            state.select_row(study.row_of(text))
        except StudyError as error:
            st.session_state[_PROBLEM] = str(error)
        st.session_state[_TEXT] = ""

    index = study.table.frame.index
    st.text_input(
        "Find a case by row number" + (f" or {name}" if name else ""),
        key=_TEXT,
        on_change=find,
        placeholder=f"{index.min()} to {index.max()}" + (f", or a value of {name}" if name else ""),
        max_chars=200,
        width=_BOX,
    )


def _walk(study: Study, part: Part) -> None:
    """Show the buttons that lead through the misclassified cases, and where one is among them."""
    order = [int(row) for row in error_list.errors(study, part).index]
    row = state.selected_row()
    with st.container(horizontal=True, vertical_alignment="center"):
        for label, by, icon in (
            ("Previous misclassified", -1, "arrow_back"),
            ("Next misclassified", 1, "arrow_forward"),
        ):
            st.button(
                label,
                key=f"case_picker.{by}",
                icon=f":material/{icon}:",
                disabled=not order,
                on_click=state.select_row,
                args=(step(order, row, by),),
            )
        st.caption(_place(order, row, part))


def _place(order: list[int], row: int | None, part: Part) -> str:
    """Say where one is in the list and how it is ordered."""
    where = PART_WORDS[part] if part.value != "all" else "rows"
    if not order:
        return f"No misclassified cases among the {where}."
    ordered = "most confident error first"
    if row not in order:
        return f"{len(order)} misclassified {where}, {ordered}."
    return f"{order.index(row) + 1} of {len(order)} misclassified {where}, {ordered}; after the last comes the first."
