"""Figures of what moves the answer of a model of a number: other values, and the columns one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from proset.common.words import alike
from proset.explain.numbers.answers import NumberAnswer
from proset.explain.numbers.contrasts import cell_words, to_width
from proset.explain.numbers.number_changed import NumberWhatIf
from proset.explain.numbers.number_shapley import NumberShap
from proset.plots import style
from proset.plots.texts import plain

_MOST_COLUMNS = 12
_APART = 4  # pixels: a line may stand at the end of a bar
_ROOM, _LETTER = 0.28, 0.018  # beside the bars, of their width; of a letter, of the figure's, where it is narrow


def plot_number_what_if(found: NumberWhatIf, *, unit: str = "target", height: int = 170) -> go.Figure:
    r"""Draw the distribution of the changed case over that of the case as it is, the intervals below.

    Parameters
    ----------
    unit : str, default "target"
        What the number is, for the axis.
    height : int, default 170
        Height in pixels.

    Examples
    --------
    >>> from proset import explain
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> len(plot_number_what_if(explain.number_what_if(study, 11, {"weight (pounds)": 2000})).data)
    6
    """
    top = float(max(found.before.density.max(), found.after.density.max()))
    looks = [(found.before, "as it is", style.NEUTRAL, -0.22)]
    if found.changes:
        looks.append((found.after, "changed", style.MODEL, -0.1))
    figure = go.Figure([trace for look in looks for trace in _answer(*look, top=top)])
    style.finish(figure, x_title=plain(unit, limit=40), height=height, legend=False)
    figure.update_yaxes(visible=False, range=[-0.3 * top, 1.05 * top], fixedrange=True)
    return figure


def _answer(found: NumberAnswer, name: str, colour: str, at: float, *, top: float) -> list[dict[str, Any]]:
    """Return the density of one answer, its interval and its median."""
    places, width = found.places, found.width
    said = f"{name}: about {to_width(found.median, width)}"
    interval = (
        f"{said}, {100 * found.coverage:g} % from {to_width(found.lower, width)} to {to_width(found.upper, width)}"
    )
    common = {"type": "scatter", "hovertemplate": f"{interval}<extra></extra>", "name": name}
    return [
        {**common, "x": places.tolist(), "y": found.density.tolist(), "mode": "lines", "fill": "tozeroy",
         "line": {"color": colour, "width": 2}, "fillcolor": style.tinted(colour, 0.2)},
        {**common, "x": [found.lower, found.upper], "y": [at * top] * 2, "mode": "lines",
         "line": {"color": colour, "width": 5}},
        {**common, "x": [found.median], "y": [at * top], "mode": "markers",
         "marker": {"color": style.GROUND, "size": 9, "line": {"color": colour, "width": 2}}},
    ]  # fmt: skip


def plot_number_shap(found: NumberShap, *, unit: str = "target") -> go.Figure:
    """Draw how the columns lead from the answer for the reference to that for the case, those that move most first.

    Parameters
    ----------
    unit : str, default "target"
        What the number is, for the axis.

    Returns
    -------
    plotly Figure
        One bar per column from where the former ended; of many columns the last bar is all others together.

    Examples
    --------
    >>> from proset import RegressorModel, explain
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> model = RegressorModel(random_state=0, n_iter=1).fit(X, 100.0 + 10.0 * X[:, 0] + 5.0 * X[:, 1])
    >>> figure = plot_number_shap(explain.number_shap(model, [1.0, 1.0], [0.0, 0.0]))
    >>> len(figure.data[0].y)
    2
    """
    names, values = _steps(found)
    ends = found.base + np.cumsum(values)
    starts = ends - values
    chance = found.functional == "above"
    labels = (
        [f"{100 * value:+.1f} %".replace("-", "−") for value in values] if chance else alike(values.tolist(), sign=True)
    )
    bars = {
        "type": "bar",
        "orientation": "h",
        "x": values.tolist(),
        "base": starts.tolist(),
        "y": list(range(len(values))),
        "marker": {"color": [style.MODEL if value > 0 else style.NEUTRAL for value in values]},
        "customdata": labels,
        "hovertemplate": "%{customdata}<extra></extra>",
        "name": "adds",
    }
    low, high = float(min([found.base, *starts, *ends])), float(max([found.base, *starts, *ends]))
    room = _ROOM * (high - low) or 1.0
    span = (low - room, high + room)
    figure = go.Figure([bars])
    for value, dash in ((found.base, "dot"), (found.answer, "solid")):
        figure.add_vline(value, line={"color": style.INK, "width": 1.5, "dash": dash})
    for label in _labels(starts, ends, labels, (found.base, found.answer), span):
        figure.add_annotation(label)
    title = f"{found.what} ({unit})" if chance else unit
    style.finish(figure, x_title=plain(title, limit=60), height=90 + 34 * max(len(values), 1), legend=False)
    if chance:
        figure.update_xaxes(**style.share_axis())
    figure.update_xaxes(range=list(span))
    figure.update_yaxes(tickvals=list(range(len(values))), ticktext=names, range=[len(values) - 0.5, -0.5],
                        showgrid=False)  # fmt: skip
    return figure


def _labels(
    starts: np.ndarray, ends: np.ndarray, labels: list[str], lines: tuple[float, float], span: tuple[float, float]
) -> list[dict[str, Any]]:
    """Return the words of the bars: beyond their ends, or before them where a line would run through the words.

    Where it would on both sides, it is cut off behind them: they stand on the colour of the page.
    """
    found = []
    for place, (start, end, label) in enumerate(zip(starts, ends, labels, strict=True)):
        wide = len(label) * _LETTER * (span[1] - span[0])

        def free(right: bool, edge: float, wide: float = wide) -> bool:
            """Tell whether words beside an edge meet no line and stay within the figure."""
            reach = (edge, edge + wide) if right else (edge - wide, edge)
            inside = span[0] <= reach[0] and reach[1] <= span[1]
            return inside and not any(reach[0] < line < reach[1] for line in lines)

        beyond = end >= start
        turned = not free(beyond, end) and free(not beyond, start)
        right = beyond != turned
        found.append(
            {
                "x": float(start if turned else end),
                "y": place,
                "text": label,
                "showarrow": False,
                "xanchor": "left" if right else "right",
                "xshift": _APART if right else -_APART,
                "bgcolor": style.GROUND,
                "borderpad": 0,
                "font": {"size": style.TEXT_SIZE},
            }
        )
    return found


def _steps(found: NumberShap) -> tuple[list[str], np.ndarray]:
    """Return the names and values of the bars."""
    names = [
        f"{plain(name, limit=32)}: {plain(cell_words(cell['here']), limit=20)}"
        for name, cell in zip(found.columns, found.cells.to_dict("records"), strict=True)
    ]
    if len(names) <= _MOST_COLUMNS:
        return names, found.values
    kept = _MOST_COLUMNS - 1
    rest = f"{len(names) - kept} other columns"
    return [*names[:kept], rest], np.append(found.values[:kept], found.values[kept:].sum())
