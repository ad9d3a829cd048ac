"""Estimates without one prototype: exact, because impacts add up, and without fitting anything again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from proset.engine.evidence.impacts import Impacts
from proset.engine.kernels.similarity import FloatArray


def without_each(
    impacts: Impacts, unnormalized: FloatArray, marginals: FloatArray, *, only: Iterable[int] | None = None
) -> Iterator[FloatArray]:
    """Yield the class probabilities without each prototype in turn; the others keep their weights.

    Parameters
    ----------
    impacts : Impacts
        Of P prototypes on n rows.
    unnormalized : float64 array of shape (n, K)
        Unnormalised class probabilities (2.5) of the whole model.
    marginals : float64 array of shape (K,)
        Marginal probabilities, below which nothing can fall.
    only : iterable of int or None
        Positions of the prototypes to leave out in turn; None for all P of them.

    Yields
    ------
    float64 array of shape (n, K)
        Once for each prototype; each line sums to one.

    Examples
    --------
    >>> from proset.engine.evidence.impacts import impacts
    >>> from proset.engine.set_manager import Batch, SetManager
    >>> batch = Batch(np.array([0]), np.ones(1, np.float32), np.zeros((1, 1)), np.array([1]),
    ...               np.full(1, 2.0, np.float32), np.array([7]))
    >>> manager, X = SetManager([0.5, 0.5], 1, (batch,)), np.zeros((1, 1))
    >>> [p.tolist() for p in without_each(impacts(manager, X), manager.unnormalized(X), manager.marginals)]
    [[[0.5, 0.5]]]
    """
    total = unnormalized.sum(axis=1)
    for j in range(len(impacts)) if only is None else only:
        k = impacts.target[j]
        q = unnormalized.copy()
        np.maximum(q[:, k] - impacts.impact[:, j], marginals[k], out=q[:, k])
        q /= np.maximum(total - impacts.impact[:, j], 1.0)[:, None]
        yield q
