"""Rows of a table of pictures, side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray
from plotly.subplots import make_subplots

from proset.plots import style
from proset.plots.texts import plain


def plot_pictures(
    pictures: Sequence[NDArray[np.float64]], titles: Sequence[Sequence[object]], *, height: int = 190
) -> go.Figure:
    """Draw grey pictures on one scale, bright where values are high.

    Parameters
    ----------
    pictures : sequence of float64 arrays of shape (h, w)
        At least one; NaN where a pixel is missing.
    titles : sequence of sequences
        Lines above each picture, short ones; a stranger's words are safe.
    height : int
        In pixels.

    Returns
    -------
    plotly Figure
        One heat map per picture.

    Examples
    --------
    >>> len(plot_pictures([np.eye(3), np.ones((3, 3))], [["one"], ["two", "lines"]]).data)
    2
    """
    above = ["<br>".join(plain(line, limit=16) for line in lines) for lines in titles]
    figure = make_subplots(rows=1, cols=len(pictures), subplot_titles=above, horizontal_spacing=0.02)
    known = np.concatenate([picture[np.isfinite(picture)] for picture in pictures])
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    for place, picture in enumerate(pictures, start=1):
        heat = go.Heatmap(
            z=picture, zmin=low, zmax=high, colorscale="gray", showscale=False, hovertemplate="%{z}<extra></extra>"
        )
        figure.add_trace(heat, row=1, col=place)
    style.finish(figure, height=height, legend=False)
    figure.update_layout(margin={"t": 44}, dragmode=False)
    figure.update_annotations(font={"size": 12})
    figure.update_xaxes(visible=False, constrain="domain")
    figure.update_yaxes(visible=False, autorange="reversed")
    for place in range(1, len(pictures) + 1):
        figure.update_yaxes(scaleanchor=f"x{place if place > 1 else ''}", row=1, col=place)
    return figure
