"""Figure of what a model of a number says beside the numbers that rows have."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from proset.plots import style
from proset.plots.texts import plain
from proset.plots.traces import per_point

MOST_ROWS = 400


def plot_number_actual(predictions: pd.DataFrame, *, unit: str) -> go.Figure:
    """Draw median and interval of each row above its number: those on the diagonal are right.

    Parameters
    ----------
    predictions : DataFrame
        Lines of ``NumberStudy.predictions``; those without a number are left out.
    unit : str
        What the numbers are, for the axes.

    Returns
    -------
    plotly Figure
        Of more than 400 rows so many, evenly spread over their numbers; ``layout.meta`` says so, or is None.

    Examples
    --------
    >>> lines = {"actual": [1.0, 2.0], "median": [1.5, 2.0], "lower": [1.2, 1.0], "upper": [2.0, 3.0]}
    >>> figure = plot_number_actual(pd.DataFrame(lines, index=[7, 9]), unit="price")
    >>> [trace.name for trace in figure.data]
    ['right', 'interval of 90 %', 'median, inside', 'median, number outside']
    """
    known = predictions.dropna(subset=["actual"])
    shown = known.sort_values("actual", kind="stable")
    if len(shown) > MOST_ROWS:
        shown = shown.iloc[np.linspace(0, len(shown) - 1, MOST_ROWS).round().astype(int)]
    inside = (shown["actual"] >= shown["lower"]) & (shown["actual"] <= shown["upper"])
    figure = go.Figure([_diagonal(shown), _bars(shown), _marks(shown[inside], wrong=False)])
    if not inside.all():
        figure.add_trace(_marks(shown[~inside], wrong=True))
    name = plain(unit, limit=50)
    style.finish(figure, x_title=f"{name} of the row", y_title=f"{name} as stated", height=440)
    left = len(known) - len(shown)
    figure.update_layout(meta=f"{len(shown):,} of {len(known):,} rows are drawn." if left else None)
    return figure


def _diagonal(shown: pd.DataFrame) -> dict[str, object]:
    """Return the line on which answers are right."""
    ends = [float(shown["actual"].min()), float(shown["actual"].max())] if len(shown) else []
    look = {"color": style.NEUTRAL, "width": 1.5, "dash": "dash"}
    return {
        "type": "scatter",
        "x": ends,
        "y": ends,
        "mode": "lines",
        "line": look,
        "name": "right",
        "hoverinfo": "skip",
    }


def _bars(shown: pd.DataFrame) -> dict[str, object]:
    """Return all intervals as one trace: gaps end each."""
    x = np.repeat(shown["actual"].to_numpy(dtype=float), 3)
    gaps = np.full(len(shown), np.nan)
    y = np.column_stack([shown["lower"], shown["upper"], gaps]).reshape(-1).astype(float)
    return {
        "type": "scatter",
        "x": x.tolist(),
        "y": [None if np.isnan(value) else value for value in y.tolist()],
        "mode": "lines",
        "line": {"color": style.FAINT, "width": 1.5},
        "name": "interval of 90 %",
        "hoverinfo": "skip",
    }


def _marks(shown: pd.DataFrame, *, wrong: bool) -> dict[str, object]:
    """Return the medians; where the interval misses the number they have a ring."""
    ring = {"color": style.WRONG, "width": 2} if wrong else {"color": style.OUTLINE, "width": 0.5}
    return {
        "type": "scatter",
        "x": shown["actual"].tolist(),
        "y": shown["median"].tolist(),
        "mode": "markers",
        "marker": {"color": style.NEUTRAL, "size": style.SAMPLE_SIZE, "line": ring},
        "name": "median, number outside" if wrong else "median, inside",
        "customdata": per_point(shown.index, shown["lower"], shown["upper"]),
        "hovertemplate": (
            "row %{customdata[0]}<br>has %{x:.5~g}, stated %{y:.5~g}<br>90 % between %{customdata[1]:.5~g} and "
            "%{customdata[2]:.5~g}<extra></extra>"
        ),
    }
