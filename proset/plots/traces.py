"""Traces in words: plotly checks such a trace once, when it becomes part of a figure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from proset.plots import style
from proset.plots.room import legend_lines

Trace = dict[str, Any]
"""A scatter trace in words."""
MARKS_LEGEND = "legend2"
"""Legend of what is no class: in one with the names of classes all entries would be as wide as the longest."""
_LEGEND_LINE = 22  # pixels


def legend_entry(name: str, **look: Any) -> Trace:
    """Return a trace that is nothing but an entry of the legend.

    Parameters
    ----------
    name : str
        What it says, safe to show.
    **look
        What it looks like and where it stands: ``marker``, ``legendgroup`` and whatever else a scatter trace has.

    Examples
    --------
    >>> entry = legend_entry("misclassified", marker={"symbol": "circle-open"})
    >>> entry["name"], entry["x"], entry["hoverinfo"]
    ('misclassified', [None], 'skip')
    """
    return {"type": "scatter", "x": [None], "y": [None], "mode": "markers", "name": name, "hoverinfo": "skip", **look}


def diagonal(start: float, name: str) -> Trace:
    """Return the dotted line on which what is stated is what is found, as a trace."""
    line = {"color": style.NEUTRAL, "width": 1.5, "dash": "dot"}
    ends = [start, 1]
    return {"type": "scatter", "x": ends, "y": ends, "mode": "lines", "name": name, "line": line, "hoverinfo": "skip"}


def reach(value: pd.Series, low: pd.Series, high: pd.Series, **look: Any) -> dict[str, Any]:
    """Return bars from low to high around values, as ``error_x`` and ``error_y`` take them.

    Examples
    --------
    >>> reach(pd.Series([2.0]), pd.Series([1.5]), pd.Series([4.0]), width=4)
    {'type': 'data', 'array': [2.0], 'arrayminus': [0.5], 'width': 4}
    """
    above, below = (end.fillna(0.0).tolist() for end in (high - value, value - low))
    return {"type": "data", "array": above, "arrayminus": below, **look}


def diamond(x: Sequence[Any] | pd.Series, y: Sequence[Any] | pd.Series, name: str = "selected case") -> Trace:
    """Return the mark of what is selected.

    Parameters
    ----------
    x, y : sequence
        Where it stands; one point, or several where it stands more than once.
    name : str
        What the legend says, safe to show.

    Examples
    --------
    >>> diamond([1.0], [2.0])["marker"]["symbol"]
    'diamond-open'
    """
    look = {
        "symbol": style.SELECTED_SYMBOL,
        "size": style.SELECTED_SIZE,
        "color": style.INK,
        "line": {"width": 3, "color": style.INK},
    }
    return {"type": "scatter", "x": x, "y": y, "mode": "markers", "name": name, "marker": look, "hoverinfo": "skip"}


def per_point(*columns: Sequence[Any] | pd.Series | pd.Index) -> NDArray[np.object_]:
    """Return one line per point with one entry of each sequence; the row id, a plain int, comes first.

    Examples
    --------
    >>> per_point([3, 4], ["a", "b"]).tolist()
    [[3, 'a'], [4, 'b']]
    """
    rows, *others = columns
    table = np.empty((len(rows), len(columns)), dtype=object)  # plotly looks at every entry of a list, not of an array
    table[:, 0] = [int(row) for row in rows]
    for place, column in enumerate(others, start=1):
        table[:, place] = list(column)
    return table


@dataclass(eq=False)
class Draft:
    """A figure under way: its layout, and traces that plotly checks only if a figure is made of them.

    Checking takes longer than all else where a figure has many traces; a page, which draws a figure for each case that
    is selected, shows the words themselves.

    Attributes
    ----------
    layout : plotly Figure
        Without traces.
    traces : list of dict
        In words.

    Examples
    --------
    >>> draft = Draft()
    >>> draft.add([legend_entry("misclassified"), go.Bar(y=[1])])
    >>> [trace["type"] for trace in draft.traces], draft.figure().data[0].name
    (['scatter', 'bar'], 'misclassified')
    """

    layout: go.Figure = field(default_factory=go.Figure)
    traces: list[Trace] = field(default_factory=list)

    def add(self, traces: Iterable[Any]) -> None:
        """Add traces of plotly or in words."""
        self.traces += map(_trace_in_words, traces)

    def figure(self) -> go.Figure:
        """Return the figure, checked by plotly."""
        return self.layout.add_traces(self.traces)


def place_legends(draft: Draft, width: int) -> int:
    """Put what is no class above the names of classes; return the pixels that both take in a place of that width.

    Examples
    --------
    >>> draft = Draft(traces=[legend_entry("benign"), legend_entry("misclassified", legend=MARKS_LEGEND)])
    >>> place_legends(draft, 480), draft.layout.layout.legend2.yref
    (52, 'container')
    """
    shown = [trace for trace in draft.traces if trace.get("showlegend") is not False and trace.get("name")]
    shown = [trace for trace in shown if trace["type"] == "scatter"]
    legends = [[t["name"] for t in shown if (t.get("legend") == MARKS_LEGEND) is own] for own in (True, False)]
    usual = draft.layout.layout.legend.to_plotly_json()
    draft.layout.update_layout({MARKS_LEGEND: {**usual, "yref": "container", "y": 1.0, "yanchor": "top"}})
    return 8 + _LEGEND_LINE * sum(legend_lines(names, width) for names in legends if names)


def in_words(figure: go.Figure | Draft) -> dict[str, Any]:
    """Return a copy of a figure as plain words, which are changed without plotly's costly checks of a figure.

    Returns
    -------
    dict
        ``data``, a list of traces, ``layout`` without a template, and ``frames`` where there are any. Arrays stay
        arrays.

    Examples
    --------
    >>> in_words(go.Figure(go.Bar(y=[1]))) == {"data": [{"type": "bar", "y": [1]}], "layout": {}}
    True
    """
    if isinstance(figure, Draft):
        words = in_words(figure.layout)
        return words | {"data": [dict(trace) for trace in figure.traces]}
    layout = figure.layout.to_plotly_json()
    layout.pop("template", None)
    words = {"data": [trace.to_plotly_json() for trace in figure.data], "layout": layout}
    return words | ({"frames": [frame.to_plotly_json() for frame in figure.frames]} if figure.frames else {})


def _trace_in_words(trace: Any) -> Trace:
    """Return a copy of a trace of plotly or in words, with columns as arrays."""
    if not isinstance(trace, dict):
        words: Trace = trace.to_plotly_json()
        return words
    return {
        name: _trace_in_words(value)
        if isinstance(value, dict)
        else value.to_numpy()
        if isinstance(value, pd.Series | pd.Index)
        else value
        for name, value in trace.items()
    }
