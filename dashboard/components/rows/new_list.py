"""New rows as a list, the ones to look at first in front, and the selected one in a few lines."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from dashboard.components import line_list, page, tables, words
from dashboard.services.cases import CaseRef, CaseSet, CaseSource, Picker
from dashboard.services.new_data import Near, NewRowOrder, ScoredRows, ordered
from dashboard.session import widgets
from dashboard.session.session import Session
from dashboard.texts import new as text
from proset.common.words import percent

if TYPE_CHECKING:
    import pandas as pd

    from dashboard.services.params import EnumParam

_LINES_SHOWN = 8
MOST_LISTED = 5_000
_MOST_LOOKED_THROUGH = 50
_SHARES = ["confidence", "familiarity", "nearness", "nearness in all columns"]
_NEAR = {Near.ALL: "nearness in all columns", Near.MODEL: "nearness"}


def show(session: Session, scored: ScoredRows, order: EnumParam[Any], near: Near) -> None:
    """Show the list with the nearness that the figure shows; ticking a line selects the row on every page."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        with st.container(width=260):
            now = widgets.pick(
                session, order, list(NewRowOrder), "Order", key="new.order.widget", words=text.ORDERS.__getitem__,
                in_line=True,
            )  # fmt: skip
        lines = ordered(scored.lines, now)
        look_through(session, lines)
    frame = lines.head(MOST_LISTED).drop(columns=["in words", *(name for at, name in _NEAR.items() if at is not near)])
    if not frame["left"].any():
        frame = frame.drop(columns=["left"])
    frame["note"] = frame["note"] != ""  # a mark: the words would be cut, and the card of a selected row has them
    if not frame["note"].any():
        frame = frame.drop(columns=["note"])
    line_list.show_cases(
        session,
        f"new.list.{now}",
        tables.in_words(frame, [name for name in _SHARES if name in frame]),
        rows=frame.index,
        source=CaseSource.NEW,
        lines=_LINES_SHOWN,
        columns=_columns(),
        alt="List of the new rows.",
    )
    st.caption(use_words(len(frame), len(lines), text.UNUSUAL if now == NewRowOrder.UNUSUAL else ""))


def use_words(listed: int, count: int, order: str = "") -> str:
    """Say how the list is used, how it is ordered, and that it has not all rows where it is cut."""
    use = "Tick a line to select the row (keyboard: Shift and the space bar); click a heading to sort."
    cut = f"Listed: the first {listed:,} of {count:,} rows; the download has all." if count > listed else ""
    return " ".join(filter(None, (use, order, cut)))


def look_through(session: Session, lines: pd.DataFrame) -> None:
    """Show the button that leads through the first rows of the list on the Case page."""
    cases = tuple(CaseRef(CaseSource.NEW, int(row)) for row in lines.index[:_MOST_LOOKED_THROUGH])

    def take() -> None:
        session.look_through(CaseSet(picked=cases, by=Picker.NEW))
        session.select(cases[0])

    if st.button(
        text.LOOK_THROUGH, key="new.look", icon=":material/arrow_forward:", on_click=take, help=text.LOOK_THROUGH_HELP
    ):
        page.go(session, page.find(session, "case"))


def card(session: Session, scored: ScoredRows) -> None:
    """Show the selected row in a few lines, with the way to its explanation."""
    row = session.selected_row(CaseSource.NEW)
    with st.container(border=True):
        if row is None or row not in scored.lines.index:
            st.markdown("**No row selected.** Click a mark, or tick a line of the list.")
            return
        line = scored.lines.loc[[row]].to_dict("records")[0]
        left = " · a person decides" if line["left"] else ""
        st.markdown(
            f"**New row {row}** · estimate **{words.markdown(line['estimate'])}** ({percent(line['confidence'])}){left}"
        )
        for sentence in scored.found.words(row).sentences:
            st.markdown(words.markdown(sentence))
        if line["note"]:
            st.markdown(words.markdown(f"Something had to be assumed about this row: {line['note']}."))
        page.link(session, "case", "Explain this row")


def _columns() -> dict[str, Any]:
    """Return how the columns of the list look."""
    config = st.column_config
    among = "Share of held-out rows that are at most as"
    return {
        "row": config.NumberColumn("Row", format="%d", width=50),
        "estimate": config.TextColumn("Estimate", width=84),
        "left": config.TextColumn("A person decides", width=72),
        "confidence": config.NumberColumn("Confidence", width=84, help="Probability of the estimated class."),
        "familiarity": config.NumberColumn("Familiarity", width=84, help=f"{among} familiar as this row."),
        "nearness": config.NumberColumn(
            "Nearness", width=84, help=f"{among} near to a known case as this row, in the columns that the model uses."
        ),
        "nearness in all columns": config.NumberColumn(
            "Nearness", width=84, help=f"{among} near to a known case as this row, in all columns."
        ),
        "note": config.TextColumn("Note", width=54, help=text.NOTE_HELP),
    }
