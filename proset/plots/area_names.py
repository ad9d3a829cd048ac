"""Names of classes within the areas of a surface where they are most probable: from the eleventh on colours repeat."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import distance_transform_edt, label

from proset.explain.maps.surfaces import Surface
from proset.plots import style
from proset.plots.surface_marks import axis_ends
from proset.plots.texts import plain

SMALLEST = 0.03
"""Share of the picture from which an area gets a name."""

_CELLS = 120  # along an axis at least: levels have one cell each
_PICTURE = (600, 420)  # pixels, about
_LETTER, _LINE, _MARK = 8.0, 18.0, 8.0
_LIMIT = 24
_UNKNOWN = 0.5  # share of ignorance from which a spot is more grey than coloured


def area_names(surface: Surface, marks: NDArray[np.float64]) -> list[dict[str, Any]]:
    """Return an annotation for each area of a most probable class that has room for its name.

    Parameters
    ----------
    surface : Surface
        Areas in which the model knows too little have no name.
    marks : ndarray of shape (m, 2)
        Where marks are drawn, which names keep off if they can.

    Examples
    --------
    >>> from proset.explain.maps.surfaces import surface
    >>> from proset.study import fit_sample
    >>> found = surface(fit_sample("iris_2f"), n_points=30)
    >>> sorted({one["text"] for one in area_names(found, np.zeros((0, 2)))})
    ['<b>setosa</b>', '<b>versicolor</b>', '<b>virginica</b>']
    """
    ends = (axis_ends(surface.x), axis_ends(surface.y))
    fine = [-(-_CELLS // len(along)) for along in (surface.x, surface.y)]
    ignorance = surface.ignorance
    areas = np.where(True if ignorance is None else ignorance < _UNKNOWN, surface.likeliest, -1)
    areas = np.repeat(np.repeat(areas, fine[1], axis=0), fine[0], axis=1)
    pixel = (_PICTURE[1] / areas.shape[0], _PICTURE[0] / areas.shape[1])
    taken = _taken(marks, ends, (areas.shape[0], areas.shape[1]))
    found = []
    for k, area in _parts(areas):
        text = plain(surface.classes[k], limit=_LIMIT)
        spot = _spot(area & ~taken, pixel, len(text)) or _spot(area, pixel, len(text))
        if spot is not None:
            at = [
                low + (cell + 0.5) / n * (high - low)
                for cell, n, (low, high) in zip(spot[::-1], areas.T.shape, ends, strict=True)
            ]
            found.append(_annotation(text, at))
    return found


def _annotation(text: str, at: list[float]) -> dict[str, Any]:
    """Return a name at a place."""
    font = {"size": style.TEXT_SIZE, "color": style.INK}
    return {"text": f"<b>{text}</b>", "x": at[0], "y": at[1], "showarrow": False, "font": font}


def _taken(marks: NDArray[np.float64], ends: Any, shape: tuple[int, int]) -> NDArray[np.bool_]:
    """Return which cells marks lie on or close to."""
    free = np.ones(shape, dtype=bool)
    if len(marks):
        share = [(marks[:, k] - low) / (high - low) for k, (low, high) in enumerate(ends)]
        columns, rows = (np.clip((s * n).astype(int), 0, n - 1) for s, n in zip(share, shape[::-1], strict=True))
        free[rows, columns] = False
    step = (_PICTURE[1] / shape[0], _PICTURE[0] / shape[1])
    near: NDArray[np.bool_] = distance_transform_edt(free, sampling=step) < _MARK if len(marks) else ~free
    return near


def _parts(areas: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.bool_]]]:
    """Yield class and cells of each connected area that is large enough."""
    for k in np.unique(areas[areas >= 0]).tolist():
        numbered, n = label(areas == k)
        for i in range(1, n + 1):
            if (area := numbered == i).mean() >= SMALLEST:
                yield k, area


def _spot(area: NDArray[np.bool_], pixel: tuple[float, float], letters: int) -> tuple[int, int] | None:
    """Return the row and column farthest from all else where a text has room within an area; None without one.

    A text is wider than high, so that widths are measured in its own: then the room around a spot is a circle.
    """
    width, height = letters * _LETTER / 2.0, _LINE / 2.0
    inside = np.pad(area, 1)
    room = distance_transform_edt(inside, sampling=(pixel[0] / height, pixel[1] / width))[1:-1, 1:-1]
    row, column = divmod(int(room.argmax()), area.shape[1])
    return (row, column) if room[row, column] >= 1.0 else None
