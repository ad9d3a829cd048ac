"""Colours, symbols, sizes and the common layout of every figure."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

# Hues of the classes, on a light and on a dark page. They begin with those of Okabe and Ito, which colour-blind readers
# tell apart: blue and orange first because two classes are the usual case. Each has a contrast of 3 to its page, which
# yellow and sky blue cannot have on white. Greys, violet and magenta are absent: they mean what is no class.
_CLASSES = (
    ("#0072B2", "#2F93D6"),
    ("#CB7900", "#E69F00"),
    ("#009E73", "#1DB98A"),
    ("#A63A22", "#E8694A"),
    ("#17606E", "#9ADDEB"),
    ("#696B06", "#D6D23E"),
    ("#1F4D1F", "#B5F0B0"),
    ("#8C5F60", "#F3BDBB"),
    ("#303A72", "#A9B8F0"),
    ("#6E9E1E", "#8FBF3F"),
)
CLASS_COLOURS = tuple(light for light, _ in _CLASSES)
_HUES = {"blue": 0, "orange": 1, "green": 2, "red": 3, "teal": 4, "olive": 5}
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
PROTOTYPE_TINT = 0.3

# Figures are drawn for a light page; `page_look.for_page` changes them for a dark one, by these pairs.
INK = "#16202A"  # text, contours, the selected case
GROUND = "#FEFEFE"  # the page; not quite white, so that what has to stay white is told apart from it
NEUTRAL = "#6F7780"  # whatever is no class: systems, thresholds, training alone
FAINT = "#C9D0D7"  # the weak end of a grey scale
WRONG = "#B3156B"  # rings and hatches around what the model gets wrong, and nothing else
MODEL = "#6A3FC4"  # what the model says of itself: familiarity, nearness, weights; the current one among others
_FAINT_MODEL, _STRONG_MODEL = "#D9CDF4", "#46209A"
ON_DARK = {
    **dict(_CLASSES),
    INK: "#F2F5F8",
    GROUND: "#12171D",
    NEUTRAL: "#98A1AB",
    FAINT: "#3A434D",
    WRONG: "#FF6FB5",
    MODEL: "#B79CFF",
    _FAINT_MODEL: "#352A55",
    _STRONG_MODEL: "#D3C4FF",
}
"""Colour on a dark page by that on a light one."""
_DARK = {light.lower(): dark for light, dark in ON_DARK.items()}
RAMP = ((0.0, _FAINT_MODEL), (1.0, _STRONG_MODEL))
"""Scale of familiarity, nearness and weights: one hue, the stronger the more."""
GREYS = ((0.0, FAINT), (1.0, INK))
"""Scale of numbers that are no class's and none of these."""
# Thin line around every filled mark: keeps pale ones visible.
OUTLINE = "rgba(22, 32, 42, 0.6)"
GRID = "rgba(128, 128, 128, 0.25)"
HOVER_BACKGROUND = "#24303C"
_FEWEST_NUMERALS = 6  # up to five classes have colours and symbols that nobody confuses
TEXT_SIZE, TICK_SIZE = 14, 13
_BRIGHTEST_TEXT = 1.05 / 4.55 - 0.05  # luminance at which the contrast to a white page is 4.55
_DARKENED = 0.8
# Pixels for the tool bar, for a line of a legend, and for titles of axes with numbers beside them. Plotly makes more
# room where it is needed, but then it draws everything once more: half a second for a map of 1,800 cases.
_TOOLS, _LEGEND, _Y_TITLE, _X_TITLE = 36, 54, 64, 48
TRANSPARENT = "rgba(0, 0, 0, 0)"
# Formats know no such space; below half a per cent from tick to tick nobody has asked for one.
_IN_FULL = {"minexponent": 9}  # a tick reads 20,000 as texts do, not 20k
_SPACED = {f"{half / 2:g}%": f"{half / 2:g}\u00a0%" for half in range(201)}


def class_colours(classes: Sequence[str]) -> dict[str, str]:
    """Return one colour per class, by the order of the classes: the same on every page.

    A class that is named as one of the hues has it: 'red' is never drawn in blue.

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
    {'benign': '#0072B2', 'malignant': '#CB7900'}
    """
    n_colours = len(CLASS_COLOURS)
    named: dict[str, int] = {}
    for name in classes if len(classes) <= n_colours else ():
        place = _HUES.get(str(name).strip().casefold())
        if place is not None and place not in named.values():
            named[name] = place
    free = iter([place for place in range(n_colours) if place not in named.values()] if named else range(len(classes)))
    return {name: CLASS_COLOURS[(named[name] if name in named else next(free)) % n_colours] for name in classes}


def tinted(colour: str, alpha: float) -> str:
    """Return a colour with some of the background showing through.

    Parameters
    ----------
    colour : str
        ``"#RRGGBB"``.
    alpha : float
        From 0, invisible, to 1, solid.

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


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour, from 0 (black) to 1 (white): contrasts are made of it.

    Examples
    --------
    >>> luminance("#000000"), luminance("#FFFFFF")
    (0.0, 1.0)
    """
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def of_text(colour: str) -> str:
    """Return a colour as words on a light page need it: darker where it is bright enough for marks only.

    Examples
    --------
    >>> of_text("#0072B2"), of_text("#CB7900")
    ('#0072B2', '#a26100')
    """
    return colour if luminance(colour) <= _BRIGHTEST_TEXT else mixed(colour, "#000000", _DARKENED)


def on_dark(colour: str) -> str:
    """Return a colour as a dark page needs it; one that is none of this module's is kept, and so is how solid it is.

    Parameters
    ----------
    colour : str
        As plotly takes it.

    Examples
    --------
    >>> on_dark("#0072B2"), on_dark(tinted("#0072B2", 0.5)), on_dark("white")
    ('#2F93D6', 'rgba(47, 147, 214, 0.5)', 'white')
    """
    if colour.startswith("rgba("):
        *parts, alpha = colour[5:-1].split(",")
        full = _DARK.get("#" + "".join(f"{int(float(part)):02x}" for part in parts))
        return colour if full is None else tinted(full, float(alpha))
    return _DARK.get(colour.lower(), colour)


def on_ramp(share: float, *, dark: bool = False) -> str:
    """Return a colour of the scale of one hue.

    Parameters
    ----------
    share : float
        From 0, the faint end, to 1.
    dark : bool
        Whether it is for a dark page.

    Examples
    --------
    >>> on_ramp(0.0), on_ramp(1.0, dark=True)
    ('#d9cdf4', '#d3c4ff')
    """
    ends = [on_dark(colour) if dark else colour for _, colour in RAMP]
    return mixed(ends[1], ends[0], share).lower()


def mixed(colour: str, page: str, strength: float) -> str:
    """Return a colour mixed with that of a page: solid, so that words on it can be told to be readable.

    Examples
    --------
    >>> mixed("#000000", "#FFFFFF", 0.5)
    '#808080'
    """
    pairs = ((int(colour[i : i + 2], 16), int(page[i : i + 2], 16)) for i in (1, 3, 5))
    return "#" + "".join(f"{round(ground + (full - ground) * strength):02x}" for full, ground in pairs)


def probability_scale(classes: Sequence[str], place: int) -> tuple[tuple[float, str], ...]:
    """Return the scale of the probability of a class: from the page to its colour; of two, from one to the other.

    Examples
    --------
    >>> probability_scale(["a", "b", "c"], 1)
    ((0.0, '#FEFEFE'), (1.0, '#CB7900'))
    >>> probability_scale(["a", "b"], 1)
    ((0.0, '#0072B2'), (0.5, '#FEFEFE'), (1.0, '#CB7900'))
    """
    colours = list(class_colours(classes).values())
    if len(classes) != 2:
        return ((0.0, GROUND), (1.0, colours[place]))
    return ((0.0, colours[1 - place]), (0.5, GROUND), (1.0, colours[place]))


def towards(classes: Sequence[str], label: str, against: str | None = None) -> tuple[str, str]:
    """Return the colours of what raises and of what lowers an estimate: the hue of the class that it moves towards.

    Parameters
    ----------
    label : str
        The class whose estimate it is.
    against : str or None
        The class that it is held against; of two classes the other one, of more, what lowers is grey without it.

    Examples
    --------
    >>> towards(["a", "b"], "b"), towards(["a", "b", "c"], "b")
    (('#CB7900', '#0072B2'), ('#CB7900', '#6F7780'))
    """
    colours = class_colours(classes)
    if against is None and len(classes) == 2:
        against = next(name for name in classes if name != label)
    return colours[label], NEUTRAL if against is None else colours[against]


_DARK |= {darker(light).lower(): darker(dark) for light, dark in _CLASSES}
_DARK |= {of_text(light).lower(): dark for light, dark in _CLASSES}


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


def share_axis(form: str = ".0%") -> dict[str, Any]:
    r"""Return how the ticks of an axis of shares read: with the space before the sign that texts have.

    Parameters
    ----------
    form : str, default ".0%"
        What else plotly is told of their format.

    Examples
    --------
    >>> share_axis()["tickformat"], share_axis()["labelalias"]["60%"]
    ('.0%', '60\xa0%')
    """
    return {"tickformat": form, "labelalias": _SPACED}


def colour_bar(title: str, *, shares: bool = True) -> dict[str, Any]:
    """Return the look of a colour bar, for shares unless told otherwise; the title is safe to show.

    Examples
    --------
    >>> colour_bar("familiarity")["title"]["text"]
    'familiarity'
    """
    return {
        "title": {"text": title, "side": "right", "font": {"size": 13}},
        # With one at the middle, from which plotly moves the title away; between two it would stand among them.
        **(share_axis() | {"dtick": 0.25} if shares else _IN_FULL),
        "tickfont": {"size": TICK_SIZE},
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

    Examples
    --------
    >>> class_looks(["benign"])
    [Look(name='benign', colour='#0072B2', symbol='circle')]
    """
    colours, symbols = class_colours(classes), class_symbols(classes)
    return [Look(name, colours[name], symbols[name]) for name in classes]


def system_looks(names: Sequence[Hashable], current: Hashable | None = None) -> list[Look]:
    """Return looks of what is no class, such as systems: greys told apart by their symbols, one of them in colour.

    Parameters
    ----------
    names : sequence
        All of them, in their fixed order.
    current : object or None
        Which one is the current model, or the one that is chosen.

    Examples
    --------
    >>> [(look.colour, look.symbol) for look in system_looks(["kNN", "proset"], "proset")]
    [('#6F7780', 'circle'), ('#6A3FC4', 'square')]
    """
    return [
        Look(str(name), MODEL if name == current else NEUTRAL, CLASS_SYMBOLS[i % len(CLASS_SYMBOLS)])
        for i, name in enumerate(names)
    ]


def finish(
    figure: go.Figure,
    *,
    x_title: str | None = None,
    y_title: str | None = None,
    height: int = 460,
    legend: bool = True,
) -> go.Figure:
    """Give a figure the common layout; returns the same figure.

    The background is transparent and no text colour is set: see :func:`proset.plots.page_look.for_page`.

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

    Examples
    --------
    >>> finish(go.Figure(), x_title="width (cm)").layout.paper_bgcolor
    'rgba(0, 0, 0, 0)'
    """
    axis: dict[str, Any] = {"gridcolor": GRID, "zeroline": False, "automargin": True, "tickfont": {"size": TICK_SIZE}}
    axis |= _IN_FULL
    said = _layout(height, x_title, y_title, legend=legend)
    for name in figure.layout:
        if name.startswith("xaxis"):
            said[name] = axis | {"title": {"text": x_title}}
        elif name.startswith("yaxis"):
            said[name] = axis | {"title": {"text": y_title}, "ticklabelstandoff": 6}
    # One after the other: `update_layout` and its kin look up the path of every word several times.
    for name, value in said.items():
        former = figure.layout[name]
        figure.layout[name] = _joined(former.to_plotly_json(), value) if isinstance(value, dict) else value
    return figure


def _layout(height: int, x_title: str | None, y_title: str | None, *, legend: bool) -> dict[str, Any]:
    """Return the common layout but for the axes."""
    return {
        "height": height,
        "margin": {
            "l": _Y_TITLE if y_title else 10,
            "r": _TOOLS if legend else 10,
            "t": _LEGEND if legend else 10,
            "b": _X_TITLE if x_title else 10,
        },
        "paper_bgcolor": TRANSPARENT,
        "plot_bgcolor": TRANSPARENT,
        "font": {"size": TEXT_SIZE},
        "showlegend": legend,
        "legend": {
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
        "hoverlabel": {"align": "left", "bgcolor": HOVER_BACKGROUND, "font": {"color": "#FFFFFF"}},
        # Upright at the right, because it would lie over the legend.
        "modebar": {
            "orientation": "v" if legend else "h",
            "bgcolor": TRANSPARENT,
            "color": NEUTRAL,
            "activecolor": INK,
        },
        "dragmode": "pan",
    }


def _joined(former: dict[str, Any], said: dict[str, Any]) -> dict[str, Any]:
    """Return what was said of a part of a layout, with what is said now in its place."""
    inner = {key: _joined(former.get(key) or {}, value) for key, value in said.items() if isinstance(value, dict)}
    return former | said | inner
