"""Figures of a comparison of systems that answer with a number."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from proset.common.spread import spread_places
from proset.common.words import number, percent, rough
from proset.compare.numbers.levels import median_of
from proset.compare.verdict import half_width
from proset.plots import style
from proset.plots.compare_measures import interval_dots
from proset.plots.texts import hover_template, plain
from proset.plots.traces import diamond

if TYPE_CHECKING:
    from proset.compare.numbers.number_result import NumberComparison, NumberSystemResult, NumberTable

_LINE, _HEAD = 36, 96
MOST_DRAWN = 1_000
"""Rows of each small figure; of more, so many from all over the table."""
_SHOWN = {"crps": "CRPS, less is better", "covered": "held by 90 % intervals"}


def plot_number_measures(table: NumberTable, *, current: str | None = None) -> go.Figure:
    """Draw the mean CRPS of each system over the folds, and how many numbers its intervals of 90 % hold.

    Parameters
    ----------
    table : NumberTable
        From :func:`proset.compare.number_table`.
    current : str or None
        Key of the system that is the current model.

    Returns
    -------
    plotly Figure
        Dots with 95 % intervals, the lowest CRPS on top; dotted lines at the CRPS of a straight line, and at 90 %.
        ``layout.meta`` says whose mean is not known, or is None.

    Examples
    --------
    >>> from proset.compare import ComparePlan, compare_numbers, number_table
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> table = number_table(compare_numbers(study, ComparePlan(("knn", "gbmap"), n_folds=2, max_rows=200)))
    >>> plot_number_measures(table).layout.yaxis.ticktext
    ('Nearest neighbours', 'gbmap')
    """
    own = table.frame[~table.frame.index.isin(["line", "everybody"])]
    frame = own[own["crps_mean"].notna()].sort_values("crps_mean", kind="stable")
    titles = [plain(title, limit=40) for title in frame["title"]]
    colours = [style.MODEL if key == current else style.NEUTRAL for key in frame.index]
    figure = make_subplots(rows=1, cols=2, shared_yaxes=True, horizontal_spacing=0.06)
    for column, name in enumerate(_SHOWN, start=1):
        mean = frame[f"{name}_mean"].to_numpy(dtype=np.float64)
        wide = np.array(
            [half_width(float(sd), table.n_folds, left_out_ratio=table.left_out_ratio) for sd in frame[f"{name}_sd"]]
        )
        say = rough if name == "crps" else percent
        low, high = np.maximum(mean - wide, 0.0), mean + wide if name == "crps" else np.minimum(mean + wide, 1.0)
        figure.add_trace(interval_dots(titles, mean, low, high, say=say, colours=colours), row=1, col=column)
    style.finish(figure, height=_HEAD + _LINE * max(1, len(frame)), legend=False)
    dotted = {"color": style.NEUTRAL, "dash": "dot"}
    figure.add_vline(float(table.frame["crps_mean"]["line"]), line=dotted, row=1, col=1)
    figure.add_vline(0.9, line=dotted, row=1, col=2)
    figure.update_xaxes(title=_SHOWN["crps"], rangemode="tozero", row=1, col=1)
    figure.update_xaxes(title=_SHOWN["covered"], **style.share_axis(), row=1, col=2)
    figure.update_yaxes(showgrid=True, tickvals=list(range(len(frame))), range=[len(frame) - 0.4, -0.6])
    figure.update_yaxes(ticktext=titles, row=1, col=1)
    left = [plain(title, limit=40) for title in own["title"][own["crps_mean"].isna()]]
    return figure.update_layout(meta=f"Not measured on every fold: {', '.join(left)}." if left else None)


def plot_number_system(
    found: NumberComparison, key: str, *, selected: int | None = None, current: str | None = None, height: int = 300
) -> go.Figure:
    """Draw the actual numbers over the medians of one system; figures of several have the same axes.

    Parameters
    ----------
    key : str
        The system, which has a final model.
    selected : int or None
        Row id of the selected case.
    current : str or None
        Key of the system that is the current model.

    Returns
    -------
    plotly Figure
        One mark per measured row, with a ring where the number lies outside the interval of 90 %.

    Examples
    --------
    >>> from proset.compare import ComparePlan, compare_numbers
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> found = compare_numbers(study, ComparePlan(("knn", "gbmap"), n_folds=2, max_rows=200))
    >>> [trace.name for trace in plot_number_system(found, "knn").data]
    ['as said', 'row', 'outside its 90 % interval']
    """
    entry = found.system(key)
    drawn = spread_places(len(found.measured), MOST_DRAWN)
    every = np.concatenate([found.actual, *(median_of(one.quantiles) for one in found.fitted)])
    low, high = float(every.min()), float(every.max())
    line = {"color": style.INK, "width": 1.2, "dash": "dot"}
    figure = go.Figure(
        go.Scatter(x=[low, high], y=[low, high], mode="lines", name="as said", line=line, hoverinfo="skip")
    )
    figure.add_traces(_marks(found, entry, drawn, accent=key == current))
    place = np.flatnonzero(found.measured == (-1 if selected is None else selected))
    if len(place):
        figure.add_trace(diamond(median_of(entry.quantiles)[place].tolist(), found.actual[place].tolist()))
    unit = plain(found.target, limit=40)
    style.finish(figure, x_title="median said", y_title=f"{unit}: actual", height=height, legend=False)
    room = 0.05 * (high - low)
    figure.update_xaxes(range=[low - room, high + room])
    return figure.update_yaxes(range=[low - room, high + room])


def _ring() -> dict[str, object]:
    """Return the look of a number outside its interval."""
    return {"symbol": "circle-open", "size": 12, "color": style.WRONG, "line": {"width": 2}}


def _marks(found: NumberComparison, entry: NumberSystemResult, drawn: np.ndarray, *, accent: bool) -> list[go.Scatter]:
    """Return the marks of one system, and rings around what lies outside."""
    said, actual = entry.quantiles[drawn], found.actual[drawn]
    texts = [
        [str(row), number(float(f"{true:.4g}")), rough(middle), f"{rough(low)} to {rough(high)}"]
        for row, true, middle, low, high in zip(
            found.measured[drawn].tolist(), actual, median_of(said), said[:, 0], said[:, -1], strict=True
        )
    ]
    hover = hover_template("Row %{customdata[0]}", [plain(found.target, limit=40), "median said", "90 % between"])
    out = (actual < said[:, 0]) | (actual > said[:, -1])
    marks = go.Scatter(
        x=median_of(said),
        y=actual,
        mode="markers",
        name="row",
        marker={
            "size": 6,
            "color": style.MODEL if accent else style.NEUTRAL,
            "opacity": 0.75,
            "line": {"color": style.OUTLINE, "width": 0.5},
        },
        customdata=texts,
        hovertemplate=hover,
    )
    rings = go.Scatter(
        x=median_of(said)[out],
        y=actual[out],
        mode="markers",
        name="outside its 90 % interval",
        marker=_ring(),
        hoverinfo="skip",
    )
    return [marks, rings]


def plot_number_row(found: NumberComparison, row: int, *, current: str | None = None) -> go.Figure:
    """Draw what each system says of one measured row, and what is true: interval of 90 %, middle half, median.

    Raises
    ------
    ValueError
        If the row is none of the measured ones.

    Examples
    --------
    >>> from proset.compare import ComparePlan, compare_numbers
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> found = compare_numbers(study, ComparePlan(("knn", "gbmap"), n_folds=2, max_rows=200))
    >>> plot_number_row(found, int(found.measured[0])).layout.yaxis.ticktext
    ('Nearest neighbours', 'gbmap')
    """
    places = np.flatnonzero(found.measured == row)
    if not len(places):
        raise ValueError(f"Row {row} is none of the measured rows.")
    at, entries = int(places[0]), found.fitted
    figure = go.Figure()
    for i, entry in enumerate(entries):
        said = entry.quantiles[at]
        colour = style.MODEL if entry.key == current else style.NEUTRAL
        texts = [[plain(entry.title, limit=30), rough(median_of(entry.quantiles)[at]),
                  f"{rough(said[4])} to {rough(said[14])}", f"{rough(said[0])} to {rough(said[-1])}"]]  # fmt: skip
        hover = hover_template("%{customdata[0]}", ["median", "half between", "90 % between"])
        for low, high, width in ((said[0], said[-1], 2), (said[4], said[14], 9)):
            figure.add_scatter(
                x=[low, high], y=[i, i], mode="lines", line={"color": colour, "width": width}, showlegend=False,
                hoverinfo="skip",
            )  # fmt: skip
        figure.add_scatter(
            x=[said[9]], y=[i], mode="markers", showlegend=False, customdata=texts, hovertemplate=hover,
            marker={"size": 13, "color": colour, "line": {"color": style.OUTLINE, "width": 1.5}},
        )  # fmt: skip
    style.finish(figure, x_title=plain(found.target, limit=60), height=_HEAD + 44 * max(1, len(entries)), legend=False)
    figure.add_vline(float(found.actual[at]), line={"color": style.INK, "width": 2, "dash": "dot"})
    figure.add_annotation(
        x=float(found.actual[at]), y=1.0, yref="paper", yanchor="bottom", showarrow=False,
        text=f"actual: {number(float(f'{found.actual[at]:.6g}'))}",
    )  # fmt: skip
    names = [plain(entry.title, limit=30) for entry in entries]
    ends = np.array([found.actual[at], *(value for entry in entries for value in entry.quantiles[at, [0, -1]])])
    room = 0.05 * float(np.ptp(ends))
    figure.update_xaxes(range=[float(ends.min()) - room, float(ends.max()) + room])
    figure.update_layout(margin={"t": 32})
    return figure.update_yaxes(
        tickvals=list(range(len(entries))), ticktext=names, range=[len(entries) - 0.4, -0.6], showgrid=True
    )
