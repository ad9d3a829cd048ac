"""Medians of a model of a number all over the map of a batch, on one plane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from proset.common.errors import ProsetError
from proset.common.notebook import Displayed
from proset.common.words import rough
from proset.explain.maps.map_plane import nearest_places
from proset.explain.number_subject import number_subject
from proset.explain.numbers.map import NumberMap, number_map
from proset.explain.numbers.typical import typical_row
from proset.study.number_study import NumberStudy, answers

USUAL_SIZE = 70
_MARGIN = 0.05
_LEAST = 0.05
"""Share of held-out rows that a spot has to be as familiar as."""

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NumberLevels(Displayed):
    """Medians on the plane of a map.

    Attributes
    ----------
    x, y : float64 arrays of shape (W,) and (H,)
        Positions along the axes of the map.
    median : float64 array of shape (H, W)
        Median at each spot; missing where at most 5 % of the held-out rows are as unfamiliar.
    row : int
        The typical training row through which the plane goes: what a spot has beside the two axes is its.
    """

    x: FloatArray
    y: FloatArray
    median: FloatArray
    row: int

    def beside(self, mapping: NumberMap, rows: pd.Index) -> float:
        """Return how far the medians of rows are from those of their spots, in the middle; NaN where none has one."""
        points = mapping.points.loc[rows]
        spots = [nearest_places(grid, points[name].to_numpy()) for grid, name in ((self.x, "x"), (self.y, "y"))]
        off = np.abs(self.median[spots[1], spots[0]] - points["median"].to_numpy(dtype=np.float64))
        return float(np.median(off[np.isfinite(off)])) if np.isfinite(off).any() else float("nan")

    def words(self, mapping: NumberMap, rows: pd.Index) -> str:
        """Say where the levels hold, and how far rows are from them."""
        said = f"Lines: equal medians on one plane, through row {self.row}, a typical one"
        off = self.beside(mapping, rows)
        if not np.isfinite(off):
            return f"{said}."
        return f"{said}. Rows lie beside it: half of those shown have a median that differs by {rough(off)} or more."

    def to_frame(self) -> pd.DataFrame:
        """Return one line per spot."""
        height, width = self.median.shape
        spots = {"x": np.tile(self.x, height), "y": np.repeat(self.y, width)}
        return pd.DataFrame(spots | {"median": self.median.ravel()})


def number_levels(
    explained: NumberStudy, batch: int | None = None, *, n_points: int = USUAL_SIZE
) -> NumberLevels | None:
    """Evaluate a model of a number all over a map.

    Parameters
    ----------
    batch : int, optional
        Number of the batch whose map it is, from 1; by default as for :func:`number_map`.
    n_points : int, default 70
        Positions along either axis, at least 2.

    Returns
    -------
    NumberLevels or None
        None where the map has no two directions, or one of them is a category.

    Raises
    ------
    ProsetError
        If there are fewer than two positions, or there is no such batch.

    Examples
    --------
    >>> from proset.study import fit_sample
    >>> study = fit_sample("cars", n_iter=1)
    >>> found = number_levels(study, n_points=20)
    >>> found.median.shape, bool(np.nanmax(found.median) - np.nanmin(found.median) > 10.0)
    ((20, 20), True)
    """
    if n_points < 2:
        raise ProsetError(f"n_points is {n_points}.", hint="Take at least 2.")
    mapping = number_map(explained, batch)
    plane, axes = mapping.plane, mapping.axes
    levels = axes is not None and any(axis.kind == "level" for axis in axes)
    if plane is None or mapping.rank < 2 or levels:
        return None
    row = typical_row(number_subject(explained))
    x, y = (_positions(mapping.points[name].to_numpy(dtype=np.float64), n_points) for name in "xy")
    spots = np.column_stack([np.tile(x, n_points), np.repeat(y, n_points)])
    said = answers(explained, plane.inverse(spots, explained.encode([row]).X[0]))
    median = said["median"].to_numpy(dtype=np.float64).copy()
    median[said["quantile"].to_numpy(dtype=np.float64) <= _LEAST] = np.nan
    return NumberLevels(x, y, median.reshape(n_points, n_points), row)


def _positions(values: FloatArray, size: int) -> FloatArray:
    """Return positions along an axis, a little beyond the rows."""
    low, high = float(values.min()), float(values.max())
    room = _MARGIN * (high - low)
    return np.linspace(low - room, high + room, size)
