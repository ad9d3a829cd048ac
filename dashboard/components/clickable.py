"""Make figures answer to clicks in the browser, and draw them once there; they are changed in place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from proset.plots import style
from proset.plots.traces import legend_entry

TOOL_STRIP = 40
"""Pixels at the right in which the tool bar stands, so that it covers nothing."""
# What of a trace, and of its marks, may be an array: figures say all else in lists.
_OF_TRACE = ("x", "y", "z", "customdata", "base", "width")
_OF_MARKS = ("size", "color", "opacity")
_DIGITS = 5  # after the point, of numbers that are shown as colours


def give_tool_strip(figure: go.Figure) -> go.Figure:
    """Let the tool bar of a figure stand upright in a strip of its own at the right; returns the same figure.

    So it lies over no legend and over no colour bar, whatever the figure says itself.
    """
    figure.update_layout(modebar_orientation="v")
    if (figure.layout.margin.r or 0) < TOOL_STRIP:
        figure.update_layout(margin_r=TOOL_STRIP)
    scaled = [trace for trace in figure.data if "colorbar" in trace and trace.showscale is not False]
    axes = [figure.layout[name] for name in figure.layout if name.startswith("coloraxis")]
    for owner in (*scaled, *axes):
        if owner.colorbar.orientation != "h":
            owner.colorbar.xpad = TOOL_STRIP  # room on both sides of it
    return figure


def make_clickable(figure: go.Figure, *, mark: int | None) -> go.Figure:
    """Let the browser itself move the diamond to the mark that is clicked; returns the same figure.

    Streamlit draws a figure anew, and so forgets zoom and pan, whenever anything in it changes. So the diamond may not
    be part of what the server sends. Instead every mark gets an invisible diamond on top, and Plotly shows the one that
    is selected; the server sends the same figure as before and the browser leaves it alone.

    Parameters
    ----------
    figure : plotly Figure
        Marks are traces with hover boxes whose ``customdata[0]`` is a row id; diamonds are replaced.
    mark : int or None
        The row id whose diamond shows until the first click.
    """
    figure.data = tuple(trace for trace in figure.data if not _is_diamond(trace))
    # Marks of one kind, such as the filled and the hollow ones of a class, share a layer.
    alike: dict[tuple[Any, ...], list[Any]] = {}
    for trace in figure.data:
        if is_mark(trace):
            kind = (trace.legendgroup, trace.xaxis, trace.yaxis, trace.hovertemplate)
            alike.setdefault(kind if trace.legendgroup else (id(trace),), []).append(trace)
    layers = [_layer(traces, mark) for traces in alike.values()]
    for traces in alike.values():
        for trace in traces:
            trace.update(hoverinfo="skip", hovertemplate=None)
    figure.add_traces(layers)
    if any(layer.selectedpoints for layer in layers):
        figure.add_traces(_legend_entry(figure))
    return figure


def draw_once(figure: go.Figure, *, clicks: bool = False) -> go.Figure:
    """Spare the browser from drawing a figure twice; returns the same figure.

    Streamlit hands every figure to Plotly, copies it once its width is known and hands over the copy. Plotly draws that
    one, too, unless it sees that nothing has changed: the width is the one that it has found by itself, what clicks do
    is said from the start, and numbers are not packed and under a revision, because packed ones are compared by which
    they are, not by what they hold. What holds anything else is a new figure to Streamlit, never a change of this one.

    Parameters
    ----------
    figure : plotly Figure
        Is shown at the width of its place.
    clicks : bool, default False
        Whether marks can be selected.
    """
    for trace in (*figure.data, *(one for frame in figure.frames for one in frame.data)):
        _unpack(trace, _OF_TRACE)
        if "marker" in trace:
            _unpack(trace.marker, _OF_MARKS)
    layout = figure.layout
    layout.update(autosize=True, datarevision=1)
    if clicks:
        layout.update(
            clickmode="event+select", hovermode=layout.hovermode or "closest", dragmode=layout.dragmode or "pan"
        )
    return figure


def _unpack(part: Any, names: tuple[str, ...]) -> None:
    """Let the numbers of a part of a figure be sent one by one."""
    for name in names:
        value = part[name] if name in part else None  # noqa: SIM401 (a part of a figure has no `get`)
        if isinstance(value, np.ndarray) and value.dtype != object:
            part[name] = None  # else plotly keeps the packed array, because it is equal
            part[name] = _one_by_one(value)


def _one_by_one(values: np.ndarray) -> np.ndarray | list[Any]:
    """Return numbers that are not packed: None where one is missing, colours with as many digits as can be seen."""
    if values.dtype == np.float32:
        values = values.astype(np.float64).round(_DIGITS)
    loose = values.astype(object)
    if values.dtype.kind == "f":
        loose[np.isnan(values)] = None
    return loose if loose.ndim > 1 else loose.tolist()  # of a table of lists plotly would look at every entry


def is_mark(trace: Any) -> bool:
    """Tell whether a trace consists of marks that carry row ids and may be pointed at."""
    known = isinstance(trace, go.Scatter) and trace.customdata is not None
    return known and len(trace.customdata) > 0 and trace.hoverinfo != "skip"


def _is_diamond(trace: Any) -> bool:
    """Tell whether a trace marks the selected case."""
    return isinstance(trace, go.Scatter) and trace.marker.symbol == style.SELECTED_SYMBOL


def _diamond() -> dict[str, Any]:
    """Return the look of the diamond."""
    return {
        "symbol": style.SELECTED_SYMBOL,
        "size": style.SELECTED_SIZE,
        "color": style.INK,
        "line": {"width": 3, "color": style.INK},
    }


def _layer(traces: Sequence[Any], mark: int | None) -> go.Scatter:
    """Return the invisible diamonds over some traces, with their hover box; only a selected one is seen."""
    first = traces[0]
    per_mark = np.concatenate([np.asarray(trace.customdata, dtype=object) for trace in traces])
    rows = per_mark[:, 0].astype(int).tolist()
    return go.Scatter(
        x=np.concatenate([np.asarray(trace.x) for trace in traces]),
        y=np.concatenate([np.asarray(trace.y) for trace in traces]),
        mode="markers",
        name=first.name,
        legendgroup=first.legendgroup,
        showlegend=False,
        xaxis=first.xaxis,
        yaxis=first.yaxis,
        customdata=per_mark,
        hovertemplate=first.hovertemplate,
        marker={**_diamond(), "opacity": 0},
        selectedpoints=[rows.index(mark)] if mark in rows else [],
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 0}},
    )


def _legend_entry(figure: go.Figure) -> go.Scatter:
    """Return what explains the diamond, in the legend of what is no class if there is one."""
    legends = [trace.legend for trace in figure.data if "legend" in trace and trace.legend]
    return go.Scatter(legend_entry("selected case", marker=_diamond(), legend=max(legends, default=None)))
