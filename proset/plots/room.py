"""Pixels that names and legends take around a plot, about: with too few Plotly draws all of it once more."""

from __future__ import annotations

import math
from collections.abc import Sequence

# A letter beside an axis; of a legend a line, the sign of an entry, and a letter of its name.
_TICK_LETTER, _LINE, _SIGN, _LETTER = 6.4, 21, 42, 8


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
