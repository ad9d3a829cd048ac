"""Figure of what one column holds, by class."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from proset.common.words import percent
from proset.data.column_profile import ColumnProfile, edge_words
from proset.plots import style
from proset.plots.texts import plain

_MOST_CLASSES = 10
_TICKS = 5
_LABEL = 18


def plot_column_profile(column: ColumnProfile, classes: Sequence[str], *, shares: bool = False) -> go.Figure:
    """Draw the distribution of a column, each bar stacked by class.

    Parameters
    ----------
    column : ColumnProfile
        What the column holds.
    classes : sequence of str
        All classes in their order; empty draws rows without a class.
    shares : bool, default False
        Draw the share of the classes in each bar instead of its rows.

    Returns
    -------
    plotly Figure
        One bar trace per class; of more than ten classes the nine largest, and one for all others.

    Examples
    --------
    >>> from proset.data.column_profile import profile_columns
    >>> from proset.data.samples import load_sample
    >>> found = profile_columns(load_sample("penguins"))
    >>> [trace.name for trace in plot_column_profile(found.columns["island"], found.classes).data]
    ['rows']
    """
    names, colours, counts = _stacks(column, classes)
    totals = np.maximum(counts.sum(axis=1), 1)
    figure = go.Figure()
    for name, colour, rows in zip(names, colours, counts.T, strict=True):
        said = [
            [plain(bar), int(n), percent(n / total)] for bar, n, total in zip(column.bars, rows, totals, strict=True)
        ]
        figure.add_trace(
            go.Bar(
                x=_places(column),
                y=(rows / totals if shares else rows).tolist(),
                width=1.0 if column.edges is not None else 0.8,
                name=plain(name, limit=30),
                marker={"color": colour, "line": {"color": style.OUTLINE, "width": 0.5}},
                customdata=said,
                hovertemplate=(
                    f"%{{customdata[0]}}<br>{plain(name)}: %{{customdata[1]:,}} rows, %{{customdata[2]}} of this bar"
                    "<extra></extra>"
                ),
            )
        )
    title = "share of the rows of a bar" if shares else "rows"
    style.finish(figure, x_title=plain(column.name, limit=60), y_title=title, height=340, legend=bool(classes))
    figure.update_layout(barmode="stack")
    ends = [-0.6, _places(column)[-1] + 0.6]  # else the last tick may fall off the axis
    figure.update_xaxes(tickmode="array", **_ticks(column), range=ends, showgrid=False)
    figure.update_yaxes(**(style.share_axis() | {"range": [0, 1]} if shares else {}))
    return figure


def _stacks(column: ColumnProfile, classes: Sequence[str]) -> tuple[list[str], list[str], NDArray[np.int64]]:
    """Return name, colour and rows of what is stacked."""
    if not classes:
        return ["rows"], [style.NEUTRAL], column.counts
    colours = style.class_colours(classes)
    if len(classes) <= _MOST_CLASSES:
        return list(classes), list(colours.values()), column.counts
    largest = np.sort(np.argsort(-column.counts.sum(axis=0), kind="stable")[: _MOST_CLASSES - 1])
    rest = column.counts.sum(axis=1) - column.counts[:, largest].sum(axis=1)
    names = [classes[at] for at in largest]
    rows = np.column_stack([column.counts[:, largest], rest])
    others = f"{len(classes) - len(names):,} other classes"
    return [*names, others], [*(colours[name] for name in names), style.NEUTRAL], rows


def _places(column: ColumnProfile) -> list[float]:
    """Return where the bars stand; missing cells stand apart from ranges."""
    ranges = len(column.bars) if column.edges is None else len(column.edges) - 1
    return [float(at if at < ranges else at + 0.5 * (column.edges is not None)) for at in range(len(column.bars))]


def _ticks(column: ColumnProfile) -> dict[str, list[object]]:
    """Return places and texts below the axis: borders of ranges, or the name of every bar."""
    places = _places(column)
    if column.edges is None:
        return {"tickvals": list(places), "ticktext": [plain(bar, limit=_LABEL) for bar in column.bars]}
    n_ranges = len(column.edges) - 1
    marked = list(range(0, n_ranges + 1, max(n_ranges // (_TICKS - 1), 1)))
    words = edge_words(column.edges, column.kind)
    extra = list(range(n_ranges, len(column.bars)))
    return {
        "tickvals": [*(at - 0.5 for at in marked), *(places[at] for at in extra)],
        "ticktext": [*(words[at] for at in marked), *(plain(column.bars[at]).strip("()") for at in extra)],
    }
