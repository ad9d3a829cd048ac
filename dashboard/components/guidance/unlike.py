"""These two are not alike: what tells a case from another one, how little of it weighs, and a button per column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import streamlit as st

from dashboard.components import tables, words
from dashboard.components.guidance import ask
from dashboard.session.session import Session
from dashboard.texts import guidance as text
from proset import explain
from proset.common.words import number, percent

if TYPE_CHECKING:
    from collections.abc import Hashable

    from dashboard.services.case.selected import CaseEvidence
    from proset.explain.cases.not_alike import NotAlike
    from proset.study import Study

_LINES = 8


def of_case(session: Session, evidence: CaseEvidence) -> None:
    """Offer what can be asked of the next model because of a case: columns, the row itself, and whom it is not like."""
    study, number_of = evidence.study, evidence.case.row
    if study is not session.study or not study.used_columns:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        ask.use_columns(session, study, evidence.contradictions.contradicting, key="case.use", lead=text.LET_USE)
        if number_of is not None:
            ask.row(session, study, number_of, key="case")
        others = _others(evidence)
        if not others:
            return
        names = {row: words.bare(name) for row, name in others.items()}
        chosen = st.selectbox(
            text.NOT_ALIKE,
            list(names),
            index=None,
            format_func=names.__getitem__,
            key=f"case.unlike.{evidence.ref.text}",
            placeholder=text.NOT_ALIKE,
            label_visibility="collapsed",
            width=290,
            help=text.NOT_ALIKE_HELP,
        )
    if chosen is not None:
        _show(session, study, evidence.kept("unlike", lambda: explain.not_alike(study, evidence.case, chosen), chosen))


def _others(evidence: CaseEvidence) -> dict[int, str]:
    """Return the prototypes that speak most, and the nearest known cases, by row; the case itself is none of them."""
    found: dict[int, str] = {}
    for side in evidence.sides:
        for voice in side.voices:
            found.setdefault(voice.row, f"{side.label}: {voice.name} (prototype)")
    for label in (evidence.contradictions.said, evidence.contradictions.other):
        for line in evidence.nearest.of(label).head(2).to_dict("records"):
            found.setdefault(int(line["row"]), f"{label}: {line['name']} (known case)")
    found.pop(evidence.case.row or -1, None)
    return found


def _show(session: Session, study: Study, found: NotAlike) -> None:
    """Show the differences, and a button for each column that the model would have to look at."""
    st.markdown(words.markdown(" ".join(found.words)))
    frame = _frame(found)
    height = tables.height(len(frame), _LINES)
    st.dataframe(frame, key="case.unlike.columns", hide_index=True, height=height, alt=text.NOT_ALIKE_ALT)
    st.caption(words.caption(text.NOT_ALIKE_READ.format(label=found.label)))
    ask.use_columns(session, study, found.wanting, key="case.unlike.use", lead=text.LET_USE)


def _frame(found: NotAlike) -> pd.DataFrame:
    """Return the columns as people read them."""
    lines = found.columns.to_dict("records")
    return pd.DataFrame(
        {
            "Column": [line["column"] for line in lines],
            "This case": [_cell(line["value"]) for line in lines],
            "The other": [_cell(line["other_value"]) for line in lines],
            "Spreads apart": [_apart(line["apart"]) for line in lines],
            "Weight": [_weight(line) for line in lines],
            "Leaves": [percent(line["factor"]) if line["used"] else "all" for line in lines],
        }
    )


def _weight(line: dict[Hashable, Any]) -> str:
    """Write the weight of a column in the batch that finds the two most alike."""
    if line["used"]:
        return number(round(line["weight"], 3))
    return "in other batches" if line["elsewhere"] else "not used"


def _cell(value: object) -> str:
    """Write a value of the table."""
    if value is None or pd.isna(value):  # type: ignore[call-overload]
        return "missing"
    return number(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)


def _apart(value: float) -> str:
    """Write how far two values lie apart."""
    return "not known" if pd.isna(value) else "beyond all" if value == float("inf") else f"{value:.1f}"
