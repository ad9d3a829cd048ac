"""Figures of new rows: how familiar each is and how near a known case, and whether all together have drifted."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from proset.common.words import percent
from proset.explain.familiar.case_standing import Standing
from proset.explain.familiar.shift import Drift
from proset.explain.phrases import FEW
from proset.plots import style
from proset.plots.texts import hover_template, plain
from proset.plots.traces import Trace, legend_entry

MOST_POINTS = 2_000
FAMILIARITY = "familiarity (place among held-out rows)"
RAREST_LINE = {"color": style.NEUTRAL, "dash": "dot", "width": 1}
NEARNESS = {
    "novelty_quantile": "nearness, columns of the model (place among held-out rows)",
    "novelty_quantile_all": "nearness, all columns (place among held-out rows)",
}
"""Measures for the upright axis, with their titles."""
# On two lines: in a narrow window one would run into that of the picture beside it.
_TITLES = {
    "quantile": "familiarity",
    "novelty_quantile": "nearness,<br>columns of the model",
    "novelty_quantile_all": "nearness,<br>all columns",
}
_CURSOR = 14
_SMALL = 100


def plot_standing(
    found: Standing,
    said: Sequence[str],
    classes: Sequence[str],
    *,
    near: str = "novelty_quantile",
    selected: int | None = None,
) -> go.Figure:
    """Draw where cases stand: how familiar each is, and how near the nearest known case.

    Parameters
    ----------
    said : sequence of str
        The class that is said of each case.
    classes : sequence of str
        All classes of the study in their order.
    near : {"novelty_quantile", "novelty_quantile_all"}
        Whether nearness is that in the columns of the model or in all columns.
    selected : int or None
        Row id of the selected case.

    Returns
    -------
    plotly Figure
        Both axes are quantiles among the held-out rows; the unusual cases stand at the left and below, where a line
        marks 5 %. ``customdata[0]`` is the row id. Of very many cases the most unusual 2,000 are drawn, which
        ``layout.meta`` says.

    Examples
    --------
    >>> from proset import explain
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> found = explain.standing(study, [1, 2, 60])
    >>> [trace.name for trace in plot_standing(found, ["setosa", "setosa", "versicolor"], study.classes).data]
    ['setosa', 'versicolor', 'beyond it: the most unusual 5.0 %']
    """
    frame = found.to_frame().assign(said=list(said))
    frame["low"], frame["near"] = frame[["quantile", near]].min(axis=1), frame[near]
    drawn = frame.nsmallest(MOST_POINTS, "low") if len(frame) > MOST_POINTS else frame
    figure = go.Figure()
    for look in style.class_looks(list(classes)):
        own = drawn[drawn["said"] == look.name]
        if own.empty:
            continue
        figure.add_trace(
            go.Scatter(
                x=own["quantile"],
                y=own["near"],
                mode="markers",
                name=plain(look.name, limit=30),
                customdata=_hover(own),
                marker={
                    "color": look.colour, "symbol": look.symbol, "size": 9, "opacity": style.SAMPLE_OPACITY,
                    "line": {"color": style.OUTLINE, "width": 1},
                },
                hovertemplate=hover_template(
                    f"Row %{{customdata[0]}}: {plain(look.name)}",
                    ["familiarity", "nearness", "nearness in all columns", "in words"],
                ),
            )
        )  # fmt: skip
    _mark(figure, frame, selected)
    style.finish(figure, x_title=FAMILIARITY, y_title=NEARNESS[near], height=470)
    for draw_line in (figure.add_hline, figure.add_vline):
        draw_line(FEW, line=RAREST_LINE)
    figure.add_trace(rarest("most unusual"))
    figure.update_xaxes(range=[-0.03, 1.03], **style.share_axis())
    figure.update_yaxes(range=[-0.03, 1.03], **style.share_axis())
    left = len(frame) - len(drawn)
    figure.update_layout(meta=f"Shown: the {MOST_POINTS:,} most unusual rows of {len(frame):,}." if left else "")
    return figure


def rarest(what: str) -> Trace:
    """Return the entry of the legend for the line at 5 %."""
    return legend_entry(f"beyond it: the {what} {percent(FEW)}", mode="lines", line=RAREST_LINE | {"width": 2})


def _hover(own: pd.DataFrame) -> list[list[object]]:
    """Return what stands in the hover boxes, the row id first."""
    names = ["quantile", "novelty_quantile", "novelty_quantile_all"]
    shares = [[percent(value) for value in own[name]] for name in names]
    return [list(line) for line in zip(own.index.tolist(), *shares, own["in words"].tolist(), strict=True)]


def _mark(figure: go.Figure, frame: pd.DataFrame, selected: int | None) -> None:
    """Put a diamond around the selected case."""
    if selected is None or selected not in frame.index:
        return
    line = frame.loc[[selected]]
    figure.add_trace(
        go.Scatter(
            x=line["quantile"], y=line["near"], mode="markers", name="selected case", hoverinfo="skip",
            marker={
                "symbol": style.SELECTED_SYMBOL, "size": _CURSOR + 4, "color": style.INK,
                "line": {"width": 3, "color": style.INK},
            },
        )
    )  # fmt: skip


def plot_drift(found: Drift) -> go.Figure:
    """Draw how the quantiles of new rows are spread; without drift each bar is about as high as its dotted line.

    Returns
    -------
    plotly Figure
        One panel per measure: share of the new rows in each tenth (with less than 100 rows: each fifth) of the held-out
        rows, from the most unusual ones at the left.

    Examples
    --------
    >>> from proset import explain
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> figure = plot_drift(explain.drift(study, study.table.frame.loc[study.split.held_out]))
    >>> len(figure.data), figure.layout.yaxis.title.text
    (6, 'share of the new rows')
    """
    parts = 5 if found.n_rows < _SMALL else 10
    edges = np.linspace(0.0, 1.0, parts + 1)
    figure = make_subplots(
        rows=1, cols=3, subplot_titles=list(_TITLES.values()), shared_yaxes=True, horizontal_spacing=0.08
    )
    for column, name in enumerate(_TITLES, start=1):
        shares, usual = (_shares(places[name], parts) for places in (found.quantiles, found.usual))
        spans = [f"{percent(a)} to {percent(b)}" for a, b in pairwise(edges)]
        colours = [style.INK, *[style.NEUTRAL] * (parts - 1)]
        figure.add_trace(
            go.Bar(
                x=(edges[:-1] + edges[1:]) / 2.0,
                y=shares,
                width=0.9 / parts,
                marker={"color": colours},
                customdata=[[span, percent(share)] for span, share in zip(spans, shares, strict=True)],
                hovertemplate="%{customdata[1]} of the new rows lie at quantiles from %{customdata[0]}<extra></extra>",
            ),
            row=1,
            col=column,
        )
        # Stairs: rows that tie all have the place of the last one, so that even those held out are not spread evenly.
        line = {"color": style.INK, "dash": "dot", "width": 2, "shape": "hv"}
        stairs = go.Scatter(x=edges, y=[*usual, usual[-1]], mode="lines", line=line, hoverinfo="skip")
        figure.add_trace(stairs, row=1, col=column)
    style.finish(figure, height=276, legend=False)
    figure.update_xaxes(range=[0.0, 1.0], **style.share_axis())
    figure.update_yaxes(rangemode="tozero", **style.share_axis())
    figure.update_yaxes(title="share of the new rows", col=1)
    figure.update_annotations(font={"size": 13})
    figure.update_layout(margin={"t": 52})
    return figure


def _shares(places: pd.Series, parts: int) -> NDArray[np.float64]:
    """Return how many of some quantiles lie in each part; a row of rank k of n has k / n, so these end at the right."""
    at = np.clip(np.ceil(places.to_numpy(dtype=np.float64) * parts - 1e-9), 1, parts).astype(int)
    shares: NDArray[np.float64] = np.bincount(at - 1, minlength=parts) / max(1, len(places))
    return shares
