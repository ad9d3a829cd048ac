"""Figure of how the answer of a model of a number goes along one column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from proset.common.spread import near_ends, spread_out
from proset.common.words import number, percent
from proset.explain.numbers.course import NumberCourse
from proset.plots import style
from proset.plots.map_marks import jitter
from proset.plots.room import room_for_legend
from proset.plots.texts import far_words, plain, set_ticks
from proset.plots.traces import per_point

MOST_ROWS = 1_500
_MOST_RUGS = 300
_PLACE = 560  # pixels, the narrowest that the legend gets
_BAND = 0.25


def plot_number_course(found: NumberCourse, *, random_state: int = 0) -> go.Figure:
    r"""Draw median and interval along a column, the rows of the table behind them.

    Parameters
    ----------
    random_state : int, default 0
        Draws the rows that are shown of more than 1,500.

    Returns
    -------
    plotly Figure
        Grey where the model has hardly seen anything like it. ``customdata[0]`` of a row is its id; a rug below has the
        values of training rows. ``layout.meta`` says how many rows are not drawn and which lie far off, or is None.

    Examples
    --------
    >>> from proset import explain
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> [trace.name for trace in plot_number_course(explain.number_course(study, feature="weight (pounds)")).data][:2]
    ['training row: what it has', 'held-out row: what it has']
    """
    rows = found.rows
    drawn = rows if len(rows) <= MOST_ROWS else rows.sample(MOST_ROWS, random_state=random_state).sort_index()
    levels = found.axis.kind == "level"
    figure = go.Figure([*_rows(found, drawn), *(_bars(found) if levels else _band(found)), *_here(found)])
    style.finish(figure, x_title=plain(found.axis.name), y_title=plain(found.target, limit=40), height=460)
    low, high = _ends(found)
    foot = low - 0.04 * (high - low)
    figure.update_yaxes(range=[foot - 0.03 * (high - low), high + 0.05 * (high - low)])
    if not levels:
        figure.add_trace(_rug(found, foot))
        for start, end in _unknown(found):
            figure.add_vrect(start, end, fillcolor=style.tinted(style.NEUTRAL, 0.28), line_width=0, layer="below")
    ends = np.array([[found.places[0], 0.0], [found.places[-1], 1.0]])
    set_ticks(figure, (found.axis, type(found.axis)(found.target)), ends)
    room = 0.5 if levels else 0.02 * float(found.places[-1] - found.places[0])
    figure.update_xaxes(range=[float(found.places[0]) - room, float(found.places[-1]) + room], showgrid=False)
    names = [trace.name for trace in figure.data if trace.showlegend is not False]
    left = len(rows) - len(drawn)
    notes = [f"Drawn: {MOST_ROWS:,} of {len(rows):,} rows." if left else None]
    notes.append(far_words(rows["actual"].to_numpy(dtype=np.float64), (low, high)))
    figure.update_layout(margin_t=room_for_legend(names, _PLACE), meta=" ".join(filter(None, notes)) or None)
    return figure


def _ends(found: NumberCourse) -> tuple[float, float]:
    """Return the ends of the picture, which has room for all answers and for the rows that do not lie far off."""
    actual = found.rows["actual"].to_numpy(dtype=np.float64)
    low, high = near_ends(actual) if len(actual) else (np.inf, -np.inf)
    return min(low, float(found.lower.min())), max(high, float(found.upper.max()))


def _rows(found: NumberCourse, drawn: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of the table, training rows hollow; each kind has an entry in the legend."""
    x = drawn["x"].to_numpy(dtype=np.float64)
    texts = [plain(found.axis.text(value), limit=30) for value in x]
    if found.axis.kind == "level":
        x = x + jitter(x, found.places)
    boxes = per_point(drawn.index, texts, [number(value) for value in drawn["actual"]])
    train, held_out = ((drawn["part"] == part).to_numpy() for part in ("train", "held_out"))
    kinds = (
        (train, "circle-open", "training row"),
        (held_out, "circle", "held-out row"),
        (~train & ~held_out, "circle-open-dot", "row left out"),
    )
    return [
        {
            "type": "scatter",
            "x": x[own].tolist(),
            "y": drawn.loc[own, "actual"].tolist(),
            "mode": "markers",
            "name": f"{name}: what it has",
            "marker": {"size": 5, "symbol": symbol, "color": style.NEUTRAL, "opacity": 0.55},
            "customdata": boxes[own],
            "hovertemplate": f"<b>Row %{{customdata[0]}}</b>, {name}<br>"
            f"{plain(found.axis.name, limit=40)}: %{{customdata[1]}}<br>"
            f"{plain(found.target, limit=40)}: %{{customdata[2]}}<extra></extra>",
        }
        for own, symbol, name in kinds
        if own.any()
    ]


def _band(found: NumberCourse) -> list[dict[str, Any]]:
    """Return the interval as a band and the median as a line."""
    x = found.places
    return [
        {
            "type": "scatter",
            "x": np.concatenate([x, x[::-1]]).tolist(),
            "y": np.concatenate([found.lower, found.upper[::-1]]).tolist(),
            "fill": "toself",
            "mode": "lines",
            "line": {"width": 0, "color": style.MODEL},
            "fillcolor": style.tinted(style.MODEL, _BAND),
            "name": "90 % of the answer",
            "hoverinfo": "skip",
        },
        {
            "type": "scatter",
            "x": x.tolist(),
            "y": found.median.tolist(),
            "mode": "lines",
            "line": {"color": style.MODEL, "width": 3},
            "name": "median of the answer",
            **_said(found),
        },
    ]


def _bars(found: NumberCourse) -> list[dict[str, Any]]:
    """Return intervals as upright bars with the median as a mark, for a category."""
    bar = {
        "type": "data",
        "symmetric": False,
        "array": (found.upper - found.median).tolist(),
        "arrayminus": (found.median - found.lower).tolist(),
        "thickness": 4,
        "width": 10,
        "color": style.tinted(style.MODEL, 0.6),
    }
    return [
        {
            "type": "scatter",
            "x": found.places.tolist(),
            "y": found.median.tolist(),
            "mode": "markers",
            "error_y": bar,
            "marker": {
                "size": 13,
                "symbol": "line-ew",
                "line": {"width": 4, "color": [style.MODEL if k else style.NEUTRAL for k in found.known]},
            },
            "name": "median and 90 % of the answer",
            **_said(found),
        }
    ]


def _said(found: NumberCourse) -> dict[str, Any]:
    """Return the hover boxes of the answers."""
    rows = zip(found.places, found.median, found.lower, found.upper, found.quantile, strict=True)
    said = [
        [plain(found.axis.text(x), limit=30), number(m), f"{number(low)} to {number(high)}", percent(q)]
        for x, m, low, high, q in rows
    ]
    names = ("median", "90 %", "familiarity")
    lines = [f"{name}: %{{customdata[{k}]}}" for k, name in enumerate(names, start=1)]
    head = f"<b>{plain(found.axis.name, limit=40)}: %{{customdata[0]}}</b>"
    return {"customdata": said, "hovertemplate": "<br>".join([head, *lines]) + "<extra></extra>"}


def _here(found: NumberCourse) -> list[dict[str, Any]]:
    """Mark where the row is that all other columns are taken from."""
    if not np.isfinite(found.at):
        return []
    at = int(np.abs(found.places - found.at).argmin())
    name = plain(found.name, limit=30)
    return [
        {
            "type": "scatter",
            "x": [found.at],
            "y": [float(np.interp(found.at, found.places, found.median)) if at else float(found.median[at])],
            "mode": "markers",
            "marker": {
                "symbol": style.REFERENCE_SYMBOL,
                "size": style.REFERENCE_SIZE,
                "color": style.INK,
                "line": {"color": style.GROUND, "width": 1},
            },
            "name": f"the answer for {name}",
            "hovertemplate": f"the answer for {name}<extra></extra>",
        }
    ]


def _rug(found: NumberCourse, foot: float) -> dict[str, Any]:
    """Return values of training rows as short strokes at the bottom."""
    values = np.sort(found.rows.loc[found.rows["part"] == "train", "x"].to_numpy(dtype=np.float64))
    values = spread_out(values, _MOST_RUGS)
    return {
        "type": "scatter",
        "x": values.tolist(),
        "y": [foot] * len(values),
        "mode": "markers",
        "marker": {"symbol": "line-ns", "size": 9, "line": {"width": 1, "color": style.NEUTRAL}},
        "name": "value of a training row",
        "hoverinfo": "skip",
    }


def _unknown(found: NumberCourse) -> list[tuple[float, float]]:
    """Return the stretches on which the model has hardly seen anything like it."""
    edges = np.concatenate([found.places[:1], 0.5 * (found.places[1:] + found.places[:-1]), found.places[-1:]])
    flags = np.concatenate([[False], ~found.known, [False]]).astype(int)
    starts, ends = np.flatnonzero(np.diff(flags) == 1), np.flatnonzero(np.diff(flags) == -1)
    return [(float(edges[a]), float(edges[b])) for a, b in zip(starts, ends, strict=True)]
