"""The smallest change of one column that moves the answer by an amount that one states."""

from __future__ import annotations

import streamlit as st

from dashboard.components import tables, words
from dashboard.components.case import what_if
from dashboard.services.case.what_if import Edits, kept
from dashboard.services.numbers.number_evidence import NumberEvidence
from dashboard.services.params import Number
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import number_case as text
from proset.explain.numbers.number_moves import NumberMoves, missed_words
from proset.study.settings import Bounds

BY = Number("move", 0.0, of_model=True, bounds=Bounds(-1e15, 1e15))
"""Distance that the median should move; 0 is half a standard deviation of the training rows, upwards."""


def show(session: Session, evidence: NumberEvidence) -> None:
    """Ask how far, and list what does it."""
    usual = float(f"{0.5 * evidence.study.unit:.1g}")
    by = float(session.get(BY)) or usual

    def take(said: float | None) -> None:
        session.put(BY, float(said or 0.0))

    widgets.held(
        st.number_input,
        "Move the median by",
        key="number.by",
        value=by,
        taken=take,
        step=usual,
        format="%.6g",
        width=220,
    )
    found = evidence.moves(by)
    st.markdown(words.markdown(found.words))
    if len(found.reached):
        _table(evidence, found)
        _try(session, evidence, found)
    if said := missed_words(found) if len(found.reached) else "":
        st.caption(words.caption(said))
    st.caption(text.MOVES_NOTE)


def _table(evidence: NumberEvidence, found: NumberMoves) -> None:
    """List the columns that move it far enough."""
    lines = found.reached[["column", "before", "after", "size", "median", "quantile"]]
    plain = st.column_config.NumberColumn
    st.dataframe(
        tables.in_words(lines, ["quantile"]),
        key="number.moves",
        hide_index=True,
        height=tables.height(len(lines)),
        column_config={
            "column": "Column",
            "before": "As it is",
            "after": "Changed",
            "size": plain("Size", format="%.2f", help="In standard deviations of the column; 1 for another word."),
            "median": plain("Median then", format="%.4g"),
            "quantile": plain("Familiar then", help="Share of held-out rows that are at most as familiar."),
        },
        alt="Columns that move the median far enough, the smallest change first.",
    )


def _try(session: Session, evidence: NumberEvidence, found: NumberMoves) -> None:
    """Offer to take the smallest change to the controls."""
    first = found.reached.iloc[0]
    column = str(first["column"])
    edits = Edits(evidence.ref).changed(column, kept(evidence.ranges[column], first["cell"]))
    st.button(
        f"Try {words.label(column)} {words.label(first['before'])} → {words.label(first['after'])}",
        key="number.try",
        icon=":material/tune:",
        on_click=what_if.change,
        args=(session, evidence.ref, edits),
    )
