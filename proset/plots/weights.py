"""Figure of the feature weights."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go

from proset.common.words import common_decimals, count_words, to_decimals
from proset.explain.structure.features import FeatureWeights
from proset.plots import style
from proset.plots.room import room_for_names
from proset.plots.texts import plain, unique_labels

# Heights in pixels: between the bars of two features, and of one bar.
_GROUP_GAP, _BAR = 10, 12
_BARS = 0.8  # of the room of a feature
_INDENT = "· "
_NEXT_TO_NOTHING = 0.02
_MOST_BATCHES = 6  # with a bar each; joined fits have some twenty


def plot_feature_weights(
    weights: pd.DataFrame, *, limit: int = 20, ordered: bool = False, one_bar: bool = False
) -> go.Figure:
    """Draw the feature weights as horizontal bars, the heaviest feature on top.

    Up to six batches have a bar each; of more, as of joined fits, a feature has one bar, its largest weight.

    Parameters
    ----------
    weights : DataFrame
        ``Study.feature_weights``: index matrix column names, one column per batch, active features only.
    limit : int, default 20
        Number of features shown, those whose largest weight over all batches is highest.
    ordered : bool, default False
        Keep the order of the lines.
    one_bar : bool, default False
        Draw one bar per feature, its largest weight, however few the batches are.

    Returns
    -------
    plotly Figure
        One bar trace per batch, or one in all; ``customdata[0]`` is the feature name. ``layout.meta`` says how many
        features are not shown, or is None.

    Examples
    --------
    >>> figure = plot_feature_weights(pd.DataFrame({1: [2.0, 0.5]}, index=["radius", "texture"]))
    >>> list(figure.data[0].y), list(figure.data[0].x)
    (['radius', 'texture'], [2.0, 0.5])
    """
    figure = go.Figure()
    order = weights.index if ordered else weights.max(axis=1).sort_values(ascending=False, kind="stable").index
    # A batch without prototypes has no weights and needs no room.
    shown = weights.loc[order[:limit], weights.gt(0.0).any()]
    labels, n_batches = unique_labels([plain(name, limit=40) for name in shown.index]), len(shown.columns)
    title = "weight per standardised unit"
    named: dict[object, str] = {batch: f"batch {batch}" for batch in shown.columns}
    if n_batches > (1 if one_bar else _MOST_BATCHES):
        title = f"{title}, largest of {weights.shape[1]} batches"
        named, shown = {0: f"the heaviest of {weights.shape[1]} batches"}, shown.max(axis=1).to_frame(0)
    # Of several bars per feature those of next to nothing have no number: they would lie on one another.
    least = _NEXT_TO_NOTHING * float(shown.to_numpy().max(initial=0.0)) if len(shown.columns) > 1 else 0.0
    decimals = max(2, common_decimals(shown.to_numpy().ravel().tolist(), 2))  # 0.00 says nothing of a small weight
    shades = _shades(len(shown.columns))
    # Bars stand around the name of their feature, however many batches it weighs in: Plotly would leave room for all.
    there = shown.gt(0.0)
    beside, before = there.sum(axis=1), there.cumsum(axis=1) - there
    most = max(1, beside.max()) if len(shown) else 1
    width = _BARS / most
    for shade, batch in zip(shades, shown.columns, strict=True):
        bars = _bars(shown[batch], labels, named[batch], shade, least, decimals)
        figure.add_trace(bars.update(offset=(width * (before[batch] - beside / 2)).tolist(), width=width))
    group = _GROUP_GAP + _BAR * most
    style.finish(figure, x_title=title, height=90 + group * max(1, len(shown)), legend=len(shades) > 1)
    figure.update_yaxes(autorange="reversed", showgrid=False, type="category")
    figure.update_xaxes(rangemode="tozero")
    figure.update_layout(margin_l=room_for_names(labels))
    if figure.layout.showlegend:  # it floats above the plot by a share of its height
        figure.update_layout(margin_t=46 + figure.layout.height // 50)
    left = len(weights) - len(shown)
    more = f"{count_words(left, 'more feature')} of less weight {'is' if left == 1 else 'are'} not shown."
    figure.update_layout(meta=more if left else None)
    return figure


def _bars(weights: pd.Series, labels: list[str], name: str, shade: str, least: float, decimals: int) -> go.Bar:
    """Return a bar for each feature of one batch, with its number where it is more than so little."""
    return go.Bar(
        x=weights.tolist(),
        y=labels,
        orientation="h",
        name=name,
        marker={"color": shade, "line": {"color": style.OUTLINE, "width": 0.5}},
        customdata=[[str(feature)] for feature in weights.index],
        text=[to_decimals(value, decimals) if value > least else "" for value in weights],
        textposition="outside",
        textfont={"size": _BAR - 1},
        constraintext="none",  # else numbers shrink with the bar, until nobody can read them
        cliponaxis=False,
        hovertemplate=f"%{{y}}<br>weight in {name}: %{{x:.4~g}}<extra></extra>",
    )


def plot_weights(found: FeatureWeights, *, levels: bool = False, limit: int = 20) -> go.Figure:
    """Draw the weights of the features of a table, one group of bars per batch.

    Parameters
    ----------
    levels : bool, default False
        Draw the pieces of each category below it.
    limit : int, default 20
        Number of features shown.

    Returns
    -------
    plotly Figure
        As :func:`plot_feature_weights` returns it.

    Examples
    --------
    >>> from proset.explain import feature_weights
    >>> from proset.study import fit_sample
    >>> found = feature_weights(fit_sample("iris_2f"))
    >>> list(plot_weights(found).data[0].y)
    ['sepal length (cm)', 'sepal width (cm)']
    """
    figure = plot_feature_weights(found.weights, limit=limit)
    if not levels or not found.grouped:
        return figure
    shown, several = found.weights.index[:limit], set(found.grouped)
    lines: dict[str, pd.Series] = {}
    for name in shown:
        lines[str(name)] = found.weights.loc[name]
        if name in several:
            # A column may be called like a piece of another one.
            lines |= {f"{_INDENT}{piece}": values for piece, values in found.pieces.loc[name].iterrows()}
    opened = pd.DataFrame(lines, index=found.weights.columns).T
    return plot_feature_weights(opened, limit=len(opened), ordered=True).update_layout(meta=figure.layout.meta)


def _shades(count: int) -> list[str]:
    """Return the model's colour from strong to faint, one for each batch; even the faintest is seen."""
    return [style.tinted(style.MODEL, round(1 - 0.6 * i / max(1, count - 1), 2)) for i in range(count)]
