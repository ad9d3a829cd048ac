"""Figure of the confusion matrix."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from proset.common.words import count_words, percent
from proset.plots import style
from proset.plots.texts import plain

_RIGHT = "#0072B2"
_WRONG = "#D55E00"
# Distance of two squares in pixels: less where many classes share a column of the page.
_PITCH, _NARROWEST_PITCH, _COLUMN = 56, 28, 380
_GAP, _SMALLEST_SQUARE = 8, 20


def plot_confusion(confusion: pd.DataFrame) -> go.Figure:
    """Draw the confusion matrix as squares, so that a click on a cell comes back to the page.

    Parameters
    ----------
    confusion : DataFrame
        Counts; index: actual class, columns: predicted class, both in the order of the classes.

    Returns
    -------
    plotly Figure
        Two scatter traces, "right" and "wrong"; ``customdata`` of a point is [actual, predicted, count, share of the
        actual class in per cent, and both classes, share and count as the hover box shows them]. The area of a square
        is in proportion to that share. Empty cells are not drawn.

    Examples
    --------
    >>> figure = plot_confusion(pd.DataFrame([[8, 2], [0, 5]], index=["a", "b"], columns=["a", "b"]))
    >>> figure.data[1].customdata[0][:4]
    ['a', 'b', 2, 20.0]
    """
    cells = _cells(confusion)
    count = len(confusion)
    pitch = max(_NARROWEST_PITCH, min(_PITCH, _COLUMN // count))
    labels = {str(name): plain(name, limit=24) for name in confusion.index}
    figure = go.Figure()
    for name, colour, mine in (
        ("right", _RIGHT, cells[cells["actual"] == cells["predicted"]]),
        ("wrong", _WRONG, cells[cells["actual"] != cells["predicted"]]),
    ):
        figure.add_trace(_squares(mine, name=name, colour=colour, largest=pitch - _GAP))
    style.finish(figure, x_title="the model says", y_title="the table says", height=150 + pitch * count)
    ticks = {"tickmode": "array", "tickvals": list(range(count)), "ticktext": list(labels.values()), "showgrid": False}
    figure.update_xaxes(range=[-0.6, count - 0.4], scaleanchor="y", constrain="domain", **ticks)
    figure.update_yaxes(range=[count - 0.4, -0.6], **ticks)
    return figure


def _cells(confusion: pd.DataFrame) -> pd.DataFrame:
    """Return one row per cell that is not empty: actual, predicted, count, percent, x, y."""
    counts = confusion.to_numpy()
    rows, columns = np.nonzero(counts)
    totals = counts.sum(axis=1)
    found = counts[rows, columns]
    return pd.DataFrame(
        {
            "actual": np.asarray(confusion.index, dtype=str)[rows],
            "predicted": np.asarray(confusion.columns, dtype=str)[columns],
            "count": found,
            "percent": 100.0 * found / totals[rows],
            "x": columns,
            "y": rows,
        }
    )


def _squares(cells: pd.DataFrame, *, name: str, colour: str, largest: int) -> go.Scatter:
    """Draw squares with the count inside."""
    return go.Scatter(
        x=cells["x"].tolist(),
        y=cells["y"].tolist(),
        mode="markers+text",
        name=name,
        text=[f"{count:,}" for count in cells["count"]],
        textposition="middle center",
        textfont={"color": "white", "size": 13},
        marker={
            "symbol": "square",
            "size": np.maximum(_SMALLEST_SQUARE, largest * np.sqrt(cells["percent"].to_numpy() / 100)),
            "color": colour,
            "opacity": 1.0,
            "line": {"width": 0},
        },
        customdata=[
            [
                actual,
                predicted,
                count,
                share,
                plain(actual),
                plain(predicted),
                percent(share / 100),
                count_words(count, "row"),
            ]
            for actual, predicted, count, share in zip(
                cells["actual"], cells["predicted"], cells["count"].tolist(), cells["percent"].tolist(), strict=True
            )
        ],
        hovertemplate=(
            f"<b>{name}</b><br>%{{customdata[7]}}, %{{customdata[6]}} of their class<br>"
            "the table says: %{customdata[4]}<br>the model says: %{customdata[5]}<extra></extra>"
        ),
        unselected={"marker": {"opacity": 1.0}},
    )
