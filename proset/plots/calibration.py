"""Figure of calibration: stated probabilities against what was observed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from proset.common.words import count_words, percent
from proset.plots import style
from proset.plots.traces import diagonal, reach

if TYPE_CHECKING:
    import pandas as pd

    from proset.explain.judged.calibration_bins import Calibration

_BAR = "rgba(128, 128, 128, 0.35)"
_ROOM = 0.16  # share of the height for the counts


def plot_calibration(calibration: Calibration, *, height: int = 430) -> go.Figure:
    """Draw what was observed in each bin of stated probabilities, with 95 % intervals and the number of cases below.

    Parameters
    ----------
    height : int
        In pixels.

    Returns
    -------
    plotly Figure
        The dotted diagonal, where probabilities hold; one point per bin; and bars of one width for the number of cases
        in ranges of probability, so that a bar twice as large stands for twice as many.

    Examples
    --------
    >>> from proset.explain import calibration
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> [trace.name for trace in plot_calibration(calibration(study)).data]
    ['as stated', 'observed, 95 % interval', 'cases']
    """
    bins, counts = calibration.bins, calibration.counts[calibration.counts["rows"] > 0]
    figure = go.Figure([diagonal(0, "as stated"), _points(bins), _bars(counts)])
    style.finish(figure, x_title="stated probability", y_title="observed share", height=height)
    start, margin = _start(bins), 0.02 * (1.0 - _start(bins))
    figure.update_xaxes(range=[start - margin, 1 + margin], **style.share_axis(), anchor="y2")
    figure.update_layout(
        yaxis={"domain": [_ROOM + 0.06, 1], "range": [start - margin, 1 + 2 * margin], **style.share_axis()},
        yaxis2={"domain": [0, _ROOM], "title": "cases", "gridcolor": style.GRID, "nticks": 3, "rangemode": "tozero"},
        dragmode="zoom",
    )
    return figure


def _start(bins: pd.DataFrame) -> float:
    """Return where both axes begin: a tenth below everything that is drawn, so that no half of the figure is empty."""
    lowest = float(bins[["smallest", "low"]].min().min()) if len(bins) else 0.0
    return max(0.0, np.floor(10 * lowest) / 10)


def _points(bins: pd.DataFrame) -> go.Scatter:
    """Return one point for each bin of stated probabilities."""
    shares = bins[["smallest", "largest", "stated", "observed", "low", "high"]].map(percent)
    cases = [count_words(int(rows), "case") for rows in bins["rows"]]
    return go.Scatter(
        x=bins["stated"].tolist(),
        y=bins["observed"].tolist(),
        mode="markers",
        name="observed, 95 % interval",
        marker={"size": 10, "color": style.INK},
        error_y=reach(bins["observed"], bins["low"], bins["high"], thickness=1.2, width=4, color=style.INK),
        customdata=[[count, *line] for count, line in zip(cases, shares.to_numpy().tolist(), strict=True)],
        hovertemplate=(
            "<b>%{customdata[0]}</b>, stated %{customdata[1]} to %{customdata[2]}<br>mean stated: %{customdata[3]}"
            "<br>observed: %{customdata[4]}<br>95 % interval: %{customdata[5]} to %{customdata[6]}<extra></extra>"
        ),
    )


def _bars(counts: pd.DataFrame) -> go.Bar:
    """Return one bar for the number of cases in each range of probability."""
    return go.Bar(
        x=((counts["low"] + counts["high"]) / 2).tolist(),
        width=(counts["high"] - counts["low"]).tolist(),
        y=counts["rows"].tolist(),
        yaxis="y2",
        name="cases",
        marker={"color": _BAR, "line": {"color": style.OUTLINE, "width": 0.5}},
        customdata=[
            [count_words(int(rows), "case"), f"{100 * low:.0f}", f"{100 * high:.0f}"]
            for low, high, rows in counts[["low", "high", "rows"]].to_numpy(dtype=np.float64).tolist()
        ],
        hovertemplate="%{customdata[0]} from %{customdata[1]} to %{customdata[2]} %<extra></extra>",
    )
