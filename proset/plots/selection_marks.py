"""Looks that the figures of a hyperparameter search share: marks, hover boxes, the axis of a penalty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from proset.plots import style
from proset.plots.texts import hover_template
from proset.plots.traces import Trace, legend_entry

PENALTIES = {"lambda_v": "λ<sub>v</sub>", "lambda_w": "λ<sub>w</sub>"}
MEANING = {"lambda_v": "penalty on feature weights", "lambda_w": "penalty on prototype weights"}
POINT = 10.0
# Half a decade beyond the outermost point, else marks at the edge are cut.
_MARGIN_DECADES = 0.25


@dataclass(frozen=True, eq=False)
class Marks:
    """Limit of the rule in one stage, and the rows that it marks: chosen and used."""

    threshold: float
    optimal: int
    chosen: int


def mark_traces(x: pd.Series, y: pd.Series, marks: Marks) -> list[go.Scatter | Trace]:
    """Draw a star on the lowest mean and a ringed diamond on the chosen row, both seen on light and dark."""
    star = {"symbol": style.REFERENCE_SYMBOL, "size": style.REFERENCE_SIZE, "color": style.GROUND}
    star["line"] = {"color": style.INK, "width": 1.5}
    traces = [_mark(x, y, marks.optimal, star, name="lowest mean", legend=True)]
    for colour, width in ((style.GROUND, 5.0), (style.INK, 2.5)):
        ring = {"symbol": style.SELECTED_SYMBOL, "size": style.SELECTED_SIZE + 4, "color": colour}
        ring["line"] = {"color": colour, "width": width}
        traces.append(_mark(x, y, marks.chosen, ring, name="chosen", legend=False))
    grey = {"symbol": style.SELECTED_SYMBOL, "size": style.RING_SIZE, "color": style.NEUTRAL, "line": {"width": 2}}
    entry = legend_entry("chosen", marker=grey)
    return [*traces, entry]


def _mark(x: pd.Series, y: pd.Series, label: int, marker: dict[str, Any], *, name: str, legend: bool) -> go.Scatter:
    """Draw one mark on one row; a person may have chosen a row that is not finished and so has no place."""
    place = [label] if label in x.index else []
    return go.Scatter(
        x=x.loc[place],
        y=y.loc[place],
        mode="markers",
        name=name,
        legendgroup=name,
        showlegend=legend,
        marker=marker,
        customdata=[[int(label)] for label in place],
        hoverinfo="skip",
    )


def threshold_line(x: pd.Series, marks: Marks) -> go.Scatter:
    """Draw the threshold from the first value to the last; its number stands in the legend, where nothing covers it."""
    ends = [x.min(), x.max()]
    line = {"dash": "dash", "width": 2, "color": style.NEUTRAL}
    name = f"threshold {marks.threshold:.3f}"
    return go.Scatter(x=ends, y=[marks.threshold] * 2, mode="lines", line=line, name=name, hoverinfo="skip")


def hover(done: pd.DataFrame, heads: list[str]) -> dict[str, Any]:
    """Return the label of each row and the lines of its hover box."""
    texts = [
        [f"{row.mean:.4f}", f"{row.sd:.4f}", f"{row.n_features:.1f}", f"{row.n_prototypes:.1f}"]
        for row in done[["mean", "sd", "n_features", "n_prototypes"]].itertuples(index=False)
    ]
    names = ["log-loss", "standard deviation", "features (mean)", "prototypes (mean)"]
    return {
        "customdata": [[int(label), head, *text] for label, head, text in zip(done.index, heads, texts, strict=True)],
        "hovertemplate": hover_template("%{customdata[1]}", names, first=2),
    }


def span(exponents: np.ndarray, *, steps: int) -> np.ndarray:
    """Return evenly spaced exponents from just below the lowest to just above the highest."""
    return np.linspace(exponents.min() - _MARGIN_DECADES, exponents.max() + _MARGIN_DECADES, steps)


def log_axis(figure: go.Figure, axis: str, values: pd.Series) -> go.Figure:
    """Return powers of ten, with some room beyond the outermost value."""
    ends = span(np.log10(values.to_numpy()), steps=2)
    return figure.update_layout({axis: {"type": "log", "dtick": 1, "exponentformat": "power", "range": ends.tolist()}})
