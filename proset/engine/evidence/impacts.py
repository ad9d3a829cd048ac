"""The impact of every prototype on many rows at once: what sums by class leave out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proset.engine.kernels.similarity import FloatArray, IntArray, single_threaded_blas
from proset.engine.set_manager import SetManager


@dataclass(frozen=True, eq=False)
class Impacts:
    """Every prototype beside every row.

    Attributes
    ----------
    batch : int64 array of shape (P,)
        Batch of each prototype, from 1.
    position : int64 array of shape (P,)
        Its place within the batch.
    sample_index, target : int64 array of shape (P,)
        Its row in the training data, and its class.
    weight : float64 array of shape (P,)
        Its weight.
    similarity, impact : float64 array of shape (n, P)
        Kernel value with each row, and weight times kernel value.
    """

    batch: IntArray
    position: IntArray
    sample_index: IntArray
    target: IntArray
    weight: FloatArray
    similarity: FloatArray
    impact: FloatArray

    def __len__(self) -> int:
        return int(self.batch.shape[0])


def impacts(manager: SetManager, X: NDArray[Any]) -> Impacts:
    """Return the impact of every prototype on every row.

    Parameters
    ----------
    manager : SetManager
        A fitted model with P prototypes.
    X : array of shape (n, D)
        Rows of the feature matrix; the result holds two n x P arrays of doubles, so the caller bounds n.

    Returns
    -------
    Impacts
        Prototypes by batch, then by their place in it.

    Examples
    --------
    >>> from proset.engine.set_manager import Batch
    >>> batch = Batch(np.array([0]), np.ones(1, np.float32), np.zeros((1, 1)), np.array([1]),
    ...               np.full(1, 2.0, np.float32), np.array([7]))
    >>> impacts(SetManager([0.5, 0.5], 1, (batch,)), np.array([[0.0], [1e9]])).impact.tolist()
    [[2.0], [0.0]]
    """
    batches = [(number, batch) for number, batch in enumerate(manager.batches, start=1) if batch is not None]
    none = np.zeros(0, dtype=np.int64)
    with single_threaded_blas():
        similarity = np.hstack([batch.similarity(X) for _, batch in batches] or [np.zeros((X.shape[0], 0))])
    weight = np.concatenate([batch.weights.astype(np.float64) for _, batch in batches] or [np.zeros(0)])
    return Impacts(
        batch=np.repeat(np.array([n for n, _ in batches], dtype=np.int64), [len(batch) for _, batch in batches]),
        position=np.concatenate([np.arange(len(batch)) for _, batch in batches] or [none]),
        sample_index=np.concatenate([batch.sample_index for _, batch in batches] or [none]),
        target=np.concatenate([batch.target for _, batch in batches] or [none]),
        weight=weight,
        similarity=similarity,
        impact=similarity * weight,
    )
