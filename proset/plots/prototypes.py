"""Figure of all prototypes: how much each decides, and how often that is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from proset.common.words import count_words, number, percent
from proset.plots import style
from proset.plots.texts import plain

if TYPE_CHECKING:
    import pandas as pd

    from proset.explain.structure.prototype_table import PrototypeTable

_SIZES, _SIZES_OF_MANY = (8.0, 30.0), (5.0, 20.0)
_MANY = 100


def plot_prototypes(table: PrototypeTable, *, picked: int | None = None, height: int = 400) -> go.Figure:
    """Draw each prototype by the number of cases that it helps to settle and the share of them that is wrong.

    Parameters
    ----------
    picked : int or None
        Position in the table of the prototype that gets a diamond around it.
    height : int
        In pixels.

    Returns
    -------
    plotly Figure
        One trace per class, and the diamond; ``customdata[0]`` is the position in the table. The area of a mark is in
        proportion to the weight; the dotted line is the share of wrong ones among all cases. ``layout.meta`` says how
        many are not drawn.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.explain import prototypes
    >>> from proset.study import fit_study
    >>> figure = plot_prototypes(prototypes(fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))))
    >>> [trace.name for trace in figure.data]
    ['setosa', 'versicolor', 'virginica']
    """
    frame = table.frame
    drawn = frame[frame["wrong share"].notna()]
    size = _sizes(frame["weight"])
    figure = go.Figure()
    for look in style.class_looks(table.classes):
        mine = drawn[drawn["class"] == look.name]
        figure.add_trace(_marks(mine, look, size))
    if picked is not None and picked in drawn.index:
        figure.add_trace(_diamond(frame.iloc[picked], float(size.iloc[picked])))
    top = float(drawn["wrong share"].max()) if len(drawn) else 0.0
    style.finish(figure, x_title="cases it helps to settle", y_title="share of these that is wrong", height=height)
    figure.update_xaxes(rangemode="tozero", tickformat=",d")
    figure.update_yaxes(range=[-0.06 * max(top, 0.1), 1.15 * max(top, 0.1)], tickformat=".0%")
    if table.n_decided:
        figure.add_hline(
            y=table.wrong_share,
            line={"color": style.NEUTRAL, "width": 1.5, "dash": "dot"},
            annotation={"text": f"all cases: {percent(table.wrong_share)}", "font": {"size": 12}},
            annotation_position="top right",
        )
    left = len(frame) - len(drawn)
    many = "prototype settles none of these cases and stands", "prototypes settle none of these cases and stand"
    figure.update_layout(meta=f"{count_words(left, *many)} only in the table." if left else None)
    return figure


def _sizes(weights: pd.Series) -> pd.Series:
    """Return the sizes of marks in pixels: their area is in proportion to the weight, but for the smallest."""
    low, high = _SIZES if len(weights) <= _MANY else _SIZES_OF_MANY
    return (high * np.sqrt(weights / weights.max())).clip(lower=low)


def _diamond(line: pd.Series, size: float) -> go.Scatter:
    """Return the diamond around one prototype."""
    return go.Scatter(
        x=[line["dominant"]],
        y=[line["wrong share"]],
        mode="markers",
        name="shown below",
        marker={
            "symbol": style.SELECTED_SYMBOL,
            "size": size + 12,
            "color": style.INK,
            "line": {"width": 3, "color": style.INK},
        },
        hoverinfo="skip",
        cliponaxis=False,
        unselected={"marker": {"opacity": 1}},
    )


def _marks(frame: pd.DataFrame, look: style.Look, size: pd.Series) -> go.Scatter:
    """Return the marks of one class."""
    return go.Scatter(
        x=frame["dominant"].tolist(),
        y=frame["wrong share"].tolist(),
        mode="markers",
        name=plain(look.name, limit=30),
        marker={
            "symbol": look.symbol,
            "size": size.loc[frame.index].tolist(),
            "color": style.tinted(look.colour, 0.5),
            "opacity": 1.0,  # said, because Plotly draws marks of many sizes paler
            "line": {"width": 1.5, "color": look.colour},
        },
        customdata=[
            [place, plain(name), plain(look.name), f"{dominant:,}", f"{wrong:,}", percent(share), number(weight)]
            for place, name, dominant, wrong, share, weight in zip(
                frame.index.tolist(),
                frame["name"],
                frame["dominant"],
                frame["wrong"],
                frame["wrong share"],
                frame["weight"],
                strict=True,
            )
        ],
        hovertemplate=(
            "<b>%{customdata[1]}</b>, %{customdata[2]}<br>helps to settle %{customdata[3]} cases, "
            "%{customdata[4]} of them wrong (%{customdata[5]})<br>weight: %{customdata[6]}<extra></extra>"
        ),
        # Many settle next to nothing: the axis would cut their marks in half.
        cliponaxis=False,
        # The diamond says which one is picked.
        unselected={"marker": {"opacity": 1}},
    )
