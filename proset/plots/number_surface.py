"""Figure of what a model of a number says over two columns: median and width side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from proset.common.words import number
from proset.explain.numbers.surface import NumberSurface
from proset.explain.phrases import similarity_words
from proset.plots import style
from proset.plots.map_marks import mark_sizes
from proset.plots.surface_marks import FARTHEST, axis_ends
from proset.plots.texts import hover_template, plain, set_ticks
from proset.plots.traces import per_point

_MOST_ROWS = 300
_GAP = 0.08  # between both pictures
# Scales lie below: at the side that of the first would stand in the axis of the second.
_BELOW = {"orientation": "h", "len": 0.42, "y": -0.2, "yanchor": "top"}
_VEIL = ((0.0, style.NEUTRAL), (1.0, style.NEUTRAL))


def plot_number_surface(
    found: NumberSurface, *, selected: int | None = None, rows: bool = True, prototypes: bool = True
) -> go.Figure:
    """Draw the median and the width of the interval side by side, grey where the model has seen nothing like it.

    Parameters
    ----------
    selected : int or None
        Row id of a case that is drawn whether near to the plane or not.
    rows, prototypes : bool, default True
        Whether to draw those near the plane.

    Returns
    -------
    plotly Figure
        ``customdata[0]`` of a mark is the row id; the star is the row through which the plane goes.

    Examples
    --------
    >>> from proset import explain
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> figure = plot_number_surface(explain.number_surface(study, x="power (hp)", y="weight (pounds)", n_points=8))
    >>> figure.data[0].z.shape, [a.text for a in figure.layout.annotations][:2]
    ((8, 8), ['median: fuel economy (miles per gallon)', 'width of 90 %'])
    """
    titles = [f"median: {plain(found.target, limit=40)}", "width of 90 %"]
    figure = make_subplots(rows=1, cols=2, subplot_titles=titles, horizontal_spacing=_GAP, shared_yaxes=False)
    for column, values in enumerate((found.median, found.width), start=1):
        bar = style.colour_bar("", shares=False) | _BELOW | {"x": 0.25 - _GAP / 4 if column == 1 else 0.75 + _GAP / 4}
        for trace in (_face(found, values, bar), _veil(found)):
            figure.add_trace(trace, row=1, col=column)
        if prototypes:
            figure.add_trace(_prototypes(found, named=column == 1), row=1, col=column)
        if rows:
            figure.add_trace(_rows(found, selected, named=column == 1), row=1, col=column)
        figure.add_trace(_star(found, named=column == 1), row=1, col=column)
    figure.add_trace(_entry())
    names = [plain(axis.name, limit=50) for axis in (found.x_axis, found.y_axis)]
    style.finish(figure, x_title=names[0], y_title=names[1], height=560)
    ends = np.array([[found.x[0], found.y[0]], [found.x[-1], found.y[-1]]])
    set_ticks(figure, (found.x_axis, found.y_axis), ends)
    figure.update_xaxes(showgrid=False, range=list(axis_ends(found.x)))
    figure.update_yaxes(showgrid=False, range=list(axis_ends(found.y)))
    figure.update_annotations(font={"size": 14})
    figure.update_yaxes(title=None, showticklabels=False, col=2)
    figure.update_layout(legend_y=1.1, margin={"t": 96, "b": 120})
    return figure


def _face(found: NumberSurface, values: np.ndarray, bar: dict[str, Any]) -> go.Heatmap:
    """Return one face; its scale holds what the model knows."""
    known = values[found.known] if found.known.any() else values
    low, high = float(known.min()), float(known.max())
    return go.Heatmap(
        x=found.x,
        y=found.y,
        z=np.where(found.known, values, np.nan).astype(np.float32),
        zmin=low,
        zmax=high if high > low else low + 1.0,
        colorscale=[list(step) for step in style.RAMP],
        colorbar=bar,
        text=_spots(found),
        hovertemplate="%{text}<extra></extra>",
    )


def _spots(found: NumberSurface) -> list[list[str]]:
    """Return what is said of each spot."""
    x_texts = [plain(found.x_axis.text(value), limit=24) for value in found.x]
    y_texts = [plain(found.y_axis.text(value), limit=24) for value in found.y]
    names = [plain(axis.name, limit=30) for axis in (found.x_axis, found.y_axis)]
    return [
        [
            f"{names[0]}: {a}<br>{names[1]}: {b}<br>median: {number(m)}<br>width of 90 %: {number(w)}"
            for a, m, w in zip(x_texts, medians, widths, strict=True)
        ]
        for b, medians, widths in zip(y_texts, found.median, found.width, strict=True)
    ]


def _veil(found: NumberSurface) -> go.Heatmap:
    """Return the grey that lies over what the model does not know."""
    return go.Heatmap(
        x=found.x,
        y=found.y,
        z=np.where(found.known, np.nan, 1.0).astype(np.float32),
        zmin=0.0,
        zmax=1.0,
        colorscale=[list(step) for step in _VEIL],
        opacity=0.55,
        showscale=False,
        text=_spots(found),
        hovertemplate="%{text}<br>hardly seen<extra></extra>",
    )


def _rows(found: NumberSurface, selected: int | None, *, named: bool) -> dict[str, Any]:
    """Draw rows near the plane, the larger the nearer."""
    near = found.rows[(found.rows["similarity"] >= FARTHEST) | (found.rows.index == selected)]
    near = near.nlargest(_MOST_ROWS, "similarity") if len(near) > _MOST_ROWS else near
    texts = [[number(value) for value in near[name]] for name in ("actual", "median")]
    alike = near["similarity"].to_numpy(dtype=np.float64)
    return {
        "type": "scatter",
        "x": near["x"],
        "y": near["y"],
        "mode": "markers",
        "name": "row near this plane",
        "legendgroup": "row",
        "showlegend": named,
        "marker": {"size": 4.0 + 5.0 * alike, "color": style.GROUND, "line": {"color": style.INK, "width": 1.2}},
        "unselected": {"marker": {"opacity": 1.0}},
        "customdata": per_point(near.index, *texts, [similarity_words(value) for value in alike]),
        "hovertemplate": hover_template(
            "Row %{customdata[0]}", [f"actual {found.target}", "median of its own answer", "similarity to the plane"]
        ),
    }


def _prototypes(found: NumberSurface, *, named: bool) -> dict[str, Any]:
    """Draw prototypes near the plane by what is left of their weight there."""
    near = found.prototypes[found.prototypes["similarity"] >= FARTHEST]
    says = [f"{number(t)} ± {number(float(f'{s:.2g}'))}" for t, s in zip(near["target"], near["spread"], strict=True)]
    return {
        "type": "scatter",
        "x": near["x"],
        "y": near["y"],
        "mode": "markers",
        "name": "prototype near this plane",
        "legendgroup": "prototype",
        "showlegend": named,
        "marker": {
            "symbol": "square-open",
            "size": mark_sizes((near["weight"] * near["similarity"]).to_numpy(dtype=np.float64)),
            "color": style.INK,
            "line": {"color": style.INK, "width": 2},
        },
        "unselected": {"marker": {"opacity": 1.0}},
        "customdata": per_point(near["row"], says),
        "hovertemplate": hover_template("Prototype, row %{customdata[0]}", ["says"]),
    }


def _star(found: NumberSurface, *, named: bool) -> dict[str, Any]:
    """Mark the row through which the plane goes."""
    look = {"symbol": style.REFERENCE_SYMBOL, "size": style.REFERENCE_SIZE, "color": style.INK}
    name = plain(found.name, limit=30)
    return {
        "type": "scatter",
        "x": [found.at[0]],
        "y": [found.at[1]],
        "mode": "markers",
        "name": name,
        "legendgroup": "here",
        "showlegend": named,
        "marker": {**look, "line": {"color": style.GROUND, "width": 1}},
        "hoverinfo": "skip",
    }


def _entry() -> dict[str, Any]:
    """Explain the grey in the legend."""
    look = {"symbol": "square", "size": 13, "color": style.tinted(style.NEUTRAL, 0.55)}
    return {
        "type": "scatter", "x": [None], "y": [None], "mode": "markers", "name": "hardly seen", "marker": look,
        "hoverinfo": "skip",
    }  # fmt: skip
