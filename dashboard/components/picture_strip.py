"""Rows that are pictures, side by side; a figure of Plotly would take far longer to draw."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Collection, Mapping, Sequence
from io import BytesIO

import numpy as np
import streamlit as st
from numpy.typing import NDArray
from PIL import Image

from dashboard.components import words


def show(
    tiles: Sequence[NDArray[np.float64]],
    lines: Sequence[tuple[str, str]],
    *,
    marked: Mapping[int, Collection[tuple[int, int]]] | None = None,
) -> None:
    """Show pictures on one scale, bright where values are high, with rings around pixels of some.

    Parameters
    ----------
    tiles : sequence of float64 arrays of shape (h, w)
        At least one; NaN where a pixel is missing.
    lines : sequence of pairs of str
        Two lines above each picture; a stranger's words are safe.
    marked : mapping of int to pairs of int, or None
        By place of the picture, row and column of pixels.
    """
    rings = [tuple((marked or {}).get(place, ())) for place in range(len(tiles))]
    shown = map(_tile, tiles, addresses(tiles), lines, rings)
    st.html(f'<div class="pictures">{"".join(shown)}</div>')


def addresses(tiles: Sequence[NDArray[np.float64]]) -> list[str]:
    """Return pictures on one scale, bright where values are high, each as an address that holds it."""
    known = np.concatenate([tile[np.isfinite(tile)] for tile in tiles])
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    return [
        _png(np.nan_to_num(255.0 * (tile - low) / ((high - low) or 1.0)).round().astype(np.uint8)) for tile in tiles
    ]


def _tile(
    picture: NDArray[np.float64], address: str, lines: tuple[str, str], marked: Collection[tuple[int, int]]
) -> str:
    """Return one picture with what it is above it."""
    height, width = picture.shape
    size = f"width:{100 / width:.2f}%;height:{100 / height:.2f}%"
    rings = "".join(
        f'<i style="left:{100 * x / width:.2f}%;top:{100 * y / height:.2f}%;{size}"></i>' for y, x in marked
    )
    first, second = map(words.html, lines)
    name, said = f"{first} {second}", f"<figcaption>{first}<br>{second}</figcaption>"
    return f'<figure aria-label="{name}">{said}<div><img alt="{name}" src="{address}">{rings}</div></figure>'


def _png(picture: NDArray[np.uint8]) -> str:
    """Return a picture as an address that holds it."""
    buffer = BytesIO()
    Image.fromarray(picture).save(buffer, format="PNG")
    return f"data:image/png;base64,{b64encode(buffer.getvalue()).decode()}"
