"""One case as each system of a comparison sees it, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import page, tables, words
from dashboard.components.compare import start
from dashboard.components.compare.kept import asked
from dashboard.services.cases import CaseSource
from dashboard.services.compare import case as service
from dashboard.texts import compare as text
from proset.common.errors import ProsetError
from proset.compare import explain_row

if TYPE_CHECKING:
    from dashboard.services.case.selected import CaseEvidence
    from dashboard.session.session import Session
    from proset.compare import Comparison, SystemCase
    from proset.study import Study

_LINES_SHOWN = 14
_MOST_BESIDE = 4  # cards; of more there are three in a line, see frame.css


def has_part(session: Session, evidence: CaseEvidence) -> bool:
    """Tell whether other systems were compared with and say something of the case."""
    return evidence.case.row is not None and start.result(session, evidence.study) is not None


def part(session: Session, evidence: CaseEvidence) -> None:
    """Show what other systems say of the case."""
    found, row = start.result(session, evidence.study), evidence.case.row
    assert found is not None
    assert row is not None
    _cards(evidence.study, found, row, key="case.systems")
    page.link(session, "compare", content=True)


def show(session: Session, study: Study, found: Comparison, *, key: str) -> None:
    """Show what each system says of the selected case, and why."""
    case = session.case
    if case is None:
        return
    if case.source is not CaseSource.TABLE:
        st.caption(text.NO_ROW)
        return
    page.section(words.label(text.CASE.format(case=case.label.lower())))
    _cards(study, found, case.row, key=key)


def _cards(study: Study, found: Comparison, row: int, *, key: str) -> None:
    """Show a card per system, side by side where there is room."""
    try:
        seen = asked(explain_row, study, found, row)
    except ProsetError as error:
        words.notice("warning", error)
        return
    notes = (service.truth_words(study, found, row), start.not_the_model(study, found))
    st.caption(words.caption(" ".join(filter(None, notes))))
    beside = len(seen) if len(seen) <= _MOST_BESIDE else 3
    with st.container(horizontal=True, gap="small", key=f"{key.replace('.', '-')}-cards-{beside}"):
        for one in seen:
            with st.container(border=True, height="stretch"):
                _card(study, one, row, found.which, key=f"{key}.case.{one.key}")


def _card(study: Study, one: SystemCase, row: int, which: str, *, key: str) -> None:
    """Show one system's answer: the class, how familiar the case is to it, and the prototypes that count."""
    st.markdown(f"**{words.markdown(one.title)}**  \n{words.markdown(service.said_words(study, one, row))}")
    st.caption(words.caption(service.shares_words(one, which)))
    frame = service.prototype_lines(study, one)
    if len(frame):
        column = st.column_config.TextColumn
        st.dataframe(
            frame,
            key=f"{key}.prototypes",
            hide_index=True,
            height=tables.height(len(frame)),
            column_config={
                "case": column(text.NAMED.get(one.key, "Prototype"), width=86 if one.prototypes["made"].any() else 76),
                "class": column("Class", width=76),
                "counts": column(text.COUNTS[one.key], width=64, alignment="right") if "counts" in frame else None,
            },
            alt=f"Prototypes that count most for {words.bare(one.title)}.",
        )
    lines = (text.DECIDES[one.key], service.looks_at(one), *one.notes)
    st.caption(words.caption(" ".join(filter(None, lines))))
    with st.popover(text.VALUES, type="tertiary", icon=":material/table:", key=f"{key}.values"):
        values = service.values_frame(study, one)
        st.dataframe(
            values,
            key=f"{key}.values.frame",
            height=tables.height(len(values), _LINES_SHOWN),
            column_config={"feature": st.column_config.TextColumn("Feature", pinned=True)},
            alt=f"Values of the case and of the prototypes of {words.bare(one.title)}.",
        )
