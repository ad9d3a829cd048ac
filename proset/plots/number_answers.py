"""Figure of the distribution that a regressor states for one case, with each prototype's hump in it."""

from __future__ import annotations

from typing import Any

import plotly.graph_objects as go

from proset.common.words import count_words, percent
from proset.explain.numbers.answers import NumberAnswer
from proset.explain.numbers.contrasts import spread_words, to_width
from proset.plots import style
from proset.plots.texts import plain
from proset.plots.traces import legend_entry

_BAR = -0.06  # where the interval lies, as a part of the height


def plot_number_answer(
    found: NumberAnswer, *, unit: str = "target", legend: bool = True, height: int = 420
) -> go.Figure:
    """Draw the density of the answer as the sum of what prototypes say, the interval below it.

    Parameters
    ----------
    unit : str, default "target"
        What the number is, for the axis.
    legend : bool, default True
        Say beside it whose hump is whose; a page that lists the prototypes in the same colours does without.
    height : int, default 420
        Height in pixels.

    Returns
    -------
    plotly Figure
        Stacked areas from the bottom: everybody, all other prototypes, then those with a part of their own, the most
        influential on top; the actual value, where it is known, as an upright line; median and interval below.

    Examples
    --------
    >>> import numpy as np
    >>> from proset import RegressorModel, explain
    >>> X = np.linspace(-2.0, 2.0, 200)[:, None]
    >>> model = RegressorModel(random_state=0).fit(X, 100.0 + 10.0 * X[:, 0])
    >>> figure = plot_number_answer(explain.number_answer(model, [1.0], 110.0))
    >>> [trace.name.split()[0] for trace in figure.data[:2]], figure.data[1].stackgroup
    (['●', 'everybody'], 'answer')
    """
    figure = go.Figure([*_held(found), *_humps(found), *_below(found)])
    style.finish(figure, x_title=plain(unit, limit=60), height=height, legend=legend)
    figure.update_yaxes(visible=False, range=[2.2 * _BAR * _top(found), 1.05 * _top(found)], fixedrange=True)
    low, high = float(found.places[0]), float(found.places[-1])
    room = 0.03 * (high - low)
    figure.update_xaxes(range=[low - room, high + room])
    if not legend:
        return figure
    # What is on top in the figure comes first beside it, where there is room for names that say something.
    place = {"orientation": "v", "x": 1.02, "y": 1.0, "yanchor": "top", "traceorder": "reversed"}
    figure.update_layout(legend={**place, "title": {"text": "who · says · share of the answer"}}, margin={"t": 10})
    return figure


def _top(found: NumberAnswer) -> float:
    """Return the height of the figure; a needle is not drawn to its tip."""
    return float(found.density.max())


def _held(found: NumberAnswer) -> list[dict[str, Any]]:
    """Return what the dots in the legend mean, if there are any."""
    shown = found.prototypes["dominant"].head(found.n_shown)
    return [legend_entry("● hold the median", marker={"color": style.TRANSPARENT})] if shown.any() else []


def _humps(found: NumberAnswer) -> list[dict[str, Any]]:
    """Return the stacked parts, from the bottom."""
    n = found.n_shown
    others = found.prototypes.iloc[n:]
    rest = float(others["share"].sum())
    parts = [(found.humps[n + 1], f"everybody · {percent(found.everybody)}", style.FAINT)]
    if len(others):
        name = f"{count_words(len(others), 'other prototype')} · {percent(rest)}"
        parts.append((found.humps[n], name, style.NEUTRAL))
    for place in range(n - 1, -1, -1):
        line = found.prototypes.iloc[place]
        held = " ●" if line["dominant"] else ""
        said = f"{to_width(line['says'], found.width)} ± {spread_words(line['spread'])}"
        name = plain(line["name"], limit=24)
        parts.append((found.humps[place], f"{name} · {said} · {percent(line['share'])}{held}", hump_colour(place, n)))
    return [
        {
            "type": "scatter",
            "x": found.places.tolist(),
            "y": hump.tolist(),
            "mode": "lines",
            "line": {"width": 0.5, "color": style.GROUND},
            "fillcolor": colour,
            "stackgroup": "answer",
            "name": name,
            "hovertemplate": f"{name}<extra></extra>",
        }
        for hump, name, colour in parts
    ]


def _below(found: NumberAnswer) -> list[dict[str, Any]]:
    """Return the interval, the median, and the actual value if that is known."""
    height = _BAR * _top(found)
    share = f"{100 * found.coverage:g} %"
    lower, upper = to_width(found.lower, found.width), to_width(found.upper, found.width)
    marks = [
        {
            "type": "scatter",
            "x": [found.lower, found.upper],
            "y": [height, height],
            "mode": "lines",
            "line": {"color": style.INK, "width": 6},
            "name": f"{share}: {lower} to {upper}",
            "hovertemplate": f"{share} between {lower} and {upper}<extra></extra>",
        },
        {
            "type": "scatter",
            "x": [found.median],
            "y": [height],
            "mode": "markers",
            "marker": {
                "color": style.GROUND,
                "symbol": "circle",
                "size": 11,
                "line": {"color": style.INK, "width": 2},
            },
            "name": f"median {to_width(found.median, found.width)}",
            "hovertemplate": f"median {to_width(found.median, found.width)}<extra></extra>",
        },
    ]
    if found.stated is not None:
        look = {"color": style.INK, "width": 2, "dash": "dash"}
        marks.append(
            {
                "type": "scatter",
                "x": [found.stated, found.stated],
                "y": [2.0 * height, _top(found)],
                "mode": "lines",
                "line": look,
                "name": f"actual value {to_width(found.stated, found.width, digits=4)}",
                "hovertemplate": f"actual value {to_width(found.stated, found.width, digits=4)}<extra></extra>",
            }
        )
    return marks


def hump_colour(place: int, n_shown: int) -> str:
    """Return the colour of the hump of a prototype, the stronger the more influential.

    Examples
    --------
    >>> hump_colour(0, 3) != hump_colour(2, 3)
    True
    """
    return style.tinted(style.MODEL, round(0.95 - 0.65 * place / max(n_shown - 1, 1), 2))
