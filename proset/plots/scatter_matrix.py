"""Figure 4.1: every pair of a few features with prototypes and cases, and the distribution of each on the diagonal."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from proset.common.words import percent
from proset.explain.maps.scatter import FeatureScatter
from proset.plots import style
from proset.plots.map_marks import jitter, mark_sizes
from proset.plots.texts import hover_template, plain
from proset.plots.thinning import choose_points, is_wrong
from proset.plots.traces import Trace, legend_entry

LIMIT = 600
_CELL = 190  # pixels
_LARGEST = 14.0  # pixels, of a prototype
_MOST_BARS = 60  # on one diagonal; more are drawn as lines
_LABEL = 20


def plot_scatter_matrix(scatter: FeatureScatter, *, selected: int | None = None, limit: int = LIMIT) -> go.Figure:
    """Draw every pair of features once, prototypes large and cases small, and each feature's distribution.

    On the diagonal, prototypes are a solid curve and cases a dashed one; bars stand for discrete features, whose marks
    are spread a little in the other pictures.

    Parameters
    ----------
    selected : int, optional
        Row id of a case to mark with a diamond.
    limit : int, default 600
        Largest number of cases drawn in each picture.

    Returns
    -------
    plotly Figure
        ``customdata[0]`` of every mark is the row id. ``layout.meta`` holds the note on what is not drawn, or None.

    Examples
    --------
    >>> from proset.explain.maps.scatter import feature_scatter
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> figure = plot_scatter_matrix(feature_scatter(study))
    >>> figure.layout.meta is None, figure.layout.height
    (True, 500)
    """
    n = len(scatter.axes)
    cells: list[list[dict[str, Any] | None]] = [[{} if col <= row else None for col in range(n)] for row in range(n)]
    figure = make_subplots(
        n, n, specs=cells, horizontal_spacing=0.16 / max(n, 2) / 2, vertical_spacing=0.16 / max(n, 2) / 2
    )
    drawn = choose_points(scatter.samples, always=selected, limit=limit)
    spread = {
        name: (
            _spread(drawn.rows[name], k, scatter.discrete[k], scatter),
            _spread(scatter.prototypes[name], 100 + k, scatter.discrete[k], scatter),
        )
        for k, name in enumerate(scatter.columns)
    }
    for row in range(n):
        for col in range(row + 1):
            traces = _diagonal(scatter, row) if row == col else _pair(scatter, drawn.rows, spread, col, row, selected)
            figure.add_traces(traces, rows=row + 1, cols=col + 1)
    figure.add_traces(_legend(scatter, drawn.rows, selected))
    style.finish(figure, height=max(500, n * _CELL + 80))
    _label(figure, scatter)
    _same_ranges(figure, n)
    return figure.update_layout(meta=drawn.note, barmode="group", bargap=0.15)


def _spread(values: pd.Series, seed: int, discrete: bool, scatter: FeatureScatter) -> NDArray[np.float64]:
    """Return positions of marks, those of a discrete feature moved a little so that they can be seen."""
    positions = values.to_numpy(dtype=np.float64)
    if not discrete:
        return positions
    places = scatter.densities.loc[scatter.densities["feature"] == scatter.axes[seed % 100].name, "value"]
    return positions + jitter(positions, places.to_numpy(dtype=np.float64), seed=seed)


def _pair(
    scatter: FeatureScatter,
    rows: pd.DataFrame,
    spread: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]],
    col: int,
    row: int,
    selected: int | None,
) -> list[go.Scatter]:
    """Draw one pair: cases of all classes in one trace, then rings, then prototypes, then the selected case."""
    (x, px), (y, py) = spread[scatter.columns[col]], spread[scatter.columns[row]]
    colours, symbols = style.class_colours(scatter.classes), style.class_symbols(scatter.classes)
    actual = rows["actual"].astype(object).where(rows["actual"].notna(), None)
    cases = go.Scatter(
        x=x,
        y=y,
        mode="markers",
        marker={
            "size": 4.5,
            "opacity": 0.7,
            "color": [colours.get(name, style.NEUTRAL) for name in actual],
            "symbol": [symbols.get(name, "circle-open") for name in actual],
        },
        customdata=[
            [int(i), plain(a if a is not None else "no label", limit=30)]
            for i, a in zip(rows.index, actual, strict=True)
        ],
        hovertemplate=hover_template("Row %{customdata[0]}: %{customdata[1]}", []),
        unselected={"marker": {"opacity": 0.7}},
        showlegend=False,
    )
    wrong = is_wrong(rows)
    traces = [cases]
    if wrong.any():
        traces.append(_mark(x[wrong], y[wrong], "circle-open", 10, style.WRONG))
    traces.append(_prototypes(scatter, px, py))
    if selected in rows.index:
        own = np.asarray(rows.index == selected)
        traces.append(_mark(x[own], y[own], style.SELECTED_SYMBOL, 16, style.INK))
    return traces


def _prototypes(scatter: FeatureScatter, x: NDArray[np.float64], y: NDArray[np.float64]) -> go.Scatter:
    """Draw the prototypes of all batches, sized by weight."""
    frame = scatter.prototypes
    colours, symbols = style.class_colours(scatter.classes), style.class_symbols(scatter.classes)
    sizes = mark_sizes(frame["weight"].to_numpy(dtype=np.float64)) * _LARGEST / style.PROTOTYPE_SIZE[1]
    return go.Scatter(
        x=x,
        y=y,
        mode="markers",
        marker={
            "size": np.maximum(sizes, 6.0),
            "color": [style.tinted(colours[name], style.PROTOTYPE_TINT) for name in frame["class"]],
            "symbol": [symbols[name] for name in frame["class"]],
            "line": {"color": [colours[name] for name in frame["class"]], "width": 1.2},
        },
        customdata=[[int(r), plain(name, limit=30)] for r, name in zip(frame["row"], frame["class"], strict=True)],
        hovertemplate=hover_template("Prototype, row %{customdata[0]}: %{customdata[1]}", []),
        unselected={"marker": {"opacity": 1.0}},
        showlegend=False,
    )


def _mark(x: NDArray[np.float64], y: NDArray[np.float64], symbol: str, size: float, colour: str) -> go.Scatter:
    """Draw rings or the diamond; they let the mouse through."""
    return go.Scatter(
        x=x,
        y=y,
        mode="markers",
        marker={"symbol": symbol, "size": size, "color": colour, "line": {"width": 1.6, "color": colour}},
        hoverinfo="skip",
        showlegend=False,
        unselected={"marker": {"opacity": 1.0}},
    )


def _diagonal(scatter: FeatureScatter, k: int) -> list[go.Scatter | go.Bar]:
    """Draw the distribution of one feature: prototypes solid, cases dashed."""
    mine = scatter.densities[scatter.densities["feature"] == scatter.axes[k].name]
    traces: list[go.Scatter | go.Bar] = []
    for look in style.class_looks(scatter.classes):
        for kind, dash, alpha in (("prototypes", "solid", 0.9), ("samples", "dash", 0.35)):
            curve = mine[(mine["kind"] == kind) & (mine["class"] == look.name)]
            if curve.empty:
                continue
            what = f"{'prototypes' if kind == 'prototypes' else 'cases'} of {plain(look.name, limit=30)}"
            if scatter.discrete[k] and len(mine) <= _MOST_BARS:
                marker = {"color": style.tinted(look.colour, alpha), "line": {"color": look.colour, "width": 1}}
                template = f"{what}: %{{customdata}}<extra></extra>"
                shares = [percent(share) for share in curve["density"]]
                traces.append(
                    go.Bar(
                        x=curve["value"],
                        y=curve["density"],
                        marker=marker,
                        customdata=shares,
                        hovertemplate=template,
                        showlegend=False,
                    )
                )
            else:
                line = {"color": look.colour, "dash": dash, "width": 2 if kind == "prototypes" else 1.5}
                traces.append(
                    go.Scatter(
                        x=curve["value"], y=curve["density"], mode="lines", line=line, name=what, showlegend=False,
                        hovertemplate=f"{what}<br>%{{x:.4g}}<extra></extra>",
                    )
                )  # fmt: skip
    return traces


def _legend(scatter: FeatureScatter, rows: pd.DataFrame, selected: int | None) -> list[Trace]:
    """Return what the marks mean."""
    looks = [
        (look.name, {"symbol": look.symbol, "color": look.colour, "size": 7})
        for look in style.class_looks(scatter.classes)
    ]
    grey = {"color": style.tinted(style.NEUTRAL, style.PROTOTYPE_TINT), "line": {"color": style.NEUTRAL, "width": 1.5}}
    extras: list[tuple[str, dict[str, Any]]] = [
        ("prototype (large; solid curve)", {**grey, "symbol": "circle", "size": 12})
    ]
    if is_wrong(rows).any():
        extras.append(("misclassified", {"symbol": "circle-open", "color": style.WRONG, "size": 10}))
    if selected in rows.index:
        extras.append(("selected case", {"symbol": style.SELECTED_SYMBOL, "color": style.INK, "size": 12}))
    named = [(plain(name, limit=30), marker) for name, marker in looks] + extras
    return [legend_entry(name, marker=marker) for name, marker in named]


def _label(figure: go.Figure, scatter: FeatureScatter) -> None:
    """Name rows and columns once, and write words where a feature has them."""
    n = len(scatter.axes)
    for row in range(n):
        for col in range(row + 1):
            last, first = row == n - 1, col == 0
            x_axis, y_axis = scatter.axes[col], scatter.axes[row]
            name = plain(x_axis.name, limit=_LABEL) if last else None
            figure.update_xaxes(title=name, showticklabels=last, row=row + 1, col=col + 1, **_ticks(scatter, col))
            diagonal = row == col
            title = (
                plain(y_axis.name, limit=_LABEL) if first and not diagonal else "share" if diagonal and first else None
            )
            shown = {} if diagonal else _ticks(scatter, row)
            figure.update_yaxes(title=title, showticklabels=first and not diagonal, row=row + 1, col=col + 1, **shown)
        if scatter.axes[row].kind != "number":
            figure.update_xaxes(tickangle=-35, row=n, col=row + 1)
    figure.update_xaxes(nticks=4)


def _same_ranges(figure: go.Figure, n: int) -> None:
    """Give all pictures of a column one range, which moves in all of them, and those of a row below the diagonal.

    Plotly takes the widest of ranges that match, once for all of them.
    """
    for k in range(n):
        below = figure.get_subplot(n, k + 1).xaxis.plotly_name.replace("axis", "")
        figure.update_xaxes(matches=below, col=k + 1)
        if k:
            first = figure.get_subplot(k + 1, 1).yaxis.plotly_name.replace("axis", "")
            for col in range(1, k + 1):
                figure.update_yaxes(matches=first, row=k + 1, col=col)


def _ticks(scatter: FeatureScatter, k: int) -> dict[str, Any]:
    """Return the ticks of a feature that has words or dates."""
    values = scatter.densities.loc[scatter.densities["feature"] == scatter.axes[k].name, "value"]
    found = scatter.axes[k].ticks(float(values.min()), float(values.max())) if len(values) else None
    if found is None:
        return {}
    return {"tickmode": "array", "tickvals": found[0], "ticktext": [plain(text, limit=12) for text in found[1]]}
