"""New rows with a number said of each as a list, the ones to look at first in front, and the selected one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from dashboard.components import line_list, page, tables, words
from dashboard.components.rows.new_list import MOST_LISTED, look_through, use_words
from dashboard.services.cases import CaseSource
from dashboard.services.numbers import new_rows as service
from dashboard.services.numbers.new_rows import ORDER, ScoredNumbers
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import number_new as text

if TYPE_CHECKING:
    from proset.study.number_study import NumberStudy

_LINES = 9


def card(session: Session, study: NumberStudy, scored: ScoredNumbers) -> None:
    """Show the selected row in a few lines, with the way to its explanation."""
    row = session.selected_row(CaseSource.NEW)
    with st.container(border=True):
        if row is None or row not in scored.lines.index:
            st.markdown(text.NO_ROW)
            return
        line = scored.lines.iloc[scored.lines.index.tolist().index(row)]
        st.markdown(f"**New row {row}** · {words.markdown(service.row_words(study, line))}")
        if line["note"]:
            st.markdown(words.markdown(f"Something had to be assumed about this row: {line['note']}."))
        page.link(session, "case", "Explain this row")


def show(session: Session, scored: ScoredNumbers, target: str) -> None:
    """Show the list; ticking a line selects the row on every page."""
    options = service.orders(scored)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        with st.container(width=260):
            order = widgets.pick(
                session, ORDER, options, "Order", key="new.order.widget", words=text.ORDERS.__getitem__, in_line=True
            )
        lines = service.ordered(scored, order)
        look_through(session, lines)
    frame = lines.head(MOST_LISTED).drop(columns=["width", "in words"], errors="ignore")
    note = frame.pop("note")
    if (note != "").any():  # after all other columns nobody would see it
        frame.insert(list(frame).index("familiarity") + 1, "note", note)
    line_list.show_cases(
        session,
        f"new.list.{order}",
        tables.in_words(frame, ["familiarity", "nearness"], even=["median", "lower", "upper"]),
        rows=frame.index,
        source=CaseSource.NEW,
        lines=_LINES,
        columns=_columns(target),
        alt="List of the new rows.",
    )
    st.caption(use_words(len(frame), len(lines)))


def _columns(target: str) -> dict[str, Any]:
    """Return how the columns of the list look."""
    number, of = st.column_config.NumberColumn, words.help_text(target)
    return {
        "row": number("Row", format="%d", width=56),
        "median": number("Median", width=62, help=f"Half of the distribution lies below: {of}."),
        "lower": number("From", width=58, help="Lower end of the interval of 90 %."),
        "upper": number("To", width=58, help="Upper end of the interval of 90 %."),
        "familiarity": number("Familiarity", width=82, help="Share of held-out rows that are at most as familiar."),
        "nearness": number("Nearness", width=76, help=text.NEARNESS_HELP),
        "actual": number("True", format="%.4g", width=75, help=f"What the file says: {of}."),
        "error": number("Off by", format="%.4g", width=75, help="Median less true."),
        "inside": st.column_config.TextColumn("Inside", width=60, help="Whether the interval of 90 % holds it."),
        "note": st.column_config.TextColumn("Note", width=110, help="What had to be assumed about the row."),
    }
