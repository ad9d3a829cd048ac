"""Figures of a hyperparameter search (figure 2.1 of the report)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.colors import sample_colorscale
from scipy.interpolate import RBFInterpolator

from proset.plots import style

if TYPE_CHECKING:
    from proset.selection.result import SearchRecord

PENALTIES = {"lambda_v": "λ<sub>v</sub>", "lambda_w": "λ<sub>w</sub>"}
_MEANING = {"lambda_v": "penalty on feature weights", "lambda_w": "penalty on prototype weights"}
_STEEL = "#4682B4"
_POINT = 10.0
# Bright is good. The scale was made for colour-blind readers, and no part of it vanishes on a light or a dark page.
_SCALE = "cividis_r"
_FEWEST_FOR_SURFACE, _SURFACE_STEPS, _SURFACE_LEVELS = 4, 60, 24
# Half a decade beyond the outermost point, else marks at the edge are cut.
_MARGIN_DECADES = 0.25
# What lies more than this many times the height of the interesting part above it is left out of the first view.
_FAR = 4.0


@dataclass(frozen=True, eq=False)
class _Marks:
    """What the rule made of one stage, and what is used: a limit on the mean, and labels of rows."""

    threshold: float
    optimal: int
    chosen: int


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
    >>> import numpy as np
    >>> from proset.model import ClassifierModel
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
    marks = _Marks(record.threshold(1), record.optimal(1), record.chosen(1))
    if len(searched) == len(PENALTIES):
        return _surface(done, marks)
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
        the chosen row; thin lines are other penalties that stage 2 has looked at. ``layout.meta`` holds a note for the
        reader, or None.

    Examples
    --------
    >>> import numpy as np
    >>> from proset.model import ClassifierModel
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
    marks = _Marks(record.threshold(2), record.optimal(2), record.chosen(2))
    heads = [f"{count} batch{'' if count == 1 else 'es'}" for count in done["n_batches"]]
    figure = _curve(done, marks, x="n_batches", heads=heads)
    figure.add_traces([_other_curve(record, row) for row in record.looked_at if row != record.chosen(1)])
    style.finish(figure, x_title="number of batches", y_title="log-loss", height=420)
    figure.update_xaxes(dtick=1, range=[-0.4, done["n_batches"].max() + 0.4])
    return _without_far_start(figure, done, marks)


def _other_curve(record: SearchRecord, row: int) -> go.Scatter:
    """Means of another pair that stage 2 has looked at, as a thin line."""
    curve, pair = record.curve(row), dict(zip(PENALTIES, record.plan.pairs()[row], strict=True))
    name = ", ".join(f"{PENALTIES[penalty]} = {pair[penalty]:.2g}" for penalty in record.plan.searched)
    line = {"color": style.NEUTRAL, "width": 1, "dash": "dot"}
    return go.Scatter(x=curve["n_batches"], y=curve["mean"], mode="lines", line=line, name=name, hoverinfo="skip")


def _curve_over_penalty(done: pd.DataFrame, marks: _Marks, name: str) -> go.Figure:
    """Log-loss over the one penalty that was searched."""
    heads = [f"{PENALTIES[name]} = {value:.2g}" for value in done[name]]
    figure = _curve(done, marks, x=name, heads=heads)
    style.finish(figure, x_title=f"{PENALTIES[name]}, {_MEANING[name]}", y_title="log-loss", height=420)
    return _log_axis(figure, "xaxis", done[name]) if done[name].min() > 0.0 else figure  # a fixed penalty may be zero


def _curve(done: pd.DataFrame, marks: _Marks, *, x: str, heads: list[str]) -> go.Figure:
    """Mean and band of one standard deviation over one parameter, the threshold, and the two rows that matter."""
    line = {"color": _STEEL, "width": 2}
    means = go.Scatter(x=done[x], y=done["mean"], mode="lines", line=line, showlegend=False, hoverinfo="skip")
    allowed = done["mean"] <= marks.threshold
    points = [
        _points(done[chosen], x, [head for head, is_in in zip(heads, chosen, strict=True) if is_in], look)
        for chosen, look in ((allowed, ("mean over folds", _STEEL)), (~allowed, ("above the threshold", style.NEUTRAL)))
        if chosen.any()
    ]
    figure = go.Figure([_band(done, x), means, _threshold_line(done[x], marks), *points])
    return figure.add_traces(_mark_traces(done[x], done["mean"], marks))


def _band(done: pd.DataFrame, x: str) -> go.Scatter:
    """One standard deviation over folds to either side; log-loss is never negative."""
    upper, lower = done["mean"] + done["sd"], (done["mean"] - done["sd"]).clip(lower=0.0)
    return go.Scatter(
        x=pd.concat([done[x], done[x][::-1]]),
        y=pd.concat([upper, lower[::-1]]),
        mode="lines",
        line={"width": 0},
        fill="toself",
        fillcolor=style.tinted(_STEEL, 0.2),
        name="± 1 standard deviation",
        hoverinfo="skip",
    )


def _threshold_line(x: pd.Series, marks: _Marks) -> go.Scatter:
    """The threshold from the first to the last value; its number stands in the legend, where nothing covers it."""
    ends = [x.min(), x.max()]
    line = {"dash": "dash", "width": 2, "color": style.NEUTRAL}
    name = f"threshold {marks.threshold:.3f}"
    return go.Scatter(x=ends, y=[marks.threshold] * 2, mode="lines", line=line, name=name, hoverinfo="skip")


def _points(done: pd.DataFrame, x: str, heads: list[str], look: tuple[str, str]) -> go.Scatter:
    """The means of some rows, in one look: name and colour."""
    name, colour = look
    marker = {"size": _POINT, "color": colour, "line": {"color": style.OUTLINE, "width": 1}}
    return go.Scatter(x=done[x], y=done["mean"], mode="markers", name=name, marker=marker, **_hover(done, heads))


def _hover(done: pd.DataFrame, heads: list[str]) -> dict[str, Any]:
    """The label of each row and the lines of its hover box."""
    texts = [
        [f"{row.mean:.4f}", f"{row.sd:.4f}", f"{row.n_features:.1f}", f"{row.n_prototypes:.1f}"]
        for row in done[["mean", "sd", "n_features", "n_prototypes"]].itertuples(index=False)
    ]
    names = ["log-loss", "standard deviation", "features (mean)", "prototypes (mean)"]
    return {
        "customdata": [[int(label), head, *text] for label, head, text in zip(done.index, heads, texts, strict=True)],
        "hovertemplate": style.hover_template("%{customdata[1]}", names, first=2),
    }


def _mark_traces(x: pd.Series, y: pd.Series, marks: _Marks) -> list[go.Scatter]:
    """A star on the lowest mean and a ringed diamond on the chosen row, both seen on light and dark."""
    star = {"symbol": style.REFERENCE_SYMBOL, "size": style.REFERENCE_SIZE, "color": style.RING_LIGHT}
    star["line"] = {"color": style.RING_DARK, "width": 1.5}
    traces = [_mark(x, y, marks.optimal, star, name="lowest mean", legend=True)]
    for colour, width in ((style.RING_LIGHT, 5.0), (style.RING_DARK, 2.5)):
        ring = {"symbol": style.SELECTED_SYMBOL, "size": style.SELECTED_SIZE + 4, "color": colour}
        ring["line"] = {"color": colour, "width": width}
        traces.append(_mark(x, y, marks.chosen, ring, name="chosen", legend=False))
    grey = {"symbol": style.SELECTED_SYMBOL, "size": style.RING_SIZE, "color": style.NEUTRAL, "line": {"width": 2}}
    entry = go.Scatter(x=[None], y=[None], mode="markers", name="chosen", marker=grey, hoverinfo="skip")
    return [*traces, entry]


def _mark(x: pd.Series, y: pd.Series, label: int, marker: dict[str, Any], *, name: str, legend: bool) -> go.Scatter:
    """One mark on one row; a person may have chosen a row that is not finished and so has no place."""
    place = [label] if label in x.index else []
    return go.Scatter(
        x=x.loc[place],
        y=y.loc[place],
        mode="markers",
        name=name,
        legendgroup=name,
        showlegend=legend,
        marker=marker,
        customdata=[[int(label)] for label in place],
        hoverinfo="skip",
    )


def _surface(done: pd.DataFrame, marks: _Marks) -> go.Figure:
    """Log-loss as colour over both penalties: what was measured as points, what lies between them interpolated."""
    figure = go.Figure()
    low, high = float(done["mean"].min()), float(done["mean"].max())
    drawn = len(done) >= _FEWEST_FOR_SURFACE
    if drawn:
        figure.add_traces(_interpolated(done, marks, low=low, high=high))
    heads = [
        f"{PENALTIES['lambda_v']} = {row.lambda_v:.2g}, {PENALTIES['lambda_w']} = {row.lambda_w:.2g}"
        for row in done[["lambda_v", "lambda_w"]].itertuples(index=False)
    ]
    shares = (done["mean"] - low) / max(high - low, np.finfo(np.float64).tiny)
    place: dict[str, Any] = {"x": done["lambda_v"], "y": done["lambda_w"], "mode": "markers"}
    halo = {"size": _POINT + 5, "color": style.RING_DARK}
    # Colours as text, not as numbers on a scale: pages take them for other parts of a point, too.
    colours = sample_colorscale(_SCALE, shares.tolist())
    marker = {"size": _POINT, "color": colours, "line": {"color": style.RING_LIGHT, "width": 2}}
    figure.add_trace(go.Scatter(**place, marker=halo, showlegend=False, hoverinfo="skip"))
    figure.add_trace(go.Scatter(**place, marker=marker, showlegend=False, **_hover(done, heads)))
    figure.add_traces(_mark_traces(done["lambda_v"], done["lambda_w"], marks))
    figure.add_trace(_colour_bar(low, high))
    titles = {name: f"{PENALTIES[name]}, {_MEANING[name]}" for name in PENALTIES}
    style.finish(figure, x_title=titles["lambda_v"], y_title=titles["lambda_w"], height=520)
    figure.update_layout(meta="Colours between the points are interpolated, not measured." if drawn else None)
    return _log_axis(_log_axis(figure, "xaxis", done["lambda_v"]), "yaxis", done["lambda_w"])


def _interpolated(done: pd.DataFrame, marks: _Marks, *, low: float, high: float) -> list[go.Contour | go.Scatter]:
    """A surface through the points, and the line on which it meets the threshold."""
    places = np.log10(done[["lambda_v", "lambda_w"]].to_numpy())
    grid = [_span(column, steps=_SURFACE_STEPS) for column in places.T]
    across, up = np.meshgrid(*grid)
    # Cones instead of thin plates: between its points such a surface neither overshoots nor needs a scale.
    surface = RBFInterpolator(places, done["mean"].to_numpy(), kernel="linear", smoothing=1e-6)
    z = surface(np.column_stack([across.ravel(), up.ravel()])).reshape(across.shape).clip(low, high)
    common: dict[str, Any] = {"x": 10.0 ** grid[0], "y": 10.0 ** grid[1], "z": z, "hoverinfo": "skip"}
    filled = go.Contour(
        **common,
        colorscale=_SCALE,
        zmin=low,
        zmax=high,
        contours={"start": low, "end": high, "size": max(high - low, 1e-9) / _SURFACE_LEVELS},
        line={"width": 0},
        opacity=0.9,
        showscale=False,
    )
    # Dashes of black on a white line: one of the two is seen on every colour of the surface.
    border = [
        go.Contour(
            **common,
            contours={"start": marks.threshold, "end": marks.threshold, "size": 1.0, "coloring": "none"},
            line=line,
            showlegend=False,
            showscale=False,
        )
        for line in ({"color": style.RING_LIGHT, "width": 3}, {"color": style.RING_DARK, "width": 2, "dash": "dash"})
    ]
    return [filled, *border, _threshold_line(pd.Series([None]), marks)]


def _colour_bar(low: float, high: float) -> go.Scatter:
    """Nothing but the scale beside the plot."""
    bar = {"title": {"text": "log-loss", "side": "right"}, "thickness": 12, "outlinewidth": 0}
    marker = {"color": [low, high], "colorscale": _SCALE, "cmin": low, "cmax": high, "showscale": True, "colorbar": bar}
    return go.Scatter(x=[None], y=[None], mode="markers", marker=marker, showlegend=False, hoverinfo="skip")


def _span(exponents: np.ndarray, *, steps: int) -> np.ndarray:
    """Evenly spaced exponents from just below the lowest to just above the highest."""
    return np.linspace(exponents.min() - _MARGIN_DECADES, exponents.max() + _MARGIN_DECADES, steps)


def _log_axis(figure: go.Figure, axis: str, values: pd.Series) -> go.Figure:
    """Powers of ten, with some room beyond the outermost value."""
    ends = _span(np.log10(values.to_numpy()), steps=2)
    return figure.update_layout({axis: {"type": "log", "dtick": 1, "exponentformat": "power", "range": ends.tolist()}})


def _without_far_start(figure: go.Figure, done: pd.DataFrame, marks: _Marks) -> go.Figure:
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
    """An empty figure that says why."""
    figure = style.finish(go.Figure(), height=420, legend=False)
    figure.add_annotation(text=text, x=0.5, y=0.5, xref="paper", yref="paper", showarrow=False)
    return figure.update_xaxes(visible=False).update_yaxes(visible=False)
