"""Make figures answer to clicks in the browser, and draw them once there; they are words, and changed in place."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from proset.plots import style
from proset.plots.traces import Trace, legend_entry

Words = dict[str, Any]
"""A figure in words: from :func:`proset.plots.traces.in_words`."""

TOOL_STRIP = 40
"""Pixels at the right in which the tool bar stands, so that it covers nothing."""
_SCALED = ("contour", "heatmap", "histogram2d")  # traces with a colour bar of their own
_OF_LAYER = ("name", "legendgroup", "xaxis", "yaxis")  # what the diamonds have of their marks
_DIGITS = 5  # after the point, of numbers that are shown as colours


def give_tool_strip(words: Words) -> Words:
    """Let the tool bar of a figure stand upright in a strip of its own at the right; returns the same figure.

    So it lies over no legend and over no colour bar, whatever the figure says itself.
    """
    layout = words["layout"]
    layout.setdefault("modebar", {})["orientation"] = "v"
    margin = layout.setdefault("margin", {})
    margin["r"] = max(margin.get("r") or 0, TOOL_STRIP)
    scaled = [trace for trace in words["data"] if trace["type"] in _SCALED and trace.get("showscale") is not False]
    axes = [layout[name] for name in layout if name.startswith("coloraxis")]
    for owner in (*scaled, *axes):
        bar = owner.setdefault("colorbar", {})
        if bar.get("orientation") != "h":
            bar["xpad"] = TOOL_STRIP  # room on both sides of it
    return words


def make_clickable(words: Words, *, mark: int | None) -> Words:
    """Let the browser itself move the diamond to the mark that is clicked; returns the same figure.

    Streamlit draws a figure anew, and so forgets zoom and pan, whenever anything in it changes. So the diamond may not
    be part of what the server sends. Instead every mark gets an invisible diamond on top, and Plotly shows the one that
    is selected; the server sends the same figure as before and the browser leaves it alone.

    Parameters
    ----------
    words : dict
        Marks are traces with hover boxes whose ``customdata[0]`` is a row id; diamonds are replaced.
    mark : int or None
        The row id whose diamond shows until the first click.
    """
    data = words["data"] = [trace for trace in words["data"] if not _is_diamond(trace)]
    # Marks that the legend hides together, such as prototypes and cases of a class, share a layer: a browser takes
    # milliseconds for every trace.
    alike: dict[tuple[Any, ...], list[Trace]] = {}
    for trace in filter(is_mark, data):
        group = trace.get("legendgroup")
        kind = tuple(trace.get(name) for name in ("legendgroup", "xaxis", "yaxis"))
        alike.setdefault(kind if group else (id(trace),), []).append(trace)
    layers = [_layer(traces, mark) for traces in alike.values()]
    for traces in alike.values():
        for trace in traces:
            trace["hoverinfo"] = "skip"
            trace.pop("hovertemplate", None)
            trace["customdata"] = [line[:1] for line in _listed(trace["customdata"])]  # a loop asks for rows
    data += layers
    if any(layer["selectedpoints"] for layer in layers):
        data.append(_legend_entry(data))
    return words


def draw_once(words: Words, *, clicks: bool = False) -> Words:
    """Spare the browser from drawing a figure twice; returns the same figure.

    Streamlit hands every figure to Plotly, copies it once its width is known and hands over the copy. Plotly draws that
    one, too, unless it sees that nothing has changed: the width is the one that it has found by itself, what clicks do
    is said from the start, and numbers are not packed and under a revision, because packed ones are compared by which
    they are, not by what they hold. What holds anything else is a new figure to Streamlit, never a change of this one.
    Where Plotly is not done with the first one, since names need more room than there is, the copy knows nothing of the
    ends that axes have got: under a revision of what people do to it Plotly keeps them, else they would be 0 to 6. That
    is made of all that the figure says, so that in another one of this place nobody's zoom is left.

    Parameters
    ----------
    words : dict
        Is shown at the width of its place.
    clicks : bool, default False
        Whether marks can be selected.
    """
    for trace in (*words["data"], *(one for frame in words.get("frames", ()) for one in frame["data"])):
        for part in (trace, trace.get("marker", {})):
            for name, value in part.items():
                if isinstance(value, np.ndarray):
                    part[name] = _one_by_one(value)
    layout = words["layout"]
    layout.update(autosize=True, datarevision=1)
    if clicks:
        layout["clickmode"] = "event+select"
        for name, usual in (("hovermode", "closest"), ("dragmode", "pan")):
            layout[name] = layout.get(name) or usual  # a tool that is off is none to click with
    layout["uirevision"] = f"{zlib.crc32(repr(words).encode()):x}"  # 12 ms for a megabyte, and figures are kept
    return words


def _one_by_one(values: np.ndarray) -> list[Any]:
    """Return values that are not packed: None where a number is missing, colours with as many digits as can be seen."""
    if values.dtype == np.float32:
        values = values.astype(np.float64).round(_DIGITS)
    loose = values
    if values.dtype.kind == "f" and np.isnan(values).any():
        loose = values.astype(object)
        loose[np.isnan(values)] = None
    listed: list[Any] = loose.tolist()
    return listed


def is_mark(trace: Trace) -> bool:
    """Tell whether a trace consists of marks that carry row ids and may be pointed at."""
    rows = trace.get("customdata")
    return trace["type"] == "scatter" and rows is not None and len(rows) > 0 and trace.get("hoverinfo") != "skip"


def _is_diamond(trace: Trace) -> bool:
    """Tell whether a trace marks the selected case."""
    symbol = trace.get("marker", {}).get("symbol")  # an array where marks have one each
    return trace["type"] == "scatter" and isinstance(symbol, str) and symbol == style.SELECTED_SYMBOL


def _diamond() -> dict[str, Any]:
    """Return the look of the diamond."""
    return {
        "symbol": style.SELECTED_SYMBOL,
        "size": style.SELECTED_SIZE,
        "color": style.INK,
        "line": {"width": 3, "color": style.INK},
    }


def _layer(traces: Sequence[Trace], mark: int | None) -> Trace:
    """Return the invisible diamonds over some traces, with their hover box; only a selected one is seen."""
    per_mark = [line for trace in traces for line in _listed(trace["customdata"])]
    rows = [int(line[0]) for line in per_mark]
    first = {name: traces[0][name] for name in _OF_LAYER if traces[0].get(name) is not None}
    boxes = [trace.get("hovertemplate", "") for trace in traces for _ in range(len(trace["customdata"]))]
    return {
        "type": "scatter",
        "x": [x for trace in traces for x in _listed(trace["x"])],
        "y": [y for trace in traces for y in _listed(trace["y"])],
        "mode": "markers",
        **first,
        "hovertemplate": boxes[0] if len(set(boxes)) == 1 else boxes,
        "showlegend": False,
        "customdata": per_mark,
        "marker": {**_diamond(), "opacity": 0},
        "selectedpoints": [rows.index(mark)] if mark in rows else [],
        "selected": {"marker": {"opacity": 1}},
        "unselected": {"marker": {"opacity": 0}},
    }


def _listed(values: Any) -> list[Any]:
    """Return values as a list, as plotly holds them: an array or a sequence."""
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def _legend_entry(data: Sequence[Trace]) -> Trace:
    """Return what explains the diamond, in the legend of what is no class if there is one."""
    legend = max((trace["legend"] for trace in data if trace.get("legend")), default=None)
    return legend_entry("selected case", marker=_diamond(), **({} if legend is None else {"legend": legend}))
