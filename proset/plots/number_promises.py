"""Figures of whether a model of a number keeps what its intervals promise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import plotly.graph_objects as go

from proset.common.words import count_words, percent
from proset.plots import style
from proset.plots.texts import plain
from proset.plots.traces import diagonal, legend_entry, reach

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd

    from proset.explain.numbers.promises import Places
    from proset.explain.numbers.quality import NumberQuality
    from proset.explain.numbers.quality_by import NumberQualityBy

_HEIGHT = 360
_LINE = 44  # pixels of a group


def plot_places(places: Places, *, height: int = _HEIGHT) -> go.Figure:
    """Draw how many numbers lie where in their own distributions, with the band in which even bars stay.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from proset.explain.numbers.promises import places_of
    >>> answers = pd.DataFrame({"place": np.linspace(0.01, 0.99, 50), "actual": 1.0, "median": 1.0, "part": "held_out"})
    >>> [trace.name for trace in plot_places(places_of(answers, None)).data]
    ['where 95 % of such samples would stay', 'rows']
    """
    bars, (low, high) = places.bars, places.band
    name = "where 95 % of such samples would stay"
    look = {"symbol": "square", "size": 14, "color": style.FAINT, "line": {"color": style.NEUTRAL, "width": 1}}
    figure = go.Figure([legend_entry(name, marker=look)])
    texts = [
        [count_words(int(rows), "row"), f"{100 * a:g}", f"{100 * b:g}"]
        for a, b, rows in bars[["low", "high", "rows"]].itertuples(index=False)
    ]
    figure.add_bar(
        x=((bars["low"] + bars["high"]) / 2).tolist(),
        width=(bars["high"] - bars["low"]).tolist(),
        y=bars["rows"].tolist(),
        name="rows",
        marker={"color": style.MODEL, "line": {"color": style.OUTLINE, "width": 0.5}},
        customdata=texts,
        hovertemplate="%{customdata[0]} between %{customdata[1]} and %{customdata[2]} %<extra></extra>",
    )
    style.finish(figure, x_title="probability stated for at most the actual number", y_title="rows", height=height)
    # A trace would lie over the bars, and a filled one below them would hide the grid.
    band = {"type": "rect", "xref": "paper", "x0": 0, "x1": 1, "y0": low, "y1": high, "layer": "below"}
    edge = {"color": style.NEUTRAL, "width": 1, "dash": "dot"}
    ends = [{"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": y, "y1": y, "line": edge} for y in (low, high)]
    figure.update_layout(shapes=[{**band, "fillcolor": style.tinted(style.FAINT, 0.5), "line": {"width": 0}}, *ends])
    figure.update_xaxes(range=[0, 1], **style.share_axis())
    figure.update_yaxes(range=[0, 1.1 * max(float(bars["rows"].max()), high, 1.0)])
    return figure


def plot_coverage(found: NumberQuality, *, height: int = _HEIGHT) -> go.Figure:
    r"""Draw how many numbers central intervals hold, by how many they promise to hold.

    Returns
    -------
    plotly Figure
        A point with its 95 % interval per level; on the dotted diagonal promises are kept, above it intervals are too
        wide, below it too narrow.

    Examples
    --------
    >>> from proset import explain
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> [trace.name for trace in plot_coverage(explain.number_quality(study)).data]
    ['as promised', 'held, 95 % interval']
    """
    frame = found.coverage
    figure = go.Figure([diagonal(0.4, "as promised"), _points(frame)])
    style.finish(figure, x_title="promised by the interval", y_title="held", height=height)
    lowest = min(0.4, float(frame["low"].min()) - 0.03) if found.n_rows else 0.4
    figure.update_xaxes(range=[0.46, 0.99], **style.share_axis(), tickvals=frame.index.tolist())
    figure.update_yaxes(range=[lowest, 1.02], **style.share_axis())
    figure.update_layout(dragmode="zoom")
    return figure


def _points(frame: pd.DataFrame) -> go.Scatter:
    """Return shares with their intervals, by what is promised."""
    texts = frame[["held", "low", "high"]].map(percent).to_numpy().tolist()
    return go.Scatter(
        x=frame.index.tolist(),
        y=frame["held"].tolist(),
        mode="markers",
        name="held, 95 % interval",
        marker={"size": 10, "color": style.MODEL},
        error_y=reach(frame["held"], frame["low"], frame["high"], thickness=1.5, width=4, color=style.MODEL),
        customdata=texts,
        text=[f"{100 * promised:.0f} %" for promised in frame.index],
        hovertemplate=(
            "promised %{text}<br>held: %{customdata[0]}<br>95 % interval: %{customdata[1]} to %{customdata[2]}"
            "<extra></extra>"
        ),
    )


def plot_number_groups(found: NumberQualityBy, *, unit: str = "target") -> go.Figure:
    r"""Draw, group below group, how many numbers the 90 % intervals hold, and how large a typical error is.

    Parameters
    ----------
    unit : str, default "target"
        What the number is, for the axis.

    Examples
    --------
    >>> from proset import explain
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> plot_number_groups(explain.number_quality_by(study)).layout.yaxis.ticktext[:2]
    ('most familiar · 30', 'rather familiar · 30')
    """
    frame, places = found.frame, list(range(len(found.frame)))
    figure = go.Figure()
    figure.add_trace(_across(frame, ("held", "low", "high"), places, "x", percent))
    figure.add_trace(_across(frame, ("error", "error_low", "error_high"), places, "x2", lambda value: f"{value:.3g}"))
    style.finish(figure, height=116 + _LINE * max(1, len(frame)), legend=False)
    names = [f"{plain(name, limit=28)} · {rows:,}" for name, rows in zip(frame.index, frame["rows"], strict=True)]
    ends = [*frame["low"].dropna().tolist(), 0.8]
    axis = {"gridcolor": style.GRID, "zeroline": False, "tickfont": {"size": style.TICK_SIZE}, "automargin": True}
    figure.update_layout(
        xaxis={**axis, "domain": [0, 0.47], "range": [max(0.0, min(ends) - 0.05), 1.02], **style.share_axis(),
               "title": "held by<br>90 % intervals"},
        xaxis2={**axis, "domain": [0.53, 1], "rangemode": "tozero", "anchor": "y",
                "title": f"mean error,<br>{plain(unit, limit=26)}"},
        yaxis={"tickvals": places, "ticktext": names, "range": [len(frame) - 0.5, -0.5], "gridcolor": style.GRID},
        shapes=[{"type": "line", "xref": "x", "yref": "paper", "x0": 0.9, "x1": 0.9, "y0": 0, "y1": 1,
                 "line": {"color": style.NEUTRAL, "width": 1.5, "dash": "dot"}}],
        margin={"b": 76},
    )  # fmt: skip
    return figure


def _across(
    frame: pd.DataFrame, names: tuple[str, str, str], places: list[int], axis: str, say: Callable[[float], str]
) -> go.Scatter:
    """Return points with intervals across, one group below the other."""
    value, low, high = (frame[name] for name in names)
    texts = [[say(one) if one == one else "" for one in line] for line in frame[list(names)].to_numpy().tolist()]
    return go.Scatter(
        x=value.tolist(),
        y=places,
        xaxis=axis,
        mode="markers",
        marker={"size": 10, "color": style.MODEL},
        error_x=reach(value, low, high, thickness=1.5, width=4, color=style.MODEL),
        customdata=texts,
        hovertemplate=("%{customdata[0]}<br>95 % interval: %{customdata[1]} to %{customdata[2]}<extra></extra>"),
    )
