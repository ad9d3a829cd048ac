"""Figure 4.9: how much each feature moves the estimates, on average over many cases or for one."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from proset.common.words import count_words
from proset.plots import style
from proset.plots.texts import plain, unique_labels

_BAR = 26


def plot_importance(importance: pd.DataFrame, *, limit: int = 12) -> go.Figure:
    """Draw mean absolute SHAP values, the most important feature on top.

    Parameters
    ----------
    importance : DataFrame
        From :meth:`proset.explain.attribution.shapley.ShapValues.importance`: index features, one column per class.
    limit : int, default 12
        Features that get a bar of their own; those without effect get none.

    Returns
    -------
    plotly Figure
        Of two classes one bar trace, since both change by the same; else one per class, one behind the other.
        ``customdata[0]`` is the feature, None for the bar of all others. ``layout.meta`` says what is not shown.

    Examples
    --------
    >>> frame = pd.DataFrame({"yes": [0.2, 0.1], "no": [0.2, 0.1]}, index=["radius", "texture"])
    >>> figure = plot_importance(frame)
    >>> len(figure.data), list(figure.data[0].x), list(figure.data[0].y)
    (1, [20.0, 10.0], ['radius', 'texture'])
    """
    used = importance[importance.sum(axis=1) > 0.0]
    top = used.iloc[:limit] if len(used) > limit + 1 else used
    rest = used.iloc[len(top) :]
    columns: list[str | None] = [str(name) for name in top.index]
    labels = unique_labels([plain(name, limit=36) for name in top.index])
    shares = 100.0 * top
    if len(rest):
        columns.append(None)
        labels.append(f"the other {count_words(len(rest), 'column')}")
        shares = pd.concat([shares, 100.0 * rest.sum().to_frame().T])
    figure = go.Figure()
    looks = style.class_looks([str(name) for name in importance.columns])
    if len(looks) == 2:  # what one gains the other loses, so that a bar is no class's own
        figure.add_trace(_bars(shares.iloc[:, 0], labels, columns, name="either class", colour=style.NEUTRAL))
        said = [f"{value:.1f}" for value in shares.iloc[:, 0]]
        figure.update_traces(text=said, textposition="outside", cliponaxis=False)
    else:
        for place, look in enumerate(looks):
            name = plain(look.name, limit=30)
            figure.add_trace(_bars(shares.iloc[:, place], labels, columns, name=name, colour=look.colour))
        figure.add_trace(_sums(shares.sum(axis=1), labels))
    title = "mean change (percentage points)" if len(looks) == 2 else "percentage points, added up over classes"
    style.finish(figure, x_title=title, height=90 + _BAR * max(1, len(labels)), legend=len(looks) > 2)
    figure.update_layout(barmode="stack", bargap=0.3, meta=_left_words(importance, used, rest))
    figure.update_yaxes(autorange="reversed", showgrid=False, type="category")
    figure.update_xaxes(rangemode="tozero")
    return figure


def _bars(values: pd.Series, labels: list[str], columns: list[str | None], *, name: str, colour: str) -> go.Bar:
    """Return the bars of one class."""
    return go.Bar(
        x=values.tolist(),
        y=labels,
        orientation="h",
        name=name,
        marker={"color": colour, "line": {"color": style.OUTLINE, "width": 0.5}},
        customdata=[[column] for column in columns],
        hovertemplate=f"<b>%{{y}}</b><br>{name}: %{{x:.2f}} percentage points<extra></extra>",
    )


def _sums(sums: pd.Series, labels: list[str]) -> go.Scatter:
    """Return the sum over classes as text at the end of each bar."""
    return go.Scatter(
        x=sums.tolist(),
        y=labels,
        mode="text",
        text=[f" {value:.1f}" for value in sums],
        textposition="middle right",
        showlegend=False,
        cliponaxis=False,
        hoverinfo="skip",
    )


def _left_words(importance: pd.DataFrame, used: pd.DataFrame, rest: pd.DataFrame) -> str | None:
    """Say what has no bar of its own."""
    idle = len(importance) - len(used)
    words = []
    if len(rest):
        words.append(f"The last bar is the sum over {count_words(len(rest), 'column')}.")
    if idle:
        words.append(f"{count_words(idle, 'column')} {'has' if idle == 1 else 'have'} no effect and no bar.")
    return " ".join(words) or None
