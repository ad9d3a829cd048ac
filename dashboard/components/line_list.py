"""Tables of which one line can be ticked, and is ticked again where a page comes back to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import streamlit as st

from dashboard.components import anchor, tables
from dashboard.services.cases import CaseRef, CaseSource
from dashboard.session import widgets

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd
    from pandas.io.formats.style import Styler

    from dashboard.session.session import Session


def show(
    session: Session,
    name: str,
    table: pd.DataFrame | Styler,
    *,
    labels: pd.Index,
    picked: int | None,
    ticked: Callable[[int | None], None],
    lines: int,
    columns: dict[str, Any],
    alt: str,
    hide_index: bool | None = None,
) -> None:
    """Show a table; `ticked` gets the label of a line that is ticked, and None when that is taken back.

    `labels` are those of the lines, `picked` the one that is picked now, here or elsewhere, and `lines` says how many
    are seen at once, as :func:`dashboard.components.tables.height` takes it. The `name` tells it from other widgets.
    """
    widget, start = anchor.place(session, name, picked)

    def take() -> None:
        rows = widgets.says(widget)["selection"]["rows"]
        label = int(labels[rows[0]]) if rows else None
        anchor.shows(session, name, label)
        ticked(label)

    default: Any = {"selection": {"rows": [labels.get_loc(start)]}} if start in labels else None
    st.dataframe(
        table,
        key=widget,
        on_select=take,
        selection_mode="single-row",
        selection_default=default,
        height=tables.height(len(labels), lines),
        hide_index=hide_index,
        placeholder="",
        column_config=tables.fitted(columns),
        alt=alt,
    )


def show_cases(
    session: Session,
    name: str,
    table: pd.DataFrame | Styler,
    *,
    rows: pd.Index,
    source: CaseSource = CaseSource.TABLE,
    lines: int,
    columns: dict[str, Any],
    alt: str,
) -> None:
    """Show a table of cases with these row ids; ticking a line selects its case on every page."""

    def ticked(row: int | None) -> None:
        session.select(None if row is None else CaseRef(source, row))

    picked = session.selected_row(source)
    show(session, name, table, labels=rows, picked=picked, ticked=ticked, lines=lines, columns=columns, alt=alt)
