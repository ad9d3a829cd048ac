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
from dashboard.texts import new as new_text
from dashboard.texts import number_new as text
from proset.common.words import alike

if TYPE_CHECKING:
    import pandas as pd

    from proset.study.number_study import NumberStudy

_LINES = 9
_NARROWEST, _DIGIT = 50, 8  # pixels


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
    note = frame.pop("note") != ""  # a mark: the words would be cut, and the card of a selected row has them
    if note.any():  # after all other columns nobody would see it
        frame.insert(list(frame).index("familiarity") + 1, "note", note)
    even = [name for name in ("median", "lower", "upper", "actual", "error") if name in frame]
    line_list.show_cases(
        session,
        f"new.list.{order}",
        tables.in_words(frame, ["familiarity", "nearness"], even=even),
        rows=frame.index,
        source=CaseSource.NEW,
        lines=_LINES,
        columns=_columns(target, {name: _width(frame[name]) for name in even}),
        alt="List of the new rows.",
    )
    st.caption(use_words(len(frame), len(lines)))


def _width(values: pd.Series) -> int:
    """Return the pixels that the longest number of a column needs: more would push the last column out of sight."""
    longest = max(map(len, alike(values.dropna())), default=0)
    return max(_NARROWEST, _DIGIT * longest + 2 * _DIGIT)


def _columns(target: str, widths: dict[str, int]) -> dict[str, Any]:
    """Return how the columns of the list look, those of numbers with these widths in pixels."""
    number, of = st.column_config.NumberColumn, words.help_text(target)
    return {
        "row": number("Row", format="%d", width=42),
        "median": number("Median", width=max(62, widths["median"]), help=f"Half of the distribution lies below: {of}."),
        "lower": number("From", width=widths["lower"], help="Lower end of the interval of 90 %."),
        "upper": number("To", width=widths["upper"], help="Upper end of the interval of 90 %."),
        "familiarity": number("Familiar", width=66, help="Share of held-out rows that are at most as familiar."),
        "nearness": number("Nearness", width=74, help=text.NEARNESS_HELP),
        "actual": number("Actual", width=max(58, widths.get("actual", 0)), help=f"What the file says: {of}."),
        "error": number("Off by", width=max(56, widths.get("error", 0)), help="Median less actual."),
        "inside": st.column_config.TextColumn("Inside", width=54, help="Whether the interval of 90 % holds it."),
        "note": st.column_config.TextColumn("Note", width=50, help=new_text.NOTE_HELP),
    }
