"""Figures on a page: one look of the tool bar everywhere, and marks that can be clicked."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from dashboard.components import anchor, words
from dashboard.services.cases import CaseRef, Source
from dashboard.session import widgets
from dashboard.session.session import Session
from proset.plots import style

_TOOLS_REMOVED = ["select2d", "lasso2d", "zoomIn2d", "zoomOut2d", "autoScale2d"]
_FADED = 0.12
_SIZE_WHEN_CLICKED = 17


def show(figure: go.Figure, *, key: str, file_name: str, alt: str) -> None:
    """Show a figure that is only looked at."""
    st.plotly_chart(figure, key=key, config=_config(file_name, wheel=False), alt=words.bare(alt))


def show_clickable(
    session: Session, draw: Callable[[int | None], go.Figure], *, name: str, file_name: str, alt: str
) -> go.Figure:
    """Show a figure whose marks carry row ids; a click on one selects its case.

    `draw` makes the figure for a row id whose case is to be drawn as selected. Returns what it made.
    """
    case = session.case
    selected = case.row if case is not None and case.source is Source.TABLE else None
    key, row = anchor.place(session, name, selected)
    figure = draw(row)
    if st.context.theme.type == "dark":
        figure = lighter(figure)

    def clicked() -> None:
        points = widgets.says(key)["selection"]["points"]
        # A double click resets the zoom and also takes the diamond away, which nobody asks for: then it is drawn anew.
        picked = _label(points)
        anchor.shows(session, name, picked)
        if picked is not None:
            session.select(CaseRef.in_table(picked))

    st.plotly_chart(
        clickable(figure, mark=row),
        key=key,
        on_select=clicked,
        selection_mode="points",
        config=_config(file_name, wheel=True),
        alt=words.bare(alt),
    )
    return figure


def show_points(
    session: Session,
    figure: go.Figure,
    *,
    name: str,
    picked: int | None,
    file_name: str,
    alt: str,
    clicked: Callable[[int | None], None],
    fade: bool = False,
) -> None:
    """Show a figure whose points carry labels in ``customdata[0]``; `clicked` gets that of a point that is clicked.

    It gets None when the click is taken back by another one on the same point. `picked` is the label that is picked
    now, here or elsewhere: the figure forgets a click that it does not agree with. With `fade` the figure itself says
    how what is clicked and what is not looks.
    """
    key, _ = anchor.place(session, name, picked)

    def take() -> None:
        label = _label(widgets.says(key)["selection"]["points"])
        anchor.shows(session, name, label)
        clicked(label)

    copy = go.Figure(figure)
    if not fade:
        # Plotly would fade everything but the point that was clicked, the chosen point and the best one included.
        copy.update_traces(unselected={"marker": {"opacity": 1}}, selector={"type": "scatter"})
        copy.update_traces(selected={"marker": {"size": _SIZE_WHEN_CLICKED}}, selector=_is_mark)
    st.plotly_chart(
        copy,
        key=key,
        on_select=take,
        selection_mode="points",
        config=_config(file_name, wheel=False),
        alt=words.bare(alt),
    )


def _label(points: list[Any]) -> int | None:
    """Return the label of the point that was clicked; None if a click was taken back."""
    return int(points[0]["customdata"][0]) if points else None


def _config(file_name: str, *, wheel: bool) -> dict[str, Any]:
    """Return the tool bar: a PNG under a good name, no tools that do nothing here."""
    return {
        "displaylogo": False,
        "scrollZoom": wheel,
        "modeBarButtonsToRemove": _TOOLS_REMOVED,
        "toImageButtonOptions": {"format": "png", "filename": file_name, "scale": 2},
    }


def clickable(figure: go.Figure, *, mark: int | None) -> go.Figure:
    """Return a copy of a figure in which the browser itself moves the diamond to the mark that is clicked.

    Streamlit draws a figure anew, and so forgets zoom and pan, whenever anything in it changes. So the diamond may not
    be part of what the server sends. Instead every mark gets an invisible diamond on top, and Plotly shows the one that
    is selected; the server sends the same figure as before and the browser leaves it alone.

    Parameters
    ----------
    figure : plotly Figure
        Marks are traces with hover boxes whose ``customdata[0]`` is a row id; diamonds are replaced.
    mark : int or None
        The row id whose diamond shows until the first click.

    Returns
    -------
    plotly Figure
        A new figure; the given one is left as it is.
    """
    copy = go.Figure(figure)
    copy.data = tuple(trace for trace in copy.data if trace.marker.symbol != style.SELECTED_SYMBOL)
    marks = [trace for trace in copy.data if _is_mark(trace)]
    layers = [_layer(trace, mark) for trace in marks]
    for trace in marks:
        trace.update(hoverinfo="skip", hovertemplate=None)
    copy.add_traces([*layers, _legend_entry()])
    return copy


def fade_all_but(figure: go.Figure, rows: Collection[int]) -> go.Figure:
    """Return a copy of a map in which all small marks but those of `rows` are pale; prototypes stay as they are."""
    copy = go.Figure(figure)
    legend: list[go.Scatter] = []
    for trace in copy.data:
        # Prototypes have a size each, the small marks share one.
        if _is_mark(trace) and isinstance(trace.marker.size, (int, float)):
            legend.append(_legend_copy(trace, rank=len(legend)))
            trace.update(showlegend=False)
            trace.marker.opacity = [1.0 if int(item[0]) in rows else _FADED for item in trace.customdata]
    copy.add_traces(legend)
    return copy


def lighter(figure: go.Figure) -> go.Figure:
    """Return a copy of a map whose class colours can be seen as small marks on a dark page."""
    copy = go.Figure(figure)
    for trace in copy.data:
        for part in (trace.marker, trace.marker.line):
            if isinstance(part.color, str):
                part.color = style.for_dark(part.color)
    return copy


def _legend_copy(trace: Any, *, rank: int) -> go.Scatter:
    """Return an entry before all others that looks as the trace does now."""
    return go.Scatter(
        x=[None],
        y=[None],
        mode="markers",
        name=trace.name,
        marker=trace.marker,
        legendgroup=trace.legendgroup,
        legendrank=rank,
        showlegend=trace.showlegend,
        hoverinfo="skip",
    )


def _is_mark(trace: Any) -> bool:
    """Tell whether a trace consists of marks that carry row ids and may be pointed at."""
    return trace.customdata is not None and len(trace.customdata) > 0 and trace.hoverinfo != "skip"


def _diamond() -> dict[str, Any]:
    """Return the look of the diamond: dark on a light page, light on a dark one."""
    colour = style.RING_LIGHT if st.context.theme.type == "dark" else style.RING_DARK
    return {
        "symbol": style.SELECTED_SYMBOL,
        "size": style.SELECTED_SIZE,
        "color": colour,
        "line": {"width": 3, "color": colour},
    }


def _layer(trace: Any, mark: int | None) -> go.Scatter:
    """Return the invisible diamonds over one trace, with its hover box; only a selected one is seen."""
    rows = [int(item[0]) for item in trace.customdata]
    return go.Scatter(
        x=trace.x,
        y=trace.y,
        mode="markers",
        name=trace.name,
        legendgroup=trace.legendgroup,
        showlegend=False,
        customdata=trace.customdata,
        hovertemplate=trace.hovertemplate,
        hoverlabel={"bgcolor": trace.marker.color},
        marker={**_diamond(), "opacity": 0},
        selectedpoints=[rows.index(mark)] if mark in rows else [],
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 0}},
    )


def _legend_entry() -> go.Scatter:
    """Return what explains the diamond in the legend."""
    return go.Scatter(x=[None], y=[None], mode="markers", name="selected case", marker=_diamond(), hoverinfo="skip")
