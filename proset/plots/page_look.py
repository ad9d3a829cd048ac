"""Looks of a figure on a dark page, and larger for those who sit at the back."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from proset.plots import style
from proset.plots.traces import Trace

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

    Examples
    --------
    >>> figure = style.finish(go.Figure(go.Bar(y=[1], marker_color=style.INK)))
    >>> for_page(figure, dark=True, larger=2.0).data[0].marker.color, figure.layout.height
    ('#F2F5F8', 920.0)
    """
    if dark or larger != 1.0:  # else it is as it was drawn
        for trace in figure.data:
            words = trace.to_plotly_json()
            for part, value in _changed_parts(words, dark=dark, larger=larger).items():
                trace[part] = value
    layout = figure.layout.to_plotly_json()
    layout.pop("template", None)
    figure.layout = layout_for_page(layout, dark=dark, larger=larger)
    figure.layout.template = None  # Plotly takes one that is sent anew for a change of everything
    return figure


def traces_for_page(traces: list[Trace], *, dark: bool = False, larger: float = 1.0) -> list[Trace]:
    """Give traces in words the colours and sizes of a page; see :func:`for_page`. They are changed in place.

    Examples
    --------
    >>> traces_for_page([{"type": "bar", "y": [1], "marker": {"color": style.INK}}], dark=True)[0]["marker"]
    {'color': '#F2F5F8'}
    """
    if dark or larger != 1.0:
        for trace in traces:
            trace.update(_changed_parts(trace, dark=dark, larger=larger))
    return traces


def layout_for_page(layout: dict[str, Any], *, dark: bool = False, larger: float = 1.0) -> dict[str, Any]:
    """Return a layout in words, without a template, with the colours, fonts and sizes of a page; see :func:`for_page`.

    Examples
    --------
    >>> layout_for_page({"height": 400.0}, larger=2.0)["height"]
    800.0
    """
    if dark or larger != 1.0:
        layout = _changed(layout, "layout", "", dark=dark, larger=larger)
    _say_the_usual(layout, dark=dark, larger=larger)
    return layout


def _changed_parts(trace: Trace, *, dark: bool, larger: float) -> dict[str, Any]:
    """Return the parts of a trace that say how it looks, with other colours and sizes."""
    looks = {part: trace[part] for part in _PARTS if trace.get(part) is not None}
    if trace["type"] == "scatter" and "markers" in (trace.get("mode") or ""):
        # The usual size of marks is said where a trace leaves it to plotly, so that it can grow.
        looks["marker"] = {"size": style.SAMPLE_SIZE, **looks.get("marker", {})}
    return {part: _changed(value, part, part, dark=dark, larger=larger) for part, value in looks.items()}


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
