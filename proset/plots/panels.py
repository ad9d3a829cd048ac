"""Small panels side by side, one per column of the table, for figures of what its values are like or say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from proset.common.words import count_words, shown
from proset.plots import style
from proset.plots.texts import plain, unique_labels

MOST_VALUES = 8
"""Values that are drawn of a column of single values."""
_ACROSS = 3
_YEARS = (-719_162, 2_932_896)  # days since 1970 of the first day of year 1 and the last one of 9999
_BESIDE = 0.1  # of the width between panels: room for the ticks of the one at the right, in a narrow window, too
_LETTERS = 38  # of all labels of a panel, slanted
_SIDE_BY_SIDE = 60  # letters that fit side by side below all panels of a line, in a narrow window
_SLANTED = 12  # letters of a slanted label

At = dict[str, int]
"""Row and column of a panel, as plotly takes them."""


def panels(names: Sequence[str], *, panel: int, gap: int, shared_yaxes: str | bool = False) -> tuple[go.Figure, int]:
    """Return a figure of up to three empty panels side by side, and its height.

    Parameters
    ----------
    names : sequence of str
        Columns of the table, one per panel.
    panel, gap : int
        Pixels of a panel, and between one and the next below.

    Examples
    --------
    >>> figure, height = panels(["age", "size", "day", "dose"], panel=200, gap=50)
    >>> height, len(figure.layout.annotations), panel_at(3, 4)
    (570, 4, {'row': 2, 'col': 2})
    """
    count = max(1, len(names))
    down = -(-count // _across(count))
    height = 70 + down * (panel + gap)
    figure = make_subplots(
        rows=down,
        cols=_across(count),
        subplot_titles=[plain(name, limit=34) for name in names] or None,
        horizontal_spacing=_BESIDE,
        vertical_spacing=(gap + 8) / max(height - 60, 1) if down > 1 else 0.0,
        shared_yaxes=shared_yaxes,
    )
    return figure, height


def _across(count: int) -> int:
    """Return how many panels stand side by side; of four two, else the last one stands alone."""
    return 2 if count == _ACROSS + 1 else min(_ACROSS, count)


def panel_at(place: int, count: int) -> At:
    """Return where a panel is, of so many."""
    across = _across(count)
    return {"row": place // across + 1, "col": place % across + 1}


def add_named(figure: go.Figure, trace: Any, named: set[str], at: At) -> None:
    """Add a trace to a panel; the first of its legend group is named in the legend."""
    trace.showlegend = trace.legendgroup not in named
    named.add(trace.legendgroup)
    figure.add_trace(trace, **at)


def single_values(figure: go.Figure, at: At, labels: Sequence[str]) -> None:
    """Let the axis of a panel hold values as labels, slanted where they are too long to stand side by side."""
    side_by_side = len(labels) * max(map(len, labels), default=0) <= _SIDE_BY_SIDE // sum(
        1 for _ in figure.select_xaxes(row=1)
    )
    angle = 0 if side_by_side else -35
    figure.update_xaxes(type="category", tickangle=angle, tickfont={"size": 12}, showgrid=False, **at)


def finish_panels(figure: go.Figure, height: int, meta: str | None) -> go.Figure:
    """Give all panels their common look; `meta` says what is not drawn."""
    style.finish(figure, height=height)
    figure.update_layout(barmode="group", bargap=0.25, meta=meta)
    figure.update_layout(legend={"y": 1.0 + 34 / max(height - 60, 1)}, margin={"t": 76})
    figure.update_annotations(font={"size": 13})
    return figure


def value_labels(places: Sequence[Any]) -> list[str]:
    """Return the values that are drawn as the labels of an axis."""
    drawn = places[:MOST_VALUES]
    return unique_labels([plain(place, limit=max(_SLANTED, _LETTERS // max(1, len(drawn)))) for place in drawn])


def on_axis(kind: str, places: Sequence[Any]) -> list[Any]:
    """Return places as plotly takes them: days since 1970, for the kind "date", as dates."""
    if kind != "date":
        return list(places)
    days = np.clip(np.floor(np.asarray(places, dtype=np.float64)), *_YEARS).astype("datetime64[D]")
    return [str(day) for day in days]


def values_left_out(name: str, kind: str, places: Sequence[Any]) -> list[str]:
    """Say how many values of a column of single values are not drawn, if any are not."""
    if kind != "values" or len(places) <= MOST_VALUES:
        return []
    return [f"{count_words(len(places) - MOST_VALUES, 'value')} of '{shown(name, 30)}'"]


def left_out_words(said: Sequence[str]) -> str | None:
    """Say what panels do not show, in plain text: whoever writes it into a page or a report escapes it there."""
    return f"Not drawn: {'; '.join(said)}." if said else None
