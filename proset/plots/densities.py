"""Figure of the distribution of features within each class, with the prototypes below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from proset.common.words import count_words, percent, shown
from proset.explain.structure.densities import FeatureDensities, FeatureDensity
from proset.plots import style
from proset.plots.panels import (
    MOST_VALUES,
    add_named,
    finish_panels,
    left_out_words,
    on_axis,
    panel_at,
    panels,
    single_values,
    value_labels,
    values_left_out,
)
from proset.plots.texts import plain

_PANEL = 210
_GAP = 78  # with room for slanted labels
# Below the curves one line of marks per class for the prototypes, as parts of the height; more lines say nothing.
_LINE = 0.08
_MOST_LINES = 5
_MARK = (5.0, 14.0)
_HIGH = 2.5  # a peak higher than so many usual ones is cut off, else the other curves would be flat


def plot_densities(found: FeatureDensities) -> go.Figure:
    """Draw one panel per feature: the classes' densities as curves or shares as bars, the prototypes as marks below.

    Of more than five classes there are no marks: so many lines of them say nothing.

    Returns
    -------
    plotly Figure
        Up to three panels side by side. Traces of one class share a legend entry; ``customdata[0]`` of a prototype is
        its row id. ``layout.meta`` says which rows are not drawn, or is None.

    Examples
    --------
    >>> from proset.explain import feature_densities
    >>> from proset.study import fit_sample
    >>> found = feature_densities(fit_sample("iris_2f"))
    >>> len({trace.xaxis for trace in plot_densities(found).data})
    2
    """
    figure, height = panels([one.name for one in found.features], panel=_PANEL, gap=_GAP)
    looks = style.class_looks(found.classes)
    named: set[str] = set()
    for place, one in enumerate(found.features):
        at, top = panel_at(place, len(found.features)), _top(one)
        for trace in [*_samples(one, looks), *_marks(one, looks, top)]:
            add_named(figure, trace, named, at)
        _axes(figure, one, at, top=top, lines=_lines(one, looks))
    return finish_panels(figure, height, _left_out(found))


def densities_words(figure: go.Figure) -> str:
    """Say in plain text what curves, bars and marks of the figure stand for, as far as it has them.

    Examples
    --------
    >>> from proset.explain import feature_densities
    >>> from proset.study import fit_sample
    >>> found = feature_densities(fit_sample("iris_2f"))
    >>> densities_words(plot_densities(found))
    'Curves: the rows of each class. Marks below curves: prototypes.'
    """
    kinds = {"bar" if trace.type == "bar" else trace.mode for trace in figure.data}
    rows = " and ".join(word for kind, word in (("lines", "curves"), ("bar", "bars")) if kind in kinds)
    said = [f"{rows.capitalize()}: the rows of each class." if rows else ""]
    said.append("Marks below curves: prototypes." if "markers" in kinds else "")
    return " ".join(filter(None, said))


def _samples(one: FeatureDensity, looks: Sequence[style.Look]) -> list[Any]:
    """Return the curve, or the bars, of each class."""
    traces: list[Any] = []
    for look in looks:
        if look.name not in one.samples:
            continue
        name, values = plain(look.name, limit=30), one.samples[look.name].tolist()
        values = values[:MOST_VALUES] if one.kind == "values" else values
        group = {"name": name, "legendgroup": look.name}
        if one.kind == "values":
            traces.append(
                go.Bar(
                    x=value_labels(one.places),
                    y=values,
                    marker={"color": look.colour, "line": {"color": style.OUTLINE, "width": 0.5}},
                    customdata=[percent(share) for share in values],
                    hovertemplate=f"{name}<br>%{{x}}: %{{customdata}} of the class<extra></extra>",
                    **group,
                )
            )
        else:
            traces.append(
                go.Scatter(
                    x=on_axis(one.kind, one.places),
                    y=values,
                    mode="lines",
                    line={"color": look.colour, "width": 2},
                    hovertemplate=f"{name}<br>%{{x}}<extra></extra>",
                    **group,
                )
            )
    return traces


def _top(one: FeatureDensity) -> float:
    """Return the height of a panel of curves."""
    peaks = one.samples.max().to_numpy(dtype=np.float64)
    return float(min(peaks.max(), _HIGH * np.median(peaks))) if len(peaks) else 1.0


def _lines(one: FeatureDensity, looks: Sequence[style.Look]) -> int:
    """Return how many lines of prototypes stand below the curves."""
    return 0 if one.kind == "values" or one.prototypes.empty or len(looks) > _MOST_LINES else len(looks)


def _marks(one: FeatureDensity, looks: Sequence[style.Look], top: float) -> list[Any]:
    """Return the prototypes below the curves."""
    if not _lines(one, looks):
        return []
    largest = float(one.prototypes["weight"].max())
    traces: list[Any] = []
    for number, look in enumerate(looks, start=1):
        inside = one.prototypes["place"].between(one.places[0], one.places[-1])
        mine = one.prototypes[inside & (one.prototypes["class"] == look.name)]
        if mine.empty:
            continue
        low, high = _MARK
        name = plain(look.name, limit=30)
        traces.append(
            go.Scatter(
                x=on_axis(one.kind, mine["place"].tolist()),
                y=[-top * _LINE * number] * len(mine),
                mode="markers",
                name=name,
                legendgroup=look.name,
                marker={
                    "symbol": look.symbol,
                    "color": style.tinted(look.colour, 0.6),
                    "size": (low + (high - low) * np.sqrt(mine["weight"].to_numpy() / largest)).tolist(),
                    "line": {"color": style.OUTLINE, "width": 0.5},
                },
                customdata=mine[["row", "batch"]].to_numpy().tolist(),
                hovertemplate=(
                    f"prototype row %{{customdata[0]}}, batch %{{customdata[1]}}<br>{name}: %{{x}}<extra></extra>"
                ),
            )
        )
    return traces


def _axes(figure: go.Figure, one: FeatureDensity, at: dict[str, int], *, top: float, lines: int) -> None:
    """Set the axes of a panel: heights of densities mean little, shares are per cent."""
    if one.kind == "values":
        figure.update_yaxes(**style.share_axis("~%"), **at)
        single_values(figure, at, value_labels(one.places))
    else:
        figure.update_yaxes(
            showticklabels=False, showgrid=False, range=[-top * _LINE * (lines + 0.8), 1.05 * top], **at
        )


def _left_out(found: FeatureDensities) -> str | None:
    """Say what the panels do not show."""
    said = []
    if found.n_rows < found.n_all:
        said.append(f"{count_words(found.n_all - found.n_rows, 'row')} between those taken at equal distances")
    for one in found.features:
        said += values_left_out(one.name, one.kind, one.places)
        if one.kind != "values" and len(one.samples.columns) and float(one.samples.to_numpy().max()) > _top(one):
            said.append(f"the highest peak of '{shown(one.name, 30)}'")
        if one.beyond:
            said.append(f"{count_words(one.beyond, 'row')} far outside the range of '{shown(one.name, 30)}'")
        if one.missing:
            said.append(f"{count_words(one.missing, 'row')} without '{shown(one.name, 30)}'")
        said += [f"{shown(name, 30)} in '{shown(one.name, 30)}' (too few rows)" for name in one.few]
    return left_out_words(said)
