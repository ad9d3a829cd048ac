"""How well a colour is told from another one."""

from __future__ import annotations

from functools import cache

import numpy as np


def rgb(colour: str) -> np.ndarray:
    """The three parts of ``"#RRGGBB"``, from 0 to 1."""
    return np.array([int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)])


def linear(parts: np.ndarray) -> np.ndarray:
    """The same as light."""
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


@cache
def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours, from 1 to 21, by the Web Content Accessibility Guidelines."""
    dark, light = sorted(float(linear(rgb(colour)) @ [0.2126, 0.7152, 0.0722]) for colour in (one, other))
    return (light + 0.05) / (dark + 0.05)


def oklab(colour: str) -> np.ndarray:
    """Lightness and two axes of hue, in which distances are about as large as they look."""
    cones = np.cbrt(
        np.array(
            [
                [0.4122214708, 0.5363325363, 0.0514459929],
                [0.2119034982, 0.6806995451, 0.1073969566],
                [0.0883024619, 0.2817188376, 0.6299787005],
            ]
        )
        @ linear(rgb(colour))
    )
    return (
        np.array(
            [
                [0.2104542553, 0.7936177850, -0.0040720468],
                [1.9779984951, -2.4285922050, 0.4505937099],
                [0.0259040371, 0.7827717662, -0.8086757660],
            ]
        )
        @ cones
    )
