"""Ways to a case: by its number or name, or from one case of a set to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard import cache
from dashboard.components import keys, part_switch, words
from dashboard.services.cases import CaseRef, CaseSet, Filter, step
from dashboard.session import widgets
from dashboard.session.session import Session
from proset.common.errors import StudyError
from proset.common.words import shown

if TYPE_CHECKING:
    from proset.study import Study
    from proset.study.base import StudyBase
    from proset.study.decision import DecisionRule

_TEXT = "case_picker.text"
_BOX = 200
_NAMED = 14  # letters of a name that fit into the box behind the other words
_LONGEST = 200  # of what is looked for; a limit of the field itself would write its count over the hint


def show(session: Session, study: Study) -> None:
    """Show the box that finds a case and the choice of the rows that are looked through."""
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        find_box(session, study)
        part_switch.show(session, key="case")
    if problem := session.take_problem():
        words.notice("error", problem)


def place(session: Session, study: Study) -> str:
    """Return where one is among the cases that are looked through, in words."""
    return place_words(_ordered(session, study), session.case, session.cases)


def _ordered(session: Session, study: Study) -> tuple[CaseRef, ...]:
    """Return the cases that are looked through, in their order."""
    return cache.derived(_order, study, session.cases, session.rule)


def _order(study: Study, cases: CaseSet, rule: DecisionRule) -> tuple[CaseRef, ...]:
    return cases.cases(cache.judged(study, rule))


def find_box(session: Session, study: StudyBase) -> None:
    """Show the box that finds a case by row id or identifier."""
    name = study.identifier

    def find() -> None:
        text = widgets.says(_TEXT)[:_LONGEST]
        if not text.strip():
            return
        try:
            session.select(CaseRef.in_table(study.row_of(text)))
        except StudyError as error:
            session.miss(error)
        widgets.shows(_TEXT, "")

    index = study.table.frame.index
    st.text_input(
        "Find a case by row number" + (f" or {words.label(name)}" if name else ""),
        key=_TEXT,
        on_change=find,
        placeholder=words.bare(
            f"Find row or {shown(name, _NAMED)}" if name else f"Find row {index.min()} to {index.max()}"
        ),
        width=_BOX,
        label_visibility="collapsed",
    )


def walk(session: Session, study: Study, *, primary: bool = True) -> None:
    """Show the buttons that lead through the cases that are looked through; the way on may be the primary one."""
    wrong = session.cases.which is Filter.WRONG and session.cases.picked is None
    steps(session, _ordered(session, study), on="Next misclassified" if wrong else "Next", primary=primary)


def steps(session: Session, order: tuple[CaseRef, ...], *, on: str = "Next", primary: bool = True) -> None:
    """Show the buttons that lead back and on through cases in this order."""
    for label, by, icon, shortcut in (
        ("Previous", -1, "arrow_back", keys.PREVIOUS),
        (on, 1, "arrow_forward", keys.NEXT),
    ):
        st.button(
            label,
            key=f"case_picker.{by}",
            type="primary" if by > 0 and primary else "secondary",
            icon=f":material/{icon}:",
            shortcut=shortcut,
            disabled=not order,
            on_click=session.select,
            args=(step(order, session.case, by),),
        )


def place_words(order: tuple[CaseRef, ...], case: CaseRef | None, cases: CaseSet) -> str:
    """Say where one is in the list and how it is ordered.

    Parameters
    ----------
    case : CaseRef or None
        The selected one.

    Examples
    --------
    >>> place_words((CaseRef.in_table(3),), None, CaseSet())
    '1 misclassified held-out row, most confident error first.'
    """
    if not order:
        return f"No {cases.words}."
    if case not in order:
        return f"{cases.counted(len(order))}, {cases.order_words}."
    here = order.index(case) + 1
    return f"{here} of {cases.counted(len(order))}, {cases.order_words}; after the last comes the first."
