"""Figure of the feature weights of pictures: which pixels a model looks at."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from proset.common.words import count_words
from proset.explain.structure.features import FeatureWeights
from proset.plots import style
from proset.plots.texts import plain

MOST_BATCHES = 4
# Pixels that the colour bar takes below, and of the whole figure by the number of batches, in a column of about 430.
_SCALE, _HEIGHTS = 70, (470, 320, 250, 230)
_UNUSED = "rgba(128, 128, 128, 0.18)"


def plot_weight_picture(found: FeatureWeights) -> go.Figure:
    """Draw the feature weights as one picture per batch, pixels without weight in grey.

    Parameters
    ----------
    found : FeatureWeights
        Of a table that declares a grid of pixels: ``found.grid`` is not None.

    Returns
    -------
    plotly Figure
        Two heat maps per batch on one scale: the pixels without weight, and the weights. ``layout.meta`` says how many
        batches are not shown, or is None.

    Raises
    ------
    ValueError
        If the features form no picture.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.explain import feature_weights
    >>> from proset.study import FitSettings, fit_study
    >>> settings = FitSettings(num_candidates=100, max_samples=200)
    >>> found = feature_weights(fit_study(load_sample("digits"), sample_roles("digits"), settings=settings))
    >>> plot_weight_picture(found).data[1].z.shape
    (8, 8)
    """
    if found.grid is None:
        raise ValueError("These features form no picture: the table declares no grid of pixels.")
    batches = [number for number in found.weights.columns if found.weights[number].gt(0).any()]
    shown = batches[:MOST_BATCHES]
    columns = max(1, len(shown))
    titles = [f"batch {number}" for number in shown] if len(batches) > 1 else None
    figure = make_subplots(rows=1, cols=columns, subplot_titles=titles, horizontal_spacing=0.04)
    highest = float(found.weights.to_numpy().max()) if found.weights.size else 1.0
    why = found.dropped["why"].to_dict()
    for place, number in enumerate(shown, start=1):
        values = _pixels(found, found.weights[number].to_dict())
        last = place == len(shown)
        for trace in _traces(found, values, why, highest=highest, scale=last):
            figure.add_trace(trace, row=1, col=place)
    style.finish(figure, height=_HEIGHTS[columns - 1], legend=False)
    figure.update_layout(margin={"t": 40 if titles else 10, "b": _SCALE})
    figure.update_xaxes(visible=False, constrain="domain")
    figure.update_yaxes(visible=False, autorange="reversed", constrain="domain")
    for place in range(1, columns + 1):
        figure.update_yaxes(scaleanchor=f"x{place if place > 1 else ''}", row=1, col=place)
    left = len(batches) - len(shown)
    figure.update_layout(meta=f"{count_words(left, 'more batch', 'more batches')} not shown." if left else None)
    return figure


def _pixels(found: FeatureWeights, weights: dict[Any, float]) -> NDArray[np.float64]:
    """Return the weights as a picture; NaN where a pixel has none."""
    grid = found.grid
    assert grid is not None  # said by the caller
    values = np.array([weights.get(name, 0.0) for name in grid.columns], dtype=np.float64)
    return np.where(values > 0.0, values, np.nan).reshape(grid.height, grid.width)


def _traces(
    found: FeatureWeights, values: NDArray[np.float64], why: dict[Any, str], *, highest: float, scale: bool
) -> tuple[go.Heatmap, go.Heatmap]:
    """Return what lies below, the pixels without weight, and the weights on top."""
    grid = found.grid
    assert grid is not None
    names = np.array([plain(name, limit=30) for name in grid.columns], dtype=object).reshape(values.shape)
    reasons = np.array([why.get(name, "not used in this batch") for name in grid.columns], dtype=object)
    gap = {"xgap": 1, "ygap": 1}
    below = go.Heatmap(
        z=np.where(np.isnan(values), 0.0, np.nan),
        colorscale=((0.0, _UNUSED), (1.0, _UNUSED)),
        showscale=False,
        customdata=np.dstack([names, reasons.reshape(values.shape)]),
        hovertemplate="%{customdata[0]}: %{customdata[1]}<extra></extra>",
        hoverongaps=False,
        **gap,
    )
    above = go.Heatmap(
        z=values,
        zmin=0.0,
        zmax=highest,
        colorscale=style.RAMP,
        showscale=scale,
        colorbar={
            "title": {"text": "weight", "side": "top"},
            "orientation": "h",
            "y": 0,
            "yanchor": "top",
            "ypad": 12,
            "thickness": 12,
            "outlinewidth": 0,
            "tickfont": {"size": style.TICK_SIZE},
        },
        customdata=names[..., np.newaxis],
        hovertemplate="%{customdata[0]}: weight %{z:.4~g}<extra></extra>",
        hoverongaps=False,
        **gap,
    )
    return below, above
