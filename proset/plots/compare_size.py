"""Figure of the error of several systems against their size."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from proset.common.words import count_words, shown
from proset.plots import style
from proset.plots.texts import hover_template, plain
from proset.plots.traces import Trace, legend_entry

SIZES = {"n_prototypes": "prototypes", "n_features": "features"}
"""Sizes that can stand along the figure, with their names."""
_NONE_AT = 0.5  # where a logarithmic axis shows a model of size 0
_BESIDE = 1.3
_DECADES = 2.5  # of an axis that has a tick at powers of ten only
# What lies more than so many times the height of the systems as compared above the lowest is out of the first view.
_FAR, _LEAST_ROOM, _BELOW = 2.5, 0.02, 0.06
_LINE = 20  # pixels of a line of the legend
_ENTRIES_A_LINE = 4


def plot_error_over_size(
    paths: pd.DataFrame,
    *,
    by: str = "n_prototypes",
    threshold: float | None = None,
    systems: list[str] | None = None,
    current: str | None = None,
) -> go.Figure:
    """Draw the mean log-loss over the folds against the number of prototypes or features, with a line through the best.

    Parameters
    ----------
    paths : DataFrame
        Columns title, knob (name of the setting that varies), value, n_prototypes, n_features, loss_mean, loss_sd,
        own (whether it is the system as it is compared rather than a step along its knob); see
        :func:`proset.compare.size_paths`.
    by : {"n_prototypes", "n_features"}
        What stands along the figure.
    threshold : float or None
        Mean log-loss up to which systems are called equivalent.
    systems : list of str or None
        Titles of all systems in their order, so that each keeps its mark; None for those of `paths`.
    current : str or None
        Title of the system that is the current model.

    Returns
    -------
    plotly Figure
        What is compared is ringed, and a line joins what no model of the system beats that is as small or smaller.
        ``layout.meta`` names the systems that have no such size, or is None.

    Examples
    --------
    >>> line = {"title": "kNN", "knob": "k", "value": 5.0, "n_prototypes": 90.0, "n_features": 4.0}
    >>> figure = plot_error_over_size(pd.DataFrame([{**line, "loss_mean": 0.2, "loss_sd": 0.1, "own": True}]))
    >>> figure.layout.xaxis.title.text, figure.data[0].name
    ('prototypes, mean over folds', 'kNN')
    """
    names = list(dict.fromkeys(paths["title"])) if systems is None else systems
    figure, missing, drawn = go.Figure(), [], []
    for look in style.system_looks(names, current):
        own = paths[paths["title"] == look.name]
        own = own[own[by].notna() & own["loss_mean"].notna()]
        if own.empty:
            missing.append(look.name)
            continue
        drawn.append(own)
        figure.add_traces(_system(own.sort_values([by, "loss_mean"], kind="stable"), look, by))
    if drawn:
        figure.add_trace(_ring_entry())
    style.finish(figure, x_title=f"{SIZES[by]}, mean over folds", y_title="log-loss, mean over folds", height=460)
    if threshold is not None and drawn:
        line = {"color": style.NEUTRAL, "dash": "dash", "width": 1.5}
        figure.add_hline(
            threshold,
            line=line,
            annotation={"text": "equivalent up to here", "font": {"size": 12}, "x": 0.0, "xanchor": "left"},
        )
    if drawn:
        sizes = pd.concat(drawn)[by].clip(lower=_NONE_AT)
        ends = np.log10([sizes.min() / _BESIDE, sizes.max() * _BESIDE])
        figure.update_xaxes(type="log", range=ends.tolist(), **_ticks(float(ends[0]), float(ends[1])))
    without = ", ".join(shown(name, 30) for name in missing)
    notes = [f"Without {SIZES[by]}, so not shown: {without}."] if missing else []
    if drawn:
        notes += _without_far_points(figure, pd.concat(drawn), threshold)
    entries = sum(trace.showlegend is not False for trace in figure.data)
    more = max(0, -(-entries // _ENTRIES_A_LINE) - 1)
    return figure.update_layout(meta=" ".join(notes) or None, margin_t=40 + _LINE * more)


def _without_far_points(figure: go.Figure, drawn: pd.DataFrame, threshold: float | None) -> list[str]:
    """Let the figure begin with what is near the systems as compared, and say what lies above."""
    losses = drawn["loss_mean"].to_numpy(dtype=np.float64)
    near = losses[drawn["own"].to_numpy(dtype=bool)] if drawn["own"].any() else losses
    low = float(losses.min())
    top = low + _FAR * max(float(near.max()) - low, (threshold or low) - low, _LEAST_ROOM)
    above = int((losses > top).sum())
    if not above:
        return []
    figure.update_yaxes(range=[low - _BELOW * (top - low), top])
    for line in figure.select_traces(lambda trace: trace.mode == "lines"):
        # One that came from above would leave the frame and say nothing of where it comes from.
        inside = np.asarray(line.y, dtype=np.float64) <= top
        line.update(x=np.asarray(line.x)[inside], y=np.asarray(line.y)[inside])
    them = "it" if above == 1 else "them"
    return [f"{count_words(above, 'point')} above the first view; zoom out to see {them}."]


def _system(own: pd.DataFrame, look: style.Look, by: str) -> list[go.Scatter]:
    """Draw the sizes of one system, smallest and best first, a line through what none as small beats, and a ring."""
    name = plain(look.name, limit=30)
    marker: dict[str, Any] = {
        "symbol": look.symbol,
        "size": 9,
        "color": look.colour,
        "line": {"color": style.OUTLINE, "width": 1},
    }
    compared = own["own"].to_numpy(dtype=bool)
    traces: list[go.Scatter] = []
    # A system without steps still has a mark, and an entry in the legend.
    for place, part in enumerate((own[~compared], own[compared])):
        if part.empty:
            continue
        traces.append(
            go.Scatter(
                x=part[by].clip(lower=_NONE_AT),
                y=part["loss_mean"],
                mode="markers",
                name=name,
                legendgroup=name,
                showlegend=not traces,
                marker=marker,
                customdata=_texts(part),
                hovertemplate=hover_template(
                    f"{name}, as compared" if place else name,
                    ["setting", "log-loss", "prototypes", "features"],
                    first=0,
                ),
            )
        )
    best = own[own["loss_mean"] < own["loss_mean"].cummin().shift(fill_value=np.inf)]
    if len(best) > 1:
        traces.append(
            go.Scatter(
                x=best[by].clip(lower=_NONE_AT), y=best["loss_mean"], mode="lines", name=name, legendgroup=name,
                showlegend=False, line={"color": look.colour, "width": 2}, hoverinfo="skip",
            )
        )  # fmt: skip
    ring = {"symbol": "circle-open", "size": 18, "color": style.INK, "line": {"width": 1.5}}
    traces.append(
        go.Scatter(
            x=own[compared][by].clip(lower=_NONE_AT), y=own["loss_mean"][compared], mode="markers", marker=ring,
            name="as compared", showlegend=False, legendgroup=name, hoverinfo="skip",
        )
    )  # fmt: skip
    return traces


def _texts(own: pd.DataFrame) -> list[list[str]]:
    """Return the lines of the hover boxes."""
    names = ["value", "loss_mean", "loss_sd", "n_prototypes", "n_features"]
    numbers = own[names].to_numpy(dtype=np.float64)
    return [
        [
            plain(knob, limit=40) + ("" if np.isnan(value) else f" {value:.4g}"),
            f"{mean:.4f}" + ("" if np.isnan(sd) else f" ± {sd:.4f}"),
            _count(prototypes),
            _count(features),
        ]
        for knob, (value, mean, sd, prototypes, features) in zip(own["knob"], numbers, strict=True)
    ]


def _count(value: float) -> str:
    """Write a mean of counts."""
    return "none" if np.isnan(value) else f"{value:,.1f}".removesuffix(".0")


def _ring_entry() -> Trace:
    """Explain the ring in the legend."""
    ring = {"symbol": "circle-open", "size": 14, "color": style.INK, "line": {"width": 1.5}}
    return legend_entry("as compared", marker=ring)


def _ticks(low: float, high: float) -> dict[str, Any]:
    """Return the ticks of a logarithmic axis between two powers of ten; where nothing stands, it says 0."""
    steps = (1,) if high - low > _DECADES else (1, 2, 5)
    powers = range(int(np.floor(low)), int(np.ceil(high)) + 1)
    values = [step * 10.0**power for power in powers for step in steps]
    kept = [value for value in values if low <= np.log10(value) <= high and value >= 1.0]
    none = [_NONE_AT] if low <= np.log10(_NONE_AT) else []
    words = ["0"] * len(none) + [f"{value:,.0f}" for value in kept]
    return {"tickmode": "array", "tickvals": [*none, *kept], "ticktext": words}
