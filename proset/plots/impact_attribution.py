"""Figure of why each prototype counts for one case: its impact, taken apart by feature."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from proset.common.words import count_words
from proset.explain.attribution.impact_attribution import ImpactAttribution
from proset.plots import style
from proset.plots.texts import plain, unique_labels

_ROW, _HEAD = 34, 130
# Dark text can be read on every step, on light and on dark pages.
_SCALE = ((0.0, "#8FB8E0"), (0.5, "#F4F4F4"), (1.0, "#EFA198"))
_DARK_TEXT = "#1A1A1A"


def plot_impact_attribution(found: ImpactAttribution, *, prototypes: int = 8, features: int = 8) -> go.Figure:
    """Draw what each feature adds to the impact of the prototypes that count most.

    Parameters
    ----------
    found : ImpactAttribution
        From :func:`proset.explain.attribute_impact`.
    prototypes, features : int, default 8
        How many of either are shown: prototypes by their impact, features by their sizes over these prototypes.

    Returns
    -------
    plotly Figure
        One heat map; rows are prototypes by descending impact, columns features, the last one all others together.
        ``customdata`` of a cell is [prototype, feature, value in words]. ``layout.meta`` says what is not shown.

    Examples
    --------
    >>> from proset import ClassifierModel, explain
    >>> X = [[0.0], [0.1], [0.2], [1.0], [1.1], [1.2]]
    >>> model = ClassifierModel().fit(X, list("aaabbb"))
    >>> figure = plot_impact_attribution(explain.attribute_impact(model, X[0], reference=X[5]))
    >>> figure.layout.xaxis.ticktext
    ('x0',)
    """
    shown = found.prototypes.iloc[:prototypes]
    values, names = _columns(found, len(shown), features)
    rows = unique_labels(
        [f"{sample} ({plain(name, limit=14)})" for sample, name in zip(shown["sample"], shown["class"], strict=True)]
    )
    labels = [
        f"<b>{label}</b><br>{_number(base)} → {_number(impact)}"
        for label, base, impact in zip(rows, shown["base"], shown["impact"], strict=True)
    ]
    texts = [[_change(value) for value in line] for line in values]
    largest = float(np.abs(values).max(initial=0.0)) or 1.0
    figure = go.Figure(
        go.Heatmap(
            z=values,
            x=list(range(len(names))),
            y=list(range(len(rows))),
            zmin=-largest,
            zmax=largest,
            colorscale=_SCALE,
            showscale=False,
            text=texts,
            texttemplate="%{text}",
            textfont={"color": _DARK_TEXT, "size": 13},
            xgap=2,
            ygap=2,
            customdata=[
                [[row, name, _change(value)] for name, value in zip(names, line, strict=True)]
                for row, line in zip(rows, values, strict=True)
            ],
            hovertemplate="<b>prototype %{customdata[0]}</b><br>%{customdata[1]}: %{customdata[2]}<extra></extra>",
        )
    )
    style.finish(figure, height=_HEAD + _ROW * max(1, len(rows)), legend=False)
    ticks = {"tickmode": "array", "showgrid": False}
    figure.update_xaxes(tickvals=list(range(len(names))), ticktext=names, side="top", **ticks)
    figure.update_yaxes(tickvals=list(range(len(rows))), ticktext=labels, autorange="reversed", **ticks)
    left = len(found.prototypes) - len(shown)
    more = f"{count_words(left, 'more prototype')} of less impact {'is' if left == 1 else 'are'} not shown."
    figure.update_layout(meta=more if left else None)
    return figure


def _columns(found: ImpactAttribution, n_rows: int, limit: int) -> tuple[np.ndarray, list[str]]:
    """Return the values of the features that matter most for the first prototypes, and what stands above them."""
    values = found.values[:n_rows]
    size = np.abs(values).sum(axis=0)
    order = [int(d) for d in np.argsort(-size, kind="stable") if size[d] > 0.0]
    top = order[:limit] if len(order) > limit + 1 else order
    rest = order[len(top) :]
    names = unique_labels([plain(found.features[d], limit=16) for d in top])
    shown = values[:, top]
    if rest:
        return np.column_stack([shown, values[:, rest].sum(axis=1)]), [*names, f"{len(rest)} others"]
    return shown, names


def _number(value: float) -> str:
    """Write an impact: three digits say enough."""
    return "under 0.01" if 0.0 < value < 0.01 else f"{value:.3g}"


def _change(value: float) -> str:
    """Write a change of an impact with its sign; next to nothing is 0."""
    if abs(value) < 0.005:
        return "0"
    return f"{value:+.2f}" if abs(value) < 1.0 else f"{value:+.1f}" if abs(value) < 100.0 else f"{value:+,.0f}"
