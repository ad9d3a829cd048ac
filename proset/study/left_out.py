"""Estimates for rows of a table from models that have not seen them, several times over."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Estimates of models that have not seen the rows, from several cross-validations.

    Attributes
    ----------
    n_folds : int
        Folds of each cross-validation.
    rows : int64 array of shape (n,)
        Row ids of the rows that every repetition left out, ascending: all with a class that the model knows, but for
        classes that are too rare to leave any out; split by time, the later ones.
    probabilities : float64 array of shape (R, n, K)
        Estimates by repetition.
    quantile : float64 array of shape (R, n)
        Familiarity as a quantile of that of the rows left out with it.
    """

    n_folds: int
    rows: NDArray[np.int64]
    probabilities: NDArray[np.float64]
    quantile: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.probabilities)
