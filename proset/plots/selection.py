"""Figures of a hyperparameter search (figure 2.1 of the report)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from sklearn.isotonic import isotonic_regression

from proset.plots import style
from proset.plots.penalty_surface import penalty_surface
from proset.plots.selection_marks import MEANING, PENALTIES, POINT, Marks, hover, log_axis, mark_traces, threshold_line
from proset.selection.words import batches_words

if TYPE_CHECKING:
    from proset.selection.record import SearchRecord

# What lies more than this many times the height of the interesting part above it is left out of the first view.
_FAR = 4.0
# Of a number at the right end of a line: its share of the figure's height, and its width in pixels.
_LABEL_HEIGHT, _LABEL_WIDTH = 0.055, 55


def plot_stage_1(record: SearchRecord) -> go.Figure:
    """Draw log-loss over the penalties: a curve if one of them was searched, a surface if both were.

    Parameters
    ----------
    record : SearchRecord
        Whole or under way; rows without a mean are left out.

    Returns
    -------
    plotly Figure
        ``customdata[0]`` of every point is its row label in ``record.stage_1``. A star marks the lowest mean, a diamond
        the chosen row. ``layout.meta`` holds a note for the reader, or None.

    Examples
    --------
    >>> from proset.engine.model import ClassifierModel
    >>> from proset.selection import SearchPlan, select_hyperparameters
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 2))
    >>> plan = SearchPlan(lambda_v=(1e-3, 1e-1), n_trials=3, n_folds=2, max_batches=1)
    >>> result = select_hyperparameters(ClassifierModel(), X, X[:, 0] > 0.0, plan=plan, n_jobs=1)
    >>> figure = plot_stage_1(result.record)
    >>> figure.layout.xaxis.type, figure.layout.yaxis.title.text
    ('log', 'log-loss')
    """
    done = record.stage_1.dropna(subset="mean")
    searched = record.plan.searched
    if done.empty:
        return _nothing("No pair of penalties is finished yet.")
    marks = Marks(record.threshold(1), record.optimal(1), record.chosen(1))
    if len(searched) == len(PENALTIES):
        return penalty_surface(done, marks)
    along = searched[0] if searched else "lambda_v"
    return _curve_over_penalty(done.sort_values(along), marks, along)


def plot_stage_2(record: SearchRecord) -> go.Figure:
    """Draw log-loss over the number of batches, for the penalties that stage 1 chose.

    Parameters
    ----------
    record : SearchRecord
        Whole or under way.

    Returns
    -------
    plotly Figure
        ``customdata[0]`` of every point is its row label in ``record.stage_2``. A star marks the lowest mean, a diamond
        the chosen row; thin lines with their numbers at the right are other penalties that stage 2 has looked at.
        ``layout.meta`` holds a note for the reader, or None.

    Examples
    --------
    >>> from proset.engine.model import ClassifierModel
    >>> from proset.selection import SearchPlan, select_hyperparameters
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 2))
    >>> plan = SearchPlan(lambda_v=1e-2, n_folds=2, max_batches=2)
    >>> result = select_hyperparameters(ClassifierModel(), X, X[:, 0] > 0.0, plan=plan, n_jobs=1)
    >>> figure = plot_stage_2(result.record)
    >>> figure.layout.xaxis.title.text, figure.data[1].x.tolist()
    ('number of batches', [0, 1, 2])
    """
    done = None if record.stage_2 is None else record.stage_2.dropna(subset="mean")
    if done is None or done.empty:
        return _nothing("The number of batches has not been searched yet.")
    marks = Marks(record.threshold(2), record.optimal(2), record.chosen(2))
    heads = [batches_words(count) for count in done["n_batches"]]
    figure = _curve(done, marks, x="n_batches", heads=heads)
    others = {row: record.curve(row) for row in record.looked_at if row != record.chosen(1)}
    figure.add_traces(_other_curves(record, others))
    style.finish(figure, x_title="number of batches", y_title="log-loss", height=420)
    figure.update_xaxes(dtick=1, range=[-0.6, done["n_batches"].max() + 0.6])
    shown = pd.concat([done, *others.values()])
    return _with_names_of_others(_without_far_start(figure, shown, marks), record, others, shown)


def _other_curves(record: SearchRecord, others: dict[int, pd.DataFrame]) -> list[go.Scatter]:
    """Draw the means of the other pairs that stage 2 has looked at, as thin lines that are one entry of the legend."""
    name = f"other {', '.join(PENALTIES[penalty] for penalty in record.plan.searched)} (on the right)"
    look = {"mode": "lines", "line": {"color": style.NEUTRAL, "width": 1, "dash": "dot"}, "hoverinfo": "skip"}
    look |= {"name": name, "legendgroup": "others"}
    return [
        go.Scatter(x=curve["n_batches"], y=curve["mean"], showlegend=number == 0, **look)
        for number, curve in enumerate(others.values())
    ]


def _with_names_of_others(
    figure: go.Figure, record: SearchRecord, others: dict[int, pd.DataFrame], shown: pd.DataFrame
) -> go.Figure:
    """Write at the right end of each thin line which penalties it is for, moved apart where lines end together."""
    if not others:
        return figure
    ends = {row: float(curve["mean"].iloc[-1]) for row, curve in others.items()}
    low, high = figure.layout.yaxis.range or (shown["mean"].min(), shown["mean"].max())
    upwards = sorted(others, key=ends.__getitem__)
    places = _moved_apart(np.array([ends[row] for row in upwards]), _LABEL_HEIGHT * (high - low))
    for row, place in zip(upwards, places.tolist(), strict=True):
        pair = dict(zip(PENALTIES, record.plan.pairs()[row], strict=True))
        text = ", ".join(f"{pair[penalty]:.2g}" for penalty in record.plan.searched)
        font = {"size": 11, "color": style.NEUTRAL}
        figure.add_annotation(x=1.0, xref="paper", y=place, text=text, font=font, showarrow=False, xanchor="left")
    longest = 1 if len(record.plan.searched) < len(PENALTIES) else 2
    return figure.update_layout(margin={"r": _LABEL_WIDTH * longest})


def _moved_apart(ends: np.ndarray, step: float) -> np.ndarray:
    """Return places at least a step apart, as near to ascending ends as that allows (least squares)."""
    offsets = step * np.arange(ends.shape[0])
    moved: np.ndarray = isotonic_regression(ends - offsets) + offsets
    return moved


def _curve_over_penalty(done: pd.DataFrame, marks: Marks, name: str) -> go.Figure:
    """Draw the log-loss over the one penalty that was searched."""
    heads = [f"{PENALTIES[name]} = {value:.2g}" for value in done[name]]
    figure = _curve(done, marks, x=name, heads=heads)
    style.finish(figure, x_title=f"{PENALTIES[name]}, {MEANING[name]}", y_title="log-loss", height=420)
    return log_axis(figure, "xaxis", done[name]) if done[name].min() > 0.0 else figure  # a fixed penalty may be zero


def _curve(done: pd.DataFrame, marks: Marks, *, x: str, heads: list[str]) -> go.Figure:
    """Draw mean and band of one standard deviation over one parameter, the threshold, and the two rows that matter."""
    line = {"color": style.INK, "width": 2}
    means = go.Scatter(x=done[x], y=done["mean"], mode="lines", line=line, showlegend=False, hoverinfo="skip")
    allowed = done["mean"] <= marks.threshold
    looks = ("mean over folds", style.INK), ("above the threshold", style.NEUTRAL)
    points = [
        _points(done[chosen], x, [head for head, is_in in zip(heads, chosen, strict=True) if is_in], look)
        for chosen, look in zip((allowed, ~allowed), looks, strict=True)
        if chosen.any()
    ]
    figure = go.Figure([_band(done, x), means, threshold_line(done[x], marks), *points])
    return figure.add_traces(mark_traces(done[x], done["mean"], marks))


def _band(done: pd.DataFrame, x: str) -> go.Scatter:
    """Draw one standard deviation over folds to either side; log-loss is never negative."""
    upper, lower = done["mean"] + done["sd"], (done["mean"] - done["sd"]).clip(lower=0.0)
    return go.Scatter(
        x=pd.concat([done[x], done[x][::-1]]),
        y=pd.concat([upper, lower[::-1]]),
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=style.tinted(style.NEUTRAL, 0.25),
        name="± 1 standard deviation",
        hoverinfo="skip",
    )


def _points(done: pd.DataFrame, x: str, heads: list[str], look: tuple[str, str]) -> go.Scatter:
    """Draw the means of some rows in one look: name and colour."""
    name, colour = look
    marker = {"size": POINT, "color": colour, "line": {"color": style.OUTLINE, "width": 1}}
    return go.Scatter(x=done[x], y=done["mean"], mode="markers", name=name, marker=marker, **hover(done, heads))


def _without_far_start(figure: go.Figure, done: pd.DataFrame, marks: Marks) -> go.Figure:
    """Show the batches at a size that lets them be told apart where a model without any is far worse."""
    with_batches = done[done["n_batches"] > 0]
    if with_batches.empty or len(with_batches) == len(done):
        return figure
    start = done.loc[done["n_batches"] == 0, "mean"].iloc[0]
    top = max(float((with_batches["mean"] + with_batches["sd"]).max()), marks.threshold)
    bottom = max(0.0, float((with_batches["mean"] - with_batches["sd"]).min()))
    room = max(top - bottom, 1e-9)
    if start < top + _FAR * room:
        return figure
    figure.update_yaxes(range=[bottom - 0.1 * room, top + 0.25 * room])
    # Short, so that it ends before the line that comes down to the first batch.
    note = {"text": f"↑ {start:.2f}", "font": {"size": 11}, "xanchor": "left", "xshift": -12, "showarrow": False}
    figure.add_annotation(x=0, y=top + 0.2 * room, **note)
    return figure.update_layout(meta=f"Without any batch the log-loss is {start:.3f}, far above this view.")


def _nothing(text: str) -> go.Figure:
    """Return an empty figure that says why."""
    figure = style.finish(go.Figure(), height=420, legend=False)
    figure.add_annotation(text=text, x=0.5, y=0.5, xref="paper", yref="paper", showarrow=False)
    return figure.update_xaxes(visible=False).update_yaxes(visible=False)
