"""Measures of a model of a number, and the rows furthest outside their interval."""

from __future__ import annotations

from typing import TYPE_CHECKING

import streamlit as st

from dashboard.components import line_list, page, tables, words
from dashboard.services.numbers import quality as service
from dashboard.texts import number_quality as text

if TYPE_CHECKING:
    from dashboard.session.session import Session
    from proset.explain.numbers.quality import NumberQuality
    from proset.study import NumberStudy

_LINES_SHOWN = 8


def show(found: NumberQuality) -> None:
    """Show one line per measure: its value with its interval, and that of others."""
    frame = service.measure_frame(found)
    column = st.column_config.TextColumn
    helps = "\n\n".join(f"**{name}**: {said}" for name, said in text.MEASURES.items())
    st.dataframe(
        frame,
        key="number.quality.measures",
        height=tables.height(len(frame)),
        column_config={
            "measure": column("Measure", width=82, help=helps),
            "value": column("Value", width=66),
            "interval": column("95 % interval", width=116, help="Where the value may lie for many more such rows."),
            "everybody": column("Everybody", width=80, help="All training rows, smoothed, for every case."),
            "line": column("Line", width=66, help="A straight line, with its errors on rows left out."),
        },
        alt="Measures: " + "; ".join(f"{name} {value}" for name, value in frame["value"].items()) + ".",
    )
    st.caption(words.caption(service.beside_words(found)))


def outside(session: Session, study: NumberStudy, found: NumberQuality) -> None:
    """Show the rows furthest outside their interval; picking a line selects the case on every page."""
    page.section(text.OUTSIDE)
    st.caption(words.caption(service.outside_words(found)))
    frame = service.outside_frame(study, found)
    if frame.empty:
        return
    config = st.column_config
    named = {f"name {place}": words.bare(name) for place, name in enumerate(study.naming_columns)}
    line_list.show_cases(
        session,
        f"number.quality.outside.{session.rows_key}",
        tables.in_words(frame, [], even=["beyond", "median"]),
        rows=frame.index,
        lines=_LINES_SHOWN,
        columns={
            "row": config.NumberColumn("Row", format="%d", width=50),
            **{name: config.TextColumn(shown, width=76) for name, shown in named.items()},
            "beyond": config.NumberColumn("Beyond", width=68, help="Distance from the nearer end of the interval."),
            "actual": config.NumberColumn("Actual", width=68),
            "median": config.NumberColumn("Median", width=68),
            "interval": config.TextColumn("90 % interval", width=112),
        },
        alt="Rows whose number lies furthest outside its 90 % interval.",
    )
    selected = session.selected_row()
    if selected is not None:
        page.link(session, "case", f"Look at row {selected}", content=True)
