"""Figure of what a model of a number said of many rows, with its intervals, and what was true."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from proset.common.spread import spread_out
from proset.common.words import count_words, number, percent
from proset.plots import style
from proset.plots.texts import hover_template, plain
from proset.plots.traces import Draft, Trace, diamond, per_point

if TYPE_CHECKING:
    import pandas as pd

MOST_DRAWN = 1_500
"""Rows that are drawn of more; all of those outside their interval come first."""
_SIZE = 8.0


def plot_number_predictions(
    known: pd.DataFrame, *, target: str, selected: int | None = None, height: int = 640
) -> Draft:
    r"""Draw the actual number of each row over the median that the model said, with the 90 % interval.

    Parameters
    ----------
    known : DataFrame
        As :attr:`proset.explain.numbers.quality.NumberQuality.rows`.
    target : str
        What the numbers are, for the axes.
    selected : int or None
        Row id of the selected case.
    height : int
        In pixels.

    Returns
    -------
    Draft
        One mark per row, the stronger the more familiar; an upright line for its interval; a ring where the number lies
        outside; the dotted diagonal where both are equal. ``layout.meta`` says what is not drawn.

    Examples
    --------
    >>> from proset import explain
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> found = explain.number_quality(study)
    >>> [trace["name"] for trace in plot_number_predictions(found.rows, target="price").traces[:3]]
    ['90 % interval', 'as said', 'row']
    """
    rows, left_out = _drawn(known)
    draft = Draft()
    outside = rows[rows["beyond"] > 0.0]
    draft.add([_intervals(rows), _diagonal(rows), _marks(rows, target)])
    if len(outside):
        draft.add([_rings(outside)])
    if selected in rows.index:
        case = rows.loc[[selected]]
        draft.add([diamond(case["median"], case["actual"])])
    unit = plain(target, limit=40)
    style.finish(draft.layout, x_title=f"{unit}: median said", y_title=f"{unit}: actual", height=height)
    draft.layout.update_layout(dragmode="zoom", meta=left_out)
    return draft


def _drawn(rows: pd.DataFrame) -> tuple[pd.DataFrame, str | None]:
    """Return the rows that are drawn, and what to say of the others."""
    if len(rows) <= MOST_DRAWN:
        return rows, None
    out = rows["beyond"].to_numpy(dtype=np.float64)
    first = np.argsort(-out, kind="stable")[: min(int((out > 0.0).sum()), MOST_DRAWN // 2)]
    others = np.setdiff1d(np.arange(len(rows)), first)
    # As many of those within as their share, so that the figure does not make the model look worse than it is.
    kept = spread_out(others, MOST_DRAWN - len(first))
    drawn = rows.iloc[np.sort(np.concatenate([first, kept]))]
    said = (
        f"Drawn are {len(drawn):,} of {count_words(len(rows), 'row')}: the {len(first):,} furthest outside their "
        "interval, and some of the others."
    )
    return drawn, said


def _intervals(rows: pd.DataFrame) -> Trace:
    """Return an upright line for each row."""
    nothing = np.full(len(rows), np.nan)
    return {
        "type": "scatter",
        "x": np.column_stack([rows["median"], rows["median"], nothing]).ravel(),
        "y": np.column_stack([rows["lower"], rows["upper"], nothing]).ravel(),
        "mode": "lines",
        "name": "90 % interval",
        "line": {"color": style.tinted(style.NEUTRAL, 0.45), "width": 1},
        "hoverinfo": "skip",
    }


def _diagonal(rows: pd.DataFrame) -> Trace:
    """Return the line on which the number is what was said."""
    ends = [float(rows["median"].min()), float(rows["median"].max())] if len(rows) else [0.0, 1.0]
    return {
        "type": "scatter",
        "x": ends,
        "y": ends,
        "mode": "lines",
        "name": "as said",
        "line": {"color": style.INK, "width": 1.5, "dash": "dot"},
        "hoverinfo": "skip",
    }


def _marks(rows: pd.DataFrame, target: str) -> Trace:
    """Return one mark per row."""
    ends = [
        f"{number(low)} to {number(high)}"
        for low, high in zip(_short(rows["lower"]), _short(rows["upper"]), strict=True)
    ]
    texts = [[number(value) for value in _short(rows[name])] for name in ("actual", "median")]
    familiar = [percent(share) for share in rows["quantile"]]
    return {
        "type": "scatter",
        "x": rows["median"],
        "y": rows["actual"],
        "mode": "markers",
        "name": "row",
        "showlegend": False,
        "marker": {
            "color": rows["quantile"].to_numpy(dtype=np.float64),
            "colorscale": [list(step) for step in style.RAMP],
            "cmin": 0.0,
            "cmax": 1.0,
            "size": _SIZE,
            "line": {"color": style.OUTLINE, "width": 0.5},
            "colorbar": style.colour_bar("held-out rows that are at most as familiar"),
        },
        "customdata": per_point(rows.index, *texts, ends, familiar),
        "hovertemplate": hover_template(
            "Row %{customdata[0]}", [target, "median said", "90 % between", "held-out rows at most as familiar"]
        ),
    }


def _rings(outside: pd.DataFrame) -> Trace:
    """Return rings around numbers outside their interval."""
    return {
        "type": "scatter",
        "x": outside["median"],
        "y": outside["actual"],
        "mode": "markers",
        "name": "outside its interval",
        "marker": {
            "symbol": "circle-open",
            "size": style.RING_SIZE,
            "color": style.WRONG,
            "line": {"width": 2, "color": style.WRONG},
        },
        "hoverinfo": "skip",
    }


def _short(values: pd.Series) -> list[float]:
    """Round to four digits, which is what is said of a row."""
    return [float(f"{value:.4g}") for value in values]
