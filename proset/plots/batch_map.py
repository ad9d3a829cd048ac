"""Figure of the map of a batch."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from proset.explain.maps.feature_axes import FeatureAxis
from proset.explain.maps.map import BatchMap
from proset.explain.maps.surfaces import Surface
from proset.explain.numbers.map import NumberMap
from proset.explain.shares import added_percents
from proset.plots import style
from proset.plots.backgrounds import density_trace, likeliest_trace
from proset.plots.map_extras import (
    impact_lines,
    reference_traces,
    selected_traces,
    spot_traces,
    wrong_traces,
)
from proset.plots.map_marks import (
    THIN,
    ByValue,
    Colouring,
    prototype_traces,
    sample_traces,
)
from proset.plots.room import spared_height
from proset.plots.texts import plain, set_ticks
from proset.plots.thinning import DrawnPoints, Part, choose_points, is_wrong
from proset.plots.traces import MARKS_LEGEND, Draft, Trace, legend_entry, place_legends

_PLACE = 480  # pixels of the narrowest place for the legends
_HEIGHT, _PLOT = 560, 472  # pixels; of the plot itself
_TWO_LEGENDS = 78  # pixels that a line of each takes
_THINNED = 2_000
"""Marks drawn over a density: more would hide it."""
_FLATTEST = 8.0
"""Axes of equal scale would make a strip of a map that is so many times longer than high."""
BEHIND = "The grey behind them is the density of all."
UNEQUAL = "The axes have different scales: with equal ones this map would be a strip."


def plot_batch_map(
    mapping: BatchMap,
    *,
    part: Part = "held_out",
    selected: int | None = None,
    impacts: pd.Series | None = None,
    limit: int = 5_000,
    random_state: int = 0,
    colour: Colouring = "class",
    bright: Collection[int] | None = None,
    reference: int | None = None,
    background: Surface | None = None,
    spot: tuple[float, float] | None = None,
) -> go.Figure:
    """Draw prototypes large and rows small, by class; misclassified rows ringed, the selected case in a diamond.

    Held-out rows are filled, training rows hollow. A unit is as long upwards as sideways, so that near means alike.

    Parameters
    ----------
    part : {"held_out", "train", "all"}, default "held_out"
        Which rows to draw beside the prototypes.
    selected : int, optional
        Row id of the selected case; it is marked even if it belongs to another part.
    impacts : Series, optional
        Impact of the batch's prototypes on one case, index table row id. Sizes the prototypes as in figure 4.6, with
        lines from the selected case to the strongest; without it they are sized by weight.
    limit : int, default 5000
        Beyond so many rows, the density of all is drawn with a sample of 2,000 before it; one in ten of them is
        misclassified if there are that many.
    random_state : int, default 0
        Draws the sample.
    colour : {"class", "correct"} or ByValue, default "class"
        What colours stand for.
    bright : collection of int, optional
        Row ids; all other rows are pale.
    reference : int, optional
        Row id of the reference point, drawn as a star.
    background : Surface, optional
        Over the same axes: the most probable class is shaded behind, the stronger the more probable.
    spot : (float, float), optional
        Coordinates of a selected case that is no row of the table.

    Returns
    -------
    plotly Figure
        ``customdata[0]`` of every point is the row id. ``layout.meta`` holds the note on what is not drawn, or None.

    Examples
    --------
    >>> from proset.explain.maps.map import batch_map
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> figure = plot_batch_map(batch_map(study))
    >>> figure.data[0].customdata[0][0] in study.table.frame.index
    True
    """
    return draft_batch_map(
        mapping,
        part=part,
        selected=selected,
        impacts=impacts,
        limit=limit,
        random_state=random_state,
        colour=colour,
        bright=bright,
        reference=reference,
        background=background,
        spot=spot,
    ).figure()


def draft_batch_map(
    mapping: BatchMap,
    *,
    part: Part = "held_out",
    selected: int | None = None,
    impacts: pd.Series | None = None,
    limit: int = 5_000,
    random_state: int = 0,
    colour: Colouring = "class",
    bright: Collection[int] | None = None,
    reference: int | None = None,
    background: Surface | None = None,
    spot: tuple[float, float] | None = None,
) -> Draft:
    """Return what :func:`plot_batch_map` draws, not yet checked by plotly.

    Examples
    --------
    >>> from proset.explain.maps.map import batch_map
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> len(draft_batch_map(batch_map(study)).traces) == len(plot_batch_map(batch_map(study)).data)
    True
    """
    draft = Draft()
    figure = draft.layout
    titles = _axis_titles(mapping)
    style.finish(figure, x_title=titles[0], y_title=titles[1], height=_HEIGHT)
    if mapping.prototypes.empty:
        figure.add_annotation(text=mapping.message or "", x=0.5, y=0.5, xref="paper", yref="paper", showarrow=False)
        figure.update_xaxes(visible=False).update_yaxes(visible=False)
        return draft
    rows = mapping.points if part == "all" else mapping.points[mapping.points["part"] == part]
    size = limit if len(rows) <= limit else min(limit, _THINNED)
    drawn = choose_points(rows, always=selected, limit=size, most_wrong=max(1, size // 10), random_state=random_state)
    if background is not None:
        draft.add([likeliest_trace(background)])
    if drawn.thinned:
        draft.add([density_trace(mapping.points, part)])
    draft.add(prototype_traces(mapping, impacts, colour=colour))
    draft.add(impact_lines(mapping, selected, impacts))
    draft.add(sample_traces(mapping, drawn.rows, colour=colour, bright=bright))
    draft.add(wrong_traces(drawn.rows[is_wrong(drawn.rows)]))
    draft.add(reference_traces(mapping, reference))
    draft.add(selected_traces(mapping, selected))
    draft.add(spot_traces(spot))
    draft.add(_legend_traces(draft.traces, mapping, drawn, colour, by_impact=impacts is not None))
    _colour_bar(figure, colour)
    equal = equal_scale(figure, mapping, drawn.rows)
    notes = [drawn.note, BEHIND if drawn.thinned else None, None if equal else UNEQUAL]
    figure.update_layout(meta=" ".join(filter(None, notes)) or None)
    room = max(_TWO_LEGENDS, place_legends(draft, _PLACE))
    figure.update_layout(height=figure.layout.height + room - 40, margin_t=room)
    return draft


def _axis_titles(mapping: BatchMap) -> tuple[str, str]:
    """Return what stands along the axes, with their shares of the spread if there is any."""
    shares, _ = added_percents(mapping.axis_shares)
    names = [plain(axis.name, limit=40) for axis in mapping.axes] if mapping.axes else ["Axis 1", "Axis 2"]
    if not any(mapping.axis_shares):  # one prototype has none
        return names[0], names[1]
    return (
        f"{names[0]} ({shares[0]} of the prototypes' spread)",
        f"{names[1]} ({shares[1]} of the prototypes' spread)",
    )


def equal_scale(figure: go.Figure, mapping: BatchMap | NumberMap, rows: pd.DataFrame) -> bool:
    """Give both axes one scale, in the model's sense of near, unless that would make a strip; tell whether."""
    set_ticks(figure, mapping.axes or (FeatureAxis("x"), FeatureAxis("y")), mapping.prototypes[["x", "y"]].to_numpy())
    if mapping.plane is None:
        return True
    x, y = (np.ptp(pd.concat([mapping.prototypes[name], rows[name]]).to_numpy(dtype=np.float64)) for name in "xy")
    y *= mapping.plane.ratio
    if not x or not y:
        return True  # a line has no second scale
    if not 1 / _FLATTEST <= x / y <= _FLATTEST:
        return False
    figure.update_yaxes(scaleanchor="x", scaleratio=mapping.plane.ratio)
    figure.update_layout(height=figure.layout.height - spared_height(x, y, _PLOT))
    return True


def _colour_bar(figure: go.Figure, colour: Colouring) -> None:
    """Explain colours that follow a number."""
    if isinstance(colour, ByValue):
        figure.update_layout(
            coloraxis={
                "colorscale": colour.scale,
                "cmin": 0.0,
                "cmax": 1.0,
                "colorbar": style.colour_bar(plain(colour.title, limit=40)),
            }
        )


def _legend_traces(
    traces: list[Trace], mapping: BatchMap, drawn: DrawnPoints, colour: Colouring, *, by_impact: bool
) -> list[Trace]:
    """Make legend entries for what is no class, in a grey that is seen on any page."""
    groups = {trace.get("legendgroup") for trace in traces if trace.get("hoverinfo") == "skip"}
    prototype = "prototype (size: impact)" if by_impact else "prototype (size: weight)"
    grey: dict[str, Any] = {
        "color": style.NEUTRAL,
        "size": style.RING_SIZE,
        "line": {"color": style.NEUTRAL, "width": 2},
    }
    looks: dict[str, dict[str, Any]] = {
        prototype: {**grey, "symbol": "circle", "color": style.tinted(style.NEUTRAL, style.PROTOTYPE_TINT)}
    }
    if "misclassified" in groups:
        looks["misclassified"] = {
            "symbol": "circle-open", "size": style.RING_SIZE, "color": style.WRONG, "line": {"width": 2}
        }  # fmt: skip
    if "selected case" in groups:
        looks["selected case"] = {**grey, "symbol": style.SELECTED_SYMBOL, "color": style.INK}
    numerals = colour == "class" and style.are_numerals(mapping.classes)
    training = drawn.rows["part"].eq("train").any()
    if training and not numerals:
        looks["training case (hollow)"] = {**grey, "symbol": "circle-open", "size": style.SAMPLE_SIZE}
    if colour == "correct":
        for name, hue in (("right", style.NEUTRAL), ("wrong", style.WRONG)):
            looks[name] = {"symbol": "circle", "size": style.SAMPLE_SIZE, "color": hue}
    entries = [
        legend_entry(name, legendgroup=name, marker=marker, legend=MARKS_LEGEND) for name, marker in looks.items()
    ]
    if training and numerals:
        font = {"color": style.NEUTRAL, **THIN}
        entries.append(legend_entry("training case (thin)", mode="text", textfont=font, legend=MARKS_LEGEND))
    return entries
