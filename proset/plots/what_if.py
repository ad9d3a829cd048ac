"""Figure of an estimate before and after some values are changed."""

from __future__ import annotations

import plotly.graph_objects as go

from proset.common.words import percent
from proset.explain.cases.edited import WhatIf
from proset.plots import style
from proset.plots.texts import plain

_MOST_CLASSES = 6


def plot_what_if(found: WhatIf) -> go.Figure:
    """Draw one bar per class for the changed case, and a line across it for the case as it is.

    Returns
    -------
    plotly Figure
        A trace of bars and one of lines, on an axis from 0 to 100 %. Of many classes those six with the highest
        estimates in either case.

    Examples
    --------
    >>> from proset import explain
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> figure = plot_what_if(explain.what_if(study, 1, {"sepal length (cm)": 6.5}))
    >>> len(figure.data[0].x), len(figure.data[1].x)
    (3, 3)
    """
    before, after = found.before.probabilities, found.after.probabilities
    highest = before.combine(after, max).sort_values(ascending=False, kind="stable").index[:_MOST_CLASSES]
    looks = [look for look in style.class_looks(list(after.index)) if look.name in set(highest)]
    places = list(range(len(looks)))
    shares = [(float(before[look.name]), float(after[look.name])) for look in looks]
    names = [plain(look.name, limit=24) for look in looks]
    figure = go.Figure(
        go.Bar(
            x=[share for _, share in shares],
            y=places,
            orientation="h",
            name="changed",
            marker={"color": [look.colour for look in looks], "opacity": 0.9},
            text=[f" {percent(share)}" for _, share in shares],
            textposition="outside",
            cliponaxis=False,
            customdata=[[name, percent(one), percent(other)] for name, (one, other) in zip(names, shares, strict=True)],
            hovertemplate=(
                "<b>%{customdata[0]}</b><br>as it is %{customdata[1]}, changed %{customdata[2]}<extra></extra>"
            ),
        )
    )
    figure.add_trace(
        go.Scatter(
            x=[share for share, _ in shares],
            y=places,
            mode="markers",
            name="as it is",
            marker={"symbol": "line-ns", "size": 26, "line": {"width": 4, "color": style.INK}},
            hoverinfo="skip",
        )
    )
    style.finish(figure, height=64 + 40 * len(looks), legend=False)
    ticks = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    figure.update_xaxes(
        range=[-0.01, 1.16], tickmode="array", tickvals=ticks, ticktext=[f"{100 * share:.0f} %" for share in ticks]
    )
    figure.update_yaxes(
        tickmode="array", tickvals=places, ticktext=names, range=[len(looks) - 0.5, -0.5], showgrid=False
    )
    figure.update_layout(bargap=0.35)
    return figure
