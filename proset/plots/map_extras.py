"""Additions to a map's marks: rings, the selected case, the reference point, lines of impact."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.explain.maps.map import BatchMap
from proset.plots import style
from proset.plots.map_marks import mark_sizes, sample_traces
from proset.plots.texts import hover_template, plain
from proset.plots.traces import MARKS_LEGEND, Trace, per_point

MANY_RINGS = 150
SPOT_SYMBOL = "diamond-open-dot"
# Strongest prototypes of a case that get a line, and those of them that get the number of their row.
LINES, NUMBERS = 10, 5
# Pixels of a map from end to end, about, and of a number of three digits.
_PIXELS, _NUMBER = np.array([900.0, 420.0]), np.array([28.0, 15.0])


def wrong_traces(wrong: pd.DataFrame) -> list[Trace]:
    """Draw rings around misclassified rows. They let the mouse through, so hover and click reach the row itself."""
    if wrong.empty:
        return []
    # Hundreds of wide rings would hide each other and the rows inside.
    size = style.RING_SIZE if len(wrong) <= MANY_RINGS else style.RING_SIZE_MANY
    return _rings(wrong, symbol="circle-open", size=size, name="misclassified", colour=style.WRONG)


def selected_traces(mapping: BatchMap, selected: int | None) -> list[Trace]:
    """Draw a ringed diamond for the selected case, with its own mark inside in case its part is not drawn."""
    if selected is None or selected not in mapping.points.index:
        return []
    case = mapping.points.loc[[selected]]
    shown = [trace for trace in sample_traces(mapping, case) if "customdata" in trace]
    rings = _rings(case, symbol=style.SELECTED_SYMBOL, size=style.SELECTED_SIZE, name="selected case")
    return [*shown, *rings]


def spot_traces(spot: tuple[float, float] | None) -> list[Trace]:
    """Mark where a case lies that is no row of the table."""
    if spot is None:
        return []
    look = {"symbol": SPOT_SYMBOL, "size": style.SELECTED_SIZE, "line": {"width": 3, "color": style.INK}}
    name = "selected case (not in the table)"
    return [
        {
            "type": "scatter",
            "x": [spot[0]],
            "y": [spot[1]],
            "mode": "markers",
            "name": name,
            "legendgroup": name,
            "legend": MARKS_LEGEND,
            "marker": {**look, "color": style.INK},
            "unselected": {"marker": {"opacity": 1.0}},
            "hoverinfo": "skip",
        }
    ]


def reference_traces(mapping: BatchMap, row: int | None) -> list[Trace]:
    """Draw a star at the reference point."""
    if row is None or row not in mapping.points.index:
        return []
    spot = mapping.points.loc[[row]]
    marker = {
        "symbol": style.REFERENCE_SYMBOL,
        "size": style.REFERENCE_SIZE,
        "color": style.INK,
        "line": {"color": style.GROUND, "width": 1.5},
    }
    template = hover_template(f"Reference point, row %{{customdata[0]}}: {plain(spot['actual'].iloc[0], limit=30)}", [])
    return [
        {
            "type": "scatter",
            "x": spot["x"],
            "y": spot["y"],
            "mode": "markers",
            "name": "reference point",
            "legendgroup": "reference point",
            "showlegend": True,
            "legend": MARKS_LEGEND,
            "marker": marker,
            "customdata": per_point(spot.index),
            "hovertemplate": template,
            "unselected": {"marker": {"opacity": 1.0}},
        }
    ]


def impact_lines(mapping: BatchMap, selected: int | None, impacts: pd.Series | None) -> list[Trace]:
    """Draw lines from a case to its strongest prototypes of the batch, the wider the more impact: figure 4.6."""
    if impacts is None or selected is None or selected not in mapping.points.index:
        return []
    frame = mapping.prototypes.assign(impact=mapping.prototypes["row"].map(impacts).fillna(0.0).astype(np.float64))
    strongest = frame[frame["impact"] > 0].nlargest(LINES, "impact")
    if strongest.empty:
        return []
    colours = style.class_colours(mapping.classes)
    x, y = (float(mapping.points[name].loc[selected]) for name in ("x", "y"))
    traces = [
        {
            "type": "scatter",
            "x": [x, line["x"]],
            "y": [y, line["y"]],
            "mode": "lines",
            "name": plain(line["class"], limit=30),
            "line": {
                "color": style.tinted(colours[line["class"]], 0.75),
                "width": 1.0 + 5.0 * line["impact"] / strongest["impact"].max(),
            },
            "showlegend": False,
            "hoverinfo": "skip",
        }
        for line in strongest.to_dict("records")
    ]
    strongest = strongest.assign(size=mark_sizes(frame["impact"].to_numpy())[frame.index.get_indexer(strongest.index)])
    return [*traces, _numbers(strongest.head(NUMBERS), mapping, y)]


def _numbers(strongest: pd.DataFrame, mapping: BatchMap, height: float) -> Trace:
    """Write the rows of prototypes above or below their marks, on the side to which no line leads."""
    named = strongest[_readable(strongest[["x", "y"]].to_numpy(), mapping.points[["x", "y"]].to_numpy())]
    return {
        "type": "scatter",
        "x": named["x"],
        "y": named["y"],
        # Marks that are not seen, as large as those of the prototypes: Plotly writes beside marks, not on them.
        "mode": "markers+text",
        "marker": {"size": named["size"], "opacity": 0.0},
        "text": [str(row) for row in named["row"]],
        "textposition": np.where(named["y"] >= height, "top center", "bottom center").tolist(),
        "textfont": {"size": 12, "color": style.INK, "shadow": "auto"},
        "unselected": {"marker": {"opacity": 0.0}},
        "showlegend": False,
        "hoverinfo": "skip",
    }


def _readable(places: NDArray[np.float64], everything: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Tell which of some numbers are written: the first, and each that lies over none before it."""
    seen = np.ptp(everything, axis=0) / _PIXELS
    apart = np.abs(places[:, None] - places[None]) > seen * _NUMBER
    written = np.zeros(len(places), dtype=bool)
    for i in range(len(places)):
        written[i] = apart[i, written].any(axis=1).all()
    return written


def _rings(points: pd.DataFrame, *, symbol: str, size: float, name: str, colour: str = style.INK) -> list[Trace]:
    """Draw a ring on a wider one in the colour of the page: seen on every mark."""
    return [
        {
            "type": "scatter",
            "x": points["x"],
            "y": points["y"],
            "mode": "markers",
            "name": name,
            "legendgroup": name,
            "showlegend": False,
            "marker": {"symbol": symbol, "size": size, "color": hue, "line": {"width": width, "color": hue}},
            "customdata": per_point(points.index),
            "hoverinfo": "skip",
            "unselected": {"marker": {"opacity": 1.0}},
        }
        for hue, width in ((style.GROUND, min(4.0, size / 3)), (colour, min(2.0, size / 6)))
    ]
