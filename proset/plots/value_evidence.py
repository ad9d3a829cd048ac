"""Figure of what the values of each column say, alone, for each class."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from proset.common.words import count_words, number, shown
from proset.explain.study_only.value_evidence import FeatureEvidence, ValueEvidences
from proset.plots import style
from proset.plots.texts import plain, unique_labels

_ACROSS = 3
_PANEL = 190
_GAP = 52
_MOST_VALUES = 8
_LETTERS = 38  # that fit side by side below a panel


def plot_value_evidence(found: ValueEvidences) -> go.Figure:
    """Draw one panel per column: how strongly each value speaks for a class; what speaks against it is not drawn.

    Returns
    -------
    plotly Figure
        Up to three panels side by side, all on one scale of weights of evidence. Traces of one class share a legend
        entry. ``layout.meta`` says which values are not drawn, or is None.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.explain import value_evidence
    >>> from proset.study import fit_study
    >>> found = value_evidence(fit_study(load_sample("iris_2f"), sample_roles("iris_2f")))
    >>> len({trace.xaxis for trace in plot_value_evidence(found).data})
    2
    """
    across = min(_ACROSS, max(1, len(found.features)))
    down = -(-max(1, len(found.features)) // across)
    height = 70 + down * (_PANEL + _GAP)
    figure = make_subplots(
        rows=down,
        cols=across,
        subplot_titles=[plain(one.name, limit=34) for one in found.features] or None,
        horizontal_spacing=0.05,
        vertical_spacing=(_GAP + 8) / max(height - 60, 1) if down > 1 else 0.0,
        shared_yaxes="all",
    )
    named: set[str] = set()
    for place, one in enumerate(found.features):
        at = {"row": place // across + 1, "col": place % across + 1}
        for look in style.class_looks(found.classes):
            trace = _bars(one, look) if one.kind == "values" else _area(one, look)
            trace.showlegend = look.name not in named
            named.add(look.name)
            figure.add_trace(trace, **at)
        if one.kind == "values":
            figure.update_xaxes(type="category", tickangle=0, tickfont={"size": 12}, showgrid=False, **at)
    style.finish(figure, height=height)
    figure.update_yaxes(rangemode="tozero")
    figure.update_yaxes(title="weight of evidence", col=1)
    figure.update_layout(barmode="group", bargap=0.25, meta=_left_out(found))
    figure.update_layout(legend={"y": 1.0 + 34 / max(height - 60, 1)}, margin={"t": 76})
    figure.update_annotations(font={"size": 13})
    return figure


def _bars(one: FeatureEvidence, look: style.Look) -> Any:
    """Return a bar for each value that speaks for a class."""
    weights = one.weights[look.name].to_numpy()[:_MOST_VALUES]
    drawn = one.places[:_MOST_VALUES]
    labels = unique_labels([plain(place, limit=max(4, _LETTERS // max(1, len(drawn)))) for place in drawn])
    return go.Bar(
        x=labels,
        y=np.where(weights > 0.0, weights, np.nan).tolist(),
        name=plain(look.name, limit=30),
        legendgroup=look.name,
        marker={"color": look.colour, "line": {"color": style.OUTLINE, "width": 0.5}},
        customdata=[number(weight) for weight in weights],
        hovertemplate=f"%{{x}} says %{{customdata}} for {plain(look.name, limit=30)}<extra></extra>",
    )


def _area(one: FeatureEvidence, look: style.Look) -> Any:
    """Return the area between 0 and the weights that speak for a class."""
    x, y = speaking(np.asarray(one.places, dtype=np.float64), one.weights[look.name].to_numpy())
    return go.Scatter(
        x=x.tolist() if one.kind == "number" else _days(x),
        y=y.tolist(),
        mode="lines",
        fill="tozeroy",
        name=plain(look.name, limit=30),
        legendgroup=look.name,
        line={"color": look.colour, "width": 2},
        fillcolor=style.tinted(look.colour, 0.3),
        customdata=[number(weight) for weight in y],
        hovertemplate=f"%{{x}} says %{{customdata}} for {plain(look.name, limit=30)}<extra></extra>",
    )


def speaking(places: NDArray[np.float64], weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
    """Return a line of weights without the parts below 0, and where it leaves and meets 0.

    Examples
    --------
    >>> [part.tolist() for part in speaking(np.array([0.0, 2.0, 4.0]), np.array([1.0, -1.0, -3.0]))]
    [[0.0, 1.0, 2.0, 4.0], [1.0, 0.0, 0.0, 0.0]]
    """
    before, after = weights[:-1], weights[1:]
    meets = np.flatnonzero(before * after < 0.0)
    crossings = places[meets] + np.diff(places)[meets] * before[meets] / (before[meets] - after[meets])
    x = np.insert(places, meets + 1, crossings)
    return x, np.insert(np.maximum(weights, 0.0), meets + 1, 0.0)


def _days(days: NDArray[np.float64]) -> list[str]:
    """Return days since 1970 as plotly takes them."""
    return [datetime.fromtimestamp(float(day) * 86_400, UTC).strftime("%Y-%m-%d") for day in days]


def _left_out(found: ValueEvidences) -> str | None:
    """Say what the panels do not show, in plain text: whoever writes it into a page or a report escapes it there."""
    many: Sequence[FeatureEvidence] = [
        one for one in found.features if one.kind == "values" and len(one.places) > _MOST_VALUES
    ]
    said = [f"{count_words(len(one.places) - _MOST_VALUES, 'value')} of '{shown(one.name, 30)}'" for one in many]
    return f"Not drawn: {'; '.join(said)}." if said else None
