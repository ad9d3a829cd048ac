"""Pixels that names and legends take around a plot, about: with too few Plotly draws all of it once more."""

from __future__ import annotations

import math
from collections.abc import Sequence

# A letter beside an axis; of a legend a line, the sign of an entry, and a letter of its name.
_TICK_LETTER, _LINE, _SIGN, _LETTER = 6.4, 21, 42, 8
# Of a plot with equal scales: a width between those in narrow windows (450) and in wide ones (1,050), nearer to these,
# for most is empty beside a plot that is too low there; the least height.
_WIDTH, _LEAST = 900, 260


def room_for_names(names: Sequence[str]) -> int:
    """Return how many pixels the names of lines take beside a plot, about.

    Examples
    --------
    >>> room_for_names(["radius", "mean concave points"]) > room_for_names(["radius"])
    True
    """
    return math.ceil(22 + _TICK_LETTER * max(map(len, names), default=0))


def legend_lines(names: Sequence[str], width: int) -> int:
    """Return how many lines a legend takes, about, in a place of so many pixels: all entries are as wide as the widest.

    Examples
    --------
    >>> legend_lines(["benign", "malignant"], 480), legend_lines([str(digit) for digit in range(10)], 480)
    (1, 2)
    """
    return math.ceil(len(names) * (_SIGN + _LETTER * max(map(len, names), default=0)) / width)


def room_for_legend(names: Sequence[str], width: int) -> int:
    """Return how many pixels a legend takes above a plot, about.

    Examples
    --------
    >>> room_for_legend(["benign", "malignant"], 480)
    55
    """
    return 34 + _LINE * max(1, legend_lines(names, width))


def spared_height(x: float, y: float, usual: int) -> int:
    """Return how many pixels a plot of equal scales may be lower than usual, because what it shows is so flat.

    Nobody but the browser knows how wide a plot is. As high as wide windows need it, most is empty in narrow ones.

    Parameters
    ----------
    x, y : float
        How far marks reach along both axes, in the same unit, above 0.
    usual : int
        Pixels from the upper to the lower end of the plot.

    Examples
    --------
    >>> spared_height(1.0, 1.0, 460), spared_height(2.0, 1.0, 460), spared_height(8.0, 1.0, 460)
    (0, 10, 200)
    """
    return usual - min(usual, max(_LEAST, round(_WIDTH * y / x)))
