"""Figure of all prototypes: how much each decides, and how often that is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from proset.common.words import count_words, number, percent
from proset.plots import style
from proset.plots.map_marks import jitter
from proset.plots.texts import plain

if TYPE_CHECKING:
    from collections.abc import Hashable

    from proset.explain.structure.prototype_table import PrototypeTable

_SIZES, _SIZES_OF_MANY = (8.0, 30.0), (5.0, 20.0)
_MANY = 100
_FEW = 12  # have a name beside them, and stay where they are unless two lie on one another
_STEP = np.array([0.0, 1.0])
_TINT, _PALE = 0.5, 0.15  # the many that never mislead are there, but the eye goes to the others
_BAND = 0.2  # of the height, below 0, for those with no wrong case: on one line they would hide one another
_MOST_TICKS = (6, 6)
_ROOM = 12.0  # between a mark and the diamond around it, in pixels
_TIP = 1.3  # of a diamond, beyond the circle of its size


def plot_prototypes(table: PrototypeTable, *, picked: int | None = None, height: int = 400) -> go.Figure:
    """Draw each prototype that helps to settle cases, by how many it helps to settle and how many are wrong.

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
        mark is in proportion to the weight; the dotted line is the share of wrong ones among all cases. Few marks have
        a name. Numbers are whole, so that many marks would lie on one another: each is moved a little, and those that
        settle no wrong case are spread below the line of 0; these are pale. ``layout.meta`` says so, and how many are
        not drawn.

    Examples
    --------
    >>> from proset.explain import prototypes
    >>> from proset.study import fit_sample
    >>> figure = plot_prototypes(prototypes(fit_sample("iris_2f")))
    >>> [trace.name for trace in figure.data]
    ['setosa', 'versicolor', 'virginica', 'as all cases (13.3 % wrong)']
    """
    frame = table.frame
    top = max(float(frame["wrong"].max()), 1.0) if len(frame) else 1.0
    drawn = frame[frame["dominant"] > 0]
    few = len(drawn) <= _FEW
    moved = not few or bool(drawn[["dominant", "wrong"]].duplicated().any())
    frame = frame.assign(x=frame["dominant"] + moved * jitter(frame["dominant"].to_numpy(float), _STEP))
    frame["y"] = _heights(frame, top) if moved else frame["wrong"].astype(float)
    drawn = frame.loc[drawn.index].assign(label="", side="top")
    if few:
        drawn["side"] = _sides(drawn)
        names = pd.Series([plain(name, limit=16) for name in drawn["name"]], index=drawn.index, dtype=object)
        drawn["label"] = names.where(drawn["side"] != "", "")
    size = _sizes(frame["weight"])
    figure = go.Figure()
    for look in style.class_looks(table.classes):
        mine = drawn[drawn["class"] == look.name]
        # The legend shows the look of the first.
        figure.add_trace(_marks(mine.sort_values("wrong", ascending=False, kind="stable"), look, size, picked))
    if picked is not None and picked in drawn.index:
        line, around = drawn[drawn.index == picked].iloc[0], float(size.iloc[picked]) + _ROOM
        figure.add_trace(_diamond(line, around))
        figure.add_annotation(_beyond(line, around))
    style.finish(figure, x_title="cases it helps to settle", y_title="how many of these are wrong", height=height)
    end = float(drawn["dominant"].max()) if len(drawn) else 1.0
    across, up = (_whole_ticks(last, most) for last, most in zip((end, top), _MOST_TICKS, strict=True))
    figure.update_xaxes(rangemode="tozero", tickvals=across, tickformat=",d")
    room = 0.2 if few else 0.05  # for names
    # Below 0 there is nothing but the band of those that are moved there.
    low = -1.25 * _BAND * top if moved and (drawn["y"] < 0.0).any() else 0.0
    figure.update_yaxes(range=[low, top + 0.5 + room * top], tickvals=up, tickformat=",d")
    if len(drawn) and table.wrong_share:
        figure.add_trace(_as_all(table, end))
    return figure.update_layout(meta=_left_words(frame, table.wrong_share, moved=moved) or None)


def _sides(drawn: pd.DataFrame) -> list[str]:
    """Return where names stand: below a mark where that of a neighbour is above, nowhere if another is there, too."""
    far = 0.2 * max(float(drawn["x"].max()), 1.0), 0.12 * max(float(drawn["y"].max()), 1.0)
    taken: dict[str, dict[Hashable, tuple[float, float]]] = {"top": {}, "bottom": {}}
    for place, line in drawn.sort_values("x").iterrows():
        here = float(line["x"]), float(line["y"])
        for names in taken.values():
            if not any(here[0] - x < far[0] and abs(here[1] - y) < far[1] for x, y in names.values()):
                names[place] = here
                break
    return [next((side for side, names in taken.items() if place in names), "") for place in drawn.index]


def _heights(frame: pd.DataFrame, top: float) -> pd.Series:
    """Return where marks lie: near their number of wrong cases, in a band below 0 if they have none."""
    near = frame["wrong"] + jitter(frame["wrong"].to_numpy(float), _STEP, seed=1)
    below = -_BAND * top * np.random.default_rng(2).uniform(0.2, 1.0, len(frame))
    return near.where(frame["wrong"] > 0, below)


def _whole_ticks(end: float, most: int) -> list[int]:
    """Return whole numbers from 0 to the end, at most so many steps apart; Plotly's own may be halves."""
    steps = (factor * 10**power for power in range(12) for factor in (1, 2, 5))
    step = next(step for step in steps if end <= step * most)
    return list(range(0, int(end) + step, step))


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
        showlegend=False,  # a long entry would take the room of many
    )


def _left_words(frame: pd.DataFrame, wrong_share: float, *, moved: bool) -> str:
    """Say what the line is, where those are that settle no wrong case, and how many are not drawn."""
    none = int((frame["dominant"] == 0).sum())
    right = int((frame["wrong"] == 0).sum()) - none
    idle = f"{count_words(none, 'helps', 'help')} to settle no case at all"
    said = [
        f"Dotted: wrong as often as all cases ({percent(wrong_share)})." if none < len(frame) and wrong_share else "",
        "Marks are moved a little, so that they do not hide one another." if moved and none < len(frame) else "",
        f"Pale{', below 0' if moved else ''}: {count_words(right, 'that helps', 'that help')} to settle no wrong case."
        if right
        else "",
        f"Not drawn: of {count_words(len(frame), 'prototype')}, {idle}." if none else "",
    ]
    return " ".join(filter(None, said))


def _sizes(weights: pd.Series) -> pd.Series:
    """Return the sizes of marks in pixels: their area is in proportion to the weight, but for the smallest."""
    low, high = _SIZES if len(weights) <= _MANY else _SIZES_OF_MANY
    return (high * np.sqrt(weights / weights.max())).clip(lower=low)


def _beyond(line: pd.Series, size: float) -> dict[str, Any]:
    """Return the name of the prototype in a diamond, beyond its tip."""
    away = _TIP * size / 2 + style.TICK_SIZE
    return {
        "x": line["x"],
        "y": line["y"],
        "text": line["label"],
        "showarrow": False,
        "yshift": -away if line["side"] == "bottom" else away,
        "font": {"size": style.TICK_SIZE, "color": style.INK},
    }


def _diamond(line: pd.Series, size: float) -> go.Scatter:
    """Return the diamond around one prototype."""
    return go.Scatter(
        x=[line["x"]],
        y=[line["y"]],
        mode="markers",
        name="chosen prototype",
        showlegend=False,
        marker={
            "symbol": style.SELECTED_SYMBOL,
            "size": size,
            "color": style.INK,
            "line": {"width": 3, "color": style.INK},
        },
        hoverinfo="skip",
        cliponaxis=False,
        unselected={"marker": {"opacity": 1}},
    )


def _marks(frame: pd.DataFrame, look: style.Look, size: pd.Series, picked: int | None) -> go.Scatter:
    """Return the marks of one class, with the names of their rows if there are few."""
    return go.Scatter(
        x=frame["x"].tolist(),
        y=frame["y"].tolist(),
        mode="markers+text",
        text=frame["label"].where(frame.index != picked, "").tolist(),
        textposition=[f"{side or 'top'} center" for side in frame["side"]],
        textfont={"size": style.TICK_SIZE, "color": style.INK},
        name=plain(look.name, limit=30),
        marker={
            "symbol": look.symbol,
            "size": size.loc[frame.index].tolist(),
            "color": [style.tinted(look.colour, _TINT if wrong else _PALE) for wrong in frame["wrong"]],
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
