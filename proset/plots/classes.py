"""Figure of the class balance."""

from __future__ import annotations

from typing import Any

import pandas as pd
import plotly.graph_objects as go

from proset.common.words import percent
from proset.plots import style
from proset.plots.texts import plain

_FEW, _BAR, _THIN = 5, 34, 25  # classes that have bars of full height; pixels
_ROOM = 1.3  # of the longest bar, so that its number has room
_PATTERNS = ("", "/", "x", ".")
_PATTERN = {"fillmode": "overlay", "fgcolor": style.GROUND, "fgopacity": 0.75}  # else nothing is behind the lines


def plot_class_balance(counts: pd.DataFrame) -> go.Figure:
    """Draw the number of rows per class, the parts of the split side by side in one bar.

    Parameters
    ----------
    counts : DataFrame
        Index: all classes of the study in their order; one column of counts per part, named as the legend should read,
        for example "training" and "held out".

    Returns
    -------
    plotly Figure
        One stacked bar trace per part; class colours, and a pattern that tells the parts apart. Then, in grey, one
        entry of the legend per part, and how many rows each class has, with its share of all.

    Examples
    --------
    >>> figure = plot_class_balance(pd.DataFrame({"training": [7, 3], "held out": [3, 1]}, index=["a", "b"]))
    >>> [(trace.name, list(trace.x)) for trace in figure.data[:2]]
    [('training', [7, 3]), ('held out', [3, 1])]
    """
    classes = [str(name) for name in counts.index]
    colours = list(style.class_colours(classes).values())
    rows = counts.sum(axis=1)
    figure, entries = go.Figure(), []
    for i, part in enumerate(counts.columns):
        pattern = {**_PATTERN, "shape": _PATTERNS[i % len(_PATTERNS)]}
        figure.add_trace(_part_bars(counts[part], part, colours, pattern))
        look = {"color": style.NEUTRAL, "pattern": pattern}
        entries.append(go.Bar(x=[None], y=[None], name=plain(part), legendgroup=plain(part), marker=look))
    figure.add_traces(entries)
    figure.add_trace(
        go.Scatter(
            x=rows.tolist(),
            y=list(range(len(classes))),
            mode="text",
            text=[f" {count:,}, {percent(count / max(1, rows.sum()))}" for count in rows],
            textposition="middle right",
            textfont={"size": style.TICK_SIZE},
            cliponaxis=False,
            hoverinfo="skip",
            showlegend=False,
        )
    )
    style.finish(figure, x_title="rows", height=90 + (_BAR if len(classes) <= _FEW else _THIN) * max(1, len(classes)))
    figure.update_xaxes(range=[0, _ROOM * max(1, rows.max())], showgrid=False)  # the numbers stand at the bars
    labels = [plain(name, limit=30) for name in classes]
    figure.update_layout(barmode="stack")
    figure.update_yaxes(
        tickmode="array",
        tickvals=list(range(len(classes))),
        ticktext=labels,
        autorange="reversed",
        showgrid=False,
    )
    return figure


def _part_bars(counts: pd.Series, part: str, colours: list[str], pattern: dict[str, Any]) -> go.Bar:
    """Return the rows of each class in one part of the split."""
    shares = (counts / max(1, counts.sum())).tolist()
    return go.Bar(
        x=[int(count) for count in counts],
        y=list(range(len(counts))),
        orientation="h",
        name=plain(part),
        legendgroup=plain(part),
        showlegend=False,  # it would have the colour of the first class
        marker={"color": colours, "line": {"color": style.OUTLINE, "width": 0.5}, "pattern": pattern},
        customdata=[[str(name), percent(share)] for name, share in zip(counts.index, shares, strict=True)],
        hovertemplate=f"%{{y}}<br>{plain(part)}: %{{x:,}} rows, %{{customdata[1]}} of this part<extra></extra>",
    )
