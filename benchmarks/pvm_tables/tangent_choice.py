"""Which tangent distance: the one whose nearest other training digit is wrong least often. Test digits have no say."""

from __future__ import annotations

import time

from benchmarks.cells import Cell, Cells
from benchmarks.pvm_tables.distances import choices, left_out
from benchmarks.pvm_tables.sets import Arrays
from proset.companions.pvm.tangent import TangentDistance


def key(distance: TangentDistance) -> str:
    """Name the cell of one distance."""
    smooth = "images smoothed" if distance.smooth_images else "derivatives smoothed"
    return f"tangent/choice/sigma {distance.sigma:g}, {smooth}, ridge {distance.ridge:g}"


def measure(distance: TangentDistance, arrays: Arrays) -> Cell:
    """Count the training digits whose nearest other training digit is of another class."""
    start = time.perf_counter()
    wrong = left_out(distance(arrays["X"]), arrays["y"])
    return {
        "sigma": distance.sigma,
        "smooth_images": distance.smooth_images,
        "ridge": distance.ridge,
        "wrong": int(wrong.sum()),
        "seconds": time.perf_counter() - start,
    }


def fill(cells: Cells, arrays: Arrays) -> None:
    """Measure what is missing."""
    for distance in choices():
        cells.fill(key(distance), lambda distance=distance: measure(distance, arrays))


def chosen(cells: Cells) -> TangentDistance:
    """Return the best distance; of several the one that is nearest to plain: least smoothing, then the larger ridge."""
    found = [distance for distance in choices() if key(distance) in cells]
    return min(found, key=lambda one: (cells[key(one)]["wrong"], one.sigma, one.smooth_images, -one.ridge))
