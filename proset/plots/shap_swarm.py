"""Direction of features: SHAP values of many rows, by whether the row's own value is low or high."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from proset.common.words import count_words, number, plus_minus, shown
from proset.plots import style
from proset.plots.texts import hover_template, plain, unique_labels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from proset.explain.attribution.many_rows import ShapSample

_LINE, _HIGHEST, _FEW, _WIDEST = 34, 80, 320, 0.42  # pixels between lines, of few lines more, and all of these
_BINS = 120
_SIZE = 6


def plot_shap_swarm(sample: ShapSample, label: str, *, limit: int = 12) -> go.Figure:
    """Draw the SHAP values of many rows for one class, one line of marks per feature, the most important one on top.

    Parameters
    ----------
    sample : ShapSample
        From :func:`proset.explain.attribution.many_rows.global_importance`.
    label : str
        The class; marks at the right move the estimate towards it.
    limit : int, default 12
        Features that are drawn; those without effect are not.

    Returns
    -------
    plotly Figure
        One trace per feature; ``customdata[0]`` is the row id. Shades follow the rank of the value among these rows; a
        category has none. ``layout.meta`` says what is not drawn.

    Examples
    --------
    >>> from proset.explain.attribution.many_rows import global_importance
    >>> from proset.explain.attribution.reference import choose_reference_point
    >>> from proset.study import fit_sample
    >>> study = fit_sample("iris_2f")
    >>> figure = plot_shap_swarm(global_importance(study, choose_reference_point(study)).sample, "setosa")
    >>> [len(trace.x) for trace in figure.data], figure.layout.xaxis.title.text
    ([45, 45], 'SHAP value towards setosa (percentage points)')
    """
    values = 100.0 * sample.of(label)
    order = values.abs().mean().sort_values(ascending=False, kind="stable")
    used = order.index[order > 0.0]
    names = [str(name) for name in used[:limit]]
    labels = unique_labels([plain(name, limit=36) for name in names])
    figure = go.Figure()
    for place, (name, said) in enumerate(zip(names, labels, strict=True)):
        at = values[name].to_numpy(dtype=np.float64)
        figure.add_trace(_marks(sample, name, said, at, place))
    towards = plain(label, limit=30)
    title = f"SHAP value towards {towards} (percentage points)"
    style.finish(
        figure, x_title=title, height=110 + max(_LINE * len(names), min(_HIGHEST * len(names), _FEW)), legend=False
    )
    figure.update_yaxes(
        tickvals=list(range(len(names))), ticktext=labels, range=[len(names) - 0.5, -0.5], showgrid=False
    )
    figure.add_vline(x=0.0, line={"color": style.NEUTRAL, "width": 1})
    bar = style.colour_bar("value of the row")
    bar |= {"tickvals": [0.0, 1.0], "ticktext": ["low", "high"]}
    figure.update_layout(
        coloraxis={"colorscale": [list(step) for step in style.GREYS], "cmin": 0.0, "cmax": 1.0, "colorbar": bar}
    )
    left = len(used) - len(names)
    are = ("moves", "is") if left == 1 else ("move", "are")
    more = f"{count_words(left, 'more column')} {are[0]} the estimates less and {are[1]} not drawn."
    return figure.update_layout(meta=more if left else None)


def _marks(sample: ShapSample, name: str, said: str, at: NDArray[np.float64], place: int) -> go.Scatter:
    """Return the marks of one feature."""
    cells = sample.cells[name]
    ranks = _ranks(cells)
    texts = [_cell(value) for value in cells]
    return go.Scatter(
        x=at,
        y=place + _spread(at),
        mode="markers",
        name=said,
        showlegend=False,
        marker={
            "size": _SIZE,
            "line": {"color": style.OUTLINE, "width": 0.8},
            **({"color": style.NEUTRAL} if ranks is None else {"color": ranks, "coloraxis": "coloraxis"}),
        },
        customdata=[
            [int(row), text, f"{plus_minus(value, 1)} percentage points"]
            for row, text, value in zip(sample.rows, texts, at, strict=True)
        ],
        hovertemplate=hover_template(f"Row %{{customdata[0]}}, {said}", ["value", "moves by"]),
    )


def _ranks(cells: pd.Series) -> NDArray[np.float64] | None:
    """Return where each value lies among all, from 0 to 1; None where there is no order."""
    ordered = pd.api.types.is_datetime64_any_dtype(cells.dtype) or pd.api.types.is_numeric_dtype(cells.dtype)
    if not ordered or cells.nunique() < 2:
        return None
    ranks = cells.rank(method="average")
    low, high = float(ranks.min()), float(ranks.max())
    shares: NDArray[np.float64] = ((ranks - low) / (high - low)).fillna(0.5).to_numpy().astype(np.float64)
    return shares


def _cell(value: Any) -> str:
    """Return a cell as text, safe to show."""
    if pd.isna(value):
        return "missing"
    return number(float(value)) if isinstance(value, (int, float, np.number)) else plain(shown(value, 30), limit=30)


def _spread(at: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how far each mark is moved off its line, so that marks of like values stand above each other."""
    low, high = float(at.min(initial=0.0)), float(at.max(initial=0.0))
    bins = np.floor((at - low) / max(high - low, 1e-12) * (_BINS - 1)).astype(np.int64)
    moved, deepest = np.zeros(len(at)), int(np.bincount(bins).max(initial=1))
    for one in np.unique(bins):
        inside = np.flatnonzero(bins == one)
        order = np.arange(len(inside))
        moved[inside] = (order + 1) // 2 * np.where(order % 2, 1.0, -1.0)
    return moved * (_WIDEST / max(deepest // 2, 5))
