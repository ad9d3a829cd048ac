"""Figure of what the values of each column say, alone, for each class."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from proset.common.words import number
from proset.explain.study_only.value_evidence import FeatureEvidence, ValueEvidences
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

_PANEL = 190
_GAP = 78  # with room for slanted labels


def plot_value_evidence(found: ValueEvidences) -> go.Figure:
    """Draw one panel per column: how strongly each value speaks for a class; what speaks against it is not drawn.

    Returns
    -------
    plotly Figure
        Up to three panels side by side, all on one scale of weights of evidence. Traces of one class share a legend
        entry. ``layout.meta`` says which values are not drawn, or is None.

    Examples
    --------
    >>> from proset.explain import value_evidence
    >>> from proset.study import fit_sample
    >>> found = value_evidence(fit_sample("iris_2f"))
    >>> len({trace.xaxis for trace in plot_value_evidence(found).data})
    2
    """
    names = [one.name for one in found.features]
    figure, height = panels(names, panel=_PANEL, gap=_GAP, shared_yaxes="all")
    named: set[str] = set()
    for place, one in enumerate(found.features):
        at = panel_at(place, len(names))
        for look in style.class_looks(found.classes):
            add_named(figure, _bars(one, look) if one.kind == "values" else _area(one, look), named, at)
        if one.kind == "values":
            single_values(figure, at, value_labels(one.places))
    said = [words for one in found.features for words in values_left_out(one.name, one.kind, one.places)]
    finish_panels(figure, height, left_out_words(said))
    if len(found.classes) == 2:  # a value speaks for one of them, and its bar stands above its name
        figure.update_layout(barmode="overlay", bargap=0.5)
    figure.update_yaxes(rangemode="tozero")
    figure.update_yaxes(title="weight of evidence", col=1)
    return figure


def _bars(one: FeatureEvidence, look: style.Look) -> Any:
    """Return a bar for each value that speaks for a class."""
    weights = one.weights[look.name].to_numpy()[:MOST_VALUES]
    return go.Bar(
        x=value_labels(one.places),
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
        x=on_axis(one.kind, x.tolist()),
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
