"""Log-loss and size of the models of one stage of a search, fold by fold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from proset.common.checked_json import StateReader
from proset.engine.set_manager import BoolArray, FloatArray
from proset.selection.rules import stage_table

QUANTITIES = ("log_loss", "n_features", "n_prototypes")


@dataclass(frozen=True, eq=False)
class FoldScores:
    """One row per setting, one column per fold; nan where a fit is still to be done.

    Attributes
    ----------
    log_loss : ndarray of shape (n, F)
        Weighted mean of -log(estimated probability of the actual class) on the rows left out.
    n_features, n_prototypes : ndarray of shape (n, F)
        Active features and prototypes of the model that was scored.
    """

    log_loss: FloatArray
    n_features: FloatArray
    n_prototypes: FloatArray

    @classmethod
    def empty(cls, n_settings: int, n_folds: int) -> FoldScores:
        """Return scores of which nothing is done."""
        return cls(*(np.full((n_settings, n_folds), np.nan) for _ in QUANTITIES))

    def copy(self) -> FoldScores:
        """Return scores that can be filled without changing these."""
        return FoldScores(*(getattr(self, name).copy() for name in QUANTITIES))

    @property
    def done(self) -> BoolArray:
        """Which fits are done, shape (n, F)."""
        finished: BoolArray = np.isfinite(self.log_loss)
        return finished

    @property
    def complete(self) -> bool:
        """Whether every fit is done."""
        return bool(self.done.all())

    def lowest(self) -> FloatArray:
        """Log-loss, fold by fold, of the setting with the lowest mean; every fit has to be done."""
        best: FloatArray = self.log_loss[np.argmin(self.log_loss.mean(axis=1))]
        return best

    def frame(self, settings: Mapping[str, ArrayLike]) -> pd.DataFrame:
        """Put the settings in front, and means over the folds behind; nan unless every fold is done."""
        return stage_table(settings, self.log_loss).assign(
            n_features=self.n_features.mean(axis=1), n_prototypes=self.n_prototypes.mean(axis=1)
        )

    def to_state(self) -> dict[str, list[list[float | None]]]:
        """Return plain JSON types; null stands for a fit still to be done."""
        return {
            name: [[None if np.isnan(x) else float(x) for x in row] for row in getattr(self, name)]
            for name in QUANTITIES
        }

    @classmethod
    def from_state(cls, state: object, where: str, shape: tuple[int, int]) -> FoldScores:
        """Rebuild scores, refusing what is not a table of that shape."""
        reader = StateReader(state, where)
        scores = cls(*(_table(reader, name, shape) for name in QUANTITIES))
        reader.close()
        for name in QUANTITIES[1:]:
            if not np.array_equal(np.isfinite(getattr(scores, name)), scores.done):
                raise reader.refuse(name, "has to have a value exactly where there is a log-loss")
        return scores


def _table(reader: StateReader, name: str, shape: tuple[int, int]) -> FloatArray:
    """A table of numbers that are not negative, with gaps."""
    rows = reader.take(name)
    if not isinstance(rows, list) or len(rows) != shape[0] or not all(isinstance(row, list) for row in rows):
        raise reader.refuse(name, f"has to have {shape[0]} rows")
    if any(len(row) != shape[1] for row in rows):
        raise reader.refuse(name, f"has to have {shape[1]} columns")
    cells = [cell for row in rows for cell in row]
    if not all(cell is None or (type(cell) in (int, float) and 0.0 <= cell < float("inf")) for cell in cells):
        raise reader.refuse(name, "has to hold finite numbers that are not negative, or null")
    return np.array([np.nan if cell is None else float(cell) for cell in cells]).reshape(shape)
