"""Figure of how good the systems of a comparison are: dots with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from proset.common.words import measure, percent
from proset.compare.verdict import half_width
from proset.plots import style
from proset.plots.texts import hover_template, plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from proset.compare.table import MetricTable

_LINE, _HEAD, _FOOT = 36, 110, 66
# On two lines: in a narrow window one would run into that of the picture beside it.
_SHOWN = {"log_loss": "log-loss<br>(less is better)", "balanced_accuracy": "balanced accuracy<br>(more is better)"}
_SIZE = 11


def plot_measures(table: MetricTable, *, current: str | None = None) -> go.Figure:
    """Draw the mean of each system over the folds with its 95 % interval, the lowest log-loss on top.

    Parameters
    ----------
    table : MetricTable
        From :func:`proset.compare.metric_table`.
    current : str or None
        Key of the system that is the current model.

    Returns
    -------
    plotly Figure
        Log-loss and balanced accuracy beside each other, a dotted line at what stating the class shares has.
        ``layout.meta`` says whose mean is not known, or is None.

    Examples
    --------
    >>> from proset.compare import ComparePlan, compare, metric_table
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> found = compare(study, ComparePlan(("proset", "knn"), n_folds=2, sizes=False, drift=False))
    >>> list(plot_measures(metric_table(found)).data[0].x) == metric_table(found).frame["log_loss_mean"].tolist()[::-1]
    True
    """
    frame = table.frame[table.frame["log_loss_mean"].notna()].sort_values("log_loss_mean", kind="stable")
    titles = [plain(title, limit=40) for title in frame["title"]]
    colours = [style.MODEL if key == current else style.NEUTRAL for key in frame.index]
    figure = make_subplots(rows=1, cols=len(_SHOWN), shared_yaxes=True, horizontal_spacing=0.06)
    for column, name in enumerate(_SHOWN, start=1):
        mean = frame[f"{name}_mean"].to_numpy(dtype=np.float64)
        wide = np.array(
            [half_width(float(sd), table.n_folds, left_out_ratio=table.left_out_ratio) for sd in frame[f"{name}_sd"]]
        )
        say = measure if name == "log_loss" else percent
        # No share is above one, and neither is less than nothing.
        low = np.maximum(mean - wide, 0.0)
        high = mean + wide if name == "log_loss" else np.minimum(mean + wide, 1.0)
        figure.add_trace(interval_dots(titles, mean, low, high, say=say, colours=colours), row=1, col=column)
        figure.add_vline(
            float(table.naive[f"{name}_mean"]), line={"color": style.NEUTRAL, "dash": "dot"}, row=1, col=column
        )
    style.finish(figure, height=_HEAD + _LINE * max(1, len(frame)), legend=False)
    for column, (name, title) in enumerate(_SHOWN.items(), start=1):
        shares = {**style.share_axis()} if name == "balanced_accuracy" else {}
        figure.update_xaxes(title=title, row=1, col=column, **shares)
    figure.update_yaxes(showgrid=True, tickvals=list(range(len(frame))), range=[len(frame) - 0.4, -0.6])
    figure.update_yaxes(ticktext=titles, row=1, col=1)
    left = [plain(title, limit=40) for title in table.frame["title"][table.frame["log_loss_mean"].isna()]]
    note = f"Not measured on every fold: {', '.join(left)}." if left else None
    return figure.update_layout(meta=note, margin_b=_FOOT)


def interval_dots(
    titles: list[str],
    mean: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    *,
    say: Callable[[float], str],
    colours: list[str],
) -> go.Scatter:
    """Return one dot with its interval per system, below one another.

    Examples
    --------
    >>> dots = interval_dots(["kNN"], np.ones(1), np.zeros(1), 2 * np.ones(1), say=str, colours=["#000000"])
    >>> dots.customdata[0][0], dots.customdata[0][2]
    ('kNN', '0.0 to 2.0')
    """
    return go.Scatter(
        x=mean,
        y=list(range(len(titles))),
        mode="markers",
        marker={"size": _SIZE, "color": colours, "line": {"color": style.OUTLINE, "width": 0.8}},
        error_x={
            "array": (high - mean).tolist(),
            "arrayminus": (mean - low).tolist(),
            "symmetric": False,
            "color": style.NEUTRAL,
            "thickness": 2,
            "width": 5,
        },
        customdata=[
            [title, say(m), f"{say(a)} to {say(b)}"]
            for title, m, a, b in zip(titles, mean.tolist(), low.tolist(), high.tolist(), strict=True)
        ],
        hovertemplate=hover_template("%{customdata[0]}", ["mean over the folds", "95 % interval"]),
    )
