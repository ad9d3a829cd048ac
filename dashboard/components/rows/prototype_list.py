"""The table of all prototypes: whom each helps to settle, and how often that is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from dashboard.components import line_list, tables, words
from dashboard.services import prototypes as service
from dashboard.services.prototypes import CARDS, PROTOTYPE, PrototypeRef

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from dashboard.session.session import Session
    from proset.explain.structure.prototype_table import PrototypeTable


def show(
    session: Session, table: PrototypeTable, place: int, *, lines: int, choose: Callable[[int | None], None]
) -> None:
    """Show one line per prototype, in the order chosen above; a ticked line opens one.

    Parameters
    ----------
    place : int
        Place in the table of the one looked at.
    lines : int
        Lines to show at once.
    choose : callable
        Takes the place of the ticked line.
    """
    frame = service.table_frame(table, session.get(CARDS), settling=session.within is not None)
    line_list.show(
        session,
        f"prototypes.table.{session.rows_key}.{session.get(CARDS)}",
        tables.in_words(frame, ["wrong share", "own class"], even=["weight"]),
        labels=frame.index,
        picked=place,
        ticked=choose,
        lines=lines,
        hide_index=True,
        columns=_columns(),
        alt="Table of all prototypes.",
    )


def chosen(session: Session, frame: pd.DataFrame, first: int) -> int:
    """Return the place of the chosen prototype in a table, `first` for none; one that the model does not have is told.

    Parameters
    ----------
    frame : DataFrame
        All prototypes of the model, by ``batch`` and ``row``.
    """
    wanted = session.get(PROTOTYPE)
    if wanted is None:
        return first
    here = (frame["batch"] == wanted.batch) & (frame["row"] == wanted.row)
    if here.any():
        return int(here.to_numpy().argmax())
    words.notice("warning", f"Batch {wanted.batch} of this model has no prototype from row {wanted.row}.")
    return first


def choose(session: Session, frame: pd.DataFrame, place: int | None) -> None:
    """Look at the prototype at a place of the table; None for the first one of the order."""
    line = None if place is None else frame.iloc[place]
    session.put(PROTOTYPE, None if line is None else PrototypeRef(int(line["batch"]), int(line["row"])))


def _columns() -> dict[str, Any]:
    """Return how the columns of the table look."""
    number = st.column_config.NumberColumn
    return {
        "row": number("Row", format="%d", width=52),
        "name": st.column_config.TextColumn("Name"),
        "class": st.column_config.TextColumn("Class"),
        "batch": number("Batch", format="%d", width=52),
        "dominant": number("Settles", help="How many cases it helps to settle.", width=58),
        "wrong": number("Wrong", help="How many of these are misclassified.", width=54),
        "wrong share": number("Rate", help="Share of these that is misclassified.", width=56),
        "misled": number("Misled", help="Wrong ones for whose wrong class it speaks.", width=56),
        "changed": number("Changed", help="Decisions that would be others without it.", width=66),
        "own class": number("Own class", help="What all other rows' prototypes say for its class.", width=88),
        "weight": number("Weight", width=60),
    }
