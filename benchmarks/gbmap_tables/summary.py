"""Means and standard deviations over splits, and where they leave what is published."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.cells import Cells
from benchmarks.gbmap_tables.drift import LOSSES
from benchmarks.gbmap_tables.published import COLUMNS, DRIFT, TABLE_4, published
from benchmarks.gbmap_tables.sets import SOURCES

ROUNDING = 0.005  # some values are published with two decimals


@dataclass(frozen=True)
class Mean:
    """Mean and standard deviation over splits."""

    mean: float
    sd: float
    n: int

    @classmethod
    def of(cls, values: list[float]) -> Mean | None:
        """Summarise values; None if there are none.

        Examples
        --------
        >>> Mean.of([1.0, 3.0]), Mean.of([])
        (Mean(mean=2.0, sd=1.4142135623730951, n=2), None)
        """
        if not values:
            return None
        return cls(float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else 0.0, len(values))

    def text(self, digits: int = 3) -> str:
        """Write it."""
        spread = f" ± {self.sd:.{digits}f}" if self.n > 1 else ""
        return f"**{self.mean:.{digits}f}**{spread}"


def ours(cells: Cells, name: str, column: str) -> Mean | None:
    """Our value of a column of table 4."""
    if column.startswith("auc-"):
        return (
            area(cells, name, column.removeprefix("auc-"), LOSSES[SOURCES[name].kind][0]) if name in SOURCES else None
        )
    if f"large/{name}" in cells and column in cells[f"large/{name}"]:
        return Mean.of([cells[f"large/{name}"][column]["score"]])
    key, field = {"gbmap": ("mapping", "score"), "knn-gbmap": ("mapping", "knn_score")}.get(column, (column, "score"))
    found = cells.matching(f"table4/{name}/")
    keys = [one for one in cells if one.startswith(f"table4/{name}/")]
    return Mean.of(
        [cell[field] for one, cell in zip(keys, found, strict=True) if one.endswith(f"/{key}") and field in cell]
    )


def area(cells: Cells, name: str, indicator: str, loss: str) -> Mean | None:
    """Area under the ROC curve with which a number warns of large losses."""
    return Mean.of([cell[loss][indicator] for cell in cells.matching(f"drift/{name}/")])


@dataclass(frozen=True)
class Difference:
    """Where ours leaves the published value by more than two standard deviations over splits."""

    name: str
    column: str
    said: float
    ours: Mean

    @property
    def label(self) -> str:
        """How the explanations name it."""
        return f"({self.name}, {self.column})"

    @property
    def better(self) -> bool:
        """Whether ours is the higher."""
        return self.ours.mean > self.said


def differences(cells: Cells) -> list[Difference]:
    """All that leave what is published."""
    found = []
    for name in TABLE_4:
        for column in (*COLUMNS, *(f"auc-{one}" for one in DRIFT)):
            said, own = published(name, column), ours(cells, name, column)
            if said is not None and own is not None and abs(own.mean - said) > max(2.0 * own.sd, ROUNDING):
                found.append(Difference(name, column, said, own))
    return found
