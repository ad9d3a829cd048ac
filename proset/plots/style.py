"""Colours, symbols, sizes and the common layout of every figure."""

from collections.abc import Sequence
from dataclasses import dataclass
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
    "#9C7347",
    "#8F7FE0",
)
_ON_DARK = {"#0072B2": "#2F93D6", "#9C7347": "#BE9264"}
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
PROTOTYPE_SIZE = (8.0, 28.0)
RING_SIZE = 12.0
RING_SIZE_MANY = 8.0
SELECTED_SIZE = 20.0
REFERENCE_SYMBOL = "star"
REFERENCE_SIZE = 18.0
SELECTED_SYMBOL = "diamond-open"
SAMPLE_OPACITY = 0.85
# Prototypes are tinted discs with a strong edge, so that small marks in front of them stay visible.
PROTOTYPE_TINT = 0.35

# A figure does not know whether the page is light or dark. A black ring inside a wider white one can be seen on both.
RING_DARK = "#000000"
RING_LIGHT = "#FFFFFF"
# Thin line around every filled mark: keeps yellow visible on white and brown visible on black.
OUTLINE = "rgba(90, 90, 90, 0.9)"
NEUTRAL = "#8A8A8A"
GRID = "rgba(128, 128, 128, 0.25)"
HOVER_BACKGROUND = "#24303C"
_FEWEST_NUMERALS = 6  # up to five classes have colours and symbols that nobody confuses
_TOOLS = 36  # pixels for the tool bar
TRANSPARENT = "rgba(0, 0, 0, 0)"


def class_colours(classes: Sequence[str]) -> dict[str, str]:
    """Return one colour per class, by the order of the classes: the same on every page.

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


def tinted(colour: str, alpha: float) -> str:
    """Return a colour with some of the background showing through.

    Parameters
    ----------
    colour : str
        ``"#RRGGBB"``.
    alpha : float
        From 0, invisible, to 1, solid.

    Returns
    -------
    str
        The colour as plotly takes it.

    Examples
    --------
    >>> tinted("#0072B2", 0.5)
    'rgba(0, 114, 178, 0.5)'
    """
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {alpha:g})"


def darker(colour: str) -> str:
    """Return a colour mixed with a third of black.

    Parameters
    ----------
    colour : str
        ``"#RRGGBB"``.

    Returns
    -------
    str
        ``"#RRGGBB"``; white text can be read on it for every class colour.

    Examples
    --------
    >>> darker("#0072B2")
    '#004c77'
    """
    return "#" + "".join(f"{round(int(colour[i : i + 2], 16) * 2 / 3):02x}" for i in (1, 3, 5))


def for_dark(colour: str) -> str:
    """Return a class colour as small marks on a dark page need it; any other colour, tinted or not, is kept.

    Parameters
    ----------
    colour : str
        As plotly takes it.

    Returns
    -------
    str
        The same, with the two colours that are dim on a dark page made lighter.

    Examples
    --------
    >>> for_dark("#0072B2"), for_dark("#E69F00"), for_dark(tinted("#0072B2", 0.5))
    ('#2F93D6', '#E69F00', 'rgba(47, 147, 214, 0.5)')
    """
    for dim, light in _ON_DARK.items():
        if colour == dim:
            return light
        start = tinted(dim, 1).rpartition(",")[0]
        if colour.startswith(start):
            return tinted(light, 1).rpartition(",")[0] + colour[len(start) :]
    return colour


def class_symbols(classes: Sequence[str]) -> dict[str, str]:
    """Return one marker symbol per class, the second channel beside the colour.

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


def are_numerals(classes: Sequence[str]) -> bool:
    """Tell whether classes are best drawn as their own names: many of them, each one or two characters long.

    Examples
    --------
    >>> are_numerals([str(digit) for digit in range(10)]), are_numerals(["0", "1"])
    (True, False)
    """
    return len(classes) >= _FEWEST_NUMERALS and all(1 <= len(name.strip()) <= 2 for name in classes)


def colour_bar(title: str) -> dict[str, Any]:
    """Return the look of a colour bar for shares; the title is safe to show.

    Examples
    --------
    >>> colour_bar("familiarity")["title"]["text"]
    'familiarity'
    """
    return {
        "title": {"text": title, "side": "right", "font": {"size": 13}},
        "tickformat": ".0%",
        "tickfont": {"size": 12},
        "thickness": 12,
        "outlinewidth": 0,
    }


@dataclass(frozen=True)
class Look:
    """Look of one class.

    Attributes
    ----------
    name : str
        The class.
    colour, symbol : str
        Colour as ``"#RRGGBB"`` and plotly symbol name.
    """

    name: str
    colour: str
    symbol: str


def class_looks(classes: Sequence[str]) -> list[Look]:
    """Return colour and symbol of every class, in order.

    Parameters
    ----------
    classes : sequence of str
        All classes of the study in their fixed order.

    Returns
    -------
    list of Look
        One per class.

    Examples
    --------
    >>> class_looks(["benign"])
    [Look(name='benign', colour='#0072B2', symbol='circle')]
    """
    colours, symbols = class_colours(classes), class_symbols(classes)
    return [Look(name, colours[name], symbols[name]) for name in classes]


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
        margin={"l": 10, "r": _TOOLS if legend else 10, "t": 40 if legend else 10, "b": 10},
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
            # Plotly turns the legend of stacked bars around unless told otherwise.
            "traceorder": "normal",
        },
        # One dark box for all marks: the theme's grey text cannot be read on every class colour.
        hoverlabel={"align": "left", "bgcolor": HOVER_BACKGROUND, "font": {"color": "#FFFFFF"}},
        # Upright at the right, because it would lie over the legend.
        modebar={
            "orientation": "v" if legend else "h",
            "bgcolor": TRANSPARENT,
            "color": "#8A94A0",
            "activecolor": "#4A90C2",
        },
        dragmode="pan",
    )
    figure.update_xaxes(**axis, title=x_title)
    figure.update_yaxes(**axis, title=y_title, ticklabelstandoff=6)
    return figure
