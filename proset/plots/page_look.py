"""Looks of a figure on a dark page, and larger for those who sit at the back."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.basedatatypes import BasePlotlyType

from proset.plots import style

LARGER = 1.25
"""Factor by which a figure is larger for an audience."""
FONT = '"Source Sans", "Source Sans Pro", system-ui, sans-serif'
# Parts of a trace that say how it looks; all others are numbers and words, of which there may be very many.
_PARTS = (
    "marker", "line", "textfont", "insidetextfont", "outsidetextfont", "selected", "unselected", "error_x", "error_y",
    "colorscale", "colorbar", "fillcolor",
)  # fmt: skip
# Lengths in pixels, by the name of what has them; "size" is one of fonts, marks and patterns.
_LENGTHS = {"size", "thickness", "xpad", "xshift", "yshift", "ax", "ay", "height", "minsize", "ticklabelstandoff"}
_WIDE = {"line", "error_x", "error_y"}
_WHOLE = {"ticklabelstandoff"}
_MARGINS = {"l", "r", "t", "b"}
_KEPT = {"meta", "text", "ticktext", "tickvals", "range", "domain"}


def for_page(figure: go.Figure, *, dark: bool = False, larger: float = 1.0) -> go.Figure:
    """Give a figure the colours, fonts and sizes of the page that it stands on; returns the same figure.

    Every figure is drawn for a light page. The colours of :mod:`proset.plots.style` are exchanged for those of a dark
    one, texts get a colour that can be read there, and everything that is measured in pixels grows.

    Parameters
    ----------
    figure : plotly Figure
        Changed in place.
    dark : bool, default False
        Whether the page is dark.
    larger : float, default 1.0
        Factor for fonts, marks, lines, margins and the height.

    Returns
    -------
    plotly Figure
        The figure that was given.

    Examples
    --------
    >>> figure = style.finish(go.Figure(go.Bar(y=[1], marker_color=style.INK)))
    >>> for_page(figure, dark=True, larger=2.0).data[0].marker.color, figure.layout.height
    ('#F2F5F8', 920.0)
    """
    layout = figure.layout.to_plotly_json()
    layout.pop("template", None)
    if dark or larger != 1.0:  # else it is as it was drawn
        _change(figure, dark=dark, larger=larger)
        layout = _changed(layout, "layout", "", dark=dark, larger=larger)
    _say_the_usual(layout, dark=dark, larger=larger)
    figure.layout = layout
    figure.layout.template = None  # Plotly takes one that is sent anew for a change of everything
    return figure


def _change(figure: go.Figure, *, dark: bool, larger: float) -> None:
    """Exchange the colours and sizes of all traces."""
    for trace in figure.data:
        _size_of_marks(trace)
        for part in _PARTS:
            if part in trace and trace[part] is not None:
                trace[part] = _changed(_plain(trace[part]), part, part, dark=dark, larger=larger)


def _size_of_marks(trace: Any) -> None:
    """Say the usual size of marks where a trace leaves it to plotly, so that it can grow."""
    if isinstance(trace, go.Scatter) and "markers" in (trace.mode or "") and trace.marker.size is None:
        trace.marker.size = style.SAMPLE_SIZE


def _plain(value: Any) -> Any:
    """Return a part of a figure as dictionaries and lists."""
    return value.to_plotly_json() if isinstance(value, BasePlotlyType) else value


def _changed(value: Any, name: str, owner: str, *, dark: bool, larger: float) -> Any:
    """Return a part with other colours and sizes."""
    if isinstance(value, dict):
        return {
            key: inner if key in _KEPT else _changed(inner, key, name, dark=dark, larger=larger)
            for key, inner in value.items()
        }
    if isinstance(value, str):
        return style.on_dark(value) if dark else value
    if isinstance(value, list | tuple) and value and isinstance(value[-1], str | dict | list | tuple):
        return [_changed(inner, name, owner, dark=dark, larger=larger) for inner in value]
    if larger != 1.0 and _is_length(name, owner) and _is_number(value):
        scaled = (np.asarray(value) * larger).tolist()
        return round(scaled) if name in _WHOLE else scaled
    return value


def _is_length(name: str, owner: str) -> bool:
    """Tell whether a number is measured in pixels."""
    return name in _LENGTHS or (name == "width" and owner in _WIDE) or (name in _MARGINS and owner == "margin")


def _is_number(value: Any) -> bool:
    """Tell whether something is a number or many of them."""
    return isinstance(value, int | float | np.ndarray | list | tuple) and not isinstance(value, bool)


def _say_the_usual(layout: dict[str, Any], *, dark: bool, larger: float) -> None:
    """Say fonts, their colours and lines where a figure leaves them open."""
    ink, neutral = (style.on_dark(colour) if dark else colour for colour in (style.INK, style.NEUTRAL))
    tick, title = ({"size": size * larger} for size in (style.TICK_SIZE, style.TEXT_SIZE))
    axis = {
        "tickfont": tick,
        "title": {"font": title},
        "gridcolor": style.GRID,
        "zeroline": False,
        "linecolor": neutral,
    }
    usual = {
        "font": {"family": FONT, "color": ink, "size": style.TEXT_SIZE * larger},
        "hoverlabel": {"font": {"family": FONT, "size": style.TICK_SIZE * larger}},
        **{name: axis for name in layout if name.startswith(("xaxis", "yaxis"))},
        **{name: {"colorbar": {"outlinewidth": 0}} for name in layout if name.startswith("coloraxis")},
    }
    _fill(layout, usual)


def _fill(said: dict[str, Any], usual: dict[str, Any]) -> None:
    """Put what is usual where nothing is said."""
    for name, value in usual.items():
        if not isinstance(value, dict):
            said.setdefault(name, value)
        elif isinstance(inner := said.setdefault(name, {}), dict):
            _fill(inner, value)
