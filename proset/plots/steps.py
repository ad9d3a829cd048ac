"""Steps from one number to another: one bar per column that begins where the one above ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from proset.common.words import count_words
from proset.plots import style
from proset.plots.texts import plain, unique_labels, value_texts

# Pixels from bar to bar, with one line of text beside each, and with two.
_ONE_LINE, _TWO_LINES = 30, 40


@dataclass(frozen=True)
class StepScale:
    """Writing of the numbers of a figure, and the least width of its axis.

    Attributes
    ----------
    title : str
        Of the axis; safe to show.
    level, change : callable
        Words for a number on the axis, and for a step with its sign.
    least : float
        Smallest width of the axis: steps that are next to nothing should look so.
    tick : callable
        Words for a tick.
    """

    title: str
    level: Callable[[float], str]
    change: Callable[[float], str]
    least: float
    tick: Callable[[float], str]


def draw_steps(
    values: pd.Series,
    *,
    base: float,
    end: float,
    scale: StepScale,
    colours: tuple[str, str],
    cells: pd.DataFrame | None = None,
    errors: pd.Series | None = None,
    limit: int = 10,
) -> go.Figure:
    """Draw the way from a reference to a case.

    Parameters
    ----------
    values : Series
        Steps by column; those of 0 are left out. They sum to `end` less `base`.
    base, end : float
        Where the way begins and ends.
    scale : StepScale
        Words for numbers.
    colours : (str, str)
        Of steps upwards and of steps downwards.
    cells : DataFrame, optional
        Index: columns; ``here`` and ``reference``: what the table says.
    errors : Series, optional
        Standard errors of the steps, written behind them.
    limit : int, default 10
        Columns that get a bar of their own, those with the largest steps; all others share one, the last.

    Returns
    -------
    plotly Figure
        One bar trace; ``customdata`` of a bar is [column or None, step, step in words]. ``layout.meta`` says how many
        columns share the last bar, or is None.
    """
    labels, steps, columns = _bars(values, cells, limit)
    begins = base + np.cumsum(steps) - steps
    last = len(steps) + 1
    notes = [_error(errors, column, scale) for column in columns]
    figure = go.Figure(_step_bars(labels, steps, columns, notes, begins=begins, scale=scale, colours=colours))
    ends = begins + steps
    path_x = np.column_stack([np.append(base, ends), np.append(base, ends), np.full(last, np.nan)]).ravel()
    path_y = np.column_stack([np.arange(last), np.arange(1, last + 1), np.full(last, np.nan)]).ravel()
    figure.add_trace(_path(path_x, path_y))
    figure.add_trace(_ends(base, end, last, scale))
    style.finish(
        figure,
        x_title=scale.title,
        height=60 + (_TWO_LINES if cells is not None else _ONE_LINE) * (last + 1),
        legend=False,
    )
    figure.update_layout(bargap=0.3, meta=_rest_words(values, limit))
    figure.update_xaxes(**_range(np.concatenate([[base, end], ends]), scale), side="bottom")
    ticks = ["<b>reference</b>", *labels, "<b>this case</b>"]
    figure.update_yaxes(
        tickmode="array", tickvals=list(range(last + 1)), ticktext=ticks, range=[last + 0.6, -0.6], showgrid=False
    )
    return figure


def _step_bars(
    labels: list[str],
    steps: np.ndarray,
    columns: list[str | None],
    errors: list[str],
    *,
    begins: np.ndarray,
    scale: StepScale,
    colours: tuple[str, str],
) -> go.Bar:
    """Return a bar for each step, with its words behind it."""
    said = [scale.change(step) for step in steps]
    full = [f"{text} (standard error {error})" if error else text for text, error in zip(said, errors, strict=True)]
    return go.Bar(
        x=steps.tolist(),
        base=begins.tolist(),
        y=list(range(1, len(steps) + 1)),
        orientation="h",
        marker={"color": [colours[0] if step > 0 else colours[1] for step in steps], "line": {"width": 0}},
        text=[f"{text} ± {error}" if error else text for text, error in zip(said, errors, strict=True)],
        textposition="outside",
        cliponaxis=False,
        customdata=[list(line) for line in zip(columns, steps.tolist(), full, strict=True)],
        hovertext=labels,
        hovertemplate="<b>%{hovertext}</b><br>%{customdata[2]}<extra></extra>",
    )


def _bars(values: pd.Series, cells: pd.DataFrame | None, limit: int) -> tuple[list[str], np.ndarray, list[str | None]]:
    """Return label, step and column of each bar."""
    own = values[values != 0.0]
    own = own.iloc[np.argsort(-own.abs().to_numpy(), kind="stable")]
    top = own.iloc[:limit] if len(own) > limit + 1 else own  # a group of one column is no group
    names = [str(name) for name in top.index]
    labels = unique_labels([plain(name, limit=32) for name in names])
    if cells is not None:
        labels = [f"{label}{_cell_words(cells, name)}" for label, name in zip(labels, names, strict=True)]
    rest = own.iloc[len(top) :]
    if len(rest):
        return (
            [*labels, f"the other {count_words(len(rest), 'column')}"],
            np.append(top, rest.sum()),
            [*names, None],
        )
    return labels, top.to_numpy(dtype=np.float64), list(names)


def _cell_words(cells: pd.DataFrame, name: str) -> str:
    """Say what the table says here and at the reference."""
    if name not in cells.index:
        return ""
    here, there = (value_texts(pd.Series([cells.loc[name, side]]).infer_objects())[0] for side in ("here", "reference"))
    return f'<br><span style="font-size:0.93em">{here}, reference {there}</span>'


def _error(errors: pd.Series | None, column: str | None, scale: StepScale) -> str:
    """Write how far off a step may be; nothing where it is exact."""
    if errors is None or column is None or not errors[column] > 0.0:
        return ""
    return scale.change(float(errors[column])).lstrip("+ ")


def _rest_words(values: pd.Series, limit: int) -> str | None:
    """Say that some columns share a bar."""
    count = int((values != 0.0).sum())
    if count <= limit + 1:
        return None
    return f"The last bar is the sum over {count_words(count - limit, 'column')} that change less than those above."


def _path(x: np.ndarray, y: np.ndarray) -> go.Scatter:
    """Return thin lines from the end of each bar to the beginning of the next."""
    return go.Scatter(
        x=x.tolist(), y=y.tolist(), mode="lines", line={"color": style.NEUTRAL, "width": 1}, hoverinfo="skip"
    )


def _ends(base: float, end: float, last: int, scale: StepScale) -> go.Scatter:
    """Return marks where the way begins and ends, with the numbers."""
    return go.Scatter(
        x=[base, end],
        y=[0, last],
        mode="markers+text",
        marker={"symbol": [style.REFERENCE_SYMBOL, "diamond"], "size": 13, "color": style.NEUTRAL},
        text=[f"<b>{scale.level(base)}</b>", f"<b>{scale.level(end)}</b>"],
        textposition="middle right",
        cliponaxis=False,
        hoverinfo="skip",
    )


def _range(stops: np.ndarray, scale: StepScale) -> dict[str, object]:
    """Return range and ticks of the axis: all stops with room for texts on both sides."""
    low, high = float(stops.min()), float(stops.max())
    spread = max(high - low, scale.least)
    middle = 0.5 * (low + high)
    low, high = middle - 0.68 * spread, middle + 0.72 * spread
    step = next(
        size for power in range(-9, 12) for size in (10.0**power, 2 * 10.0**power, 5 * 10.0**power)
        if spread / size <= 5
    )  # fmt: skip
    ticks = np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step + 0.0  # -0 becomes 0
    return {
        "range": [low, high],
        "tickmode": "array",
        "tickvals": ticks.tolist(),
        "ticktext": [scale.tick(float(tick)) for tick in ticks],
    }
