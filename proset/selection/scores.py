"""Log-loss and size of the models of one stage of a search, fold by fold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from proset.common.checked_json import StateReader
from proset.common.errors import StudyError
from proset.engine.set_manager import BoolArray, FloatArray
from proset.selection.rules import stage_table
from proset.selection.tasks import Score

QUANTITIES = ("log_loss", "n_features", "n_prototypes", "converged")
_LARGEST = 1e9  # more features or prototypes than any model has, and no log-loss of a double comes near it


@dataclass(frozen=True, eq=False)
class FoldScores:
    """One row per setting, one column per fold; nan where a fit is still to be done.

    The tables cannot be written to; :meth:`with_score` returns scores with one fit more.

    Attributes
    ----------
    log_loss : ndarray of shape (n, F)
        Weighted mean of -log(estimated probability of the actual class) on the rows left out.
    n_features, n_prototypes : ndarray of shape (n, F)
        Active features and prototypes of the model that was scored.
    converged : ndarray of shape (n, F)
        1 where the solver came to a proper end in the batch that was added last, 0 where it stopped early; 1 for a
        model without batches. nan also where that is not known: in a search that was saved before it was written down.

    Examples
    --------
    >>> score = Score(row=1, fold=0, log_loss=0.5, n_features=2, n_prototypes=9, converged=True, reason="")
    >>> FoldScores.empty(2, 3).with_score(score).log_loss.tolist()
    [[nan, nan, nan], [0.5, nan, nan]]
    """

    log_loss: FloatArray
    n_features: FloatArray
    n_prototypes: FloatArray
    converged: FloatArray = field(default_factory=lambda: np.array(np.nan))

    def __post_init__(self) -> None:
        """Take copies that nobody else can change; a single number stands for every fit."""
        for name in QUANTITIES:
            table = np.array(np.broadcast_to(getattr(self, name), self.log_loss.shape), dtype=np.float64)
            table.setflags(write=False)
            object.__setattr__(self, name, table)

    def __reduce__(self) -> tuple[Any, ...]:
        """Go through the constructor when copied or unpickled, so that copies cannot be written to either."""
        return FoldScores, tuple(getattr(self, name) for name in QUANTITIES)

    @classmethod
    def empty(cls, n_settings: int, n_folds: int) -> FoldScores:
        """Return scores of which nothing is done."""
        return cls(*(np.full((n_settings, n_folds), np.nan) for _ in QUANTITIES))

    def with_score(self, score: Score) -> FoldScores:
        """Return these scores and one more.

        Raises
        ------
        StudyError
            If the log-loss is not a finite number: such a fit would count as still to be done.
        """
        return self._with([score], {name: getattr(self, name).copy() for name in QUANTITIES})

    def with_fold(self, scores: Sequence[Score]) -> FoldScores:
        """Return these scores with those of one fold instead of what was there.

        Raises
        ------
        StudyError
            As for :meth:`with_score`.
        """
        tables = {name: getattr(self, name).copy() for name in QUANTITIES}
        for table in tables.values():
            table[:, scores[0].fold] = np.nan
        return self._with(scores, tables)

    def _with(self, scores: Sequence[Score], tables: dict[str, FloatArray]) -> FoldScores:
        """Write scores into tables that nobody else has."""
        for score in scores:
            if not np.isfinite(score.log_loss):
                raise StudyError(
                    f"The model fitted without fold {score.fold + 1} gives a log-loss of {score.log_loss} on that"
                    " fold.",
                    hint="Look for features with extreme values, and scale them.",
                )
            for name, table in tables.items():
                table[score.row, score.fold] = getattr(score, name)
        return replace(self, **tables)

    @property
    def done(self) -> BoolArray:
        """Fits that are done, shape (n, F)."""
        finished: BoolArray = np.isfinite(self.log_loss)
        return finished

    @property
    def complete(self) -> bool:
        """True if every fit is done."""
        return bool(self.done.all())

    @property
    def stopped_early(self) -> BoolArray:
        """Fits that are known not to have converged, shape (n, F)."""
        early: BoolArray = self.converged == 0.0
        return early

    def lowest(self) -> FloatArray:
        """Return the log-loss, fold by fold, of the setting with the lowest mean; every fit has to be done."""
        best: FloatArray = self.log_loss[np.argmin(self.log_loss.mean(axis=1))]
        return best

    def frame(self, settings: Mapping[str, ArrayLike]) -> pd.DataFrame:
        """Put the settings in front, and means over the folds behind; nan unless every fold is done.

        The mean of `converged` is the share of the folds whose fit converged, in [0, 1].
        """
        means = {name: getattr(self, name).mean(axis=1) for name in QUANTITIES[1:]}
        return stage_table(settings, self.log_loss).assign(**means)

    def to_state(self) -> dict[str, list[list[float | None]]]:
        """Return plain JSON types; null stands for a fit still to be done."""
        return {
            name: [[None if np.isnan(x) else float(x) for x in row] for row in getattr(self, name)]
            for name in QUANTITIES
        }

    @classmethod
    def from_state(cls, state: object, where: str, shape: tuple[int, int]) -> FoldScores:
        """Rebuild scores, refusing what is not a table of that shape."""
        if isinstance(state, dict) and "converged" not in state:  # from before it was written down
            state = state | {"converged": np.full(shape, None).tolist()}
        reader = StateReader(state, where)
        scores = cls(*(_read_table(reader, name, shape) for name in QUANTITIES))
        reader.close()
        for name in ("n_features", "n_prototypes"):
            if not np.array_equal(np.isfinite(getattr(scores, name)), scores.done):
                raise reader.refuse(name, "has to have a value exactly where there is a log-loss")
        told = np.isfinite(scores.converged)
        if not np.isin(scores.converged[told], (0.0, 1.0)).all() or (told & ~scores.done).any():
            raise reader.refuse("converged", "has to be 0, 1 or null, and null where there is no log-loss")
        return scores


def _read_table(reader: StateReader, name: str, shape: tuple[int, int]) -> FloatArray:
    """Read a table of numbers that are not negative, with gaps."""
    rows = reader.take(name)
    if not isinstance(rows, list) or len(rows) != shape[0] or not all(isinstance(row, list) for row in rows):
        raise reader.refuse(name, f"has to have {shape[0]} rows")
    if any(len(row) != shape[1] for row in rows):
        raise reader.refuse(name, f"has to have {shape[1]} columns")
    cells = [cell for row in rows for cell in row]
    if not all(cell is None or (type(cell) in (int, float) and 0.0 <= cell <= _LARGEST) for cell in cells):
        raise reader.refuse(name, f"has to hold numbers from 0 to {_LARGEST:g}, or null")
    return np.array([np.nan if cell is None else float(cell) for cell in cells]).reshape(shape)
