"""Figure of what several systems say over the same two features, beside each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import plotly.graph_objects as go
from plotly.subplots import make_subplots

from proset.common.words import shown
from proset.explain.maps.surfaces import Surface
from proset.plots import style
from proset.plots.surface import Show, plot_surface
from proset.plots.texts import plain

_HEIGHT, _HEAD = 320, 90
_MOST_BESIDE = 3
_LONGEST_TITLE = 16  # letters of a title that has room below each of three surfaces in a narrow window


def plot_surfaces(
    surfaces: Sequence[tuple[str, Surface]],
    *,
    show: Show = "class",
    class_name: str | None = None,
    cases: bool = True,
    selected: int | None = None,
) -> go.Figure:
    """Draw surfaces side by side: one scale of colours, the same axes, which move together.

    Parameters
    ----------
    surfaces : sequence of (str, Surface)
        Titles, and surfaces over the same axes.
    show, class_name, cases, selected
        As :func:`proset.plots.surface.plot_surface` takes them; there is familiarity of some systems only, so it
        cannot be shown.

    Returns
    -------
    plotly Figure
        Up to three beside each other. ``customdata[0]`` of a mark is the row id; ``layout.meta`` says how many cases
        are too far from the cut, or is None.

    Examples
    --------
    >>> from proset.explain import surface
    >>> from proset.study import fit_sample
    >>> one = surface(fit_sample("iris_2f"), n_points=5)
    >>> figure = plot_surfaces([("proset", one), ("kNN", one)])
    >>> [note.text for note in figure.layout.annotations]
    ['proset', 'kNN']
    """
    beside = 2 if len(surfaces) == 4 else min(_MOST_BESIDE, len(surfaces))
    lines = -(-len(surfaces) // beside)
    figure = _grid([title for title, _ in surfaces], lines, beside)
    named: set[str] = set()
    x_title = y_title = ""
    notes: dict[str, list[str]] = {}
    for place, (title, surface) in enumerate(surfaces):
        one = plot_surface(
            surface, show=show, class_name=class_name, contours=False, cases=cases, prototypes=False, selected=selected
        )
        line, column = place // beside + 1, place % beside + 1
        _say_once(one, named, scale=place == 0)
        figure.add_traces(one.data, rows=line, cols=column)
        if one.layout.meta:
            notes.setdefault(one.layout.meta, []).append(title)
        x, y = one.layout.xaxis, one.layout.yaxis
        figure.update_xaxes(_axis(x), row=line, col=column)
        figure.update_yaxes(_axis(y), row=line, col=column)
        x_title, y_title = x.title.text, y.title.text
    style.finish(figure, height=_HEAD + _HEIGHT * lines)
    figure.update_xaxes(showgrid=False)
    figure.update_yaxes(showgrid=False)
    figure.update_yaxes(title=y_title, col=1)
    for place in range(max(0, len(surfaces) - beside), len(surfaces)):
        line, column = place // beside + 1, place % beside + 1
        # A long title would run into those beside it: then one stands for its line.
        said = x_title if len(x_title) <= _LONGEST_TITLE or column == _middle(len(surfaces), line, beside) else ""
        figure.update_xaxes(title=said, showticklabels=True, row=line, col=column)
    note = _together(notes, len(surfaces))
    return figure.update_layout(meta=note, margin_t=70, legend_y=1.0 + 40 / (_HEIGHT * lines))


def _grid(titles: Sequence[str], lines: int, beside: int) -> go.Figure:
    """Return an empty figure with a place for each title."""
    places: list[list[dict[str, object] | None]] = [
        [{} if line * beside + i < len(titles) else None for i in range(beside)] for line in range(lines)
    ]
    return make_subplots(
        rows=lines,
        cols=beside,
        specs=places,
        shared_xaxes="all",
        shared_yaxes="all",
        subplot_titles=[plain(title, limit=40) for title in titles],
        horizontal_spacing=0.02,
        vertical_spacing=0.12 / lines,
    )


def _say_once(figure: go.Figure, named: set[str], *, scale: bool) -> None:
    """Take from one surface what the others before it say: entries of the legend, and the scale unless it is asked."""
    for trace in figure.data:
        if trace.type == "scatter" and trace.showlegend is not False:
            own = trace.legendgroup or trace.name  # long names of two classes may be shortened to the same
            trace.showlegend = own not in named
            named.add(own)
            trace.legend = None
        if "showscale" in trace and not scale:
            trace.showscale = False


def _together(notes: Mapping[str, Sequence[str]], count: int) -> str | None:
    """Say what is not drawn, and on whose surface where it is not the same on all: each has its own measure of near."""
    said = [
        note if len(whose) == count else f"{', '.join(shown(title, 40) for title in whose)}: {note}"
        for note, whose in notes.items()
    ]
    return " ".join(said) or None


def _middle(count: int, line: int, beside: int) -> int:
    """Return which column has the title for its line: the middle one of those without another below."""
    under = [place % beside + 1 for place in range(count) if place + beside >= count and place // beside + 1 == line]
    return under[len(under) // 2]


def _axis(axis: go.layout.XAxis | go.layout.YAxis) -> dict[str, object]:
    """Return range and ticks of an axis."""
    kept = ("range", "tickmode", "tickvals", "ticktext")
    return {name: axis[name] for name in kept if axis[name] is not None}
