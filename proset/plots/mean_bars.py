"""Bars of what columns, or pairs of them, do on average, cut into the classes of which they do it."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from proset.common.words import count_words
from proset.plots import style
from proset.plots.texts import plain, unique_labels

_LINE = 26


def draw_means(
    means: pd.DataFrame,
    names: Sequence[str],
    *,
    unit: str,
    title: str,
    noun: str = "column",
    mirrored: bool = False,
    limit: int = 12,
    line: int = _LINE,
) -> go.Figure:
    """Draw one line per row of a frame of means, the sums over classes as text at the ends.

    Parameters
    ----------
    means : DataFrame
        At least 0, largest sums first, one column per class.
    names : sequence of str
        What each line is called, safe to show.
    unit, title, noun : str
        Of a number in a hover box, of the axis, and what a line is.
    mirrored : bool, default False
        Whether the first class stands for both.
    limit : int, default 12
        Lines of their own; the others share one, unless it would dwarf them, and those of 0 have none.
    line : int
        Pixels of a line.

    Returns
    -------
    plotly Figure
        ``customdata[0]`` is the line's label in the index, None for that of all others. ``layout.meta`` says what has
        no line of its own.

    Examples
    --------
    >>> frame = pd.DataFrame({"a": [3.0, 1.0, 0.5], "b": [2.0, 1.0, 0.0]}, index=["x", "y", "z"])
    >>> figure = draw_means(frame, ["x", "y", "z"], unit="%", title="share (%)", limit=1)
    >>> list(figure.data[0].y), list(figure.data[0].x), figure.layout.meta
    (['x', 'the other 2 columns'], [3.0, 1.5], 'The last bar is the sum over 2 columns.')
    >>> draw_means(frame, ["x", "y", "z"], unit="%", title="share (%)", limit=0).layout.meta
    'Not drawn: the other 3 columns, which come to 7.5 together.'
    """
    used = means[means.sum(axis=1) > 0.0]
    top = used.iloc[:limit] if len(used) > limit + 1 else used
    rest = used.iloc[len(top) :]
    owners: list[str | None] = [_owner(label) for label in top.index]
    labels = unique_labels(list(names[: len(top)]))
    shares, apart = top, float(rest.to_numpy().sum())
    drawn = bool(len(rest)) and apart <= top.sum(axis=1).max()  # else the bars that have names could not be compared
    if drawn:
        owners.append(None)
        labels.append(f"the other {count_words(len(rest), noun)}")
        shares = pd.concat([shares, rest.sum().to_frame().T])
    figure = go.Figure()
    looks = style.class_looks([str(name) for name in means.columns])
    if mirrored:
        figure.add_trace(_bars(shares.iloc[:, 0], labels, owners, name="either class", unit=unit, colour=style.NEUTRAL))
        said = [f"{value:.1f}" for value in shares.iloc[:, 0]]
        figure.update_traces(text=said, textposition="outside", cliponaxis=False)
    else:
        for place, look in enumerate(looks):
            name = plain(look.name, limit=30)
            figure.add_trace(_bars(shares.iloc[:, place], labels, owners, name=name, unit=unit, colour=look.colour))
        figure.add_trace(_sums(shares.sum(axis=1), labels))
    style.finish(figure, x_title=title, height=90 + line * max(1, len(labels)), legend=not mirrored)
    left = _left_words(len(means) - len(used), len(rest), noun, None if drawn else apart / (1 + mirrored))
    figure.update_layout(barmode="stack", bargap=0.3, meta=left)
    figure.update_yaxes(autorange="reversed", showgrid=False, type="category")
    figure.update_xaxes(rangemode="tozero")
    return figure


def _owner(label: object) -> str:
    """Return what a line is about in one text."""
    return " × ".join(map(str, label)) if isinstance(label, tuple) else str(label)


def _bars(
    values: pd.Series, labels: list[str], owners: list[str | None], *, name: str, unit: str, colour: str
) -> go.Bar:
    """Return the bars of one class."""
    return go.Bar(
        x=values.tolist(),
        y=labels,
        orientation="h",
        name=name,
        marker={"color": colour, "line": {"color": style.OUTLINE, "width": 0.5}},
        customdata=[[owner] for owner in owners],
        hovertemplate=f"<b>%{{y}}</b><br>{name}: %{{x:.2f}} {unit}<extra></extra>",
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


def _left_words(n_idle: int, n_others: int, noun: str, apart: float | None) -> str | None:
    """Say what has no bar of its own; `apart` is what the others come to where they have none together either."""
    words = []
    if n_others and apart is not None:
        words.append(f"Not drawn: the other {count_words(n_others, noun)}, which come to {apart:.1f} together.")
    elif n_others:
        words.append(f"The last bar is the sum over {count_words(n_others, noun)}.")
    if n_idle:
        words.append(f"{count_words(n_idle, noun)} {'has' if n_idle == 1 else 'have'} no effect and no bar.")
    return " ".join(words) or None
