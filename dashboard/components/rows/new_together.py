"""New rows together: all of them in a figure, their drift from the held-out ones, and their files."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import downloads, figure_panel, page, words
from dashboard.components.downloads import Download
from dashboard.services import exports
from dashboard.services.cases import CaseRef, CaseSource
from dashboard.services.new_data import drift_note
from proset.explain.familiar.shift import Drift
from proset.plots.new_rows import plot_drift

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

    from dashboard.session.session import Session


def figure(session: Session, drawn: go.Figure, stem: str, alt: str) -> None:
    """Show all new rows in a figure of the page; a click selects a row."""

    def clicked(row: int | None) -> None:
        session.select(None if row is None else CaseRef(CaseSource.NEW, row))

    selected = session.selected_row(CaseSource.NEW)
    figure_panel.show_points(
        session, drawn, name="new.figure", picked=selected, file_name=stem, alt=alt, clicked=clicked
    )
    if drawn.layout.meta:
        st.caption(words.caption(drawn.layout.meta))


def files(output: pd.DataFrame, found: Drift | None, stem: str) -> None:
    """Offer the answers for all rows, and with them their drift."""
    sheet = {} if found is None else {"drift": found.to_frame().reset_index()}
    table = partial(exports.csv_bytes, output, index=False)
    downloads.show(
        Download("Scores (CSV)", f"{stem}.csv", downloads.CSV, table),
        Download(
            "Scores (.xlsx)", f"{stem}.xlsx", downloads.XLSX, lambda: exports.workbook_bytes({"scores": output} | sheet)
        ),
        key="new",
    )


def drift(found: Drift, stem: str, *, said: bool = True) -> None:
    """Show the drift of new rows; without the sentence where the page has it already."""
    page.section("Are the new rows like the held-out ones?")
    if said:
        st.markdown(words.markdown(found.words))
    figure_panel.show(
        plot_drift(found),
        key="new.drift",
        file_name=f"{stem}-drift",
        alt="Share of the new rows at each place among the held-out rows, in familiarity and nearness.",
    )
    st.caption(drift_note(found))
