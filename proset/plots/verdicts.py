"""Figure of what people have said of cases, over time."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from proset.plots import style
from proset.plots.texts import hover_template, plain

_LINE, _AROUND = 34, 90


def plot_verdicts(said: pd.DataFrame) -> go.Figure:
    """Draw a mark for each verdict, one line for each kind of verdict.

    Parameters
    ----------
    said : DataFrame
        One row per verdict: ``at`` (when), ``verdict`` (in words), ``row`` and ``by`` (who).

    Returns
    -------
    plotly Figure
        Kinds stand in the order in which they come first in `said`, the first on top, each with how often it was given.

    Examples
    --------
    >>> at = pd.to_datetime(["2026-01-05 10:00", "2026-01-05 10:01"])
    >>> said = pd.DataFrame({"at": at, "verdict": "the table is right", "row": [3, 8], "by": "Ada"})
    >>> plot_verdicts(said).layout.yaxis.ticktext
    ('the table is right (2)',)
    """
    kinds = list(dict.fromkeys(said["verdict"]))
    figure = go.Figure(
        go.Scatter(
            x=said["at"].tolist(),
            y=[kinds.index(kind) for kind in said["verdict"]],
            mode="markers",
            marker={"color": style.NEUTRAL, "size": 11, "opacity": 0.7, "line": {"color": style.OUTLINE, "width": 1}},
            customdata=[[int(row), plain(by, limit=60)] for row, by in zip(said["row"], said["by"], strict=True)],
            hovertemplate=hover_template("Row %{customdata[0]}, %{x|%Y-%m-%d %H:%M}", ["by"], first=1),
        )
    )
    counts = said["verdict"].value_counts()
    style.finish(figure, x_title="When (UTC)", height=_AROUND + _LINE * len(kinds), legend=False)
    names = [f"{plain(kind, limit=60)} ({counts[kind]:,})" for kind in kinds]
    figure.update_yaxes(
        tickmode="array",
        tickvals=list(range(len(kinds))),
        ticktext=names,
        range=[len(kinds) - 0.5, -0.5],
        zeroline=False,
    )
    return figure
