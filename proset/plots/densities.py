"""Figure of the distribution of features within each class, with the prototypes below."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from proset.common.words import count_words, percent, shown
from proset.explain.structure.densities import FeatureDensities, FeatureDensity
from proset.plots import style
from proset.plots.texts import plain, unique_labels

_ACROSS = 3
_PANEL = 210
_GAP = 46
# Below the curves one line of marks per class for the prototypes, as parts of the height; more lines say nothing.
_LINE = 0.08
_MOST_LINES = 5
_MARK = (5.0, 14.0)
_MOST_VALUES = 8
_LETTERS = 38  # that fit side by side below a panel
_HIGH = 2.5  # a peak higher than so many usual ones is cut off, else the other curves would be flat


def plot_densities(found: FeatureDensities) -> go.Figure:
    """Draw one panel per feature: the classes' densities as curves or shares as bars, the prototypes as marks below.

    Returns
    -------
    plotly Figure
        Up to three panels side by side. Traces of one class share a legend entry; ``customdata[0]`` of a prototype is
        its row id. ``layout.meta`` says which rows are not drawn, or is None.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.explain import feature_densities
    >>> from proset.study import fit_study
    >>> found = feature_densities(fit_study(load_sample("iris_2f"), sample_roles("iris_2f")))
    >>> len({trace.xaxis for trace in plot_densities(found).data})
    2
    """
    count = max(1, len(found.features))
    across = min(_ACROSS, count)
    down = -(-count // across)
    height = 70 + down * (_PANEL + _GAP)
    titles = [plain(one.name, limit=34) for one in found.features]
    figure = make_subplots(
        rows=down,
        cols=across,
        subplot_titles=titles or None,
        horizontal_spacing=0.05,
        vertical_spacing=(_GAP + 8) / max(height - 60, 1) if down > 1 else 0.0,
    )
    looks = style.class_looks(found.classes)
    named: set[str] = set()
    for place, one in enumerate(found.features):
        at = {"row": place // across + 1, "col": place % across + 1}
        top = _top(one)
        for trace in [*_samples(one, looks), *_marks(one, looks, top)]:
            trace.showlegend = trace.legendgroup not in named
            named.add(trace.legendgroup)
            figure.add_trace(trace, **at)
        _axes(figure, one, at, top=top, lines=_lines(one, looks))
    style.finish(figure, height=height)
    figure.update_layout(barmode="group", bargap=0.25, meta=_left_out(found))
    figure.update_layout(legend={"y": 1.0 + 34 / max(height - 60, 1)}, margin={"t": 76})
    figure.update_annotations(font={"size": 13})
    return figure


def _samples(one: FeatureDensity, looks: Sequence[style.Look]) -> list[Any]:
    """Return the curve, or the bars, of each class."""
    traces: list[Any] = []
    for look in looks:
        if look.name not in one.samples:
            continue
        name, values = plain(look.name, limit=30), one.samples[look.name].tolist()
        values = values[:_MOST_VALUES] if one.kind == "values" else values
        group = {"name": name, "legendgroup": look.name}
        if one.kind == "values":
            traces.append(
                go.Bar(
                    x=_labels(one),
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
                    x=_x(one, one.places),
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
                x=_x(one, mine["place"].tolist()),
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
        figure.update_yaxes(tickformat="~%", **at)
        figure.update_xaxes(type="category", tickangle=0, tickfont={"size": 12}, showgrid=False, **at)
    else:
        figure.update_yaxes(
            showticklabels=False, showgrid=False, range=[-top * _LINE * (lines + 0.8), 1.05 * top], **at
        )


def _x(one: FeatureDensity, places: Sequence[Any]) -> list[Any]:
    """Return places as plotly takes them."""
    if one.kind != "date":
        return list(places)
    return [datetime.fromtimestamp(float(day) * 86_400, UTC).strftime("%Y-%m-%d") for day in places]


def _labels(one: FeatureDensity) -> list[str]:
    """Return the values as the labels of an axis."""
    drawn = one.places[:_MOST_VALUES]
    return unique_labels([plain(place, limit=max(4, _LETTERS // max(1, len(drawn)))) for place in drawn])


def _left_out(found: FeatureDensities) -> str | None:
    """Say what the panels do not show, in plain text: whoever writes it into a page or a report escapes it there."""
    said = []
    if found.n_rows < found.n_all:
        said.append(f"{count_words(found.n_all - found.n_rows, 'row')} between those taken at equal distances")
    for one in found.features:
        if one.kind == "values" and len(one.places) > _MOST_VALUES:
            rest = count_words(len(one.places) - _MOST_VALUES, "value")
            said.append(f"{rest} of '{shown(one.name, 30)}'")
        if one.kind != "values" and len(one.samples.columns) and float(one.samples.to_numpy().max()) > _top(one):
            said.append(f"the highest peak of '{shown(one.name, 30)}'")
        if one.beyond:
            said.append(f"{count_words(one.beyond, 'row')} far outside the range of '{shown(one.name, 30)}'")
        if one.missing:
            said.append(f"{count_words(one.missing, 'row')} without '{shown(one.name, 30)}'")
        said += [f"{shown(name, 30)} in '{shown(one.name, 30)}' (too few rows)" for name in one.few]
    return f"Not drawn: {'; '.join(said)}." if said else None
