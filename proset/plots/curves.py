"""Figures of the ROC and the precision-recall curves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from proset.common.spread import spread_places
from proset.common.words import measure, percent
from proset.plots import style
from proset.plots.texts import plain

if TYPE_CHECKING:
    from proset.explain.judged.curves import ClassCurves, RankingCurves

_HEIGHT = 430
_MOST_POINTS = 400
_FEW = 3
_DASHES = ("solid", "dash", "dot", "dashdot")
_CHANCE = {"color": style.NEUTRAL, "width": 1, "dash": "dot"}


def plot_roc(curves: RankingCurves, *, height: int = _HEIGHT) -> go.Figure:
    """Draw the ROC curve of each class against all others.

    Parameters
    ----------
    curves : RankingCurves
        From :func:`proset.explain.ranking_curves`. Two classes have curves that mirror each other, so only the second
        is drawn.
    height : int
        In pixels.

    Returns
    -------
    plotly Figure
        One line per class, and the dotted diagonal of ranking by chance.

    Examples
    --------
    >>> from proset.explain import ranking_curves
    >>> from proset.study import fit_sample
    >>> figure = plot_roc(ranking_curves(fit_sample("iris_2f")))
    >>> [trace.name.partition(":")[0] for trace in figure.data]
    ['chance', 'setosa', 'versicolor', 'virginica']
    """
    figure = go.Figure(_chance([0, 1], [0, 1]))
    shown = curves.curves[1:] if len(curves.classes) == 2 else curves.curves
    for curve in shown:
        hover = (
            "%{customdata[1]} of its cases and %{customdata[0]} of the others<br>have an estimate of"
            " %{customdata[2]} or more"
            f"<extra>{plain(curve.name, limit=30)}</extra>"
        )
        line = _line(curves, curve, curve.roc, name=measure(curve.roc_auc), hover=hover)
        figure.add_trace(line)
    titles = "share of the other cases taken for the class", "share of its cases found"
    return _finish(figure, *titles, legend="ROC-AUC", height=height)


def plot_precision_recall(curves: RankingCurves, *, height: int = _HEIGHT) -> go.Figure:
    """Draw the precision-recall curve of each class against all others.

    Parameters
    ----------
    height : int
        In pixels.

    Returns
    -------
    plotly Figure
        One line per class; a dotted line per class at its share, the precision of choosing by chance, where there are
        at most three; ``layout.meta`` then says so.

    Examples
    --------
    >>> from proset.explain import ranking_curves
    >>> from proset.study import fit_sample
    >>> figure = plot_precision_recall(ranking_curves(fit_sample("iris_2f")))
    >>> len(figure.data)
    6
    """
    figure = go.Figure()
    looks = {look.name: look for look in style.class_looks(curves.classes)}
    if 0 < len(curves.curves) <= _FEW:
        figure.update_layout(meta="Dotted: what choosing at random gives.")
        for curve in curves.curves:
            by_chance = _chance([0, 1], [curve.share, curve.share], f"{plain(curve.name, limit=24)} by chance")
            by_chance.line.color = looks[curve.name].colour
            figure.add_trace(by_chance.update(showlegend=False))
    for curve in curves.curves:
        name = f"{measure(curve.average_precision)} ({measure(curve.share)})"
        hover = (
            "%{customdata[0]} of its cases are found,<br>%{customdata[1]} of the cases taken are right<br>"
            f"estimate of %{{customdata[2]}} or more<extra>{plain(curve.name, limit=30)}</extra>"
        )
        figure.add_trace(_line(curves, curve, curve.precision_recall, name=name, hover=hover))
    titles = "recall: share of its cases found", "precision: share of those taken that are right"
    return _finish(figure, *titles, legend="average precision<br>(by chance)", height=height)


def _chance(x: list[float], y: list[float], name: str = "chance") -> go.Scatter:
    """Return a dotted line for what chance alone gives."""
    return go.Scatter(x=x, y=y, mode="lines", name=name, line=dict(_CHANCE), hoverinfo="skip")


def _line(curves: RankingCurves, curve: ClassCurves, points: pd.DataFrame, *, name: str, hover: str) -> go.Scatter:
    """Return one curve in the colour of its class."""
    position = curves.classes.index(curve.name)
    part = _thinned(points)
    cuts = ["more than all" if np.isinf(cut) else percent(float(cut)) for cut in part["threshold"]]
    return go.Scatter(
        x=part.iloc[:, 0].tolist(),
        y=part.iloc[:, 1].tolist(),
        mode="lines",
        name=f"{plain(curve.name, limit=24)}: {name}",
        line={
            "color": style.class_colours(curves.classes)[curve.name],
            "width": 2.5,
            "dash": _DASHES[position // len(style.CLASS_COLOURS) % len(_DASHES)],
        },
        customdata=list(zip(*(map(percent, part.iloc[:, k]) for k in (0, 1)), cuts, strict=True)),
        hovertemplate=hover,
    )


def _thinned(points: pd.DataFrame) -> pd.DataFrame:
    """Return at most some hundred points, both ends included; nobody sees the difference."""
    return points.iloc[spread_places(len(points), _MOST_POINTS)]


def _finish(figure: go.Figure, x_title: str, y_title: str, *, legend: str, height: int) -> go.Figure:
    """Give a figure the common layout: per cent on both axes, the legend at the right."""
    style.finish(figure, x_title=x_title, y_title=y_title, height=height)
    figure.update_xaxes(range=[-0.01, 1.01], **style.share_axis(), constrain="domain")
    figure.update_yaxes(range=[-0.01, 1.03], **style.share_axis())
    figure.update_layout(
        legend={
            "title": {"text": legend, "font": {"size": style.TEXT_SIZE}},
            "orientation": "v",
            "x": 1.02,
            "xanchor": "left",
            "y": 1.0,
            "yanchor": "top",
        },
        dragmode="zoom",
    )
    return figure
