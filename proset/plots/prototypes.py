"""Figure of all prototypes: how much each decides, and how often that is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import plotly.graph_objects as go

from proset.common.words import count_words, number, percent
from proset.plots import style
from proset.plots.map_marks import jitter
from proset.plots.texts import plain

if TYPE_CHECKING:
    import pandas as pd

    from proset.explain.structure.prototype_table import PrototypeTable

_SIZES, _SIZES_OF_MANY = (8.0, 30.0), (5.0, 20.0)
_MANY = 100
_AXES, _STEP = ("dominant", "wrong"), np.array([0.0, 1.0])


def plot_prototypes(table: PrototypeTable, *, picked: int | None = None, height: int = 400) -> go.Figure:
    """Draw each prototype that helps to settle wrong cases, by how many it helps to settle and how many are wrong.

    Parameters
    ----------
    picked : int or None
        Position in the table of the prototype that gets a diamond around it.
    height : int
        In pixels.

    Returns
    -------
    plotly Figure
        One trace per class, the diamond and the line; ``customdata[0]`` is the position in the table. The area of a
        mark is in proportion to the weight; the dotted line is the share of wrong ones among all cases. Numbers are
        whole, so that many marks would lie on one another: each is moved a little. ``layout.meta`` says how many are
        not drawn.

    Examples
    --------
    >>> from proset.data.samples import load_sample, sample_roles
    >>> from proset.explain import prototypes
    >>> from proset.study import fit_study
    >>> figure = plot_prototypes(prototypes(fit_study(load_sample("iris_2f"), sample_roles("iris_2f"))))
    >>> [trace.name for trace in figure.data]
    ['setosa', 'versicolor', 'virginica', 'as all cases (20.0 % wrong)']
    """
    frame = table.frame
    drawn = frame[frame["wrong"] > 0]
    spread = {name: frame[name] + jitter(frame[name].to_numpy(float), _STEP, seed=i) for i, name in enumerate(_AXES)}
    frame = frame.assign(x=spread["dominant"], y=spread["wrong"])
    drawn = frame.loc[drawn.index]
    size = _sizes(frame["weight"])
    figure = go.Figure()
    for look in style.class_looks(table.classes):
        mine = drawn[drawn["class"] == look.name]
        figure.add_trace(_marks(mine, look, size))
    if picked is not None and picked in drawn.index:
        figure.add_trace(_diamond(frame.iloc[picked], float(size.iloc[picked])))
    style.finish(figure, x_title="cases it helps to settle", y_title="how many of these are wrong", height=height)
    figure.update_xaxes(rangemode="tozero", tickformat=",d")
    figure.update_yaxes(rangemode="tozero", tickformat=",d")
    if len(drawn):
        figure.add_trace(_as_all(table, float(drawn["dominant"].max())))
    return figure.update_layout(meta=_left_words(frame) or None)


def _as_all(table: PrototypeTable, end: float) -> go.Scatter:
    """Return the line of prototypes with which cases are wrong as often as all of them."""
    return go.Scatter(
        x=[0.0, end],
        y=[0.0, end * table.wrong_share],
        mode="lines",
        name=f"as all cases ({percent(table.wrong_share)} wrong)",
        line={"color": style.NEUTRAL, "width": 1.5, "dash": "dot"},
        hoverinfo="skip",
        cliponaxis=False,
    )


def _left_words(frame: pd.DataFrame) -> str:
    """Say how many prototypes are not drawn, and why."""
    none = int((frame["dominant"] == 0).sum())
    right = int((frame["wrong"] == 0).sum()) - none
    kinds = [
        f"{count_words(right, 'helps', 'help')} to settle no wrong case" if right else "",
        f"{count_words(none, 'helps', 'help')} to settle no case at all" if none else "",
    ]
    said = " and ".join(filter(None, kinds))
    return f"Not drawn: of {count_words(len(frame), 'prototype')}, {said}." if said else ""


def _sizes(weights: pd.Series) -> pd.Series:
    """Return the sizes of marks in pixels: their area is in proportion to the weight, but for the smallest."""
    low, high = _SIZES if len(weights) <= _MANY else _SIZES_OF_MANY
    return (high * np.sqrt(weights / weights.max())).clip(lower=low)


def _diamond(line: pd.Series, size: float) -> go.Scatter:
    """Return the diamond around one prototype."""
    return go.Scatter(
        x=[line["x"]],
        y=[line["y"]],
        mode="markers",
        name="chosen prototype",
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
        x=frame["x"].tolist(),
        y=frame["y"].tolist(),
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
