"""Figure of the values of one case among those of each class."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from datetime import date, timedelta
from typing import Any

import plotly.graph_objects as go

from proset.common.words import number, percent
from proset.explain.cases.places import DATE, LEVEL, ValuePlaces
from proset.plots import style
from proset.plots.texts import plain, unique_labels

MOST_COLUMNS, MOST_LINES = 12, 40
_EPOCH = date(1970, 1, 1)
_ROW = 26
_OUTSIDE = 0.06


def plot_value_places(places: ValuePlaces, *, limit: int | None = None) -> go.Figure:
    """Draw each value of a case over where the values of each class lie.

    Parameters
    ----------
    limit : int or None
        Columns to show, those with the largest weight; None for 12, less if there are many classes. ``layout.meta``
        says how many are left out.

    Returns
    -------
    plotly Figure
        One band per column from its smallest to its largest training value, in which each class has a line from its 5th
        to its 95th percentile, thick between the quartiles, and the case a diamond. Levels: share of each class that
        has the case's level.

    Examples
    --------
    >>> from proset import explain
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> figure = plot_value_places(explain.value_places(study, 1))
    >>> list(figure.layout.yaxis.ticktext)
    ['sepal length (cm) = 5.1', 'sepal width (cm) = 3.5']
    """
    figure = go.Figure()
    limit = limit or min(MOST_COLUMNS, max(3, MOST_LINES // len(places.classes)))
    shown = places.frame.head(limit)
    looks = style.class_looks(places.classes)
    step = len(looks) + 1.2
    for number_of_class, look in enumerate(looks):
        _class_marks(figure, places, look, offset=number_of_class, step=step, limit=limit)
    _case_marks(figure, places, step=step, height=len(looks), limit=limit)
    labels = [f"{plain(line['column'], limit=30)} = {plain(line['value'], limit=18)}" for _, line in shown.iterrows()]
    style.finish(figure, height=int(110 + max(1, len(shown)) * max(_ROW, 9 * step)))
    centres = [i * step + (len(looks) - 1) / 2 for i in range(len(shown))]
    figure.update_yaxes(
        tickmode="array", tickvals=centres, ticktext=unique_labels(labels), autorange="reversed", showgrid=False
    )
    levels = bool((shown["kind"] == LEVEL).any())
    figure.update_xaxes(
        range=[-_OUTSIDE * 1.4, 1.0 + _OUTSIDE * 1.4],
        tickvals=[0.0, 1.0],
        ticktext=["smallest<br>or 0 %", "largest<br>or 100 %"] if levels else ["smallest", "largest"],
        tickangle=0,
        title="training values of each column" + (", or share of the class with this level" if levels else ""),
    )
    left = len(places.frame) - len(shown)
    figure.update_layout(meta=f"Not shown: {left:,} columns with smaller weights." if left else "")
    return figure


def _class_marks(
    figure: go.Figure, places: ValuePlaces, look: style.Look, *, offset: int, step: float, limit: int
) -> None:
    """Add the lines and bars of one class."""
    own = places.spread[places.spread["class"] == look.name].set_index("column")
    thin: tuple[list[float | None], list[float | None]] = ([], [])
    thick: tuple[list[float | None], list[float | None]] = ([], [])
    points: list[tuple[float, float, str]] = []
    shares = places.places[look.name].tolist()
    for i, line in enumerate(places.frame.head(limit).to_dict("records")):
        y, place = i * step + offset, float(shares[i])
        if line["kind"] == LEVEL:
            if not math.isnan(place):
                thick[0].extend([0.0, place, None])
                thick[1].extend([y, y, None])
                points.append((place, y, f"{percent(place)} of the class have this level"))
            continue
        if line["column"] not in own.index:
            continue
        spread = own.loc[line["column"]]
        a, b, median, c, d = (_at(float(spread[name]), line) for name in ("p05", "q25", "median", "q75", "p95"))
        for part, low, high in ((thin, a, d), (thick, b, c)):
            part[0].extend([low, high, None])
            part[1].extend([y, y, None])
        below = "" if math.isnan(place) else f"; the case lies above {percent(place)} of the class"
        points.append((median, y, f"median {_text(float(spread['median']), line['kind'])}{below}"))
    for part, width in ((thin, 1.5), (thick, 6.0)):
        figure.add_trace(
            go.Scatter(
                x=part[0], y=part[1], mode="lines", line={"color": look.colour, "width": width},
                hoverinfo="skip", showlegend=False, legendgroup=look.name,
            )
        )  # fmt: skip
    figure.add_trace(
        go.Scatter(
            x=[x for x, _, _ in points], y=[y for _, y, _ in points], mode="markers", name=plain(look.name, limit=30),
            marker={"color": look.colour, "symbol": look.symbol, "size": 8, "line": {"color": style.OUTLINE}},
            customdata=[[text] for _, _, text in points], legendgroup=look.name,
            hovertemplate=f"<b>{plain(look.name)}</b><br>%{{customdata[0]}}<extra></extra>",
        )
    )  # fmt: skip


def _case_marks(figure: go.Figure, places: ValuePlaces, *, step: float, height: int, limit: int) -> None:
    """Add the case itself: a line through all classes and a diamond; outside the training values it stands beside."""
    x: list[float | None] = []
    y: list[float | None] = []
    marks: list[tuple[float, float, str]] = []
    for i, line in enumerate(places.frame.head(limit).to_dict("records")):
        if line["kind"] == LEVEL or math.isnan(line["number"]):
            continue
        at = min(1.0 + _OUTSIDE, max(-_OUTSIDE, _at(line["number"], line)))
        x += [at, at, None]
        y += [i * step - 0.5, i * step + height - 0.5, None]
        outside = f", {line['outside']} training values" if line["outside"] else ""
        marks.append((at, i * step + (height - 1) / 2, f"{plain(line['value'])}{outside}"))
    ink = {"color": style.INK, "width": 2}
    figure.add_trace(
        go.Scatter(x=x, y=y, mode="lines", line={**ink, "dash": "dot"}, hoverinfo="skip", showlegend=False)
    )
    figure.add_trace(
        go.Scatter(
            x=[at for at, _, _ in marks], y=[row for _, row, _ in marks], mode="markers", name="this case",
            customdata=[[text] for _, _, text in marks],
            marker={"symbol": style.SELECTED_SYMBOL, "size": 11, "color": style.INK, "line": ink},
            hovertemplate="this case: %{customdata[0]}<extra></extra>",
        )
    )  # fmt: skip


def _at(value: float, line: Mapping[Hashable, Any]) -> float:
    """Return where a value stands between the smallest and the largest training value."""
    low, high = float(line["low"]), float(line["high"])
    return (value - low) / (high - low) if high > low else 0.5


def _text(value: float, kind: str) -> str:
    """Return a number or a day in words."""
    return str(_EPOCH + timedelta(days=round(value))) if kind == DATE else number(value)
