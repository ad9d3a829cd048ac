"""A small matrix of shares as squares with numbers in them: the stronger the colour, the larger the share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from proset.plots import style
from proset.plots.confusion import share_text
from proset.plots.texts import hover_template, plain, unique_labels

_LINE, _SQUARE = 36, 31  # pixels between two lines, and of one square
_FAINTEST, _STRONGEST = 0.06, 0.7  # black and white can be read on both
_HEAD = 70
_WORD = 12  # letters of a heading that stand in one line


def plot_squares(
    shares: pd.DataFrame,
    hover: pd.DataFrame,
    *,
    names: Sequence[str],
    full: float = 1.0,
    picked: int | None = None,
) -> go.Figure:
    """Draw a square per cell, with its share in whole per cent; there is no number in one for exactly nothing.

    Parameters
    ----------
    shares : DataFrame
        Numbers in [0, 1]; a cell without one stays empty. Index and columns are names of any kind.
    hover : DataFrame of str
        What to say of each cell beyond its line and column; of the same shape.
    names : sequence of two str
        What a line and a column are.
    full : float, default 1.0
        The share that has the strongest colour.
    picked : int or None
        Number of the square that is picked.

    Returns
    -------
    plotly Figure
        ``customdata[0]`` of a square is its number, counted line by line.

    Examples
    --------
    >>> shares = pd.DataFrame({"proset": [0.75, 0.25]}, index=["age", "sex"])
    >>> figure = plot_squares(shares, shares.astype(str), names=("feature", "system"))
    >>> figure.data[0].text
    ('75', '25')
    """
    values = shares.to_numpy(dtype=np.float64)
    lines, columns = np.nonzero(~np.isnan(values))
    found = values[lines, columns]
    down = [plain(name, limit=40) for name in shares.index]
    across = [plain(name, limit=40) for name in shares.columns]
    said = hover.to_numpy(dtype=object)
    texts = [
        [int(line * values.shape[1] + column), down[line], across[column], plain(said[line, column], limit=200)]
        for line, column in zip(lines, columns, strict=True)
    ]
    figure = go.Figure(
        go.Scatter(
            x=columns.tolist(),
            y=lines.tolist(),
            **_squares(found, full),
            customdata=texts,
            selectedpoints=[i for i, line in enumerate(texts) if line[0] == picked],
            hovertemplate=hover_template("%{customdata[3]}", names, first=1),
        )
    )
    style.finish(figure, height=_HEAD + 10 + _LINE * len(shares), legend=False)
    ticks = {"tickmode": "array", "showgrid": False, "zeroline": False}
    figure.update_xaxes(
        range=[-0.6, len(across) - 0.4],
        tickvals=list(range(len(across))),
        ticktext=[_wrapped(name) for name in across],
        side="top",
        tickangle=0,
        **ticks,
    )
    figure.update_yaxes(
        range=[len(down) - 0.4, -0.6], tickvals=list(range(len(down))), ticktext=unique_labels(down), **ticks
    )
    return figure.update_layout(dragmode=False, margin_t=_HEAD - 20)


def _squares(shares: NDArray[np.float64], full: float) -> dict[str, Any]:
    """Return the look of squares: the larger the share, the stronger the colour."""
    strength = _FAINTEST + (_STRONGEST - _FAINTEST) * np.clip(shares / full, 0.0, 1.0)
    colours = [style.tinted(style.NEUTRAL, round(float(share), 3)) for share in strength]
    return {
        "mode": "markers+text",
        "text": [share_text(share).replace("<", "&lt;").replace(">", "&gt;") if share else "" for share in shares],
        "textposition": "middle center",
        "textfont": {"color": style.INK},
        "marker": {"symbol": "square", "size": _SQUARE, "color": colours, "line": {"width": 0}},
        "selected": {"marker": {"color": style.NEUTRAL, "opacity": 1.0}, "textfont": {"color": style.GROUND}},
        "unselected": {"marker": {"opacity": 1.0}, "textfont": {"color": style.INK}},
    }


def _wrapped(name: str) -> str:
    """Break a heading of two words where it would run into the next one."""
    first, blank, rest = name.partition(" ")
    return f"{first}<br>{rest}" if blank and len(name) > _WORD else name
