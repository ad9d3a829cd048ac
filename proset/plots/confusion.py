"""Figure of the confusion matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from proset.common.words import count_words, percent
from proset.plots import style
from proset.plots.room import room_for_names
from proset.plots.texts import plain

# Pixels of a line: as high as fits a screen, never too low for a number. Cells are as wide as the figure leaves them.
_LOWEST, _HIGHEST, _ALL_LINES = 26, 150, 500
_AROUND = 110
_STANDOFF, _TITLE = 12, 26  # between names and the title beside them, and both
_CELL, _EDGE = 0.94, 2  # of the distance between two cells; the rest is a gap
_NO_EDGE, _FAINT_EDGE = {"width": 0}, {"color": style.NEUTRAL, "width": 1}
# Colours of a cell with cases in it: the faintest is seen, on the strongest a number is read without effort.
_FAINTEST, _STRONGEST = 0.18, 0.55
_SMALLEST_TEXT, _LARGEST_TEXT = 10, 34
# Of the height of a line, and of the count above it; where lines are too low for two of text, the count stands alone.
_COUNT, _SHARE, _LOWEST_OF_TWO = 0.34, 0.6, 40
_SMALLEST_SHARE = 12
# Luminance from which on black text is read more easily than white.
_BRIGHT = 0.179
# Cells without a case are drawn too, so that the rest can be found; not where they would be most of a huge figure.
_MOST_EMPTY = 900
_COLOURS = (
    "The stronger the colour, the larger the share of the row, on one scale from 0 to 100 %; grey is right, framed in "
    "magenta is wrong."
)
NOTE = f"In each cell: the number of cases, and below it which per cent of its row they are. {_COLOURS}"
NOTE_OF_MANY = f"In each cell: the number of cases. {_COLOURS}"


def plot_confusion(confusion: pd.DataFrame, *, picked: tuple[str, str] | None = None, dark: bool = False) -> go.Figure:
    """Draw the confusion matrix as bars that fill the figure, so that a click on a cell comes back to the page.

    Parameters
    ----------
    confusion : DataFrame
        Counts; index: actual class, columns: predicted class, both in the order of the classes.
    picked : (str, str) or None
        Actual and predicted class of the cell that is shown as picked.
    dark : bool
        For a dark page: faint colours are dark, and the frame around the picked cell is light.

    Returns
    -------
    plotly Figure
        Bars "right" and "wrong", all cells equally large; "none" has the empty ones; two scatter traces have the counts
        with the shares below them (counts alone where there are too many classes for both). The last one, "cells", has
        a frame around each cell that is seen where it is picked; ``customdata`` of its points is [number of the cell,
        counted line by line from 0, actual, predicted, count, share of the actual class in per cent, and right or
        wrong, both classes, share and count as the hover box shows them].
        ``layout.meta`` says how to read it.

    Examples
    --------
    >>> figure = plot_confusion(pd.DataFrame([[8, 2], [0, 5]], index=["a", "b"], columns=["a", "b"]))
    >>> [trace.name for trace in figure.data], figure.data[-1].customdata[1][:5]
    (['right', 'wrong', 'none', 'numbers', 'numbers', 'cells'], [1, 'a', 'b', 2, 20.0])
    """
    cells = _cells(confusion, dark=dark)
    count = len(confusion)
    pitch = max(_LOWEST, min(_HIGHEST, _ALL_LINES // max(1, count)))
    figure = go.Figure()
    for name, edge in (("right", _NO_EDGE), ("wrong", {"color": style.WRONG, "width": _EDGE})):
        mine = cells[cells["kind"] == name]
        figure.add_trace(_bars(mine["x"], mine["y"], name=name, colour=mine["fill"].tolist(), edge=edge))
    rows, columns = np.nonzero(confusion.to_numpy() == 0)
    few = slice(None) if len(rows) <= _MOST_EMPTY else slice(0)
    figure.add_trace(_bars(columns[few], rows[few], name="none", colour=style.TRANSPARENT, edge=_FAINT_EDGE))
    for colour in ("#000000", "#FFFFFF"):
        figure.add_trace(_numbers(cells[cells["text colour"] == colour], colour, pitch))
    figure.add_trace(_frames(cells, picked, style.on_dark(style.INK) if dark else style.INK))
    style.finish(
        figure, x_title="the model says", y_title="the table says", height=_AROUND + pitch * count, legend=False
    )
    ticks = {"tickmode": "array", "tickvals": list(range(count)), "showgrid": False, "zeroline": False}
    totals = confusion.to_numpy().sum(axis=1)
    across = [plain(name, limit=20) for name in confusion.columns]
    down = [f"{plain(name, limit=20)} ({total:,})" for name, total in zip(confusion.index, totals, strict=True)]
    figure.update_xaxes(range=[-0.5, count - 0.5], ticktext=across, side="top", **ticks)
    figure.update_yaxes(range=[count - 0.5, -0.5], ticktext=down, automargin=True, title_standoff=_STANDOFF, **ticks)
    left = room_for_names(down) + _TITLE
    figure.update_layout(margin={"l": left, "t": 44, "b": 10})  # both titles of the columns stand above
    figure.update_layout(meta=NOTE if pitch >= _LOWEST_OF_TWO else NOTE_OF_MANY, dragmode=False, barmode="overlay")
    return figure


def share_text(share: float) -> str:
    """Return a share, in [0, 1], in whole per cent without the sign: short enough for a cell.

    Examples
    --------
    >>> share_text(0.2), share_text(0.001), share_text(0.999), share_text(1.0)
    ('20', '<1', '>99', '100')
    """
    if 0.0 < share < 0.005:
        return "<1"
    return ">99" if 0.995 <= share < 1.0 else f"{100 * share:.0f}"


def _cells(confusion: pd.DataFrame, *, dark: bool) -> pd.DataFrame:
    """Return one row per cell that is not empty: what it is, where it stands and how it looks."""
    counts = confusion.to_numpy()
    rows, columns = np.nonzero(counts)
    found = counts[rows, columns]
    frame = pd.DataFrame(
        {
            "cell": rows * len(confusion) + columns,
            "actual": np.asarray(confusion.index, dtype=str)[rows],
            "predicted": np.asarray(confusion.columns, dtype=str)[columns],
            "count": found,
            "share": found / counts.sum(axis=1)[rows],
            "x": columns,
            "y": rows,
            "kind": np.where(rows == columns, "right", "wrong"),
        }
    )
    strength = _FAINTEST + (_STRONGEST - _FAINTEST) * frame["share"]
    page, right, wrong = (style.on_dark(c) if dark else c for c in (style.GROUND, style.NEUTRAL, style.WRONG))
    colours = np.where(rows == columns, right, wrong)
    frame["fill"] = [style.mixed(colour, page, share) for colour, share in zip(colours, strength, strict=True)]
    return frame.assign(**{"text colour": [_readable(fill) for fill in frame["fill"]]})


def _bars(x: Any, y: Any, *, name: str, colour: str | list[str], edge: dict[str, Any]) -> go.Bar:
    """Draw cells that are only looked at, whatever is picked."""
    return go.Bar(
        **_places(x, y),
        name=name,
        marker={"color": colour, "opacity": 1.0, "line": edge},
        hoverinfo="skip",
        unselected={"marker": {"opacity": 1.0}},
    )


def _places(x: Any, y: Any) -> dict[str, Any]:
    """Return where bars stand that fill their cells; unlike marks, they grow with the figure."""
    return {"x": list(x), "y": [_CELL] * len(x), "base": [place - _CELL / 2 for place in y], "width": _CELL}


def _numbers(cells: pd.DataFrame, colour: str, pitch: int) -> go.Scatter:
    """Write the counts, and the shares below them, in one colour, which they keep whatever is picked."""
    size = max(_SMALLEST_TEXT, min(_LARGEST_TEXT, int(pitch * _COUNT)))
    both = pitch >= _LOWEST_OF_TWO
    small = f"font-size:{max(_SHARE, _SMALLEST_SHARE / size):.2f}em"
    return go.Scatter(
        x=cells["x"].tolist(),
        y=cells["y"].tolist(),
        mode="text",
        name="numbers",
        text=[
            f"<b>{count:,}</b>" + (f'<br><span style="{small}">{_share(share)}</span>' if both else "")
            for count, share in zip(cells["count"], cells["share"], strict=True)
        ],
        textposition="middle center",
        textfont={"color": colour, "size": size},
        hoverinfo="skip",
        unselected={"textfont": {"color": colour}},
    )


def _share(share: float) -> str:
    """Return a share as it stands in a cell."""
    return f"{plain(share_text(share))} %"


def _frames(cells: pd.DataFrame, picked: tuple[str, str] | None, ring: str) -> go.Bar:
    """Draw the frames: unseen but where a cell is picked; they have the hover boxes and take the clicks."""
    texts = [
        [*line, plain(line[1]), plain(line[2]), percent(line[4] / 100), count_words(line[3], "case")]
        for line in zip(
            cells["cell"].tolist(),
            cells["actual"],
            cells["predicted"],
            cells["count"].tolist(),
            (100 * cells["share"]).tolist(),
            cells["kind"],
            strict=True,
        )
    ]
    return go.Bar(
        **_places(cells["x"], cells["y"]),
        name="cells",
        marker={"color": style.TRANSPARENT, "opacity": 0, "line": {"color": ring, "width": 4}},
        customdata=texts,
        hovertemplate=(
            "<b>%{customdata[5]}: %{customdata[9]}</b><br>%{customdata[8]} of the cases of its row<br>"
            "the table says: %{customdata[6]}<br>the model says: %{customdata[7]}<extra></extra>"
        ),
        selectedpoints=[i for i, line in enumerate(texts) if (line[1], line[2]) == picked],
        selected={"marker": {"opacity": 1}},
        unselected={"marker": {"opacity": 0}},
    )


def _readable(fill: str) -> str:
    """Return black or white, whichever can be read on a colour."""
    return "#000000" if style.luminance(fill) > _BRIGHT else "#FFFFFF"
