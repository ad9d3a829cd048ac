"""Figure of new rows: what a model of a number says of each, and how familiar it is."""

from __future__ import annotations

from typing import Any

import pandas as pd
import plotly.graph_objects as go

from proset.common.words import number, percent
from proset.explain.phrases import FEW
from proset.plots import style
from proset.plots.new_rows import FAMILIARITY, RAREST_LINE, rarest
from proset.plots.texts import hover_template, plain
from proset.plots.traces import diamond, per_point, reach

MOST_POINTS = 2_000
_MOST_BARS, _MANY_BARS = 400, 150


def plot_number_rows(lines: pd.DataFrame, *, target: str = "target", selected: int | None = None) -> go.Figure:
    """Draw the median of each row with its interval over its familiarity.

    Parameters
    ----------
    lines : DataFrame
        Index row id; columns ``median``, ``lower``, ``upper``, ``familiarity`` (a quantile), and ``actual`` where it
        is known.
    target : str, default "target"
        What the number is, for the axis.
    selected : int or None
        Row id of the selected case.

    Returns
    -------
    plotly Figure
        ``customdata[0]`` of a mark is its row id. Of more than 2,000 rows the least familiar are drawn, and intervals
        of no more than 400; ``layout.meta`` says so.

    Examples
    --------
    >>> lines = pd.DataFrame({"median": [2.0], "lower": [1.0], "upper": [4.0], "familiarity": [0.5]}, index=[7])
    >>> figure = plot_number_rows(lines)
    >>> figure.data[0].customdata[0][0], figure.data[0].error_y.array[0]
    (7, 2.0)
    """
    drawn = lines.nsmallest(MOST_POINTS, "familiarity") if len(lines) > MOST_POINTS else lines
    bars = len(drawn) <= _MOST_BARS
    figure = go.Figure([_medians(drawn, bars=bars), *_actual(drawn), *_mark(lines, selected), rarest("least familiar")])
    style.finish(figure, x_title=FAMILIARITY, y_title=plain(target, limit=40), height=490)
    figure.add_vline(FEW, line=RAREST_LINE)
    figure.update_xaxes(range=[-0.03, 1.03], **style.share_axis())
    notes = [
        f"Shown: the {MOST_POINTS:,} least familiar rows of {len(lines):,}." if len(drawn) < len(lines) else "",
        "" if bars else f"Intervals are drawn of up to {_MOST_BARS} rows; the list has them all.",
    ]
    figure.update_layout(meta=" ".join(filter(None, notes)) or None)
    return figure


def _medians(drawn: pd.DataFrame, *, bars: bool) -> dict[str, Any]:
    """Return the medians, with intervals as strokes."""
    look: dict[str, Any] = {"thickness": 1.5 if len(drawn) <= _MANY_BARS else 1.0, "width": 0, "symmetric": False}
    ends = drawn["median"], drawn["lower"], drawn["upper"]
    strokes = reach(*ends, **look, color=style.tinted(style.MODEL, 0.45))
    texts = [
        [number(value) for value in drawn["median"]],
        [f"{number(low)} to {number(high)}" for low, high in zip(drawn["lower"], drawn["upper"], strict=True)],
        [percent(value) for value in drawn["familiarity"]],
    ]
    return {
        "type": "scatter",
        "x": drawn["familiarity"].tolist(),
        "y": drawn["median"].tolist(),
        "mode": "markers",
        "name": "median and 90 %" if bars else "median",
        "marker": {"size": 8, "color": style.MODEL, "line": {"color": style.OUTLINE, "width": 0.5}},
        **({"error_y": strokes} if bars else {}),
        "customdata": per_point(drawn.index, *texts),
        "hovertemplate": hover_template("New row %{customdata[0]}", ["median", "90 %", "familiarity"]),
    }


def _actual(drawn: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the actual numbers, where they are known."""
    if "actual" not in drawn or drawn["actual"].isna().all():
        return []
    known = drawn[drawn["actual"].notna()]
    return [
        {
            "type": "scatter",
            "x": known["familiarity"].tolist(),
            "y": known["actual"].tolist(),
            "mode": "markers",
            "name": "actual number",
            "marker": {"size": 7, "symbol": "line-ew", "line": {"color": style.INK, "width": 2}},
            "hoverinfo": "skip",
        }
    ]


def _mark(lines: pd.DataFrame, selected: int | None) -> list[dict[str, Any]]:
    """Put a diamond around the selected row."""
    if selected is None or selected not in lines.index:
        return []
    line = lines.loc[[selected]]
    return [diamond(line["familiarity"].tolist(), line["median"].tolist())]
