"""Figure of the numbers of a target in both parts of the split."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from proset.common.spread import near_ends
from proset.plots import style
from proset.plots.texts import far_words, plain

MOST_BARS = 40
_PATTERNS = ("", "/")


def plot_number_parts(training: NDArray[np.float64], held_out: NDArray[np.float64], *, unit: str) -> go.Figure:
    """Draw how many rows have which numbers, the parts of the split on top of each other.

    Parameters
    ----------
    training, held_out : arrays of shape (n,)
        Finite; not both are empty.
    unit : str
        What the numbers are, for the axis.

    Returns
    -------
    plotly Figure
        One bar trace per part; bars lie between the same edges. ``layout.meta`` says which rows lie too far off, or is
        None.

    Examples
    --------
    >>> figure = plot_number_parts(np.arange(20.0), np.arange(10.0), unit="price")
    >>> [(trace.name, sum(trace.y)) for trace in figure.data]
    [('training', 20), ('held out', 10)]
    """
    every = np.concatenate([training, held_out])
    ends = near_ends(every)
    edges = np.histogram_bin_edges(every, bins="auto", range=ends)
    if len(edges) > MOST_BARS + 1:
        edges = np.linspace(edges[0], edges[-1], MOST_BARS + 1)
    figure = go.Figure()
    for (name, values), pattern in zip((("training", training), ("held out", held_out)), _PATTERNS, strict=True):
        counts = np.histogram(values, bins=edges)[0]
        figure.add_trace(
            go.Bar(
                x=(0.5 * (edges[1:] + edges[:-1])).tolist(),
                y=counts.tolist(),
                width=np.diff(edges).tolist(),
                name=name,
                marker={
                    "color": style.NEUTRAL,
                    "line": {"color": style.OUTLINE, "width": 0.5},
                    # Overlay: else nothing is behind the lines.
                    "pattern": {"shape": pattern, "fillmode": "overlay", "fgcolor": style.GROUND, "fgopacity": 0.75},
                },
                customdata=np.column_stack([edges[:-1], edges[1:]]).tolist(),
                hovertemplate=(
                    f"%{{customdata[0]:.5~g}} to %{{customdata[1]:.5~g}}<br>%{{y:,}} rows<extra>{name}</extra>"
                ),
            )
        )
    style.finish(figure, x_title=plain(unit, limit=60), y_title="rows", height=260)
    figure.update_layout(barmode="stack", bargap=0.0, meta=far_words(every, ends))
    return figure
