"""Backgrounds of marks: the most probable class at every spot, or the density of too many rows."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from proset.explain.maps.surfaces import Surface
from proset.plots import style
from proset.plots.texts import plain
from proset.plots.thinning import Part
from proset.plots.traces import MARKS_LEGEND, legend_entry

_CELLS = 70
_ALMOST = 0.999  # at 1 the colour of the next class begins
SHADE = 0.5
"""Opacity where a class is certain."""


def likeliest_trace(surface: Surface, *, strength: float = SHADE) -> go.Heatmap:
    """Shade every spot in the colour of its most probable class, the stronger the more probable it is.

    Parameters
    ----------
    strength : float
        Opacity where the class is certain, in (0, 1].

    Returns
    -------
    plotly Heatmap
        ``z`` is the number of the class, from 0, and how probable it is from 0 (no more than any other) to almost 1. It
        lets the mouse through.

    Examples
    --------
    >>> from proset.explain.maps.surfaces import surface
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> trace = likeliest_trace(surface(study, n_points=30))
    >>> trace.name, sorted(set(np.floor(trace.z).ravel().tolist()))
    ('setosa, versicolor, virginica', [0.0, 1.0, 2.0])
    """
    n_classes, best = len(surface.classes), surface.probabilities.max(axis=2)
    above = np.clip((best * n_classes - 1) / max(1, n_classes - 1), 0.0, _ALMOST)
    scale: list[list[float | str]] = []
    for k, look in enumerate(style.class_looks(surface.classes)):
        scale += [
            [k / n_classes, style.tinted(look.colour, 0.15 * strength)],
            [(k + 1) / n_classes, style.tinted(look.colour, strength)],
        ]
    return go.Heatmap(
        x=surface.x,
        y=surface.y,
        z=(surface.likeliest + above).astype(np.float32),
        zmin=0.0,
        zmax=float(n_classes),
        colorscale=scale,
        showscale=False,
        name=", ".join(plain(name, limit=30) for name in surface.classes),
        hoverinfo="skip",
    )


def veil_traces(surface: Surface) -> list[go.Heatmap | go.Scatter]:
    """Lay grey over what the model knows too little of, from none on the first contour to all where it knows nothing.

    Returns
    -------
    list
        A heat map that lets the mouse through, and its entry in the legend; nothing where all spots are familiar, or
        familiarity is not known.

    Examples
    --------
    >>> from proset.explain.maps.surfaces import surface
    >>> from proset.study import fit_sample
    >>> far = surface(fit_sample("iris_2f"), n_points=30, margin=2.0)
    >>> [trace.name for trace in veil_traces(far)]
    ['less familiar than 99 % of cases', 'less familiar than 99 % of cases']
    """
    unknown = surface.ignorance
    if unknown is None or not unknown.any():
        return []
    name = f"less familiar than {100 * (1 - surface.contours['quantile'].iloc[0]):g} % of cases"
    return [
        go.Heatmap(
            x=surface.x,
            y=surface.y,
            z=unknown.astype(np.float32),
            zmin=0.0,
            zmax=1.0,
            zsmooth=smoothing(surface),
            colorscale=[[0.0, style.tinted(style.FAINT, 0.0)], [1.0, style.tinted(style.FAINT, 1.0)]],
            showscale=False,
            name=name,
            hoverinfo="skip",
        ),
        go.Scatter(
            legend_entry(
                name,
                legend=MARKS_LEGEND,
                legendgroup="veil",
                marker={"symbol": "square", "color": style.FAINT, "size": style.RING_SIZE},
            )
        ),
    ]


def smoothing(surface: Surface) -> Literal["fast", "best", False]:
    """Say how the colour of a surface changes between its points, for ``zsmooth`` of a heat map.

    Where points are evenly spaced the browser stretches a picture of one pixel each, which takes a tenth of the time
    that a colour of its own for each pixel of the screen takes; levels of a category have nothing between them.

    Examples
    --------
    >>> from proset.explain.maps.surfaces import surface
    >>> from proset.study import fit_sample
    >>> smoothing(surface(fit_sample("iris_2f"), n_points=20))
    'fast'
    """
    if "level" in (surface.x_axis.kind, surface.y_axis.kind):
        return False
    even = all(np.ptp(np.diff(along)) <= 1e-6 * np.ptp(along) for along in (surface.x, surface.y))
    return "fast" if even else "best"


def density_trace(points: pd.DataFrame, part: Part) -> go.Heatmap:
    """Shade where rows lie, on a logarithmic scale, in a grey that is seen on any page.

    Parameters
    ----------
    points : DataFrame
        ``BatchMap.points``.
    part : {"held_out", "train", "all"}
        Which rows.

    Returns
    -------
    plotly Heatmap
        It lets the mouse through.

    Examples
    --------
    >>> points = pd.DataFrame({"x": [0.0, 1.0, 1.0], "y": [0.0, 1.0, 1.0], "part": "train"})
    >>> density_trace(points, "all").z.shape
    (70, 70)
    """
    rows = points if part == "all" else points[points["part"] == part]
    counts, x, y = np.histogram2d(rows["x"].to_numpy(), rows["y"].to_numpy(), bins=_CELLS)
    shown = np.where(counts > 0, np.log1p(counts), np.nan).T.astype(np.float32)
    return go.Heatmap(
        x=(x[:-1] + x[1:]) / 2,
        y=(y[:-1] + y[1:]) / 2,
        z=shown,
        colorscale=[[0.0, style.tinted(style.NEUTRAL, 0.08)], [1.0, style.tinted(style.NEUTRAL, 0.6)]],
        showscale=False,
        name="density of all rows",
        hoverinfo="skip",
    )
