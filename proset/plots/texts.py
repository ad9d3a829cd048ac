"""Texts in figures: whatever a stranger wrote is shown as it is and read neither as markup nor as a placeholder."""

from __future__ import annotations

import html
from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from numpy.typing import NDArray

from proset.common.words import count_words, number, shown
from proset.explain.maps.feature_axes import FeatureAxis


def plain(text: object, *, limit: int = 60) -> str:
    """Return a text of a person's table made safe for a figure: shortened, shown as it is, not read as markup.

    Parameters
    ----------
    text : object
        Anything with a ``str``.
    limit : int, default 60
        Longest number of characters kept; a longer text ends in an ellipsis.

    Returns
    -------
    str
        The text with ``<``, ``>``, ``&`` and the opening of a plotly placeholder escaped.

    Examples
    --------
    >>> plain("<b>bold</b>")
    '&lt;b&gt;bold&lt;/b&gt;'
    >>> plain("a long label", limit=7)
    'a long…'
    """
    return html.escape(shown(text, limit), quote=False).replace("%{", "%&#123;")


def far_words(values: NDArray[np.float64], ends: tuple[float, float]) -> str | None:
    """Say which rows lie too far off for the picture; None where there are none.

    Examples
    --------
    >>> far_words(np.array([1.0, 2.0, 216990.86]), (1.0, 2.0))
    'Outside this picture: 1 row, at 216,990.9.'
    """
    far = values[(values < ends[0]) | (values > ends[1])]
    if not far.size:
        return None
    where = f"at {number(far[0])}" if far.size == 1 else f"from {number(far.min())} to {number(far.max())}"
    return f"Outside this picture: {count_words(far.size, 'row')}, {where}."


def value_texts(values: pd.Series) -> list[str]:
    """Return values of a table column as short texts for a hover box.

    Parameters
    ----------
    values : Series
        Numbers, dates or anything with a ``str``; missing values read "missing".

    Returns
    -------
    list of str
        One text per value, safe to show.

    Examples
    --------
    >>> value_texts(pd.Series([3.5, None])), value_texts(pd.Series(["<a>", None]))
    (['3.5', 'missing'], ['&lt;a&gt;', 'missing'])
    """
    if pd.api.types.is_datetime64_any_dtype(values.dtype):
        known = values.dropna()
        pattern = "%Y-%m-%d" if (known == known.dt.normalize()).all() else "%Y-%m-%d %H:%M"
        values = values.dt.strftime(pattern)
    if pd.api.types.is_bool_dtype(values.dtype) or not pd.api.types.is_numeric_dtype(values.dtype):
        pairs = zip(values, values.isna(), strict=True)
        return ["missing" if missing else plain(value, limit=30) for value, missing in pairs]
    return [number(value) for value in values.to_numpy(dtype=np.float64, na_value=np.nan)]


def hover_template(head: str, names: Sequence[str], *, first: int = 1) -> str:
    """Return the template of a hover box whose lines are entries of ``customdata``.

    Parameters
    ----------
    head : str
        First line, bold; may hold plotly placeholders, so escape a person's text with :func:`plain`.
    names : sequence of str
        One line per name; escaped here.
    first : int, default 1
        Entry of ``customdata`` that the first name describes.

    Returns
    -------
    str
        Text for plotly's ``hovertemplate``, without the box that repeats the trace name.

    Examples
    --------
    >>> hover_template("Row %{customdata[0]}", ["width"])
    '<b>Row %{customdata[0]}</b><br>width: %{customdata[1]}<extra></extra>'
    """
    lines = [f"{plain(name, limit=40)}: %{{customdata[{i}]}}" for i, name in enumerate(names, start=first)]
    return "<br>".join([f"<b>{head}</b>", *lines]) + "<extra></extra>"


def set_ticks(figure: go.Figure, axes: Sequence[FeatureAxis], spots: NDArray[np.float64]) -> None:
    """Write words or dates along axes that have them.

    Parameters
    ----------
    figure : plotly Figure
        Changed in place.
    axes : sequence of two FeatureAxis
        What stands along x and y.
    spots : array of shape (n, 2)
        Between which positions.

    Examples
    --------
    >>> figure = go.Figure()
    >>> island = FeatureAxis("island", "level", ("Biscoe", "Dream"))
    >>> set_ticks(figure, (island, FeatureAxis("mass")), np.zeros((1, 2)))
    >>> figure.layout.xaxis.ticktext, figure.layout.yaxis.ticktext
    (('Biscoe', 'Dream'), None)
    """
    for k, (axis, update) in enumerate(zip(axes, (figure.update_xaxes, figure.update_yaxes), strict=True)):
        known = spots[np.isfinite(spots[:, k]), k]
        ticks = axis.ticks(float(known.min()), float(known.max())) if len(known) else axis.ticks(0.0, 0.0)
        if ticks is not None:
            update(tickmode="array", tickvals=ticks[0], ticktext=[plain(text, limit=24) for text in ticks[1]])


def unique_labels(labels: list[str]) -> list[str]:
    """Return labels that all differ, although some were shortened: plotly draws equal ones on one line.

    Parameters
    ----------
    labels : list of str
        Labels of a category axis.

    Returns
    -------
    list of str
        Same length, all different.

    Examples
    --------
    >>> unique_labels(["long name…", "long name…", "b"])
    ['long name…', 'long name… (2)', 'b']
    """
    taken = set(labels)
    result: list[str] = []
    for label in labels:
        chosen, count = label, 1
        while chosen in result or (count > 1 and chosen in taken):
            count += 1
            chosen = f"{label} ({count})"
        result.append(chosen)
    return result
