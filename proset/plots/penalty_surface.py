"""Log-loss over both penalties as a surface (figure 2.1 of the report)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.colors import sample_colorscale
from scipy.interpolate import RBFInterpolator

from proset.plots import style
from proset.plots.selection_marks import (
    MEANING,
    PENALTIES,
    POINT,
    Marks,
    hover,
    log_axis,
    mark_traces,
    span,
    threshold_line,
)

# Dark is good. It stays as it is on a dark page, where marks have a ring that is seen on every part of it.
_SCALE = [[0.0, "#2B333C"], [1.0, "#D5DAE0"]]
_FEWEST_FOR_SURFACE, _SURFACE_STEPS, _SURFACE_LEVELS = 4, 60, 24


def penalty_surface(done: pd.DataFrame, marks: Marks) -> go.Figure:
    """Draw log-loss as colour over both penalties: what was measured as points, what lies between interpolated."""
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
    halo = {"size": POINT + 5, "color": style.INK}
    # Colours as text, not as numbers on a scale: pages take them for other parts of a point, too.
    colours = sample_colorscale(_SCALE, shares.tolist())
    marker = {"size": POINT, "color": colours, "line": {"color": style.GROUND, "width": 2}}
    figure.add_trace(go.Scatter(**place, marker=halo, showlegend=False, hoverinfo="skip"))
    figure.add_trace(go.Scatter(**place, marker=marker, showlegend=False, **hover(done, heads)))
    figure.add_traces(mark_traces(done["lambda_v"], done["lambda_w"], marks))
    figure.add_trace(_colour_bar(low, high))
    titles = {name: f"{PENALTIES[name]}, {MEANING[name]}" for name in PENALTIES}
    style.finish(figure, x_title=titles["lambda_v"], y_title=titles["lambda_w"], height=520)
    figure.update_layout(meta="Colours between the points are interpolated, not measured." if drawn else None)
    return log_axis(log_axis(figure, "xaxis", done["lambda_v"]), "yaxis", done["lambda_w"])


def _interpolated(done: pd.DataFrame, marks: Marks, *, low: float, high: float) -> list[go.Contour | go.Scatter]:
    """Draw a surface through the points, and the line on which it meets the threshold."""
    places = np.log10(done[["lambda_v", "lambda_w"]].to_numpy())
    grid = [span(column, steps=_SURFACE_STEPS) for column in places.T]
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
        for line in ({"color": style.GROUND, "width": 3}, {"color": style.INK, "width": 2, "dash": "dash"})
    ]
    return [filled, *border, threshold_line(pd.Series([None]), marks)]


def _colour_bar(low: float, high: float) -> go.Scatter:
    """Draw nothing but the scale beside the plot."""
    bar = {"title": {"text": "log-loss", "side": "right"}, "thickness": 12, "outlinewidth": 0}
    marker = {"color": [low, high], "colorscale": _SCALE, "cmin": low, "cmax": high, "showscale": True, "colorbar": bar}
    return go.Scatter(x=[None], y=[None], mode="markers", marker=marker, showlegend=False, hoverinfo="skip")
