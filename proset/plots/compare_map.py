"""Figure of a map whose distances are those of one system."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from proset.plots import style
from proset.plots.room import spared_height
from proset.plots.surface_marks import selected_trace
from proset.plots.texts import hover_template, plain
from proset.plots.traces import Trace, legend_entry

_PROTOTYPE = 15.0
_HEIGHT, _PLOT = 520, 440  # pixels; of the plot itself


def plot_distance_map(
    rows: pd.DataFrame, prototypes: pd.DataFrame, classes: Sequence[str], *, selected: int | None = None
) -> go.Figure:
    """Draw rows small and prototypes large by class, such that near means alike to one system.

    Parameters
    ----------
    rows : DataFrame
        Index row id: x, y, actual, predicted.
    prototypes : DataFrame
        x, y, class, row (row id; of a made point, the row nearest to it), made.
    classes : sequence of str
        All classes of the study in their order.
    selected : int or None
        Row id of a case that is marked with a diamond, if it is among the rows.

    Returns
    -------
    plotly Figure
        ``customdata[0]`` of a mark is the row id; prototypes that are no rows have none. Misclassified rows are ringed.

    Examples
    --------
    >>> rows = pd.DataFrame({"x": [0.0], "y": [1.0], "actual": "a", "predicted": "b"}, index=[7])
    >>> none = pd.DataFrame({"x": [], "y": [], "class": [], "row": [], "made": []})
    >>> [trace.name for trace in plot_distance_map(rows, none, ["a", "b"]).data]
    ['a', 'misclassified']
    """
    figure = go.Figure()
    for look in style.class_looks(list(classes)):
        figure.add_traces(_prototypes(prototypes[prototypes["class"] == look.name], look))
    for look in style.class_looks(list(classes)):
        figure.add_traces(_rows(rows[rows["actual"] == look.name], look))
    wrong = rows[rows["actual"].notna() & (rows["actual"] != rows["predicted"])]
    if len(wrong):
        ring = {"symbol": "circle-open", "size": style.RING_SIZE, "color": style.WRONG, "line": {"width": 1.5}}
        figure.add_trace(
            go.Scatter(x=wrong["x"], y=wrong["y"], mode="markers", name="misclassified", marker=ring, hoverinfo="skip")
        )
    if len(prototypes):
        figure.add_trace(_entry())
    figure.add_traces(selected_trace(rows, selected))
    x, y = (float(np.ptp(np.concatenate([rows[name], prototypes[name]]))) for name in "xy")
    spared = spared_height(x, y, _PLOT) if x and y else 0
    style.finish(figure, x_title="", y_title="", height=_HEIGHT - spared)
    figure.update_xaxes(showticklabels=False, showgrid=False)
    figure.update_yaxes(showticklabels=False, showgrid=False, scaleanchor="x", scaleratio=1.0)
    return figure


def _rows(own: pd.DataFrame, look: style.Look) -> list[go.Scatter]:
    """Draw the rows of one class."""
    if own.empty:
        return []
    name = plain(look.name, limit=30)
    said = [plain(value, limit=30) for value in own["predicted"]]
    return [
        go.Scatter(
            x=own["x"],
            y=own["y"],
            mode="markers",
            name=name,
            legendgroup=name,
            customdata=[[int(row), text] for row, text in zip(own.index, said, strict=True)],
            hovertemplate=hover_template(f"Row %{{customdata[0]}}: {name}", ["said to be"], first=1),
            marker={
                "color": look.colour, "symbol": look.symbol, "size": style.SAMPLE_SIZE,
                "opacity": style.SAMPLE_OPACITY, "line": {"color": style.OUTLINE, "width": 0.5},
            },
        )
    ]  # fmt: skip


def _prototypes(own: pd.DataFrame, look: style.Look) -> list[go.Scatter]:
    """Draw the prototypes of one class: rows of the table, which can be picked, and made points."""
    name, traces = plain(look.name, limit=30), []
    points = own["made"].to_numpy(dtype=bool)
    for group, made in ((own[~points], False), (own[points], True)):
        if group.empty:
            continue
        head = f"Prototype that is no row: {name}" if made else f"Prototype, row %{{customdata[0]}}: {name}"
        traces.append(
            go.Scatter(
                x=group["x"],
                y=group["y"],
                mode="markers",
                name=name,
                legendgroup=name,
                showlegend=False,
                customdata=None if made else [[int(row)] for row in group["row"]],
                hovertemplate=f"<b>{head}</b><extra></extra>",
                marker={
                    "color": style.tinted(look.colour, style.PROTOTYPE_TINT), "symbol": look.symbol,
                    "size": _PROTOTYPE, "line": {"color": look.colour, "width": 2},
                },
            )
        )  # fmt: skip
    return traces


def _entry() -> Trace:
    """Explain the large marks in the legend."""
    marker = {
        "symbol": "circle", "size": style.RING_SIZE, "color": style.tinted(style.NEUTRAL, style.PROTOTYPE_TINT),
        "line": {"color": style.NEUTRAL, "width": 2},
    }  # fmt: skip
    return legend_entry("prototype", marker=marker)
