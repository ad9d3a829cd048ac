"""Colours, symbols, sizes and the common layout of every figure."""

import html
from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go

# Okabe-Ito, safe for colour-blind readers. Blue and orange come first because two classes are the usual case and no
# pair of the eight lies further apart. Black cannot be seen on a dark page, so a middle grey stands in for it; yellow
# comes last because it is weak on white. Two more colours follow so that ten digits have ten colours.
CLASS_COLOURS = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "#8A8A8A",
    "#F0E442",
    "#7A5C2E",
    "#8F7FE0",
)
# Star and diamond are absent on purpose: they mark the reference point and the selected case.
CLASS_SYMBOLS = (
    "circle",
    "square",
    "triangle-up",
    "cross",
    "triangle-down",
    "x",
    "pentagon",
    "hourglass",
    "bowtie",
)

SAMPLE_SIZE = 6.0
PROTOTYPE_SIZE = (10.0, 26.0)
RING_SIZE = 12.0
SELECTED_SIZE = 20.0
REFERENCE_SYMBOL = "star"
REFERENCE_SIZE = 18.0
SELECTED_SYMBOL = "diamond-open"
SAMPLE_OPACITY = 0.65
PROTOTYPE_OPACITY = 0.85

# A figure does not know whether the page is light or dark. A black ring inside a wider white one can be seen on both.
RING_DARK = "#000000"
RING_LIGHT = "#FFFFFF"
# Thin line around every filled mark: keeps yellow visible on white and brown visible on black.
OUTLINE = "rgba(90, 90, 90, 0.9)"
NEUTRAL = "#8A8A8A"
GRID = "rgba(128, 128, 128, 0.25)"
TRANSPARENT = "rgba(0, 0, 0, 0)"


def class_colours(classes: Sequence[str]) -> dict[str, str]:
    """One colour per class, by the order of the classes: the same on every page.

    Parameters
    ----------
    classes : sequence of str
        All classes of the study in their fixed order, not only those that a figure happens to show.

    Returns
    -------
    dict
        Class to ``"#RRGGBB"``. From the eleventh class on, colours repeat and the symbol tells classes apart.

    Examples
    --------
    >>> class_colours(["benign", "malignant"])
    {'benign': '#0072B2', 'malignant': '#E69F00'}
    """
    return {name: CLASS_COLOURS[i % len(CLASS_COLOURS)] for i, name in enumerate(classes)}


def class_symbols(classes: Sequence[str]) -> dict[str, str]:
    """One marker symbol per class, the second channel beside the colour.

    Parameters
    ----------
    classes : sequence of str
        All classes of the study in their fixed order.

    Returns
    -------
    dict
        Class to a plotly symbol name. Ten colours and nine symbols run against each other, so 90 classes differ in
        at least one of the two.

    Examples
    --------
    >>> class_symbols(["benign", "malignant"])
    {'benign': 'circle', 'malignant': 'square'}
    """
    return {name: CLASS_SYMBOLS[i % len(CLASS_SYMBOLS)] for i, name in enumerate(classes)}


def plain(text: object, *, limit: int = 60) -> str:
    """Text of a person's table made safe for a figure: shortened, and shown as it is instead of read as markup.

    Parameters
    ----------
    text : object
        Anything with a ``str``.
    limit : int, default 60
        Longest number of characters kept; a longer text ends in an ellipsis.

    Returns
    -------
    str
        The text with ``<``, ``>`` and ``&`` escaped.

    Examples
    --------
    >>> plain("<b>bold</b>")
    '&lt;b&gt;bold&lt;/b&gt;'
    >>> plain("a long label", limit=7)
    'a long…'
    """
    words = str(text)
    if len(words) > limit:
        words = words[: limit - 1].rstrip() + "…"
    return html.escape(words, quote=False)


def number(value: float) -> str:
    """A number as people write it: four significant digits, no exponent where it can be avoided.

    Parameters
    ----------
    value : float
        Any number; NaN reads "missing".

    Returns
    -------
    str
        The number as text.

    Examples
    --------
    >>> number(1234567.0), number(0.01234), number(float("nan"))
    ('1,234,567', '0.01234', 'missing')
    """
    if value != value:
        return "missing"
    if float(value).is_integer() and abs(value) < 1e9:
        return f"{int(value):,}"
    if 1000 <= abs(value) < 1e9:
        return f"{value:,.1f}"
    return f"{value:.4g}"


def percent(value: float) -> str:
    """A share between 0 and 1 as per cent; never claims certainty that is only rounding.

    Parameters
    ----------
    value : float
        Share in [0, 1].

    Returns
    -------
    str
        For example ``"53 %"``; below half a per cent ``"< 0.5 %"`` and close to one ``"> 99.5 %"``.

    Examples
    --------
    >>> percent(0.526), percent(0.0001), percent(0.9999), percent(1.0)
    ('53 %', '< 0.5 %', '> 99.5 %', '100 %')
    """
    if 0 < value < 0.005:
        return "< 0.5 %"
    if 0.995 < value < 1:
        return "> 99.5 %"
    return f"{100 * value:.0f} %"


def hover_text(head: str, lines: Sequence[tuple[str, str]]) -> str:
    """The text of one hover box: a bold head and one line per name and value.

    Parameters
    ----------
    head : str
        What is pointed at, such as ``"Row 17"``.
    lines : sequence of (str, str)
        Name and value; both are shown as they are, never read as markup.

    Returns
    -------
    str
        Text for plotly's ``hovertext``.

    Examples
    --------
    >>> hover_text("Row 17", [("width", "3.5 cm")])
    '<b>Row 17</b><br>width: 3.5 cm'
    """
    body = [f"{plain(name, limit=40)}: {plain(value, limit=40)}" for name, value in lines]
    return "<br>".join([f"<b>{plain(head)}</b>", *body])


def finish(
    figure: go.Figure,
    *,
    x_title: str | None = None,
    y_title: str | None = None,
    height: int = 460,
    legend: bool = True,
) -> go.Figure:
    """Give a figure the common layout; returns the same figure.

    The background is transparent and no text colour is set, so the theme of the page shows through.

    Parameters
    ----------
    figure : plotly Figure
        Changed in place.
    x_title, y_title : str, optional
        Axis titles, with the unit or "standardised".
    height : int, default 460
        Height in pixels.
    legend : bool, default True
        Show the legend, above the plot and starting at the left.

    Returns
    -------
    plotly Figure
        The figure that was given.

    Examples
    --------
    >>> finish(go.Figure(), x_title="width (cm)").layout.paper_bgcolor
    'rgba(0, 0, 0, 0)'
    """
    axis: dict[str, Any] = {"gridcolor": GRID, "zeroline": False, "automargin": True}
    figure.update_layout(
        height=height,
        margin={"l": 10, "r": 10, "t": 40 if legend else 10, "b": 10},
        paper_bgcolor=TRANSPARENT,
        plot_bgcolor=TRANSPARENT,
        font={"size": 14},
        showlegend=legend,
        legend={
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 1.02,
            "yanchor": "bottom",
            "itemsizing": "constant",
        },
        hoverlabel={"align": "left"},
        dragmode="pan",
    )
    figure.update_xaxes(**axis, title=x_title)
    figure.update_yaxes(**axis, title=y_title)
    return figure
