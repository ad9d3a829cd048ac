"""Figure of the batch-1 map."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from proset.common.words import percent
from proset.explain.map import BatchMap
from proset.plots import style
from proset.plots.texts import hover_template, plain, value_texts
from proset.plots.thinning import Part, choose_points, is_wrong

MANY_RINGS = 150
NO_LABEL = style.Look("no label", style.NEUTRAL, "circle-open")
_LEGEND_LINE = 20  # pixels


def plot_batch_map(
    mapping: BatchMap,
    *,
    part: Part = "held_out",
    selected: int | None = None,
    impacts: pd.Series | None = None,
    limit: int = 5_000,
    seed: int = 0,
) -> go.Figure:
    """Draw prototypes large and rows small, by class; misclassified rows ringed, the selected case in a diamond.

    Parameters
    ----------
    mapping : BatchMap
        Result of :func:`proset.explain.map.batch_map`.
    part : {"held_out", "train", "all"}, default "held_out"
        Which rows to draw beside the prototypes.
    selected : int, optional
        Row id of the selected case; it is marked even if it belongs to another part.
    impacts : Series, optional
        Impact of the first batch's prototypes on one case, index table row id. Sizes the prototypes as in figure 4.6;
        without it they are sized by weight.
    limit, seed : int
        See :func:`choose_points`.

    Returns
    -------
    plotly Figure
        ``customdata[0]`` of every point is the row id. ``layout.meta`` holds the note on what is not drawn, or None.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.explain.map import batch_map
    >>> from proset.study import fit_study
    >>> study = fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))
    >>> figure = plot_batch_map(batch_map(study))
    >>> figure.data[0].customdata[0][0] in study.table.frame.index
    True
    """
    figure = go.Figure()
    shares = [percent(share) for share in mapping.axis_shares]
    style.finish(
        figure,
        x_title=f"Axis 1 ({shares[0]} of the prototypes' spread)",
        y_title=f"Axis 2 ({shares[1]} of the prototypes' spread)",
        height=560,
    )
    if mapping.points.empty:
        figure.add_annotation(text=mapping.message or "", x=0.5, y=0.5, xref="paper", yref="paper", showarrow=False)
        return figure.update_xaxes(visible=False).update_yaxes(visible=False)
    drawn = choose_points(mapping.points, part=part, always=selected, limit=limit, seed=seed)
    figure.add_traces(_prototype_traces(mapping, impacts))
    figure.add_traces(_sample_traces(mapping, drawn.rows))
    figure.add_traces(_wrong_traces(drawn.rows))
    figure.add_traces(_selected_traces(mapping, selected))
    groups = [trace.legendgroup for trace in figure.data]
    figure.add_traces(_legend_traces(groups, by_impact=impacts is not None))
    # Plotly makes room for three entries of the legend per line; what stands above the plot must not hang into it.
    lines = math.ceil(sum(trace.showlegend is not False for trace in figure.data) / 3)
    height = figure.layout.height + max(0, lines - 2) * _LEGEND_LINE
    figure.update_layout(meta=drawn.note, height=height, margin_t=40 + max(0, lines - 2) * _LEGEND_LINE)
    return figure


def _prototype_traces(mapping: BatchMap, impacts: pd.Series | None) -> list[go.Scatter]:
    """Draw one trace of large marks per class, below everything else."""
    frame = mapping.prototypes.assign(strength=mapping.prototypes["weight"])
    names = ["prototype weight"]
    if impacts is not None:
        frame["strength"] = frame["row"].map(impacts).fillna(0.0).astype(np.float64)
        names.append("impact on the selected case")
    frame["size"] = mark_sizes(frame["strength"].to_numpy())
    traces = []
    for look in style.class_looks(mapping.classes):
        mine = frame[frame["class"] == look.name]
        numbers = [value_texts(mine[column]) for column in ("weight", "strength")[: len(names)]]
        details, columns = _details(mapping, mine["row"])
        traces.append(
            _marks(
                mine,
                look,
                marker={
                    "size": mine["size"],
                    "color": style.tinted(look.colour, style.PROTOTYPE_TINT),
                    "line": {"color": look.colour, "width": 1.5},
                },
                showlegend=False,
                customdata=_per_point(mine["row"], *numbers, *details),
                hovertemplate=hover_template(
                    f"Prototype, row %{{customdata[0]}}: {plain(look.name, limit=30)}", [*names, *columns]
                ),
            )
        )
    return traces


def _sample_traces(mapping: BatchMap, rows: pd.DataFrame) -> list[go.Scatter]:
    """Draw one trace of small marks per class, and one for rows without a label."""
    traces = []
    for look in (*style.class_looks(mapping.classes), NO_LABEL):
        mine = rows[rows["actual"].isna() if look is NO_LABEL else rows["actual"] == look.name]
        if look is NO_LABEL and mine.empty:
            continue
        facts = [
            [plain(name, limit=30) for name in mine["predicted"]],
            [percent(share) for share in mine["confidence"]],
            [percent(share) for share in mine["quantile"]],
        ]
        details, columns = _details(mapping, mine.index)
        names = ["the model says", "with probability", "familiarity quantile", *columns]
        traces.append(
            _marks(
                mine,
                look,
                marker={
                    "size": style.SAMPLE_SIZE,
                    "color": look.colour,
                    "opacity": style.SAMPLE_OPACITY,
                    "line": {"color": style.OUTLINE, "width": 0.5},
                },
                showlegend=True,
                customdata=_per_point(mine.index, *facts, *details),
                hovertemplate=hover_template(f"Row %{{customdata[0]}}: {plain(look.name, limit=30)}", names),
            )
        )
    return traces


def _marks(points: pd.DataFrame, look: style.Look, *, marker: dict[str, Any], **options: Any) -> go.Scatter:
    """Draw marks of one class that keep their brightness when another point is clicked."""
    return go.Scatter(
        x=points["x"],
        y=points["y"],
        mode="markers",
        name=plain(look.name, limit=30),
        legendgroup=f"class {look.name}",
        marker={"symbol": look.symbol, **marker},
        unselected={"marker": {"opacity": marker.get("opacity", 1.0)}},
        **options,
    )


def _wrong_traces(rows: pd.DataFrame) -> list[go.Scatter]:
    """Draw rings around misclassified rows. They let the mouse through, so hover and click reach the row itself."""
    wrong = rows[is_wrong(rows)]
    if wrong.empty:
        return []
    # Hundreds of wide rings would hide each other and the rows inside.
    size = style.RING_SIZE if len(wrong) <= MANY_RINGS else style.RING_SIZE_MANY
    return _rings(wrong, symbol="circle-open", size=size, name="misclassified")


def _selected_traces(mapping: BatchMap, selected: int | None) -> list[go.Scatter]:
    """Draw a ringed diamond for the selected case, with its own mark inside in case its part is not drawn."""
    if selected is None or selected not in mapping.points.index:
        return []
    case = mapping.points.loc[[selected]]
    centre = _sample_traces(mapping, case)
    shown = [trace for trace in centre if len(trace.x)]
    for trace in shown:
        trace.update(showlegend=False)
    rings = _rings(case, symbol=style.SELECTED_SYMBOL, size=style.SELECTED_SIZE, name="selected case")
    return [*shown, *rings]


def _rings(points: pd.DataFrame, *, symbol: str, size: float, name: str) -> list[go.Scatter]:
    """Draw a white ring and a thinner black one on top: seen on light and on dark pages."""
    return [
        go.Scatter(
            x=points["x"],
            y=points["y"],
            mode="markers",
            name=name,
            legendgroup=name,
            showlegend=False,
            marker={"symbol": symbol, "size": size, "color": colour, "line": {"width": width, "color": colour}},
            customdata=_per_point(points.index),
            hoverinfo="skip",
            unselected={"marker": {"opacity": 1.0}},
        )
        for colour, width in ((style.RING_LIGHT, min(4.0, size / 3)), (style.RING_DARK, min(2.0, size / 6)))
    ]


def _legend_traces(groups: Sequence[str | None], *, by_impact: bool) -> list[go.Scatter]:
    """Make legend entries for what is no class, in a grey that is seen on any page."""
    looks = {
        "prototype (size: impact on the selected case)" if by_impact else "prototype (size: weight)": "circle",
        "misclassified": "circle-open",
        "selected case": style.SELECTED_SYMBOL,
    }
    return [
        go.Scatter(
            x=[None],
            y=[None],
            mode="markers",
            name=name,
            legendgroup=name,
            marker={
                "symbol": symbol,
                "size": style.RING_SIZE,
                "color": style.tinted(style.NEUTRAL, style.PROTOTYPE_TINT) if symbol == "circle" else style.NEUTRAL,
                "line": {"color": style.NEUTRAL, "width": 2},
            },
            hoverinfo="skip",
        )
        for name, symbol in looks.items()
        if symbol == "circle" or name in groups
    ]


def mark_sizes(strength: np.ndarray) -> np.ndarray:
    """Return diameters whose areas are in proportion to the strength, above a smallest mark that can be seen.

    Parameters
    ----------
    strength : array of shape (n,)
        Weights or impacts, not negative.

    Returns
    -------
    float64 array of shape (n,)
        Diameters in pixels within ``style.PROTOTYPE_SIZE``.

    Examples
    --------
    >>> mark_sizes(np.array([0.0, 1.0, 4.0])).tolist()
    [8.0, 14.0, 28.0]
    """
    low, high = style.PROTOTYPE_SIZE
    largest = strength.max(initial=0.0)
    if largest <= 0:
        return np.full(len(strength), low)
    return np.maximum(low, high * np.sqrt(strength / largest))


def _details(mapping: BatchMap, rows: Sequence[int] | pd.Series | pd.Index) -> tuple[list[list[str]], list[str]]:
    """Return texts of the details of some rows, one list per column, and the names of the columns."""
    frame = mapping.details.loc[list(rows)]
    return [value_texts(frame[column]) for column in frame.columns], list(frame.columns)


def _per_point(*columns: Sequence[Any] | pd.Series | pd.Index) -> list[list[Any]]:
    """Return one list per point from one sequence per entry; the row id, a plain int, comes first."""
    rows, *others = columns
    return [[int(row), *rest] for row, *rest in zip(rows, *others, strict=True)]
